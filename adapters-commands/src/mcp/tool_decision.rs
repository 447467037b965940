//! Whether the tools of a server ask before they run, and the decisions of a person about that.

use super::config::matches_tool;
use super::declaration::McpToolDeclaration;
use super::pins::{PinError, PinnedTool};
use super::server::McpServer;
use super::status::{McpRuleSource, McpToolRule};
use super::{McpExecutor, spec};

/// A decision about tools of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpToolChoice {
    /// They ask before each call.
    Ask,
    /// They run without being approved, unless another level asks.
    Trust,
}

/// The tools that a decision met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpDecidedTools {
    /// The tools that are used as decided from the next start on.
    pub decided: Vec<String>,
    /// The tools for which the configuration says otherwise or already; it counts.
    pub configured: Vec<String>,
}

impl McpExecutor {
    /// Decides about the accepted tools of a server with these names or patterns. Without any, `Ask` is for all tools,
    /// and `Trust` for those that the server calls read-only. `None` if there is no such server.
    ///
    /// # Errors
    /// When the file of accepted tools cannot be read or written.
    pub fn decide(
        &self,
        server: &str,
        choice: McpToolChoice,
        tools: &[String],
    ) -> Result<Option<McpDecidedTools>, PinError> {
        let Some(server) = self.servers.get(server) else { return Ok(None) };
        self.pins.reload()?;
        let known = self.pins.server(&server.name).unwrap_or_default();
        let mut met = McpDecidedTools::default();
        for (name, _) in known.tools.into_iter().filter(|(name, tool)| is_meant(name, tool, choice, tools)) {
            let configured = server.config.tool(&name).validation.is_some();
            if configured { &mut met.configured } else { &mut met.decided }.push(name);
        }
        let validation = match choice {
            McpToolChoice::Ask => true,
            McpToolChoice::Trust => false,
        };
        self.pins.decide(&server.name, &met.decided, validation)?;
        Ok(Some(met))
    }
}

fn is_meant(name: &str, tool: &PinnedTool, choice: McpToolChoice, tools: &[String]) -> bool {
    let Some(accepted) = &tool.accepted else { return false };
    match (tools, choice) {
        ([], McpToolChoice::Ask) => true,
        ([], McpToolChoice::Trust) => accepted.declaration.annotations.read_only == Some(true),
        (named, McpToolChoice::Ask | McpToolChoice::Trust) => {
            named.iter().any(|pattern| matches_tool(pattern, name))
        }
    }
}

/// How a tool with this declaration is used.
pub(super) fn rule_of(server: &McpServer, declaration: &McpToolDeclaration) -> McpToolRule {
    let (written, known) = (server.config.tool(&declaration.name), server.tool_config(&declaration.name));
    let traits = spec::rule(&declaration.annotations, &known);
    let is_written = written.kind.is_some()
        || written.effect.is_some()
        || [written.validation, written.destructive, written.egress, written.four_eyes]
            .iter()
            .any(Option::is_some);
    McpToolRule {
        kind: traits.kind,
        asks: traits.requires_approval() || known.four_eyes == Some(true),
        sends_out: known.egress.or(declaration.annotations.open_world),
        source: match (is_written, known.validation) {
            (true, _) => McpRuleSource::Configuration,
            (false, Some(_)) => McpRuleSource::Decision,
            (false, None) => McpRuleSource::Hints,
        },
    }
}
