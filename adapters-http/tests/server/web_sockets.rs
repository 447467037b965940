//! Streams over WebSockets.

use entracte_tests::runtime_fixture::envelope_line;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use super::server_fixture::{HOME, HttpServerFixture};
use super::streams::{SseTestClient, stream_of};

/// The next text message of a WebSocket, or its close code.
async fn message(socket: &mut (impl AsyncRead + Unpin)) -> Result<Value, u16> {
    loop {
        let mut head = [0_u8; 2];
        socket.read_exact(&mut head).await.unwrap();
        let length = match head[1] {
            126 => u64::from(socket.read_u16().await.unwrap()),
            127 => socket.read_u64().await.unwrap(),
            short => u64::from(short),
        };
        let mut payload = vec![0_u8; usize::try_from(length).unwrap()];
        socket.read_exact(&mut payload).await.unwrap();
        match head[0] & 0x0f {
            1 => return Ok(serde_json::from_slice(&payload).unwrap()),
            8 => return Err(u16::from_be_bytes([payload[0], payload[1]])),
            _ => {}
        }
    }
}

/// Requests a WebSocket; returns the connection after the head of the response, and its first line.
pub(crate) async fn web_socket(
    scene: &HttpServerFixture,
    path: &str,
    headers: &[(&str, &str)],
) -> (tokio::net::TcpStream, String) {
    let mut socket = tokio::net::TcpStream::connect(&scene.host).await.unwrap();
    let mut head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        scene.host
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    socket.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(socket.read_u8().await.unwrap());
    }
    let line = String::from_utf8(answer).unwrap().lines().next().unwrap().to_owned();
    (socket, line)
}

/// Input: a program, which names no origin, with a token and with a ticket, and a page of another site; expected: the
/// program gets its stream, the page does not.
#[tokio::test(flavor = "multi_thread")]
async fn websocket_accepts_bearer_without_origin() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    let path = format!("{}?after=0", stream_of(&session));
    let bearer = format!("Bearer {ann}");
    let made = scene.post("/v1/tickets", &ann, json!({ "path": stream_of(&session) })).await;
    let protocols = format!("entracte, ticket.{}", made.body["ticket"].as_str().unwrap());
    for header in [("Authorization", bearer.as_str()), ("Sec-WebSocket-Protocol", protocols.as_str())] {
        let (mut socket, line) = web_socket(&scene, &path, &[header]).await;
        assert_eq!(line, "HTTP/1.1 101 Switching Protocols", "{header:?}");
        assert_eq!(message(&mut socket).await.unwrap()["type"], "hello");
    }
    for foreign in [("Origin", "http://evil.example"), ("Origin", "null")] {
        let (_, line) = web_socket(&scene, &path, &[("Authorization", &bearer), foreign]).await;
        assert_eq!(line, "HTTP/1.1 403 Forbidden", "{foreign:?}");
    }
    let (_, line) = web_socket(&scene, &path, &[]).await;
    assert_eq!(line, "HTTP/1.1 401 Unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn web_socket_sends_the_same_frames() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    scene.model.push_lines([envelope_line("At nine.")]);
    scene.life.send_and_wait(&session, "when?").await;
    let path = format!("{}?after=0", stream_of(&session));
    let mut events = SseTestClient::open(&scene, &path, &ann, None).await;

    let made = scene.post("/v1/tickets", &ann, json!({ "path": stream_of(&session) })).await;
    let protocols = format!("entracte, ticket.{}", made.body["ticket"].as_str().unwrap());
    let origin = format!("http://{}", scene.host);
    let headers = [("Origin", origin.as_str()), ("Sec-WebSocket-Protocol", protocols.as_str())];
    let (mut socket, line) = web_socket(&scene, &path, &headers).await;
    assert_eq!(line, "HTTP/1.1 101 Switching Protocols");
    loop {
        let expected = events.next().await.unwrap();
        let mut told = message(&mut socket).await.unwrap();
        let id = told.as_object_mut().unwrap().remove("id");
        assert_eq!((id, &told), (expected.id.map(Value::from), &expected.data));
        if expected.kind == "session" {
            break;
        }
    }
    scene.stop_server();
    assert_eq!(message(&mut socket).await.unwrap()["reason"], "shutdown");
    assert_eq!(message(&mut socket).await, Err(1001));
    let done = scene.done.lock().unwrap().take().unwrap();
    drop(socket);
    done.await.unwrap();
}
