//! A call of a tool on its way: its progress token is known while it runs, and it is cancelled if nobody waits for its
//! answer any more.

use std::sync::Arc;

use rmcp::model::{CallToolRequest, CallToolRequestParams, CallToolResponse, ClientRequest, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError};

use super::open_calls::OpenCall;

/// A request that was sent. Dropping it before the answer tells the server to cancel it.
struct SentCall(Option<RequestHandle<RoleClient>>);

/// Sends a call, and waits for the answer. What the server says of the progress of this request is that of `open`.
pub(super) async fn call_tool(
    peer: Peer<RoleClient>,
    params: CallToolRequestParams,
    open: Arc<OpenCall>,
) -> Result<CallToolResponse, ServiceError> {
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
    open.set_progress_token(handle.progress_token.clone());
    match SentCall(Some(handle)).answer().await? {
        ServerResult::CallToolResult(result) => Ok(CallToolResponse::Complete(result)),
        ServerResult::InputRequiredResult(result) => Ok(CallToolResponse::InputRequired(result)),
        ServerResult::CreateTaskResult(result) => Ok(CallToolResponse::Task(result)),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

impl SentCall {
    async fn answer(mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = &mut self.0 else { return Err(ServiceError::TransportClosed) };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        answer.map_err(|_| ServiceError::TransportClosed)?
    }
}

impl Drop for SentCall {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                // A server that is gone needs no cancellation.
                let _ = handle.cancel(Some("nobody waits for the answer any more".to_owned())).await;
            });
        }
    }
}
