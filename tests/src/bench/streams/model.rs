//! A model that streams piece after piece, each with the instant at which it was written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The running server; it ends with its runtime.
#[derive(Clone, Debug)]
pub(super) struct StreamingModelServer {
    clock: Arc<Instant>,
    address: String,
}

/// The instant of a piece, in microseconds of the model's clock: `@1234;`.
pub(super) fn stamp(clock: &Instant) -> String {
    format!("@{};", clock.elapsed().as_micros())
}

impl StreamingModelServer {
    /// Starts a server that streams `pieces` pieces to every client at the given interval.
    pub(super) async fn start(pieces: usize, pace: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let address = listener.local_addr().expect("its address").to_string();
        let clock = Arc::new(Instant::now());
        let speaking = clock.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let clock = speaking.clone();
                tokio::spawn(async move {
                    // A client that disconnects needs no more pieces.
                    let _gone = speak(stream, &clock, pieces, pace).await;
                });
            }
        });
        Self { clock, address }
    }

    /// Its host and port.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The clock of its stamps.
    pub(super) fn clock(&self) -> Arc<Instant> {
        self.clock.clone()
    }
}

async fn speak(mut stream: TcpStream, clock: &Instant, pieces: usize, pace: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    read_request(&mut stream).await?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for _ in 0..pieces {
        let piece = stamp(clock);
        let line = format!(
            "data: {{\"id\":\"c\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"{piece}\"}}}}]}}\n\n"
        );
        stream.write_all(line.as_bytes()).await?;
        tokio::time::sleep(pace).await;
    }
    let end = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
               data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n\
               data: [DONE]\n\n";
    stream.write_all(end.as_bytes()).await?;
    stream.shutdown().await
}

/// Reads a request to the end of its body.
async fn read_request(stream: &mut TcpStream) -> std::io::Result<()> {
    let (mut seen, mut buffer) = (Vec::new(), vec![0; 16 * 1024]);
    loop {
        let count = stream.read(&mut buffer).await?;
        seen.extend_from_slice(&buffer[..count]);
        let head = seen.windows(4).position(|end| end == b"\r\n\r\n");
        let Some(head) = head else {
            if count == 0 {
                return Ok(());
            }
            continue;
        };
        let text = String::from_utf8_lossy(&seen[..head]).to_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        if count == 0 || seen.len() >= head + 4 + length {
            return Ok(());
        }
    }
}
