//! CREATE_DATA: creates entries of one tool, all or none.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, SchemaRequirement,
    StoreError,
};
use entracte_application::texts::say;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::{dated, needed, short_words, words};
use crate::json::number;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action, id_schema,
};
use crate::resources::decoded_resource::{DecodedResource, new_row};
use crate::resources::instant_range::instant_schema;
use crate::resources::refusal::{ArgumentFault, faulty};
use crate::resources::resource_kinds::{ENTRY, TOOL};
use crate::resources::schema_check::SchemaChecker;
use crate::resources::targets;
use crate::resources::value_text::first_of;

/// The action `tool_data.batch_create`.
pub(crate) struct CreateData;

/// The most entries of one call.
const MOST_ENTRIES: usize = 100;

#[async_trait]
impl ResourceAction for CreateData {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "CREATE_DATA",
            name: "tool_data.batch_create",
            properties: json!({
                "tool_id": id_schema("Id of the tool."),
                "entries": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MOST_ENTRIES,
                    "items": entry_schema(),
                },
            }),
            required: &["tool_id", "entries"],
            example: json!({
                "tool_id": "tool_x_2_0",
                "entries": [{"data": {"value": 72.5}, "timestamp": "2026-11-20T08:30:00Z"}],
            }),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let drafts = drafts(ask, &tool)?;
        let rows: Vec<DecodedResource> =
            drafts.iter().enumerate().map(|(n, draft)| entry(ask, &tool, n, draft)).collect();
        let ids = rows.iter().map(|row| JsonValue::from(row.id())).collect::<Vec<_>>();
        let created = number(u64::try_from(ids.len()).unwrap_or(u64::MAX));
        Ok(ResourceActionPlan {
            content: JsonValue::from([("created", created), ("ids", JsonValue::from(ids))]),
            description: describe(ask, &tool, &drafts),
            changes: rows.into_iter().map(|row| ResourceChange::Create(row.row)).collect(),
        })
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::tool(ask, "tool_id").await
    }

    async fn schema(&self, ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        let Some(id) = ask.text("tool_id") else { return Ok(None) };
        Ok(ask.find(TOOL, id).await?.and_then(|tool| needed(ask, &tool)))
    }
}

/// The schema of one entry in the arguments.
fn entry_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "data": {"type": "object", "description": "Data, in the form of the entries of this tool."},
            "timestamp": instant_schema("When it was"),
            "name": {"type": "string", "maxLength": 120, "description": "A name for it."},
        },
        "required": ["data"],
        "additionalProperties": false,
    })
}

/// One requested entry, checked.
struct EntryDraft<'a> {
    data: &'a JsonValue,
    at: Option<Timestamp>,
    name: &'a str,
}

fn drafts<'a>(
    ask: &'a ResourceCallContext<'_>,
    tool: &DecodedResource,
) -> Result<Vec<EntryDraft<'a>>, ActionPlanError> {
    let checker = ask.types.find(ask.texts, tool.tool_type(), "/tool_id")?.entries(tool.member("config"));
    let given = ask.argument("entries").and_then(JsonValue::as_list).unwrap_or_default();
    let (mut drafts, mut faults) = (Vec::new(), Vec::new());
    for (index, value) in given.iter().enumerate() {
        match draft(ask, value, &checker, &format!("/entries/{index}")) {
            Ok(draft) => drafts.push(draft),
            Err(wrong) => faults.extend(wrong),
        }
    }
    if faults.is_empty() {
        return Ok(drafts);
    }
    let head = say!(ask.texts, "resources-entries-unfit", tool = tool.name());
    Err(faulty(ask.texts, "INVALID_ENTRY", &head, &faults))
}

fn draft<'a>(
    ask: &ResourceCallContext<'_>,
    value: &'a JsonValue,
    checker: &SchemaChecker,
    at: &str,
) -> Result<EntryDraft<'a>, Vec<ArgumentFault>> {
    let data = value.get("data").unwrap_or(&JsonValue::Null);
    let mut faults = checker.faults(ask.texts, data, &format!("{at}/data"));
    let read =
        value.get("timestamp").and_then(JsonValue::as_text).map(|text| ask.calendar.parse_instant(text));
    let instant = read.transpose().unwrap_or_else(|fault| {
        faults.push(ArgumentFault { path: format!("{at}/timestamp"), message: fault.describe(ask.texts) });
        None
    });
    let name = value.get("name").and_then(JsonValue::as_text).unwrap_or_default().trim();
    if faults.is_empty() { Ok(EntryDraft { data, at: instant, name }) } else { Err(faults) }
}

fn entry(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
    index: usize,
    draft: &EntryDraft<'_>,
) -> DecodedResource {
    let id = format!("{}_{index}", ask.new_id("ent"));
    let body = JsonValue::from([("data", draft.data.clone())]);
    let at = draft.at.unwrap_or(ask.now());
    new_row(ENTRY, id, Some((TOOL, tool.id())), draft.name.to_owned(), Some(at), body, ask.now())
}

fn describe(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
    drafts: &[EntryDraft<'_>],
) -> ActionDescription {
    let said = first_of(
        ask.texts,
        drafts.iter().map(|draft| sentence(ask, draft, &short_words(ask, tool, draft.data))),
    );
    let after = drafts.iter().enumerate().map(|(index, draft)| {
        (format!("entry.{}", index + 1), sentence(ask, draft, &words(ask, tool, draft.data)))
    });
    let (count, tool) = (drafts.len(), tool.name());
    ActionDescription {
        says: say!(ask.texts, "resources-create-data", count = count, tool = tool, entries = said),
        after: after.collect(),
        ..ActionDescription::default()
    }
}

/// “morning: 72.5 kg on 2026-11-20”; an entry without an instant gets that of its creation.
fn sentence(ask: &ResourceCallContext<'_>, draft: &EntryDraft<'_>, data: &str) -> String {
    let said = draft
        .at
        .map_or_else(|| say!(ask.texts, "resources-dated-now", said = data), |at| dated(ask, data, at));
    if draft.name.is_empty() {
        return said;
    }
    say!(ask.texts, "resources-named", name = draft.name, said = said)
}
