//! Error responses: `application/problem+json`, with a machine-readable code.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use entracte_application::ports::{MailPostError, StoreError, StoreOutage};
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{Language, LocalizedMessage, LocalizedTexts, RefusalText, saying};
use entracte_application::use_cases::UseCaseError;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

/// The media type of problems.
pub const MEDIA_TYPE: &str = "application/problem+json";

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:literal;)*) => {
        /// Code of a problem. Existing codes never change their meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProblemCode { $($(#[$doc])* $name,)* }

        impl ProblemCode {
            /// All codes.
            pub const ALL: &[ProblemCode] = &[$(ProblemCode::$name,)*];

            /// The machine-readable word.
            pub const fn word(self) -> &'static str {
                match self { $(ProblemCode::$name => $word,)* }
            }

            /// The code of a word; `None` if a later version made it.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.word() == word)
            }

            /// The HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(ProblemCode::$name => $status,)* }
            }
        }
    };
}

codes! {
    /// The request cannot be read.
    Malformed = "malformed", 400;
    /// The cursor belongs to another list, or to none.
    CursorInvalid = "cursor-invalid", 400;
    /// The request has no valid token.
    Unauthorized = "unauthorized", 401;
    /// The token lacks a scope.
    ScopeMissing = "scope-missing", 403;
    /// Another person must approve.
    FourEyes = "four-eyes", 403;
    /// A token of another person needs their consent.
    ConsentNeeded = "consent-needed", 403;
    /// The request names a host that is not this server.
    HostRefused = "host-refused", 403;
    /// The request comes from a page that is not this server's.
    OriginRefused = "origin-refused", 403;
    /// The resource is for one person, who is not logged in here.
    LoginNeeded = "login-needed", 403;
    /// A person refused the login of a terminal.
    LoginRefused = "login-refused", 403;
    /// The resource does not exist.
    NotFound = "not-found", 404;
    /// The path does not support the method.
    MethodNotAllowed = "method-not-allowed", 405;
    /// The state no longer allows the request: another decision came first, or the resource has ended.
    Conflict = "conflict", 409;
    /// The approval already has another decision.
    AlreadyDecided = "already-decided", 409;
    /// Another person holds it against the retention policy.
    AlreadyHeld = "already-held", 409;
    /// The approval is no longer pending.
    Ended = "ended", 409;
    /// The request does not apply to the current state.
    NotApplicable = "not-applicable", 409;
    /// A request under this key is in progress.
    IdempotencyInProgress = "idempotency-in-progress", 409;
    /// The link was used or has expired.
    LinkSpent = "link-spent", 410;
    /// The resource has changed since it was read.
    Changed = "changed", 412;
    /// The body is too large.
    TooLarge = "too-large", 413;
    /// The body is not JSON.
    MediaType = "media-type", 415;
    /// The request is not valid.
    Invalid = "invalid", 422;
    /// The key was used for another request.
    IdempotencyMismatch = "idempotency-mismatch", 422;
    /// A change needs `If-Match`.
    PreconditionRequired = "precondition-required", 428;
    /// Too many requests, or too many invalid tokens.
    RateLimited = "rate-limited", 429;
    /// Too many streams are open.
    TooManyStreams = "too-many-streams", 429;
    /// A fault of the server.
    Internal = "internal", 500;
    /// The owner of the database did not accept the request.
    NotTaken = "not-taken", 503;
    /// The database cannot be used.
    DatabaseUnavailable = "database-unavailable", 503;
    /// Too many documents wait to be read.
    ReadersBusy = "readers-busy", 503;
    /// The server is shutting down.
    ShuttingDown = "shutting-down", 503;
}

impl ProblemCode {
    /// The title in a language, the same for every problem of the code.
    pub fn title(self, texts: &LocalizedTexts) -> String {
        texts.render(&format!("problem-{}", self.word()), &[])
    }
}

/// One field of a request that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldFault {
    /// Where: `scopes[0]`.
    pub path: String,
    /// What is wrong with it.
    pub says: String,
}

/// The body of a problem.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// `urn:entracte:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same for every problem of the code, in the language of the reader.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What programs match on.
    pub code: &'static str,
    /// What is wrong this time, and how to fix it.
    pub detail: String,
    /// Which request it was; logs name it too.
    pub request_id: String,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldFault>,
    /// How it stands now: the new card, the first decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub current: Option<Box<RawValue>>,
}

/// Error response to a request.
#[derive(Clone, Debug)]
pub struct Problem(Box<ProblemDetails>);

#[derive(Clone, Debug)]
struct ProblemDetails {
    code: ProblemCode,
    /// The language of its title.
    language: Language,
    detail: RefusalText,
    /// The wrong fields by their paths.
    fields: Vec<(String, RefusalText)>,
    current: Option<Box<RawValue>>,
    retry_after: Option<u64>,
    /// What failed, for callers in this process; no answer contains it.
    cause: Option<Arc<UseCaseError>>,
}

/// The parts of a problem in an answer that a client reads.
#[derive(Debug, Deserialize)]
struct ReceivedProblem {
    code: String,
    detail: String,
    #[serde(default)]
    fields: Vec<FieldFault>,
    #[serde(default)]
    current: Option<Box<RawValue>>,
}

impl Problem {
    /// A problem of this code.
    pub fn new(code: ProblemCode, detail: impl Into<RefusalText>) -> Self {
        let (detail, fields, current) = (detail.into(), Vec::new(), None);
        let (language, retry_after, cause) = (Language::default(), None, None);
        Self(Box::new(ProblemDetails { code, language, detail, fields, current, retry_after, cause }))
    }

    /// A problem of one invalid field: its detail names the field, and says the same.
    pub fn invalid_field(path: &str, says: impl Into<RefusalText>) -> Self {
        let says = says.into();
        let detail = saying!("refusal-field", path = path, says = &says);
        Self::new(ProblemCode::Invalid, detail).with_field(path, says)
    }

    /// A problem of a field whose word is none of these.
    pub(crate) fn unknown_word(path: &str, given: &str, words: &[&str]) -> Self {
        let says = saying!("refusal-none-of", given = one_line(given), words = words.join(", "));
        Self::invalid_field(path, says)
    }

    /// The problem in the body of an answer with this status; `None` if it is none. A code of a later version counts as
    /// the one that stands for the status.
    pub(crate) fn from_body(status: StatusCode, body: &[u8]) -> Option<Self> {
        let received: ReceivedProblem = serde_json::from_slice(body).ok()?;
        let code = ProblemCode::from_word(&received.code).unwrap_or_else(|| Self::from_status(status).code());
        let mut problem = Self::new(code, received.detail);
        let fields = received.fields.into_iter().map(|FieldFault { path, says }| (path, says.into()));
        (problem.0.fields, problem.0.current) = (fields.collect(), received.current);
        Some(problem)
    }

    fn with_cause(mut self, cause: UseCaseError) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// What failed inside of this process: the request itself, the store, or stored data. `None` for every refusal
    /// that [`detail`](Self::detail) explains whole, and for a problem that came over HTTP.
    pub fn cause(&self) -> Option<&UseCaseError> {
        self.0.cause.as_deref()
    }

    /// Adds an invalid field.
    #[must_use]
    pub fn with_field(mut self, path: &str, says: impl Into<RefusalText>) -> Self {
        self.0.fields.push((path.to_owned(), says.into()));
        self
    }

    /// Adds the current state, with all digits of its numbers; a shape that is not JSON is left out.
    #[must_use]
    pub fn with_current(mut self, current: &impl Serialize) -> Self {
        self.0.current = to_raw_value(current).ok();
        self
    }

    /// Removes the current state, for a token without `read`. The person who decided first stays, because a decision's
    /// answer contains that anyway.
    #[must_use]
    pub(crate) fn without_data(mut self) -> Self {
        if !matches!(self.0.code, ProblemCode::AlreadyDecided | ProblemCode::Ended) {
            self.0.current = None;
        }
        self
    }

    /// Adds the seconds until a retry may succeed.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Renders the texts in a language; details without their message stay as they are.
    #[must_use]
    pub(crate) fn localize(mut self, texts: &LocalizedTexts) -> Self {
        self.0.language = texts.language();
        self.0.detail = self.0.detail.into_rendered(texts);
        for (_, says) in &mut self.0.fields {
            *says = says.clone().into_rendered(texts);
        }
        self
    }

    /// The code of the problem.
    pub fn code(&self) -> ProblemCode {
        self.0.code
    }

    /// The specific error, and its fix.
    pub fn detail(&self) -> &RefusalText {
        &self.0.detail
    }

    /// The current state as JSON text, if added.
    pub fn current(&self) -> Option<&RawValue> {
        self.0.current.as_deref()
    }

    /// The problem for an error response without one, by its status.
    pub fn from_status(status: StatusCode) -> Self {
        match status.as_u16() {
            404 => Self::new(ProblemCode::NotFound, saying!("refusal-no-path")),
            405 => Self::new(ProblemCode::MethodNotAllowed, saying!("refusal-other-methods")),
            413 => Self::new(ProblemCode::TooLarge, saying!("refusal-body-large")),
            415 => Self::new(ProblemCode::MediaType, saying!("refusal-body-media")),
            400..=499 => Self::new(ProblemCode::Malformed, saying!("refusal-unreadable")),
            _ => Self::new(ProblemCode::Internal, saying!("refusal-internal")),
        }
    }

    /// Converts to an HTTP response.
    pub fn into_http_response(self, request_id: &str) -> Response {
        let ProblemDetails { code, language, detail, fields, current, retry_after, cause: _ } = *self.0;
        let body = ProblemBody {
            kind: format!("urn:entracte:problem:{}", code.word()),
            title: code.title(LocalizedTexts::for_language(language)),
            status: code.status(),
            code: code.word(),
            detail: detail.into(),
            request_id: request_id.to_owned(),
            fields: fields.into_iter().map(|(path, says)| FieldFault { path, says: says.into() }).collect(),
            current,
        };
        let text = serde_json::to_vec(&body).unwrap_or_default();
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, text).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if code == ProblemCode::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Attached to an empty response; the body is written once the request id is known.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        UseCaseError::Store(error).into()
    }
}

impl From<UseCaseError> for Problem {
    fn from(error: UseCaseError) -> Self {
        match error {
            UseCaseError::NotFound(text) => Self::new(ProblemCode::NotFound, text),
            UseCaseError::Conflict(text) => Self::new(ProblemCode::Conflict, text),
            UseCaseError::Invalid(text) => Self::new(ProblemCode::Invalid, text),
            UseCaseError::FourEyes(text) => Self::new(ProblemCode::FourEyes, text),
            UseCaseError::NeedsConsent(text) => Self::new(ProblemCode::ConsentNeeded, text),
            UseCaseError::NeedsApprove(text) => Self::new(ProblemCode::ScopeMissing, text),
            UseCaseError::NotApplicable(text) => Self::new(ProblemCode::NotApplicable, text),
            UseCaseError::ReadersBusy(text) => readers_busy(text),
            UseCaseError::KeyReused(text) => Self::new(ProblemCode::IdempotencyMismatch, text),
            UseCaseError::Post(MailPostError::NotTaken { seconds }) => {
                let text = saying!("post-not-taken", seconds = seconds.to_string());
                temporary(ProblemCode::NotTaken, text, error)
            }
            UseCaseError::Post(MailPostError::NotOwner) => {
                temporary(ProblemCode::NotTaken, saying!("post-not-owner"), error)
            }
            UseCaseError::Post(MailPostError::Unavailable(ref why)) => {
                let text = saying!("post-uncertain", why = why);
                temporary(ProblemCode::DatabaseUnavailable, text, error)
            }
            UseCaseError::Post(MailPostError::Store(StoreError::Unavailable(ref outage))) => {
                let text = saying!("post-unavailable", why = unavailable(outage));
                temporary(ProblemCode::DatabaseUnavailable, text, error)
            }
            UseCaseError::Store(StoreError::Unavailable(ref outage)) => {
                let text = unavailable(outage);
                temporary(ProblemCode::DatabaseUnavailable, text, error)
            }
            // New variants may be added; unknown ones are internal errors, whose details are hidden.
            other => internal(&other).with_cause(other),
        }
    }
}

/// A problem that may be over in a moment.
fn temporary(code: ProblemCode, text: LocalizedMessage, error: UseCaseError) -> Problem {
    Problem::new(code, text).with_retry_after(1).with_cause(error)
}

/// The problem of a document or an image that finds no reader.
pub(crate) fn readers_busy(detail: RefusalText) -> Problem {
    Problem::new(ProblemCode::ReadersBusy, detail).with_retry_after(READERS_BUSY_SECONDS)
}

/// The seconds after which a document or an image that found no reader may be sent again.
const READERS_BUSY_SECONDS: u64 = 5;

/// Why the database cannot be used now.
fn unavailable(outage: &StoreOutage) -> LocalizedMessage {
    saying!("store-unavailable", outage = outage.saying())
}

/// A problem without details; the error is only logged.
fn internal(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "a request met damage");
    Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_with_error_status() {
        let words: BTreeSet<&str> = ProblemCode::ALL.iter().map(|code| code.word()).collect();
        assert_eq!(words.len(), ProblemCode::ALL.len());
        assert!(ProblemCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }

    #[test]
    fn every_code_has_title_in_each_language() {
        let titles = |language| {
            let texts = LocalizedTexts::for_language(language);
            ProblemCode::ALL.iter().map(|code| code.title(texts)).collect::<BTreeSet<String>>()
        };
        let (english, french) = (titles(Language::En), titles(Language::Fr));
        assert_eq!((english.len(), french.len()), (ProblemCode::ALL.len(), ProblemCode::ALL.len()));
        assert!(english.is_disjoint(&french));
    }

    #[test]
    fn every_use_case_error_has_code() {
        let text = || RefusalText::from("x");
        let cases = [
            (UseCaseError::NotFound(text()), ProblemCode::NotFound),
            (UseCaseError::Conflict(text()), ProblemCode::Conflict),
            (UseCaseError::Invalid(text()), ProblemCode::Invalid),
            (UseCaseError::FourEyes(text()), ProblemCode::FourEyes),
            (UseCaseError::NeedsConsent(text()), ProblemCode::ConsentNeeded),
            (UseCaseError::NeedsApprove(text()), ProblemCode::ScopeMissing),
            (UseCaseError::NotApplicable(text()), ProblemCode::NotApplicable),
            (UseCaseError::ReadersBusy(text()), ProblemCode::ReadersBusy),
            (UseCaseError::KeyReused(text()), ProblemCode::IdempotencyMismatch),
            (UseCaseError::Post(MailPostError::NotTaken { seconds: 3 }), ProblemCode::NotTaken),
            (UseCaseError::Post(MailPostError::NotOwner), ProblemCode::NotTaken),
            (UseCaseError::Post(MailPostError::Unavailable("x".into())), ProblemCode::DatabaseUnavailable),
            (UseCaseError::Store(StoreError::Unavailable("disk".into())), ProblemCode::DatabaseUnavailable),
            (UseCaseError::Store(StoreError::Inconsistent("x".into())), ProblemCode::Internal),
        ];
        for (error, expected) in cases {
            assert_eq!(Problem::from(error).code(), expected);
        }
    }

    /// Input: a wrong field and two errors that may be over in a moment; expected: their details in each language.
    #[test]
    fn details_are_worded_for_the_reader() {
        let unreachable = || StoreError::Unavailable("no route".into());
        let cases = [
            (
                Problem::invalid_field("expires_at", saying!("refusal-webhook-key")),
                "expires_at: a webhook needs the key of its signature",
                "expires_at\u{a0}: un webhook a besoin de la clé de sa signature",
            ),
            (
                UseCaseError::Post(MailPostError::NotTaken { seconds: 3 }).into(),
                "the process that owns the database did not answer within 3 s; nothing was done, try again",
                "le processus qui possède la base de données n’a pas répondu en 3 s\u{a0}; rien n’a été fait, recommencez",
            ),
            (
                UseCaseError::Post(MailPostError::Store(unreachable())).into(),
                "the request could not be recorded: the database cannot be used: no route",
                "la demande n’a pas pu être enregistrée\u{a0}: la base de données est inutilisable\u{a0}: no route",
            ),
        ];
        for (problem, english, french) in cases {
            assert_eq!(&**problem.detail(), english);
            let texts = LocalizedTexts::for_language(Language::Fr);
            assert_eq!(&**problem.localize(texts).detail(), french);
        }
    }

    #[test]
    fn internal_errors_hide_details() {
        let problem = Problem::from(StoreError::Inconsistent("blobs: secret row".into()));
        assert!(!problem.0.detail.contains("secret row"));
    }
}
