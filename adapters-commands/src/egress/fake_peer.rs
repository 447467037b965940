//! Test helpers of this crate: a scripted HTTP peer and a scripted resolver.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use rustls::crypto::{CryptoProvider, ring};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::NameResolver;

/// The cryptography of clients under test.
pub(crate) fn crypto() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The action of the peer for one connection, after it has read the whole request.
#[derive(Clone, Debug)]
pub(crate) enum PeerAction {
    /// Sends this answer and closes.
    Answer(String),
    /// Sends this and then nothing until the client closes.
    Stall(String),
    /// Sends this, then zeros until the client closes.
    Endless(String),
}

/// Answers with this status, these headers and this body.
pub(crate) fn answer(status: u16, headers: &[&str], body: &str) -> PeerAction {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    PeerAction::Answer(format!("HTTP/1.1 {status} So\r\ncontent-length: {length}\r\n{headers}\r\n{body}"))
}

/// Answers with a JSON body.
pub(crate) fn json(status: u16, body: &str) -> PeerAction {
    answer(status, &["content-type: application/json"], body)
}

/// A peer on this machine. It takes one action for each connection, in order, and closes further connections without
/// a reply.
pub(crate) struct FakeHttpPeer {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    closed: mpsc::UnboundedReceiver<()>,
}

impl FakeHttpPeer {
    pub(crate) async fn new(acts: Vec<PeerAction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (gone, closed) = mpsc::unbounded_channel();
        let heard = requests.clone();
        tokio::spawn(async move {
            let mut acts = VecDeque::from(acts);
            while let Ok((line, _)) = listener.accept().await {
                let act = acts.pop_front().unwrap_or_else(|| PeerAction::Answer(String::new()));
                tokio::spawn(serve(line, act, heard.clone(), gone.clone()));
            }
        });
        Self { address, requests, closed }
    }

    /// Its URL with another host: `http://name:port/path`.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    /// The requests received so far, head and body as sent.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until the client has closed a stalled connection.
    pub(crate) async fn other_side_closed(&mut self) {
        tokio::time::timeout(Duration::from_secs(20), self.closed.recv()).await.unwrap().unwrap();
    }

    /// Waits until a request has arrived.
    pub(crate) async fn wait_for_request(&self) {
        let wait = async {
            while self.requests().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap();
    }
}

async fn serve(
    mut line: TcpStream,
    act: PeerAction,
    heard: Arc<Mutex<Vec<String>>>,
    gone: mpsc::UnboundedSender<()>,
) {
    let request = read_request(&mut line).await;
    heard.lock().unwrap().push(request);
    match act {
        PeerAction::Answer(text) => {
            let _ = line.write_all(text.as_bytes()).await;
            let _ = line.shutdown().await;
        }
        PeerAction::Stall(text) => {
            let _ = line.write_all(text.as_bytes()).await;
            while !matches!(line.read(&mut [0; 64]).await, Ok(0) | Err(_)) {}
            let _ = gone.send(());
        }
        PeerAction::Endless(text) => {
            let _ = line.write_all(text.as_bytes()).await;
            while line.write_all(&[b'0'; 4096]).await.is_ok() {}
            let _ = gone.send(());
        }
    }
}

/// Reads the head, and as much body as it announces; less if the client closes early.
async fn read_request(line: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|header| header.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text.into_owned();
            }
        }
        let mut more = [0; 4096];
        match line.read(&mut more).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&more[..count]),
            Ok(_) | Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// For each name, one list of addresses per lookup; the last list repeats. Records the names.
#[derive(Default)]
pub(crate) struct ScriptedResolver(Mutex<BTreeMap<String, VecDeque<Vec<IpAddr>>>>, Mutex<Vec<String>>);

impl ScriptedResolver {
    pub(crate) fn new(names: &[(&str, &[&[&str]])]) -> Arc<Self> {
        let parsed = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        let all =
            names.iter().map(|(name, answers)| ((*name).to_owned(), answers.iter().map(parsed).collect()));
        Arc::new(Self(Mutex::new(all.collect()), Mutex::default()))
    }

    /// The names looked up, in order.
    pub(crate) fn resolved_names(&self) -> Vec<String> {
        self.1.lock().unwrap().clone()
    }
}

#[async_trait]
impl NameResolver for ScriptedResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.1.lock().unwrap().push(name.to_owned());
        let mut names = self.0.lock().unwrap();
        let answers = names.get_mut(name).ok_or_else(|| io::Error::other("no such name"))?;
        let last = answers.len() == 1;
        let answer = if last { answers.front().cloned() } else { answers.pop_front() };
        Ok(answer.unwrap_or_default())
    }
}
