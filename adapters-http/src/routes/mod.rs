//! Every route: one verb a file, and each is one use case. Documents and routes are made of the same list, so none is without
//! the other.

mod approvals;
mod automations;
mod calls;
mod commands;
mod costs;
mod doors;
mod inbox;
mod path;
mod providers;
mod rules;
mod sessions;
mod settings;
mod tokens;
mod workspaces;

use axum::response::{IntoResponse, Response};
use entracte_domain::time::Timestamp;
use http::header;
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::body::Json;
use crate::etag::Tag;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::shapes::instant;

/// All of them.
pub(crate) fn all() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::new()
        .routes(routes!(approvals::list::list_approvals))
        .routes(routes!(approvals::get::get_approval))
        .routes(routes!(approvals::decide::decide_approval))
        .routes(routes!(automations::list::list_automations))
        .routes(routes!(
            automations::get::get_automation,
            automations::change::change_automation,
            automations::delete::delete_automation
        ))
        .routes(routes!(automations::run::run_automation))
        .routes(routes!(automations::next::next_occurrences))
        .routes(routes!(automations::occurrences::list_occurrences))
        .routes(routes!(calls::get::get_call))
        .routes(routes!(calls::settle::settle_call))
        .routes(routes!(commands::list::list_commands))
        .routes(routes!(commands::get::get_command))
        .routes(routes!(commands::run::run_command))
        .routes(routes!(costs::report::report_costs))
        .routes(routes!(doors::login::login))
        .routes(routes!(doors::logout::logout))
        .routes(routes!(doors::healthz::healthz))
        .routes(routes!(doors::readyz::readyz))
        .routes(routes!(doors::metrics::metrics))
        .routes(routes!(inbox::list::list_inbox))
        .routes(routes!(inbox::seen::mark_seen))
        .routes(routes!(providers::list::list_providers))
        .routes(routes!(providers::get::get_provider))
        .routes(routes!(rules::list::list_rules, rules::add::add_rule))
        .routes(routes!(rules::get::get_rule, rules::revoke::revoke_rule))
        .routes(routes!(sessions::list::list_sessions, sessions::create::start_chat))
        .routes(routes!(
            sessions::get::get_session,
            sessions::change::change_session,
            sessions::delete::delete_session
        ))
        .routes(routes!(sessions::messages::list_messages, sessions::send::send_message))
        .routes(routes!(sessions::journal::read_journal))
        .routes(routes!(sessions::calls::list_calls))
        .routes(routes!(sessions::queue::get_queue))
        .routes(routes!(sessions::metrics::get_metrics))
        .routes(routes!(sessions::export::export_session))
        .routes(routes!(sessions::interrupt::interrupt_session))
        .routes(routes!(sessions::resume::resume_session))
        .routes(routes!(sessions::stop::stop_session))
        .routes(routes!(sessions::open::open_session))
        .routes(routes!(sessions::leave::leave_session))
        .routes(routes!(sessions::answer::answer_question))
        .routes(routes!(sessions::fork::fork_session))
        .routes(routes!(sessions::read::mark_read))
        .routes(routes!(settings::get::get_settings, settings::change::change_settings))
        .routes(routes!(tokens::list::list_tokens, tokens::create::create_token))
        .routes(routes!(tokens::revoke::revoke_token))
        .routes(routes!(tokens::people::list_people))
        .routes(routes!(tokens::me::me))
        .routes(routes!(workspaces::list::list_workspaces))
        .routes(routes!(workspaces::make::make_workspace))
}

/// An answer with its tag.
fn tagged(tag: Option<Tag>, shape: impl Serialize) -> Response {
    let mut response = Json(shape).into_response();
    if let Some(tag) = tag.and_then(|tag| tag.header()) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// What is changed is what was read.
fn must_match(read: &Tag, now: Option<Tag>, current: &impl Serialize) -> Result<(), Problem> {
    if now.as_ref() == Some(read) {
        return Ok(());
    }
    let problem = Problem::new(Code::Changed, "it was changed since you read it; read it again");
    Err(problem.with_current(serde_json::to_value(current).unwrap_or_default()))
}

/// An instant of a request.
fn instant_of(field: &str, text: Option<String>) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text else { return Ok(None) };
    instant(&text).map(Some).ok_or_else(|| {
        let says = "not an instant of RFC 3339, such as 2026-11-22T08:00:00Z";
        Problem::new(Code::Invalid, format!("{field}: {says}")).at(field, says)
    })
}
