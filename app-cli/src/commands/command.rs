//! `command`: shows the catalog, and runs queries and local actions by hand.

use entracte_adapters_commands::mcp::McpToolState;
use entracte_application::command_naming::CommandNaming;
use entracte_application::commands::{Catalog, CatalogEntry};
use entracte_application::ports::{CommandSpec, command_doc};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{RunQueryCommand, UseCaseError};
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::value::JsonValue as Arguments;
use serde_json::{Value, json};

use super::decisions::arguments;
use super::{command_accept, command_sizes, enrichment, manual_action};
use crate::app_services::AppServices;
use crate::args::CatalogCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::stored_words::word;
use crate::render::text::{block, one_line};
use crate::user_text::message;

/// Runs `command …`.
pub(crate) async fn run(context: &CommandContext, command: CatalogCommand) -> Result<CliExitCode, CliError> {
    match command {
        CatalogCommand::Enrichments => enrichment::explain(context),
        CatalogCommand::Accept { name, without_approval } => {
            command_accept::run(context, name.as_deref(), without_approval).await
        }
        CatalogCommand::List { sizes } => {
            let services = context.open_services()?;
            let catalog = services.catalog();
            let specs: Vec<&CommandSpec> = catalog.entries().map(|known| &known.spec).collect();
            say_unmet(context, &services);
            if sizes {
                let texts = context.workspace_texts().await;
                return command_sizes::list(context, &specs, texts);
            }
            list(context, &specs, &out_of_use(context, &services).await?).await
        }
        CatalogCommand::Show { name } => {
            let services = context.open_services()?;
            match services.catalog().find(&name) {
                Some(known) => show(context, known).await,
                None => {
                    say_unmet(context, &services);
                    let text = message!("command-unknown", command = name);
                    Err(CliError::new(CliExitCode::NotFound, text))
                }
            }
        }
        CatalogCommand::Run { name, parameters } => {
            let services = context.open_services()?;
            let arguments = arguments(message!("talk-written"), &parameters)?;
            if services.catalog().find(&name).is_none() {
                services.connect_unmet_servers().await?;
            }
            if let Some(command) = local_action(&services.catalog(), &name, &arguments) {
                return manual_action::run_manual_action(
                    context,
                    services,
                    command,
                    manual_action::format_unchanged,
                )
                .await;
            }
            let run = RunQueryCommand::new(
                services.catalog(),
                services.store.clone(),
                services.clock.clone(),
                services.ids.clone(),
            );
            let content = run.run(&context.settings.workspace, &name, arguments).await;
            print(context, &name, &content.map_err(|error| refused(error, &name))?)
        }
    }
}

/// The local action of this name, if its arguments are valid. Others need a session with a model, or are reported as
/// faulty.
fn local_action(catalog: &Catalog, name: &str, arguments: &Arguments) -> Option<Command> {
    let known = catalog.find(name)?;
    let is_local = known.spec.kind == CommandKind::Action && known.spec.effect == EffectClass::Local;
    let command = Command { name: known.spec.name.clone(), arguments: arguments.clone() };
    (is_local && known.faults(arguments).is_empty()).then_some(command)
}

/// Reports servers with unknown commands: reading the catalog starts no program.
fn say_unmet(context: &CommandContext, services: &AppServices) {
    let unmet = services.mcp.unmet_servers();
    if !unmet.is_empty() {
        let texts = LocalizedTexts::for_language(context.environment.language());
        context.out.write_notice(&one_line(&say!(texts, "mcp-unmet", servers = unmet.join(", "))));
    }
}

/// A declaration that is disabled.
struct DisabledCommand {
    name: String,
    why: String,
    /// The reason in one sentence.
    says: String,
}

/// The disabled declarations: refused by the catalog, or of MCP servers and not commands.
async fn out_of_use(
    context: &CommandContext,
    services: &AppServices,
) -> Result<Vec<DisabledCommand>, CliError> {
    let texts = context.texts(services, &context.settings.workspace).await?;
    let catalog = services.catalog();
    let refused = catalog.refused_commands().iter();
    let mut all: Vec<(String, String)> =
        refused.map(|refused| (refused.name.clone(), refused.why.describe(texts))).collect();
    for tool in command_accept::known_tools(&services.mcp, texts)? {
        if let McpToolState::Unusable { why } = tool.state {
            all.push((format!("{}.{}", tool.server, tool.tool), why));
        }
    }
    let told = |(name, why): (String, String)| DisabledCommand {
        says: say!(texts, "bounds-out-of-use", name = &name, why = &why),
        name,
        why,
    };
    Ok(all.into_iter().map(told).collect())
}

async fn list(
    context: &CommandContext,
    specs: &[&CommandSpec],
    refused: &[DisabledCommand],
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let commands: Vec<Value> = specs.iter().map(|spec| object(spec)).collect();
        let refused: Vec<Value> =
            refused.iter().map(|one| json!({ "name": one.name, "why": one.why })).collect();
        let all = json!({ "schema": "entracte.commands/1", "commands": commands, "out_of_use": refused });
        context.out.write_json_line(&all)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.workspace_texts().await;
    let row = |spec: &&CommandSpec| {
        vec![
            spec.word.clone(),
            spec.name.clone(),
            word("kind", spec.kind.word(), texts),
            word("effect", spec.effect.word(), texts),
            marks(spec, texts).join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = specs.iter().map(row).collect();
    let head = heads(texts, &["word", "name", "kind", "effect", "approval"]);
    write_table(&context.out, &head, &rows)?;
    for one in refused {
        context.out.write_notice(&one_line(&one.says));
    }
    Ok(CliExitCode::Done)
}

fn marks(spec: &CommandSpec, texts: &LocalizedTexts) -> Vec<String> {
    let all = [
        (spec.destructive, "destructive"),
        (spec.egress, "egress"),
        (spec.asks, "asks"),
        (spec.four_eyes, "four-eyes"),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, mark)| word("mark", mark, texts)).collect()
}

async fn show(context: &CommandContext, known: &CatalogEntry) -> Result<CliExitCode, CliError> {
    let spec = &known.spec;
    if context.out.json {
        let mut object = object(spec);
        object["schema"] = json!("entracte.command/1");
        object["parameters"] = spec.schema.clone();
        object["doc"] = json!(spec.doc);
        object["example"] = json!(spec.example);
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.workspace_texts().await;
    let mut facts = vec![word("kind", spec.kind.word(), texts), word("effect", spec.effect.word(), texts)];
    facts.extend(marks(spec, texts));
    context.out.write_data_line(&format!("{}  {}  ({})", spec.word, spec.name, facts.join(", ")))?;
    context.out.write_data_line(&format!(
        "\n{}\n\n{}\n{}",
        block(&command_doc(spec, CommandNaming::Types, texts.language())),
        say!(texts, "command-parameters"),
        block(&format!("{:#}", spec.schema))
    ))?;
    if let Some(example) = &spec.example {
        let example = block(&example.to_string());
        context.out.write_data_line(&format!("\n{}\n{example}", say!(texts, "command-example")))?;
    }
    Ok(CliExitCode::Done)
}

fn object(spec: &CommandSpec) -> Value {
    json!({
        "word": spec.word,
        "name": spec.name,
        "kind": spec.kind.word(),
        "effect": spec.effect.word(),
        "destructive": spec.destructive,
        "egress": spec.egress,
        "asks": spec.asks,
        "four_eyes": spec.four_eyes,
    })
}

/// An action needs a session, its ledger and its approval.
fn refused(error: UseCaseError, name: &str) -> CliError {
    match error {
        UseCaseError::NotFound(_) => {
            CliError::new(CliExitCode::NotFound, message!("command-unknown", command = name))
        }
        UseCaseError::NotApplicable(text) => CliError::new(CliExitCode::NotAllowed, text),
        other => other.into(),
    }
}

fn print(context: &CommandContext, name: &str, content: &str) -> Result<CliExitCode, CliError> {
    let result: Value = serde_json::from_str(content).unwrap_or_else(|_| json!(content));
    if context.out.json {
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.result/1", "command": name, "result": result }))?;
    } else if let Value::String(text) = &result {
        context.out.write_data_line(&block(text))?;
    } else {
        context.out.write_data_line(&block(&format!("{result:#}")))?;
    }
    Ok(CliExitCode::Done)
}
