//! Compressed answers, and the pages of the inbox that are read with them.

use std::io::Read as _;

use entracte_adapters_http::limits::HttpServerLimits;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, json_body, open_sqlite};

fn home(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

/// Sends a request by a client that leaves answers as they come.
async fn send(request: reqwest::RequestBuilder, accepted: &str) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().no_gzip().build().unwrap();
    client.execute(request.header("accept-encoding", accepted).build().unwrap()).await.unwrap()
}

/// The coding and the bytes of an answer.
async fn answer(request: reqwest::RequestBuilder, accepted: &str) -> (String, Vec<u8>) {
    let answer = send(request, accepted).await;
    assert!(answer.status().is_success(), "{answer:?}");
    let coding = answer.headers().get("content-encoding").map(|coding| coding.to_str().unwrap().to_owned());
    let varies = answer.headers().get_all("vary").iter().any(|one| one == "accept-encoding");
    assert_eq!(varies, coding.is_some());
    (coding.unwrap_or_default(), answer.bytes().await.unwrap().to_vec())
}

fn unpacked(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    match coding {
        "br" => brotli::BrotliDecompress(&mut &*bytes, &mut all).unwrap(),
        "gzip" => drop(flate2::read::GzDecoder::new(bytes).read_to_end(&mut all).unwrap()),
        _ => all.extend_from_slice(bytes),
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_compressed_as_accepted() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let path = home("commands");
    let (_, plain) = answer(scene.request(Method::GET, &path, &ann), "identity").await;
    for (accepted, expected) in [("gzip, br", "br"), ("gzip", "gzip"), ("br;q=0", "")] {
        let (coding, bytes) = answer(scene.request(Method::GET, &path, &ann), accepted).await;
        assert_eq!(coding, expected, "{accepted}");
        assert!(unpacked(&coding, &bytes) == plain, "{accepted}");
        assert!(coding.is_empty() || bytes.len() * 3 < plain.len(), "{} of {}", bytes.len(), plain.len());
    }
}

/// Input: answers that may hold a secret, that change something, that go to a page of another site, that are small, or
/// that have no end; expected: none is compressed.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_changes_and_streams_are_not_compressed() {
    let limits = HttpServerLimits { compressed_min: 1, ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let ann = scene.admin("ann", HOME).await;
    let made = json!({ "person": "ann", "name": "phone", "scopes": ["read"] });
    let reads = ["tokens", "me/secrets", "targets"].map(|list| scene.request(Method::GET, &home(list), &ann));
    let others = [
        scene.request(Method::GET, "/v1/me", &ann),
        json_body(scene.request(Method::POST, &home("tokens"), &ann), &made),
        scene.request(Method::GET, &home("events"), &ann),
    ];
    for request in reads.into_iter().chain(others) {
        let answer = send(request, "br, gzip").await;
        let (status, url) = (answer.status(), answer.url().clone());
        assert!(status.is_success() && !answer.headers().contains_key("content-encoding"), "{status} {url}");
    }
    let (coding, _) = answer(scene.request(Method::GET, &home("zones"), &ann), "br").await;
    assert_eq!(coding, "br", "a small one is, where the setting says so");
    let usual = HttpServerFixture::new().await;
    let ann = usual.admin("ann", HOME).await;
    assert_eq!(answer(usual.request(Method::GET, &home("zones"), &ann), "br").await.0, "");
    let none = HttpServerLimits { compressed_max: 0, ..HttpServerLimits::default() };
    let off = HttpServerFixture::start_on(open_sqlite(), none).await;
    let ann = off.admin("ann", HOME).await;
    assert_eq!(answer(off.request(Method::GET, &home("commands"), &ann), "br").await.0, "");
}

/// Input: two sessions that wait; expected: a page, its counters and marks, and what is sought.
#[tokio::test(flavor = "multi_thread")]
async fn inbox_is_searched_and_counted() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (first, approval) = scene.request_zone_approval().await;
    let (_, other) = scene.request_zone_approval().await;
    let read = async |query: &str| scene.get(&home(&format!("inbox?{query}")), &ann).await.body;
    let page = read("limit=1").await;
    let counted = |page: &Value| {
        let items = page["items"].as_array().unwrap().len();
        (items, page["total"].clone(), page["waiting"].clone())
    };
    assert_eq!(counted(&page), (1, json!(2), json!(2)));
    assert_eq!(page["marks"][0]["id"], page["items"][0]["id"]);
    let next = page["next"].as_str().unwrap();
    assert_eq!(read(&format!("limit=1&after={next}")).await["items"][0]["id"], json!(other));
    // The first search reads rows and the items of its page, the other one every item.
    let (by_rows, whole) = (read("").await, read("asked_before=2999-01-01T00:00:00Z").await);
    assert_eq!((&by_rows["marks"], &by_rows["total"]), (&whole["marks"], &whole["total"]));
    let of_session = read(&format!("only_session={first}")).await;
    assert_eq!(counted(&of_session), (1, json!(2), json!(2)));
    assert_eq!(counted(&read(&format!("session={first}")).await), (1, json!(1), json!(2)));
    assert_eq!(counted(&read("q=health+nothing").await), (0, json!(0), json!(2)));
    assert_eq!(counted(&read("q=HEALTH&kind=approval&command=zones.create").await), (2, json!(2), json!(2)));
    let brief = read(&format!("brief=true&only_item={approval}")).await;
    assert_eq!(counted(&brief), (0, json!(2), json!(2)));
    assert_eq!(brief["marks"][0], page["marks"][0], "it is as it was");
    assert_eq!(counted(&read("argument=HEALTH").await), (2, json!(2), json!(2)));
    assert_eq!(counted(&read("age=1h").await), (0, json!(0), json!(2)));
    for wrong in ["order=size", "asked_before=tomorrow", "age=long", "limit=0"] {
        assert_eq!(scene.get(&home(&format!("inbox?{wrong}")), &ann).await.status, 422, "{wrong}");
    }
}
