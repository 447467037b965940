//! The latest lines of the log of the process.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::ProcessLogLine;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::admin::{ProcessLogLineShape, ProcessLogShape};

/// The levels of a log, the gravest first.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
/// The lines of an answer unless others are asked for.
const LINES: usize = 200;
/// The most lines of an answer.
const LINES_MAX: usize = 1_000;

/// Which lines of the log.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProcessLogQuery {
    /// Only lines that are at least as grave: `error`, `warn`, `info`, `debug` or `trace`.
    level: Option<String>,
    /// Only lines that contain this text, in any case.
    text: Option<String>,
    /// Only lines after the one of this number.
    after: Option<u64>,
    /// At most this many lines, the latest ones, 1 to 1,000; 200 unless given.
    limit: Option<usize>,
}

/// The latest lines of the log of the process, as it keeps them in memory (`log.recent_lines`), without secrets. To follow it, ask
/// for what comes `after` the `latest` number of the answer before.
#[utoipa::path(
    get,
    path = "/v1/admin/log",
    operation_id = "read_log",
    tag = "admin",
    params(ProcessLogQuery),
    responses((status = 200, body = ProcessLogShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn read_log(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    QueryParams(query): QueryParams<ProcessLogQuery>,
) -> JsonResult<ProcessLogShape> {
    let wanted = LineFilter::read(&query)?;
    // Scrubbed before it is searched: a search must not tell what a secret begins with.
    let scrubber = state.ports.secrets.scrubber(&[]);
    let lines = state.ports.operator.recent_log().into_iter();
    let lines: Vec<ProcessLogLine> =
        lines.map(|line| ProcessLogLine { text: scrubber.scrub_text(&line.text), ..line }).collect();
    Ok(JsonResponse(shape(&lines, &wanted)))
}

/// Which lines are wanted.
struct LineFilter {
    /// The place of the least grave level in [`LEVELS`].
    level: usize,
    /// In lower case.
    text: String,
    after: u64,
    limit: usize,
}

impl LineFilter {
    fn read(query: &ProcessLogQuery) -> Result<Self, Problem> {
        let place = |word: &str| LEVELS.iter().position(|level| *level == word);
        let level = match query.level.as_deref() {
            None | Some("") => Some(LEVELS.len() - 1),
            Some(word) => place(word),
        };
        let level = level.ok_or_else(|| invalid("level", "not one of error, warn, info, debug, trace"))?;
        let limit = query.limit.unwrap_or(LINES);
        if !(1..=LINES_MAX).contains(&limit) {
            return Err(invalid("limit", "give 1 to 1000"));
        }
        let text = query.text.as_deref().unwrap_or_default().to_lowercase();
        Ok(Self { level, text, after: query.after.unwrap_or(0), limit })
    }

    fn wants(&self, line: &ProcessLogLine) -> bool {
        let is_grave =
            LEVELS.iter().position(|level| *level == line.level).is_some_and(|at| at <= self.level);
        let contains = |text: &str| text.to_lowercase().contains(&self.text);
        line.number > self.after && is_grave && (contains(&line.text) || contains(&line.target))
    }
}

fn invalid(path: &str, says: &str) -> Problem {
    Problem::new(ProblemCode::Invalid, format!("{path}: {says}")).with_field(path, says)
}

/// The wanted lines, the latest ones if they are too many, and whether lines are missing before them.
fn shape(lines: &[ProcessLogLine], wanted: &LineFilter) -> ProcessLogShape {
    let first = lines.first().map_or(0, |line| line.number);
    let latest = lines.last().map_or(wanted.after, |line| line.number);
    let found: Vec<&ProcessLogLine> = lines.iter().filter(|line| wanted.wants(line)).collect();
    let skipped = found.len().saturating_sub(wanted.limit);
    ProcessLogShape {
        lines: found.into_iter().skip(skipped).map(ProcessLogLineShape::from).collect(),
        latest,
        is_cut: skipped > 0 || (wanted.after > 0 && first > wanted.after + 1),
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;

    fn line(number: u64, level: &str, text: &str) -> ProcessLogLine {
        let (level, target) = (level.to_owned(), "entracte_application::notifier".to_owned());
        ProcessLogLine { number, at: Timestamp(0), level, target, text: text.to_owned() }
    }

    /// Input: lines and a query; expected: the numbers of what it shows, and whether lines are missing.
    #[test]
    fn log_is_filtered_and_followed() {
        let lines = [
            line(5, "info", "begun"),
            line(6, "error", "The disk is full"),
            line(7, "warn", "a target cannot be read"),
        ];
        let shown = |query: ProcessLogQuery| {
            let shown = shape(&lines, &LineFilter::read(&query).unwrap());
            let numbers: Vec<u64> = shown.lines.iter().map(|line| line.number).collect();
            (numbers, shown.latest, shown.is_cut)
        };
        let usual = ProcessLogQuery::default;
        let level = |word: &str| ProcessLogQuery { level: Some(word.to_owned()), ..usual() };
        assert_eq!(shown(usual()), (vec![5, 6, 7], 7, false));
        assert_eq!(shown(level("warn")).0, [6, 7]);
        assert_eq!(shown(ProcessLogQuery { text: Some("DISK".into()), ..usual() }).0, [6]);
        assert_eq!(shown(ProcessLogQuery { text: Some("notifier".into()), ..usual() }).0, [5, 6, 7]);
        assert_eq!(shown(ProcessLogQuery { limit: Some(1), ..usual() }), (vec![7], 7, true));
        assert_eq!(shown(ProcessLogQuery { after: Some(6), ..usual() }), (vec![7], 7, false));
        assert_eq!(shown(ProcessLogQuery { after: Some(2), ..usual() }), (vec![5, 6, 7], 7, true));
        for wrong in [level("loud"), ProcessLogQuery { limit: Some(0), ..usual() }] {
            assert!(LineFilter::read(&wrong).is_err(), "{wrong:?}");
        }
    }
}
