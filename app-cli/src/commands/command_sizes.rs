//! `command list --sizes`: how long the descriptions of commands make a prompt, by command and by MCP server.

use std::cmp::Reverse;

use entracte_application::context::TokenEstimator;
use entracte_application::ports::CommandSpec;
use entracte_application::prompt::{ServerCommands, commands_by_server, description_bytes};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::Dialect;
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};

/// Estimates the tokens by which a command makes a prompt longer, as a native tool; in an envelope it takes more.
fn tokens(spec: &CommandSpec, language: Language) -> u64 {
    TokenEstimator::GUESS.tokens(description_bytes(spec, Dialect::Tools, language))
}

/// Prints the sizes, the largest first.
pub(super) fn list(
    context: &CommandContext,
    specs: &[&CommandSpec],
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let language = texts.language();
    let weigh = |spec: &CommandSpec| tokens(spec, language);
    let mut commands: Vec<(&str, u64)> = specs.iter().map(|spec| (spec.name.as_str(), weigh(spec))).collect();
    commands.sort_by_key(|(_, tokens)| Reverse(*tokens));
    let servers = commands_by_server(specs.iter().copied(), weigh);
    let total: u64 = commands.iter().map(|(_, tokens)| tokens).sum();
    if context.out.json {
        let command = |(name, tokens): &(&str, u64)| json!({ "name": name, "tokens": tokens });
        let server = |known: &ServerCommands<'_, u64>| json!({ "name": known.server, "commands": known.commands.len(), "tokens": known.size });
        context.out.write_json_line(&json!({
            "schema": "entracte.command_sizes/1",
            "tokens": total,
            "servers": servers.iter().map(server).collect::<Vec<Value>>(),
            "commands": commands.iter().map(command).collect::<Vec<Value>>(),
        }))?;
        return Ok(CliExitCode::Done);
    }
    if !servers.is_empty() {
        let row = |known: &ServerCommands<'_, u64>| {
            vec![known.server.to_owned(), known.commands.len().to_string(), known.size.to_string()]
        };
        let rows: Vec<Vec<String>> = servers.iter().map(row).collect();
        write_table(&context.out, &heads(texts, &["server", "commands", "tokens"]), &rows)?;
        context.out.write_data_line("")?;
    }
    let row = |(name, tokens): &(&str, u64)| vec![(*name).to_owned(), tokens.to_string()];
    let rows: Vec<Vec<String>> = commands.iter().map(row).collect();
    write_table(&context.out, &heads(texts, &["name", "tokens"]), &rows)?;
    context.out.write_notice(&say!(texts, "command-sizes-total", tokens = total));
    Ok(CliExitCode::Done)
}
