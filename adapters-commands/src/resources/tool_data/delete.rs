//! DELETE_DATA: deletes one or several entries, all or none.

use async_trait::async_trait;
use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::{dated, words};
use crate::json::number;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, deletion, id_schema,
};
use crate::resources::contained_values;
use crate::resources::decoded_resource::{DecodedResource, DescriptionField};
use crate::resources::overwritten_values::NamedValues;
use crate::resources::refusal::{ArgumentFault, faulty};
use crate::resources::resource_kinds::{ENTRY, TOOL};
use crate::resources::targets;
use crate::resources::value_text::{first_of, short};

/// The action `tool_data.delete`.
pub(crate) struct DeleteData;

/// The most entries of one call.
const MOST_ENTRIES: usize = 100;

#[async_trait]
impl ResourceAction for DeleteData {
    fn spec(&self) -> CommandSpec {
        deletion(ResourceCommandDeclaration {
            word: "DELETE_DATA",
            name: "tool_data.delete",
            properties: json!({
                "entry_ids": {
                    "type": "array",
                    "items": id_schema("Id of an entry."),
                    "minItems": 1,
                    "maxItems": MOST_ENTRIES,
                    "uniqueItems": true,
                },
            }),
            required: &["entry_ids"],
            example: json!({"entry_ids": ["ent_x_3_0_0"]}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let rows = rows(ask).await?;
        let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let before = fields(ask, &rows).await?;
        let entries = first_of(ask.texts, before.iter().map(|(_, said)| short(said)));
        let says = say!(ask.texts, "resources-delete-data", count = count, entries = entries);
        let delete = |row: DecodedResource| ResourceChange::Delete {
            kind: ENTRY.to_owned(),
            expected: row.row.version,
            id: row.row.id,
        };
        Ok(ResourceActionPlan {
            content: JsonValue::from([("deleted", number(count))]),
            description: ActionDescription { says, before, ..ActionDescription::default() },
            changes: rows.into_iter().map(delete).collect(),
        })
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        contained_values::deleted_entries(ask, ids(ask)).await
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::entries(ask, ids(ask)).await
    }
}

fn ids<'a>(ask: &'a ResourceCallContext<'_>) -> impl Iterator<Item = &'a str> {
    ask.argument("entry_ids")
        .and_then(JsonValue::as_list)
        .unwrap_or_default()
        .iter()
        .filter_map(JsonValue::as_text)
}

async fn rows(ask: &ResourceCallContext<'_>) -> Result<Vec<DecodedResource>, ActionPlanError> {
    let (mut rows, mut missing): (Vec<DecodedResource>, Vec<ArgumentFault>) = (Vec::new(), Vec::new());
    for (index, id) in ids(ask).enumerate() {
        match ask.find(ENTRY, id).await? {
            Some(row) => rows.push(row),
            None => missing.push(ArgumentFault {
                path: format!("/entry_ids/{index}"),
                message: say!(ask.texts, "resources-no-entry", id = id),
            }),
        }
    }
    if missing.is_empty() {
        return Ok(rows);
    }
    let lister = ask.command_name(CommandPointer::ENTRIES);
    let head = say!(ask.texts, "resources-entries-missing", TOOL_DATA = lister);
    Err(faulty(ask.texts, "NOT_FOUND", &head, &missing))
}

/// A description of each entry under its id: “72.5 kg on 2026-11-20 (Weight)”.
async fn fields(
    ask: &ResourceCallContext<'_>,
    rows: &[DecodedResource],
) -> Result<Vec<DescriptionField>, StoreError> {
    let mut fields: Vec<DescriptionField> = Vec::new();
    let mut tools: Vec<DecodedResource> = Vec::new();
    for row in rows {
        if !tools.iter().any(|tool| tool.id() == row.parent()) {
            tools.extend(ask.find(TOOL, row.parent()).await?);
        }
        let tool = tools.iter().find(|tool| tool.id() == row.parent());
        let data = row.member("data");
        let what = tool.map_or_else(|| data.to_json(), |tool| words(ask, tool, data));
        let when = row.row.at.map_or_else(|| what.clone(), |at| dated(ask, &what, at));
        let name = tool.map(DecodedResource::name).unwrap_or_default();
        fields.push((row.id().to_owned(), say!(ask.texts, "resources-placed", said = when, tool = name)));
    }
    Ok(fields)
}
