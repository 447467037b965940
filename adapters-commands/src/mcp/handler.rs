//! The requests that a server may make of the client: `ping`, a notice to list its tools again, and a question to the
//! person for whom it runs a call. It cannot use our model or read our files: sampling and roots are declined.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entracte_application::ports::CallProgress;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion, UrlElicitationCapability,
};
#[expect(deprecated, reason = "servers of the earlier protocol generations still use these")]
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ListRootsResult, LoggingLevel,
    LoggingMessageNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use super::open_calls::OpenCalls;
use super::text::line;

/// The client side of a connection.
#[derive(Debug)]
pub(super) struct McpClientHandler {
    pub(super) server: String,
    pub(super) signals: Arc<ToolListSignals>,
    pub(super) open_calls: Arc<OpenCalls>,
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
        let mut capabilities = ClientCapabilities::builder().enable_tasks().build();
        let elicitation = ElicitationCapability::new().with_form(FormElicitationCapability::new());
        capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::new()));
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
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

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match self.open_calls.ask(params) {
            // A server that no longer waits withdraws its question.
            Ok(asked) => tokio::select! {
                answer = asked.answer() => Ok(answer),
                () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            },
            Err(refused) => {
                tracing::warn!(target: "entracte::mcp", server = self.server, ?refused, "a question of the server reaches nobody");
                match refused.words() {
                    Some(words) => Err(ErrorData::new(ErrorCode::INVALID_REQUEST, words, None)),
                    None => Ok(ElicitResult::new(ElicitationAction::Decline)),
                }
            }
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.signals.mark_stale_and_notify();
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.open_calls.report_progress(&params.progress_token, progress(&params));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let said = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
        let text = line(&said, LOG_MAX_CHARS);
        tracing::debug!(target: "entracte::mcp", server = self.server, level = ?params.level, "{text}");
        if !matches!(params.level, LoggingLevel::Debug) {
            // As it was said: a secret is found only in whole.
            self.open_calls.report_log(said);
        }
    }
}

/// What a server says of the progress of a call. Without a total the number says nothing to a person.
fn progress(params: &ProgressNotificationParam) -> CallProgress {
    let part = params.total.filter(|total| *total > 0.0).map(|total| params.progress / total * 100.0);
    // A float that is out of range becomes the nearest number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 100")]
    let percent = part.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 100.0) as u8);
    CallProgress { text: params.message.clone().unwrap_or_default(), percent }
}

/// Refuses a request in words, with the code of a method that the client does not have.
fn refusal(why: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
}

/// The most characters of a server's message that are logged.
const LOG_MAX_CHARS: usize = 1000;
