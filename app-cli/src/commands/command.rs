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

use super::command_accept::in_argument;
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
            list(context, &specs, &declaration_remarks(context, &services).await?).await
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

/// A remark on the declaration of a command.
struct DeclarationRemark {
    command: String,
    /// The path of the argument that the remark is about; `None` if it is no single argument.
    argument: Option<String>,
    why: String,
}

impl DeclarationRemark {
    /// The remark in one sentence of this key.
    fn sentence(&self, key: &str, texts: &LocalizedTexts) -> String {
        let why = in_argument(self.argument.as_deref(), &self.why, texts);
        say!(texts, key, name = &self.command, why = why)
    }

    fn object(&self) -> Value {
        json!({ "name": self.command, "argument": self.argument, "why": self.why })
    }
}

/// What a list of commands says beside them.
struct DeclarationRemarks {
    /// Declarations that are disabled: refused by the catalog, or of MCP servers and not commands.
    out_of_use: Vec<DeclarationRemark>,
    /// Parts of schemas in use that are not checked, or not as they say.
    unchecked: Vec<DeclarationRemark>,
}

async fn declaration_remarks(
    context: &CommandContext,
    services: &AppServices,
) -> Result<DeclarationRemarks, CliError> {
    let texts = context.texts(services, &context.settings.workspace).await?;
    let catalog = services.catalog();
    let refused = catalog.refused_commands().iter().map(|refused| DeclarationRemark {
        command: refused.name.clone(),
        argument: refused.argument.clone(),
        why: refused.why.describe(texts),
    });
    let mut out_of_use: Vec<DeclarationRemark> = refused.collect();
    for tool in command_accept::known_tools(&services.mcp, texts)? {
        if let McpToolState::Unusable { argument, why } = tool.state {
            let command = format!("{}.{}", tool.server, tool.tool);
            out_of_use.push(DeclarationRemark { command, argument, why });
        }
    }
    let unchecked = catalog.entries().flat_map(|known| {
        known.schema_remarks().iter().map(move |remark| DeclarationRemark {
            command: known.spec.name.clone(),
            argument: remark.argument().map(str::to_owned),
            why: remark.describe(texts),
        })
    });
    Ok(DeclarationRemarks { out_of_use, unchecked: unchecked.collect() })
}

async fn list(
    context: &CommandContext,
    specs: &[&CommandSpec],
    remarks: &DeclarationRemarks,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let commands: Vec<Value> = specs.iter().map(|spec| object(spec)).collect();
        let objects =
            |all: &[DeclarationRemark]| all.iter().map(DeclarationRemark::object).collect::<Vec<_>>();
        let all = json!({
            "schema": "entracte.commands/1",
            "commands": commands,
            "out_of_use": objects(&remarks.out_of_use),
            "unchecked": objects(&remarks.unchecked),
        });
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
    for (key, remarks) in
        [("bounds-out-of-use", &remarks.out_of_use), ("bounds-partly-checked", &remarks.unchecked)]
    {
        for remark in remarks {
            context.out.write_notice(&one_line(&remark.sentence(key, texts)));
        }
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
