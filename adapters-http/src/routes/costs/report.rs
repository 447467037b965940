//! Reports the costs of model calls, by attempt, round, session, day, model, provider, automation, tree of agents, person
//! or command.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::{
    AUTOMATION_KEY, CostReportGrouping, CostReportQuery, CostReportRow, ReportCosts, settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{LIMIT_MAX, PageQuery, encode_cursor, page_limit, read_cursor_key};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::cost::{CostRow, CostsShape, ReservationsShape, UsageShape};

/// What model calls cost, by attempt, round, session, day, model, provider, automation, tree of agents, person or command.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/costs",
    operation_id = "report_costs",
    tag = "costs",
    params(WorkspacePath, CostQuery),
    responses((status = 200, body = CostsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn report_costs(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<CostQuery>,
) -> JsonResult<CostsShape> {
    let by = query.by.as_deref().unwrap_or("session");
    let Some(by) = CostReportGrouping::from_word(by) else {
        let words = CostReportGrouping::ALL.map(CostReportGrouping::word);
        return Err(Problem::unknown_word("by", by, &words));
    };
    let locale = settings_of(&*state.ports.store, caller.workspace()).await?.locale();
    let zone = locale.time_zone();
    let list = format!("costs {} {by:?} {:?} {}", caller.workspace(), query.filter(), locale.zone);
    let page = PageQuery { limit: query.limit.or(Some(LIMIT_MAX)), after: query.after.clone() };
    let place = read_cursor_key(&list, &page)?.map(|key| CostPlace::parse(&key)).transpose()?;
    let asked = CostReportQuery {
        by,
        session: query.session.map(SessionId::new),
        since: instant_of("since", query.since)?,
        until: instant_of("until", query.until)?,
        zone: zone.clone(),
        after: place.as_ref().map(|place| place.after.clone()),
        limit: u32::try_from(page_limit(&page)?).unwrap_or(LIMIT_MAX),
    };
    let (workspace, costs) = (caller.workspace(), ReportCosts::new(state.ports.log.clone()));
    let mut report = costs.run(workspace, &asked).await?;
    if matches!(by, CostReportGrouping::Automation | CostReportGrouping::Person) {
        name_automations(&state, workspace, by, &mut report.rows).await?;
    }
    let place = match place {
        Some(place) => place,
        None => {
            let interval = (asked.since, asked.until);
            let total = costs.total(workspace, asked.session.as_ref(), interval).await?;
            CostPlace {
                total_attempts: total.attempts,
                total: total.usage.into(),
                reservations: ReservationsShape::of(total.reservations),
                after: String::new(),
            }
        }
    };
    let next = report.next.map(|after| CostPlace { after, ..place.clone() });
    let CostPlace { total_attempts, total, reservations: total_reservations, after: _ } = place;
    Ok(JsonResponse(CostsShape {
        by: by.word().into(),
        zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        rows: report.rows.into_iter().map(CostRow::from).collect(),
        next: next.map(|place| encode_cursor(&list, &place.key())),
        total,
        total_attempts,
        total_reservations,
        sessions_uncounted: costs.uncounted_sessions(workspace).await?,
    }))
}

/// Where a page begins, with the total, which is added up for the first page only.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CostPlace {
    total_attempts: u64,
    total: UsageShape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reservations: Option<ReservationsShape>,
    after: String,
}

impl CostPlace {
    /// As the key of a cursor.
    fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn parse(key: &str) -> Result<Self, Problem> {
        serde_json::from_str(key)
            .map_err(|_| Problem::new(ProblemCode::CursorInvalid, saying!("refusal-cursor-page")))
    }
}

/// Gives the rows of automations that exist their names, also among persons.
async fn name_automations(
    state: &ServerState,
    workspace: &WorkspaceKey,
    by: CostReportGrouping,
    rows: &mut [CostReportRow],
) -> Result<(), Problem> {
    let known = state.ports.automations.automations(workspace).await?;
    for row in rows {
        let key = row.key.as_deref();
        let id = match by {
            CostReportGrouping::Person => key.and_then(|key| key.strip_prefix(AUTOMATION_KEY)),
            _ => key,
        };
        let found = known.iter().find(|known| id == Some(known.id.as_str()));
        row.name = found.map(|known| known.name.clone());
    }
    Ok(())
}

/// Which costs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CostQuery {
    /// `session` (unless given), `round`, `attempt`, `day`, `model`, `provider`, `automation`, `tree`, `person` or `command`.
    by: Option<String>,
    /// Of this session and of the agents below it only.
    session: Option<String>,
    /// From this instant on, as RFC 3339.
    since: Option<String>,
    /// Before this instant, as RFC 3339.
    until: Option<String>,
    /// At most this many rows, 1 to 200; 200 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

impl CostQuery {
    /// The filter that a cursor belongs to.
    fn filter(&self) -> impl std::fmt::Debug + '_ {
        (&self.session, &self.since, &self.until)
    }
}
