//! `command`: shows the catalog, and runs queries and local actions by hand.

use entracte_adapters_http::shapes::command::{CommandPageShape, CommandShape, DeclarationRemarkShape};
use entracte_application::json_value::to_indented_text;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::value::JsonValue;
use serde::Serialize;

use super::command_accept::in_argument;
use super::command_run::{format_compact, format_indented, report, run_action, run_query};
use super::decisions::arguments;
use super::{command_accept, command_sizes, enrichment};
use crate::api_client::ApiClient;
use crate::args::CatalogCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};
use crate::render::stored_words::word;
use crate::render::text::{block, one_line};
use crate::user_text::message;

/// Runs `command …`.
pub(crate) async fn run(context: &CommandContext, command: CatalogCommand) -> Result<CliExitCode, CliError> {
    match command {
        CatalogCommand::Enrichments => enrichment::explain(context).await,
        CatalogCommand::Accept { name, without_approval } => {
            command_accept::run(context, name.as_deref(), without_approval).await
        }
        CatalogCommand::List { sizes } => list(context, sizes).await,
        CatalogCommand::Show { name } => show(context, &name).await,
        CatalogCommand::Run { name, parameters } => {
            let arguments = arguments(message!("talk-written"), &parameters)?;
            run_by_hand(context, &name, &arguments).await
        }
    }
}

/// What `command list --json` prints.
#[derive(Serialize)]
struct CommandsObject {
    commands: Vec<CommandShape>,
    out_of_use: Vec<DeclarationRemarkShape>,
    unchecked: Vec<DeclarationRemarkShape>,
    unlisted_servers: Vec<String>,
}

/// Reads the whole catalog, with the remarks on it.
async fn read_catalog(api: &ApiClient<'_>) -> Result<CommandsObject, CliError> {
    let path = api.path(&["commands"]);
    let mut pages = api.pages(&path, |page: &CommandPageShape| page.next.as_deref()).await?;
    let (out_of_use, unchecked, unlisted_servers) = pages
        .last_mut()
        .map(|last| {
            let CommandPageShape { out_of_use, unchecked, unlisted_servers, .. } = last;
            (std::mem::take(out_of_use), std::mem::take(unchecked), std::mem::take(unlisted_servers))
        })
        .unwrap_or_default();
    let commands = pages.into_iter().flat_map(|page| page.items).collect();
    Ok(CommandsObject { commands, out_of_use, unchecked, unlisted_servers })
}

async fn list(context: &CommandContext, sizes: bool) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let catalog = read_catalog(&api).await?;
    let texts = api.texts().await?;
    say_unlisted(context, &catalog.unlisted_servers, texts);
    if sizes {
        return command_sizes::list(context, &catalog.commands, texts);
    }
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.commands/1", catalog))?;
        return Ok(CliExitCode::Done);
    }
    let row = |command: &CommandShape| {
        vec![
            command.word.clone(),
            command.name.clone(),
            word("kind", &command.kind, texts),
            word("effect", &command.effect, texts),
            marks(command, texts).join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = catalog.commands.iter().map(row).collect();
    let head = heads(texts, &["word", "name", "kind", "effect", "approval"]);
    write_table(&context.out, &head, &rows)?;
    for (key, remarks) in
        [("bounds-out-of-use", &catalog.out_of_use), ("bounds-partly-checked", &catalog.unchecked)]
    {
        for remark in remarks {
            let why = in_argument(remark.argument.as_deref(), &remark.why, texts);
            context.out.write_notice(&one_line(&say!(texts, key, name = &remark.name, why = why)));
        }
    }
    Ok(CliExitCode::Done)
}

/// Reports servers with unknown commands: reading the catalog starts no program.
fn say_unlisted(context: &CommandContext, servers: &[String], texts: &LocalizedTexts) {
    if !servers.is_empty() {
        context.out.write_notice(&one_line(&say!(texts, "mcp-unmet", servers = servers.join(", "))));
    }
}

fn marks(command: &CommandShape, texts: &LocalizedTexts) -> Vec<String> {
    let all = [
        (command.destructive, "destructive"),
        (command.egress, "egress"),
        (command.asks, "asks"),
        (command.four_eyes, "four-eyes"),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, mark)| word("mark", mark, texts)).collect()
}

/// The command with this word or name; `None` if the catalog has none.
async fn find_command(api: &ApiClient<'_>, named: &str) -> Result<Option<CommandShape>, CliError> {
    match api.get(&api.path(&["commands", named])).await {
        Ok(command) => Ok(Some(command)),
        Err(error) if error.exit == CliExitCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn unknown_command(named: &str) -> CliError {
    CliError::new(CliExitCode::NotFound, message!("command-unknown", command = named))
}

async fn show(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let Some(command) = find_command(&api, named).await? else {
        // Every page tells it.
        let page: CommandPageShape = api.get(&api.path(&["commands"]).with("limit", "1")).await?;
        say_unlisted(context, &page.unlisted_servers, api.texts().await?);
        return Err(unknown_command(named));
    };
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.command/1", command))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let mut facts = vec![word("kind", &command.kind, texts), word("effect", &command.effect, texts)];
    facts.extend(marks(&command, texts));
    let head = format!("{}  {}  ({})", command.word, command.name, facts.join(", "));
    context.out.write_data_line(&head)?;
    context.out.write_data_line(&format!(
        "\n{}\n\n{}\n{}",
        block(&command.doc),
        say!(texts, "command-parameters"),
        block(&to_indented_text(&command.parameters))
    ))?;
    if let Some(example) = &command.example {
        let example = block(&example.to_string());
        context.out.write_data_line(&format!("\n{}\n{example}", say!(texts, "command-example")))?;
    }
    Ok(CliExitCode::Done)
}

async fn run_by_hand(
    context: &CommandContext,
    named: &str,
    arguments: &JsonValue,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    // A server lists its MCP servers itself.
    if let Some(services) = api.services()
        && services.catalog().find(named).is_none()
    {
        services.connect_unmet_servers().await?;
    }
    let command = find_command(&api, named).await?.ok_or_else(|| unknown_command(named))?;
    // Others need a session with a model.
    if command.kind == CommandKind::Action.word() && command.effect == EffectClass::Local.word() {
        let done = run_action(context, &api, &command.name, arguments).await?;
        return report(context, &api, done, format_compact).await;
    }
    let done = run_query(&api, named, arguments).await.map_err(|error| match error.exit {
        // An action needs a session, its ledger and its approval.
        CliExitCode::Conflict => error.or_next("entracte command list").with_exit(CliExitCode::NotAllowed),
        _ => error,
    })?;
    report(context, &api, done, format_indented).await
}
