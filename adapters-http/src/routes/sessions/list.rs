//! Lists the sessions of a workspace, the latest activity first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::SessionPageOf;
use entracte_application::terminal_text::one_line;
use entracte_application::use_cases::{ListSessions, SessionPageQuery, SessionSearch};
use entracte_domain::session::SessionKind;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{LIMIT, Page, PageQuery, encode_cursor, page_limit, read_cursor_key};
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
    let kind = query.kind.as_deref().map(kind_of).transpose()?;
    let list = format!("sessions by activity {} {:?}", caller.workspace(), query.filter());
    let page = PageQuery { limit: query.limit, after: query.after.clone() };
    let asked = SessionPageQuery {
        of: match (query.waiting.unwrap_or(false), query.open.unwrap_or(false)) {
            (true, true) => SessionPageOf::Asking,
            (true, false) => SessionPageOf::Waiting,
            (false, true) => SessionPageOf::Open,
            (false, false) => SessionPageOf::All,
        },
        search: SessionSearch { kind, text: query.q.clone().unwrap_or_default() },
        standing: query.standing.clone(),
        phase: query.phase.clone(),
        since: instant_of("since", query.since.clone())?,
        after: read_cursor_key(&list, &page)?,
        limit: u32::try_from(page_limit(&page)?).unwrap_or(LIMIT),
    };
    let found = ListSessions::new(state.ports.log.clone()).page(caller.workspace(), &asked).await?;
    Ok(JsonResponse(Page {
        items: found.lines.into_iter().map(SessionItem::from).collect(),
        next: found.next.map(|place| encode_cursor(&list, &place)),
    }))
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
