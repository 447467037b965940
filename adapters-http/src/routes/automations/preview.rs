//! Previews a cron expression: its description, its next ten instants, and the clock changes of its time zone.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::{PreviewSchedule, settings_or_first_of};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::iso;

/// Which expression, on whose clock.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SchedulePreviewQuery {
    /// The expression.
    cron: Option<String>,
    /// In its place a line of a crontab, as Debian's cron reads it.
    crontab: Option<String>,
    /// The zone; none: that of the workspace.
    zone: Option<String>,
}

/// What a cron expression would do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PreviewShape {
    /// The expression; that of a line of a crontab too.
    expression: String,
    /// The expression in words, in the language of the reader, with which days are meant.
    says: String,
    /// What it may be misread as.
    warnings: Vec<String>,
    /// The expression for what a crontab of Debian would mean by the same fields; null where that is the same days.
    crontab: Option<String>,
    /// The zone of the clock.
    zone: String,
    /// Its next ten instants.
    instants: Vec<String>,
    /// Why there are no more.
    fault: Option<String>,
    /// When the clock of the zone is set forward or back next; null: never again.
    clock_change: Option<ClockChangeShape>,
}

/// That a clock is set forward or back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClockChangeShape {
    /// When.
    at: String,
    /// By how many minutes; less than 0: back.
    minutes: i64,
}

/// What a cron expression would do: in words, its next ten instants, and when the clock of the zone changes.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/preview",
    operation_id = "preview_schedule",
    tag = "automations",
    params(WorkspacePath, SchedulePreviewQuery),
    responses((status = 200, body = PreviewShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn preview_schedule(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<SchedulePreviewQuery>,
) -> JsonResult<PreviewShape> {
    let ports = &state.ports;
    let settings = settings_or_first_of(&*ports.store, caller.workspace(), &state.terms.runtime).await?;
    let locale = settings.locale_for(caller.reader());
    let zone = query.zone.unwrap_or(locale.zone);
    let preview = PreviewSchedule::new(ports.calculator.clone(), ports.clock.clone());
    let seen = match (&query.cron, &query.crontab) {
        (Some(cron), None) => preview.run(cron.trim(), &zone, locale.language, INSTANTS)?,
        (None, Some(line)) => preview.preview_crontab_line(line, &zone, locale.language, INSTANTS)?,
        (None, None) | (Some(_), Some(_)) => {
            return Err(Problem::new(ProblemCode::Invalid, saying!("refusal-schedule-both")));
        }
    };
    Ok(JsonResponse(PreviewShape {
        expression: seen.expression,
        says: seen.says,
        warnings: seen.warnings,
        crontab: seen.crontab,
        zone,
        instants: seen.coming.instants.into_iter().map(iso).collect(),
        fault: seen.coming.fault.map(|fault| fault.to_string()),
        clock_change: seen
            .clock_change
            .map(|change| ClockChangeShape { at: iso(change.at), minutes: change.by.0 / 60_000 }),
    }))
}

/// Number of listed instants.
const INSTANTS: usize = 10;
