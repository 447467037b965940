//! A client of one stream.

use std::sync::Arc;
use std::time::Instant;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The HTTP request of a stream.
#[derive(Clone, Debug)]
pub(super) struct StreamRequestTarget {
    /// Host and port.
    pub(super) host: String,
    /// Path with its query.
    pub(super) path: String,
    /// Further header lines, each with its line end.
    pub(super) head: String,
}

impl StreamRequestTarget {
    fn request(&self) -> String {
        let Self { host, path, head } = self;
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{head}\r\n")
    }
}

/// Delivery time of each piece, in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct DeliveryLatencies(pub(super) Vec<f64>);

/// A client that reads its stream.
#[derive(Debug)]
pub(super) struct StreamBenchClient {
    stream: TcpStream,
    text: Vec<u8>,
}

impl StreamBenchClient {
    /// Opens a stream and waits for its first bytes.
    pub(super) async fn open(address: StreamRequestTarget) -> Self {
        let mut stream = open_unread_stream(&address).await;
        let mut text = Vec::new();
        read(&mut stream, &mut text).await;
        let head = String::from_utf8_lossy(&text);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        Self { stream, text }
    }

    /// Receives `pieces` pieces.
    pub(super) async fn receive_pieces(mut self, clock: Arc<Instant>, pieces: usize) -> DeliveryLatencies {
        let mut spans = Vec::with_capacity(pieces);
        let mut from = 0;
        while spans.len() < pieces {
            let now = clock.elapsed();
            from += stamps(&self.text[from..], |micros| {
                let span = now.as_micros().saturating_sub(micros);
                spans.push(f64::from(u32::try_from(span).unwrap_or(u32::MAX)) / 1000.0);
            });
            if spans.len() < pieces && !read(&mut self.stream, &mut self.text).await {
                break;
            }
        }
        assert_eq!(spans.len(), pieces, "the stream ended: {}", String::from_utf8_lossy(&self.text));
        DeliveryLatencies(spans)
    }
}

/// Opens a stream that is never read.
pub(super) async fn open_unread_stream(address: &StreamRequestTarget) -> TcpStream {
    let mut stream = TcpStream::connect(&address.host).await.expect("the server listens");
    stream.write_all(address.request().as_bytes()).await.expect("the server reads");
    stream
}

async fn read(stream: &mut TcpStream, text: &mut Vec<u8>) -> bool {
    use tokio::io::AsyncReadExt;
    stream.read_buf(text).await.expect("the server writes") > 0
}

/// Finds every complete stamp of a text, and returns the offset up to which it was parsed.
fn stamps(text: &[u8], mut found: impl FnMut(u128)) -> usize {
    let mut from = 0;
    while let Some(start) = text[from..].iter().position(|byte| *byte == b'@').map(|at| from + at) {
        let digits = text[start + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = start + 1 + digits;
        match text.get(end) {
            // The stamp is incomplete; its rest follows in the next read.
            None => return start,
            Some(b';') if digits > 0 => {
                let number =
                    std::str::from_utf8(&text[start + 1..end]).ok().and_then(|digits| digits.parse().ok());
                number.into_iter().for_each(&mut found);
                from = end + 1;
            }
            Some(_) => from = end,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_stamp_is_read_once() {
        let mut found = Vec::new();
        let text = b"id: 1.1.4\ndata: {\"text\":\"@12;@345;\"}\n\ndata: {\"text\":\"@67";
        let read = stamps(text, |micros| found.push(micros));
        assert_eq!((found.as_slice(), &text[read..]), ([12, 345].as_slice(), b"@67".as_slice()));
        assert_eq!(stamps(b"no stamp; a@b.example", |micros| found.push(micros)), 21);
        assert_eq!(found.len(), 2);
    }
}
