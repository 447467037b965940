//! A connection's permits, and its timeout if it accepts no byte for too long, so that a client that stops reading
//! holds nothing open.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

use crate::address_limiter::AddressPermit;

/// The permits of a connection, held also after a protocol upgrade: one of all connections, and one of its address if
/// that is limited.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionPermit(
    #[expect(dead_code, reason = "it is held, not read")] Arc<(OwnedSemaphorePermit, Option<AddressPermit>)>,
);

impl ConnectionPermit {
    /// Holds the permits until it is dropped.
    pub(crate) fn new(permit: OwnedSemaphorePermit, place: Option<AddressPermit>) -> Self {
        Self(Arc::new((permit, place)))
    }
}

/// A connection that fails if a write is blocked for longer than the limit.
pub(crate) struct WriteTimeoutStream<S> {
    stream: S,
    most: Duration,
    waits: Option<Pin<Box<Sleep>>>,
    /// Called once on a timeout.
    broke: Option<WriteTimeoutHandler>,
}

/// Callback on a write timeout.
type WriteTimeoutHandler = Box<dyn FnOnce() + Send>;

impl<S> WriteTimeoutStream<S> {
    /// Limits the time of a blocked write to `most`; calls `broke` on a timeout.
    pub(crate) fn new(stream: S, most: Duration, broke: impl FnOnce() + Send + 'static) -> Self {
        Self { stream, most, waits: None, broke: Some(Box::new(broke)) }
    }

    /// Checks the result of a write: a pending one must complete within the limit.
    fn enforce_write_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.waits = None;
            return tried;
        }
        let most = self.most;
        let waits = self.waits.get_or_insert_with(|| Box::pin(sleep(most)));
        match waits.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                waits.as_mut().reset(Instant::now() + most);
                if let Some(broke) = self.broke.take() {
                    broke();
                }
                let why = "the client took no byte for too long";
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, why)))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.enforce_write_timeout(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.enforce_write_timeout(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.enforce_write_timeout(context, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.enforce_write_timeout(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stalled_connection_fails_and_slow_one_survives() {
        let (mut client, server) = duplex(1);
        let mut server = WriteTimeoutStream::new(server, Duration::from_secs(30), || ());
        let reads = tokio::spawn(async move {
            for _ in 0..3 {
                sleep(Duration::from_secs(29)).await;
                client.read_u8().await.unwrap();
            }
            client
        });
        server.write_all(b"four").await.unwrap();
        let _open = reads.await.unwrap();
        let left = Instant::now();
        assert_eq!(server.write_all(b"x").await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(left.elapsed().as_secs(), 30);
    }
}
