//! `command list --sizes`: how long the descriptions of commands make a prompt, by command and by MCP server.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use entracte_application::context::TokenEstimator;
use entracte_application::ports::CommandSpec;
use entracte_application::prompt::description_bytes;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::Dialect;
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};

/// The tokens of descriptions, estimated.
struct CommandSize<'a> {
    /// A command, or a server.
    name: &'a str,
    commands: usize,
    tokens: u64,
}

/// Estimates the tokens by which a command makes a prompt longer, as a native tool; in an envelope it takes more.
fn tokens(spec: &CommandSpec, language: Language) -> u64 {
    TokenEstimator::GUESS.tokens(description_bytes(spec, Dialect::Tools, language))
}

/// The commands of each server together, the largest first; those of no server are not among them.
fn server_sizes<'a>(specs: &[&'a CommandSpec], language: Language) -> Vec<CommandSize<'a>> {
    let mut servers: BTreeMap<&str, CommandSize<'a>> = BTreeMap::new();
    for spec in specs {
        let Some(server) = spec.server.as_deref() else { continue };
        let size = servers.entry(server).or_insert(CommandSize { name: server, commands: 0, tokens: 0 });
        size.commands += 1;
        size.tokens += tokens(spec, language);
    }
    let mut sizes: Vec<CommandSize<'_>> = servers.into_values().collect();
    sizes.sort_by_key(|size| Reverse(size.tokens));
    sizes
}

/// Prints the sizes, the largest first.
pub(super) fn list(
    context: &CommandContext,
    specs: &[&CommandSpec],
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let language = texts.language();
    let mut commands: Vec<CommandSize<'_>> = specs
        .iter()
        .map(|spec| CommandSize { name: &spec.name, commands: 1, tokens: tokens(spec, language) })
        .collect();
    commands.sort_by_key(|size| Reverse(size.tokens));
    let servers = server_sizes(specs, language);
    let total: u64 = commands.iter().map(|size| size.tokens).sum();
    if context.out.json {
        let command = |size: &CommandSize<'_>| json!({ "name": size.name, "tokens": size.tokens });
        let server = |size: &CommandSize<'_>| json!({ "name": size.name, "commands": size.commands, "tokens": size.tokens });
        context.out.write_json_line(&json!({
            "schema": "entracte.command_sizes/1",
            "tokens": total,
            "servers": servers.iter().map(server).collect::<Vec<Value>>(),
            "commands": commands.iter().map(command).collect::<Vec<Value>>(),
        }))?;
        return Ok(CliExitCode::Done);
    }
    if !servers.is_empty() {
        let row = |size: &CommandSize<'_>| {
            vec![size.name.to_owned(), size.commands.to_string(), size.tokens.to_string()]
        };
        let rows: Vec<Vec<String>> = servers.iter().map(row).collect();
        write_table(&context.out, &heads(texts, &["server", "commands", "tokens"]), &rows)?;
        context.out.write_data_line("")?;
    }
    let row = |size: &CommandSize<'_>| vec![size.name.to_owned(), size.tokens.to_string()];
    let rows: Vec<Vec<String>> = commands.iter().map(row).collect();
    write_table(&context.out, &heads(texts, &["name", "tokens"]), &rows)?;
    context.out.write_notice(&say!(texts, "command-sizes-total", tokens = total));
    Ok(CliExitCode::Done)
}
