//! Lists the sessions of a workspace, the latest activity first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::SessionFilter;
use entracte_application::terminal_text::one_line;
use entracte_application::use_cases::{ListSessions, SessionSearch};
use entracte_domain::session::SessionKind;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::session::SessionItem;

/// The sessions of a workspace, the latest activity first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions",
    operation_id = "list_sessions",
    tag = "sessions",
    params(WorkspacePath, SessionListQuery),
    responses((status = 200, body = Page<SessionItem>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_sessions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<SessionListQuery>,
) -> JsonResult<Page<SessionItem>> {
    let filter = SessionFilter {
        workspace: Some(caller.workspace().clone()),
        waiting: query.waiting.unwrap_or(false),
        open: query.open.unwrap_or(false),
        limit: 0,
    };
    let kind = query.kind.as_deref().map(kind_of).transpose()?;
    let sought = SessionSearch { kind, text: query.q.clone().unwrap_or_default() };
    let mut lines = ListSessions::new(state.ports.log.clone()).lines(&filter, &sought).await?;
    let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
    let since = instant_of("since", query.since.clone())?;
    lines.retain(|line| since.is_none_or(|since| line.last_activity >= since));
    lines.retain(|line| is(&query.standing, line.standing.word()) && is(&query.phase, line.phase.word()));
    let list = format!("sessions {} {:?}", caller.workspace(), query.filter());
    let page = PageQuery { limit: query.limit, after: query.after.clone() };
    let page = page_of_list(lines, &list, &page, |line| {
        format!("{} {}", latest_first(line.last_activity), line.id)
    })?;
    Ok(JsonResponse(page.map(SessionItem::from)))
}

/// Which sessions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionListQuery {
    /// Part of a name, or the beginning of an id.
    q: Option<String>,
    /// `chat`, `seed`, `automation` or `agent`.
    kind: Option<String>,
    /// Only those of this standing.
    standing: Option<String>,
    /// Only those in this phase.
    phase: Option<String>,
    /// Only those that wait for a person; false unless given.
    waiting: Option<bool>,
    /// Without those that have ended; false unless given.
    open: Option<bool>,
    /// Those where something happened from this instant on, as RFC 3339.
    since: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

impl SessionListQuery {
    /// The filter that a cursor belongs to.
    fn filter(&self) -> impl std::fmt::Debug + '_ {
        (&self.q, &self.kind, &self.standing, &self.phase, self.waiting, self.open, &self.since)
    }
}

fn kind_of(word: &str) -> Result<SessionKind, Problem> {
    SessionKind::from_word(word).ok_or_else(|| {
        let says = format!("{} is none of chat, seed, automation, agent", one_line(word));
        Problem::new(ProblemCode::Invalid, format!("kind: {says}")).with_field("kind", says)
    })
}
