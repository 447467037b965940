//! Redirects: every hop is checked, and none repeats an action.

use reqwest::Method;
use reqwest::header::{ACCEPT, HeaderValue};

use super::super::fake_peer::{FakeHttpPeer, PeerAction, ScriptedResolver, answer, crypto};
use super::super::{EgressClient, EgressError, EgressRequest, EgressSettings};
use super::{egress, settings};

fn to(status: u16, location: &str) -> PeerAction {
    answer(status, &[&format!("location: {location}")], "")
}

/// A request with a body and with headers that another origin must not receive.
fn request(method: Method, url: String) -> EgressRequest {
    let mut request = EgressRequest { method, ..EgressRequest::get(url) };
    if request.method != Method::GET {
        request.body = Some(b"body".to_vec());
        request.headers.insert("content-type", HeaderValue::from_static("text/plain"));
    }
    request.headers.insert("authorization", HeaderValue::from_static("Bearer hush"));
    request.headers.insert("x-api-key", HeaderValue::from_static("hush"));
    request.headers.insert(ACCEPT, HeaderValue::from_static("text/plain"));
    request
}

#[tokio::test]
async fn redirected_get_keeps_headers_only_on_same_origin() {
    for status in [301, 302, 303, 307, 308] {
        let there = FakeHttpPeer::new(vec![answer(200, &[], "there")]).await;
        let here =
            FakeHttpPeer::new(vec![to(status, "/b#part"), to(status, &there.url("there.example", "/c"))])
                .await;
        let egress = egress(&["here.example", "there.example"]);
        let answer = egress.send(request(Method::GET, here.url("here.example", "/a"))).await.unwrap();
        assert_eq!(
            (answer.body.as_slice(), answer.url.as_str()),
            (b"there".as_slice(), &*there.url("there.example", "/c"))
        );
        let (own, other) = (here.requests().remove(1), there.requests().remove(0));
        assert!(
            own.starts_with("GET /b HTTP") && own.contains("Bearer hush") && own.contains("x-api-key"),
            "{own}"
        );
        assert!(!other.contains("hush") && other.contains("accept: text/plain"), "{other}");
    }
}

#[tokio::test]
async fn different_port_is_another_origin() {
    let there = FakeHttpPeer::new(vec![answer(200, &[], "")]).await;
    let here = FakeHttpPeer::new(vec![to(302, &there.url("127.0.0.1", "/"))]).await;
    egress(&[]).send(request(Method::GET, here.url("127.0.0.1", "/"))).await.unwrap();
    assert!(!there.requests().remove(0).contains("hush"));
}

#[tokio::test]
async fn post_follows_only_303_as_bodyless_get() {
    let peer = FakeHttpPeer::new(vec![to(303, "/done"), answer(200, &[], "done")]).await;
    let answer = egress(&[]).send(request(Method::POST, peer.url("127.0.0.1", "/do"))).await.unwrap();
    assert_eq!(answer.body, b"done");
    let next = peer.requests().remove(1);
    assert!(next.starts_with("GET /done HTTP") && next.ends_with("\r\n\r\n"), "{next}");
    assert!(!next.contains("content-"), "{next}");
}

#[tokio::test]
async fn action_is_never_repeated_by_redirect() {
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        for (status, target) in
            [(301, "/b"), (302, "/b"), (307, "/b"), (308, "/b"), (307, "http://other.example/")]
        {
            let peer = FakeHttpPeer::new(vec![to(status, target), answer(200, &[], "")]).await;
            let sent = request(method.clone(), peer.url("127.0.0.1", "/a"));
            let error = egress(&["other.example"]).send(sent).await.unwrap_err();
            assert!(matches!(error, EgressError::RedirectRefused { .. }), "{status}: {error}");
            assert!(error.to_string().contains("never an action"), "{error}");
            // A server that carried out a form answers with 301 or 302.
            assert_eq!(error.may_have_been_processed(), matches!(status, 301 | 302), "{status}");
            assert_eq!(peer.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn redirect_to_private_address_is_refused() {
    let names =
        ScriptedResolver::new(&[("start.example", &[&["127.0.0.1"]]), ("inside.example", &[&["10.0.0.1"]])]);
    let egress = EgressClient::with_resolver(settings(&["start.example"]), names, crypto());
    for target in ["http://inside.example/", "http://127.0.0.1/", "//169.254.169.254/latest", "http://[::1]/"]
    {
        let peer = FakeHttpPeer::new(vec![to(302, target)]).await;
        let error = egress.send(request(Method::GET, peer.url("start.example", "/"))).await.unwrap_err();
        let EgressError::Redirected { source, from } = error else { panic!("{target}: {error}") };
        assert!(
            from.starts_with("start.example:") && matches!(*source, EgressError::Refused { .. }),
            "{source}"
        );
    }
}

#[tokio::test]
async fn redirect_to_invalid_url_is_refused() {
    for target in ["file:///etc/passwd", "gopher://127.0.0.1/", "http://ann:word@127.0.0.1/", "http://[::g]/"]
    {
        let peer = FakeHttpPeer::new(vec![to(302, target)]).await;
        let error = egress(&[]).send(request(Method::GET, peer.url("127.0.0.1", "/"))).await.unwrap_err();
        let EgressError::Redirected { source, .. } = error else { panic!("{target}: {error}") };
        assert!(matches!(*source, EgressError::Url { .. }), "{source}");
    }
}

#[tokio::test]
async fn redirect_loops_and_long_chains_end() {
    let peer = FakeHttpPeer::new(vec![to(302, "/b"), to(302, "/a")]).await;
    let error = egress(&[]).send(request(Method::GET, peer.url("127.0.0.1", "/a"))).await.unwrap_err();
    assert!(error.to_string().contains("in a loop"), "{error}");
    assert_eq!(peer.requests().len(), 2);

    let chain = || (1..=6).map(|hop| to(302, &format!("/{hop}"))).collect();
    let peer = FakeHttpPeer::new(chain()).await;
    let error = egress(&[]).send(request(Method::GET, peer.url("127.0.0.1", "/0"))).await.unwrap_err();
    assert!(error.to_string().contains("more than 5 times"), "{error}");
    assert_eq!(peer.requests().len(), 6);

    let none = EgressSettings { redirects_max: 0, ..settings(&["127.0.0.1"]) };
    let peer = FakeHttpPeer::new(chain()).await;
    let none = EgressClient::with_resolver(none, ScriptedResolver::new(&[]), crypto());
    let error = none.send(request(Method::GET, peer.url("127.0.0.1", "/0"))).await.unwrap_err();
    assert!(matches!(error, EgressError::TooManyRedirects { most: 0, .. }), "{error}");
}

#[tokio::test]
async fn redirect_without_location_is_returned() {
    let peer = FakeHttpPeer::new(vec![answer(302, &[], "nowhere"), answer(304, &["location: /b"], "")]).await;
    for status in [302, 304] {
        let answer = egress(&[]).send(request(Method::GET, peer.url("127.0.0.1", "/"))).await.unwrap();
        assert_eq!(answer.status, status);
    }
}
