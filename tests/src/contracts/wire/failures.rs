//! Handling of invalid and missing responses, and forbidden behaviours of a wire.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;

use super::requests::plain_request;
use super::server::{ScriptedBodyEnd, ScriptedBodyStep, ScriptedResponse, ScriptedWireServer};
use super::{
    AwaitableReplySink, KEY, WireConnectionFixture, WireFixture, WireReplyBytes, WireReplySpec,
    WireServerRefusal, encode_required_reply, soon,
};

const WORDS: [&str; 2] = ["We open ", "at nine."];

/// The response is cut before the server reported how the model ended, whether the connection breaks or closes cleanly:
/// it may have been billed, and none of its calls may run.
pub async fn a_cut_answer_is_lost(wire: Arc<dyn WireFixture>) {
    let WireReplyBytes { pieces, .. } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let kind = wire.content_type().to_owned();
    let mut scripts = Vec::new();
    for cut in 0..pieces.len() {
        for end in [ScriptedBodyEnd::Whole, ScriptedBodyEnd::Broken, ScriptedBodyEnd::Closed] {
            let told = pieces.iter().take(cut).cloned();
            let half = pieces.get(cut).map(|piece| piece[..piece.len() / 2].to_vec());
            scripts.push(ScriptedResponse::from_pieces(&kind, told.clone()).ending(end));
            scripts.push(ScriptedResponse::from_pieces(&kind, told.chain(half)).ending(end));
        }
    }
    let times = scripts.len();
    let line = WireConnectionFixture::with_responses(wire, scripts).await;
    for time in 0..times {
        let (reply, ear) = line.call(&plain_request("When do you open?")).await;
        let failure = reply.err().unwrap_or_else(|| panic!("answer {time} was cut and counts as whole"));
        assert_eq!(failure.class, FailureClass::Lost, "answer {time}: {failure}");
        assert!(WORDS.concat().starts_with(&ear.text()), "answer {time}: “{}”", ear.text());
    }
}

/// A web page, an empty body, a line of something else.
pub async fn what_is_not_an_answer_is_a_failure(wire: Arc<dyn WireFixture>) {
    let kind = wire.content_type().to_owned();
    let page = b"<!doctype html><title>Sign in</title><p>Welcome to this network.".to_vec();
    let strange = br#"{"hello":"from another API"}"#.to_vec();
    let damaged = b"data: {\"\xff\xfe\":1}\n\n".to_vec();
    let scripts = [
        ScriptedResponse::from_pieces("text/html", [page.clone()]),
        ScriptedResponse::from_pieces(&kind, [page]),
        ScriptedResponse::from_pieces(&kind, []),
        ScriptedResponse::from_pieces("application/json", [strange]),
        ScriptedResponse::from_pieces(&kind, [damaged]),
    ];
    let times = scripts.len();
    let line = WireConnectionFixture::with_responses(wire, scripts).await;
    for time in 0..times {
        let failure = line.failure(&plain_request("When do you open?")).await;
        let is_told = matches!(failure.class, FailureClass::Misconfigured | FailureClass::Lost);
        assert!(is_told, "answer {time} is {:?}: {failure}", failure.class);
    }
}

/// Nothing listens at the address, so nothing was sent.
pub async fn no_connection_is_unreachable(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let nobody = line.wire.provider(&free_address(), KEY);
    let line = WireConnectionFixture { provider: nobody, ..line };
    let failure = line.failure(&plain_request("When do you open?")).await;
    assert_eq!(failure.class, FailureClass::Unreachable, "{failure}");
}

/// An address of this machine where no server listens any more.
fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port of this machine is free");
    format!("http://{}", listener.local_addr().expect("it has an address"))
}

/// The request was sent completely, and the connection closed without a response: it may have been billed. It is sent
/// once.
pub async fn no_answer_is_lost(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let failure = line.failure(&plain_request("When do you open?")).await;
    assert_eq!(failure.class, FailureClass::Lost, "{failure}");
    assert_eq!(line.server.counts().requests, 1);
}

/// A server that sends half a response and then nothing has not answered, however long that lasts: the call waits, or
/// it is lost. The clock advances by itself once the half was received.
pub async fn silence_is_no_answer(wire: Arc<dyn WireFixture>) {
    let WireReplyBytes { pieces, .. } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let half = pieces.len() / 2;
    let script = ScriptedResponse::from_pieces(wire.content_type(), pieces.into_iter().take(half))
        .with_step(ScriptedBodyStep::Hold);
    let limits = wire.provider(&free_address(), KEY).limits("");
    let line = WireConnectionFixture::with_responses(wire, [script]).await;
    let ear = Arc::new(AwaitableReplySink::default());
    let mut call = line.provider.call(plain_request("When do you open?"), ear.clone());
    let sent = async {
        line.server.until(|counts| counts.requests == 1 && counts.sent_bytes > 0).await;
        if half > 0 && line.wire.streams() {
            ear.wait_for_keep_alive(0).await;
        }
    };
    tokio::select! {
        ended = &mut call => panic!("the answer was still to come: {ended:?}"),
        () = sent => {}
    }
    tokio::time::pause();
    let longest = [limits.first_byte, limits.idle, limits.whole].map(|limit| limit.0.unsigned_abs());
    let long = std::time::Duration::from_millis(longest.into_iter().max().unwrap_or_default() * 2);
    let outcome = tokio::time::timeout(long, call).await;
    tokio::time::resume();
    match outcome {
        Err(_) => {}
        Ok(Err(failure)) => assert_eq!(failure.class, FailureClass::Lost, "{failure}"),
        Ok(Ok(reply)) => panic!("nobody said that “{}” is all", reply.text),
    }
}

/// The machine decides by the class: another key, later, or another provider.
pub async fn statuses_have_their_classes(wire: Arc<dyn WireFixture>) {
    let cases = [
        (WireServerRefusal::Key, FailureClass::Misconfigured),
        (WireServerRefusal::TooMany, FailureClass::Throttled),
        (WireServerRefusal::Busy, FailureClass::Overloaded),
    ];
    let line = WireConnectionFixture::with_responses(
        wire.clone(),
        cases.map(|(refusal, _)| refused(wire.as_ref(), refusal)),
    )
    .await;
    for (refusal, class) in cases {
        let failure = line.failure(&plain_request("When do you open?")).await;
        assert_eq!(failure.class, class, "{refusal:?}: {failure}");
        let info = line.provider.info();
        let names_it = failure.message.contains(&info.name) || failure.message.contains(&info.display_name);
        assert!(names_it, "“{failure}” does not name {}", info.name);
    }
}

fn refused(wire: &dyn WireFixture, refusal: WireServerRefusal) -> ScriptedResponse {
    let (status, body) = wire.refusal(refusal);
    ScriptedResponse::from_pieces("application/json", [body.into_bytes()]).status(status)
}

/// In seconds, as any server may send it; a call after that wait succeeds.
pub async fn a_failure_says_when_to_come_back(wire: Arc<dyn WireFixture>) {
    let script = refused(wire.as_ref(), WireServerRefusal::TooMany).header("retry-after", "7");
    let line = WireConnectionFixture::with_responses(wire, [script]).await;
    let failure = line.failure(&plain_request("When do you open?")).await;
    assert_eq!(failure.retry_after, Some(Millis::seconds(7)), "{failure}");
}

/// In every case, because retries are decided elsewhere and recorded first.
pub async fn one_call_is_one_request(wire: Arc<dyn WireFixture>) {
    let WireReplyBytes { pieces, end } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let kind = wire.content_type().to_owned();
    let good = || ScriptedResponse::from_pieces(&kind, pieces.iter().chain(&end).cloned());
    let bad = [
        refused(wire.as_ref(), WireServerRefusal::Busy),
        refused(wire.as_ref(), WireServerRefusal::TooMany),
        refused(wire.as_ref(), WireServerRefusal::Key),
        ScriptedResponse::from_pieces(&kind, pieces.iter().take(1).cloned()).ending(ScriptedBodyEnd::Broken),
    ];
    for script in bad {
        // A second request gets a response, which reveals the retry.
        let line = WireConnectionFixture::with_responses(wire.clone(), [script, good(), good()]).await;
        line.failure(&plain_request("When do you open?")).await;
        assert_eq!(line.server.counts().requests, 1);
    }
    let line = WireConnectionFixture::with_responses(wire.clone(), [good(), good()]).await;
    line.answer(&plain_request("When do you open?")).await;
    assert_eq!(line.server.counts().requests, 1);
}

/// The key would be sent along.
pub async fn a_redirect_is_not_followed(wire: Arc<dyn WireFixture>) {
    let elsewhere = ScriptedWireServer::start([]).await;
    let script =
        ScriptedResponse::from_pieces("text/plain", []).status(307).header("location", elsewhere.address());
    let line = WireConnectionFixture::with_responses(wire, [script]).await;
    line.failure(&plain_request("When do you open?")).await;
    assert_eq!((line.server.counts().requests, elsewhere.counts().connections), (1, 0));
}

/// Cancelling a reply also stops its cost: before the response starts, and while it streams.
pub async fn a_dropped_call_closes_its_connection(wire: Arc<dyn WireFixture>) {
    let WireReplyBytes { pieces, end } = encode_required_reply(wire.as_ref(), &WireReplySpec::words(&WORDS));
    let kind = wire.content_type().to_owned();
    let good = ScriptedResponse::from_pieces(&kind, pieces.iter().chain(&end).cloned());
    let mut held = ScriptedResponse::from_pieces(&kind, pieces.iter().take(1).cloned())
        .with_step(ScriptedBodyStep::Hold);
    held.steps.extend(pieces.into_iter().skip(1).chain(end).map(ScriptedBodyStep::Send));
    let line = WireConnectionFixture::with_responses(wire, [held, good]).await;
    drop(line.provider.call(plain_request("Never asked."), Arc::new(AwaitableReplySink::default())));
    let mut call =
        line.provider.call(plain_request("When do you open?"), Arc::new(AwaitableReplySink::default()));
    let _ = Pin::new(&mut call).poll(&mut Context::from_waker(Waker::noop()));
    tokio::select! {
        ended = &mut call => panic!("the answer was still to come: {ended:?}"),
        _ = line.server.until(|counts| counts.requests == 1 && counts.sent_bytes > 0) => {}
    }
    drop(call);
    soon("the end of the connection", line.server.until(|counts| counts.left == 1)).await;
    assert_eq!(line.server.counts().requests, 1, "what was dropped before it began was not sent");
    let reply = line.answer(&plain_request("When do you open?")).await;
    assert_eq!(reply.text, WORDS.concat(), "it answers as if nothing had been");
}

/// Some servers echo their input.
pub async fn the_key_is_in_no_failure(wire: Arc<dyn WireFixture>) {
    let echo = format!("{{\"error\":{{\"type\":\"auth\",\"message\":\"the key {KEY} is wrong\"}}}}");
    let kind = wire.content_type().to_owned();
    let scripts = [
        ScriptedResponse::from_pieces("application/json", [echo.clone().into_bytes()]).status(401),
        ScriptedResponse::from_pieces("application/json", [echo.clone().into_bytes()]).status(500),
        ScriptedResponse::from_pieces("text/plain", [format!("{KEY}: who is that?").into_bytes()])
            .status(403),
        ScriptedResponse::from_pieces(&kind, [format!("data: {echo}\n\n").into_bytes()]),
        ScriptedResponse::from_pieces("text/html", [format!("<p>{KEY}").into_bytes()]),
    ];
    let times = scripts.len();
    let line = WireConnectionFixture::with_responses(wire, scripts).await;
    for time in 0..times {
        let failure = line.failure(&plain_request("When do you open?")).await;
        assert!(!format!("{failure} {failure:?}").contains(KEY), "answer {time} shows the key: {failure}");
    }
    let nobody = WireConnectionFixture { provider: line.wire.provider(&free_address(), KEY), ..line };
    let failure = nobody.failure(&plain_request("When do you open?")).await;
    assert!(!format!("{failure:?}").contains(KEY), "{failure}");
}

/// An endless response does not fill the memory: the call is abandoned before all of it is read.
pub async fn an_answer_without_end_is_given_up(wire: Arc<dyn WireFixture>) {
    let most_bytes = wire.limit_bytes();
    let kind = wire.content_type().to_owned();
    let flood = ScriptedBodyStep::Flood(vec![b' '; 1 << 16], most_bytes);
    let line = WireConnectionFixture::with_responses(
        wire,
        [ScriptedResponse::from_pieces(&kind, [b"data: ".to_vec()]).with_step(flood)],
    )
    .await;
    line.failure(&plain_request("When do you open?")).await;
    let is_over = line.server.until(|counts| counts.left + counts.finished == 1);
    let counts = soon("the end of the connection", is_over).await;
    assert_eq!((counts.left, counts.finished), (1, 0), "all of the {most_bytes} bytes were read");
}
