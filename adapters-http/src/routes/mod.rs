//! All routes: one verb per file, each with one use case. The router and the OpenAPI document come from the same list,
//! so every route is documented.

mod admin;
mod agents;
mod agui;
mod approvals;
mod automations;
mod callbacks;
mod calls;
mod commands;
mod config_entries;
mod costs;
#[cfg(feature = "resources")]
mod data;
mod documents;
mod events;
mod files;
mod ids;
mod inbox;
mod instructions;
mod links;
mod manual_command;
mod model_calls;
mod path_params;
mod providers;
mod retention;
mod rules;
mod secrets;
mod sessions;
mod settings;
mod targets;
mod tasks;
mod terminals;
mod texts;
mod tokens;
mod tool_servers;
mod unauthenticated;
mod workspaces;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use entracte_application::settings::WorkspaceSettings;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{LocalizedMessage, ReaderLanguage, saying};
use entracte_domain::dollars::Dollars;
use entracte_domain::session::ModelSelection;
use entracte_domain::time::Timestamp;
use http::header;
use serde::Serialize;
use std::sync::Arc;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::{PathItemExt, routes};

use crate::etag::EntityTag;
use crate::extractors::JsonResponse;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::instant;
use crate::shapes::workspace::SettingsShape;

/// One list of handlers as a router and as its document. A command of this machine takes the router alone: the schemas of
/// the document take longer to make than the command itself.
macro_rules! route_list {
    ($router:ident, $document:ident: $($($segment:ident)::+),+ $(,)?) => {
        fn $router() -> Router<Arc<ServerState>> {
            Router::new()$(.merge({
                let path = routes!(@path [path()] of $($segment)::+);
                let methods = routes!(@path [methods()] of $($segment)::+);
                let handled = methods.iter().fold(MethodRouter::new(), |handled, method| {
                    handled.on(method.to_method_filter(), $($segment)::+)
                });
                Router::new().route(&path, handled)
            }))+
        }

        fn $document() -> OpenApiRouter<Arc<ServerState>> {
            OpenApiRouter::new()$(.routes(routes!($($segment)::+)))+
        }
    };
}

route_list! {
    common_router, common_document:
    admin::doctor::get_doctor,
    admin::full_doctor::run_full_doctor,
    admin::owner::get_owner,
    admin::config::get_config,
    admin::log::read_log,
    admin::check::check_database,
    admin::backup::make_backup,
    agents::list::list_declared_agents,
    agents::get::get_declared_agent,
    agui::run::run_agent,
    approvals::list::list_approvals,
    approvals::get::get_approval,
    approvals::decide::decide_approval,
    approvals::decide_all::decide_all,
    automations::list::list_automations,
    automations::create::create_automation,
    automations::preview::preview_schedule,
    automations::get::get_automation,
    automations::change::change_automation,
    automations::delete::delete_automation,
    automations::run::run_automation,
    automations::dry_run::dry_run_automation,
    automations::next::next_occurrences,
    automations::occurrences::list_occurrences,
    automations::all_occurrences::list_all_occurrences,
    callbacks::receive::receive_callback,
    calls::get::get_call,
    calls::settle::settle_call,
    commands::list::list_commands,
    commands::get::get_command,
    commands::acceptance::get_acceptance,
    commands::accept::accept_command,
    commands::offers::list_tool_offers,
    tool_servers::list::list_tool_servers,
    tool_servers::get::get_tool_server,
    tool_servers::decide::decide_tools,
    commands::run::run_command,
    commands::enrichments::get_enrichments,
    config_entries::list::list_config_entries,
    config_entries::get::get_config_entry,
    config_entries::put::put_config_entry,
    config_entries::remove::remove_config_entry,
    config_entries::check::check_config_entry,
    costs::report::report_costs,
    documents::list::list_documents,
    documents::get::get_document,
    documents::put::store_document_text,
    documents::remove::remove_document,
    documents::put::store_document_pdf,
    documents::search::search_knowledge,
    documents::vectors::make_vectors,
    files::store::store_file,
    files::get::get_file,
    files::get::get_session_file,
    unauthenticated::login::login,
    unauthenticated::logout::logout,
    terminals::open::open_terminal_login,
    terminals::claim::claim_terminal_login,
    terminals::get::get_terminal_login,
    terminals::decide::decide_terminal_login,
    terminals::login_link::create_login_link,
    unauthenticated::healthz::healthz,
    unauthenticated::readyz::readyz,
    events::read::read_events,
    events::presence::mark_present,
    events::ticket::create_ticket,
    unauthenticated::metrics::metrics,
    ids::find::find_id,
    inbox::list::list_inbox,
    inbox::mark_seen::mark_seen,
    inbox::snooze::snooze_items,
    inbox::wake::wake_items,
    inbox::assign::assign_items,
    instructions::get::get_workspace_instructions,
    instructions::change::change_workspace_instructions,
    instructions::clear::clear_workspace_instructions,
    instructions::versions::list_workspace_instructions,
    instructions::get::get_automation_instructions,
    instructions::change::change_automation_instructions,
    instructions::clear::clear_automation_instructions,
    instructions::versions::list_automation_instructions,
    instructions::get::get_session_instructions,
    instructions::change::change_session_instructions,
    instructions::clear::clear_session_instructions,
    instructions::versions::list_session_instructions,
    model_calls::list::list_model_calls,
    model_calls::get::get_model_call,
    model_calls::parts::get_model_call_parts,
    model_calls::count::count_model_call,
    model_calls::settle::settle_model_call,
    providers::list::list_providers,
    providers::get::get_provider,
    providers::set_up::set_up_provider,
    providers::put::put_provider,
    providers::change::change_provider,
    providers::remove::remove_provider,
    providers::models::list_models,
    providers::check::check_provider,
    providers::find_servers::find_model_servers,
    retention::get::get_retention,
    retention::preview::preview_retention,
    retention::run::run_retention,
    retention::hold::hold_retention,
    retention::release::release_retention,
    rules::list::list_rules,
    rules::add::add_rule,
    rules::get::get_rule,
    rules::revoke::revoke_rule,
    secrets::list::list_own_secrets,
    secrets::store::store_own_secret,
    secrets::remove::remove_own_secret,
    sessions::list::list_sessions,
    sessions::create::start_chat,
    sessions::get::get_session,
    sessions::change::change_session,
    sessions::delete::delete_session,
    sessions::messages::list_messages,
    sessions::send::send_message,
    sessions::journal::read_journal,
    sessions::stream::stream_session,
    sessions::turn::get_turn,
    sessions::calls::list_calls,
    sessions::agents::list_agents,
    sessions::queue::get_queue,
    sessions::queue::withdraw_message,
    sessions::metrics::get_metrics,
    sessions::export::export_session,
    sessions::record_script::record_session,
    sessions::interrupt::interrupt_session,
    sessions::compact::compact_session,
    sessions::resume::resume_session,
    sessions::stop::stop_session,
    sessions::open::open_session,
    sessions::attach::attach_session,
    sessions::leave::leave_session,
    sessions::answer::answer_question,
    sessions::spending::answer_spending,
    sessions::fork::fork_session,
    sessions::mark_read::mark_read,
    sessions::count_unread::read_unread,
    sessions::verify::verify_session,
    sessions::deletions::list_deletions,
    sessions::confirm::confirm_completion,
    sessions::reject::reject_completion,
    sessions::import::import_session,
    settings::get::get_settings,
    settings::change::change_settings,
    settings::reset::reset_settings,
    settings::get_one::get_setting,
    settings::change_one::change_setting,
    settings::reset_one::reset_setting,
    links::open::open_link,
    links::decide::decide_by_link,
    targets::list::list_targets,
    targets::add::add_target,
    targets::get::get_target,
    targets::change::change_target,
    targets::remove::remove_target,
    targets::test::test_target,
    targets::notifications::list_notifications,
    targets::push_key::get_push_key,
    tasks::list::list_tasks,
    tasks::get::get_task,
    tasks::cancel::cancel_task,
    tasks::answer::answer_task,
    tasks::mark_seen::mark_task_seen,
    texts::list::list_texts,
    texts::propose::propose_text,
    texts::get::get_text,
    texts::delete::delete_text,
    texts::publish::publish_text,
    texts::discard::discard_proposal,
    tokens::list::list_tokens,
    tokens::create::create_token,
    tokens::get::get_token,
    tokens::revoke::revoke_token,
    tokens::people::list_people,
    tokens::add_person::add_person,
    tokens::person::get_person,
    tokens::remove_person::expel_person,
    tokens::invite::invite_person,
    tokens::accept::accept_invitation,
    tokens::current::me,
    tokens::revoke_current::revoke_current_token,
    workspaces::list::list_workspaces,
    workspaces::create::make_workspace,
}

// Zones, tools and entries.
#[cfg(feature = "resources")]
route_list! {
    data_router, data_document:
    data::zones::list_zones,
    data::add_zone::add_zone,
    data::zone::get_zone,
    data::change_zone::change_zone,
    data::delete_zone::delete_zone,
    data::tools::list_tools,
    data::add_tool::add_tool,
    data::tool::get_tool,
    data::change_tool::change_tool,
    data::delete_tool::delete_tool,
    data::stats::get_stats,
    data::entries::list_entries,
    data::add_entry::add_entry,
    data::entry::get_entry,
    data::change_entry::change_entry,
    data::delete_entry::delete_entry,
}

#[cfg(not(feature = "resources"))]
fn data_router() -> Router<Arc<ServerState>> {
    Router::new()
}

#[cfg(not(feature = "resources"))]
fn data_document() -> OpenApiRouter<Arc<ServerState>> {
    OpenApiRouter::new()
}

/// The router with all routes.
pub(crate) fn router() -> Router<Arc<ServerState>> {
    common_router().merge(data_router())
}

/// The document of all routes.
pub(crate) fn document() -> OpenApi {
    common_document().merge(data_document()).into_openapi()
}

/// An answer with its entity tag.
fn response_with_etag(tag: Option<EntityTag>, shape: impl Serialize) -> Response {
    let mut response = JsonResponse(shape).into_response();
    if let Some(tag) = tag.and_then(|tag| tag.header()) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The shape of a workspace's settings on this server, for this reader.
fn settings_shape(
    state: &ServerState,
    settings: &WorkspaceSettings,
    reader: ReaderLanguage,
) -> SettingsShape {
    SettingsShape::new(settings, settings.texts_for(reader), state.terms.runtime.require_validation)
}

/// Requires that the current version is the one that was read.
fn require_unchanged(
    read: &EntityTag,
    now: Option<EntityTag>,
    current: &impl Serialize,
) -> Result<(), Problem> {
    if now.as_ref() == Some(read) {
        return Ok(());
    }
    let problem = Problem::new(ProblemCode::Changed, saying!("request-changed"));
    Err(problem.with_current(current))
}

/// The model of a new resource: this provider or the default one, with this model or the provider's default.
fn choose_model_voice(
    state: &ServerState,
    provider: Option<&str>,
    model: Option<String>,
) -> Result<ModelSelection, Problem> {
    let providers = state.terms.entries.providers.get();
    let wrong = |says: LocalizedMessage| Problem::invalid_field("provider", says);
    let entry = match provider {
        Some(name) => providers
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| wrong(saying!("refusal-no-provider", provider = one_line(name))))?,
        None => providers
            .iter()
            .find(|entry| entry.is_default)
            .ok_or_else(|| wrong(saying!("refusal-no-default-provider")))?,
    };
    let made = state.ports.providers.provider(&entry.name);
    let made = made.map_err(|failure| Problem::new(ProblemCode::Invalid, failure.message))?;
    Ok(ModelSelection {
        provider: entry.name.clone(),
        model: model.unwrap_or_else(|| made.info().default_model),
        dialect: entry.dialect,
    })
}

/// Parses an amount of money of a request.
fn dollars_of(field: &str, text: &str) -> Result<Dollars, Problem> {
    text.parse()
        .map_err(|_| Problem::invalid_field(field, saying!("refusal-dollars", given = one_line(text))))
}

/// Parses an instant of a request.
fn instant_of(field: &str, text: Option<String>) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text else { return Ok(None) };
    instant(&text).map(Some).ok_or_else(|| Problem::invalid_field(field, saying!("refusal-instant")))
}
