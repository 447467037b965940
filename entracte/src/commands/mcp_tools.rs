//! The tools of the MCP servers of this process: which ask before they run, and what a person decides about them.

use std::collections::BTreeMap;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{
    McpDecidedTools, McpRuleSource, McpToolChoice, McpToolHints, McpToolRule, McpToolState, McpToolStatus,
};
use entracte_application::ports::{
    ExternalServerTools, ExternalTool, ExternalToolChoice, ExternalToolDecision, ExternalToolHints,
    ExternalToolRuleSource, ExternalToolState,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Timestamp;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

use super::command_accept::{known_tools, warn_of_unavailable};

/// Stores a decision about tools of a server; the one way for the command line and HTTP.
pub(super) fn decide_tools(
    mcp: &McpExecutor,
    server: &str,
    choice: ExternalToolChoice,
    tools: &[String],
    texts: &LocalizedTexts,
) -> Result<ExternalToolDecision, CliError> {
    let chosen = match choice {
        ExternalToolChoice::Ask => McpToolChoice::Ask,
        ExternalToolChoice::Trust => McpToolChoice::Trust,
        ExternalToolChoice::Keep => McpToolChoice::Keep,
    };
    let met = mcp
        .decide(server, chosen, tools)
        .map_err(|error| CliError::new(CliExitCode::Failure, error.message(texts)))?;
    let McpDecidedTools { decided, configured, kept } = met.unwrap_or_default();
    if decided.is_empty() && configured.is_empty() && kept.is_empty() {
        let text = message!("mcp-tools-none", server = server);
        return Err(
            CliError::new(CliExitCode::NotFound, text).or_next(format!("entracte mcp tools {server}"))
        );
    }
    Ok(ExternalToolDecision { decided, configured, kept })
}

/// The servers that were listed at least once, with their accepted tools. Starts none.
pub(crate) fn external_servers(
    mcp: &McpExecutor,
    now: Timestamp,
    texts: &LocalizedTexts,
) -> Result<Vec<ExternalServerTools>, CliError> {
    let changed_at = mcp.pins_changed_at().unwrap_or(now);
    let mut servers: BTreeMap<String, Vec<ExternalTool>> = BTreeMap::new();
    for (tool, rule) in accepted_tools(mcp, None, texts)? {
        servers.entry(tool.server.clone()).or_default().push(external_tool(tool, &rule));
    }
    let server = |(server, tools)| ExternalServerTools { server, tools, changed_at };
    Ok(servers.into_iter().map(server).collect())
}

fn external_tool(tool: McpToolStatus, rule: &McpToolRule) -> ExternalTool {
    let McpToolHints { read_only, destructive, idempotent, open_world } = rule.hints;
    ExternalTool {
        state: tool_state(&tool.state),
        tool: tool.tool,
        command: tool.command.map(|(name, _)| name),
        kind: rule.kind,
        asks: rule.asks,
        source: rule_source(rule.source),
        sends_out: rule.sends_out,
        hints: ExternalToolHints { read_only, destructive, idempotent, open_world },
        is_undecided: rule.is_undecided(),
    }
}

/// One line for each server that this process listed for the first time: how many of its tools ask, run unasked and send
/// data out, and the command that decides.
pub(super) fn describe_first_listed(mcp: &McpExecutor, texts: &LocalizedTexts) -> Vec<String> {
    let mut lines = Vec::new();
    for server in mcp.take_first_listed() {
        // A file of tools that cannot be read is told where it matters; a notice is left out.
        let Ok(mut tools) = accepted_tools(mcp, Some(&server), texts) else { continue };
        tools.retain(|(tool, _)| tool.state == McpToolState::Accepted);
        let count = |is: fn(&McpToolRule) -> bool| tools.iter().filter(|(_, rule)| is(rule)).count();
        let asking = count(|rule| rule.asks);
        lines.push(one_line(&say!(
            texts,
            "mcp-first-listed",
            server = &server,
            count = tools.len(),
            asking = asking,
            unasked = tools.len() - asking,
            out = count(|rule| rule.sends_out == Some(true))
        )));
    }
    lines
}

/// Fails if the configuration has no such server.
pub(super) fn check_configured(
    mcp: &McpExecutor,
    server: &str,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    if mcp.config(server).is_some() {
        return Ok(());
    }
    let text = say!(texts, "login-unknown", server = server);
    Err(CliError::with_next(CliExitCode::NotFound, text, "entracte mcp status"))
}

/// Lists the servers that were never listed, and warns of those that cannot be used.
pub(super) async fn connect_unmet(context: &CommandContext, services: &AppServices, texts: &LocalizedTexts) {
    let unavailable = services.mcp().connect_unmet(services.clock.now()).await;
    warn_of_unavailable(context, &unavailable, texts);
}

/// The accepted tools that the configuration enables, each with its rule.
fn accepted_tools(
    mcp: &McpExecutor,
    server: Option<&str>,
    texts: &LocalizedTexts,
) -> Result<Vec<(McpToolStatus, McpToolRule)>, CliError> {
    let tools = known_tools(mcp, texts)?.into_iter();
    let tools = tools.filter(|tool| tool.enabled && server.is_none_or(|server| server == tool.server));
    Ok(tools.filter_map(|tool| tool.rule.map(|rule| (tool, rule))).collect())
}

fn tool_state(state: &McpToolState) -> ExternalToolState {
    match state {
        McpToolState::Accepted => ExternalToolState::Usable,
        McpToolState::Changed { .. } | McpToolState::New { .. } => ExternalToolState::Changed,
        McpToolState::Gone => ExternalToolState::Gone,
        McpToolState::Unusable { .. } => ExternalToolState::Unusable,
    }
}

fn rule_source(source: McpRuleSource) -> ExternalToolRuleSource {
    match source {
        McpRuleSource::Hints => ExternalToolRuleSource::Server,
        McpRuleSource::Decision => ExternalToolRuleSource::Person,
        McpRuleSource::Configuration => ExternalToolRuleSource::Configuration,
    }
}
