//! The report of a long task by its server, in one shape for the answer of a dispatch, the answer of a poll, and a
//! callback. It is untrusted: its size is limited, the fields that decide are parsed strictly, and the rest is data
//! for a model.

use entracte_domain::keyword_enum::KeywordEnum;
use entracte_domain::task::{TaskOutcome, TaskState, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::JsonValue;

use crate::json_value;
use crate::system::sha256;
use crate::texts::{LocalizedMessage, saying};

/// A report about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskReport {
    /// The id of the task, if the report contains it.
    pub task: Option<String>,
    /// The kind of task, in the server's terms.
    pub task_type: Option<String>,
    /// The state of the task.
    pub status: TaskState,
    /// The progress, in words.
    pub progress: Option<String>,
    /// When it was completed, by the server's clock.
    pub completed_at: Option<Timestamp>,
    /// The result.
    pub result: Option<JsonValue>,
    /// Why it failed.
    pub error: Option<String>,
    /// The address for polling the state.
    pub status_url: Option<String>,
    /// The delay before the first poll.
    pub poll_after: Option<Millis>,
}

/// A fault in a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub enum ReportFault {
    /// The report is not valid JSON.
    NoJson(String),
    /// One field is invalid.
    Field {
        /// The path of the field.
        path: &'static str,
        /// The fault.
        says: LocalizedMessage,
    },
}

impl ReportFault {
    /// The fault, with its field.
    pub fn message(&self) -> LocalizedMessage {
        match self {
            Self::NoJson(why) => saying!("refusal-report-no-json", why = why),
            Self::Field { path, says } => saying!("refusal-field", path = *path, says = says.clone()),
        }
    }
}

/// The maximum number of stored characters of progress and error.
const TEXT_MAX: usize = 500;
/// The maximum length of a name.
const NAME_MAX: usize = 200;
/// The maximum length of an address.
const URL_MAX: usize = 2_000;
/// The maximum accepted delay before the first poll.
const POLL_AFTER_MAX: Millis = Millis::minutes(5);

impl TaskReport {
    /// Parses a report. Unknown fields are ignored, because servers may send more.
    ///
    /// # Errors
    /// The first fault, with its field.
    ///
    /// ```
    /// use entracte_application::task_report::TaskReport;
    /// use entracte_domain::task::TaskState;
    ///
    /// let body = br#"{"task_id": "tsk_7", "status": "completed", "result": {"summary": "15 invoices"}}"#;
    /// let report = TaskReport::parse(body)?;
    /// assert_eq!(report.status, TaskState::Completed);
    /// assert_eq!(report.content(), r#"{"summary":"15 invoices"}"#);
    /// # Ok::<(), entracte_application::task_report::ReportFault>(())
    /// ```
    pub fn parse(body: &[u8]) -> Result<Self, ReportFault> {
        let no_json = |says: String| ReportFault::NoJson(says);
        let text = std::str::from_utf8(body).map_err(|fault| no_json(fault.to_string()))?;
        Self::from_value(&json_value::parse(text).map_err(|fault| no_json(fault.to_string()))?)
    }

    /// Parses a JSON value.
    ///
    /// # Errors
    /// Same as [`TaskReport::parse`].
    pub fn from_value(said: &JsonValue) -> Result<Self, ReportFault> {
        if said.as_object().is_none() {
            return Err(fault("report", saying!("refusal-report-object")));
        }
        let status = text(said, "status", NAME_MAX)?
            .ok_or_else(|| fault("status", saying!("refusal-report-missing")))?;
        let unknown = || {
            let words = TaskState::WORDS.join(", ");
            fault("status", saying!("refusal-report-status", given = shown(&status), words = words))
        };
        let status = TaskState::from_word(&status).ok_or_else(unknown)?;
        let report = Self {
            task: text(said, "task_id", NAME_MAX)?,
            task_type: text(said, "task_type", NAME_MAX)?,
            status,
            progress: text(said, "progress", usize::MAX)?.map(|text| shortened(&text)),
            completed_at: instant(said, "completed_at")?,
            result: object(said, "result")?,
            error: error(said)?,
            status_url: text(said, "status_url", URL_MAX)?,
            poll_after: seconds(said, "poll_after_s")?,
        };
        instant(said, "created_at")?;
        Ok(report)
    }

    /// The content for the model: the result as received, without spaces, or why there is none.
    pub fn content(&self) -> String {
        match (&self.result, &self.error) {
            (Some(result), None) => result.to_json(),
            (Some(result), Some(error)) => {
                let both = [("error", JsonValue::Text(error.clone())), ("result", result.clone())];
                JsonValue::Object(both.map(|(name, value)| (name.to_owned(), value)).into()).to_json()
            }
            (None, Some(error)) => error.clone(),
            (None, None) => String::new(),
        }
    }

    /// The outcome of the task; `None` if it continues.
    pub fn outcome(&self) -> Option<TaskOutcome> {
        match self.status {
            TaskState::Registered | TaskState::Dispatched | TaskState::Running => None,
            TaskState::Completed => Some(TaskOutcome::Completed),
            // The server's time limit ended, so the task failed; only our own limit makes it expire.
            TaskState::Failed | TaskState::Expired => Some(TaskOutcome::Failed),
            TaskState::Cancelled => Some(TaskOutcome::Cancelled),
        }
    }

    /// The update of the task, with the time `at` if known.
    pub fn arrival(&self, at: Option<Timestamp>) -> TaskUpdate {
        match self.outcome() {
            None => TaskUpdate::Progress {
                text: self.progress.clone().unwrap_or_default(),
                at,
                poll_after: self.poll_after,
            },
            Some(outcome) => {
                let content = self.content();
                TaskUpdate::Final { outcome, digest: sha256(content.as_bytes()), content }
            }
        }
    }
}

fn fault(path: &'static str, says: LocalizedMessage) -> ReportFault {
    ReportFault::Field { path, says }
}

/// A member; null is treated as missing.
fn member<'a>(said: &'a JsonValue, path: &'static str) -> Option<&'a JsonValue> {
    said.get(path).filter(|value| **value != JsonValue::Null)
}

fn text(said: &JsonValue, path: &'static str, most: usize) -> Result<Option<String>, ReportFault> {
    let Some(value) = member(said, path) else { return Ok(None) };
    let text = value.as_text().ok_or_else(|| fault(path, saying!("refusal-report-text")))?;
    if text.chars().count() > most {
        return Err(fault(path, saying!("refusal-report-long", most = most)));
    }
    Ok(Some(text.to_owned()))
}

fn object(said: &JsonValue, path: &'static str) -> Result<Option<JsonValue>, ReportFault> {
    let Some(value) = member(said, path) else { return Ok(None) };
    if value.as_object().is_none() {
        let form = r#"{"summary": "…", "data": {}}"#;
        return Err(fault(path, saying!("refusal-report-result", form = form)));
    }
    Ok(Some(value.clone()))
}

/// Why it failed: a text, or an object with a `message`.
fn error(said: &JsonValue) -> Result<Option<String>, ReportFault> {
    let Some(value) = member(said, "error") else { return Ok(None) };
    let message = value.as_text().or_else(|| value.get("message").and_then(JsonValue::as_text));
    let message = message.ok_or_else(|| fault("error", saying!("refusal-report-error")))?;
    Ok(Some(shortened(message)))
}

fn instant(said: &JsonValue, path: &'static str) -> Result<Option<Timestamp>, ReportFault> {
    let Some(given) = text(said, path, NAME_MAX)? else { return Ok(None) };
    let read = given.parse::<jiff::Timestamp>();
    let read = read.map_err(|_| fault(path, saying!("refusal-report-instant", given = shown(&given))))?;
    Ok(Some(Timestamp(read.as_microsecond())))
}

/// A requested delay; an invalid or excessive one is no reason to reject a task.
fn seconds(said: &JsonValue, path: &'static str) -> Result<Option<Millis>, ReportFault> {
    let Some(value) = member(said, path) else { return Ok(None) };
    let JsonValue::Number(number) = value else { return Err(fault(path, saying!("refusal-report-seconds"))) };
    let whole = number.split(['.', 'e', 'E']).next().unwrap_or_default().parse::<i64>();
    let whole = whole.unwrap_or(i64::MAX / 1_000).clamp(0, POLL_AFTER_MAX.0 / 1_000);
    Ok(Some(Millis::seconds(whole)))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &str) {
        let said = match TaskReport::parse(body.as_bytes()) {
            Ok(report) => format!("{} {}", report.status.word(), report.content()).trim_end().to_owned(),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(said, expected, "{body}");
    }

    #[test]
    fn report_has_state_and_result_of_task() {
        check(r#"{"status":"running","progress":"3 of 15","more":[1]}"#, "running");
        check(
            r#"{"status":"completed","result":{"summary":"15","processed_items":15.0,"data":{}}}"#,
            r#"completed {"summary":"15","processed_items":15.0,"data":{}}"#,
        );
        check(r#"{"status":"failed","error":{"code":7,"message":"no access"}}"#, "failed no access");
        check(
            r#"{"status":"failed","error":"no","result":{"data":1}}"#,
            r#"failed {"error":"no","result":{"data":1}}"#,
        );
        check(r#"{"status":"cancelled","result":null}"#, "cancelled");
    }

    #[test]
    fn invalid_report_is_refused_with_field() {
        check("[]", "report: it must be an object");
        check(r#"{"task_id":"tsk_1"}"#, "status: it is missing");
        let words = "registered, dispatched, running, completed, failed, cancelled, expired";
        check(r#"{"status":"done"}"#, &format!("status: “done” is not one of: {words}"));
        check(r#"{"status":1}"#, "status: it must be a text");
        check(r#"{"status":"failed","error":[]}"#, "error: it must be a text, or an object with a message");
        check(
            r#"{"status":"completed","result":"15"}"#,
            r#"result: it must be an object, such as {"summary": "…", "data": {}}"#,
        );
        check(
            r#"{"status":"completed","completed_at":"yesterday"}"#,
            "completed_at: “yesterday” is not an instant such as 2026-11-22T10:30:00Z",
        );
        check(r#"{"status":"running","poll_after_s":"30"}"#, "poll_after_s: it must be a number of seconds");
        assert!(matches!(TaskReport::parse(b"\xff"), Err(ReportFault::NoJson(_))));
        assert!(matches!(TaskReport::parse(br#"{"status":"running""#), Err(ReportFault::NoJson(_))));
        assert!(matches!(
            TaskReport::parse(br#"{"status":"running","status":"failed"}"#),
            Err(ReportFault::NoJson(_))
        ));
    }

    #[test]
    fn poll_delay_is_bounded_and_texts_truncated() {
        let wait = |number: &str| {
            let body = format!(r#"{{"status":"running","poll_after_s":{number}}}"#);
            TaskReport::parse(body.as_bytes()).unwrap().poll_after
        };
        assert_eq!(wait("30"), Some(Millis::seconds(30)));
        assert_eq!(wait("2.5"), Some(Millis::seconds(2)));
        assert_eq!(wait("-1"), Some(Millis(0)));
        assert_eq!(wait("99999999999999999999"), Some(Millis::minutes(5)));
        let long = format!(r#"{{"status":"running","progress":"{}"}}"#, "é".repeat(600));
        let progress = TaskReport::parse(long.as_bytes()).unwrap().progress.unwrap();
        assert_eq!(progress.chars().count(), 501);
    }
}
