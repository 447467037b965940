//! Answers HTTP requests on this machine as a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::Value;

/// A request.
pub(crate) struct HttpStubRequest {
    /// Its first line and its headers, in lower case.
    head: Vec<String>,
    /// Its body; null if that is not JSON.
    pub(crate) body: Value,
}

impl HttpStubRequest {
    pub(crate) fn is_post(&self) -> bool {
        self.head.first().is_some_and(|line| line.starts_with("post "))
    }

    /// The value of a header, in lower case; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut headers = self.head.iter().filter_map(|line| line.split_once(": "));
        headers.find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }
}

/// An answer.
pub(crate) struct HttpStubAnswer {
    pub(crate) status: u16,
    /// Its headers beside the length, each with the end of its line.
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl HttpStubAnswer {
    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: String::new(), body: String::new() }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = "content-type: application/json\r\n".to_owned();
        Self { status, headers, body: body.to_string() }
    }
}

/// Answers every request to an address until the test ends; returns its origin.
pub(crate) fn http_stub(
    address: &str,
    answer: impl Fn(&HttpStubRequest) -> HttpStubAnswer + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind(address).unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || answer_request(stream, &*answer));
        }
    });
    origin
}

/// Answers one request; the client may leave at any time.
fn answer_request(mut stream: TcpStream, answer: &impl Fn(&HttpStubRequest) -> HttpStubAnswer) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_ascii_lowercase());
    }
    let mut request = HttpStubRequest { head, body: Value::Null };
    let mut body = vec![0; request.header("content-length").parse().unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    let HttpStubAnswer { status, headers, body } = answer(&request);
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}
