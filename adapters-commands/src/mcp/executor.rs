//! The executor port: runs calls on MCP servers.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError, TaskGateway,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallOutcome;
use entracte_domain::value::JsonValue;

use super::McpExecutor;
use super::spec;
use super::tasks::McpTasks;
use super::tool_call::McpToolCommand;
use crate::call_outcome::{texts, unknown_command};
use crate::display_text::one_line;

#[async_trait]
impl CommandExecutor for McpExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let mut specs = Vec::new();
        for (place, names) in self.accepted_tool_names().iter() {
            let Some((server, pin)) = self.servers.get(&place.server).zip(self.pinned(place).accepted) else {
                continue;
            };
            let declaration = self.declared_pin(place, pin).declaration;
            let bounds = &server.surroundings.bounds;
            let known = server.tool_config(&place.tool);
            match spec::spec(&server.name, &server.config, bounds, &declaration, names, &known) {
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
        let says = match tool.server.config.remote_host() {
            Some(host) => {
                say!(texts, "tools-mcp-run-at", tool = &place.tool, server = &place.server, host = host)
            }
            None => say!(texts, "tools-mcp-run", tool = &place.tool, server = &place.server),
        };
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
        let config = tool.server.tool_config(&tool.place.tool);
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
