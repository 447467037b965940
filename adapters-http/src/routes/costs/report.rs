//! Reports the costs of model calls, by attempt, round, session, day, model, provider or automation.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::terminal_text::one_line;
use entracte_application::use_cases::{AttemptCost, ReportCosts, group_by, settings_of};
use entracte_domain::id::SessionId;
use entracte_domain::usage::Usage;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::cost::{CostRow, CostsShape};

/// What model calls cost, by attempt, round, session, day, model, provider or automation.
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
    let Some(by) = BY.into_iter().find(|known| *known == by) else {
        let says = format!("{} is none of {}", one_line(by), BY.join(", "));
        return Err(Problem::new(ProblemCode::Invalid, format!("by: {says}")).with_field("by", says));
    };
    let session = query.session.map(SessionId::new);
    let mut attempts =
        ReportCosts::new(state.ports.log.clone()).run(caller.workspace(), session.as_ref()).await?;
    let (since, until) = (instant_of("since", query.since)?, instant_of("until", query.until)?);
    attempts
        .retain(|one| since.is_none_or(|since| one.at >= since) && until.is_none_or(|until| one.at < until));
    let locale = settings_of(&*state.ports.store, caller.workspace()).await?.locale();
    let zone = locale.time_zone();
    let mut total = Usage::default();
    attempts.iter().for_each(|one| total.add(one.usage));
    let sums = group_by(&attempts, |one| key(by, one, &zone));
    Ok(JsonResponse(CostsShape {
        by,
        zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        rows: sums.iter().map(CostRow::from).collect(),
        total: total.into(),
    }))
}

const BY: [&str; 7] = ["session", "round", "attempt", "day", "model", "provider", "automation"];

/// Which costs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CostQuery {
    /// `session` (unless given), `round`, `attempt`, `day`, `model`, `provider` or `automation`.
    by: Option<String>,
    /// Of this session only.
    session: Option<String>,
    /// From this instant on, as RFC 3339.
    since: Option<String>,
    /// Before this instant, as RFC 3339.
    until: Option<String>,
}

fn key(by: &str, attempt: &AttemptCost, zone: &jiff::tz::TimeZone) -> String {
    match by {
        "attempt" => attempt.session.model_call_id(attempt.number).to_string(),
        "round" => format!("{} {}", attempt.session, attempt.number.round),
        "day" => jiff::Timestamp::from_microsecond(attempt.at.0)
            .map_or_else(|_| String::new(), |at| at.to_zoned(zone.clone()).date().to_string()),
        "model" => format!("{}/{}", attempt.provider, attempt.model),
        "provider" => attempt.provider.clone(),
        "automation" => attempt.automation.clone().unwrap_or_default(),
        _ => attempt.session.to_string(),
    }
}
