//! `zone`, `tool`, `entry`, `text`: subcommands for a person's own data. Each becomes a command of the catalog that
//! runs like every manual call: with the same checks and approvals, journaled as that person's.

mod action_result;
pub(super) mod entry;
pub(super) mod shared_text;
pub(super) mod tool;
pub(super) mod zone;

use std::sync::Arc;

use entracte_application::json_value::from_serde;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::RunQueryCommand;
use entracte_domain::command::Command;
use serde_json::{Map, Value, json};

use super::manual_action;
use crate::app_services::AppServices;
use crate::args::YesNo;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::text::{block, one_line};
use crate::user_text::{UserText, message};

/// A column of a list: its head, and its cell for a row.
type ResourceListColumn<'a> = (&'a str, fn(&Value, &LocalizedTexts) -> String);

/// The columns of all lists of tools.
const OF_TOOLS: [ResourceListColumn<'static>; 5] = [
    ("tool", id_cell),
    ("name", name_cell),
    ("type", type_cell),
    ("approval", approval_cell),
    ("always-sent", sent_cell),
];

/// The context of a command on a person's own data.
struct ResourceCommandContext<'a> {
    context: &'a CommandContext,
    services: Arc<AppServices>,
}

/// A kind of resource that a person names by name or id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedResourceKind {
    Zone,
    Tool,
}

impl NamedResourceKind {
    /// The listing query, the member with the resources, the id prefix, the text key for an unknown one, and the
    /// command that lists them.
    fn resource_words(self) -> (&'static str, &'static str, &'static str, &'static str, &'static str) {
        match self {
            NamedResourceKind::Zone => ("zones.list", "zones", "zon_", "own-no-zone", "entracte zone list"),
            NamedResourceKind::Tool => ("tools.list", "tools", "tool_", "own-no-tool", "entracte tool list"),
        }
    }
}

/// The error of a query; for a resource that does not exist, with the list of those that do.
fn missing_named(error: CliError, query: &str) -> CliError {
    let kinds = [NamedResourceKind::Zone, NamedResourceKind::Tool].map(NamedResourceKind::resource_words);
    let resource = query.split('.').next();
    let list = kinds.into_iter().find(|(_, members, ..)| resource == Some(members));
    match list.filter(|_| error.exit == CliExitCode::NotFound) {
        Some((.., list)) => error.replacing_next(list.to_owned()),
        None => error,
    }
}

impl<'a> ResourceCommandContext<'a> {
    fn new(context: &'a CommandContext) -> Result<Self, CliError> {
        Ok(Self { context, services: context.open_services()? })
    }

    /// Runs a query and returns its answer.
    async fn run_query(&self, name: &str, arguments: Value) -> Result<Value, CliError> {
        let AppServices { store, clock, ids, .. } = &*self.services;
        let run = RunQueryCommand::new(self.services.catalog(), store.clone(), clock.clone(), ids.clone());
        let content = run.run(&self.context.settings.workspace, name, from_serde(&arguments)).await;
        let content = content.map_err(|error| missing_named(error.into(), name))?;
        Ok(serde_json::from_str(&content).unwrap_or(Value::Null))
    }

    /// Runs a manual action, and reports its result.
    async fn run_action(self, name: &str, arguments: Map<String, Value>) -> Result<CliExitCode, CliError> {
        let command = Command { name: name.to_owned(), arguments: from_serde(&Value::Object(arguments)) };
        manual_action::run_manual_action(
            self.context,
            self.services,
            command,
            action_result::action_result_text,
        )
        .await
    }

    /// The id of a resource given by its id, or by a unique name.
    async fn id(&self, thing: NamedResourceKind, named: &str) -> Result<String, CliError> {
        let (query, member, prefix, unknown, next) = thing.resource_words();
        if named.starts_with(prefix) {
            return Ok(named.to_owned());
        }
        let unknown = || CliError::with_next(CliExitCode::NotFound, message!(unknown, name = named), next);
        if named.trim().is_empty() {
            return Err(unknown());
        }
        let found = self.run_query(query, json!({ "name": named })).await?;
        let is_named = |row: &&Value| text(row, "name").to_lowercase() == named.trim().to_lowercase();
        let ids: Vec<&str> =
            rows(&found, member).iter().filter(is_named).map(|row| text(row, "id")).collect();
        match ids.as_slice() {
            [] => Err(unknown()),
            [id] => Ok((*id).to_owned()),
            several => {
                let says = message!("own-ambiguous", name = named, ids = several.join(", "));
                Err(CliError::with_next(CliExitCode::Usage, says, next))
            }
        }
    }

    /// The texts in the workspace's language.
    async fn texts(&self) -> Result<&'static LocalizedTexts, CliError> {
        self.context.texts(&self.services, &self.context.settings.workspace).await
    }

    /// Prints a list: the query's answer as JSON, else a table of these columns. `empty_notice` is the text key of the
    /// notice for an empty list.
    async fn list(
        &self,
        command: &str,
        member: &str,
        empty_notice: &str,
        answer: &Value,
        columns: &[ResourceListColumn<'_>],
    ) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        if out.json {
            out.write_json_line(
                &json!({ "schema": "entracte.result/1", "command": command, "result": answer }),
            )?;
            return Ok(CliExitCode::Done);
        }
        let texts = self.texts().await?;
        let all = rows(answer, member);
        let cells = |row: &Value| columns.iter().map(|(_, cell)| cell(row, texts)).collect();
        let cells: Vec<Vec<String>> = all.iter().map(cells).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        write_table(out, &heads(texts, &names), &cells)?;
        if all.is_empty() {
            out.write_notice(&texts.render(empty_notice, &[]));
        }
        if answer["more"] == json!(true) {
            let (shown, total) = (all.len(), answer["total"].as_u64().unwrap_or_default());
            out.write_notice(&entracte_application::texts::say!(
                texts,
                "own-more",
                shown = shown,
                total = total
            ));
        }
        Ok(CliExitCode::Done)
    }

    /// Prints one resource for a person: facts under their heads, and notes. Empty facts are left out.
    async fn sheet(
        &self,
        answer: &Value,
        columns: &[ResourceListColumn<'_>],
        more: Vec<(String, String)>,
    ) -> Result<(), CliError> {
        let texts = self.texts().await?;
        let fact = |(name, cell): &ResourceListColumn<'_>| {
            (texts.render(&format!("head-{name}"), &[]), cell(answer, texts))
        };
        let facts: Vec<(String, String)> = columns.iter().map(fact).chain(more).collect();
        let facts: Vec<&(String, String)> = facts.iter().filter(|(_, value)| !value.is_empty()).collect();
        let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in facts {
            self.context.out.write_data_line(&format!("{name:<width$}  {}", one_line(value)))?;
        }
        Ok(())
    }

    /// Prints one resource as the query answered it.
    fn show(&self, command: &str, answer: &Value) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        if out.json {
            out.write_json_line(
                &json!({ "schema": "entracte.result/1", "command": command, "result": answer }),
            )?;
        } else {
            out.write_data_line(&block(&format!("{answer:#}")))?;
        }
        Ok(CliExitCode::Done)
    }
}

fn rows<'v>(answer: &'v Value, member: &str) -> &'v [Value] {
    answer[member].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(row: &'v Value, member: &str) -> &'v str {
    row[member].as_str().unwrap_or_default()
}

fn id_cell(row: &Value, _: &LocalizedTexts) -> String {
    text(row, "id").to_owned()
}

fn name_cell(row: &Value, _: &LocalizedTexts) -> String {
    text(row, "name").to_owned()
}

fn description_cell(row: &Value, _: &LocalizedTexts) -> String {
    text(row, "description").to_owned()
}

fn type_cell(row: &Value, _: &LocalizedTexts) -> String {
    text(row, "tool_type").to_owned()
}

fn zone_cell(row: &Value, _: &LocalizedTexts) -> String {
    text(row, "zone_id").to_owned()
}

fn sent_cell(row: &Value, texts: &LocalizedTexts) -> String {
    flag_cell(row, "always_send", texts)
}

fn flag_cell(row: &Value, member: &str, texts: &LocalizedTexts) -> String {
    let key = if row[member] == json!(true) { "own-yes" } else { "own-no" };
    texts.render(key, &[])
}

fn approval_cell(row: &Value, texts: &LocalizedTexts) -> String {
    flag_cell(row, "require_validation", texts)
}

/// An object of the given arguments; absent ones remain unchanged.
fn present_arguments<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn flag(answer: Option<YesNo>) -> Option<Value> {
    answer.map(|answer| json!(answer == YesNo::Yes))
}

/// Parses a JSON object.
fn object(what: impl Into<UserText>, text: &str) -> Result<Value, CliError> {
    let value = super::decisions::arguments(what, text)?;
    Ok(entracte_application::json_value::to_serde(&value))
}
