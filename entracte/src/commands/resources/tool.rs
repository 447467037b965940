//! `tool …`

use entracte_application::json_value::to_text;
use entracte_domain::value::JsonValue;

use super::named_resources::{
    NamedResourceKind, OF_TOOLS, approval_cell, flag, id_cell, name_cell, object, sent_cell, type_cell,
    zone_cell,
};
use super::resource_listing::ResourceListColumn;
use super::{CommandArguments, ResourceCommandContext, json_text, present_arguments};
use crate::args::{ToolCliCommand, ToolFields};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// Runs `tool …`.
pub(in super::super) async fn run(
    context: &CommandContext,
    command: ToolCliCommand,
) -> Result<CliExitCode, CliError> {
    let own = ResourceCommandContext::open(context).await?;
    match command {
        ToolCliCommand::List { zone, search } => list(&own, zone.as_deref(), search).await,
        ToolCliCommand::Show { tool } => {
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            let answer =
                own.run_query("tools.get", JsonValue::from([("tool_id", JsonValue::from(id))])).await?;
            if context.out.json {
                return own.print(answer);
            }
            show(&own, &answer.result.0).await
        }
        ToolCliCommand::Add { zone, tool_type, name, more } => {
            let zone = own.id(NamedResourceKind::Zone, &zone).await?;
            let mut arguments = present_arguments([
                ("zone_id", Some(zone.into())),
                ("tool_type", Some(tool_type.into())),
                ("name", Some(name.into())),
            ]);
            arguments.append(&mut fields(more)?);
            own.run_action("tools.create", arguments).await
        }
        ToolCliCommand::Edit { tool, name, more } => {
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            let mut arguments =
                present_arguments([("tool_id", Some(id.into())), ("name", name.map(JsonValue::from))]);
            arguments.append(&mut fields(more)?);
            own.run_action("tools.update", arguments).await
        }
        ToolCliCommand::Remove { tool } => {
            let id = own.id(NamedResourceKind::Tool, &tool).await?;
            own.run_action("tools.delete", present_arguments([("tool_id", Some(id.into()))])).await
        }
    }
}

async fn list(
    own: &ResourceCommandContext<'_>,
    zone: Option<&str>,
    search: Option<String>,
) -> Result<CliExitCode, CliError> {
    let zone = match zone {
        Some(named) => Some(own.id(NamedResourceKind::Zone, named).await?),
        None => None,
    };
    let arguments =
        present_arguments([("zone_id", zone.map(JsonValue::from)), ("name", search.map(JsonValue::from))]);
    let answer = own.run_query("tools.list", JsonValue::Object(arguments)).await?;
    let of_zone: ResourceListColumn<'_> = ("zone", zone_cell);
    let columns = [&OF_TOOLS[..], &[of_zone]].concat();
    own.list("tools", "own-no-tools", answer, &columns).await
}

/// Prints a tool with its configuration, one fact per line.
async fn show(own: &ResourceCommandContext<'_>, answer: &JsonValue) -> Result<CliExitCode, CliError> {
    let texts = own.texts().await?;
    let facts: [ResourceListColumn<'_>; 7] = [
        ("tool", id_cell),
        ("name", name_cell),
        ("type", type_cell),
        ("zone", zone_cell),
        ("approval", approval_cell),
        ("always-sent", sent_cell),
        ("entries", |row, _| json_text(row, "entries")),
    ];
    let said = |value: &JsonValue| value.as_text().map_or_else(|| to_text(value), str::to_owned);
    let settings = answer.get("config").and_then(JsonValue::as_object).unwrap_or_default().iter();
    let settings = settings.map(|(key, value)| (texts.field(&format!("config.{key}")), said(value)));
    own.sheet(answer, &facts, settings.collect()).await?;
    Ok(CliExitCode::Done)
}

fn fields(more: ToolFields) -> Result<CommandArguments, CliError> {
    Ok(present_arguments([
        ("config", more.tool_settings.as_deref().map(|text| object("--set", text)).transpose()?),
        ("require_validation", flag(more.require_approval)),
        ("always_send", flag(more.always_send)),
    ]))
}
