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
mod costs;
#[cfg(feature = "resources")]
mod data;
mod documents;
mod events;
mod ids;
mod inbox;
mod instructions;
mod links;
mod manual_command;
mod model_calls;
mod path_params;
mod providers;
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

use axum::response::{IntoResponse, Response};
use entracte_application::settings::WorkspaceSettings;
use entracte_application::terminal_text::one_line;
use entracte_domain::session::ModelSelection;
use entracte_domain::time::Timestamp;
use http::header;
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::etag::EntityTag;
use crate::extractors::JsonResponse;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::instant;
use crate::shapes::workspace::SettingsShape;

/// The router with all routes.
pub(crate) fn all() -> OpenApiRouter<Arc<ServerState>> {
    OpenApiRouter::new()
        .routes(routes!(admin::doctor::get_doctor, admin::full_doctor::run_full_doctor))
        .routes(routes!(admin::owner::get_owner))
        .routes(routes!(admin::config::get_config))
        .routes(routes!(admin::check::check_database))
        .routes(routes!(admin::backup::make_backup))
        .routes(routes!(agents::list::list_declared_agents))
        .routes(routes!(agents::get::get_declared_agent))
        .routes(routes!(agui::run::run_agent))
        .routes(routes!(approvals::list::list_approvals))
        .routes(routes!(approvals::get::get_approval))
        .routes(routes!(approvals::decide::decide_approval))
        .routes(routes!(approvals::decide_all::decide_all))
        .routes(routes!(automations::list::list_automations, automations::create::create_automation))
        .routes(routes!(automations::preview::preview_schedule))
        .routes(routes!(
            automations::get::get_automation,
            automations::change::change_automation,
            automations::delete::delete_automation
        ))
        .routes(routes!(automations::run::run_automation))
        .routes(routes!(automations::dry_run::dry_run_automation))
        .routes(routes!(automations::next::next_occurrences))
        .routes(routes!(automations::occurrences::list_occurrences))
        .routes(routes!(automations::all_occurrences::list_all_occurrences))
        .routes(routes!(callbacks::receive::receive_callback))
        .routes(routes!(calls::get::get_call))
        .routes(routes!(calls::settle::settle_call))
        .routes(routes!(commands::list::list_commands))
        .routes(routes!(commands::get::get_command))
        .routes(routes!(commands::acceptance::get_acceptance, commands::accept::accept_command))
        .routes(routes!(tool_servers::list::list_tool_servers))
        .routes(routes!(tool_servers::get::get_tool_server))
        .routes(routes!(tool_servers::decide::decide_tools))
        .routes(routes!(commands::run::run_command))
        .routes(routes!(commands::enrichments::get_enrichments))
        .routes(routes!(costs::report::report_costs))
        .merge(data_routes())
        .routes(routes!(documents::list::list_documents))
        .routes(routes!(
            documents::get::get_document,
            documents::put::store_document_text,
            documents::remove::remove_document
        ))
        .routes(routes!(documents::put::store_document_pdf))
        .routes(routes!(documents::search::search_knowledge))
        .routes(routes!(documents::vectors::make_vectors))
        .routes(routes!(unauthenticated::login::login))
        .routes(routes!(unauthenticated::logout::logout))
        .routes(routes!(terminals::open::open_terminal_login))
        .routes(routes!(terminals::claim::claim_terminal_login))
        .routes(routes!(terminals::get::get_terminal_login))
        .routes(routes!(terminals::decide::decide_terminal_login))
        .routes(routes!(unauthenticated::healthz::healthz))
        .routes(routes!(unauthenticated::readyz::readyz))
        .routes(routes!(events::read::read_events))
        .routes(routes!(events::presence::mark_present))
        .routes(routes!(events::ticket::create_ticket))
        .routes(routes!(unauthenticated::metrics::metrics))
        .routes(routes!(ids::find::find_id))
        .routes(routes!(inbox::list::list_inbox))
        .routes(routes!(inbox::mark_seen::mark_seen))
        .routes(routes!(
            instructions::get::get_workspace_instructions,
            instructions::change::change_workspace_instructions,
            instructions::clear::clear_workspace_instructions
        ))
        .routes(routes!(instructions::versions::list_workspace_instructions))
        .routes(routes!(
            instructions::get::get_automation_instructions,
            instructions::change::change_automation_instructions,
            instructions::clear::clear_automation_instructions
        ))
        .routes(routes!(instructions::versions::list_automation_instructions))
        .routes(routes!(
            instructions::get::get_session_instructions,
            instructions::change::change_session_instructions,
            instructions::clear::clear_session_instructions
        ))
        .routes(routes!(instructions::versions::list_session_instructions))
        .routes(routes!(model_calls::list::list_model_calls))
        .routes(routes!(model_calls::get::get_model_call))
        .routes(routes!(model_calls::parts::get_model_call_parts))
        .routes(routes!(model_calls::count::count_model_call))
        .routes(routes!(providers::list::list_providers))
        .routes(routes!(
            providers::get::get_provider,
            providers::put::put_provider,
            providers::remove::remove_provider
        ))
        .routes(routes!(providers::models::list_models))
        .routes(routes!(providers::check::check_provider))
        .routes(routes!(rules::list::list_rules, rules::add::add_rule))
        .routes(routes!(rules::get::get_rule, rules::revoke::revoke_rule))
        .routes(routes!(secrets::list::list_own_secrets))
        .routes(routes!(secrets::store::store_own_secret, secrets::remove::remove_own_secret))
        .routes(routes!(sessions::list::list_sessions, sessions::create::start_chat))
        .routes(routes!(
            sessions::get::get_session,
            sessions::change::change_session,
            sessions::delete::delete_session
        ))
        .routes(routes!(sessions::messages::list_messages, sessions::send::send_message))
        .routes(routes!(sessions::journal::read_journal))
        .routes(routes!(sessions::stream::stream_session))
        .routes(routes!(sessions::calls::list_calls))
        .routes(routes!(sessions::agents::list_agents))
        .routes(routes!(sessions::queue::get_queue))
        .routes(routes!(sessions::queue::withdraw_message))
        .routes(routes!(sessions::metrics::get_metrics))
        .routes(routes!(sessions::export::export_session))
        .routes(routes!(sessions::record_script::record_session))
        .routes(routes!(sessions::interrupt::interrupt_session))
        .routes(routes!(sessions::compact::compact_session))
        .routes(routes!(sessions::resume::resume_session))
        .routes(routes!(sessions::stop::stop_session))
        .routes(routes!(sessions::open::open_session))
        .routes(routes!(sessions::attach::attach_session, sessions::leave::leave_session))
        .routes(routes!(sessions::answer::answer_question))
        .routes(routes!(sessions::fork::fork_session))
        .routes(routes!(sessions::mark_read::mark_read))
        .routes(routes!(sessions::count_unread::read_unread))
        .routes(routes!(sessions::verify::verify_session))
        .routes(routes!(sessions::deletions::list_deletions))
        .routes(routes!(sessions::confirm::confirm_completion))
        .routes(routes!(sessions::reject::reject_completion))
        .routes(routes!(sessions::import::import_session))
        .routes(routes!(
            settings::get::get_settings,
            settings::change::change_settings,
            settings::reset::reset_settings
        ))
        .routes(routes!(
            settings::get_one::get_setting,
            settings::change_one::change_setting,
            settings::reset_one::reset_setting
        ))
        .routes(routes!(links::open::open_link))
        .routes(routes!(links::decide::decide_by_link))
        .routes(routes!(targets::list::list_targets, targets::add::add_target))
        .routes(routes!(
            targets::get::get_target,
            targets::change::change_target,
            targets::remove::remove_target
        ))
        .routes(routes!(targets::test::test_target))
        .routes(routes!(targets::notifications::list_notifications))
        .routes(routes!(tasks::list::list_tasks))
        .routes(routes!(tasks::get::get_task))
        .routes(routes!(tasks::cancel::cancel_task))
        .routes(routes!(tasks::answer::answer_task))
        .routes(routes!(tasks::mark_seen::mark_task_seen))
        .routes(routes!(texts::list::list_texts, texts::propose::propose_text))
        .routes(routes!(texts::get::get_text, texts::delete::delete_text))
        .routes(routes!(texts::publish::publish_text))
        .routes(routes!(texts::discard::discard_proposal))
        .routes(routes!(tokens::list::list_tokens, tokens::create::create_token))
        .routes(routes!(tokens::get::get_token, tokens::revoke::revoke_token))
        .routes(routes!(tokens::people::list_people, tokens::add_person::add_person))
        .routes(routes!(tokens::person::get_person, tokens::remove_person::expel_person))
        .routes(routes!(tokens::invite::invite_person))
        .routes(routes!(tokens::accept::accept_invitation))
        .routes(routes!(tokens::current::me))
        .routes(routes!(tokens::revoke_current::revoke_current_token))
        .routes(routes!(workspaces::list::list_workspaces))
        .routes(routes!(workspaces::create::make_workspace))
}

/// The routes of zones, tools and entries.
#[cfg(feature = "resources")]
fn data_routes() -> OpenApiRouter<Arc<ServerState>> {
    OpenApiRouter::new()
        .routes(routes!(data::zones::list_zones, data::add_zone::add_zone))
        .routes(routes!(data::zone::get_zone, data::change_zone::change_zone, data::delete_zone::delete_zone))
        .routes(routes!(data::tools::list_tools, data::add_tool::add_tool))
        .routes(routes!(data::tool::get_tool, data::change_tool::change_tool, data::delete_tool::delete_tool))
        .routes(routes!(data::stats::get_stats))
        .routes(routes!(data::entries::list_entries, data::add_entry::add_entry))
        .routes(routes!(
            data::entry::get_entry,
            data::change_entry::change_entry,
            data::delete_entry::delete_entry
        ))
}

#[cfg(not(feature = "resources"))]
fn data_routes() -> OpenApiRouter<Arc<ServerState>> {
    OpenApiRouter::new()
}

/// An answer with its entity tag.
fn response_with_etag(tag: Option<EntityTag>, shape: impl Serialize) -> Response {
    let mut response = JsonResponse(shape).into_response();
    if let Some(tag) = tag.and_then(|tag| tag.header()) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The shape of a workspace's settings on this server.
fn settings_shape(state: &ServerState, settings: &WorkspaceSettings) -> SettingsShape {
    SettingsShape::new(settings, state.terms.runtime.require_validation)
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
    let problem = Problem::new(ProblemCode::Changed, "it was changed since you read it; read it again");
    Err(problem.with_current(serde_json::to_value(current).unwrap_or_default()))
}

/// The model of a new resource: this provider or the default one, with this model or the provider's default.
fn choose_model_voice(
    state: &ServerState,
    provider: Option<&str>,
    model: Option<String>,
) -> Result<ModelSelection, Problem> {
    let providers = &state.terms.providers;
    let wrong = |says: String| {
        Problem::new(ProblemCode::Invalid, format!("provider: {says}")).with_field("provider", says)
    };
    let entry = match provider {
        Some(name) => providers
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| wrong(format!("there is no provider {}", one_line(name))))?,
        None => providers.iter().find(|entry| entry.is_default).ok_or_else(|| {
            wrong("the configuration names no default; give one, or set default_provider".to_owned())
        })?,
    };
    let made = state.ports.providers.provider(&entry.name);
    let made = made.map_err(|failure| Problem::new(ProblemCode::Invalid, failure.message))?;
    Ok(ModelSelection {
        provider: entry.name.clone(),
        model: model.unwrap_or_else(|| made.info().default_model),
        dialect: entry.dialect,
    })
}

/// Parses an instant of a request.
fn instant_of(field: &str, text: Option<String>) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text else { return Ok(None) };
    instant(&text).map(Some).ok_or_else(|| {
        let says = "not an instant of RFC 3339, such as 2026-11-22T08:00:00Z";
        Problem::new(ProblemCode::Invalid, format!("{field}: {says}")).with_field(field, says)
    })
}
