//! A server with scripted responses on a real connection: it records requests, sends the scripted pieces, holds,
//! floods, breaks the connection, and notices when the client disconnects.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A request that the server received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireServerRequest {
    /// Its method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Its headers, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

/// The next step in the body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptedBodyStep {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Sends nothing more until [`ScriptedWireServer::release_holds`], or until the client disconnects.
    Hold,
    /// Repeats these bytes up to this total, or until the client disconnects.
    Flood(Vec<u8>, usize),
}

/// How the body of a response ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedBodyEnd {
    /// Correctly.
    Whole,
    /// The connection closes before the announced end of the body.
    Broken,
    /// The connection closes without an announced length: a complete body for HTTP.
    Closed,
}

/// A response of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedResponse {
    /// Its status.
    pub status: u16,
    /// Its headers, except those that announce the end of the body.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub steps: Vec<ScriptedBodyStep>,
    /// How the body ends.
    pub end: ScriptedBodyEnd,
}

impl ScriptedResponse {
    /// A response of these pieces.
    pub fn from_pieces(content_type: &str, pieces: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            steps: pieces.into_iter().map(ScriptedBodyStep::Send).collect(),
            end: ScriptedBodyEnd::Whole,
        }
    }

    /// Sets another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a step.
    #[must_use]
    pub fn with_step(mut self, step: ScriptedBodyStep) -> Self {
        self.steps.push(step);
        self
    }

    /// Sets how the body ends.
    #[must_use]
    pub fn ending(self, end: ScriptedBodyEnd) -> Self {
        Self { end, ..self }
    }

    fn head(&self) -> String {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let framing = match self.end {
            ScriptedBodyEnd::Whole | ScriptedBodyEnd::Broken => "transfer-encoding: chunked\r\n",
            ScriptedBodyEnd::Closed => "",
        };
        let headers: String = headers.collect();
        format!("HTTP/1.1 {} Scripted\r\n{headers}{framing}connection: close\r\n\r\n", self.status)
    }

    fn framed(&self, piece: &[u8]) -> Vec<u8> {
        match self.end {
            ScriptedBodyEnd::Closed => piece.to_vec(),
            // An empty chunk would be the end.
            ScriptedBodyEnd::Whole | ScriptedBodyEnd::Broken if piece.is_empty() => Vec::new(),
            ScriptedBodyEnd::Whole | ScriptedBodyEnd::Broken => {
                [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
            }
        }
    }
}

/// Counters of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireServerCounters {
    /// Opened connections.
    pub connections: usize,
    /// Completely read requests.
    pub requests: usize,
    /// Connections that the client closed before the response was sent completely.
    pub left: usize,
    /// Completely sent responses.
    pub finished: usize,
    /// Bytes of responses that were written to the connection.
    pub sent_bytes: usize,
}

/// Returns the response to a request; `None` closes the connection without one.
type ScriptedResponder = Box<dyn Fn(&WireServerRequest) -> Option<ScriptedResponse> + Send + Sync>;

struct WireServerState {
    answers: ScriptedResponder,
    received: Mutex<Vec<WireServerRequest>>,
    counts: watch::Sender<WireServerCounters>,
    held: watch::Sender<bool>,
}

/// The server. It stops when dropped.
pub struct ScriptedWireServer {
    address: String,
    shared: Arc<WireServerState>,
    task: JoinHandle<()>,
}

impl ScriptedWireServer {
    /// Starts a server on this machine with one response per request; further requests get no response, and the
    /// connection closes.
    pub async fn start(script: impl IntoIterator<Item = ScriptedResponse>) -> Self {
        let script = Mutex::new(script.into_iter().collect::<VecDeque<_>>());
        Self::answering(move |_| script.lock().unwrap_or_else(PoisonError::into_inner).pop_front()).await
    }

    /// Starts a server that computes each response; if there is none, the connection closes.
    pub async fn answering(
        answers: impl Fn(&WireServerRequest) -> Option<ScriptedResponse> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine is free");
        let address = format!("http://{}", listener.local_addr().expect("it has an address"));
        let shared = Arc::new(WireServerState {
            answers: Box::new(answers),
            received: Mutex::default(),
            counts: watch::Sender::default(),
            held: watch::Sender::new(true),
        });
        let task = tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared, task }
    }

    /// Its base URL: `http://127.0.0.1:…`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The requests received so far.
    pub fn received(&self) -> Vec<WireServerRequest> {
        self.shared.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The counters so far.
    pub fn counts(&self) -> WireServerCounters {
        *self.shared.counts.borrow()
    }

    /// Returns when the counters satisfy `are`.
    pub async fn until(&self, are: impl Fn(&WireServerCounters) -> bool) -> WireServerCounters {
        let mut counts = self.shared.counts.subscribe();
        *counts.wait_for(|counts| are(counts)).await.expect("the server holds the other end")
    }

    /// Ends every [`ScriptedBodyStep::Hold`], current and future.
    pub fn release_holds(&self) {
        self.shared.held.send_replace(false);
    }
}

impl Drop for ScriptedWireServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<WireServerState>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        shared.counts.send_modify(|counts| counts.connections += 1);
        connections.spawn(answer(stream, shared.clone()));
    }
}

async fn answer(stream: TcpStream, shared: Arc<WireServerState>) {
    let mut stream = BufReader::new(stream);
    let Some(received) = read(&mut stream).await else { return };
    let next = (shared.answers)(&received);
    shared.received.lock().unwrap_or_else(PoisonError::into_inner).push(received);
    shared.counts.send_modify(|counts| counts.requests += 1);
    let Some(scripted) = next else { return };
    match play(&mut stream, &scripted, &shared).await {
        Some(()) => shared.counts.send_modify(|counts| counts.finished += 1),
        None => shared.counts.send_modify(|counts| counts.left += 1),
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<WireServerRequest> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let pairs = lines.filter_map(|line| line.split_once(':'));
    let headers: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(Some(0), |(_, length)| length.parse().ok())?];
    stream.read_exact(&mut body).await.ok()?;
    Some(WireServerRequest { method, target, headers, body })
}

/// Sends the response; `None` if the client disconnected before its end.
async fn play(
    stream: &mut BufReader<TcpStream>,
    scripted: &ScriptedResponse,
    shared: &WireServerState,
) -> Option<()> {
    write(stream, scripted.head().as_bytes(), shared).await?;
    for step in &scripted.steps {
        match step {
            ScriptedBodyStep::Send(piece) => write(stream, &scripted.framed(piece), shared).await?,
            ScriptedBodyStep::Hold => hold(stream, shared).await?,
            ScriptedBodyStep::Flood(piece, most_bytes) => {
                let framed = scripted.framed(piece);
                for _ in 0..most_bytes.div_ceil(framed.len().max(1)) {
                    write(stream, &framed, shared).await?;
                }
            }
        }
    }
    if scripted.end == ScriptedBodyEnd::Whole {
        write(stream, b"0\r\n\r\n", shared).await?;
    }
    // A client that still reads receives all of it before the connection closes.
    stream.get_mut().shutdown().await.ok()
}

async fn write(stream: &mut BufReader<TcpStream>, bytes: &[u8], shared: &WireServerState) -> Option<()> {
    stream.get_mut().write_all(bytes).await.ok()?;
    stream.get_mut().flush().await.ok()?;
    shared.counts.send_modify(|counts| counts.sent_bytes += bytes.len());
    Some(())
}

async fn hold(stream: &mut BufReader<TcpStream>, shared: &WireServerState) -> Option<()> {
    let mut held = shared.held.subscribe();
    let mut byte = [0];
    tokio::select! {
        let_go = held.wait_for(|held| !held) => let_go.ok().map(drop),
        // No further request comes on this connection: any read means its end.
        _ = stream.read(&mut byte) => None,
    }
}
