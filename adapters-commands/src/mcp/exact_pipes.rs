//! The lines of a connection by pipes, with marked numbers for the protocol library and plain ones for the other side.

use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::exact_numbers::{ToolPayloads, with_marked_numbers, with_plain_numbers};

/// The lines of the other side, for the library.
pub(super) struct MarkedLineReader<R> {
    inner: R,
    payloads: ToolPayloads,
    line_max_bytes: usize,
    /// The beginning of a line.
    line: Vec<u8>,
    /// Whether the rest of a line is left out.
    is_discarding: bool,
    ready: PassedBytes,
}

/// Bytes that are passed on.
#[derive(Default)]
struct PassedBytes {
    bytes: Vec<u8>,
    passed: usize,
}

impl PassedBytes {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.passed..).unwrap_or_default()
    }

    /// Adds a line. A long one is not copied.
    fn add(&mut self, line: Vec<u8>) {
        if self.bytes.is_empty() {
            self.bytes = line;
        } else {
            self.bytes.extend_from_slice(&line);
        }
    }

    /// Notes that so many bytes were passed on. Of a long line nothing stays in memory then.
    fn pass(&mut self, count: usize) {
        self.passed = self.passed.saturating_add(count);
        if self.rest().is_empty() {
            *self = Self::default();
        }
    }
}

/// A line with its numbers changed; one that is not text as it is.
fn changed_line(line: Vec<u8>, change: impl Fn(&str) -> Cow<'_, str>) -> Vec<u8> {
    let changed = match std::str::from_utf8(&line).map(change) {
        Ok(Cow::Owned(changed)) => Some(changed.into_bytes()),
        Ok(Cow::Borrowed(_)) | Err(_) => None,
    };
    changed.unwrap_or(line)
}

impl<R> MarkedLineReader<R> {
    /// Reads lines of at most `line_max_bytes`, with their end. A longer one is left out, and said in the log.
    pub(super) fn new(inner: R, payloads: ToolPayloads, line_max_bytes: usize) -> Self {
        Self {
            inner,
            payloads,
            line_max_bytes,
            line: Vec::new(),
            is_discarding: false,
            ready: PassedBytes::default(),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len().saturating_add(piece.len()) > self.line_max_bytes && !self.is_discarding {
                tracing::error!(target: "entracte::mcp", most = self.line_max_bytes, "a message is too long, and is left out");
                self.line = Vec::new();
                self.is_discarding = true;
            }
            if !self.is_discarding {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.is_discarding = false;
                let line = std::mem::take(&mut self.line);
                self.ready.add(changed_line(line, |text| with_marked_numbers(text, self.payloads)));
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MarkedLineReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.ready.rest().is_empty() {
            let mut chunk = [0_u8; CHUNK_BYTES];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // A last line without an end is no message.
                return Poll::Ready(Ok(()));
            }
            this.add(read.filled());
        }
        let count = this.ready.rest().len().min(buffer.remaining());
        buffer.put_slice(this.ready.rest().get(..count).unwrap_or_default());
        this.ready.pass(count);
        Poll::Ready(Ok(()))
    }
}

/// The lines that the library writes, for the other side.
pub(super) struct PlainLineWriter<W> {
    inner: W,
    payloads: ToolPayloads,
    /// The beginning of a line.
    line: Vec<u8>,
    ready: PassedBytes,
}

impl<W> PlainLineWriter<W> {
    /// Writes lines whose payloads have these names.
    pub(super) fn new(inner: W, payloads: ToolPayloads) -> Self {
        Self { inner, payloads, line: Vec::new(), ready: PassedBytes::default() }
    }

    fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.ready.add(changed_line(line, |text| with_plain_numbers(text, self.payloads)));
    }
}

impl<W: AsyncWrite + Unpin> PlainLineWriter<W> {
    /// Writes what is ready.
    fn poll_ready_bytes(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.ready.rest().is_empty() {
            let count = ready!(Pin::new(&mut self.inner).poll_write(context, self.ready.rest()))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.ready.pass(count);
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for PlainLineWriter<W> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_ready_bytes(context))?;
        this.add(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_ready_bytes(context))?;
        Pin::new(&mut this.inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.end_line();
        ready!(this.poll_ready_bytes(context))?;
        Pin::new(&mut this.inner).poll_shutdown(context)
    }
}

/// How many bytes are read at once.
const CHUNK_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Input: lines in pieces, one of them too long; expected: each complete line within the limit, with marked numbers.
    #[tokio::test]
    async fn lines_are_marked_and_long_ones_left_out() {
        let long = format!("{{\"arguments\":\"{}\"}}\n", "x".repeat(100));
        let (near, mut far) = tokio::io::duplex(7);
        let text = format!("{{\"arguments\":[1e2]}}\n{long}{{\"id\":0.50}}\n{{\"half\":");
        let sending = tokio::spawn(async move { far.write_all(text.as_bytes()).await });
        let mut reader = MarkedLineReader::new(near, ToolPayloads::OF_CLIENT, 40);
        let mut read = String::new();
        reader.read_to_string(&mut read).await.unwrap();
        sending.await.unwrap().unwrap();
        assert_eq!(read, "{\"arguments\":[\"\u{f1e5}#1e2\"]}\n{\"id\":0.50}\n");
        assert_eq!(reader.ready.bytes.capacity(), 0, "what was passed on is forgotten");
    }

    #[tokio::test]
    async fn written_lines_have_plain_numbers() {
        let (near, mut far) = tokio::io::duplex(1_000);
        let mut writer = PlainLineWriter::new(near, ToolPayloads::OF_SERVER);
        for piece in ["{\"structuredContent\":[\"\u{f1e5}", "#0.50\"]}\n{\"text\":\"\u{f1e5}#1\"}\n"] {
            writer.write_all(piece.as_bytes()).await.unwrap();
        }
        writer.shutdown().await.unwrap();
        let mut written = String::new();
        drop(writer);
        far.read_to_string(&mut written).await.unwrap();
        assert_eq!(written, "{\"structuredContent\":[0.50]}\n{\"text\":\"\u{f1e5}#1\"}\n");
    }
}
