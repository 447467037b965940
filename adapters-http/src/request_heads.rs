//! Limits incomplete request heads: while a head on a connection is incomplete, it holds a permit of its address.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::address_limiter::{AddressLimiter, AddressPermit};

/// State of a connection between its requests.
#[derive(Debug)]
enum HeadState {
    /// A head has begun, or is expected on a new connection.
    Head(#[expect(dead_code, reason = "it is held, not read")] AddressPermit),
    /// A request is being answered.
    Request,
    /// No request is in progress; the client may send another.
    Idle,
}

/// Tracks the request head of one connection, if its address is limited.
#[derive(Clone, Debug)]
pub(crate) struct HeadTracker(Option<Arc<HeadTrackerState>>);

#[derive(Debug)]
struct HeadTrackerState {
    all: Arc<AddressLimiter>,
    address: IpAddr,
    standing: Mutex<HeadState>,
}

impl HeadTracker {
    /// A tracker without a limit, for a trusted proxy with many clients behind it.
    pub(crate) fn uncounted() -> Self {
        Self(None)
    }

    /// A tracker of a new connection; `None` if the address has too many incomplete heads.
    pub(crate) fn start_head(all: &Arc<AddressLimiter>, address: IpAddr) -> Option<Self> {
        let standing = Mutex::new(HeadState::Head(all.try_acquire(address)?));
        Some(Self(Some(Arc::new(HeadTrackerState { all: all.clone(), address, standing }))))
    }

    /// Marks the head as complete: its request is answered now.
    pub(crate) fn complete_head(&self) {
        self.set_state(HeadState::Request);
    }

    /// Marks the request as answered.
    pub(crate) fn complete_request(&self) {
        self.set_state(HeadState::Idle);
    }

    fn set_state(&self, now: HeadState) {
        if let Some(counted) = &self.0 {
            *counted.standing.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    /// Received bytes on an idle connection begin another head.
    fn observe_received_bytes(&self) -> io::Result<()> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let mut standing = counted.standing.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*standing, HeadState::Idle) {
            let refused = || io::Error::other("too many unfinished heads of requests from this address");
            *standing = HeadState::Head(counted.all.try_acquire(counted.address).ok_or_else(refused)?);
        }
        Ok(())
    }
}

/// A connection whose heads are tracked.
pub(crate) struct HeadStream<S> {
    stream: S,
    heads: HeadTracker,
}

impl<S> HeadStream<S> {
    /// Wraps a connection.
    pub(crate) fn new(stream: S, heads: HeadTracker) -> Self {
        Self { stream, heads }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        match read {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                Poll::Ready(self.heads.observe_received_bytes())
            }
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// Input: a connection that sent one request and begins another head, at an address without permits; expected: it
    /// fails.
    #[tokio::test]
    async fn second_head_needs_a_permit_too() {
        let (all, address) = (AddressLimiter::new(1), "192.0.2.1".parse().unwrap());
        let heads = HeadTracker::start_head(&all, address).unwrap();
        assert!(HeadTracker::start_head(&all, address).is_none());
        heads.complete_head();
        let (mut client, server) = duplex(16);
        let mut server = HeadStream::new(server, heads.clone());
        client.write_all(b"body").await.unwrap();
        let mut read = [0_u8; 4];
        server.read_exact(&mut read).await.unwrap();
        heads.complete_request();
        let other = HeadTracker::start_head(&all, address).unwrap();
        client.write_all(b"GET ").await.unwrap();
        assert!(server.read_exact(&mut read).await.is_err());
        drop(other);
        client.write_all(b"GET ").await.unwrap();
        server.read_exact(&mut read).await.unwrap();
        assert!(HeadTracker::start_head(&all, address).is_none(), "it holds the place again");
    }
}
