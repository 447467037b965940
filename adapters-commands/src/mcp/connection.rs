//! A ready connection to a server.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use entracte_application::ports::{CallProgress, CallProgressSink};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::SessionId;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, GetTaskParams, GetTaskResult, InputResponses,
    JsonObject, ProtocolVersion, SubscriptionFilter, UpdateTaskParams,
};
use rmcp::service::{ClientCacheConfig, Peer, RunningService, ServiceError};
use tokio::task::JoinHandle;

use super::connector::CLOSE_WAIT;
use super::error::McpStartError;
use super::handler::{McpClientHandler, ToolListSignals};
use super::login::McpCredentials;
use super::open_calls::{CallProgressReceiver, OpenCall, OpenCalls};
use super::pins::{PinFile, PinKey};
use super::resources::McpResourceQuery;
use super::sent_call;
use super::server_memory::{ConnectionSessions, ServerMemory};
use super::server_process::McpServerProcess;
use super::tool_lister::{ToolListLimits, ToolLister};
use entracte_application::system::SecretScrubber;

/// The parts from which a connection is built.
pub(super) struct McpConnectionParts {
    pub(super) key: PinKey,
    pub(super) service: RunningService<RoleClient, McpClientHandler>,
    pub(super) process: Option<McpServerProcess>,
    pub(super) scrubber: SecretScrubber,
    pub(super) login: Option<Arc<McpCredentials>>,
    pub(super) memory: ServerMemory,
    pub(super) signals: Arc<ToolListSignals>,
    pub(super) open_calls: Arc<OpenCalls>,
    pub(super) pins: Arc<PinFile>,
    pub(super) limit: Duration,
    pub(super) sizes: ToolListLimits,
}

/// A connection to a running server. Dropping it closes the connection and kills the process.
#[derive(Debug)]
pub(super) struct McpConnection {
    service: RunningService<RoleClient, McpClientHandler>,
    process: Mutex<Option<McpServerProcess>>,
    lister: Arc<ToolLister>,
    watch: JoinHandle<()>,
    served: Arc<AtomicBool>,
    open_calls: Arc<OpenCalls>,
    scrubber: SecretScrubber,
    login: Option<Arc<McpCredentials>>,
    /// The sessions that have called the server.
    pub(super) sessions: ConnectionSessions,
    /// Whether the protocol is of a generation that began with `initialize`.
    pub(super) has_initialize: bool,
    /// The protocol version.
    pub(super) protocol: String,
    /// The name and version the server reports.
    pub(super) called: Option<String>,
}

impl McpConnection {
    /// Compares the server's tools with the accepted ones, now and whenever the server reports a change.
    pub(super) async fn new(parts: McpConnectionParts) -> Result<Self, McpStartError> {
        // A list or a resource that cannot be read now is an error, not what it was before.
        let cache = ClientCacheConfig::default().with_serve_stale_on_error(false);
        parts.service.peer().set_response_cache_config(cache).await;
        let info = parts.service.peer_info();
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.clone());
        let has_resources = info.as_ref().is_some_and(|info| info.capabilities.resources.is_some());
        let protocol = info.as_ref().map(|info| info.protocol_version.clone());
        let called =
            info.and_then(|info| info.server_info.as_ref().map(|s| format!("{} {}", s.name, s.version)));
        let lister = Arc::new(ToolLister {
            key: parts.key,
            peer: parts.service.peer().clone(),
            pins: parts.pins,
            signals: parts.signals,
            has_tools: tools.is_some(),
            has_resources,
            limit: parts.limit,
            sizes: parts.sizes,
            turn: tokio::sync::Mutex::new(()),
        });
        lister.compare().await?;
        let told = tools.is_some_and(|tools| tools.list_changed == Some(true));
        let subscribes = told && protocol.as_ref().is_some_and(|version| !version.has_initialize());
        let watch = tokio::spawn(watch(Arc::clone(&lister), subscribes));
        Ok(Self {
            service: parts.service,
            process: Mutex::new(parts.process),
            lister,
            watch,
            served: Arc::new(AtomicBool::new(false)),
            open_calls: parts.open_calls,
            scrubber: parts.scrubber,
            login: parts.login,
            sessions: ConnectionSessions::new(parts.memory),
            has_initialize: protocol.as_ref().is_some_and(ProtocolVersion::has_initialize),
            protocol: protocol.map(|version| version.to_string()).unwrap_or_default(),
            called,
        })
    }

    /// Whether the connection is open.
    pub(super) fn is_open(&self) -> bool {
        !self.service.peer().is_transport_closed()
    }

    /// Scrubs the server's secrets from a text, including the tokens of its login, also after they were renewed.
    pub(super) fn scrubber(&self) -> SecretScrubber {
        match &self.login {
            Some(login) => self.scrubber.merge(&login.scrubber()),
            None => self.scrubber.clone(),
        }
    }

    /// Whether the connection uses a login.
    pub(super) fn is_logged_in(&self) -> bool {
        self.login.is_some()
    }

    /// Whether the server has answered a call.
    pub(super) fn has_served(&self) -> bool {
        self.served.load(Ordering::SeqCst)
    }

    /// The other side, for requests of a person that need no more than an answer.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Applies the time-out of short requests to an answer.
    pub(super) async fn within_limit<T>(
        &self,
        answer: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, ServiceError> {
        let limit = self.lister.limit;
        let late = |_| Err(ServiceError::Timeout { timeout: limit });
        tokio::time::timeout(limit, answer).await.unwrap_or_else(late)
    }

    /// Whether the server has prompts.
    pub(super) fn offers_prompts(&self) -> bool {
        self.service.peer_info().is_some_and(|info| info.capabilities.prompts.is_some())
    }

    /// Whether the server proposes values of arguments.
    pub(super) fn offers_completions(&self) -> bool {
        self.service.peer_info().is_some_and(|info| info.capabilities.completions.is_some())
    }

    /// Requires that the tools are listed before the next call.
    pub(super) fn require_listing(&self) {
        self.lister.signals.mark_stale();
    }

    /// Lists the tools again if they may have changed.
    pub(super) async fn refresh_tools(&self) -> Result<(), McpStartError> {
        self.lister.compare_if_stale().await
    }

    /// Begins one request to run a tool; nothing is sent before the call is awaited. An approval covers one request, so
    /// a server that asks for input has answered. `may_ask`: whether questions of the server reach a person meanwhile.
    pub(super) fn begin_call(
        &self,
        params: CallToolRequestParams,
        may_ask: bool,
        caller: CallProgressReceiver,
    ) -> RunningCall {
        self.begin(may_ask, caller, |peer, open| sent_call::call_tool(peer, params, open))
    }

    /// Begins a query of resources, in the same way.
    pub(super) fn begin_resource_query(
        &self,
        query: McpResourceQuery,
        arguments: JsonObject,
        session: SessionId,
        texts: &'static LocalizedTexts,
    ) -> RunningCall {
        let caller = CallProgressReceiver { session: Some(session), sink: CallProgressSink::default() };
        self.begin(false, caller, |peer, _| async move { query.run(&peer, &arguments, texts).await })
    }

    fn begin<F>(
        &self,
        may_ask: bool,
        CallProgressReceiver { session, sink }: CallProgressReceiver,
        send: impl FnOnce(Peer<RoleClient>, Arc<OpenCall>) -> F,
    ) -> RunningCall
    where
        F: Future<Output = Result<CallToolResponse, ServiceError>> + Send + 'static,
    {
        let served = Arc::clone(&self.served);
        let scrubber = self.scrubber();
        let progress = CallProgressSink::new(move |CallProgress { text, percent }| {
            sink.report(CallProgress { text: scrubber.scrub_owned(text), percent });
        });
        let guard = self.open_calls.open(may_ask, CallProgressReceiver { session, sink: progress });
        let open = guard.call();
        let answer = send(self.service.peer().clone(), guard.call());
        let answer = async move {
            let _open = guard;
            let answer = answer.await;
            if matches!(answer, Ok(_) | Err(ServiceError::McpError(_))) {
                served.store(true, Ordering::SeqCst);
            }
            answer
        };
        RunningCall { answer: answer.boxed(), open }
    }

    /// The current state of a task.
    pub(super) async fn task(&self, task: &str) -> Result<GetTaskResult, ServiceError> {
        let found = self.service.peer().get_task(GetTaskParams::new(task));
        self.within_limit(found).await
    }

    /// Cancels a task on the server; the reply is only an acknowledgement.
    pub(super) async fn stop_task(&self, task: &str) -> Result<(), ServiceError> {
        self.within_limit(self.service.peer().cancel_task(CancelTaskParams::new(task))).await
    }

    /// Sends a task the input it waits for.
    pub(super) async fn answer_task(&self, task: &str, answers: InputResponses) -> Result<(), ServiceError> {
        self.within_limit(self.service.peer().update_task(UpdateTaskParams::new(task, answers))).await
    }

    /// Ends the server: closes its input, then sends SIGTERM, then SIGKILL.
    pub(super) async fn close(&self) {
        self.watch.abort();
        self.service.cancellation_token().cancel();
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        match process {
            Some(process) => process.end().await,
            None => self.closed().await,
        }
    }

    /// Waits until the HTTP session is closed.
    async fn closed(&self) {
        let gone = async {
            while self.is_open() {
                tokio::time::sleep(CLOSE_LOOK).await;
            }
        };
        // An unresponsive server keeps its session; nothing depends on that.
        let _ = tokio::time::timeout(CLOSE_WAIT, gone).await;
    }
}

/// A request under way to run a tool. Dropping it sends a cancellation.
pub(super) struct RunningCall {
    answer: BoxFuture<'static, Result<CallToolResponse, ServiceError>>,
    open: Arc<OpenCall>,
}

/// What a running call came to.
pub(super) enum RunningCallEvent {
    Answered(Result<CallToolResponse, ServiceError>),
    /// The server asks a person something, and goes on when it has the answer.
    Asks,
}

impl RunningCall {
    /// Waits for the answer, or for a question.
    pub(super) async fn next_event(&mut self) -> RunningCallEvent {
        tokio::select! {
            biased;
            answer = &mut self.answer => RunningCallEvent::Answered(answer),
            () = self.open.asked() => RunningCallEvent::Asks,
        }
    }

    /// Waits for the answer.
    pub(super) async fn finish(self) -> Result<CallToolResponse, ServiceError> {
        self.answer.await
    }

    /// The call as its server sees it.
    pub(super) fn open_call(&self) -> Arc<OpenCall> {
        Arc::clone(&self.open)
    }
}

impl Drop for McpConnection {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

/// Lists the tools whenever they change.
async fn watch(lister: Arc<ToolLister>, subscribes: bool) {
    if subscribes {
        tokio::join!(subscribe_to_tool_changes(&lister.peer, &lister.signals), compare_each(&lister));
    } else {
        compare_each(&lister).await;
    }
}

async fn compare_each(lister: &ToolLister) {
    loop {
        lister.signals.changed().await;
        if let Err(error) = lister.compare_if_stale().await {
            // The next call lists the tools again, and reports an error.
            tracing::warn!(target: "entracte::mcp", server = lister.key.server, %error, "its tools cannot be compared");
        }
    }
}

/// Since 2026-07-28 a server reports changes only to clients that subscribe.
async fn subscribe_to_tool_changes(peer: &Peer<RoleClient>, signals: &ToolListSignals) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    if let Ok(mut subscription) = peer.listen(filter).await {
        while let Ok(Some(_)) = subscription.next().await {
            signals.mark_stale_and_notify();
        }
    }
    // The server no longer reports changes, so the next call lists the tools again.
    signals.mark_stale_and_notify();
}

/// Interval for checking whether an HTTP session is closed.
const CLOSE_LOOK: Duration = Duration::from_millis(10);
