//! Failures of provider calls and their texts for people.
//!
//! A dialect describes the failure ([`WireFailure`]: class, subject, the server's own words). This module builds the
//! message, with the destination (entry, address, model, key source) and the fix. Secrets are already scrubbed from
//! everything it sees.

use entracte_application::ports::{ContextWindow, ContextWindowSource, ProviderFailure};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use crate::sse::SseFrameFault;
use crate::text::shortened;

/// Subject of a failure; determines the suggested fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureSubject {
    /// No connection could be made.
    Network,
    /// No connection could be made through a proxy.
    Proxy,
    /// The server's certificate is not valid.
    Certificate,
    /// The answer broke off or never came.
    Cut,
    /// The API key.
    Key,
    /// The rights of the key.
    Permission,
    /// The name of the model.
    Model,
    /// The address of the server.
    Address,
    /// The request, or a setting in it.
    Request,
    /// The stored encoding of the conversation's requests.
    Encoding,
    /// The model refuses to summarize its reasoning.
    Summary,
    /// The server refuses the key that steers a request to its cache.
    CacheKey,
    /// The output limit that the request sets.
    OutputLimit,
    /// Credit, quota or a spend limit.
    Spend,
    /// Too many requests.
    Rate,
    /// The server is overloaded or has an internal error.
    Busy,
    /// The prompt is too long.
    Size,
    /// The content was refused.
    Content,
    /// A part of the request that can be dropped or rebuilt.
    Repair,
}

/// Failure of one provider call, as its dialect describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WireFailure {
    /// Failure class.
    pub(crate) class: FailureClass,
    /// Subject of the failure.
    pub(crate) about: FailureSubject,
    /// The HTTP status; `None` if there was none or it was 200.
    pub(crate) status: Option<u16>,
    /// The server's words, or this crate's.
    pub(crate) words: String,
    /// Delay that the server requested before the next attempt.
    pub(crate) retry_after: Option<Millis>,
    /// Tokens used by the failed answer.
    pub(crate) usage: Option<Box<Usage>>,
}

impl WireFailure {
    /// A failure in the middle of an answer, without a status.
    pub(crate) fn new((class, about): FailureClassification, words: impl Into<String>) -> Self {
        Self { class, about, status: None, words: words.into(), retry_after: None, usage: None }
    }

    /// A failure because the answer broke off: its closing event never came. The tokens of such an answer are unknown,
    /// even if its beginning reported some.
    pub(crate) fn cut() -> Self {
        Self::new((FailureClass::Lost, FailureSubject::Cut), "the stream ended before its closing event")
    }

    /// A failure because an event of a stream that began well cannot be read.
    pub(crate) fn garbled(error: impl std::fmt::Display) -> Self {
        let words = format!("an event of the stream cannot be read: {error}");
        Self::new((FailureClass::Lost, FailureSubject::Cut), words)
    }

    /// A failure because the answer does not fit the dialect.
    pub(crate) fn foreign(what: impl std::fmt::Display) -> Self {
        Self::new(
            (FailureClass::Misconfigured, FailureSubject::Address),
            format!("this is not an answer of the API: {what}"),
        )
    }

    /// Returns a failure if the answer is not UTF-8: it was damaged in transit. Parsers would ignore invalid bytes in
    /// skipped fields.
    pub(crate) fn require_utf8(body: &[u8]) -> Result<(), Self> {
        let damaged =
            |_| Self::new((FailureClass::Lost, FailureSubject::Cut), "the answer is not UTF-8 text");
        std::str::from_utf8(body).map(drop).map_err(damaged)
    }

    /// The failure of a stream that cannot be split into events.
    pub(crate) fn from_frame_fault(fault: SseFrameFault) -> Self {
        match fault {
            SseFrameFault::TooLarge { limit_bytes } => {
                Self::foreign(format!("one event is larger than {limit_bytes} bytes"))
            }
            SseFrameFault::NotText => Self::garbled("it is not UTF-8 text"),
        }
    }

    /// The failure of unreadable JSON: cut if it ends too early, foreign otherwise.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        if error.is_eof() { Self::cut() } else { Self::foreign(error) }
    }

    /// The failure with the token usage that the answer reported.
    pub(crate) fn with_usage(self, usage: Option<Usage>) -> Self {
        Self { usage: usage.map(Box::new), ..self }
    }
}

/// Class and subject of a failure.
pub(crate) type FailureClassification = (FailureClass, FailureSubject);

/// Classifies a status alone, for every dialect.
pub(crate) fn classify_status(status: u16) -> FailureClassification {
    match status {
        300..=399 | 404 | 405 => (FailureClass::Misconfigured, FailureSubject::Address),
        401 => (FailureClass::Misconfigured, FailureSubject::Key),
        402 => (FailureClass::Exhausted, FailureSubject::Spend),
        403 => (FailureClass::Misconfigured, FailureSubject::Permission),
        // 498 is Groq's “capacity exceeded”; a 409 does not recur at the next attempt.
        408 | 409 | 425 | 498 | 499 | 500.. => (FailureClass::Overloaded, FailureSubject::Busy),
        413 => (FailureClass::ContextTooLong, FailureSubject::Size),
        429 => (FailureClass::Throttled, FailureSubject::Rate),
        _ => (FailureClass::Misconfigured, FailureSubject::Request),
    }
}

/// Destination of a call, for failure messages.
#[derive(Clone, Debug)]
pub(crate) struct CallDestination {
    /// Name of the entry.
    pub(crate) entry: String,
    /// Name of the provider for people.
    pub(crate) display_name: &'static str,
    /// Base address of the server.
    pub(crate) base_url: String,
    /// Source of the key, for people.
    pub(crate) key: String,
    /// The requested model.
    pub(crate) model: String,
    /// Whether the address lacks the path in which servers of its API usually have the version.
    pub(crate) lacks_version: bool,
    /// The context window of the requested model.
    pub(crate) window: ContextWindow,
}

impl CallDestination {
    /// Converts the failure to the port's type.
    pub(crate) fn failure(&self, trouble: WireFailure) -> ProviderFailure {
        let words = shortened(trouble.words.trim().trim_end_matches('.'), WORDS_MAX_CHARS);
        let Self { entry, display_name, base_url, .. } = self;
        let did = describe_failure(&trouble);
        let fix = match (trouble.about, trouble.retry_after.map(format_span)) {
            (FailureSubject::Rate | FailureSubject::Busy, Some(Some(span))) => {
                format!("Try again in {span}.")
            }
            (about, _) => self.suggest_fix(about),
        };
        ProviderFailure {
            class: trouble.class,
            message: format!("{entry} ({display_name}, {base_url}) {did}: {words}. {fix}"),
            retry_after: trouble.retry_after,
            usage: trouble.usage,
        }
    }

    fn suggest_fix(&self, about: FailureSubject) -> String {
        let Self { entry, base_url, key, model, .. } = self;
        match about {
            FailureSubject::Network => format!(
                "Check the network; if the address is wrong, set providers.{entry}.base_url (now {base_url})."
            ),
            FailureSubject::Proxy => {
                "Check the proxy (HTTPS_PROXY, ALL_PROXY), or name the host in NO_PROXY.".to_owned()
            }
            FailureSubject::Summary => format!("Set providers.{entry}.reasoning_summary = false."),
            FailureSubject::CacheKey => format!("Set providers.{entry}.prompt_cache_key = false."),
            FailureSubject::Certificate => "Check the clock and the certificates of this machine.".to_owned(),
            FailureSubject::Cut => "It may have been billed; send the message again.".to_owned(),
            FailureSubject::Key => format!("Check the key: {key}."),
            FailureSubject::Permission => {
                format!(
                    "Check the permissions of the key ({key}), or choose another providers.{entry}.model."
                )
            }
            FailureSubject::Model => {
                format!("Set providers.{entry}.model to a model that it offers (now “{model}”).")
            }
            FailureSubject::Address if self.lacks_version => {
                format!("Check providers.{entry}.base_url (now {base_url}); most servers need {base_url}/v1.")
            }
            FailureSubject::Address => format!("Check providers.{entry}.base_url (now {base_url})."),
            FailureSubject::Request => {
                format!("Check the settings of providers.{entry}, its model (“{model}”) first.")
            }
            FailureSubject::OutputLimit => {
                format!(
                    "Set providers.{entry}.max_output_tokens to less than the context window of “{model}”."
                )
            }
            FailureSubject::Encoding => {
                format!("Start a new session, or set providers.{entry} back to what it was.")
            }
            FailureSubject::Spend => "Add credit or raise the limit at the provider, then resume.".to_owned(),
            FailureSubject::Rate | FailureSubject::Busy => "Try again later.".to_owned(),
            FailureSubject::Size => {
                let tokens = self.window.tokens;
                let known = match self.window.told {
                    ContextWindowSource::Setting => "as context_tokens says",
                    ContextWindowSource::Listing => "as the server says",
                    ContextWindowSource::Table => "as the table of models says",
                    ContextWindowSource::Guess => "a guess",
                };
                format!(
                    "Shorten the conversation; the window of “{model}” has {tokens} tokens ({known}): if it has less, set providers.{entry}.context_tokens."
                )
            }
            FailureSubject::Content => "Rephrase the message, or choose another model.".to_owned(),
            FailureSubject::Repair => "Send it again without the refused part.".to_owned(),
        }
    }
}

fn describe_failure(trouble: &WireFailure) -> String {
    match (trouble.status, trouble.about) {
        (Some(status), _) => format!("answered {status}"),
        (None, FailureSubject::Network | FailureSubject::Proxy) => "cannot be reached".to_owned(),
        (None, FailureSubject::Certificate) => "cannot be trusted".to_owned(),
        (None, FailureSubject::Cut) => "did not give a complete answer".to_owned(),
        (None, FailureSubject::Content) => "refused to answer".to_owned(),
        (None, FailureSubject::Key | FailureSubject::Encoding) => "was not asked".to_owned(),
        (None, _) => "failed".to_owned(),
    }
}

/// Formats a span for people, rounded up; `None` if it has passed.
fn format_span(span: Millis) -> Option<String> {
    const MINUTE: i64 = 60;
    let seconds = span.0.checked_add(999)?.checked_div(1000)?;
    match seconds {
        ..=0 => None,
        1..=90 => Some(format!("{seconds} s")),
        91..=7200 => Some(format!("{} min", (seconds + MINUTE - 1) / MINUTE)),
        _ => Some(format!("{} h", (seconds + 60 * MINUTE - 1) / (60 * MINUTE))),
    }
}

/// Most characters of a server's word for the end of an answer.
pub(crate) const REASON_MAX_CHARS: usize = 64;
const WORDS_MAX_CHARS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delay_is_in_message() {
        let place = CallDestination {
            entry: "x".into(),
            display_name: "X",
            base_url: "https://x".into(),
            key: "k".into(),
            model: "m".into(),
            lacks_version: false,
            window: ContextWindow::GUESS,
        };
        let said = |ms: Option<i64>| {
            let trouble = WireFailure::new((FailureClass::Throttled, FailureSubject::Rate), "slow down");
            place.failure(WireFailure { status: Some(429), retry_after: ms.map(Millis), ..trouble }).message
        };
        for (ms, expected) in [
            (Some(3_600_000), "slow down. Try again in 60 min."),
            (Some(1500), "slow down. Try again in 2 s."),
            (Some(90_001), "slow down. Try again in 2 min."),
            (Some(86_400_000), "slow down. Try again in 24 h."),
            (Some(0), "slow down. Try again later."),
            (None, "slow down. Try again later."),
        ] {
            let words = said(ms);
            assert!(words.ends_with(expected), "{words}");
        }
    }
}
