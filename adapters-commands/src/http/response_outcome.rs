//! Maps the response of an HTTP tool to the outcome of its call. Pure.

use std::time::Duration;

use entracte_application::json_value;
use entracte_application::ports::CallRequest;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::value::JsonValue;

use super::config::{HttpToolEffect, HttpToolKind};
use super::request_secrets::RequestSecrets;
use super::tool::HttpTool;
use crate::call_outcome::{failure, retryable, succeeded, texts as texts_of};
use crate::display_text::one_line;
use crate::egress::{EgressError, EgressResponse};
use crate::result_files::StoredResultFiles;

/// The most characters of an error body that are shown.
const ERROR_MAX_CHARS: usize = 2_000;
/// The wait before a call is sent once more, unless the server says another.
const RESEND_WAIT: Duration = Duration::from_secs(1);
const TOO_MANY_REQUESTS: u16 = 429;

/// A response that cannot be given to the model.
pub(super) struct ResponseRejection {
    pub(super) words: String,
    pub(super) path: Option<String>,
}

/// The outcome of a call, from the response to its request, and the file that the response was stored as.
pub(super) fn outcome(
    tool: &HttpTool,
    sent: Result<EgressResponse, EgressError>,
    brought: StoredResultFiles,
    secrets: &RequestSecrets,
    texts: &LocalizedTexts,
) -> CallOutcome {
    let outcome = match sent {
        Ok(answer) => answered(tool, &answer, brought, secrets, texts),
        Err(error) => unanswered(tool, &error, texts),
    };
    secrets.scrubbed_outcome(outcome)
}

/// The wait before a call is sent once more, because the server surely did nothing: it was not reached, or gets too many
/// requests. An approval covers one effect, so the second request needs no other.
pub(super) fn resend_wait(tool: &HttpTool, sent: &Result<EgressResponse, EgressError>) -> Option<Duration> {
    let wait = match sent {
        Ok(answer) if answer.status == TOO_MANY_REQUESTS && !answer.redirected => {
            let said = answer.header("retry-after").and_then(|said| said.trim().parse().ok());
            said.map_or(RESEND_WAIT, Duration::from_secs)
        }
        Err(error) if error.is_retryable() && !error.may_have_been_processed() => RESEND_WAIT,
        Ok(_) | Err(_) => return None,
    };
    tool.resend_max().filter(|most| wait <= *most).map(|_| wait)
}

fn answered(
    tool: &HttpTool,
    answer: &EgressResponse,
    brought: StoredResultFiles,
    secrets: &RequestSecrets,
    texts: &LocalizedTexts,
) -> CallOutcome {
    if !(200..300).contains(&answer.status) {
        return match tool.config.kind() {
            HttpToolKind::Action if is_lost(answer) => lost_outcome(tool, answer.status),
            HttpToolKind::Action | HttpToolKind::Query => refused(answer, secrets, texts),
        };
    }
    if !brought.files.is_empty() {
        let content = say!(texts, "tools-http-file", status = u32::from(answer.status));
        return brought.added_to(succeeded(content));
    }
    let content = match brought.refused.is_empty() {
        true => content(tool, answer, secrets, texts),
        false => Err(unusable(brought.refused.join("\n"))),
    };
    match content {
        Ok(content) => succeeded(content),
        Err(unusable) => match tool.config.kind() {
            HttpToolKind::Query => CallOutcome::Failed(CallFailure {
                path: unusable.path,
                ..failure("BAD_ANSWER", say!(texts, "tools-http-unusable", why = unusable.words))
            }),
            // The action was carried out; reporting it as failed would invite a repetition.
            HttpToolKind::Action => outcome_from_text(answer.status, unusable.words, texts),
        },
    }
}

fn outcome_from_text(status: u16, words: String, texts: &LocalizedTexts) -> CallOutcome {
    succeeded(say!(texts, "tools-http-done", status = u32::from(status), why = words))
}

/// The content for the model: compact JSON, or text.
fn content(
    tool: &HttpTool,
    answer: &EgressResponse,
    secrets: &RequestSecrets,
    texts: &LocalizedTexts,
) -> Result<String, ResponseRejection> {
    let text = secrets.scrubbed(text(answer, texts)?);
    let parsed = json_value::parse(&text);
    if let Some(schema) = &tool.result {
        let not_json =
            |fault: &json_value::JsonFault| say!(texts, "tools-http-not-json", why = fault.to_string());
        let value = parsed.as_ref().map_err(|fault| unusable(not_json(fault)))?;
        let faults = schema.faults(value, 1).map_err(|why| unusable(why.describe(texts)))?;
        if let Some(fault) = faults.into_iter().next() {
            let words = say!(texts, "tools-http-schema", path = &fault.path, why = fault.text);
            return Err(ResponseRejection { words, path: Some(fault.path) });
        }
    }
    let content = match parsed {
        Ok(value) => secrets.scrubbed(value.to_json()),
        Err(_) if text.is_empty() => say!(texts, "tools-http-empty", status = u32::from(answer.status)),
        // Its whole text is passed on, so that a repeated name hides nothing.
        Err(fault) if is_json(answer.header("content-type").unwrap_or_default()) => {
            let why = one_line(&fault.to_string());
            // The note stands at the end, where a long answer is cut.
            let text = shortened(text, tool.max_answer_chars(), texts);
            return Ok(say!(texts, "tools-http-odd-json", text = text, why = why));
        }
        Err(_) => text,
    };
    Ok(shortened(content, tool.max_answer_chars(), texts))
}

fn text(answer: &EgressResponse, texts: &LocalizedTexts) -> Result<String, ResponseRejection> {
    if is_encoded(answer) {
        let encoding = answer.header("content-encoding").unwrap_or_default();
        return Err(unusable(say!(texts, "tools-http-encoded", encoding = one_line(encoding))));
    }
    let media = answer.header("content-type").unwrap_or_default();
    let size = answer.body.len();
    if size > 0 && !is_text(media) {
        return Err(unusable(say!(texts, "tools-http-no-text", media = one_line(media), bytes = size)));
    }
    let body = answer.body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&answer.body);
    let text = std::str::from_utf8(body);
    text.map(str::to_owned)
        .map_err(|_| unusable(say!(texts, "tools-http-no-utf8", media = one_line(media), bytes = size)))
}

/// Whether the body is compressed.
pub(super) fn is_encoded(answer: &EgressResponse) -> bool {
    !answer.header("content-encoding").unwrap_or("identity").eq_ignore_ascii_case("identity")
}

/// Whether a media type is JSON.
fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media.split_once('/').is_some_and(|(_, kind)| kind == "json" || kind.ends_with("+json"))
}

/// Whether a media type is text. Without a media type the bytes decide.
pub(super) fn is_text(media: &str) -> bool {
    const OTHERS: [&str; 8] =
        ["json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-ndjson", "x-www-form-urlencoded"];
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.split_once('/') {
        None => media.is_empty(),
        Some(("text", _)) => true,
        Some((_, kind)) => OTHERS.contains(&kind) || kind.ends_with("+json") || kind.ends_with("+xml"),
    }
}

fn unusable(words: String) -> ResponseRejection {
    ResponseRejection { words, path: None }
}

/// Whether an error status leaves the outcome of an action unknown: a gateway without an answer does not know what
/// happened behind it (520 to 524 are Cloudflare's); after a redirect, the status is that of the next page, which
/// only displays something.
fn is_lost(answer: &EgressResponse) -> bool {
    answer.redirected || matches!(answer.status, 502 | 504 | 520..=524)
}

fn lost_outcome(tool: &HttpTool, status: u16) -> CallOutcome {
    tracing::warn!(
        command = tool.config.name,
        status,
        "the answer does not tell whether an action was carried out"
    );
    CallOutcome::Lost { found_by_start: None, lands_by: None }
}

/// The outcome of a response with an error status.
fn refused(answer: &EgressResponse, secrets: &RequestSecrets, texts: &LocalizedTexts) -> CallOutcome {
    let status = answer.status;
    let body = secrets.scrubbed(String::from_utf8_lossy(&answer.body).into_owned());
    let body = shortened(one_line(&body), ERROR_MAX_CHARS, texts);
    let mut words = say!(texts, "tools-http-status", status = u32::from(status));
    if let Some(when) = answer.header("retry-after") {
        words = say!(texts, "tools-http-retry", said = words, when = one_line(when));
    }
    if !body.trim().is_empty() {
        words = say!(texts, "tools-http-detail", said = words, detail = body.trim());
    }
    match status {
        408 | 429 | 500.. => retryable("HTTP_STATUS", words),
        _ => CallOutcome::Failed(failure("HTTP_STATUS", words)),
    }
}

fn unanswered(tool: &HttpTool, error: &EgressError, texts: &LocalizedTexts) -> CallOutcome {
    tracing::warn!(command = tool.config.name, %error, "an HTTP tool got no answer");
    match (tool.config.kind(), error) {
        (HttpToolKind::Action, EgressError::TooLarge { status, .. }) if (200..300).contains(status) => {
            outcome_from_text(*status, error.message(texts), texts)
        }
        (_, EgressError::TimedOut { sent: true, .. }) => CallOutcome::TimedOut,
        (HttpToolKind::Action, error) if error.may_have_been_processed() => {
            CallOutcome::Lost { found_by_start: None, lands_by: None }
        }
        (_, error) if error.is_retryable() => retryable("UNREACHABLE", error.message(texts)),
        (_, error) => CallOutcome::Failed(failure("NOT_CALLED", error.message(texts))),
    }
}

/// Interprets the response to a probe: whether the action happened.
pub(super) fn probe_outcome(
    tool: &HttpTool,
    sent: Result<EgressResponse, EgressError>,
    secrets: &RequestSecrets,
    call: &CallRequest,
) -> CallOutcome {
    let texts = texts_of(call);
    let lost = CallOutcome::Lost { found_by_start: None, lands_by: None };
    let (HttpToolEffect::Probe, Some(ask)) = (tool.config.effect(), &tool.config.ask) else { return lost };
    let Ok(answer) = sent else { return lost };
    let said = |happened, content: String| {
        secrets.scrubbed_outcome(CallOutcome::Probed {
            happened,
            digest: crate::call_outcome::digest(&content),
            content,
        })
    };
    if answer.status == 404 && ask.not_found_is_no {
        return said(Some(false), String::new());
    }
    let body = text(&answer, texts).ok().filter(|_| (200..300).contains(&answer.status));
    let Some(value) = body.and_then(|body| json_value::parse(&body).ok()) else { return lost };
    let wanted = match &ask.equals {
        serde_json::Value::String(text) if text == "{call.key}" => JsonValue::from(call.key.as_str()),
        other => json_value::from_serde(other),
    };
    let found = value.pointer(&ask.pointer);
    let happened = found.is_some_and(|found| json_value::are_equal(found, &wanted));
    let content =
        if happened { shortened(value.to_json(), tool.max_answer_chars(), texts) } else { String::new() };
    said(Some(happened), content)
}

/// The first `most` characters, and a note of how many are left out.
fn shortened(text: String, most: usize, texts: &LocalizedTexts) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((end, _)) => {
            let more = text.chars().count() - most;
            say!(texts, "tools-http-cut", text = &text[..end], more = more)
        }
    }
}
