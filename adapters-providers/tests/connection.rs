//! Calls whose connection fails, rather than their answer: through the public registry and a plain TCP server of this
//! process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_providers::config::{KeyAuth, ModelConfig, ProviderConfig, ProviderKind};
use entracte_adapters_providers::connectivity_probe::ConnectivityProbe;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    Clock, CommandRequestPolicy, ConnectivityWatcher, ContextWindow, ContextWindowSource,
    EncodedRequestCache, MockClock, MockReplySink, MockSecretStore, ModelReply, ModelRequest, OutputShape,
    PromptTurn, ProviderFailure, ProviderRegistry, SecretError, UserTurnPart,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Cost;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that sends this answer to one request, then closes; with `silent` it keeps the connection open instead.
async fn server(answer: &'static str, silent: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 65_536];
        let _ = line.read(&mut request).await.unwrap();
        line.write_all(answer.as_bytes()).await.unwrap();
        if silent {
            std::future::pending::<()>().await;
        }
    });
    format!("http://{address}")
}

fn registry(config: ProviderConfig, key: Result<&'static str, &'static str>) -> ConfigProviderRegistry {
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(move |_| match key {
        Ok(key) => Ok(key.into()),
        Err(variable) => Err(SecretError::NotSet(variable.to_owned())),
    });
    let mut clock = MockClock::new();
    // 2026-11-20T10:00:00Z
    clock.expect_now().return_const(Timestamp(1_795_168_800_000_000));
    ConfigProviderRegistry::new(
        BTreeMap::from([("x".to_owned(), config)]),
        Arc::new(secrets),
        Arc::new(clock),
        Arc::new(rustls::crypto::ring::default_provider()),
    )
}

fn config(url: &str) -> ProviderConfig {
    ProviderConfig {
        model: Some("claude-opus-5-5".to_owned()),
        base_url: Some(url.to_owned()),
        ..ProviderConfig::new(ProviderKind::Claude)
    }
}

async fn call(registry: &ConfigProviderRegistry) -> Result<ModelReply, ProviderFailure> {
    let mut sink = MockReplySink::new();
    sink.expect_text().return_const(());
    sink.expect_keep_alive().return_const(());
    registry.provider("x").unwrap().call(hello(), Arc::new(sink)).await
}

fn hello() -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_1"),
        model: String::new(),
        encoding: "".into(),
        system: Vec::new(),
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text("hello".to_owned())]))],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::Allowed,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

async fn failure(config: ProviderConfig) -> ProviderFailure {
    call(&registry(config, Ok("sk-secret-1"))).await.unwrap_err()
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_refused_connection_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = failure(config(&url)).await;
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert!(failure.message.contains(&url) && failure.message.contains("providers.x.base_url"), "{failure}");
}

#[tokio::test]
async fn unknown_host_name_is_unreachable() {
    let failure = failure(config("http://nobody.invalid")).await;
    assert_eq!(failure.class, FailureClass::Unreachable, "{failure}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_lost() {
    for answer in ["", "HTTP/1.1 200 OK\r\n", HEAD] {
        let failure = failure(config(&server(answer, false).await)).await;
        assert_eq!(failure.class, FailureClass::Lost, "{answer:?}: {failure}");
    }
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_lost() {
    let answer =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"model\":";
    let whole = ProviderConfig { stream: false, ..config(&server(answer, false).await) };
    assert_eq!(failure(whole).await.class, FailureClass::Lost);
}

#[tokio::test]
async fn silence_is_lost_after_idle_or_call_timeout() {
    let idle = ProviderConfig { idle_timeout_seconds: Some(1), ..config(&server(HEAD, true).await) };
    let whole =
        ProviderConfig { call_timeout_seconds: Some(1), stream: false, ..config(&server(HEAD, true).await) };
    let headless = ProviderConfig { idle_timeout_seconds: Some(1), ..config(&server("", true).await) };
    for config in [idle, whole, headless] {
        let outcome = tokio::time::timeout(Duration::from_secs(20), failure(config)).await.unwrap();
        assert_eq!(outcome.class, FailureClass::Lost);
        assert!(outcome.message.contains("timeout_seconds"), "{outcome}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let answer = "HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n";
    let failure = failure(config(&server(answer, false).await)).await;
    assert_eq!(failure.class, FailureClass::Misconfigured);
    assert!(failure.message.contains("answered 307"), "{failure}");
}

#[tokio::test]
async fn retry_after_date_is_parsed() {
    let answer =
        "HTTP/1.1 429 Wait\r\nretry-after: Fri, 20 Nov 2026 10:00:30 GMT\r\ncontent-length: 0\r\n\r\n";
    let failure = failure(config(&server(answer, false).await)).await;
    assert_eq!((failure.class, failure.retry_after), (FailureClass::Throttled, Some(Millis(30_000))));
}

#[tokio::test]
async fn echoed_key_is_scrubbed() {
    let answer = "HTTP/1.1 401 No\r\nconnection: close\r\n\r\nno such key: sk-secret-1";
    let failure = failure(config(&server(answer, false).await)).await;
    assert!(failure.message.contains("no such key: [secret]"), "{failure}");
    assert!(!format!("{failure:?}").contains("sk-secret-1"));
    // Echoes of gateways for bytes they could not read: in base64, and in hex.
    for echo in ["c2stc2VjcmV0LTE=", "736b2d7365637265742d31"] {
        let answer = format!("HTTP/1.1 401 No\r\nconnection: close\r\n\r\nno such key: {echo}");
        let echoed = crate::failure(config(&server(answer.leak(), false).await)).await;
        assert!(echoed.message.contains("no such key: [secret]"), "{echoed}");
    }
}

#[tokio::test]
async fn key_is_scrubbed_from_shortened_and_streamed_text() {
    let long = "HTTP/1.1 401 No\r\nconnection: close\r\n\r\n\
                 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
                 01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901 sk-secret-1";
    let event = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                 data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"sk-secret-1\"}}\n\n";
    // The marker in place of the key may be shortened; the key is scrubbed before anything is.
    for answer in [long, event] {
        let failure = failure(config(&server(answer, false).await)).await;
        assert!(failure.message.contains("[secret") && !failure.message.contains("sk-"), "{failure}");
    }
}

#[tokio::test]
async fn web_page_answer_means_wrong_address() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>log in</html>";
    let failure = failure(config(&server(answer, false).await)).await;
    assert_eq!(failure.class, FailureClass::Misconfigured);
    assert!(failure.message.contains("providers.x.base_url"), "{failure}");
}

#[tokio::test]
async fn missing_key_failure_names_variable() {
    let registry = registry(config("http://127.0.0.1:9"), Err("ANTHROPIC_API_KEY"));
    let failure = call(&registry).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Misconfigured);
    assert!(failure.message.contains("the environment variable ANTHROPIC_API_KEY is not set"), "{failure}");
    let check = registry.provider("x").unwrap().check().await.unwrap_err();
    assert_eq!(check.message, failure.message);
}

#[tokio::test]
async fn whole_answer_to_stream_request_is_decoded() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nrequest-id: req_9\r\nconnection: close\r\n\r\n\
                  {\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\"}";
    let reply = call(&registry(config(&server(answer, false).await), Ok("k"))).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.request_id.as_deref(), reply.usage), ("hi", Some("req_9"), None));
}

/// A server that records the request it receives, and answers with these bytes.
async fn keeper(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let received = tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 65_536];
        let taken = line.read(&mut request).await.unwrap();
        line.write_all(&answer).await.unwrap();
        String::from_utf8_lossy(&request[..taken]).into_owned()
    });
    (format!("http://{address}"), received)
}

/// `{"model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`, compressed.
const GZIPPED: &str = "1f8b08000000000002031dc9510a80201045d1bdbc6f57e056222472a02067445f50887b6fe8ebc2b903c5b25c882808d84d294ac465806f1567ca433f7f228e13730de8b49a9a6cddd4513427de4d313f9b5ef2ee4e000000";

#[tokio::test]
async fn compressed_answer_is_decoded_and_headers_are_added() {
    let body: Vec<u8> = (0..GZIPPED.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&GZIPPED[at..at + 2], 16).unwrap())
        .collect();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
    let (url, received) = keeper([head.as_bytes(), &body].concat()).await;
    let entry = ProviderConfig {
        auth: Some(KeyAuth::Bearer),
        extra_headers: Some(BTreeMap::from([("X-Team".to_owned(), "notes".to_owned())])),
        ..config(&url)
    };
    assert_eq!(call(&registry(entry, Ok("k-1"))).await.unwrap().text, "hi");
    let received = received.await.unwrap();
    for header in ["authorization: Bearer k-1", "x-team: notes"] {
        assert!(received.contains(header), "{received}");
    }
    assert!(!received.contains("x-api-key"), "{received}");
}

#[tokio::test]
async fn model_idle_timeout_overrides_entry() {
    let own = ModelConfig { idle_timeout_seconds: Some(1), ..ModelConfig::default() };
    let entry = ProviderConfig {
        models: BTreeMap::from([("claude-opus-5-5".to_owned(), own)]),
        connect_timeout_seconds: Some(1),
        ..config(&server("", true).await)
    };
    let failure = tokio::time::timeout(Duration::from_secs(60), failure(entry)).await.unwrap();
    assert_eq!(failure.class, FailureClass::Lost);
    assert!(failure.message.contains("first_byte_timeout_seconds"), "{failure}");
}

#[tokio::test]
async fn a_check_finds_the_model_in_the_list() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
                  {\"data\":[{\"id\":\"claude-opus-5-5\"}]}";
    let registry = registry(config(&server(answer, false).await), Ok("k"));
    let sentence = registry.provider("x").unwrap().check().await.unwrap();
    assert_eq!(sentence, "x: Claude accepts the key and offers “claude-opus-5-5”");
}

#[test]
fn unknown_and_invalid_entries_fail_on_use() {
    let registry = registry(ProviderConfig::new(ProviderKind::Claude), Ok("k"));
    assert_eq!(registry.names(), ["x"]);
    let message = |name: &str| registry.provider(name).err().unwrap().message;
    assert!(message("y").starts_with("there is no provider “y”"));
    assert!(message("x").starts_with("providers.x.model: is missing"));
}

#[tokio::test]
async fn a_rehearsal_is_read_from_its_file_once() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[[turn]]\ntext = \"Hello.\"").unwrap();
    let script = Some(file.path().display().to_string());
    let registry =
        registry(ProviderConfig { script, ..ProviderConfig::new(ProviderKind::Rehearsal) }, Ok("k"));
    assert_eq!(call(&registry).await.unwrap().text, "Hello.");
    std::fs::write(file.path(), "[[turn]]\n").unwrap();
    assert_eq!(call(&registry).await.unwrap().text, "Hello.");
    let info = registry.provider("x").unwrap().info();
    assert_eq!((info.name.as_str(), info.kind.as_str(), info.base_url), ("x", "rehearsal", None));
}

#[test]
fn missing_script_is_named() {
    let script = Some("no/such/story.toml".to_owned());
    let registry =
        registry(ProviderConfig { script, ..ProviderConfig::new(ProviderKind::Rehearsal) }, Ok("k"));
    let message = registry.provider("x").err().unwrap().message;
    assert!(
        message.starts_with("providers.x.script: the script no/such/story.toml cannot be read"),
        "{message}"
    );
}

#[test]
fn an_entry_has_a_json_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(ProviderConfig)).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["kind"]));
}

#[tokio::test]
async fn plain_http_server_is_unreachable_over_https() {
    let url = server("HTTP/1.1 400 Bad Request\r\n\r\n", false).await.replace("http://", "https://");
    let failure = failure(config(&url)).await;
    assert_eq!(failure.class, FailureClass::Unreachable, "{failure}");
}

/// A clock that opens a listener at the address when the second check begins.
struct PortOpeningClock {
    address: std::net::SocketAddr,
    looks: std::sync::Mutex<(u32, Option<std::net::TcpListener>)>,
}

const BETWEEN_LOOKS: Millis = Millis::seconds(7);

#[async_trait::async_trait]
impl Clock for PortOpeningClock {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn monotonic(&self) -> Millis {
        Millis(0)
    }

    async fn sleep(&self, span: Millis) {
        if span != BETWEEN_LOOKS {
            std::future::pending::<()>().await;
        }
        let mut looks = self.looks.lock().unwrap();
        looks.0 += 1;
        if looks.0 == 2 {
            looks.1 = Some(std::net::TcpListener::bind(self.address).unwrap());
        }
    }
}

/// Input: an address that refuses connections until the second check; expected: reachable then, and not before.
#[tokio::test]
async fn provider_is_reachable_once_connection_opens() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let clock = Arc::new(PortOpeningClock { address, looks: std::sync::Mutex::default() });
    let providers = Arc::new(registry(config(&format!("http://{address}/v1")), Ok("key")));
    ConnectivityProbe::new(providers, clock.clone(), BETWEEN_LOOKS).wait_until_reachable("x").await;
    assert_eq!(clock.looks.lock().unwrap().0, 2);
}

/// Input: a server's answer to a token count; expected: the number, `None` if the server has no such path or the
/// dialect no such endpoint, and otherwise a failure with its class.
#[tokio::test]
async fn tokens_are_counted_if_server_supports_it() {
    let counted = async |kind: ProviderKind, answer: &'static str| {
        let config = ProviderConfig {
            model: Some("m".into()),
            ..ProviderConfig { kind, ..config(&server(answer, false).await) }
        };
        registry(config, Ok("sk-secret-1")).provider("x").unwrap().count(hello()).await
    };
    let json =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"input_tokens\":42}";
    let gone = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let refused = "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    for kind in [ProviderKind::Claude, ProviderKind::Openai] {
        assert_eq!(counted(kind, json).await, Ok(Some(42)));
        assert_eq!(counted(kind, gone).await, Ok(None));
        assert_eq!(
            counted(kind, refused).await.map_err(|failure| failure.class),
            Err(FailureClass::Misconfigured)
        );
    }
    assert_eq!(counted(ProviderKind::Groq, json).await, Ok(None), "its wire counts none");
}

/// Input: answers that differ from their content type; expected: decoded by their actual bytes.
#[tokio::test]
async fn answer_kind_follows_its_bytes() {
    let json = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n \
                {\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\"}";
    let error = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"come back\"}}";
    let page = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<!doctype html><p>Log in";
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                  data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let reply = call(&registry(config(&server(json, false).await), Ok("k"))).await.unwrap();
    assert_eq!(reply.text, "hi");
    let busy = failure(config(&server(error, false).await)).await;
    assert_eq!(busy.class, FailureClass::Overloaded, "{busy}");
    let login = failure(config(&server(page, false).await)).await;
    assert_eq!(login.class, FailureClass::Misconfigured);
    assert!(login.message.contains("it is a web page"), "{login}");
    let unasked = ProviderConfig { stream: false, ..chat(&server(events, false).await) };
    assert_eq!(call(&registry(unasked, Ok("k"))).await.unwrap().text, "hi");
}

fn chat(url: &str) -> ProviderConfig {
    ProviderConfig { kind: ProviderKind::Compatible, ..config(url) }
}

/// Input: a server that sends the head immediately and computes then; expected: the first-byte timeout, not the idle
/// timeout.
#[tokio::test]
async fn first_byte_timeout_applies_after_head() {
    let entry = ProviderConfig {
        first_byte_timeout_seconds: Some(1),
        idle_timeout_seconds: Some(300),
        ..config(&server(HEAD, true).await)
    };
    let failure = tokio::time::timeout(Duration::from_secs(60), failure(entry)).await.unwrap();
    assert_eq!(failure.class, FailureClass::Lost);
    assert!(failure.message.contains("first_byte_timeout_seconds"), "{failure}");
}

/// Input: a refusal that names an exhausted limit without a retry delay; expected: the limit's reset time, but none
/// where waiting does not help.
#[tokio::test]
async fn exhausted_limit_gives_retry_delay() {
    let answer = "HTTP/1.1 429 Wait\r\nx-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 6m0s\r\n\
                  content-length: 0\r\n\r\n";
    let limited = failure(chat(&server(answer, false).await)).await;
    assert_eq!((limited.class, limited.retry_after), (FailureClass::Throttled, Some(Millis(60_000))));
    let unpaid = "HTTP/1.1 402 Pay\r\nx-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 6m0s\r\n\
                  content-length: 0\r\n\r\n";
    let unpaid = failure(chat(&server(unpaid, false).await)).await;
    assert_eq!((unpaid.class, unpaid.retry_after), (FailureClass::Exhausted, None));
}

/// Input: an address with a query; expected: it is sent, and appears in no failure, because it may be a key.
#[tokio::test]
async fn address_query_is_not_shown() {
    let (url, received) = keeper(b"HTTP/1.1 404 No\r\nconnection: close\r\n\r\n".to_vec()).await;
    let failure = failure(chat(&format!("{url}/v1?key=of-ann"))).await;
    assert!(received.await.unwrap().starts_with("POST /v1/chat/completions?key=of-ann "));
    assert!(
        failure.message.contains(&format!("{url}/v1")) && !failure.message.contains("of-ann"),
        "{failure}"
    );
}

/// Input: an address without the API version, at a server that has nothing there; expected: the failure names the
/// missing part.
#[tokio::test]
async fn address_without_version_is_reported() {
    let gone = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    let url = server(gone, false).await;
    let bare = failure(chat(&url)).await;
    assert!(bare.message.ends_with(&format!("(now {url}); most servers need {url}/v1.")), "{bare}");
    let url = format!("{}/v1", server(gone, false).await);
    let whole = failure(chat(&url)).await;
    assert!(whole.message.ends_with(&format!("(now {url}).")), "{whole}");
}

/// Input: entries of an API that its provider ended, at the provider's address and at a gateway; expected: the first
/// never calls and names the end with the entry that replaces it, the second is called.
#[tokio::test]
async fn ended_api_names_its_successor() {
    let entry = |url: Option<&str>| ProviderConfig {
        model: Some("sonar-pro".to_owned()),
        base_url: url.map(str::to_owned),
        ..ProviderConfig::new(ProviderKind::Perplexity)
    };
    let says = "providers.x.kind: Perplexity supported the API of kind \"perplexity\" until 2026-09-27; \
        set kind = \"openai\", base_url = \"https://api.perplexity.ai/v1\", api_key_env = \"PERPLEXITY_API_KEY\" \
        and a model of that API, like model = \"perplexity/sonar\"; or set base_url to a gateway that still offers it";
    for url in [None, Some("https://api.perplexity.ai/")] {
        let ended = registry(entry(url), Ok("k"));
        let failure = call(&ended).await.unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Misconfigured, says));
        let provider = ended.provider("x").unwrap();
        assert_eq!(provider.check().await.unwrap_err().message, says);
        assert_eq!(provider.models(1).await.unwrap_err().message, says);
        assert!(provider.body(&hello()).is_ok(), "stored requests stay readable");
    }
    let url = server(COSTLY, false).await;
    assert_eq!(call(&registry(entry(Some(&url)), Ok("k"))).await.unwrap().text, "hi");
}

/// Input: a whole answer with the cost header of LiteLLM; expected: the header is the bill if the entry says so, and no
/// price otherwise.
#[tokio::test]
async fn cost_header_is_billed_if_asked_for() {
    let cost = async |reported_cost, prices: Option<&str>| {
        let url = server(COSTLY, false).await;
        let entry = ProviderConfig {
            reported_cost,
            stream: false,
            prices: prices.map(|prices| toml::from_str(prices).unwrap()),
            base_url: Some(url),
            model: Some("m".to_owned()),
            ..ProviderConfig::new(ProviderKind::Compatible)
        };
        call(&registry(entry, Ok("k"))).await.unwrap().usage.unwrap().known_cost()
    };
    let dollars = |amount: &str| Cost::Exactly(amount.parse().unwrap());
    assert_eq!(cost(None, None).await, Cost::Unknown);
    assert_eq!(cost(Some(false), None).await, Cost::Unknown);
    assert_eq!(cost(Some(true), None).await, dollars("0.0000345"));
    assert_eq!(
        cost(Some(true), Some("input = 1\noutput = 1")).await,
        dollars("0.000007"),
        "prices come first"
    );
}

/// A whole answer of LiteLLM, with its header `x-litellm-response-cost`.
const COSTLY: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
    x-litellm-response-cost: 3.45e-05\r\n\r\n{\"model\": \"m\", \"choices\": [{\"finish_reason\": \"stop\", \
    \"message\": {\"content\": \"hi\"}}], \"usage\": {\"prompt_tokens\": 5, \"completion_tokens\": 2, \
    \"total_tokens\": 7}}";

/// A server that answers each of these paths with JSON and all others with 404; the task returns the methods and paths of the
/// requests.
async fn routes(
    answers: &'static [(&'static str, &'static str)],
) -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = asked.clone();
    tokio::spawn(async move {
        loop {
            let (mut line, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 65_536];
            let read = line.read(&mut request).await.unwrap();
            let head = String::from_utf8_lossy(&request[..read]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let found = answers.iter().find(|(known, _)| *known == path);
            seen.lock().unwrap().push(format!("{} {path}", head.split(' ').next().unwrap_or_default()));
            let (status, body) = found.map_or(("404 Not Found", "{}"), |(_, body)| ("200 OK", *body));
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n");
            let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            line.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (format!("http://{address}/v1"), asked)
}

/// The answers of a server by path, the window that they tell, and where it was read.
type ServerAnswers = (&'static [(&'static str, &'static str)], u64, ContextWindowSource);

/// Servers in the forms of llama.cpp, vLLM and Ollama, and one that tells nothing.
const SERVERS: [ServerAnswers; 6] = [
    (
        &[("/props", "{\"default_generation_settings\": {\"n_ctx\": 4096}}")],
        4_096,
        ContextWindowSource::Listing,
    ),
    (
        &[("/v1/models", "{\"data\": [{\"id\": \"m\", \"max_model_len\": 32768}]}")],
        32_768,
        ContextWindowSource::Listing,
    ),
    (
        &[("/api/ps", "{\"models\": [{\"name\": \"m:latest\", \"context_length\": 16384}]}")],
        16_384,
        ContextWindowSource::Listing,
    ),
    (
        &[("/api/ps", "{\"models\": []}"), ("/api/show", "{\"parameters\": \"num_ctx 24576\"}")],
        24_576,
        ContextWindowSource::Listing,
    ),
    (&[], ContextWindow::GUESS_LOCAL.tokens, ContextWindowSource::Guess),
    (
        &[("/api/ps", "{\"object\": \"list\", \"data\": []}")],
        ContextWindow::GUESS_LOCAL.tokens,
        ContextWindowSource::Guess,
    ),
];

/// Input: local servers of each form; expected: the window that the server tells, asked once, and a guess that says so. A
/// server that is not Ollama's gets no POST, which it may take for a call of its model.
#[tokio::test]
async fn window_is_asked_from_local_server() {
    for (answers, tokens, told) in SERVERS {
        let (url, asked) = routes(answers).await;
        let entry = ProviderConfig {
            model: Some("m".to_owned()),
            base_url: Some(url),
            ..ProviderConfig::new(ProviderKind::Compatible)
        };
        let provider = registry(entry.clone(), Ok("k")).provider("x").unwrap();
        assert_eq!(provider.window("m").told, ContextWindowSource::Guess);
        let learned = provider.learn_window("m").await;
        assert_eq!((learned.tokens, learned.told), (tokens, told), "{answers:?}");
        let is_ollama = answers.iter().any(|(path, body)| *path == "/api/ps" && body.contains("models"));
        let posts = asked.lock().unwrap().iter().any(|request| request.starts_with("POST"));
        assert!(is_ollama || !posts, "{answers:?}");
        let count = asked.lock().unwrap().len();
        assert_eq!(provider.learn_window("").await, learned);
        assert_eq!(asked.lock().unwrap().len(), count, "it is asked once");
        let silent = ProviderConfig { window_timeout_seconds: Some(0), ..entry };
        let provider = registry(silent, Ok("k")).provider("x").unwrap();
        assert_eq!(provider.learn_window("m").await.told, ContextWindowSource::Guess, "0 never asks");
        assert_eq!(asked.lock().unwrap().len(), count);
    }
}
