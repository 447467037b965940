//! The executor's port: a call on its way to a server and back.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{
    CallRequest, CommandExecutor, Description, ResourceReader, StoreError, Target,
};
use entracte_domain::command::{CallOutcome, CommandKind, Failure};
use entracte_domain::value::Value;
use rmcp::model::JsonObject;

use super::declaration::Declaration;
use super::names::{Names, Place};
use super::outcome::{self, Fate};
use super::server::Server;
use super::spec;
use super::{McpExecutor, PinnedTool};
use crate::answer::{failure, unknown_command};
use crate::json::to_serde;
use crate::sentence::one_line;

/// A tool that is a command.
struct Known<'a> {
    server: &'a Server,
    place: Place,
    names: Names,
}

impl McpExecutor {
    fn known(&self, command: &str) -> Option<Known<'_>> {
        let named = self.named();
        let (place, names) = named.iter().find(|(_, names)| names.name == command)?;
        let server = self.servers.get(&place.server)?;
        Some(Known { server, place: place.clone(), names: names.clone() })
    }

    fn pinned(&self, place: &Place) -> PinnedTool {
        self.pins.tool(&place.server, &place.tool).unwrap_or_default()
    }

    fn declaration(&self, place: &Place) -> Option<Declaration> {
        self.pinned(place).accepted.map(|pin| pin.declaration)
    }

    /// Whether the tool is as a person accepted it. One that is not is looked up in the file once more: another
    /// process may have accepted it by now.
    async fn is_accepted(&self, known: &Known<'_>) -> Result<(), Failure> {
        if self.refusal(known).is_none() {
            return Ok(());
        }
        let pins = Arc::clone(&self.pins);
        match tokio::task::spawn_blocking(move || pins.reload()).await {
            Ok(Ok(())) => self.refusal(known).map_or(Ok(()), Err),
            Ok(Err(error)) => Err(failure("EXECUTOR_ERROR", error.to_string())),
            Err(gone) => Err(failure("EXECUTOR_ERROR", gone.to_string())),
        }
    }

    fn refusal(&self, known: &Known<'_>) -> Option<Failure> {
        let pinned = self.pinned(&known.place);
        let parts = match (&pinned.accepted, &pinned.offered) {
            (Some(old), Some(new)) => old.declaration.changed_parts(&new.declaration),
            (Some(_), None) => return None,
            (None, _) => vec!["declaration"],
        };
        Some(outcome::changed(&known.names.name, &parts))
    }

    async fn call(&self, known: &Known<'_>, request: &CallRequest) -> Result<CallOutcome, Failure> {
        let arguments = arguments(&request.command.arguments)?;
        self.is_accepted(known).await?;
        let connection = match known.server.connection(Some(request.now)).await {
            Ok(connection) => connection,
            Err(why) => return Ok(outcome::unavailable(why.to_string())),
        };
        // The server was compared meanwhile.
        self.is_accepted(known).await?;
        if self.pinned(&known.place).gone {
            return Err(outcome::gone(&known.names.name));
        }
        let answer = connection.call(&known.place.tool, arguments).await;
        match outcome::fate(answer, &connection.scrubber, known.server.config.result_max_bytes()) {
            Fate::Answered(outcome) => Ok(outcome),
            Fate::Unsent(why) => {
                known.server.forget(&connection, request.now).await;
                Ok(outcome::unavailable(known.server.unavailable(why).to_string()))
            }
            Fate::Broken => {
                known.server.forget(&connection, request.now).await;
                Ok(CallOutcome::Lost { found_by_start: None })
            }
        }
    }
}

fn arguments(arguments: &Value) -> Result<JsonObject, Failure> {
    match to_serde(arguments) {
        Ok(serde_json::Value::Object(members)) => Ok(members),
        Ok(_) => Err(failure("INVALID_ARGUMENTS", "the arguments are no object; write {…}")),
        Err(fault) => Err(failure("INVALID_ARGUMENTS", format!("the arguments cannot be sent: {fault}"))),
    }
}

#[async_trait]
impl CommandExecutor for McpExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let mut specs = Vec::new();
        for (place, names) in self.named().iter() {
            let declaration = self.declaration(place);
            let Some((server, declaration)) = self.servers.get(&place.server).zip(declaration) else {
                continue;
            };
            match spec::spec(&server.name, &server.config, &declaration, names) {
                Ok(spec) => specs.push(spec),
                Err(why) => tracing::warn!(
                    target: "entracte::mcp", server = place.server, tool = place.tool, why, "the tool cannot be used"
                ),
            }
        }
        specs
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let Some(known) = self.known(&request.command.name) else {
            return CallOutcome::Failed(unknown_command(&request.command.name, "tool"));
        };
        self.call(&known, &request).await.unwrap_or_else(CallOutcome::Failed)
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<Description, StoreError> {
        let Some(known) = self.known(&request.command.name) else { return Ok(Description::default()) };
        let says = format!("Run the tool “{}” of the MCP server “{}”", known.place.tool, known.place.server);
        let members = request.command.arguments.as_object().unwrap_or_default();
        let shown = |value: &Value| value.as_text().map_or_else(|| value.to_json(), str::to_owned);
        Ok(Description {
            says: one_line(&says),
            after: members.iter().map(|(name, value)| (one_line(name), shown(value))).collect(),
            warnings: self.warnings(&known),
            ..Description::default()
        })
    }

    async fn target(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<Target, StoreError> {
        Ok(Target::default())
    }
}

impl McpExecutor {
    fn warnings(&self, known: &Known<'_>) -> Vec<String> {
        let Some(declaration) = self.declaration(&known.place) else { return Vec::new() };
        let config = known.server.config.tools.get(&known.place.tool).cloned().unwrap_or_default();
        let rule = spec::rule(&declaration.annotations, &config);
        if rule.kind == CommandKind::Query {
            return Vec::new();
        }
        let hints = &declaration.annotations;
        let destructive = warning(rule.destructive, hints.destructive, "overwrite or delete data");
        let outside = warning(rule.egress, hints.open_world, "send data to places outside of its own");
        [destructive, outside].into_iter().flatten().collect()
    }
}

fn warning(flag: bool, hint: Option<bool>, may: &str) -> Option<String> {
    match (flag, hint) {
        (false, _) => None,
        (true, Some(true)) => Some(format!("its server says that it may {may}")),
        (true, None) => Some(format!("its server does not say whether it may {may}")),
        (true, Some(false)) => Some(format!("the configuration says that it may {may}")),
    }
}
