//! `command list --sizes`: how long the descriptions of commands make a prompt, by command and by MCP server.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use entracte_adapters_http::shapes::command::CommandShape;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};

/// The size of the commands of a server.
struct ServerSize<'a> {
    server: &'a str,
    commands: usize,
    tokens: u64,
}

/// The sizes of the servers, the largest first.
fn sizes_by_server(commands: &[CommandShape]) -> Vec<ServerSize<'_>> {
    let mut servers: BTreeMap<&str, ServerSize<'_>> = BTreeMap::new();
    for command in commands {
        let Some(server) = command.server.as_deref() else { continue };
        let known = servers.entry(server).or_insert(ServerSize { server, commands: 0, tokens: 0 });
        known.commands += 1;
        known.tokens += command.tokens;
    }
    let mut servers: Vec<ServerSize<'_>> = servers.into_values().collect();
    servers.sort_by_key(|known| Reverse(known.tokens));
    servers
}

/// Prints the sizes, the largest first.
pub(super) fn list(
    context: &CommandContext,
    commands: &[CommandShape],
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let servers = sizes_by_server(commands);
    let mut sizes: Vec<(&str, u64)> =
        commands.iter().map(|command| (command.name.as_str(), command.tokens)).collect();
    sizes.sort_by_key(|(_, tokens)| Reverse(*tokens));
    let total: u64 = sizes.iter().map(|(_, tokens)| tokens).sum();
    if context.out.json {
        let command = |(name, tokens): &(&str, u64)| json!({ "name": name, "tokens": tokens });
        let server = |known: &ServerSize<'_>| json!({ "name": known.server, "commands": known.commands, "tokens": known.tokens });
        context.out.write_json_line(&json!({
            "schema": "entracte.command_sizes/1",
            "tokens": total,
            "servers": servers.iter().map(server).collect::<Vec<Value>>(),
            "commands": sizes.iter().map(command).collect::<Vec<Value>>(),
        }))?;
        return Ok(CliExitCode::Done);
    }
    if !servers.is_empty() {
        let row = |known: &ServerSize<'_>| {
            vec![known.server.to_owned(), known.commands.to_string(), known.tokens.to_string()]
        };
        let rows: Vec<Vec<String>> = servers.iter().map(row).collect();
        write_table(&context.out, &heads(texts, &["server", "commands", "tokens"]), &rows)?;
        context.out.write_data_line("")?;
    }
    let row = |(name, tokens): &(&str, u64)| vec![(*name).to_owned(), tokens.to_string()];
    let rows: Vec<Vec<String>> = sizes.iter().map(row).collect();
    write_table(&context.out, &heads(texts, &["name", "tokens"]), &rows)?;
    context.out.write_notice(&say!(texts, "command-sizes-total", tokens = total));
    Ok(CliExitCode::Done)
}
