//! Whether the tools of a server ask before they run, and the decisions of a person about that.

use std::collections::BTreeMap;

use entracte_domain::command::CommandKind;

use super::config::matches_tool;
use super::declaration::McpToolDeclaration;
use super::pins::PinError;
use super::server::McpServer;
use super::status::{McpRuleSource, McpToolHints, McpToolRule};
use super::{McpExecutor, spec};

/// A decision about tools of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpToolChoice {
    /// They ask before each call.
    Ask,
    /// They run without being approved, unless another level asks.
    Trust,
    /// They ask or run as they do now: a person has seen them, and agrees.
    Keep,
}

/// The tools that a decision met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpDecidedTools {
    /// The tools that are used as decided from the next start on.
    pub decided: Vec<String>,
    /// The tools for which the configuration says otherwise or already; it counts.
    pub configured: Vec<String>,
    /// The other undecided tools of a choice about all tools: they are decided as they are.
    pub kept: Vec<String>,
}

impl McpExecutor {
    /// Decides about the accepted tools of a server with these names or patterns; without any, about all of them:
    /// `Trust` is then for those that the server calls read-only, and the others stay as they are. `None` if there is
    /// no such server.
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
        let known = server.pinned_server().unwrap_or_default();
        let mut met = McpDecidedTools::default();
        let mut asking = BTreeMap::new();
        for (name, tool) in &known.tools {
            let Some(accepted) = tool.accepted.as_ref().filter(|_| is_meant(name, tools)) else { continue };
            let rule = rule_of(server, &accepted.declaration);
            let chosen = chosen(choice, tools, &rule);
            let configured = server.config.tool(name).validation.is_some();
            match (chosen, configured) {
                (Some(_), true) => met.configured.push(name.clone()),
                (Some(asks), false) => {
                    asking.insert(name.clone(), asks);
                    met.decided.push(name.clone());
                }
                (None, false) if rule.source == McpRuleSource::Hints => {
                    asking.insert(name.clone(), rule.asks);
                    met.kept.push(name.clone());
                }
                (None, _) => {}
            }
        }
        if !asking.is_empty() {
            self.pins.decide(&server.pin_key, &asking)?;
        }
        Ok(Some(met))
    }
}

fn is_meant(name: &str, tools: &[String]) -> bool {
    tools.is_empty() || tools.iter().any(|pattern| matches_tool(pattern, name))
}

/// Whether a tool asks by this choice; `None` if the choice is not about it.
fn chosen(choice: McpToolChoice, named: &[String], rule: &McpToolRule) -> Option<bool> {
    match choice {
        McpToolChoice::Ask => Some(true),
        McpToolChoice::Trust => (!named.is_empty() || rule.hints.read_only == Some(true)).then_some(false),
        McpToolChoice::Keep => Some(rule.asks),
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
            .any(Option::is_some)
        || written.tool_approvers().is_set();
    let hints = &declaration.annotations;
    McpToolRule {
        hints: McpToolHints {
            read_only: hints.read_only,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
            open_world: hints.open_world,
        },
        kind: traits.kind,
        asks: traits.requires_approval() || known.four_eyes == Some(true) || known.tool_approvers().is_set(),
        sends_out: known.egress.or(declaration.annotations.open_world),
        source: match (is_written, known.validation) {
            (true, _) => McpRuleSource::Configuration,
            (false, Some(_)) => McpRuleSource::Decision,
            (false, None) => McpRuleSource::Hints,
        },
    }
}

impl McpToolRule {
    /// Whether a person should decide about the tool: no person has, and it is a query that asks or an action that runs
    /// unasked.
    pub fn is_undecided(&self) -> bool {
        self.source == McpRuleSource::Hints && self.asks == (self.kind == CommandKind::Query)
    }
}
