//! The latest lines of the log of the process.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{ProcessLogLine, Scrubber, SecretScrubberFactory};
use entracte_application::texts::saying;
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
    let (operator, secrets) = (state.ports.operator.clone(), state.ports.secrets.clone());
    // To scrub the secrets, they are read, which may wait for a program.
    let read = move || shape(operator.recent_log(), &wanted, &*secrets);
    let shape = tokio::task::spawn_blocking(read).await;
    shape.map(JsonResponse).map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))
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
        let level = match query.level.as_deref() {
            None | Some("") => Some(LEVELS.len() - 1),
            Some(word) => level_place(word),
        };
        let level = level.ok_or_else(|| {
            Problem::invalid_field("level", saying!("refusal-log-level", words = LEVELS.join(", ")))
        })?;
        let limit = query.limit.unwrap_or(LINES);
        if !(1..=LINES_MAX).contains(&limit) {
            return Err(Problem::invalid_field("limit", saying!("refusal-log-lines", most = LINES_MAX)));
        }
        let text = query.text.as_deref().unwrap_or_default().to_lowercase();
        Ok(Self { level, text, after: query.after.unwrap_or(0), limit })
    }

    fn has_number_and_level(&self, line: &ProcessLogLine) -> bool {
        line.number > self.after && level_place(&line.level).is_some_and(|at| at <= self.level)
    }

    fn has_text(&self, line: &ProcessLogLine) -> bool {
        [&line.text, &line.target].into_iter().any(|text| text.to_lowercase().contains(&self.text))
    }
}

/// The place of a level in [`LEVELS`], if it is one.
fn level_place(word: &str) -> Option<usize> {
    LEVELS.iter().position(|level| *level == word)
}

/// The wanted lines without secrets, the latest ones if they are too many, and whether lines are missing before them.
fn shape(
    lines: Vec<ProcessLogLine>,
    wanted: &LineFilter,
    secrets: &dyn SecretScrubberFactory,
) -> ProcessLogShape {
    let first = lines.first().map_or(0, |line| line.number);
    let latest = lines.last().map_or(wanted.after, |line| line.number);
    let mut found: Vec<ProcessLogLine> =
        lines.into_iter().filter(|line| wanted.has_number_and_level(line)).collect();
    // Whoever follows a quiet log reads no secret for it.
    if !found.is_empty() {
        let scrubber = secrets.scrubber(&[]);
        // Scrubbed before it is searched: a search must not tell what a secret begins with.
        let scrubbed = found.into_iter().map(|line| scrub(&*scrubber, line));
        found = scrubbed.filter(|line| wanted.has_text(line)).collect();
    }
    let skipped = found.len().saturating_sub(wanted.limit);
    ProcessLogShape {
        lines: found.iter().skip(skipped).map(ProcessLogLineShape::from).collect(),
        latest,
        is_cut: skipped > 0 || (wanted.after > 0 && first > wanted.after.saturating_add(1)),
    }
}

/// A line without secrets. The end of one that was cut off may be the beginning of a secret, so it goes too.
fn scrub(scrubber: &dyn Scrubber, line: ProcessLogLine) -> ProcessLogLine {
    if !line.is_cut {
        return ProcessLogLine { text: scrubber.scrub_text(&line.text), ..line };
    }
    let whole = line.text.len().saturating_sub(scrubber.partial_secret_len(&line.text));
    let text = scrubber.scrub_text(line.text.get(..whole).unwrap_or_default());
    ProcessLogLine { text: format!("{text}…"), ..line }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::{NoopScrubber, SecretOwner};
    use entracte_domain::time::Timestamp;

    use super::*;

    /// Scrubs one secret.
    struct LogScrubber;

    impl Scrubber for LogScrubber {
        fn scrub_text(&self, text: &str) -> String {
            text.replace("canary", "[secret]")
        }

        fn partial_secret_len(&self, text: &str) -> usize {
            (1.."canary".len()).rev().find(|count| text.ends_with(&"canary"[..*count])).unwrap_or(0)
        }
    }

    impl SecretScrubberFactory for LogScrubber {
        fn scrubber(&self, _: &[SecretOwner]) -> Arc<dyn Scrubber> {
            Arc::new(Self)
        }
    }

    fn line(number: u64, level: &str, text: &str) -> ProcessLogLine {
        let (level, target) = (level.to_owned(), "entracte_application::notifier".to_owned());
        ProcessLogLine { number, at: Timestamp(0), level, target, text: text.to_owned(), is_cut: false }
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
            let shown = shape(lines.to_vec(), &LineFilter::read(&query).unwrap(), &NoopScrubber);
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

    /// Input: a line with a secret, and one that was cut off within it; expected: neither it nor its beginning is shown or
    /// found.
    #[test]
    fn log_shows_and_finds_no_part_of_a_secret() {
        let lines = [line(1, "warn", "key canary refused"), line(2, "warn", "key can")];
        let cut = |line: &ProcessLogLine| ProcessLogLine { is_cut: line.number == 2, ..line.clone() };
        let shown = |text: &str| {
            let query = ProcessLogQuery { text: Some(text.to_owned()), ..ProcessLogQuery::default() };
            let wanted = LineFilter::read(&query).unwrap();
            let shown = shape(lines.iter().map(cut).collect(), &wanted, &LogScrubber);
            shown.lines.into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(shown("key"), ["key [secret] refused", "key …"]);
        assert!(shown("can").is_empty());
    }
}
