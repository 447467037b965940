//! What an answer says, in the words of the port. Pure.

use entracte_application::json;
use entracte_domain::command::{CallOutcome, Failure};

use super::config::{HttpToolEffect, HttpToolKind};
use super::secrets::Secrets;
use super::tool::Tool;
use crate::answer::{failure, retryable, succeeded};
use crate::egress::{EgressAnswer, EgressError};
use crate::sentence::one_line;

/// The most characters of an error's body that are shown.
const ERROR_MAX_CHARS: usize = 2_000;

/// An answer that cannot be given to the model.
pub(super) struct Unusable {
    pub(super) words: String,
    pub(super) path: Option<String>,
}

/// What became of a request.
pub(super) fn outcome(
    tool: &Tool,
    sent: Result<EgressAnswer, EgressError>,
    secrets: &Secrets,
) -> CallOutcome {
    let outcome = match sent {
        Ok(answer) => answered(tool, &answer, secrets),
        Err(error) => unanswered(tool, &error),
    };
    secrets.scrubbed_outcome(outcome)
}

fn answered(tool: &Tool, answer: &EgressAnswer, secrets: &Secrets) -> CallOutcome {
    if !(200..300).contains(&answer.status) {
        return refused(tool, answer, secrets);
    }
    match content(tool, answer, secrets) {
        Ok(content) => succeeded(content),
        Err(unusable) => match tool.config.kind() {
            HttpToolKind::Query => CallOutcome::Failed(Failure {
                path: unusable.path,
                ..failure("BAD_ANSWER", format!("the answer cannot be used: {}", unusable.words))
            }),
            // It was done; to call it failed would invite a second time.
            HttpToolKind::Action => done(answer.status, &unusable.words),
        },
    }
}

fn done(status: u16, words: &str) -> CallOutcome {
    succeeded(format!("It was done (status {status}), but its answer cannot be shown: {words}"))
}

/// What the model reads of an answer: JSON without spaces, or text.
pub(super) fn content(tool: &Tool, answer: &EgressAnswer, secrets: &Secrets) -> Result<String, Unusable> {
    let text = secrets.scrubbed(text(answer)?);
    let parsed = json::parse(&text);
    if let Some(validator) = &tool.result {
        let value = parsed.as_ref().map_err(|fault| unusable(format!("it is no JSON: {fault}")))?;
        if let Some(fault) = validator.iter_errors(&json::to_serde(value)).next() {
            let path = fault.instance_path().to_string();
            let words = format!("it does not fit the schema of the result, at “{path}”: {fault}");
            return Err(Unusable { words, path: Some(path) });
        }
    }
    let content = match parsed {
        Ok(value) => secrets.scrubbed(value.to_json()),
        Err(_) if text.is_empty() => format!("status {}, no content", answer.status),
        Err(_) => text,
    };
    Ok(shortened(content, tool.max_answer_chars()))
}

fn text(answer: &EgressAnswer) -> Result<String, Unusable> {
    let encoding = answer.header("content-encoding").unwrap_or("identity");
    if !encoding.eq_ignore_ascii_case("identity") {
        return Err(unusable(format!("it is packed with “{}”", one_line(encoding))));
    }
    let media = answer.header("content-type").unwrap_or_default();
    let size = answer.body.len();
    if size > 0 && !is_text(media) {
        return Err(unusable(format!("it is “{}” ({size} bytes), and no text", one_line(media))));
    }
    let body = answer.body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&answer.body);
    let text = std::str::from_utf8(body);
    text.map(str::to_owned)
        .map_err(|_| unusable(format!("it is “{}” ({size} bytes), and no UTF-8", one_line(media))))
}

/// Whether a media type is text; no type at all may be, and its bytes tell.
fn is_text(media: &str) -> bool {
    const OTHERS: [&str; 8] =
        ["json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-ndjson", "x-www-form-urlencoded"];
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.split_once('/') {
        None => media.is_empty(),
        Some(("text", _)) => true,
        Some((_, kind)) => OTHERS.contains(&kind) || kind.ends_with("+json") || kind.ends_with("+xml"),
    }
}

fn unusable(words: String) -> Unusable {
    Unusable { words, path: None }
}

/// An answer that says no. A gateway that got no answer knows nothing of what happened behind it.
fn refused(tool: &Tool, answer: &EgressAnswer, secrets: &Secrets) -> CallOutcome {
    let status = answer.status;
    let nobody_knows = matches!(status, 502 | 504);
    if nobody_knows && tool.config.kind() == HttpToolKind::Action {
        tracing::warn!(command = tool.config.name, status, "a gateway lost the answer of an action");
        return CallOutcome::Lost { found_by_start: None };
    }
    let later =
        answer.header("retry-after").map(|when| format!(" (it says: try again after {})", one_line(when)));
    let body = secrets.scrubbed(String::from_utf8_lossy(&answer.body).into_owned());
    let body = shortened(one_line(&body), ERROR_MAX_CHARS);
    let about = if body.trim().is_empty() { String::new() } else { format!(": {}", body.trim()) };
    let words = format!("the answer has status {status}{}{about}", later.unwrap_or_default());
    match status {
        408 | 429 | 500.. => retryable("HTTP_STATUS", words),
        _ => CallOutcome::Failed(failure("HTTP_STATUS", words)),
    }
}

fn unanswered(tool: &Tool, error: &EgressError) -> CallOutcome {
    tracing::warn!(command = tool.config.name, %error, "an HTTP tool got no answer");
    match (tool.config.kind(), error) {
        (HttpToolKind::Action, EgressError::TooLarge { status, .. }) if (200..300).contains(status) => {
            done(*status, &error.to_string())
        }
        (_, EgressError::TimedOut { sent: true, .. }) => CallOutcome::TimedOut,
        (HttpToolKind::Action, error) if error.may_have_happened() => {
            CallOutcome::Lost { found_by_start: None }
        }
        (_, error) if error.may_pass() => retryable("UNREACHABLE", error.to_string()),
        (_, error) => CallOutcome::Failed(failure("NOT_CALLED", error.to_string())),
    }
}

/// What the answer to "did it happen?" says.
pub(super) fn probed(
    tool: &Tool,
    sent: Result<EgressAnswer, EgressError>,
    secrets: &Secrets,
    key: &str,
) -> CallOutcome {
    let lost = CallOutcome::Lost { found_by_start: None };
    let (HttpToolEffect::Probe, Some(ask)) = (tool.config.effect(), &tool.config.ask) else { return lost };
    let Ok(answer) = sent else { return lost };
    let said = |happened, content: String| {
        secrets.scrubbed_outcome(CallOutcome::Probed {
            happened,
            digest: crate::answer::digest(&content),
            content,
        })
    };
    if answer.status == 404 && ask.not_found_is_no {
        return said(Some(false), String::new());
    }
    let body = text(&answer).ok().filter(|_| (200..300).contains(&answer.status));
    let Some(value) = body.and_then(|body| json::parse(&body).ok()) else { return lost };
    let wanted = match &ask.equals {
        serde_json::Value::String(text) if text == "{call.key}" => serde_json::Value::from(key),
        other => other.clone(),
    };
    let happened = json::to_serde(&value).pointer(&ask.pointer) == Some(&wanted);
    let content = if happened { shortened(value.to_json(), tool.max_answer_chars()) } else { String::new() };
    said(Some(happened), content)
}

/// The first characters, and how many more there were.
fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((end, _)) => {
            let more = text.chars().count() - most;
            format!("{}… ({more} more characters were cut off)", &text[..end])
        }
    }
}
