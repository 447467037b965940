//! The heads of requests on one connection: one that is not whole yet takes a place of its address.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::address_limiter::{AddressLimiter, AddressPermit};

/// Where a connection stands between its requests.
#[derive(Debug)]
enum HeadState {
    /// A head was begun, or is waited for on a new connection.
    Head(#[expect(dead_code, reason = "it is held, not read")] AddressPermit),
    /// A request is being answered.
    Request,
    /// Nothing is under way: the client may ask again.
    Idle,
}

/// The head that a connection is waited for, where its address is counted.
#[derive(Clone, Debug)]
pub(crate) struct HeadTracker(Option<Arc<HeadTrackerState>>);

#[derive(Debug)]
struct HeadTrackerState {
    all: Arc<AddressLimiter>,
    address: IpAddr,
    standing: Mutex<HeadState>,
}

impl HeadTracker {
    /// Of a proxy that is trusted, behind which many are: it is not counted.
    pub(crate) fn uncounted() -> Self {
        Self(None)
    }

    /// Of a new connection of this address; `None` when it has as many unfinished heads as it may.
    pub(crate) fn start_head(all: &Arc<AddressLimiter>, address: IpAddr) -> Option<Self> {
        let standing = Mutex::new(HeadState::Head(all.try_acquire(address)?));
        Some(Self(Some(Arc::new(HeadTrackerState { all: all.clone(), address, standing }))))
    }

    /// A head is whole: its request is answered now.
    pub(crate) fn complete_head(&self) {
        self.set_state(HeadState::Request);
    }

    /// The request was answered.
    pub(crate) fn complete_request(&self) {
        self.set_state(HeadState::Idle);
    }

    fn set_state(&self, now: HeadState) {
        if let Some(counted) = &self.0 {
            *counted.standing.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    /// Bytes came: where nothing was under way, another head begins.
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

/// A connection whose heads are counted.
pub(crate) struct HeadStream<S> {
    stream: S,
    heads: HeadTracker,
}

impl<S> HeadStream<S> {
    /// Over this connection.
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

    /// Input: a connection that asked once and begins another head, and an address that has no place left; expected: it breaks.
    #[tokio::test]
    async fn second_head_of_connection_takes_a_place_too() {
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
