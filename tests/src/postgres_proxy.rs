//! A proxy between Entracte and the server that can cut a connection at a COMMIT, or at a statement that is a
//! transaction of its own: before the server receives it, or after it is done and before its answer is forwarded. It
//! can also refuse connections for a while, and counts the client's requests to the server.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::postgres::TestDatabase;

/// The point at which the next COMMIT is cut.
#[derive(Clone, Copy, Debug)]
pub enum CommitCutPoint {
    /// The server never receives it.
    Before = 1,
    /// The server executes it; its answer is lost.
    After = 2,
}

/// The proxy.
pub struct PostgresFaultProxy {
    down: Arc<AtomicBool>,
    closed: Arc<AtomicBool>,
    cut: Arc<AtomicU8>,
    asked: Arc<AtomicU64>,
    url: String,
}

impl PostgresFaultProxy {
    /// Starts a proxy for this database.
    pub fn to(database: &TestDatabase) -> Self {
        let url = database.url();
        let (front, folder) = url.split_once("?host=").unwrap();
        let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicU8::new(0));
        let asked = Arc::new(AtomicU64::new(0));
        let (orders, counts) = (cut.clone(), asked.clone());
        let down = Arc::new(AtomicBool::new(false));
        let refuses = down.clone();
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = closed.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if is_closed.load(Ordering::SeqCst) {
                    return;
                }
                if refuses.load(Ordering::SeqCst) {
                    continue;
                }
                let server = UnixStream::connect(&socket).unwrap();
                carry(client, server, orders.clone(), counts.clone());
            }
        });
        let name = front.rsplit('/').next().unwrap();
        Self { down, closed, cut, asked, url: format!("postgres://entracte@127.0.0.1:{port}/{name}") }
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Blocks all connections, or lets them through again.
    pub fn go(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// Stops listening: the machine refuses new connections, and existing ones stay.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let address = self.url.split_once('@').and_then(|(_, rest)| rest.split_once('/')).unwrap().0;
        // The listener blocks in accept until a client connects; after it has ended, connections are refused.
        while TcpStream::connect(address).is_ok() {
            std::thread::yield_now();
        }
    }

    /// Cuts the next connection that sends a COMMIT, once.
    pub fn cut_next_commit(&self, cut: CommitCutPoint) {
        self.cut.store(cut as u8, Ordering::SeqCst);
    }

    /// Number of client requests to the server: each is a round trip.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the cut was made.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst) == 0
    }
}

fn carry(client: TcpStream, server: UnixStream, orders: Arc<AtomicU8>, asked: Arc<AtomicU64>) {
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let deaf = Arc::new(AtomicU8::new(0));
    let hears = deaf.clone();
    std::thread::spawn(move || {
        let mut wire = PostgresFrameReader::default();
        while let Some(message) = wire.next(&mut from_client) {
            asked.fetch_add(u64::from(message.asks()), Ordering::SeqCst);
            let order = if wire.ends_transaction(&message) { orders.swap(0, Ordering::SeqCst) } else { 0 };
            if order == CommitCutPoint::Before as u8 {
                break;
            }
            if order != 0 {
                hears.store(order, Ordering::SeqCst);
            }
            if to_server.write_all(&message.bytes).is_err() {
                break;
            }
        }
        let _ = from_client.shutdown(std::net::Shutdown::Both);
        let _ = to_server.shutdown(std::net::Shutdown::Both);
    });
    let (mut from_server, mut to_client) = (server, client);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from_server.read(&mut buffer) {
            if deaf.load(Ordering::SeqCst) != 0 || to_client.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        let _ = to_client.shutdown(std::net::Shutdown::Both);
    });
}

/// Reads the client's messages as the Postgres manual defines them (“Frontend/Backend Protocol”).
#[derive(Default)]
struct PostgresFrameReader {
    is_greeted: bool,
    /// Names of the prepared statements that are transactions of their own.
    whole: HashSet<Vec<u8>>,
}

/// One message; the first of a connection has no kind.
struct PostgresFrame {
    kind: u8,
    bytes: Vec<u8>,
}

/// The beginning of the statement that writes a whole group.
const WHOLE: &[u8] = b"WITH changed AS (UPDATE workspaces";
/// The code in place of a version with which a client requests TLS; its startup message follows.
const TLS: [u8; 4] = 80_877_103_u32.to_be_bytes();

impl PostgresFrameReader {
    /// The next message; `None` at the end.
    fn next(&mut self, client: &mut TcpStream) -> Option<PostgresFrame> {
        let mut head = vec![0; if self.is_greeted { 5 } else { 4 }];
        client.read_exact(&mut head).ok()?;
        let (start, kind) = if self.is_greeted { (1, head[0]) } else { (0, 0) };
        let length = u32::from_be_bytes(head[start..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        client.read_exact(&mut body).ok()?;
        self.is_greeted |= body.get(..4) != Some(&TLS[..]);
        Some(PostgresFrame { kind, bytes: [head, body].concat() })
    }

    /// Whether a message ends a transaction.
    fn ends_transaction(&mut self, message: &PostgresFrame) -> bool {
        match message.kind {
            b'Q' => message.body() == b"COMMIT\0",
            b'P' => {
                let (name, text) = message.name_and_rest();
                if text.starts_with(WHOLE) {
                    self.whole.insert(name.to_vec());
                }
                false
            }
            // A portal, then a statement.
            b'B' => {
                let (_, rest) = message.name_and_rest();
                self.whole.iter().any(|name| rest.starts_with(&[name, &b"\0"[..]].concat()))
            }
            _ => false,
        }
    }
}

impl PostgresFrame {
    fn asks(&self) -> bool {
        matches!(self.kind, b'Q' | b'S')
    }

    fn body(&self) -> &[u8] {
        self.bytes.get(5..).unwrap_or_default()
    }

    fn name_and_rest(&self) -> (&[u8], &[u8]) {
        let end = self.body().iter().position(|byte| *byte == 0).unwrap();
        (&self.body()[..end], &self.body()[end + 1..])
    }
}
