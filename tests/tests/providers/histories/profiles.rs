//! Every kind of provider against the strict fake of its server: a conversation with calls of its own and of another
//! server, the envelope, and a closing call, sent over HTTP as the registry configures it.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, FileContents, MockClock, MockReplySink,
    MockSecretStore, ModelRequest, NativeCall, OutputShape, PromptTurn, Provider, ProviderRegistry as _,
    UserTurnPart,
};
use entracte_application::protocol::envelope::schema_for;
use entracte_application::protocol::tools::declarations;
use entracte_application::settings::Language;
use entracte_domain::file::FileReference;
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Timestamp;
use entracte_tests::cryptography::crypto;
use entracte_tests::strict::{
    FakeProviderServer, StrictApi, StrictApiPeer, StrictApiRule, StrictReplyPart, StrictServerRequest,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::servers::CATALOG;

const KEY: &str = "key-of-tests-1";

/// A server that gives this answer to one request.
async fn server(answer: Vec<u8>) -> (String, JoinHandle<StrictServerRequest>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let received = tokio::spawn(async move {
        let (line, _) = listener.accept().await.unwrap();
        let mut line = BufReader::new(line);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            line.read_line(&mut head).await.unwrap();
        }
        let pairs = head.lines().skip(1).filter_map(|header| header.split_once(": "));
        let headers: BTreeMap<String, String> =
            pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        line.read_exact(&mut body).await.unwrap();
        let start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
        line.write_all(start.as_bytes()).await.unwrap();
        line.write_all(&answer).await.unwrap();
        StrictServerRequest { path: head.split(' ').nth(1).unwrap().to_owned(), headers, body }
    });
    (url, received)
}

fn provider(kind: &str, url: &str) -> Arc<dyn Provider> {
    provider_with(kind, url, "")
}

/// A provider with more in its entry.
fn provider_with(kind: &str, url: &str, more: &str) -> Arc<dyn Provider> {
    let entry =
        format!("kind = \"{kind}\"\nmodel = \"m-1\"\nbase_url = \"{url}\"\nmax_output_tokens = 100\n{more}");
    let entry = ProviderConfig::from_toml("x", &entry).unwrap();
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(|_| Ok(KEY.into()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp(0));
    let entries = BTreeMap::from([("x".to_owned(), entry)]);
    ConfigProviderRegistry::new(entries, Arc::new(secrets), Arc::new(clock), crypto()).provider("x").unwrap()
}

fn assistant_call_turn(ids: &[&str]) -> PromptTurn {
    let calls = ids.iter().map(|id| NativeCall {
        provider_call_id: (*id).to_owned(),
        name: "outside_look".to_owned(),
        arguments: r#"{"at":1}"#.to_owned(),
    });
    PromptTurn::Assistant(AssistantTurn { text: "I look.".to_owned(), calls: calls.collect(), raw: None })
}

fn answered(ids: &[&str]) -> PromptTurn {
    let result = |id: &&str| UserTurnPart::Result {
        provider_call_id: (*id).to_owned(),
        name: "outside_look".to_owned(),
        content: "5 km".to_owned(),
        is_error: *id == ids[0],
        files: Vec::new(),
    };
    let mut parts: Vec<UserTurnPart> = ids.iter().map(result).collect();
    parts.push(UserTurnPart::System("<entracte type=\"GUIDE\">Be brief.</entracte>".to_owned()));
    parts.push(UserTurnPart::Text("[10:00] And now?".to_owned()));
    PromptTurn::User(parts)
}

/// The requests of every kind: with tools, with a closing call, in the envelope.
fn requests(has_tools: bool) -> Vec<ModelRequest> {
    let one = || PromptTurn::User(vec![UserTurnPart::Text("[09:00] How far is it?".to_owned())]);
    let (of_others, again) = (["toolu_01", "call_1"], ["", "call_1"]);
    let native = vec![
        one(),
        assistant_call_turn(&of_others),
        answered(&of_others),
        assistant_call_turn(&again),
        answered(&again),
    ];
    let plain = vec![one(), assistant_call_turn(&[]), one()];
    let specs = CATALOG.specs();
    let of = |turns: &[PromptTurn], commands, output, tools: bool| ModelRequest {
        session: SessionId::new("ses_1"),
        model: String::new(),
        encoding: "".into(),
        system: vec!["You keep notes. Answer in JSON.".into(), "Zones: health.".into()],
        turns: turns.iter().cloned().map(Arc::new).collect(),
        tools: if tools {
            declarations(&specs, SessionKind::Chat, Language::En).into()
        } else {
            Arc::new([])
        },
        commands,
        relaunch: false,
        output_tokens: None,
        output,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    };
    let envelope = OutputShape::Json { name: "reply".to_owned(), schema: Arc::new(schema_for(&specs)) };
    let mut all = vec![of(&plain, CommandRequestPolicy::Allowed, envelope, false)];
    if has_tools {
        let uses =
            [CommandRequestPolicy::Allowed, CommandRequestPolicy::WordsOnly, CommandRequestPolicy::None];
        all.extend(uses.map(|commands| of(&native, commands, OutputShape::Text, true)));
    }
    all
}

#[tokio::test]
async fn every_profile_passes_its_strict_fake() {
    for fake in FakeProviderServer::ALL {
        for request in requests(fake.tools) {
            let answer = StrictApiPeer::new(fake.api).answer(&[StrictReplyPart::Says("5 km".to_owned())]);
            let (url, received) = server(answer).await;
            let mut sink = MockReplySink::new();
            sink.expect_text().return_const(());
            let asked = (request.commands, request.tools.len());
            let reply = provider(fake.kind, &url).call(request, Arc::new(sink)).await.unwrap();
            let received = received.await.unwrap();
            let taken = fake.take(&received, KEY);
            assert_eq!(taken, Ok(()), "{} {asked:?}: {}", fake.kind, String::from_utf8_lossy(&received.body));
            assert_eq!(reply.text, "5 km", "{}", fake.kind);
        }
    }
}

/// The request with an image in each last result of a turn, and another with a PDF in each message without results.
fn with_files(request: ModelRequest) -> ModelRequest {
    let file = |name: &str, media_type: &str| FileReference {
        digest: Digest::new(name),
        media_type: media_type.to_owned(),
        name: name.to_owned(),
        bytes: 4,
        dimensions: None,
        pages: None,
        model_form: None,
    };
    let mut files = FileContents::default();
    for name in ["shot", "chart", "report"] {
        files.insert(Digest::new(name), name.as_bytes().to_vec());
    }
    let mut turns = request.turns.clone();
    let is_results = |part: &UserTurnPart| matches!(part, UserTurnPart::Result { .. });
    for turn in turns.iter_mut().map(Arc::make_mut) {
        let PromptTurn::User(parts) = turn else { continue };
        if let Some(UserTurnPart::Result { files, .. }) = parts.iter_mut().rev().find(|part| is_results(part))
        {
            files.push(file("shot", "image/png"));
        }
        if !parts.iter().any(is_results) {
            let attached = [file("chart", "image/jpeg"), file("report", "application/pdf")];
            parts.extend(attached.map(UserTurnPart::File));
        }
    }
    ModelRequest { turns, files, ..request }
}

/// Input: images in a message and in a result, and a PDF, for every kind of provider, with models that read both and with
/// ones that read neither; expected: each server takes the request. Images reach every model that reads them, but not where
/// a server refuses a message after results; PDF reaches those whose API has it.
#[tokio::test]
async fn image_reaches_every_wire() {
    for fake in FakeProviderServer::ALL {
        for is_read in [true, false] {
            for request in requests(fake.tools).into_iter().map(with_files) {
                let has_results = !request.tools.is_empty();
                let answer = StrictApiPeer::new(fake.api).answer(&[StrictReplyPart::Says("5 km".to_owned())]);
                let (url, received) = server(answer).await;
                let mut sink = MockReplySink::new();
                sink.expect_text().return_const(());
                let reads = format!("models = {{ m-1 = {{ images = {is_read}, pdf = {is_read} }} }}");
                let request = ModelRequest { model: "m-1".to_owned(), ..request };
                provider_with(fake.kind, &url, &reads).call(request, Arc::new(sink)).await.unwrap();
                let received = received.await.unwrap();
                let body = String::from_utf8_lossy(&received.body);
                assert_eq!(fake.take(&received, KEY), Ok(()), "{}: {body}", fake.kind);
                // In base64: chart, report, shot.
                let reaches = |bytes: &str| body.contains(bytes);
                assert_eq!(reaches("Y2hhcnQ="), is_read, "{}: {body}", fake.kind);
                let has_pdf = is_read && fake.api != StrictApi::Chat;
                assert_eq!(reaches("cmVwb3J0"), has_pdf, "{}: {body}", fake.kind);
                let follows =
                    is_read && has_results && (fake.api != StrictApi::Chat || fake.user_after_result);
                assert_eq!(reaches("c2hvdA=="), follows, "{}: {body}", fake.kind);
            }
        }
    }
}

/// The address of a model list, whose pages come from one server each.
async fn lister(fake: FakeProviderServer, key: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((line, _)) = listener.accept().await {
            let mut line = BufReader::new(line);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                line.read_line(&mut head).await.unwrap();
            }
            let pairs = head.lines().skip(1).filter_map(|header| header.split_once(": "));
            let headers = pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let answer = match fake.list(&StrictServerRequest { path, headers, body: Vec::new() }, key) {
                Ok(page) => format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{page}"
                ),
                Err(refusal) => format!(
                    "HTTP/1.1 {} No\r\nconnection: close\r\n\r\n{{\"error\":{{\"message\":\"{KEY} is wrong: {:?}\"}}}}",
                    if refusal.rule == StrictApiRule::Key { 401 } else { 422 },
                    refusal.rule
                ),
            };
            line.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    url
}

#[tokio::test]
async fn every_profile_lists_its_models() {
    for fake in FakeProviderServer::ALL {
        let url = lister(fake, KEY).await;
        let list = provider(fake.kind, &url).models(1000).await.unwrap().unwrap();
        let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!((ids, list.is_cut), (vec!["m-1", "m-2", "m-3"], false), "{}", fake.kind);
        assert_eq!(list.models[0].context_tokens, Some(1000));
        let list = provider(fake.kind, &url).models(2).await.unwrap().unwrap();
        assert_eq!((list.models.len(), list.is_cut), (2, true), "{}", fake.kind);
    }
}

#[tokio::test]
async fn wrong_key_lists_nothing_and_is_not_echoed() {
    for fake in FakeProviderServer::ALL.into_iter().filter(|fake| !["ollama", "vllm"].contains(&fake.kind)) {
        let url = lister(fake, "another-key").await;
        let failure = provider(fake.kind, &url).models(1000).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Misconfigured, "{}", fake.kind);
        let says = &failure.message;
        assert!(says.contains("answered 401") && says.contains("Check the key"), "{says}");
        assert!(!says.contains(KEY), "{says}");
    }
}
