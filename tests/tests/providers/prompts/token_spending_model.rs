//! A model behind a strict server: it counts its input tokens, requests one query after the other, and summarizes on
//! request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    ActionDescription, ActionTarget, CallRequest, CommandExecutor, CommandSpec, MockClock, MockSecretStore,
    ModelReply, ModelRequest, NativeCall, PromptTurn, Provider, ProviderDescription, ProviderFailure,
    ProviderRegistry as _, ReplyEnd, ReplySink, ResourceReader, StoreError, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use entracte_domain::usage::Usage;
use entracte_tests::cryptography::crypto;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::strict::FakeProviderServer;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct MeteredModelRequest {
    pub(crate) request: ModelRequest,
    pub(crate) body: Vec<u8>,
    pub(crate) tokens: u64,
    pub(crate) cached: u64,
    /// Whether it requests a summary.
    pub(crate) asks: bool,
}

/// The model.
pub(crate) struct TokenSpendingModel {
    real: Arc<dyn Provider>,
    server: FakeProviderServer,
    window: AtomicU64,
    /// Number of queries that it still requests; `at_once` of them per reply.
    looks: Mutex<usize>,
    at_once: usize,
    /// Its answers to summary requests; repeated in a cycle.
    summaries: Vec<String>,
    pub(crate) sent: Mutex<Vec<MeteredModelRequest>>,
}

/// Its model name.
pub(crate) const MODEL: &str = "claude-opus-5-5";

/// Tokens per thousand bytes in its count.
const PER_THOUSAND: u64 = 270;

impl TokenSpendingModel {
    /// A model behind the server of Claude.
    pub(crate) fn new(window: u64, looks: usize, at_once: usize, summaries: &[&str]) -> Self {
        let claude = FakeProviderServer::ALL.into_iter().find(|fake| fake.kind == "claude").unwrap();
        Self::with_strict_server(claude, window, (looks, at_once), summaries)
    }

    /// A model behind this server.
    pub(crate) fn with_strict_server(
        server: FakeProviderServer,
        window: u64,
        (looks, at_once): (usize, usize),
        summaries: &[&str],
    ) -> Self {
        let entry = format!(
            "kind = \"{}\"\nmodel = \"{MODEL}\"\nbase_url = \"http://127.0.0.1:9\"\nmax_output_tokens = 100",
            server.kind
        );
        let entry = ProviderConfig::from_toml("x", &entry).unwrap();
        let entries = [("x".to_owned(), entry)].into();
        let registry = ConfigProviderRegistry::new(
            entries,
            Arc::new(MockSecretStore::new()),
            Arc::new(MockClock::new()),
            crypto(),
        );
        Self {
            real: registry.provider("x").unwrap(),
            server,
            window: AtomicU64::new(window),
            looks: Mutex::new(looks),
            at_once,
            summaries: summaries.iter().map(|&text| text.to_owned()).collect(),
            sent: Mutex::default(),
        }
    }

    /// Sets the size of its context window.
    pub(crate) fn set_window(&self, window: u64) {
        self.window.store(window, Ordering::Relaxed);
    }

    /// Adds this many queries.
    pub(crate) fn add_looks(&self, looks: usize) {
        *self.looks.lock().unwrap() += looks;
    }

    pub(crate) fn all(&self) -> Vec<MeteredModelRequest> {
        self.sent.lock().unwrap().clone()
    }

    fn note(&self, request: ModelRequest) -> MeteredModelRequest {
        let body = self.real.body(&request).unwrap();
        if let Err(refusal) = self.server.check(&body) {
            panic!("{}: {refusal:?}\n{}", self.server.kind, String::from_utf8_lossy(&body));
        }
        let mut all = self.sent.lock().unwrap();
        let same = all
            .last()
            .map_or(0, |last| last.body.iter().zip(&body).take_while(|(before, now)| before == now).count());
        let tokens = |bytes: usize| bytes as u64 * PER_THOUSAND / 1_000;
        let asks = asks_for_summary(&request);
        let sent =
            MeteredModelRequest { tokens: tokens(body.len()), cached: tokens(same), asks, request, body };
        all.push(sent.clone());
        sent
    }
}

/// Whether the last part of a request asks for a summary.
pub(crate) fn asks_for_summary(request: &ModelRequest) -> bool {
    match request.turns.last().map(|turn| &**turn) {
        Some(PromptTurn::User(parts)) => {
            matches!(parts.last(), Some(UserTurnPart::System(text)) if text.contains("\"add\""))
        }
        Some(PromptTurn::Assistant(_)) | None => false,
    }
}

#[async_trait]
impl Provider for TokenSpendingModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            context_tokens: Some(self.window.load(Ordering::Relaxed)),
            max_output_tokens: None,
            ..self.real.info()
        }
    }

    fn encoding(&self) -> Arc<str> {
        self.real.encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.real.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        _: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let sent = self.note(request);
        let number = self.sent.lock().unwrap().len();
        let mut calls = Vec::new();
        let text = if sent.asks {
            let asked = self.sent.lock().unwrap().iter().filter(|sent| sent.asks).count();
            self.summaries[(asked - 1) % self.summaries.len()].clone()
        } else {
            let mut looks = self.looks.lock().unwrap();
            let now = (*looks).min(self.at_once);
            *looks -= now;
            calls.extend((0..now).map(|place| NativeCall {
                provider_call_id: format!("toolu_{number}_{place}"),
                name: "outside_look".into(),
                arguments: serde_json::json!({ "at": format!("{number}-{place}") }).to_string(),
            }));
            if now > 0 { "I look.".to_owned() } else { "That is all.".to_owned() }
        };
        let usage = Usage {
            input: sent.tokens - sent.cached,
            cache_read: sent.cached,
            output: 40,
            ..Usage::default()
        };
        Ok(ModelReply {
            text,
            calls,
            end: ReplyEnd::Done,
            usage: Some(usage),
            model: None,
            raw: None,
            request_id: None,
            body_digest: Some(sha256(&sent.body).to_string()),
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("spends".into())
    }
}

/// An executor whose queries return long results: 2 to 20 kB.
#[derive(Default)]
pub(crate) struct LongResultExecutor {
    outside: RecordingExecutor,
    looks: Mutex<u64>,
}

/// The result size in bytes of the query with this number.
pub(crate) fn width(look: u64) -> u64 {
    2_000 + look * 7_919 % 18_000
}

#[async_trait]
impl CommandExecutor for LongResultExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.outside.commands()
    }

    async fn run(&self, _request: CallRequest) -> CallOutcome {
        let look = {
            let mut looks = self.looks.lock().unwrap();
            *looks += 1;
            *looks
        };
        let line = format!("line of look {look}, nothing of note here; ");
        let content: String = line.chars().cycle().take(usize::try_from(width(look)).unwrap()).collect();
        CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.outside.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        self.outside.target(request, rows).await
    }
}
