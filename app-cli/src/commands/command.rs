//! `command`: the catalog, and a query run by hand.

use entracte_application::commands::{CommandSpec, Known};
use entracte_application::use_cases::{RunCommand, UseCaseError};
use serde_json::{Value, json};

use super::decide::arguments;
use super::{accept, enrich};
use crate::args::CatalogCommand;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::listing::table;
use crate::render::text::block;
use crate::render::words::{effect, kind};

/// Runs `command …`.
pub(crate) async fn run(desk: &Desk, command: CatalogCommand) -> Result<Exit, CliError> {
    match command {
        CatalogCommand::Enrichments => enrich::explain(desk),
        CatalogCommand::Accept { name } => accept::run(desk, name.as_deref()).await,
        CatalogCommand::List => {
            let wiring = desk.wire()?;
            let specs: Vec<&CommandSpec> = wiring.catalog.all().map(|known| &known.spec).collect();
            list(desk, &specs)
        }
        CatalogCommand::Show { name } => match desk.wire()?.catalog.find(&name) {
            Some(known) => show(desk, known),
            None => {
                let text = format!("there is no command {name}; list them: entracte command list");
                Err(CliError::new(Exit::NotFound, text))
            }
        },
        CatalogCommand::Run { name, parameters } => {
            let wiring = desk.wire()?;
            let arguments = arguments("JSON", &parameters)?;
            let run = RunCommand::new(
                wiring.catalog.clone(),
                wiring.store.clone(),
                wiring.clock.clone(),
                wiring.ids.clone(),
            );
            let content = run.run(&desk.settings.workspace, &name, arguments).await;
            print(desk, &name, &content.map_err(refused)?)
        }
    }
}

fn list(desk: &Desk, specs: &[&CommandSpec]) -> Result<Exit, CliError> {
    if desk.out.json {
        let commands: Vec<Value> = specs.iter().map(|spec| object(spec)).collect();
        desk.out.object(&json!({ "schema": "entracte.commands/1", "commands": commands }))?;
        return Ok(Exit::Done);
    }
    let row = |spec: &&CommandSpec| {
        vec![
            spec.word.clone(),
            spec.name.clone(),
            kind(spec.kind).to_owned(),
            effect(spec.effect).to_owned(),
            marks(spec).join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = specs.iter().map(row).collect();
    for line in table(&["word", "name", "kind", "effect", "leave"], &rows, desk.out.style) {
        desk.out.data(&line)?;
    }
    Ok(Exit::Done)
}

fn marks(spec: &CommandSpec) -> Vec<&'static str> {
    let all = [(spec.destructive, "destructive"), (spec.egress, "egress")];
    all.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect()
}

fn show(desk: &Desk, known: &Known) -> Result<Exit, CliError> {
    let spec = &known.spec;
    if desk.out.json {
        let mut object = object(spec);
        object["schema"] = json!("entracte.command/1");
        object["parameters"] = spec.schema.clone();
        object["doc"] = json!(spec.doc);
        object["example"] = json!(spec.example);
        desk.out.object(&object)?;
        return Ok(Exit::Done);
    }
    let mut facts = vec![kind(spec.kind), effect(spec.effect)];
    facts.extend(marks(spec));
    desk.out.data(&format!("{}  {}  ({})", spec.word, spec.name, facts.join(", ")))?;
    desk.out.data(&format!("\n{}\n\nparameters:\n{:#}", block(&spec.doc), spec.schema))?;
    if let Some(example) = &spec.example {
        desk.out.data(&format!("\nexample:\n{example}"))?;
    }
    Ok(Exit::Done)
}

fn object(spec: &CommandSpec) -> Value {
    json!({
        "word": spec.word,
        "name": spec.name,
        "kind": kind(spec.kind),
        "effect": effect(spec.effect),
        "destructive": spec.destructive,
        "egress": spec.egress,
    })
}

/// Nothing acts without a session, its ledger and its leave.
fn refused(error: UseCaseError) -> CliError {
    match error {
        UseCaseError::NotApplicable(text) => CliError::new(Exit::NotAllowed, text),
        other => other.into(),
    }
}

fn print(desk: &Desk, name: &str, content: &str) -> Result<Exit, CliError> {
    let result: Value = serde_json::from_str(content).unwrap_or_else(|_| json!(content));
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.result/1", "command": name, "result": result }))?;
    } else if let Value::String(text) = &result {
        desk.out.data(&block(text))?;
    } else {
        desk.out.data(&block(&format!("{result:#}")))?;
    }
    Ok(Exit::Done)
}
