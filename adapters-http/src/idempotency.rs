//! Idempotency keys: a request under an `Idempotency-Key` runs once, however often it is sent. Its answer is stored in
//! the commit of its effect, and replayed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use entracte_application::json_value::parse_foreign;
use entracte_application::mail::{Mail, MailAnswer, Receipt, ReceiptKey};
use entracte_application::ports::{MailPostError, MailSender};
use entracte_application::system::sha256;
use entracte_application::texts::saying;
use entracte_domain::id::WorkspaceKey;
use http::{HeaderMap, HeaderValue, Method};

use crate::problem::{Problem, ProblemCode};

/// The header with the key.
pub const KEY: &str = "idempotency-key";

/// The header of a replayed answer.
pub const REPLAYED: &str = "idempotency-replayed";

/// Most characters of a key.
pub const KEY_MAX: usize = 255;

/// The keys of requests in progress. In memory only: the effects of a crashed process are in its commits.
#[derive(Debug, Default)]
pub(crate) struct InFlightKeys(Mutex<BTreeSet<(WorkspaceKey, ReceiptKey)>>);

/// Marks a key as in progress until it is dropped.
#[derive(Debug)]
struct InFlightGuard {
    among: Arc<InFlightKeys>,
    key: (WorkspaceKey, ReceiptKey),
}

impl InFlightKeys {
    fn try_acquire(self: &Arc<Self>, workspace: WorkspaceKey, receipt: ReceiptKey) -> Option<InFlightGuard> {
        let key = (workspace, receipt);
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_new.then(|| InFlightGuard { among: self.clone(), key })
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.among.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// One request under an idempotency key.
#[derive(Debug)]
pub(crate) struct IdempotentRequest {
    key: String,
    /// Method, path and query.
    target: String,
    /// The canonical body, for comparison.
    body: OnceLock<String>,
    person: OnceLock<String>,
    hold: Mutex<Option<InFlightGuard>>,
    is_replayed: AtomicBool,
}

/// Middleware that adds the key to the request's extensions, and marks replayed answers.
pub(crate) async fn apply_idempotency(mut request: Request, next: Next) -> Response {
    let once = match IdempotentRequest::from_request(&request) {
        Ok(Some(once)) => Arc::new(once),
        Ok(None) => return next.run(request).await,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(once.clone());
    let mut response = next.run(request).await;
    if once.is_replayed.load(Ordering::Acquire) {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

impl IdempotentRequest {
    fn from_request(request: &Request) -> Result<Option<Self>, Problem> {
        if request.method() != Method::POST {
            return Ok(None);
        }
        let Some(key) = read_key_header(request.headers())? else { return Ok(None) };
        Ok(Some(Self {
            key,
            target: format!("POST {}", request.uri().path_and_query().map_or("/", |target| target.as_str())),
            body: OnceLock::new(),
            person: OnceLock::new(),
            hold: Mutex::new(None),
            is_replayed: AtomicBool::new(false),
        }))
    }

    /// Claims the key for a person and a workspace, once both are known, so that concurrent repeats are refused.
    pub(crate) fn claim_key(
        &self,
        under_way: &Arc<InFlightKeys>,
        workspace: &WorkspaceKey,
        person: &str,
    ) -> Result<(), Problem> {
        let key = ReceiptKey { person: person.to_owned(), key: self.key.clone() };
        let Some(hold) = under_way.try_acquire(workspace.clone(), key) else {
            let text = saying!("refusal-key-under-way");
            return Err(Problem::new(ProblemCode::IdempotencyInProgress, text).with_retry_after(1));
        };
        *self.hold.lock().unwrap_or_else(PoisonError::into_inner) = Some(hold);
        self.person.get_or_init(|| person.to_owned());
        Ok(())
    }

    /// Records the body. Member order and whitespace of JSON do not matter.
    pub(crate) fn record_body(&self, bytes: &[u8]) {
        let text = || match std::str::from_utf8(bytes).map(parse_foreign) {
            Ok(Ok(json)) => json.canonical(),
            Ok(Err(_)) | Err(_) => sha256(bytes).to_string(),
        };
        self.body.get_or_init(text);
    }

    /// The receipt key and fingerprint of the request; `None` if no person was authenticated.
    pub(crate) fn to_receipt(&self) -> Option<Receipt> {
        let body = self.body.get().map_or("", String::as_str);
        let fingerprint = sha256(format!("{}\n{body}", self.target).as_bytes());
        Some(Receipt { person: self.person.get()?.clone(), key: self.key.clone(), fingerprint })
    }

    /// Marks the answer as replayed.
    pub(crate) fn mark_replayed(&self) {
        self.is_replayed.store(true, Ordering::Release);
    }
}

fn read_key_header(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut all = headers.get_all(KEY).iter();
    let Some(line) = all.next() else { return Ok(None) };
    let text = line.to_str().unwrap_or_default().trim();
    let is_key = (1..=KEY_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_key && all.next().is_none() {
        return Ok(Some(text.to_owned()));
    }
    let text = saying!("refusal-key", most = KEY_MAX);
    Err(Problem::new(ProblemCode::Malformed, text))
}

/// Mail sender for one request under an idempotency key.
pub(crate) struct IdempotentMailSender {
    inner: Arc<dyn MailSender>,
    once: Arc<IdempotentRequest>,
    is_used: AtomicBool,
}

impl IdempotentMailSender {
    /// Wraps a mail sender.
    pub(crate) fn new(inner: Arc<dyn MailSender>, once: Arc<IdempotentRequest>) -> Self {
        Self { inner, once, is_used: AtomicBool::new(false) }
    }
}

#[async_trait]
impl MailSender for IdempotentMailSender {
    /// A receipt covers one piece of mail: routes that post several must combine them. After a refusal nothing was done and
    /// no receipt is stored, so another piece may follow: a call by hand whose session became busy goes to the next one.
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        if self.is_used.swap(true, Ordering::AcqRel) {
            return Err(MailPostError::Unavailable("one request under a key posts one piece of mail".into()));
        }
        // A request with a key of its own is known by that one, whatever request brings it again.
        let receipt = mail.receipt.clone().or_else(|| self.once.to_receipt());
        match self.inner.post(workspace, Mail { receipt, ..mail }).await? {
            MailAnswer::Replayed(first) => {
                self.once.mark_replayed();
                Ok(*first)
            }
            refused @ MailAnswer::Refused { .. } => {
                self.is_used.store(false, Ordering::Release);
                Ok(refused)
            }
            answer => Ok(answer),
        }
    }
}

/// A mail sender that notes whether the answer is that of an earlier request with the same key of its own.
pub(crate) struct ReplayWatch {
    inner: Arc<dyn MailSender>,
    is_replayed: AtomicBool,
}

impl ReplayWatch {
    /// Wraps a mail sender.
    pub(crate) fn new(inner: Arc<dyn MailSender>) -> Self {
        Self { inner, is_replayed: AtomicBool::new(false) }
    }

    /// Marks the answer of a route, if that was so.
    pub(crate) fn mark_answer(&self, response: &mut Response) {
        if self.is_replayed.load(Ordering::Acquire) {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
    }
}

#[async_trait]
impl MailSender for ReplayWatch {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let answer = self.inner.post(workspace, mail).await?;
        if matches!(answer, MailAnswer::Replayed(_)) {
            self.is_replayed.store(true, Ordering::Release);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(path: &str, key: &str) -> Result<Option<IdempotentRequest>, ProblemCode> {
        let request = Request::builder().method(Method::POST).uri(path).header(KEY, key);
        IdempotentRequest::from_request(&request.body(axum::body::Body::empty()).unwrap())
            .map_err(|problem| problem.code())
    }

    fn fingerprint(path: &str, body: &str) -> String {
        let once = once(path, "k1").unwrap().unwrap();
        once.claim_key(&Arc::default(), &WorkspaceKey::new("ann:home"), "per_ann").unwrap();
        once.record_body(body.as_bytes());
        once.to_receipt().unwrap().fingerprint.to_string()
    }

    #[test]
    fn fingerprint_ignores_json_formatting() {
        let sent = fingerprint("/a?x=1", r#"{"a":1,"b":[1.50]}"#);
        assert_eq!(fingerprint("/a?x=1", "{ \"b\": [1.50],\n \"a\": 1 }"), sent);
        for (path, body) in [
            ("/b?x=1", r#"{"a":1,"b":[1.50]}"#),
            ("/a?x=2", r#"{"a":1,"b":[1.50]}"#),
            ("/a?x=1", r#"{"a":2,"b":[1.50]}"#),
            ("/a?x=1", r#"{"a":1,"b":[1.5]}"#),
            ("/a?x=1", "no JSON"),
        ] {
            assert_ne!(fingerprint(path, body), sent, "{path} {body}");
        }
    }

    /// Input: a body with digits that no machine number holds; expected: the fingerprint of receipts that are stored
    /// already.
    #[test]
    fn fingerprint_keeps_spelling_of_numbers() {
        let sent = fingerprint("/a?x=1", r#"{"b":1e2,"a":[72.50,12345678901234567890.12]}"#);
        let stored = "POST /a?x=1\n{\"a\":[72.50,12345678901234567890.12],\"b\":1e+2}";
        assert_eq!(sent, sha256(stored.as_bytes()).to_string());
    }

    #[test]
    fn a_key_is_short_and_visible() {
        assert!(once("/a", &"k".repeat(KEY_MAX)).unwrap().is_some());
        for wrong in [String::new(), "a b".into(), "k".repeat(KEY_MAX + 1)] {
            assert!(matches!(once("/a", &wrong), Err(ProblemCode::Malformed)), "{wrong}");
        }
        let read = Request::builder().method(Method::GET).uri("/a").header(KEY, "a b");
        assert!(
            IdempotentRequest::from_request(&read.body(axum::body::Body::empty()).unwrap())
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn key_in_progress_rejects_concurrent_repeat() {
        let (all, home) = (Arc::default(), WorkspaceKey::new("ann:home"));
        let first = once("/a", "k1").unwrap().unwrap();
        let other = |key: &str, person: &str, workspace: &WorkspaceKey| {
            once("/a", key)
                .unwrap()
                .unwrap()
                .claim_key(&all, workspace, person)
                .map_err(|problem| problem.code())
        };
        first.claim_key(&all, &home, "per_ann").unwrap();
        assert_eq!(other("k1", "per_ann", &home), Err(ProblemCode::IdempotencyInProgress));
        assert_eq!(other("k2", "per_ann", &home), Ok(()));
        assert_eq!(other("k1", "per_noe", &home), Ok(()));
        assert_eq!(other("k1", "per_ann", &WorkspaceKey::new("ann:work")), Ok(()));
        drop(first);
        assert_eq!(other("k1", "per_ann", &home), Ok(()), "nothing sticks");
    }
}
