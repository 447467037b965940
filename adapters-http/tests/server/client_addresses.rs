//! Limits per address, and the address of a client behind a proxy.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_tests::runtime_fixture::SequentialIds;
use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, open_sqlite, send_request};

const HERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn connect(scene: &HttpServerFixture, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(IpAddr::V4(from), 0)).unwrap();
    socket.connect(scene.host.parse().unwrap()).await.unwrap()
}

/// The first line of a connection's response.
async fn line(stream: &mut TcpStream) -> String {
    let mut line = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        if byte == b'\n' {
            break;
        }
        line.push(byte);
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

/// The whole response to this request.
async fn ask(scene: &HttpServerFixture, from: Ipv4Addr, path: &str, token: &str) -> String {
    let mut stream = connect(scene, from).await;
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n",
        scene.host
    );
    // A refusal is sent without a request.
    let _refused = stream.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _broken = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

/// Repeats a request until it is accepted, because permits of closed connections are released with a short delay.
async fn ask_until_taken(scene: &HttpServerFixture, from: Ipv4Addr) {
    for _ in 0..500 {
        if ask(scene, from, "/healthz", "").await.starts_with("HTTP/1.1 200") {
            return;
        }
        scene.life.follow().wait_for_change().await;
    }
    panic!("no connection was taken any more");
}

/// Input: one address that opens as many connections as allowed, and leaves request heads incomplete; expected: one
/// more is refused with the name of the setting, another address is served, and closed connections make room.
#[tokio::test(flavor = "multi_thread")]
async fn connections_are_limited_per_address() {
    let limits = HttpServerLimits { connections_per_address: 2, ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let (first, _second) = (connect(&scene, HERE).await, connect(&scene, HERE).await);
    let mut third = connect(&scene, HERE).await;
    assert_eq!(line(&mut third).await, "HTTP/1.1 429 Too Many Requests");
    let mut rest = String::new();
    third.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("rate-limited") && rest.contains("server.connections_per_address"), "{rest}");
    let numbers = ask(&scene, ELSEWHERE, "/metrics", &root).await;
    assert!(numbers.contains("entracte_connections_refused_total{limit=\"connections\"} 1"), "{numbers}");
    drop(first);
    ask_until_taken(&scene, HERE).await;

    let limits = HttpServerLimits { heads_per_address: 1, ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let mut slow = connect(&scene, HERE).await;
    slow.write_all(b"GET /healthz HTTP/1.1\r\n").await.unwrap();
    let mut other = connect(&scene, HERE).await;
    assert_eq!(line(&mut other).await, "HTTP/1.1 429 Too Many Requests");
    assert!(ask(&scene, ELSEWHERE, "/healthz", "").await.starts_with("HTTP/1.1 200"));
    slow.write_all(format!("Host: {}\r\n\r\n", scene.host).as_bytes()).await.unwrap();
    assert_eq!(line(&mut slow).await, "HTTP/1.1 200 OK");
    ask_until_taken(&scene, HERE).await;
}

/// Input: a trusted proxy, and the client addresses it reports; expected: invalid tokens are counted by the address of
/// the client, whatever its port and notation, and those of clients without an address together.
#[tokio::test(flavor = "multi_thread")]
async fn forwarded_address_with_port_is_parsed() {
    let limits = HttpServerLimits { failed_logins: 2, ..HttpServerLimits::default() };
    let proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let scene = HttpServerFixture::start_behind_proxies(
        proxies,
        open_sqlite(),
        limits,
        (Arc::new(SequentialIds::default()), false),
    )
    .await;
    let guess = async |header: &str, value: &str| -> HttpTestResponse {
        let request = scene.request(Method::GET, &format!("/v1/workspaces/{HOME}/sessions"), "entr_k1.guess");
        send_request(request.header(header, value)).await
    };
    for port in [4711, 4712] {
        let wrong = guess("x-forwarded-for", &format!("198.51.100.7:{port}")).await;
        assert_eq!((wrong.status, wrong.code()), (401, "unauthorized"), "{wrong:?}");
    }
    for (header, value) in [
        ("x-forwarded-for", "198.51.100.7:4713"),
        ("x-forwarded-for", "6.6.6.6, 198.51.100.7"),
        ("x-forwarded-for", "[::ffff:198.51.100.7]:80"),
        ("forwarded", "for=6.6.6.6, for=\"198.51.100.7:9\";proto=https"),
    ] {
        let limited = guess(header, value).await;
        assert_eq!((limited.status, limited.code()), (429, "rate-limited"), "{value}: {limited:?}");
        assert!(limited.text.contains("198.51.100.7"), "{limited:?}");
    }
    for value in ["[2001:db8::7]:443", "2001:db8:0:0:1::7"] {
        assert_eq!(guess("x-forwarded-for", value).await.status, 401, "{value} is another client");
    }
    assert_eq!(guess("x-forwarded-for", "[2001:db8::9]").await.status, 429, "a network of v6 is one");
    for value in ["6.6.6.6, unknown", "7.7.7.7, _hidden"] {
        assert_eq!(guess("x-forwarded-for", value).await.status, 401, "{value}");
    }
    let together = guess("x-forwarded-for", "8.8.8.8, unknown").await;
    assert_eq!(together.status, 429, "whom nobody names counts as one: {together:?}");
    assert!(together.text.contains("127.0.0.1"), "{together:?}");
}
