//! The requests that a server may make of the client: `ping`, and a notice to list its tools again. It cannot use our
//! model, ask our users or read our files: sampling, elicitation and roots are declined.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ClientCapabilities, ClientConfig, ErrorCode, ErrorData, Implementation, ProtocolVersion};
#[expect(deprecated, reason = "servers of the earlier protocol generations still use these")]
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ListRootsResult, LoggingMessageNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use super::text::line;

/// The client side of a connection.
#[derive(Debug)]
pub(super) struct McpClientHandler {
    pub(super) server: String,
    pub(super) signals: Arc<ToolListSignals>,
}

/// Signals that the list of tools has changed.
#[derive(Debug, Default)]
pub(super) struct ToolListSignals {
    stale: AtomicBool,
    changed: Notify,
}

impl ToolListSignals {
    /// Requires that the tools are listed before the next call, and wakes the watcher.
    pub(super) fn mark_stale_and_notify(&self) {
        self.stale.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    /// Requires that the tools are listed before the next call.
    pub(super) fn mark_stale(&self) {
        self.stale.store(true, Ordering::SeqCst);
    }

    /// Takes the stale mark; if it was set, the caller must list the tools.
    pub(super) fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::SeqCst)
    }

    /// Waits for the next change.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[expect(deprecated, reason = "servers of the earlier protocol generations still use these")]
impl ClientHandler for McpClientHandler {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("entracte", env!("CARGO_PKG_VERSION"));
        // Servers of the earlier protocol generation do not know the extension, and answer with the final result.
        ClientConfig::new(ClientCapabilities::builder().enable_tasks().build(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(refusal("a server is told no folders; name them in its arguments"))
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(refusal("a server may not use the model of its client"))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.signals.mark_stale_and_notify();
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let text = line(&params.data.to_string(), LOG_MAX_CHARS);
        tracing::debug!(target: "entracte::mcp", server = self.server, level = ?params.level, "{text}");
    }
}

/// Refuses a request in words, with the code of a method that the client does not have.
fn refusal(why: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
}

/// The most characters of a server's message that are logged.
const LOG_MAX_CHARS: usize = 1000;
