//! Requests on the wire, size and time limits, broken connections.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Method;
use reqwest::header::{HOST, HeaderMap, HeaderValue};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::super::fake_peer::{FakeHttpPeer, PeerAction, ScriptedResolver, answer, crypto};
use super::super::{EgressClient, EgressError, EgressRequest, EgressSettings, NameResolver};
use super::{egress, settings};

/// A client with these settings that may call this machine.
fn with(change: impl FnOnce(&mut EgressSettings)) -> EgressClient {
    let mut settings = settings(&["127.0.0.1"]);
    change(&mut settings);
    EgressClient::with_resolver(settings, ScriptedResolver::new(&[]), crypto())
}

#[tokio::test]
async fn connection_uses_vetted_address_and_original_host_name() {
    let peer = FakeHttpPeer::new(vec![answer(201, &["x-found: yes"], "{}")]).await;
    let mut request = EgressRequest::get(peer.url("shop.example", "/a?b=c"));
    request.method = Method::POST;
    request.body = Some(b"body".to_vec());
    request.headers.insert("x-mine", HeaderValue::from_static("1"));
    // Callers may not set this header.
    request.headers.insert(HOST, HeaderValue::from_static("elsewhere.example"));
    let answer = egress(&["shop.example"]).send(request).await.unwrap();
    assert_eq!(
        (answer.status, answer.header("x-found"), answer.body.as_slice()),
        (201, Some("yes"), b"{}".as_slice())
    );
    let heard = peer.requests().remove(0);
    let port = peer.address.port();
    assert!(heard.starts_with("POST /a?b=c HTTP/1.1\r\n") && heard.ends_with("\r\n\r\nbody"), "{heard}");
    for line in [&format!("host: shop.example:{port}"), "x-mine: 1", "accept-encoding: identity"] {
        assert!(heard.contains(line), "{line} in {heard}");
    }
    assert!(!heard.contains("elsewhere"), "{heard}");
}

#[tokio::test]
async fn tls_handshake_keeps_host_name() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let greeting = tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        let mut bytes = vec![0; 4096];
        let count = line.read(&mut bytes).await.unwrap();
        bytes.truncate(count);
        bytes
    });
    let url = format!("https://bank.example:{port}/");
    let error = egress(&["bank.example"]).send(EgressRequest::get(url)).await.unwrap_err();
    assert!(matches!(error, EgressError::Unreachable { .. }), "{error}");
    assert!(!error.may_have_been_processed());
    let greeting = greeting.await.unwrap();
    assert!(greeting.windows(12).any(|bytes| bytes == b"bank.example"));
}

#[tokio::test]
async fn oversized_body_is_refused_announced_or_not() {
    let small = with(|settings| settings.size_max_bytes = 10_000);
    let announced = "HTTP/1.1 200 So\r\ncontent-length: 10001\r\n\r\n";
    let unsaid = "HTTP/1.1 200 So\r\n\r\n";
    let chunked = "HTTP/1.1 200 So\r\ntransfer-encoding: chunked\r\n\r\nfffff\r\n";
    for act in [
        PeerAction::Stall(announced.into()),
        PeerAction::Endless(unsaid.into()),
        PeerAction::Endless(chunked.into()),
    ] {
        let mut peer = FakeHttpPeer::new(vec![act]).await;
        let error = small.send(EgressRequest::get(peer.url("127.0.0.1", "/"))).await.unwrap_err();
        assert!(matches!(error, EgressError::TooLarge { status: 200, limit_bytes: 10_000, .. }), "{error}");
        peer.other_side_closed().await;
    }
    let peer = FakeHttpPeer::new(vec![answer(200, &[], &"x".repeat(10_000))]).await;
    assert_eq!(small.send(EgressRequest::get(peer.url("127.0.0.1", "/"))).await.unwrap().body.len(), 10_000);
}

#[tokio::test]
async fn compressed_body_is_returned_unchanged() {
    let peer = FakeHttpPeer::new(vec![answer(200, &["content-encoding: gzip"], "not unpacked")]).await;
    let answer = with(|_| ()).send(EgressRequest::get(peer.url("127.0.0.1", "/"))).await.unwrap();
    assert_eq!(
        (answer.body.as_slice(), answer.header("content-encoding")),
        (b"not unpacked".as_slice(), Some("gzip"))
    );
}

#[tokio::test]
async fn silent_or_slow_peer_times_out() {
    let quick = with(|settings| settings.timeout = Duration::from_millis(200));
    for said in ["", "HTTP/1.1 200 So\r\n", "HTTP/1.1 200 So\r\ncontent-length: 9\r\n\r\nhal"] {
        let mut peer = FakeHttpPeer::new(vec![PeerAction::Stall(said.to_owned())]).await;
        let error = quick.send(EgressRequest::get(peer.url("127.0.0.1", "/"))).await.unwrap_err();
        assert!(matches!(error, EgressError::TimedOut { sent: true, .. }), "{said:?}: {error}");
        peer.other_side_closed().await;
    }
    // A request may have its own time-out.
    let mut peer = FakeHttpPeer::new(vec![PeerAction::Stall(String::new())]).await;
    let mut request = EgressRequest::get(peer.url("127.0.0.1", "/"));
    request.timeout = Some(Duration::from_millis(200));
    let error = with(|_| ()).send(request).await.unwrap_err();
    assert!(error.to_string().ends_with("within 0.2 s"), "{error}");
    peer.other_side_closed().await;
}

#[tokio::test]
async fn dropped_request_closes_connection() {
    for said in ["", "HTTP/1.1 200 So\r\ncontent-length: 9\r\n\r\nhal"] {
        let mut peer = FakeHttpPeer::new(vec![PeerAction::Stall(said.to_owned())]).await;
        let (egress, url) = (with(|_| ()), peer.url("127.0.0.1", "/"));
        {
            let request = egress.send(EgressRequest::get(url));
            tokio::select! {
                answer = request => panic!("{answer:?}"),
                () = peer.wait_for_request() => (),
            }
        }
        peer.other_side_closed().await;
    }
}

#[tokio::test]
async fn only_broken_connection_may_have_sent_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let refused = with(|_| ()).send(EgressRequest::get(format!("http://{address}/"))).await.unwrap_err();
    assert!(matches!(refused, EgressError::Unreachable { .. }), "{refused}");
    assert!(!refused.may_have_been_processed() && refused.is_retryable());
    for said in ["", "HTTP/1.1 200", "HTTP/1.1 200 So\r\ncontent-length: 9\r\n\r\nhal"] {
        let peer = FakeHttpPeer::new(vec![PeerAction::Answer(said.to_owned())]).await;
        let broken = with(|_| ()).send(EgressRequest::get(peer.url("127.0.0.1", "/"))).await.unwrap_err();
        assert!(matches!(broken, EgressError::Cut { .. }), "{said:?}: {broken}");
        assert!(broken.may_have_been_processed());
        assert_eq!(peer.requests().len(), 1, "nothing is sent again");
    }
}

#[tokio::test]
async fn errors_contain_host_but_no_header_or_path() {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("Bearer hush"));
    for act in [PeerAction::Answer(String::new()), answer(302, &["location: http://10.0.0.1/?k=hush"], "")] {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let url = peer.url("127.0.0.1", "/hush?key=hush#hush");
        let request = EgressRequest { headers: headers.clone(), ..EgressRequest::get(url) };
        let error = with(|_| ()).send(request).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hush"), "{error:?}");
    }
}

/// A resolver that never answers.
struct StalledResolver;

#[async_trait]
impl NameResolver for StalledResolver {
    async fn addresses(&self, _name: &str) -> std::io::Result<Vec<IpAddr>> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn stalled_name_resolution_times_out_before_sending() {
    let quick = EgressSettings { timeout: Duration::from_millis(50), ..settings(&[]) };
    let egress = EgressClient::with_resolver(quick, Arc::new(StalledResolver), crypto());
    let error = egress.send(EgressRequest::get("http://slow.example/")).await.unwrap_err();
    assert!(matches!(error, EgressError::TimedOut { sent: false, .. }), "{error}");
    assert!(!error.may_have_been_processed() && error.is_retryable());
}
