//! `mcp tools | trust | ask`: shows which tools of MCP servers ask before they run, and lets a person decide.

use std::collections::BTreeMap;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{
    McpDecidedTools, McpRuleSource, McpToolChoice, McpToolHints, McpToolRule, McpToolStatus,
};
use entracte_application::ports::{
    ExternalServerTools, ExternalTool, ExternalToolChoice, ExternalToolDecision, ExternalToolHints,
    ExternalToolRuleSource,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Timestamp;
use serde_json::json;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::text::one_line;
use crate::user_text::message;

use super::command_accept::{known_tools, warn_of_unavailable};

/// Lists the accepted tools of a server, or of all; connects to servers that were never listed.
pub(super) async fn list(context: &CommandContext, server: Option<&str>) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if let Some(server) = server {
        check_configured(&services.mcp, server, texts)?;
    }
    connect_unmet(context, &services, texts).await;
    let tools = accepted_tools(&services.mcp, server, texts)?;
    services.mcp.close().await;
    if context.out.json {
        let object = |(tool, rule): &(McpToolStatus, McpToolRule)| {
            json!({
                "server": tool.server,
                "tool": tool.tool,
                "command": tool.command.as_ref().map(|(name, _)| name),
                "kind": rule.kind.word(),
                "asks": rule.asks,
                "sends_out": rule.sends_out,
                "decided_by": rule_source(rule.source).word(),
            })
        };
        let tools: Vec<_> = tools.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.mcp_tools/1", "tools": tools }))?;
        return Ok(CliExitCode::Done);
    }
    let row = |(tool, rule): &(McpToolStatus, McpToolRule)| {
        vec![
            one_line(&format!("{}.{}", tool.server, tool.tool)),
            say!(texts, "mcp-tools-kind", kind = rule.kind.word()),
            say!(texts, "mcp-tools-asks", asks = yes_or_no(Some(rule.asks))),
            say!(texts, "mcp-tools-sends", sends = yes_or_no(rule.sends_out)),
            say!(texts, "mcp-tools-source", source = rule_source(rule.source).word()),
        ]
    };
    let heads = heads(texts, &["tool", "kind", "runs", "sends-out", "decided-by"]);
    write_table(&context.out, &heads, &tools.iter().map(row).collect::<Vec<_>>())?;
    let asking = tools.iter().filter(|(_, rule)| rule.asks).count();
    let summary = say!(
        texts,
        "mcp-tools-summary",
        count = tools.len(),
        asking = asking,
        unasked = tools.len() - asking
    );
    context.out.write_notice(&one_line(&summary));
    Ok(CliExitCode::Done)
}

/// Records a decision about tools of a server.
pub(super) async fn decide(
    context: &CommandContext,
    server: &str,
    choice: ExternalToolChoice,
    tools: &[String],
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    check_configured(&services.mcp, server, texts)?;
    connect_unmet(context, &services, texts).await;
    services.mcp.close().await;
    let decision = decide_tools(&services.mcp, server, choice, tools, texts)?;
    write_decision(context, server, choice, &decision, texts)?;
    Ok(CliExitCode::Done)
}

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

/// Writes what was decided.
pub(super) fn write_decision(
    context: &CommandContext,
    server: &str,
    choice: ExternalToolChoice,
    decision: &ExternalToolDecision,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let ExternalToolDecision { decided, configured, kept } = decision;
    if context.out.json {
        return context.out.write_json_line(&json!({
            "schema": "entracte.mcp_decision/1",
            "server": server,
            "choice": choice.word(),
            "asks": choice == ExternalToolChoice::Ask,
            "decided": decided,
            "configured": configured,
            "kept": kept,
        }));
    }
    let key = match choice {
        ExternalToolChoice::Ask => "mcp-tools-ask-done",
        ExternalToolChoice::Trust => "mcp-tools-trust-done",
        ExternalToolChoice::Keep => "mcp-tools-keep-done",
    };
    if !decided.is_empty() {
        let text = say!(texts, key, server = server, count = decided.len(), tools = decided.join(", "));
        context.out.write_data_line(&one_line(&text))?;
    }
    if !kept.is_empty() {
        let (server, tools) = (server, kept.join(", "));
        let text = say!(texts, "mcp-tools-keep-done", server = server, count = kept.len(), tools = tools);
        context.out.write_data_line(&one_line(&text))?;
    }
    if !configured.is_empty() {
        let text = say!(texts, "mcp-tools-configured", tools = configured.join(", "));
        context.out.write_notice(&one_line(&text));
    }
    Ok(())
}

/// The servers that were listed at least once, with their accepted tools that sessions can use. Starts none.
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
        let Ok(tools) = accepted_tools(mcp, Some(&server), texts) else { continue };
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
    let unavailable = services.mcp.connect_unmet(services.clock.now()).await;
    warn_of_unavailable(context, &unavailable, texts);
}

/// The tools that can be used, each with its rule.
fn accepted_tools(
    mcp: &McpExecutor,
    server: Option<&str>,
    texts: &LocalizedTexts,
) -> Result<Vec<(McpToolStatus, McpToolRule)>, CliError> {
    let tools = known_tools(mcp, texts)?.into_iter();
    let tools = tools.filter(|tool| tool.enabled && server.is_none_or(|server| server == tool.server));
    Ok(tools.filter_map(|tool| tool.rule.map(|rule| (tool, rule))).collect())
}

fn yes_or_no(flag: Option<bool>) -> &'static str {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}

fn rule_source(source: McpRuleSource) -> ExternalToolRuleSource {
    match source {
        McpRuleSource::Hints => ExternalToolRuleSource::Server,
        McpRuleSource::Decision => ExternalToolRuleSource::Person,
        McpRuleSource::Configuration => ExternalToolRuleSource::Configuration,
    }
}
