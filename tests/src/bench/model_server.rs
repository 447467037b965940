//! The fake model: an HTTP server on this machine, one thread for each connection, that answers at once.
//!
//! A request names its story in the field `model`, the first of its body: `NAME/CALLS/LAST`. The story asks for a call
//! in every round but each `CALLS`-th, which says that all is done; from the call number `LAST` on (0: never) it does
//! not answer any more. The gap of a round is what the other side needed between the moment the model began to write a
//! reply and the first byte of the next request.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::model_replies;
use super::prompt_prefix::PromptPrefixMeter;

/// What the model knows of one story.
#[derive(Debug, Default)]
pub struct ModelTrafficStats {
    /// Requests that came.
    pub requests: usize,
    /// When the first came and when the last reply was begun.
    pub first: Option<Instant>,
    /// See `first`.
    pub last_reply: Option<Instant>,
    /// When the first byte of each request came.
    pub arrivals: Vec<Instant>,
    /// Each round's gap, from the second on; none for the first after a rest.
    pub gaps: Vec<Option<Duration>>,
    /// The bytes of each request's body.
    pub sizes: Vec<usize>,
    /// How the prompts go on, where that is asked for.
    pub prompts: Option<PromptPrefixMeter>,
}

/// The stories by name; someone may wait for a change.
#[derive(Debug, Default)]
struct ModelTrafficRegistry {
    stories: Mutex<HashMap<String, ModelTrafficStats>>,
    changed: Condvar,
}

/// A running model.
#[derive(Clone, Debug)]
pub struct FakeModelServer {
    shelf: Arc<ModelTrafficRegistry>,
    address: String,
}

impl FakeModelServer {
    /// Starts one; it ends with this process.
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

    /// Looks at the stories whose names begin so.
    pub fn with_matching_stats<T>(&self, stem: &str, look: impl FnOnce(&[&ModelTrafficStats]) -> T) -> T {
        let stories = lock(&self.shelf.stories);
        let mut found: Vec<_> = stories.iter().filter(|(name, _)| name.starts_with(stem)).collect();
        found.sort_by_key(|(name, _)| name.as_str());
        look(&found.into_iter().map(|(_, story)| story).collect::<Vec<_>>())
    }

    /// Waits until the stories whose names begin so have had that many requests together.
    pub fn wait_for_requests(&self, stem: &str, requests: usize) {
        let count = |stories: &HashMap<String, ModelTrafficStats>| -> usize {
            stories.iter().filter(|(name, _)| name.starts_with(stem)).map(|(_, story)| story.requests).sum()
        };
        let end = Instant::now() + Duration::from_mins(10);
        let mut stories = lock(&self.shelf.stories);
        while count(&stories) < requests {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{stem}: {} of {requests} requests came", count(&stories));
            // Looked at ten times a second: a wake-up for each request would cost the measured process its CPU.
            let (again, _) = self
                .shelf
                .changed
                .wait_timeout(stories, left.min(Duration::from_millis(100)))
                .unwrap_or_else(PoisonError::into_inner);
            stories = again;
        }
    }

    /// Forgets all stories.
    pub fn clear_stats(&self) {
        lock(&self.shelf.stories).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, shelf: &ModelTrafficRegistry) {
    // Without it each small reply waits for an acknowledgement.
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

/// Reads one request: when its first byte came, and where its body is in the buffer.
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
    /// What is said to a request; nothing where the story says no more.
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

    /// The reply to the last request of a story is about to be written.
    fn replies(&self, name: &str) {
        if let Some(story) = lock(&self.stories).get_mut(name) {
            story.last_reply = Some(Instant::now());
        }
    }
}

/// Name, calls and last call of the story that a body is about.
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

/// Requests per second that the model answers to a client that does nothing else, over so many connections.
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
