//! The executor port: runs calls on MCP servers.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError, TaskGateway,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::value::JsonValue;
use rmcp::model::JsonObject;

use super::call_outcome::{self, McpCallOutcome, ToolCallLabel};
use super::declaration::McpToolDeclaration;
use super::error::{McpProblemKind, McpStartError};
use super::server::McpServer;
use super::spec;
use super::tasks::{self, McpTasks};
use super::tool_names::{McpToolAddress, McpToolNames};
use super::{McpExecutor, PinnedTool};
use crate::call_outcome::{failure, texts, unknown_command};
use crate::display_text::one_line;
use crate::json::to_serde;

/// A tool with its command.
struct McpToolCommand<'a> {
    server: &'a McpServer,
    place: McpToolAddress,
    names: McpToolNames,
}

impl McpToolCommand<'_> {
    fn called(&self, request: &CallRequest) -> ToolCallLabel<'_> {
        ToolCallLabel { name: request.naming.format_name(&self.names.name), command: &self.names.name }
    }
}

impl McpExecutor {
    fn tool_command(&self, command: &str) -> Option<McpToolCommand<'_>> {
        let named = self.accepted_tool_names();
        let (place, names) = named.iter().find(|(_, names)| names.name == command)?;
        let server = self.servers.get(&place.server)?;
        Some(McpToolCommand { server, place: place.clone(), names: names.clone() })
    }

    fn pinned(&self, place: &McpToolAddress) -> PinnedTool {
        self.pins.tool(&place.server, &place.tool).unwrap_or_default()
    }

    fn declaration(&self, place: &McpToolAddress) -> Option<McpToolDeclaration> {
        self.pinned(place).accepted.map(|pin| pin.declaration)
    }

    /// Fails if the tool differs from its accepted declaration. Reads the file again before failing, because another
    /// process may have accepted the tool meanwhile.
    async fn is_accepted(&self, tool: &McpToolCommand<'_>, request: &CallRequest) -> Result<(), CallFailure> {
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

    async fn call(
        &self,
        tool: &McpToolCommand<'_>,
        request: &CallRequest,
    ) -> Result<CallOutcome, CallFailure> {
        let texts = texts(request);
        let arguments = arguments(&request.command.arguments, texts)?;
        self.is_accepted(tool, request).await?;
        let connection = match tool.server.connection(Some(request.now)).await {
            Ok(connection) => connection,
            Err(why) if why.needs_login() => return Ok(call_outcome::login_required(why.message(texts))),
            Err(why) => return Ok(call_outcome::unavailable(why.message(texts))),
        };
        // Connecting has compared the server's tools again.
        self.is_accepted(tool, request).await?;
        if self.pinned(&tool.place).gone {
            return Err(call_outcome::tool_removed_failure(&tool.called(request), texts));
        }
        let answer = connection.call(&tool.place.tool, arguments).await;
        let bytes_max = tool.server.config.result_max_bytes();
        match call_outcome::classify_call_result(answer, &connection.scrubber(), bytes_max, texts) {
            McpCallOutcome::Answered(outcome) => Ok(outcome),
            McpCallOutcome::Task(created) => match &request.task {
                Some(task) => Ok(tasks::accepted(&tool.server.name, *created, task, request.now, texts)),
                // The call was requested before tools could become tasks: the begun task can be neither followed nor
                // repeated.
                None => {
                    let _ = connection.stop_task(&created.task.task_id).await;
                    Ok(CallOutcome::Lost { found_by_start: None, lands_by: None })
                }
            },
            McpCallOutcome::Unsent(why) => {
                tool.server.drop_connection(&connection, request.now).await;
                Ok(call_outcome::unavailable(
                    tool.server.unavailable(McpProblemKind::Unsent(why)).message(texts),
                ))
            }
            McpCallOutcome::LoggedOut => {
                tool.server.drop_connection(&connection, request.now).await;
                let name = tool.server.name.clone();
                let why = match connection.is_logged_in() {
                    true => McpProblemKind::LoginOver(name),
                    false => {
                        McpProblemKind::Failed(Arc::new(McpStartError::Login { server: name, again: false }))
                    }
                };
                Ok(call_outcome::login_required(tool.server.unavailable(why).message(texts)))
            }
            McpCallOutcome::Broken => {
                tool.server.drop_connection(&connection, request.now).await;
                Ok(CallOutcome::Lost { found_by_start: None, lands_by: None })
            }
        }
    }
}

fn arguments(arguments: &JsonValue, texts: &LocalizedTexts) -> Result<JsonObject, CallFailure> {
    match to_serde(arguments) {
        serde_json::Value::Object(members) => Ok(members),
        _ => Err(failure("INVALID_ARGUMENTS", say!(texts, "tools-mcp-not-object"))),
    }
}

#[async_trait]
impl CommandExecutor for McpExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let mut specs = Vec::new();
        for (place, names) in self.accepted_tool_names().iter() {
            let declaration = self.declaration(place);
            let Some((server, declaration)) = self.servers.get(&place.server).zip(declaration) else {
                continue;
            };
            let bounds = &server.surroundings.bounds;
            match spec::spec(&server.name, &server.config, bounds, &declaration, names) {
                Ok(spec) => specs.push(spec),
                Err(error) => tracing::warn!(
                    target: "entracte::mcp", server = place.server, tool = place.tool, %error, "the tool cannot be used"
                ),
            }
        }
        specs
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let Some(tool) = self.tool_command(&request.command.name) else {
            return CallOutcome::Failed(unknown_command(&request));
        };
        self.call(&tool, &request).await.unwrap_or_else(CallOutcome::Failed)
    }

    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        Some(Arc::new(McpTasks::new(Arc::clone(&self.servers))))
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let Some(tool) = self.tool_command(&request.command.name) else {
            return Ok(ActionDescription::default());
        };
        let (texts, place) = (texts(&request), &tool.place);
        let says = say!(texts, "tools-mcp-run", tool = &place.tool, server = &place.server);
        let members = request.command.arguments.as_object().unwrap_or_default();
        let shown = |value: &JsonValue| value.as_text().map_or_else(|| value.to_json(), str::to_owned);
        Ok(ActionDescription {
            says: one_line(&says),
            after: members.iter().map(|(name, value)| (one_line(name), shown(value))).collect(),
            warnings: self.warnings(&tool, texts),
            ..ActionDescription::default()
        })
    }
}

impl McpExecutor {
    fn warnings(&self, tool: &McpToolCommand<'_>, texts: &LocalizedTexts) -> Vec<String> {
        let Some(declaration) = self.declaration(&tool.place) else { return Vec::new() };
        let config = tool.server.config.tools.get(&tool.place.tool).cloned().unwrap_or_default();
        let rule = spec::rule(&declaration.annotations, &config);
        let hints = &declaration.annotations;
        let destructive = who_says(rule.destructive, hints.destructive)
            .map(|says| say!(texts, "tools-mcp-warn-destructive", says = says));
        let outside = who_says(rule.egress, hints.open_world)
            .map(|says| say!(texts, "tools-mcp-warn-egress", says = says));
        [destructive, outside].into_iter().flatten().collect()
    }
}

/// The catalogue key for the source of a warning; `None` if there is nothing to warn about.
fn who_says(flag: bool, hint: Option<bool>) -> Option<&'static str> {
    match (flag, hint) {
        (false, _) => None,
        (true, Some(true)) => Some("server"),
        (true, None) => Some("nothing"),
        (true, Some(false)) => Some("configuration"),
    }
}
