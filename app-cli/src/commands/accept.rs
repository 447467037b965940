//! `command accept`: a person decides about tools of MCP servers that changed, or came later.

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{McpToolState, McpToolStatus};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::error::{CliError, Exit, chain};
use crate::render::text::block;

/// Accepts a tool as it is offered now; without a name, shows what waits for a decision.
pub(super) async fn run(desk: &Desk, name: Option<&str>) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    for server in wiring.mcp.connect_all().await {
        desk.out.complain(&format!("warning: {server}"));
    }
    let done = match name {
        None => show(desk, &undecided(&wiring.mcp)?),
        Some(name) => accept(desk, &wiring.mcp, name),
    };
    wiring.mcp.close().await;
    done
}

fn undecided(mcp: &McpExecutor) -> Result<Vec<McpToolStatus>, CliError> {
    let tools = mcp.tools().map_err(|error| CliError::new(Exit::Failure, chain(&error)))?;
    Ok(tools.into_iter().filter(|tool| tool.offered.is_some()).collect())
}

fn accept(desk: &Desk, mcp: &McpExecutor, name: &str) -> Result<Exit, CliError> {
    let unknown = || {
        let text = format!("no MCP server has a tool {name}; see what waits: entracte command accept");
        CliError::new(Exit::NotFound, text)
    };
    let (server, tool) = mcp.place(name).ok_or_else(unknown)?;
    let waiting = undecided(mcp)?;
    let Some(found) = waiting.iter().find(|known| known.server == server && known.tool == tool) else {
        let text = format!("{server}.{tool} is accepted as it is; see what waits: entracte command accept");
        return Err(CliError::new(Exit::Conflict, text));
    };
    desk.out.say(&says(found));
    mcp.accept(&server, &tool, found.offered.as_ref())
        .map_err(|error| CliError::new(Exit::Conflict, chain(&error)).or_next("entracte command accept"))?;
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.accepted/1", "server": server, "tool": tool }))?;
    } else {
        desk.out.data(&format!("accepted {server}.{tool}"))?;
    }
    Ok(Exit::Done)
}

fn show(desk: &Desk, tools: &[McpToolStatus]) -> Result<Exit, CliError> {
    if desk.out.json {
        let object =
            |tool: &McpToolStatus| json!({ "server": tool.server, "tool": tool.tool, "says": what(tool) });
        let tools: Vec<Value> = tools.iter().map(object).collect();
        desk.out.object(&json!({ "schema": "entracte.undecided_tools/1", "tools": tools }))?;
        return Ok(Exit::Done);
    }
    for tool in tools {
        desk.out.data(&says(tool))?;
        desk.out.data(&format!("  entracte command accept {}.{}\n", tool.server, tool.tool))?;
    }
    if tools.is_empty() {
        desk.out.say("every tool of the MCP servers is as it was accepted");
    }
    Ok(Exit::Done)
}

fn says(tool: &McpToolStatus) -> String {
    format!("{}.{}\n{}", tool.server, tool.tool, block(&what(tool)))
}

/// What a person decides about. Never for a model: it may hold words that are meant to lead one astray.
fn what(tool: &McpToolStatus) -> String {
    match &tool.state {
        McpToolState::Changed { diff } => format!("changed since it was accepted:\n{diff}"),
        McpToolState::New { declaration } => format!("new:\n{declaration}"),
        McpToolState::Unusable { why } => format!("cannot be a command: {why}"),
        McpToolState::Accepted => "accepted".to_owned(),
        McpToolState::Gone => "not offered any more".to_owned(),
    }
}
