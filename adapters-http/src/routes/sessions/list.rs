//! Lists the sessions of a workspace, the latest activity first, or those first that wait for a person.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{SessionFilter, SessionListRow, SessionPageOf};
use entracte_application::use_cases::{ListSessions, SessionPageQuery, SessionSearch};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::{SessionKind, Standing};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{
    LIMIT, Page, PageQuery, encode_cursor, latest_first, page_limit, page_of_list, read_cursor_key,
};
use crate::problem::Problem;
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::routes::sessions::details::SessionItemDetails;
use crate::server_state::ServerState;
use crate::shapes::session::SessionItem;

/// The sessions of a workspace, the latest activity first unless another `order` is asked for.
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
    let (workspace, page) =
        (caller.workspace(), PageQuery { limit: query.limit, after: query.after.clone() });
    let list = format!("sessions by {} {workspace} {:?}", query.order.word(), query.filter());
    let lines = match query.order {
        SessionOrder::Activity => lines_by_activity(&state, workspace, &list, &query, &page).await?,
        SessionOrder::Attention => lines_by_attention(&state, workspace, &list, &query, &page).await?,
    };
    if !query.details.unwrap_or(false) {
        return Ok(JsonResponse(lines.map(SessionItem::from)));
    }
    let details = SessionItemDetails::read(&state, workspace, caller.author()).await?;
    let mut items = Vec::with_capacity(lines.items.len());
    for line in lines.items {
        items.push(details.add(&state, line).await);
    }
    Ok(JsonResponse(Page { items, next: lines.next }))
}

/// A page in the order of activity; it reads the rows of the page alone.
async fn lines_by_activity(
    state: &ServerState,
    workspace: &WorkspaceKey,
    list: &str,
    query: &SessionListQuery,
    page: &PageQuery,
) -> Result<Page<SessionListRow>, Problem> {
    let asked = SessionPageQuery {
        of: match (query.waiting.unwrap_or(false), query.open.unwrap_or(false)) {
            (true, true) => SessionPageOf::AskingWithCallers,
            (true, false) => SessionPageOf::Waiting,
            (false, true) => SessionPageOf::Open,
            (false, false) => SessionPageOf::All,
        },
        search: query.search()?,
        standing: query.standing.clone(),
        phase: query.phase.clone(),
        since: instant_of("since", query.since.clone())?,
        after: read_cursor_key(list, page)?,
        limit: u32::try_from(page_limit(page)?).unwrap_or(LIMIT),
    };
    let found = ListSessions::new(state.ports.log.clone()).page(workspace, &asked).await?;
    Ok(Page { items: found.lines, next: found.next.map(|place| encode_cursor(list, &place)) })
}

/// A page that begins with the sessions that wait for a person; it reads what lists show of all sessions.
async fn lines_by_attention(
    state: &ServerState,
    workspace: &WorkspaceKey,
    list: &str,
    query: &SessionListQuery,
    page: &PageQuery,
) -> Result<Page<SessionListRow>, Problem> {
    let filter = SessionFilter {
        workspace: Some(workspace.clone()),
        waiting: query.waiting.unwrap_or(false),
        open: query.open.unwrap_or(false),
        limit: 0,
    };
    let mut lines = ListSessions::new(state.ports.log.clone()).lines(&filter, &query.search()?).await?;
    let since = instant_of("since", query.since.clone())?;
    let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
    lines.retain(|line| {
        is(&query.standing, line.standing.word())
            && is(&query.phase, line.phase.word())
            && since.is_none_or(|since| line.last_activity >= since)
    });
    page_of_list(lines, list, page, |line| {
        let rank = match (line.waiting, line.standing.word() == Standing::Ended.word()) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        format!("{rank} {} {}", latest_first(line.last_activity), line.id)
    })
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
    /// Only those that wait for a person, or below which an agent does; false unless given.
    waiting: Option<bool>,
    /// Without those that have ended; false unless given.
    open: Option<bool>,
    /// Those where something happened from this instant on, as RFC 3339.
    since: Option<String>,
    /// Their order; by activity unless given.
    #[serde(default)]
    #[param(inline)]
    order: SessionOrder,
    /// Also `position`, `wake_reason`, `working`, `unread`, `queued_messages`, `rounds` and `provider`; false unless given.
    details: Option<bool>,
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

    fn search(&self) -> Result<SessionSearch, Problem> {
        let kind = self.kind.as_deref().map(kind_of).transpose()?;
        Ok(SessionSearch { kind, text: self.q.clone().unwrap_or_default() })
    }
}

/// The order of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionOrder {
    /// The latest activity first.
    #[default]
    Activity,
    /// Sessions that wait for a person, then other open sessions, then ended ones; within each group by latest activity.
    Attention,
}

impl SessionOrder {
    const fn word(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Attention => "attention",
        }
    }
}

fn kind_of(word: &str) -> Result<SessionKind, Problem> {
    SessionKind::from_word(word)
        .ok_or_else(|| Problem::unknown_word("kind", word, &SessionKind::ALL.map(SessionKind::word)))
}
