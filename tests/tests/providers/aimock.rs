//! Every network provider against `@copilotkit/aimock`, a mock of their APIs that is not ours.
//!
//! `.ci/peers` installs it. Its fixtures are in `tests/aimock/fixtures`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, MockClock, MockSecretStore, ModelReply,
    ModelRequest, OutputShape, PromptTurn, ProviderFailure, ProviderRegistry, ReplyEnd, ReplySink,
    ToolDeclaration, UserTurnPart,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::aimock::AimockServerProcess;
use entracte_tests::cryptography::crypto;

const NAMES: [&str; 8] = [
    "claude",
    "claude-whole",
    "openai",
    "openai-whole",
    "groq",
    "groq-whole",
    "compatible",
    "compatible-whole",
];

#[tokio::test]
async fn every_provider_gives_the_whole_text() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES {
        let (outcome, heard) = stage.call(name, &[user("greet me")]).await;
        let reply = outcome.unwrap();
        assert_eq!(reply.text, "Hello from the other side of the wire, in more than one piece.", "{name}");
        assert_eq!(heard.concat(), reply.text, "{name}");
        assert_eq!(heard.len() > 1, !name.ends_with("-whole"), "{name}: {heard:?}");
        assert_eq!(reply.end, ReplyEnd::Done, "{name}");
        assert_eq!(reply.model.as_deref(), Some("claude-opus-5-5"), "{name}");
        assert!(reply.request_id.is_some() && reply.body_digest.is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_call_and_its_result_go_round() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES {
        let (outcome, _) = stage.call(name, &[user("use the tool")]).await;
        let asked = outcome.unwrap();
        let call = asked.calls.first().unwrap().clone();
        assert_eq!((call.provider_call_id.as_str(), call.name.as_str()), ("call_weight_1", "tool_data_read"));
        assert_eq!(call.arguments, r#"{"tool":"weight","limit":3}"#, "{name}");
        let turns = [user("use the tool"), assistant(asked), result(&call.provider_call_id, "71 kg")];
        let (outcome, _) = stage.call(name, &turns).await;
        assert_eq!(outcome.unwrap().text, "You weigh 71 kg.", "{name}");
    }
}

#[tokio::test]
async fn reasoning_is_stored_for_provider_and_hidden() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES {
        let (outcome, heard) = stage.call(name, &[user("think first")]).await;
        let reply = outcome.unwrap();
        assert_eq!((reply.text.as_str(), heard.concat().as_str()), ("Thought through.", "Thought through."));
        let raw = reply.raw.unwrap();
        let keeps = name.starts_with("claude") || name.starts_with("openai");
        assert_eq!(raw.bytes.contains("They want me to think."), keeps, "{name}: {}", raw.bytes);
        assert_eq!(raw.bytes.contains("c2lnbmF0dXJl"), name.starts_with("claude"), "{name}: {}", raw.bytes);
    }
}

#[tokio::test]
async fn an_answer_at_the_output_limit_is_cut() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES {
        let (outcome, _) = stage.call(name, &[user("say too much")]).await;
        assert!(matches!(outcome.unwrap().end, ReplyEnd::OutputLimit { .. }), "{name}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_lost() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES.into_iter().filter(|name| !name.ends_with("-whole")) {
        let (outcome, heard) = stage.call(name, &[user("break off")]).await;
        assert_eq!(outcome.unwrap_err().class, FailureClass::Lost, "{name}");
        assert!(heard.concat().starts_with("This sentence"), "{name}: {heard:?}");
    }
}

#[tokio::test]
async fn errors_are_classified_with_remedy() {
    let stage = ProviderAimockFixture::new();
    for name in NAMES {
        let slower = stage.failure(name, "go slower").await;
        assert_eq!(
            (slower.class, slower.retry_after),
            (FailureClass::Throttled, Some(Millis(7000))),
            "{name}"
        );
        let busy = stage.failure(name, "be busy").await;
        assert_eq!((busy.class, busy.retry_after), (FailureClass::Overloaded, None), "{name}");
        let key = stage.failure(name, "wrong key").await;
        assert_eq!(key.class, FailureClass::Misconfigured, "{name}");
        assert!(key.message.contains("answered 401: The key [secret] is not valid"), "{}", key.message);
        assert!(key.message.contains("the variable TEST_KEY"), "{}", key.message);
    }
}

#[tokio::test]
async fn a_check_asks_for_the_model() {
    let stage = ProviderAimockFixture::new();
    let provider = stage.registry.provider("openai").unwrap();
    // aimock offers no model of this name, so only a call could reveal it, and strict mode refuses the call.
    assert_eq!(provider.check().await.unwrap_err().class, FailureClass::Overloaded);
}

#[tokio::test]
async fn headers_and_bodies_match_each_api() {
    let stage = ProviderAimockFixture::new();
    stage.call("claude", &[user("greet me")]).await.0.unwrap();
    stage.call("openai-whole", &[user("greet me")]).await.0.unwrap();
    let journal: serde_json::Value = serde_json::from_str(&stage.aimock.journal().unwrap()).unwrap();
    let [claude, openai] = journal.as_array().unwrap().as_slice() else { panic!("{journal}") };
    assert_eq!(claude["path"], "/v1/messages");
    assert_eq!(claude["headers"]["anthropic-version"], "2026-10-21");
    assert_eq!(openai["path"], "/v1/responses");
    assert!(openai["headers"].get("anthropic-version").is_none());
}

struct ProviderAimockFixture {
    aimock: AimockServerProcess,
    registry: ConfigProviderRegistry,
}

impl ProviderAimockFixture {
    fn new() -> Self {
        let aimock = AimockServerProcess::start().unwrap_or_else(|problem| panic!("{problem}"));
        let entries = NAMES.map(|name| (name.to_owned(), config(name, &aimock.url())));
        let mut secrets = MockSecretStore::new();
        secrets.expect_secret().returning(|_| Ok("sk-test-key-1".into()));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(Timestamp(0));
        let registry = ConfigProviderRegistry::new(
            BTreeMap::from(entries),
            Arc::new(secrets),
            Arc::new(clock),
            crypto(),
        );
        Self { aimock, registry }
    }

    async fn call(
        &self,
        name: &str,
        turns: &[Arc<PromptTurn>],
    ) -> (Result<ModelReply, ProviderFailure>, Vec<String>) {
        let heard = Arc::new(ReplyPieceSink::default());
        let provider = self.registry.provider(name).unwrap();
        let outcome = provider.call(request(turns), heard.clone()).await;
        let heard = heard.0.lock().unwrap().clone();
        (outcome, heard)
    }

    async fn failure(&self, name: &str, text: &str) -> ProviderFailure {
        self.call(name, &[user(text)]).await.0.unwrap_err()
    }
}

#[derive(Default)]
struct ReplyPieceSink(Mutex<Vec<String>>);

impl ReplySink for ReplyPieceSink {
    fn text(&self, piece: &str) {
        self.0.lock().unwrap().push(piece.to_owned());
    }
}

fn config(name: &str, url: &str) -> ProviderConfig {
    let (kind, base_url) = match name.trim_end_matches("-whole") {
        "claude" => (ProviderKind::Claude, url.to_owned()),
        "openai" => (ProviderKind::Openai, format!("{url}/v1")),
        "groq" => (ProviderKind::Groq, format!("{url}/v1/")),
        _ => (ProviderKind::Compatible, format!("{url}/v1")),
    };
    ProviderConfig {
        model: Some("claude-opus-5-5".to_owned()),
        api_key_env: Some("TEST_KEY".to_owned()),
        base_url: Some(base_url),
        stream: !name.ends_with("-whole"),
        ..ProviderConfig::new(kind)
    }
}

fn request(turns: &[Arc<PromptTurn>]) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_1"),
        model: "claude-opus-5-5".to_owned(),
        encoding: "".into(),
        system: vec!["You keep notes.".into(), "Zones: health.".into()],
        turns: turns.to_vec(),
        tools: Arc::new([ToolDeclaration {
            name: "tool_data_read".to_owned(),
            description: "Reads entries of a tool.".to_owned(),
            schema: serde_json::json!({"type": "object", "properties": {"tool": {"type": "string"}}}).into(),
        }]),
        commands: CommandRequestPolicy::Allowed,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

fn user(text: &str) -> Arc<PromptTurn> {
    Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.to_owned())]))
}

fn result(provider_call_id: &str, content: &str) -> Arc<PromptTurn> {
    let (provider_call_id, content) = (provider_call_id.to_owned(), content.to_owned());
    let name = "tool_data_create".to_owned();
    Arc::new(PromptTurn::User(vec![UserTurnPart::Result {
        provider_call_id,
        name,
        content,
        is_error: false,
        files: Vec::new(),
    }]))
}

fn assistant(reply: ModelReply) -> Arc<PromptTurn> {
    let ModelReply { text, calls, raw, .. } = reply;
    Arc::new(PromptTurn::Assistant(AssistantTurn { text, calls, raw }))
}
