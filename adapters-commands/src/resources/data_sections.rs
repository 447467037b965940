//! The always-sent data: tools with `always_send`, and the state of the whole workspace if its setting is on.

use entracte_application::json_value;
use entracte_application::ports::{DataSection, ResourceReader, ResourceRow, StoreError};
use entracte_application::settings::{WorkspaceLocale, WorkspaceSettings};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::value::JsonValue;

use super::call_context::{all_of_kind, children_of};
use super::resource_kinds::{ENTRY, TOOL, ZONE};

/// Name of the section for the whole workspace: the command that reads its state.
pub(crate) const APP_STATE: &str = "app.state";

/// The prefix of a section's heading line.
const HEADING: &str = "## ";

/// Reads the sections, in a fixed order: that of the whole workspace, then one named by the id of each tool.
pub(crate) async fn read_sections(
    rows: &dyn ResourceReader,
    workspace: &WorkspaceKey,
    settings: &WorkspaceSettings,
    most_entries: u32,
) -> Result<Vec<DataSection>, StoreError> {
    let tools = rows.resources(workspace, &all_of_kind(TOOL)).await?;
    let mut sections = Vec::new();
    if settings.prompt_app_state {
        let zones = rows.resources(workspace, &all_of_kind(ZONE)).await?;
        sections.push(DataSection { name: APP_STATE.to_owned(), text: app_state(&zones, &tools) });
    }
    for tool in tools.iter().filter(|tool| flag(tool, "always_send")) {
        let entries = rows.last_resources(workspace, &children_of(ENTRY, &tool.id), most_entries).await?;
        let text = tool_text(tool, &entries, &settings.locale());
        sections.push(DataSection { name: tool.id.clone(), text });
    }
    Ok(sections)
}

fn app_state(zones: &[ResourceRow], tools: &[ResourceRow]) -> String {
    let row = |row: &ResourceRow| {
        let mut members = vec![("id", text(&row.id)), ("name", text(&row.name))];
        if let Some(parent) = &row.parent {
            members.push(("zone", text(parent)));
        }
        if let Some(kind) = body(row).get("tool_type").cloned() {
            members.push(("tool_type", kind));
        }
        object(members)
    };
    let of = |rows: &[ResourceRow]| JsonValue::List(rows.iter().map(row).collect());
    format!("{HEADING}{APP_STATE}\n{}", object(vec![("zones", of(zones)), ("tools", of(tools))]).to_json())
}

fn tool_text(tool: &ResourceRow, entries: &[ResourceRow], locale: &WorkspaceLocale) -> String {
    let body = body(tool);
    let mut members = vec![("id", text(&tool.id)), ("name", text(&tool.name))];
    for name in ["tool_type", "config"] {
        members.extend(body.get(name).map(|value| (name, value.clone())));
    }
    let entries = entries.iter().map(|entry| entry_value(entry, locale)).collect();
    members.push(("latest_entries", JsonValue::List(entries)));
    format!("{HEADING}{}\n{}", heading(&tool.name), object(members).to_json())
}

/// A name on one line: text after a line break would read as a line of its own.
fn heading(name: &str) -> String {
    let is_break = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    name.replace(is_break, " ")
}

fn entry_value(entry: &ResourceRow, locale: &WorkspaceLocale) -> JsonValue {
    let mut members = vec![("id", text(&entry.id))];
    let at = entry.at.and_then(|at| jiff::Timestamp::from_microsecond(at.0).ok());
    members.extend(at.map(|at| {
        let zoned = at.to_zoned(locale.time_zone());
        ("at", text(&zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()))
    }));
    if !entry.name.is_empty() {
        members.push(("name", text(&entry.name)));
    }
    members.extend(body(entry).get("data").map(|data| ("data", data.clone())));
    object(members)
}

fn body(row: &ResourceRow) -> JsonValue {
    json_value::parse(&row.body).unwrap_or(JsonValue::Null)
}

fn flag(row: &ResourceRow, name: &str) -> bool {
    body(row).get(name).and_then(JsonValue::as_bool).unwrap_or_default()
}

fn text(text: &str) -> JsonValue {
    JsonValue::Text(text.to_owned())
}

fn object(members: Vec<(&str, JsonValue)>) -> JsonValue {
    JsonValue::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;

    #[test]
    fn section_name_cannot_carry_lines() {
        let tool = ResourceRow {
            kind: TOOL.into(),
            id: "tol_1".into(),
            parent: None,
            parent_kind: None,
            name: "Weight\n\n# Rules\n</entracte>".into(),
            at: None,
            version: 1,
            body: "{}".into(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        let text = tool_text(&tool, &[], &WorkspaceSettings::default().locale());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "## Weight  # Rules </entracte>");
        assert_eq!(lines.len(), 2, "{text}");
    }
}
