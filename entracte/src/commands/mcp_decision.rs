//! `mcp tools | trust | ask | keep`: shows which tools of MCP servers ask before they run, and lets a person decide.

use entracte_adapters_http::shapes::tool_server::{
    DecideToolsShape, DecidedToolsShape, ServerToolShape, ToolChoiceShape, ToolServerShape,
};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use super::mcp_tools::{check_configured, connect_unmet};
use crate::api_client::{ApiClient, post};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};
use crate::render::text::one_line;
use crate::user_text::message;

/// What `mcp tools --json` prints.
#[derive(Serialize)]
struct McpToolsObject {
    tools: Vec<McpToolObject>,
}

#[derive(Serialize)]
struct McpToolObject {
    server: String,
    #[serde(flatten)]
    tool: ServerToolShape,
}

/// Lists the accepted tools of a server, or of all.
pub(super) async fn list(context: &CommandContext, server: Option<&str>) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    list_unmet_here(context, &api, server, texts).await?;
    let tools = read_tools(&api, server).await?;
    if context.out.json {
        let object = McpToolsObject { tools };
        context.out.write_json_line(&VersionedShape::new("entracte.mcp_tools/1", object))?;
        return Ok(CliExitCode::Done);
    }
    let row = |McpToolObject { server, tool }: &McpToolObject| {
        vec![
            one_line(&format!("{server}.{}", tool.tool)),
            say!(texts, "mcp-tools-kind", kind = &*tool.kind),
            say!(texts, "mcp-tools-asks", asks = how_it_runs(tool)),
            say!(texts, "mcp-tools-sends", sends = yes_or_no(tool.sends_out)),
            say!(texts, "mcp-tools-source", source = &*tool.decided_by),
        ]
    };
    let heads = heads(texts, &["tool", "kind", "runs", "sends-out", "decided-by"]);
    write_table(&context.out, &heads, &tools.iter().map(row).collect::<Vec<_>>())?;
    let usable = || tools.iter().filter(|object| object.tool.is_usable());
    let (count, asking) = (usable().count(), usable().filter(|object| object.tool.asks).count());
    let summary = say!(
        texts,
        "mcp-tools-summary",
        count = tools.len(),
        asking = asking,
        unasked = count - asking,
        unusable = tools.len() - count
    );
    context.out.write_notice(&one_line(&summary));
    Ok(CliExitCode::Done)
}

/// The tools of a server, or of all.
async fn read_tools(api: &ApiClient<'_>, server: Option<&str>) -> Result<Vec<McpToolObject>, CliError> {
    let servers: Vec<ToolServerShape> = match server {
        // One that is configured here may have no tools; a server knows which it has.
        Some(name) if api.services().is_none() => {
            vec![api.get(&api.path(&["tool-servers", name])).await.map_err(hint)?]
        }
        Some(_) | None => api.list(&api.path(&["tool-servers"])).await?,
    };
    let wanted = servers.into_iter().filter(|known| server.is_none_or(|name| known.server == name));
    let objects = wanted.flat_map(|ToolServerShape { server, tools, .. }| {
        tools.into_iter().map(move |tool| McpToolObject { server: server.clone(), tool })
    });
    Ok(objects.collect())
}

fn hint(error: CliError) -> CliError {
    error.or_next("entracte mcp tools")
}

/// On this machine, servers that were never listed are listed first; a server lists its own.
pub(super) async fn list_unmet_here(
    context: &CommandContext,
    api: &ApiClient<'_>,
    server: Option<&str>,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let Some(services) = api.services() else { return Ok(()) };
    if let Some(server) = server {
        check_configured(&services.mcp(), server, texts)?;
    }
    connect_unmet(context, services, texts).await;
    services.mcp().close().await;
    Ok(())
}

/// Records a decision about tools of a server.
pub(super) async fn decide(
    context: &CommandContext,
    server: &str,
    choice: ToolChoiceShape,
    tools: &[String],
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    list_unmet_here(context, &api, Some(server), texts).await?;
    let decided = send_decision(&api, server, choice, tools).await?;
    write_decision(context, server, choice, decided, texts)?;
    Ok(CliExitCode::Done)
}

/// Sends a decision about the tools of a server as they are now.
pub(super) async fn send_decision(
    api: &ApiClient<'_>,
    server: &str,
    choice: ToolChoiceShape,
    tools: &[String],
) -> Result<DecidedToolsShape, CliError> {
    let decision = DecideToolsShape { choice, tools: tools.to_vec() };
    let request = post(&api.path(&["tool-servers", server, "decision"]), &decision);
    let decided = api.configure_latest(&api.path(&["tool-servers", server]), request).await;
    decided.map_err(|error| match error.exit {
        CliExitCode::NotFound => {
            let text = message!("mcp-tools-none", server = server);
            CliError::new(error.exit, text).or_next(format!("entracte mcp tools {server}"))
        }
        _ => error,
    })
}

/// What a decision prints as JSON.
#[derive(Serialize)]
struct McpDecisionObject<'a> {
    server: &'a str,
    choice: ToolChoiceShape,
    asks: bool,
    #[serde(flatten)]
    decided: DecidedToolsShape,
}

/// Writes what was decided.
pub(super) fn write_decision(
    context: &CommandContext,
    server: &str,
    choice: ToolChoiceShape,
    decided: DecidedToolsShape,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    if context.out.json {
        let asks = choice == ToolChoiceShape::Ask;
        let object = McpDecisionObject { server, choice, asks, decided };
        return context.out.write_json_line(&VersionedShape::new("entracte.mcp_decision/1", object));
    }
    let DecidedToolsShape { decided, configured, kept, .. } = &decided;
    let key = match choice {
        ToolChoiceShape::Ask => "mcp-tools-ask-done",
        ToolChoiceShape::Trust => "mcp-tools-trust-done",
        ToolChoiceShape::Keep => "mcp-tools-keep-done",
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

/// Whether a tool asks, or why it does not run at all.
fn how_it_runs(tool: &ServerToolShape) -> &str {
    if tool.is_usable() { yes_or_no(Some(tool.asks)) } else { &tool.state }
}

fn yes_or_no(flag: Option<bool>) -> &'static str {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}
