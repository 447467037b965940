//! Streams over a real connection.

use std::collections::VecDeque;
use std::time::Duration;

use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::AccessReach;
use entracte_application::stream::{AttemptOffset, started_attempt};
use entracte_domain::id::SessionId;
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::runtime_fixture::{FakeModelLine, envelope_line};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, OTHER, json_body, open_sqlite, send_request};

/// A server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SseTestFrame {
    pub(crate) id: Option<String>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

/// A client of server-sent events.
pub(crate) struct SseTestClient {
    response: Response,
    text: String,
    ready: VecDeque<SseTestFrame>,
}

impl SseTestClient {
    pub(crate) async fn open(scene: &HttpServerFixture, path: &str, token: &str, last: Option<&str>) -> Self {
        let request = scene.request(Method::GET, path, token);
        let request = match last {
            Some(last) => request.header("last-event-id", last),
            None => request,
        };
        Self::read(request.send().await.unwrap())
    }

    /// Reads a stream that was opened.
    fn read(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { response, text: String::new(), ready: VecDeque::new() }
    }

    /// The next frame; `None` after the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<SseTestFrame> {
        while self.ready.is_empty() {
            let chunk = self.response.chunk().await.ok()??;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                self.ready.push_back(parse(event));
                self.text = rest.to_owned();
            }
        }
        self.ready.pop_front()
    }

    /// The next frame of this type; earlier ones are skipped.
    pub(crate) async fn until(&mut self, kind: &str) -> SseTestFrame {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if event.kind == kind {
                return event;
            }
        }
    }
}

fn parse(event: &str) -> SseTestFrame {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let data = serde_json::from_str(&field("data: ").unwrap()).unwrap();
    SseTestFrame { id: field("id: "), kind: field("event: ").unwrap(), data }
}

pub(crate) fn stream_of(session: &entracte_domain::id::SessionId) -> String {
    format!("/v1/workspaces/{HOME}/sessions/{session}/stream")
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_sends_commits_and_live_text() {
    for database in super::server_fixture::databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let session = scene.life.chat(false).await;
        let mut events = SseTestClient::open(&scene, &stream_of(&session), &ann, None).await;
        let headers = events.response.headers().clone();
        assert_eq!(headers["content-type"], "text/event-stream");
        assert_eq!(headers["cache-control"], "no-store, no-transform");
        assert_eq!(headers["x-accel-buffering"], "no");
        let hello = events.next().await.unwrap();
        assert_eq!((hello.kind.as_str(), &hello.data["words"]), ("hello", &Value::Bool(true)));
        let stands = events.next().await.unwrap();
        assert_eq!((stands.id, &stands.data["phase"]), (None, &"IDLE".into()));

        scene.model.push_lines([envelope_line("At nine.")]);
        scene.life.send_and_wait(&session, "when?").await;
        let asked = events.until("entry").await;
        let start = events.until("stream_start").await;
        let chunk = events.until("stream_chunk").await;
        assert_eq!((&chunk.data["text"], &chunk.data["offset"]), (&"At nine.".into(), &0.into()));
        let attempt = &start.data["attempt"];
        assert_eq!(chunk.id.unwrap(), format!("{attempt}.{attempt}.8"));
        let complete = events.until("stream_complete").await;
        assert_eq!(complete.data["bytes"], 8);
        assert!(asked.data["seq"].as_u64() <= attempt.as_u64());

        // An interrupted client continues after its last event; the header overrides the URL.
        let path = format!("{}?after=0", stream_of(&session));
        let last = format!("{attempt}.{attempt}.3");
        let mut again = SseTestClient::open(&scene, &path, &ann, Some(&last)).await;
        assert_eq!(again.next().await.unwrap().id, Some(last));
        assert_eq!(again.until("stream_chunk").await.data["text"], "nine.");
        assert_eq!(again.until("stream_complete").await, complete);

        // All sessions on one stream: entries, without live text.
        let path = format!("/v1/workspaces/{HOME}/events?after=0");
        let mut all = SseTestClient::open(&scene, &path, &ann, None).await;
        assert_eq!(all.next().await.unwrap().data["words"], false);
        for seq in 1..=scene.journal(&session).await.last().unwrap().seq {
            let entry = all.next().await.unwrap();
            assert_eq!((entry.kind.as_str(), entry.id), ("entry", Some(seq.to_string())));
        }
    }
}

/// Settings, rules, data and deletions are on the workspace stream, with their log numbers, each once.
#[tokio::test(flavor = "multi_thread")]
async fn what_no_session_takes_in_is_told_on_events() {
    for database in super::server_fixture::databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let session = scene.life.chat(false).await;
        let path = format!("/v1/workspaces/{HOME}/events");
        let mut events = SseTestClient::open(&scene, &path, &ann, None).await;
        assert_eq!(events.next().await.unwrap().kind, "hello");
        let last = scene.journal(&session).await.last().unwrap().seq;

        let setting = format!("/v1/workspaces/{HOME}/settings/day_start");
        let put = scene.request(Method::PATCH, &setting, &ann);
        let read = scene.get(&setting, &ann).await;
        let put = put.header("if-match", read.etag.unwrap_or_default());
        let put = send_request(json_body(put, &json!({ "value": "5" }))).await;
        assert_eq!(put.status, 200, "{put:?}");
        let changed = events.until("changed").await;
        assert_eq!(changed.id, Some((last + 1).to_string()));
        let what = ["kind", "changed", "gone"].map(|name| changed.data[name].clone());
        assert_eq!(what, [json!("setting"), json!("day_start"), json!(false)]);

        let path_of = format!("/v1/workspaces/{HOME}/sessions/{session}");
        let read = scene.get(&path_of, &ann).await;
        let gone = scene.request(Method::DELETE, &path_of, &ann);
        let gone = send_request(gone.header("if-match", read.etag.unwrap_or_default())).await;
        assert!(gone.status < 300, "{gone:?}");
        let changed = events.until("changed").await;
        let what = ["kind", "changed", "gone"].map(|name| changed.data[name].clone());
        assert_eq!(what, [json!("session"), json!(session.as_str()), json!(true)]);

        // A client interrupted between the two gets the second, and nothing twice.
        let mut again = SseTestClient::open(&scene, &path, &ann, Some(&(last + 1).to_string())).await;
        assert_eq!(again.next().await.unwrap().kind, "hello");
        assert_eq!(again.next().await.unwrap(), changed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_that_no_log_tells_of_are_told_too() {
    for database in super::server_fixture::databases() {
        let limits = HttpServerLimits { stream_beat: Millis(200), ..HttpServerLimits::default() };
        let scene = HttpServerFixture::start_on(database, limits).await;
        let ann = scene.admin("ann", HOME).await;
        let mut events =
            SseTestClient::open(&scene, &format!("/v1/workspaces/{HOME}/events"), &ann, None).await;
        assert_eq!(events.next().await.unwrap().kind, "hello");
        // A target is added through the server; a person and a token directly in the store.
        scene.target("phone", json!({})).await;
        until_changed(&mut events, "target").await;
        scene.admin("bea", HOME).await;
        until_changed(&mut events, "person").await;
        until_changed(&mut events, "token").await;
        let own = format!("/v1/workspaces/{HOME}/me/secrets/github");
        let kept = send_request(json_body(
            scene.request(Method::PUT, &own, &ann),
            &json!({ "secret": "hush-hush" }),
        ))
        .await;
        assert!(kept.status < 300, "{kept:?}");
        let secret = until_changed(&mut events, "secret").await;
        assert!(!secret.data.to_string().contains("hush"), "that it is another list is all that is told");
    }
}

/// Waits for the frame of a changed list; it has no cursor.
async fn until_changed(events: &mut SseTestClient, kind: &str) -> SseTestFrame {
    loop {
        let told = events.until("changed").await;
        if told.data["kind"] == kind {
            assert_eq!(told.id, None);
            return told;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_cursor_is_refused() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    for path in [stream_of(&session), format!("/v1/workspaces/{HOME}/events")] {
        for cursor in ["-1", "x", "1.2", "01", "99999999999999999999"] {
            let refused = scene.get(&format!("{path}?after={cursor}"), &ann).await;
            assert_eq!((refused.status, refused.code()), (400, "cursor-invalid"), "{cursor}");
            let header = scene.request(Method::GET, &path, &ann).header("last-event-id", cursor);
            assert_eq!(send_request(header).await.code(), "cursor-invalid", "{cursor}");
        }
        let unknown = scene.get(&format!("{path}?from=1"), &ann).await;
        assert_eq!((unknown.status, unknown.code()), (422, "invalid"));
    }
    let lost = scene.get(&format!("/v1/workspaces/{HOME}/sessions/ses_lost/stream"), &ann).await;
    assert_eq!(lost.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_limited_per_token_and_workspace() {
    let limits = HttpServerLimits { streams: 3, streams_per_token: 2, ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let (ann, bea) = (scene.admin("ann", HOME).await, scene.admin("bea", HOME).await);
    let path = format!("/v1/workspaces/{HOME}/events");
    let mut open = vec![
        SseTestClient::open(&scene, &path, &ann, None).await,
        SseTestClient::open(&scene, &path, &ann, None).await,
    ];
    let refused = scene.get(&path, &ann).await;
    assert_eq!((refused.status, refused.code()), (429, "too-many-streams"));
    open.push(SseTestClient::open(&scene, &path, &bea, None).await);
    assert_eq!(scene.get(&path, &bea).await.code(), "too-many-streams", "the workspace is full");
    let eve = scene.admin("eve", OTHER).await;
    let other = format!("/v1/workspaces/{OTHER}/events");
    SseTestClient::open(&scene, &other, &eve, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_sends_heartbeats_and_end_reason() {
    let limits =
        HttpServerLimits { stream_beat: Millis(20), stream_look: Millis(5), ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let ann = scene.admin("ann", HOME).await;
    let bea = scene.admin("bea", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/events");
    let mut events = SseTestClient::open(&scene, &path, &ann, None).await;
    let beat = events.until("beat").await;
    assert_eq!(beat.id, None, "a beat moves no cursor");

    // Revoked: it ends by itself, even without any event.
    let tokens = scene.get(&format!("/v1/workspaces/{HOME}/tokens"), &bea).await;
    let tokens = tokens.body["items"].as_array().unwrap().clone();
    let id = tokens.iter().find(|token| token["person"]["name"] == "ann").unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let revoke = scene.request(Method::DELETE, &format!("/v1/workspaces/{HOME}/tokens/{id}"), &bea);
    assert!(send_request(revoke).await.status < 300);
    assert_eq!(events.until("goodbye").await.data["reason"], "revoked");
    assert_eq!(events.next().await, None);

    // The server shuts down: it says so, and waits for no stream.
    let mut events = SseTestClient::open(&scene, &path, &bea, None).await;
    events.until("hello").await;
    scene.stop_server();
    assert_eq!(events.until("goodbye").await.data["reason"], "shutdown");
    let done = scene.done.lock().unwrap().take().unwrap();
    done.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_ends_after_its_lifetime() {
    let limits =
        HttpServerLimits { stream_lasts: Millis(1), stream_look: Millis(5), ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/events");
    let mut events = SseTestClient::open(&scene, &path, &ann, None).await;
    assert_eq!(events.until("goodbye").await.data["reason"], "age");
}

/// One client reads nothing at all; the session and other readers are not slowed, and its stream is closed in the end.
#[tokio::test(flavor = "multi_thread")]
async fn slow_client_never_slows_a_session() {
    let limits = HttpServerLimits {
        stall_timeout: Millis::seconds(2),
        streams: 2,
        streams_per_token: 0,
        requests: 0,
        ..HttpServerLimits::default()
    };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    let _slow = SseTestClient::open(&scene, &stream_of(&session), &ann, None).await;
    let mut quick = SseTestClient::open(&scene, &stream_of(&session), &ann, None).await;
    let long = "word ".repeat(200_000);
    for turn in 0..8 {
        scene.model.push_lines([envelope_line(&format!("{turn} {long}"))]);
        // The quick one reads all the time.
        let (_turn, complete) =
            tokio::join!(scene.life.send_and_wait(&session, "go on"), quick.until("stream_complete"));
        assert!(complete.data["bytes"].as_u64().unwrap() > 1_000_000, "{complete:?}");
    }
    // The permit of the slow client is released: its stream was closed.
    loop {
        let third = scene.request(Method::GET, &stream_of(&session), &ann).send().await.unwrap();
        if third.status() == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the running reply of a session has shown something.
async fn words_are_shown(scene: &HttpServerFixture, session: &SessionId) {
    loop {
        let entries = scene.journal(session).await;
        let begun = entries.iter().rev().find(|entry| started_attempt(entry).is_some()).unwrap();
        let from = AttemptOffset { attempt: begun.seq, text: 0, thoughts: 0 };
        let shown = scene.life.live.text_delta(&scene.life.workspace, session, from);
        if shown.is_some_and(|shown| !shown.text.is_empty()) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Actions and stored state are the same with no person present, with a reader, or with heartbeats only; with no person
/// present, text arrives when it is stored.
#[tokio::test(flavor = "multi_thread")]
async fn no_behaviour_depends_on_presence() {
    let mut told_in = Vec::new();
    for (lasts, reads, says_so) in
        [(300_000, false, false), (300_000, true, false), (300_000, false, true), (0, true, true)]
    {
        let limits = HttpServerLimits {
            presence_lasts: Millis(lasts),
            stream_look: Millis(5),
            ..HttpServerLimits::default()
        };
        let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
        let ann = scene.admin("ann", HOME).await;
        let session = scene.life.chat(false).await;
        let mut events = match reads {
            true => Some(SseTestClient::open(&scene, &stream_of(&session), &ann, None).await),
            false => None,
        };
        if says_so {
            let here = scene.request(Method::PUT, &format!("/v1/workspaces/{HOME}/presence"), &ann);
            assert_eq!(send_request(here).await.body["lasts_ms"], lasts);
        }
        scene
            .model
            .push_lines([envelope_line("At nine."), FakeModelLine::Stalls(r#"{"pre_text": "At t"#.into())]);
        scene.life.send_and_wait(&session, "when?").await;
        if let Some(events) = &mut events {
            assert_eq!(
                events.until("stream_chunk").await.data["text"],
                "At nine.",
                "stored words always come"
            );
        }
        scene.life.send_message(&session, "and then?").await;
        if let Some(events) = &mut events {
            events.until("stream_start").await;
            if lasts > 0 {
                assert_eq!(events.until("stream_chunk").await.data["text"], "At t");
            }
        }
        words_are_shown(&scene, &session).await;
        let interrupt = entracte_application::use_cases::InterruptRound::new(scene.life.mail_sender.clone());
        interrupt.run(&scene.life.workspace, &session, "ann".into()).await.unwrap();
        if let Some(events) = &mut events {
            // The words that were shown stay.
            loop {
                let next = events.next().await.unwrap();
                assert_ne!(next.kind, "stream_superseded", "{next:?}");
                if next.kind == "stream_complete" {
                    break;
                }
            }
        }
        let journal = scene.journal(&session).await;
        let lines = journal.iter().map(|entry| {
            let messages = entry.messages();
            let said: Vec<String> = messages.iter().map(|message| format!("{:?}", message.body)).collect();
            (entry.seq, entry.input.label(), said)
        });
        told_in.push(lines.collect::<Vec<_>>());
    }
    assert!(told_in.windows(2).all(|pair| pair[0] == pair[1]), "{told_in:#?}");
}

/// Input: a stream that is read for longer than presence lasts; expected: the words of the model still come while they are
/// said.
#[tokio::test(flavor = "multi_thread")]
async fn live_words_continue_while_stream_is_read() {
    let limits =
        HttpServerLimits { presence_lasts: Millis(1), stream_look: Millis(5), ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    let mut events = SseTestClient::open(&scene, &stream_of(&session), &ann, None).await;
    scene
        .model
        .push_lines([envelope_line("At nine."), FakeModelLine::Stalls(r#"{"pre_text": "At t"#.into())]);
    scene.life.send_and_wait(&session, "when?").await;
    events.until("stream_complete").await;
    scene.life.send_message(&session, "and then?").await;
    events.until("stream_start").await;
    assert_eq!(events.until("stream_chunk").await.data["text"], "At t", "it is not stored yet");
}

/// Input: the ticket of a browser, which can send neither header nor token with a stream; expected: it opens the stream of
/// its path as its token does, again and again, one at a time, until its time is over or the token is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn ticket_reopens_its_stream_one_at_a_time() {
    let limits = HttpServerLimits { stream_look: Millis(5), ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let (ann, eve) = (scene.admin("ann", HOME).await, scene.admin("eve", OTHER).await);
    let path = format!("/v1/workspaces/{HOME}/events");
    let ticket = async |token: &str| {
        let made = scene.post("/v1/tickets", token, serde_json::json!({ "path": path })).await;
        assert_eq!(made.status, 200, "{made:?}");
        made.body["ticket"].as_str().unwrap().to_owned()
    };
    let open = async |path: String| scene.client.get(format!("{}{path}", scene.url)).send().await.unwrap();
    let ask = async |path: String| open(path).await.status();
    let good = ticket(&ann).await;
    let mut first = SseTestClient::read(open(format!("{path}?after=0&ticket={good}")).await);
    first.until("hello").await;
    let mut second = SseTestClient::read(open(format!("{path}?after=0&ticket={good}")).await);
    second.until("hello").await;
    let end = first.until("goodbye").await;
    assert_eq!((&end.data["reason"], &end.data["retry_ms"]), (&"replaced".into(), &60_000.into()));
    assert!(first.next().await.is_none());

    let session = scene.life.chat(false).await;
    assert_eq!(ask(format!("{}?ticket={good}", stream_of(&session))).await, 401, "another stream");
    assert_eq!(ask(format!("/v1/workspaces/{HOME}/sessions?ticket={good}")).await, 401, "for streams alone");
    let foreign = ticket(&eve).await;
    assert_eq!(ask(format!("{path}?ticket={foreign}")).await, 404, "it opens what its token opens");
    assert_eq!(ask(format!("{path}?ticket=guess")).await, 401);
    let refused = scene.post("/v1/tickets", &ann, serde_json::json!({ "path": "/v1/me" })).await;
    assert_eq!((refused.status, refused.code()), (422, "invalid"));

    let id = ann.trim_start_matches("entr_").split('.').next().unwrap();
    scene.house_access().revoke(&AccessReach::Everywhere, id, Timestamp(i64::MAX / 2)).await.unwrap();
    assert_eq!(second.until("goodbye").await.data["reason"], "revoked");
    assert_eq!(ask(format!("{path}?ticket={good}")).await, 401, "its token is revoked");

    let late = HttpServerFixture::start_on(
        open_sqlite(),
        HttpServerLimits { ticket_lasts: Millis(0), ..HttpServerLimits::default() },
    )
    .await;
    let ann = late.admin("ann", HOME).await;
    let made = late.post("/v1/tickets", &ann, serde_json::json!({ "path": path })).await;
    let spent = made.body["ticket"].as_str().unwrap();
    let answer = late.client.get(format!("{}{path}?ticket={spent}", late.url)).send().await.unwrap();
    assert_eq!(answer.status(), 401, "its time is over");
}
