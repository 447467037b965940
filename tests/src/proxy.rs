//! A wire between Entracte and the server that can be cut at a COMMIT: before the server gets it, or after it did and
//! before its answer is heard; and whose ends can be kept apart for a while.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::postgres::TestDatabase;

/// Where the next COMMIT is cut off.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// The server never gets it.
    Before = 1,
    /// The server does it; its answer is lost.
    After = 2,
}

/// The wire.
pub struct Proxy {
    down: Arc<AtomicBool>,
    cut: Arc<AtomicU8>,
    url: String,
}

impl Proxy {
    /// A wire to this database.
    pub fn to(database: &TestDatabase) -> Self {
        let url = database.url();
        let (front, folder) = url.split_once("?host=").unwrap();
        let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicU8::new(0));
        let orders = cut.clone();
        let down = Arc::new(AtomicBool::new(false));
        let refuses = down.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if refuses.load(Ordering::SeqCst) {
                    continue;
                }
                let server = UnixStream::connect(&socket).unwrap();
                carry(client, server, orders.clone());
            }
        });
        let name = front.rsplit('/').next().unwrap();
        Self { down, cut, url: format!("postgres://entracte@127.0.0.1:{port}/{name}") }
    }

    /// The URL of the database at the other end of it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// From now on no connection gets through, or all do again.
    pub fn go(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// Cuts the next connection that says COMMIT, once.
    pub fn cut_next_commit(&self, cut: Cut) {
        self.cut.store(cut as u8, Ordering::SeqCst);
    }

    /// Whether the cut was made.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst) == 0
    }
}

fn carry(client: TcpStream, server: UnixStream, orders: Arc<AtomicU8>) {
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let deaf = Arc::new(AtomicU8::new(0));
    let hears = deaf.clone();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from_client.read(&mut buffer) {
            let says_commit = buffer[..count].windows(7).any(|window| window == b"COMMIT\0");
            let order = if says_commit { orders.swap(0, Ordering::SeqCst) } else { 0 };
            if order == Cut::Before as u8 {
                break;
            }
            hears.store(order, Ordering::SeqCst);
            if to_server.write_all(&buffer[..count]).is_err() {
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
