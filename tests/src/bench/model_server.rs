//! The fake model: an HTTP server on this machine that answers at once, with one thread per connection.
//!
//! A request names its story in the field `model`, the first of its body: `NAME/CALLS/LAST`. The story requests a call
//! in every round except each `CALLS`-th, which says that the work is done; from call number `LAST` on (0: never) it no
//! longer answers. The gap of a round is the time that the client needs from the first byte of a reply to the first
//! byte of its next request.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::model_replies;
use super::prompt_prefix::PromptPrefixMeter;

/// The traffic of one story.
#[derive(Debug, Default)]
pub struct ModelTrafficStats {
    /// Number of received requests.
    pub requests: usize,
    /// When the first request arrived.
    pub first: Option<Instant>,
    /// When the last reply started.
    pub last_reply: Option<Instant>,
    /// When the first byte of each request arrived.
    pub arrivals: Vec<Instant>,
    /// The gap of each round from the second on; `None` for the first round after a rest.
    pub gaps: Vec<Option<Duration>>,
    /// Body size of each request in bytes.
    pub sizes: Vec<usize>,
    /// Compares successive prompts, if enabled.
    pub prompts: Option<PromptPrefixMeter>,
}

/// The stories by name, with a signal for waiting threads.
#[derive(Debug, Default)]
struct ModelTrafficRegistry {
    stories: Mutex<HashMap<String, ModelTrafficStats>>,
    changed: Condvar,
}

/// A running fake model server.
#[derive(Clone, Debug)]
pub struct FakeModelServer {
    shelf: Arc<ModelTrafficRegistry>,
    address: String,
}

impl FakeModelServer {
    /// Starts a server; it ends with this process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
        let address = listener.local_addr().expect("its address").to_string();
        let shelf = Arc::new(ModelTrafficRegistry::default());
        let serving = shelf.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shelf = serving.clone();
                std::thread::spawn(move || serve(stream, &shelf));
            }
        });
        Self { shelf, address }
    }

    /// Its host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Calls `look` with the stories whose names start with `stem`.
    pub fn with_matching_stats<T>(&self, stem: &str, look: impl FnOnce(&[&ModelTrafficStats]) -> T) -> T {
        let stories = lock(&self.shelf.stories);
        let mut found: Vec<_> = stories.iter().filter(|(name, _)| name.starts_with(stem)).collect();
        found.sort_by_key(|(name, _)| name.as_str());
        look(&found.into_iter().map(|(_, story)| story).collect::<Vec<_>>())
    }

    /// Waits until the stories whose names start with `stem` have received this many requests in total.
    pub fn wait_for_requests(&self, stem: &str, requests: usize) {
        let count = |stories: &HashMap<String, ModelTrafficStats>| -> usize {
            stories.iter().filter(|(name, _)| name.starts_with(stem)).map(|(_, story)| story.requests).sum()
        };
        let end = Instant::now() + Duration::from_mins(10);
        let mut stories = lock(&self.shelf.stories);
        while count(&stories) < requests {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{stem}: {} of {requests} requests came", count(&stories));
            // Polled ten times a second: a wake-up for each request would take CPU from the measured process.
            let (again, _) = self
                .shelf
                .changed
                .wait_timeout(stories, left.min(Duration::from_millis(100)))
                .unwrap_or_else(PoisonError::into_inner);
            stories = again;
        }
    }

    /// Removes all stories.
    pub fn clear_stats(&self) {
        lock(&self.shelf.stories).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, shelf: &ModelTrafficRegistry) {
    // Otherwise each small reply waits for an acknowledgement.
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::with_capacity(1 << 16);
    while let Some((came, body)) = read(&mut stream, &mut buffer) {
        let answer = shelf.answer(came, &buffer[body]);
        buffer.clear();
        let Some(answer) = answer else {
            std::thread::park();
            return;
        };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ";
        let reply = format!("{head}{}\r\n\r\n{}", answer.text.len(), answer.text);
        shelf.replies(&answer.name);
        if stream.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads one request: the arrival time of its first byte, and the range of its body in the buffer.
fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(Instant, std::ops::Range<usize>)> {
    let mut piece = [0; 1 << 16];
    let mut came = None;
    loop {
        let size = stream.read(&mut piece).ok().filter(|size| *size > 0)?;
        let came = *came.get_or_insert_with(Instant::now);
        buffer.extend_from_slice(&piece[..size]);
        let Some(head) = buffer.windows(4).position(|end| end == b"\r\n\r\n") else { continue };
        let length = length(&buffer[..head])?;
        let body = head + 4..head + 4 + length;
        if buffer.len() < body.end {
            let have = buffer.len();
            buffer.resize(body.end, 0);
            stream.read_exact(&mut buffer[have..]).ok()?;
        }
        return Some((came, body));
    }
}

fn length(head: &[u8]) -> Option<usize> {
    let head = std::str::from_utf8(head).ok()?;
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

struct FakeModelReply {
    name: String,
    text: String,
}

impl ModelTrafficRegistry {
    /// The reply to a request; `None` if the story no longer answers.
    fn answer(&self, came: Instant, body: &[u8]) -> Option<FakeModelReply> {
        let (name, calls, last) = parse(body)?;
        let mut stories = lock(&self.stories);
        let story = stories.entry(name.clone()).or_default();
        let is_first_of_turn = story.requests.is_multiple_of(calls);
        if story.requests > 0 {
            let gap = story.last_reply.map(|reply| came.saturating_duration_since(reply));
            story.gaps.push(gap.filter(|_| !is_first_of_turn));
        }
        story.requests += 1;
        story.first.get_or_insert(came);
        story.arrivals.push(came);
        story.sizes.push(body.len());
        if name.starts_with("prefix") {
            story.prompts.get_or_insert_default().push(body);
        }
        let round = story.requests;
        drop(stories);
        if last > 0 && round == last {
            return None;
        }
        let text =
            if round.is_multiple_of(calls) { model_replies::done() } else { model_replies::call(round) };
        Some(FakeModelReply { name, text })
    }

    /// Records that the reply to the last request of a story starts now.
    fn replies(&self, name: &str) {
        if let Some(story) = lock(&self.stories).get_mut(name) {
            story.last_reply = Some(Instant::now());
        }
    }
}

/// The name, call rhythm and last call of the story that a body names.
fn parse(body: &[u8]) -> Option<(String, usize, usize)> {
    let rest = body.strip_prefix(b"{\"model\":\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let model = std::str::from_utf8(&rest[..end]).ok()?;
    let mut parts = model.split('/');
    let name = parts.next()?.to_owned();
    let calls = parts.next()?.parse::<usize>().ok()?;
    let last = parts.next()?.parse().ok()?;
    Some((name, calls.max(1), last))
}

/// Requests per second that the server answers over this many connections while nothing else runs.
pub fn measure_model_throughput(address: &str, connections: usize, requests: usize) -> f64 {
    let each = (requests / connections).max(1);
    let body = format!(r#"{{"model":"hammer/1000000/0","messages":"{}"}}"#, "x".repeat(8192));
    let request = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut stream = TcpStream::connect(address).expect("the model listens");
                stream.set_nodelay(true).expect("an option of sockets");
                let mut buffer = Vec::new();
                for _ in 0..each {
                    stream.write_all(request.as_bytes()).expect("the model reads");
                    read(&mut stream, &mut buffer).expect("the model answers");
                    buffer.clear();
                }
            });
        }
    });
    (each * connections) as f64 / begun.elapsed().as_secs_f64()
}
