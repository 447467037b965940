//! `entry …`

use entracte_domain::time::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::named_resources::{NamedResourceKind, id_cell, name_cell, object};
use super::{ResourceCommandContext, present_arguments, text};
use crate::args::{EntryCommand, EntryFields};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::time::day;
use crate::user_text::message;

/// Runs `entry …`.
pub(in super::super) async fn run(
    context: &CommandContext,
    command: EntryCommand,
) -> Result<CliExitCode, CliError> {
    let own = ResourceCommandContext::open(context).await?;
    match command {
        EntryCommand::List { tool, limit } => {
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            let arguments =
                present_arguments([("tool_id", Some(id.into())), ("limit", limit.map(Value::from))]);
            let mut answer = own.run_query("tool_data.get", Value::Object(arguments)).await?;
            if !context.out.json {
                // Reading the texts also sets the time zone of the workspace.
                own.texts().await?;
                tell_times(&mut answer.result, &context.zone);
            }
            own.list(
                "entries",
                "own-no-entries",
                answer,
                &[
                    ("entry", id_cell),
                    ("when", |row, _| text(row, "timestamp").to_owned()),
                    ("name", name_cell),
                    ("data", |row, _| row["data"].to_string()),
                ],
            )
            .await
        }
        EntryCommand::Add { tool, entry_data, more } => {
            let data = object(message!("talk-written"), &entry_data)?;
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            let mut entry = present_arguments([("data", Some(data))]);
            entry.append(&mut fields(more));
            let arguments =
                present_arguments([("tool_id", Some(id.into())), ("entries", Some(json!([entry])))]);
            own.run_action("tool_data.batch_create", arguments).await
        }
        EntryCommand::Edit { entry, entry_data, more } => {
            let data = entry_data.as_deref().map(|text| object("--set", text)).transpose()?;
            let mut arguments = present_arguments([("entry_id", Some(entry.into())), ("data", data)]);
            arguments.append(&mut fields(more));
            own.run_action("tool_data.update", arguments).await
        }
        EntryCommand::Remove { entries } => {
            own.run_action("tool_data.delete", present_arguments([("entry_ids", Some(json!(entries)))])).await
        }
    }
}

/// Formats the times of entries for people.
fn tell_times(answer: &mut Value, zone: &TimeZone) {
    for entry in answer.get_mut("entries").and_then(Value::as_array_mut).into_iter().flatten() {
        let at = text(entry, "timestamp").parse::<jiff::Timestamp>();
        if let Ok(at) = at {
            entry["timestamp"] = day(Timestamp(at.as_microsecond()), zone).into();
        }
    }
}

fn fields(more: EntryFields) -> Map<String, Value> {
    present_arguments([("timestamp", more.when.map(Value::from)), ("name", more.entry_name.map(Value::from))])
}
