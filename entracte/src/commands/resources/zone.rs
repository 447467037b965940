//! `zone …`

use entracte_domain::value::JsonValue;

use super::named_resources::{
    NamedResourceKind, OF_TOOLS, approval_cell, description_cell, flag, id_cell, name_cell,
};
use super::resource_listing::{ResourceListColumn, rows};
use super::{ResourceCommandContext, present_arguments};
use crate::args::ZoneCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// Runs `zone …`.
pub(in super::super) async fn run(
    context: &CommandContext,
    command: ZoneCommand,
) -> Result<CliExitCode, CliError> {
    let own = ResourceCommandContext::open(context).await?;
    match command {
        ZoneCommand::List { search } => {
            let arguments = present_arguments([("name", search.map(JsonValue::from))]);
            let answer = own.run_query("zones.list", JsonValue::Object(arguments)).await?;
            own.list(
                "zones",
                "own-no-zones",
                answer,
                &[
                    ("zone", id_cell),
                    ("name", name_cell),
                    ("approval", approval_cell),
                    ("description", description_cell),
                ],
            )
            .await
        }
        ZoneCommand::Show { zone } => {
            let id = own.id(NamedResourceKind::Zone, &zone).await?;
            let answer =
                own.run_query("zones.get", JsonValue::from([("zone_id", JsonValue::from(id))])).await?;
            if context.out.json {
                return own.print(answer);
            }
            let facts: [ResourceListColumn<'_>; 4] = [
                ("zone", id_cell),
                ("name", name_cell),
                ("description", description_cell),
                ("approval", approval_cell),
            ];
            own.sheet(&answer.result.0, &facts, Vec::new()).await?;
            if !rows(&answer.result.0, "tools").is_empty() {
                context.out.write_data_line("")?;
            }
            own.list("tools", "own-no-tools", answer, &OF_TOOLS).await
        }
        ZoneCommand::Add { name, description, require_approval } => {
            let arguments = present_arguments([
                ("name", Some(name.into())),
                ("description", description.map(JsonValue::from)),
                ("require_validation", flag(require_approval)),
            ]);
            own.run_action("zones.create", arguments).await
        }
        ZoneCommand::Edit { zone, name, description, require_approval } => {
            // An empty text removes the description.
            let described =
                |text: String| if text.trim().is_empty() { JsonValue::Null } else { JsonValue::from(text) };
            let arguments = present_arguments([
                ("zone_id", Some(own.id(NamedResourceKind::Zone, &zone).await?.into())),
                ("name", name.map(JsonValue::from)),
                ("description", description.map(described)),
                ("require_validation", flag(require_approval)),
            ]);
            own.run_action("zones.update", arguments).await
        }
        ZoneCommand::Remove { zone } => {
            let id = own.id(NamedResourceKind::Zone, &zone).await?;
            own.run_action("zones.delete", present_arguments([("zone_id", Some(id.into()))])).await
        }
    }
}
