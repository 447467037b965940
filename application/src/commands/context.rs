//! The user context: a host program's data about the person and the business of a session.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::JsonValue;
use futures_util::future::{Either, select};
use serde_json::json;

use super::call_outcomes::{doc, outcome};
use crate::codec::WorkspaceBody;
use crate::ports::{
    ActionDescription, CallRequest, Clock, CommandExecutor, CommandSpec, ResourceReader, StoreError,
    UserContextQuery, UserContextSource, UserContextUnavailable, WorkspaceStore,
};
use crate::settings::{Language, UserContext};
use crate::texts::{LocalizedTexts, say};

/// How long a context is cached for its session, unless the setting `context.cache` differs.
pub const CONTEXT_CACHE: Millis = Millis::minutes(5);

/// Time limit of a source, unless the setting `context.timeout` differs.
pub const CONTEXT_TIMEOUT: Millis = Millis::seconds(10);

/// How soon a source that failed is read again if its answers are cached for longer.
const ASKED_AGAIN: Millis = Millis::seconds(30);

/// Maximum cached sessions; beyond it the contexts read longest ago are evicted.
const SESSIONS_MAX: usize = 10_000;

/// The context that the workspace's own setting `user_context` holds.
pub struct WorkspaceContextSource {
    store: Arc<dyn WorkspaceStore>,
}

impl WorkspaceContextSource {
    /// Reads the setting from this store.
    pub fn new(store: Arc<dyn WorkspaceStore>) -> Self {
        Self { store }
    }
}

#[async_trait]
impl UserContextSource for WorkspaceContextSource {
    async fn read(
        &self,
        of: &UserContextQuery,
        _language: Language,
    ) -> Result<UserContext, UserContextUnavailable> {
        let body = WorkspaceBody::load(&*self.store, &of.workspace).await;
        body.map(|body| body.settings.user_context).map_err(|error| UserContextUnavailable(error.to_string()))
    }
}

/// The last answer of one source.
#[derive(Clone)]
struct ContextSourceSnapshot {
    context: UserContext,
    at: Timestamp,
}

/// The cached context of a session.
#[derive(Clone, Default)]
struct CachedUserContext {
    /// Last answer of each source, in source order; `None` if it never answered.
    said: Vec<Option<ContextSourceSnapshot>>,
    /// Why sources failed at the last read.
    faults: Vec<String>,
    /// Time of the last read, on the monotonic clock.
    asked: Millis,
}

/// `context.get`: the user context of a session. The sources are read when the cache expired; of a key in two
/// sources, the later source's value counts. A source that fails keeps its last answer, with a note.
pub struct ContextExecutor {
    sources: Vec<Arc<dyn UserContextSource>>,
    clock: Arc<dyn Clock>,
    cache: Millis,
    timeout: Millis,
    kept: Mutex<BTreeMap<UserContextQuery, CachedUserContext>>,
}

impl ContextExecutor {
    /// Name of the command.
    pub const NAME: &'static str = "context.get";
    const WORD: &'static str = "USER_CONTEXT";

    /// Reads these sources; answers are cached for `cache` in each session, and each source has `timeout`.
    pub fn new(
        sources: Vec<Arc<dyn UserContextSource>>,
        clock: Arc<dyn Clock>,
        cache: Millis,
        timeout: Millis,
    ) -> Self {
        Self { sources, clock, cache, timeout, kept: Mutex::default() }
    }

    /// Reads a source within its time limit.
    async fn ask(
        &self,
        source: &dyn UserContextSource,
        of: &UserContextQuery,
        language: Language,
    ) -> Result<UserContext, UserContextUnavailable> {
        let late = pin!(self.clock.sleep(self.timeout));
        match select(source.read(of, language), late).await {
            Either::Left((said, _)) => said,
            Either::Right(((), _)) => {
                let seconds = (self.timeout.0 / 1_000).to_string();
                Err(UserContextUnavailable(say!(
                    LocalizedTexts::for_language(language),
                    "context-source-late",
                    seconds = seconds
                )))
            }
        }
    }

    fn known(&self, of: &UserContextQuery) -> Option<CachedUserContext> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(of).cloned()
    }

    /// The context of a session, read again if the cached one expired.
    async fn context(&self, of: UserContextQuery, language: Language) -> CachedUserContext {
        let passed = self.clock.monotonic();
        let known = self.known(&of);
        if let Some(kept) = &known {
            let counts = if kept.faults.is_empty() { self.cache } else { self.cache.min(ASKED_AGAIN) };
            if passed.0.saturating_sub(kept.asked.0) < counts.0 {
                return kept.clone();
            }
        }
        let before = known.map(|kept| kept.said).unwrap_or_default();
        let mut now = CachedUserContext { asked: passed, ..CachedUserContext::default() };
        for (index, source) in self.sources.iter().enumerate() {
            let said = match self.ask(&**source, &of, language).await {
                Ok(context) => Some(ContextSourceSnapshot { context, at: self.clock.now() }),
                Err(UserContextUnavailable(why)) => {
                    now.faults.push(why);
                    before.get(index).cloned().flatten()
                }
            };
            now.said.push(said);
        }
        self.keep(of, now.clone());
        now
    }

    fn keep(&self, of: UserContextQuery, now: CachedUserContext) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(of, now);
        if kept.len() > SESSIONS_MAX
            && let Some(oldest) = kept.iter().min_by_key(|(_, kept)| kept.asked.0).map(|(of, _)| of.clone())
        {
            kept.remove(&oldest);
        }
    }
}

/// The text for the model, or why there is none.
fn answer(kept: &CachedUserContext, request: &CallRequest) -> Result<String, CallFailure> {
    let texts = LocalizedTexts::for_language(request.locale.language);
    let why = || kept.faults.join("; ");
    let said: Vec<&ContextSourceSnapshot> = kept.said.iter().flatten().collect();
    if said.is_empty() && !kept.faults.is_empty() {
        let message = say!(texts, "context-unknown", why = why());
        return Err(CallFailure { code: "CONTEXT_UNAVAILABLE".into(), message, path: None, retryable: true });
    }
    let context = said.iter().fold(UserContext::NONE, |all, said| all.merge(&said.context));
    let mut members = vec![("context".to_owned(), JsonValue::Object(context.members().to_vec()))];
    if let Some(oldest) = said.iter().map(|said| said.at).min().filter(|_| !kept.faults.is_empty()) {
        let at = jiff::Timestamp::from_microsecond(oldest.0).map(|at| at.to_string()).unwrap_or_default();
        let note = say!(texts, "context-kept", at = at, why = why());
        members.push(("note".to_owned(), JsonValue::Text(note)));
    }
    Ok(JsonValue::Object(members).to_json())
}

#[async_trait]
impl CommandExecutor for ContextExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({ "type": "object", "additionalProperties": false, "properties": {} });
        vec![CommandSpec {
            cacheable: true,
            ..CommandSpec::query(Self::WORD, Self::NAME, &doc(Self::WORD), schema)
        }]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let of = UserContextQuery {
            workspace: request.workspace.clone(),
            session: request.session.clone(),
            person: request.acts_as.clone(),
        };
        let kept = self.context(of, request.locale.language).await;
        outcome(answer(&kept, &request))
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}
