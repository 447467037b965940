//! Calls a tool: checks its declaration, sends the request, and sends it once more if it surely was not carried out.

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::CallRequest;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::CommandKind;
use entracte_domain::id::TaskId;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::JsonValue;
use rmcp::model::{CallToolRequestParams, CreateTaskResult, InputRequiredResult, JsonObject};

use super::call_outcome::{self, McpCallOutcome, ResendTime, ToolCallLabel, UnsentCall};
use super::connection::{McpConnection, RunningCall, RunningCallEvent};
use super::content::capped;
use super::declaration::McpToolDeclaration;
use super::error::{HandshakeRefusal, McpProblemKind, McpStartError, McpUnavailable};
use super::exact_numbers::to_library;
use super::input_request;
use super::open_calls::CallProgressReceiver;
use super::pins::DeclarationPin;
use super::resources::McpResourceQuery;
use super::result_files::{store_result, succeeded_result};
use super::server::McpServer;
use super::server_memory;
use super::spec;
use super::tasks::{self, CallHandle, InputRequiredCall, McpTaskReader, target_digest};
use super::tool_names::{McpToolAddress, McpToolNames};
use super::{McpExecutor, PinnedTool};
use crate::call_outcome::{failure, texts};
use crate::result_files::StoredResultFiles;

/// A tool with its command.
pub(super) struct McpToolCommand<'a> {
    pub(super) server: &'a McpServer,
    pub(super) place: McpToolAddress,
    pub(super) names: McpToolNames,
}

impl McpToolCommand<'_> {
    fn called(&self, request: &CallRequest) -> ToolCallLabel<'_> {
        ToolCallLabel { name: request.naming.format_name(&self.names.name), command: &self.names.name }
    }
}

/// The result of one attempt.
enum McpCallAttempt {
    Ended(CallOutcome),
    /// It surely was not carried out, and may be sent once more.
    NotDone {
        outcome: CallOutcome,
        resend: ResendTime,
    },
}

/// One call, for all of its attempts.
struct ToolCall<'a> {
    tool: &'a McpToolCommand<'a>,
    request: &'a CallRequest,
    arguments: JsonObject,
    /// The declaration under which the call was approved.
    accepted: Option<DeclarationPin>,
    texts: &'static LocalizedTexts,
}

impl McpExecutor {
    /// The tool of a command, by the command's name.
    pub(super) fn tool_command(&self, command: &str) -> Option<McpToolCommand<'_>> {
        let named = self.accepted_tool_names();
        let (place, names) = named.iter().find(|(_, names)| names.name == command)?;
        let server = self.servers.get(&place.server).map(Arc::as_ref)?;
        Some(McpToolCommand { server, place: place.clone(), names: names.clone() })
    }

    pub(super) fn pinned(&self, place: &McpToolAddress) -> PinnedTool {
        self.servers.get(&place.server).map(|server| server.pinned(&place.tool)).unwrap_or_default()
    }

    pub(super) fn declaration(&self, place: &McpToolAddress) -> Option<McpToolDeclaration> {
        self.pinned(place).accepted.map(|pin| pin.declaration)
    }

    /// Runs a tool. An approval covers one effect, so a call that surely had none is sent once more under the same
    /// approval, if the tool is declared as it was.
    pub(super) async fn call(
        &self,
        tool: &McpToolCommand<'_>,
        request: &CallRequest,
    ) -> Result<CallOutcome, CallFailure> {
        let texts = texts(request);
        let arguments = arguments(&request.command.arguments, texts)?;
        self.check_acceptance(tool, request).await?;
        let accepted = self.pinned(&tool.place).accepted.map(|pin| self.declared_pin(&tool.place, pin));
        let call = ToolCall { tool, request, arguments, accepted, texts };
        let (outcome, resend) = match self.attempt(&call, request.now).await? {
            McpCallAttempt::Ended(outcome) => return Ok(outcome),
            McpCallAttempt::NotDone { outcome, resend } => (outcome, resend),
        };
        let Some(wait) = call.resend_wait(resend) else { return Ok(outcome) };
        tracing::info!(target: "entracte::mcp", server = tool.server.name, tool = tool.place.tool, "the call was not carried out; it is sent once more");
        tokio::time::sleep(wait).await;
        let waited = Millis(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        match self.attempt(&call, request.now.plus(waited)).await? {
            McpCallAttempt::Ended(outcome) | McpCallAttempt::NotDone { outcome, .. } => Ok(outcome),
        }
    }

    async fn attempt(&self, call: &ToolCall<'_>, now: Timestamp) -> Result<McpCallAttempt, CallFailure> {
        let (tool, texts) = (call.tool, call.texts);
        let connection = match tool.server.connection(Some(now)).await {
            Ok(connection) => connection,
            Err(why) => return Ok(call.not_connected(&why)),
        };
        // Connecting has compared the server's tools again.
        self.check_acceptance(tool, call.request).await?;
        let pinned = self.pinned(&tool.place);
        if pinned.gone {
            return Err(call_outcome::tool_removed_failure(&tool.called(call.request), texts));
        }
        call.check_same_declaration(pinned.accepted.as_ref())?;
        // What the call is approved for, as it is now: another declaration may be accepted while it runs.
        let target = target_digest(tool.server, &tool.place.tool).map(|target| target.to_string());
        let log = tool.server.surroundings.log.as_deref();
        let began_anew = connection.sessions.begins_anew(&tool.place.server, call.request, log).await;
        let query = pinned.accepted.as_ref().and_then(|pin| McpResourceQuery::of(&pin.declaration));
        let mut running = match query {
            Some(query) => {
                let session = call.request.session.clone();
                connection.begin_resource_query(query, call.arguments.clone(), session, texts)
            }
            None => {
                let name = tool.place.tool.clone();
                let params = CallToolRequestParams::new(name).with_arguments(call.arguments.clone());
                let session = Some(call.request.session.clone());
                let caller = CallProgressReceiver { session, sink: call.request.progress.clone() };
                connection.begin_call(params, call.request.task.is_some(), caller)
            }
        };
        let answer = loop {
            match (running.next_event().await, &call.request.task) {
                (RunningCallEvent::Answered(answer), _) => break answer,
                (RunningCallEvent::Asks, Some(task)) => match call.hold(&connection, task, running) {
                    Ok(outcome) => return Ok(McpCallAttempt::Ended(outcome)),
                    Err(refused) => {
                        refused.open_call().decline_questions();
                        running = refused;
                    }
                },
                (RunningCallEvent::Asks, None) => running.open_call().decline_questions(),
            }
        };
        let (bytes_max, scrubber) = (tool.server.config.result_max_bytes(), connection.scrubber());
        let brought = match (&tool.server.surroundings.files, succeeded_result(&answer)) {
            (Some(files), Some(result)) => store_result(files, result, call.request, &scrubber).await,
            (_, _) => StoredResultFiles::default(),
        };
        match call_outcome::classify_call_result(answer, &scrubber, bytes_max, texts) {
            McpCallOutcome::Answered(outcome) if began_anew => {
                connection.sessions.record_session(&call.request.session);
                let outcome = server_memory::noted(outcome, &tool.server.name, texts);
                Ok(McpCallAttempt::Ended(brought.added_to(outcome)))
            }
            McpCallOutcome::Answered(outcome) => Ok(McpCallAttempt::Ended(brought.added_to(outcome))),
            McpCallOutcome::Task(created) => Ok(call.begin_task(&connection, *created).await),
            McpCallOutcome::InputRequired(asked) => {
                let may_wait = query.is_none();
                Ok(McpCallAttempt::Ended(call.wait_for_input(&connection, *asked, may_wait, target)))
            }
            McpCallOutcome::NotDone(not_done) => Ok(call.not_done(&connection, not_done, now).await),
            McpCallOutcome::LoggedOut => {
                tool.server.discard_session(&connection).await;
                let why = tool.server.unavailable(call.login_problem(&connection)).message(texts);
                let outcome = call_outcome::login_required(why);
                // Another process may have logged in or renewed the token meanwhile.
                Ok(McpCallAttempt::NotDone { outcome, resend: ResendTime::NewSession })
            }
            McpCallOutcome::Broken => {
                tool.server.drop_connection(&connection, now).await;
                Ok(McpCallAttempt::Ended(CallOutcome::Lost { found_by_start: None, lands_by: None }))
            }
        }
    }

    /// Fails if the tool differs from its accepted declaration. Reads the file again before failing, because another
    /// process may have accepted the tool meanwhile.
    async fn check_acceptance(
        &self,
        tool: &McpToolCommand<'_>,
        request: &CallRequest,
    ) -> Result<(), CallFailure> {
        let texts = texts(request);
        if self.refusal(tool, request).is_none() {
            return Ok(());
        }
        let pins = Arc::clone(&self.pins);
        match tokio::task::spawn_blocking(move || pins.reload()).await {
            Ok(Ok(())) => self.refusal(tool, request).map_or(Ok(()), Err),
            Ok(Err(error)) => Err(failure("EXECUTOR_ERROR", error.message(texts))),
            Err(gone) => Err(failure("EXECUTOR_ERROR", gone.to_string())),
        }
    }

    fn refusal(&self, tool: &McpToolCommand<'_>, request: &CallRequest) -> Option<CallFailure> {
        let (texts, pinned) = (texts(request), self.pinned(&tool.place));
        let name = &tool.called(request);
        if let Some(refused) = &pinned.refused {
            return Some(call_outcome::oversized_tool_failure(name, refused, texts));
        }
        match (&pinned.accepted, &pinned.offered) {
            (Some(old), Some(new)) => Some(call_outcome::declaration_changed_failure(
                name,
                &old.declaration.changed_parts(&new.declaration),
                texts,
            )),
            (Some(_), None) => None,
            (None, _) => Some(call_outcome::not_accepted_failure(name, texts)),
        }
    }
}

impl ToolCall<'_> {
    /// The wait before the second attempt; `None` if there is none. A query that has to wait is repeated by its session.
    fn resend_wait(&self, resend: ResendTime) -> Option<Duration> {
        match resend {
            ResendTime::NewSession => Some(Duration::ZERO),
            ResendTime::NewConnection(wait) | ResendTime::Later(wait) => {
                (self.is_action() && wait <= self.tool.server.config.resend_max()).then_some(wait)
            }
        }
    }

    fn is_action(&self) -> bool {
        let config = self.tool.server.tool_config(&self.tool.place.tool);
        let kind = |pin: &DeclarationPin| spec::rule(&pin.declaration.annotations, &config).kind;
        self.accepted.as_ref().map(kind) == Some(CommandKind::Action)
    }

    /// Fails if a person has accepted another declaration since the catalog was made, by which the tool takes other
    /// arguments or asks at other times: the call was checked and approved by the one before.
    fn check_same_declaration(&self, now: Option<&DeclarationPin>) -> Result<(), CallFailure> {
        let config = self.tool.server.config.tool(&self.tool.place.tool);
        let rule = |pin: &DeclarationPin| spec::rule(&pin.declaration.annotations, &config);
        match (&self.accepted, now) {
            (Some(before), Some(now))
                if before.declaration.schema != now.declaration.schema || rule(before) != rule(now) =>
            {
                let parts = before.declaration.changed_parts(&now.declaration);
                let name = self.tool.called(self.request);
                Err(call_outcome::declaration_changed_failure(&name, &parts, self.texts))
            }
            (_, _) => Ok(()),
        }
    }

    fn not_connected(&self, why: &McpUnavailable) -> McpCallAttempt {
        let message = why.message(self.texts);
        if why.needs_login() {
            return McpCallAttempt::Ended(call_outcome::login_required(message));
        }
        let outcome = call_outcome::unavailable(message);
        if !why.is_unreached() {
            return McpCallAttempt::Ended(outcome);
        }
        let wait = Duration::from_secs(self.tool.server.config.restart_min_seconds());
        McpCallAttempt::NotDone { outcome, resend: ResendTime::NewConnection(wait) }
    }

    async fn not_done(
        &self,
        connection: &Arc<McpConnection>,
        not_done: UnsentCall,
        now: Timestamp,
    ) -> McpCallAttempt {
        let server = self.tool.server;
        let Some(resend) = not_done.resend else {
            let why = say!(self.texts, "tools-mcp-refused", server = &server.name, why = not_done.why);
            return McpCallAttempt::Ended(call_outcome::refused(why));
        };
        let why = server.unavailable(McpProblemKind::NotDone(not_done.why)).message(self.texts);
        match resend {
            ResendTime::NewSession => server.discard_session(connection).await,
            ResendTime::NewConnection(_) => server.drop_connection(connection, now).await,
            ResendTime::Later(_) => {}
        }
        McpCallAttempt::NotDone { outcome: call_outcome::unavailable(why), resend }
    }

    fn login_problem(&self, connection: &McpConnection) -> McpProblemKind {
        let server = self.tool.server;
        if connection.is_logged_in() {
            return McpProblemKind::LoginOver;
        }
        let error = if server.config.has_own_authorization() {
            McpStartError::Handshake {
                refusal: HandshakeRefusal::Unauthorized,
                output: None,
                other_way: false,
                never_connected: false,
            }
        } else {
            McpStartError::Login { server: server.name.clone(), again: false }
        };
        McpProblemKind::Failed(Arc::new(error))
    }

    /// The call goes on beside its command, as a task, until a person has answered its server. Gives it back if too many
    /// calls are held.
    fn hold(
        &self,
        connection: &Arc<McpConnection>,
        task: &TaskId,
        running: RunningCall,
    ) -> Result<CallOutcome, RunningCall> {
        let server = self.tool.server;
        let handle = CallHandle { server: server.name.clone(), round: 0, again: None };
        let Ok(handle) = handle.write(&connection.scrubber()) else { return Err(running) };
        let open = running.open_call();
        server.held.hold(task, running, connection)?;
        open.stop_progress();
        Ok(tasks::accepted_question(handle, task, self.texts))
    }

    /// The call becomes a task until a person has answered, if it may wait. A call that was requested before tools could
    /// become tasks has nobody to ask.
    fn wait_for_input(
        &self,
        connection: &McpConnection,
        asked: InputRequiredResult,
        may_wait: bool,
        target: Option<String>,
    ) -> CallOutcome {
        let server = self.tool.server;
        let reading = McpTaskReader {
            scrubber: connection.scrubber(),
            bytes_max: server.config.result_max_bytes(),
            texts: self.texts,
        };
        let lines = capped(
            reading.scrubber.scrub_owned(input_request::input_request_text(&asked)),
            reading.bytes_max,
            self.texts,
        );
        let Some(task) = self.request.task.as_ref().filter(|_| may_wait) else {
            return call_outcome::input_not_given(lines, self.texts);
        };
        let call = InputRequiredCall {
            server,
            tool: &self.tool.place.tool,
            arguments: &self.arguments,
            round: 0,
            target,
        };
        match call.wait(asked, &reading) {
            Ok(waiting) => tasks::accepted_question(waiting.handle, task, self.texts),
            Err(why) => {
                let why = why.message(self.texts).unwrap_or(lines);
                call_outcome::input_not_given(why, self.texts)
            }
        }
    }

    async fn begin_task(&self, connection: &McpConnection, created: CreateTaskResult) -> McpCallAttempt {
        let outcome = match &self.request.task {
            Some(task) => tasks::accepted(self.tool.server, created, task, self.request.now, self.texts),
            // The call was requested before tools could become tasks: the begun task can be neither followed nor
            // repeated.
            None => {
                let _ = connection.stop_task(&created.task.task_id).await;
                CallOutcome::Lost { found_by_start: None, lands_by: None }
            }
        };
        McpCallAttempt::Ended(outcome)
    }
}

fn arguments(arguments: &JsonValue, texts: &LocalizedTexts) -> Result<JsonObject, CallFailure> {
    match to_library(arguments) {
        serde_json::Value::Object(members) => Ok(members),
        _ => Err(failure("INVALID_ARGUMENTS", say!(texts, "tools-mcp-not-object"))),
    }
}
