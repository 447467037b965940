//! `command accept`: a person decides on new or changed tools of MCP servers.

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{McpToolState, McpToolStatus, McpUnavailable};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::next_command_hints::with_login_hint;
use crate::render::text::{block, one_line};
use crate::user_text::message;

/// Accepts a tool as it is offered now; without a name, shows the pending decisions.
pub(super) async fn run(
    context: &CommandContext,
    name: Option<&str>,
    without_approval: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    warn_of_unavailable(context, &services.mcp.connect_all().await, texts);
    let done = match name {
        None if is_interactive(context) => accept_from_list(context, &services.mcp, texts).await,
        None => show(context, &undecided(&services.mcp, texts)?, texts),
        Some(name) => accept(context, &services.mcp, name, without_approval, texts).await,
    };
    services.mcp.close().await;
    done
}

/// Whether a person can choose by a number.
fn is_interactive(context: &CommandContext) -> bool {
    let around = &context.environment;
    around.stdin_terminal && around.stdout_terminal && !context.out.json && !context.out.quiet
}

/// Lists the tools that wait, and accepts those whose numbers the person types.
async fn accept_from_list(
    context: &CommandContext,
    mcp: &McpExecutor,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let mut waiting: Vec<(usize, McpToolStatus)> = (1..).zip(undecided(mcp, texts)?).collect();
    for (number, tool) in &waiting {
        context.out.write_data_line(&format!("{number}  {}\n", says(tool, texts)))?;
    }
    while !waiting.is_empty() {
        let mut keyboard = LineReader::new(true);
        let LineInput::Line(typed) = keyboard.read_message_line(&say!(texts, "accept-which")).await? else {
            return Ok(CliExitCode::Done);
        };
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(CliExitCode::Done);
        }
        let chosen: Option<usize> = typed.parse().ok();
        match waiting.iter().position(|(number, _)| Some(*number) == chosen) {
            None => context.out.write_notice(&say!(texts, "accept-no-number", given = one_line(typed))),
            Some(at) => {
                if accept_tool(context, mcp, &waiting[at].1, false, texts).await? {
                    waiting.remove(at);
                }
            }
        }
    }
    context.out.write_notice(&say!(texts, "accept-none"));
    Ok(CliExitCode::Done)
}

fn undecided(mcp: &McpExecutor, texts: &LocalizedTexts) -> Result<Vec<McpToolStatus>, CliError> {
    let tools = known_tools(mcp, texts)?;
    Ok(tools.into_iter().filter(|tool| tool.offered.is_some()).collect())
}

/// Warns of the servers that cannot be used, with the command that logs in where that helps.
pub(super) fn warn_of_unavailable(
    context: &CommandContext,
    unavailable: &[McpUnavailable],
    texts: &LocalizedTexts,
) {
    for server in unavailable {
        let says = match server.needs_login() {
            true => with_login_hint(&server.server, server.message(texts), texts),
            false => server.message(texts),
        };
        context.out.write_warning(&format!("{} {says}", say!(texts, "screen-warning")));
    }
}

/// The tools that the servers have offered.
pub(super) fn known_tools(mcp: &McpExecutor, texts: &LocalizedTexts) -> Result<Vec<McpToolStatus>, CliError> {
    mcp.tools(texts).map_err(|error| CliError::new(CliExitCode::Failure, error.message(texts)))
}

async fn accept(
    context: &CommandContext,
    mcp: &McpExecutor,
    name: &str,
    without_approval: bool,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let unknown = || {
        let text = message!("accept-unknown", tool = name);
        CliError::new(CliExitCode::NotFound, text)
    };
    let (server, tool) = mcp.resolve_command(name).ok_or_else(unknown)?;
    let waiting = undecided(mcp, texts)?;
    let Some(found) = waiting.iter().find(|known| known.server == server && known.tool == tool) else {
        let text = message!("accept-already", tool = format!("{server}.{tool}"));
        return Err(CliError::new(CliExitCode::Conflict, text));
    };
    context.out.write_notice(&says(found, texts));
    accept_tool(context, mcp, found, without_approval, texts).await?;
    Ok(CliExitCode::Done)
}

/// Accepts a tool as it was shown; returns false if the person does not mean a tool without approval.
async fn accept_tool(
    context: &CommandContext,
    mcp: &McpExecutor,
    found: &McpToolStatus,
    without_approval: bool,
    texts: &LocalizedTexts,
) -> Result<bool, CliError> {
    let McpToolStatus { server, tool, offered, loosens, .. } = found;
    let name = format!("{server}.{tool}");
    if *loosens && !without_approval && !means_it(context, &name, texts).await? {
        return Ok(false);
    }
    mcp.accept(server, tool, offered.as_ref()).map_err(|error| {
        CliError::new(CliExitCode::Conflict, error.message(texts)).or_next("entracte command accept")
    })?;
    if context.out.json {
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.accepted/1", "server": server, "tool": tool }))?;
    } else {
        context.out.write_data_line(&say!(texts, "accept-done", tool = name))?;
    }
    Ok(true)
}

/// Whether the person confirms a tool that needs no approval; without a terminal, the flag confirms.
async fn means_it(context: &CommandContext, name: &str, texts: &LocalizedTexts) -> Result<bool, CliError> {
    let terminal = context.environment.stdin_terminal;
    if !terminal || context.out.json {
        return Err(CliError::new(CliExitCode::Usage, say!(texts, "bounds-accept-flag", tool = name)));
    }
    match LineReader::new(terminal).read_message_line(&say!(texts, "bounds-accept-ask", tool = name)).await? {
        LineInput::Line(text) => Ok(matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui")),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}

fn show(
    context: &CommandContext,
    tools: &[McpToolStatus],
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let object = |tool: &McpToolStatus| json!({ "server": tool.server, "tool": tool.tool, "says": tool_decision_text(tool, texts), "loses_approval": tool.loosens });
        let tools: Vec<Value> = tools.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.undecided_tools/1", "tools": tools }))?;
        return Ok(CliExitCode::Done);
    }
    for tool in tools {
        context.out.write_data_line(&says(tool, texts))?;
        context.out.write_data_line(&format!("  entracte command accept {}.{}\n", tool.server, tool.tool))?;
    }
    if tools.is_empty() {
        context.out.write_notice(&say!(texts, "accept-none"));
    }
    Ok(CliExitCode::Done)
}

fn says(tool: &McpToolStatus, texts: &LocalizedTexts) -> String {
    let loosens = if tool.loosens { say!(texts, "bounds-accept-loosens") } else { String::new() };
    let name = one_line(&format!("{}.{}", tool.server, tool.tool));
    format!("{name}\n{}{loosens}", block(&tool_decision_text(tool, texts)))
}

/// The declaration to decide on. Never for a model: it may contain prompt injections.
pub(super) fn tool_decision_text(tool: &McpToolStatus, texts: &LocalizedTexts) -> String {
    match &tool.state {
        McpToolState::Changed { diff } => format!("{}\n{diff}", say!(texts, "accept-changed")),
        McpToolState::New { declaration } => format!("{}\n{declaration}", say!(texts, "accept-new")),
        McpToolState::Unusable { argument, why } => {
            say!(texts, "accept-unusable", why = in_argument(argument.as_deref(), why, texts))
        }
        McpToolState::Accepted => say!(texts, "accept-accepted"),
        McpToolState::Gone => say!(texts, "accept-gone"),
    }
}

/// A text about a schema, with the argument that it is about, if it is one.
pub(super) fn in_argument(argument: Option<&str>, why: &str, texts: &LocalizedTexts) -> String {
    match argument {
        Some(argument) => say!(texts, "bounds-in-argument", argument = argument, why = why),
        None => why.to_owned(),
    }
}
