//! `entry …`

use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use jiff::tz::TimeZone;

use super::named_resources::{NamedResourceKind, id_cell, name_cell, object};
use super::{CommandArguments, ResourceCommandContext, json_text, present_arguments, text};
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
            let arguments = present_arguments([
                ("tool_id", Some(id.into())),
                ("limit", limit.map(|limit| JsonValue::from(i64::from(limit)))),
            ]);
            let mut answer = own.run_query("tool_data.get", JsonValue::Object(arguments)).await?;
            if !context.out.json {
                // Reading the texts also sets the time zone of the workspace.
                own.texts().await?;
                tell_times(&mut answer.result.0, &context.zone);
            }
            own.list(
                "entries",
                "own-no-entries",
                answer,
                &[
                    ("entry", id_cell),
                    ("when", |row, _| text(row, "timestamp").to_owned()),
                    ("name", name_cell),
                    ("data", |row, _| json_text(row, "data")),
                ],
            )
            .await
        }
        EntryCommand::Add { tool, entry_data, more } => {
            let data = object(message!("talk-written"), &entry_data)?;
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            let mut entry = present_arguments([("data", Some(data))]);
            entry.append(&mut fields(more));
            let arguments = present_arguments([
                ("tool_id", Some(id.into())),
                ("entries", Some(JsonValue::List(vec![JsonValue::Object(entry)]))),
            ]);
            own.run_action("tool_data.batch_create", arguments).await
        }
        EntryCommand::Edit { entry, entry_data, more } => {
            let data = entry_data.as_deref().map(|text| object("--set", text)).transpose()?;
            let mut arguments = present_arguments([("entry_id", Some(entry.into())), ("data", data)]);
            arguments.append(&mut fields(more));
            own.run_action("tool_data.update", arguments).await
        }
        EntryCommand::Remove { entries } => {
            let entries = JsonValue::List(entries.into_iter().map(JsonValue::from).collect());
            own.run_action("tool_data.delete", present_arguments([("entry_ids", Some(entries))])).await
        }
    }
}

/// Formats the times of entries for people.
fn tell_times(answer: &mut JsonValue, zone: &TimeZone) {
    let Some(JsonValue::List(entries)) = answer.get_mut("entries") else { return };
    for entry in entries {
        let Some(JsonValue::Text(at)) = entry.get_mut("timestamp") else { continue };
        if let Ok(instant) = at.parse::<jiff::Timestamp>() {
            *at = day(Timestamp(instant.as_microsecond()), zone);
        }
    }
}

fn fields(more: EntryFields) -> CommandArguments {
    present_arguments([
        ("timestamp", more.when.map(JsonValue::from)),
        ("name", more.entry_name.map(JsonValue::from)),
    ])
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::{parse, to_text};

    use super::*;

    /// Input: entries with digits that no machine number holds, and a time that is not a text; expected: only times change.
    #[test]
    fn times_are_told_and_digits_stay() {
        let answer =
            r#"{"entries":[{"data":{"kg":72.50},"timestamp":"2026-11-27T08:00:00Z"},{"timestamp":5}]}"#;
        let mut answer = parse(answer).unwrap();
        tell_times(&mut answer, &TimeZone::UTC);
        let told =
            r#"{"entries":[{"data":{"kg":72.50},"timestamp":"2026-11-27 08:00 UTC"},{"timestamp":5}]}"#;
        assert_eq!(to_text(&answer), told);
        let rows = answer.get("entries").and_then(JsonValue::as_list).unwrap();
        assert_eq!(
            (json_text(&rows[0], "data"), json_text(&rows[1], "data")),
            (r#"{"kg":72.50}"#.to_owned(), "null".to_owned())
        );
    }
}
