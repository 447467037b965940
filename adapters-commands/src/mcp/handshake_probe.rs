//! Falls back to the older handshake on the same process. A server that does not answer the first message may be one that
//! ignores unknown methods, or one that is still starting: killing it would start its download anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout_at};

/// What the probe has seen, for the connector.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbeFindings {
    fell_back: Arc<AtomicBool>,
    late_discovery: Arc<AtomicBool>,
}

impl ProbeFindings {
    /// Whether the server left the first message without an answer.
    pub(super) fn fell_back(&self) -> bool {
        self.fell_back.load(Ordering::SeqCst)
    }

    /// Whether the server knows `server/discover` after all: it was only slow.
    pub(super) fn has_late_discovery(&self) -> bool {
        self.late_discovery.load(Ordering::SeqCst)
    }
}

/// A transport that answers `server/discover` itself, as unknown, after a silence.
pub(super) struct ProbedTransport<T> {
    inner: T,
    /// The silence; `None` never answers.
    silence: Option<Duration>,
    /// The open request, and when it counts as not understood.
    open: Option<(RequestId, Instant)>,
    /// The request that was answered instead of the server.
    abandoned: Option<RequestId>,
    findings: ProbeFindings,
}

impl<T> ProbedTransport<T> {
    pub(super) fn new(inner: T, silence: Option<Duration>, findings: ProbeFindings) -> Self {
        Self { inner, silence, open: None, abandoned: None, findings }
    }

    /// The answer of a server that does not know the method.
    fn give_up(&mut self, id: RequestId) -> ServerJsonRpcMessage {
        self.open = None;
        self.abandoned = Some(id.clone());
        self.findings.fell_back.store(true, Ordering::SeqCst);
        let unknown = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer", None);
        ServerJsonRpcMessage::error(unknown, Some(id))
    }

    /// Whether a message is the late answer to the abandoned request; the caller has its answer already.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let Some(id) = answered_request(message) else { return false };
        if self.open.as_ref().is_some_and(|(open, _)| open == id) {
            self.open = None;
        }
        if self.abandoned.as_ref() != Some(id) {
            return false;
        }
        let knows = matches!(message, JsonRpcMessage::Response(_));
        self.findings.late_discovery.fetch_or(knows, Ordering::SeqCst);
        true
    }
}

fn answered_request(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ProbedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let (JsonRpcMessage::Request(request), Some(silence)) = (&item, self.silence)
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
        {
            self.open = Some((request.id.clone(), Instant::now() + silence));
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = match self.open.clone() {
                None => self.inner.receive().await?,
                Some((id, until)) => match timeout_at(until, self.inner.receive()).await {
                    Ok(message) => message?,
                    Err(_) => return Some(self.give_up(id)),
                },
            };
            if !self.is_late(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
