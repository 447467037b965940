//! What an action overwrites or deletes, as it is stored: an approval is bound to it. No words, so that another language
//! is no other card.

use entracte_application::ports::StoreError;
use entracte_domain::value::Value;

use super::ask::{Ask, living_in};
use super::rows::{ENTRY, Row, TOOL};
use crate::json::number;

/// Values, each by its name.
pub(crate) type Values = Vec<(String, Value)>;

/// The values that an update of a row overwrites: those that its arguments name, member by member where they change
/// members of an object.
pub(crate) async fn updated(ask: &Ask<'_>, kind: &str, id_argument: &str) -> Result<Values, StoreError> {
    let Some(row) = named(ask, kind, id_argument).await? else { return Ok(gone(ask.text(id_argument))) };
    let mut values = Vec::new();
    for (name, given) in ask.arguments().iter().filter(|(name, _)| name != id_argument) {
        match (given, row.member(name)) {
            (Value::Object(members), held) => values.extend(members.iter().map(|(inner, _)| {
                (format!("{name}.{inner}"), held.get(inner).cloned().unwrap_or(Value::Null))
            })),
            (_, held) => values.push((name.clone(), held_as(&row, name, held))),
        }
    }
    Ok(values)
}

/// The whole of a row that is deleted.
pub(crate) async fn deleted(ask: &Ask<'_>, kind: &str, id_argument: &str) -> Result<Values, StoreError> {
    match named(ask, kind, id_argument).await? {
        Some(row) => Ok(vec![whole(&row)]),
        None => Ok(gone(ask.text(id_argument))),
    }
}

/// The whole of the entries that are deleted.
pub(crate) async fn deleted_entries<'a>(
    ask: &Ask<'_>,
    ids: impl Iterator<Item = &'a str>,
) -> Result<Values, StoreError> {
    let mut values = Vec::new();
    for id in ids {
        match ask.find(ENTRY, id).await? {
            Some(row) => values.push(whole(&row)),
            None => values.extend(gone(Some(id))),
        }
    }
    Ok(values)
}

/// How many entries go with a tool.
pub(crate) async fn entries_of(ask: &Ask<'_>, tool: &str) -> Result<(String, Value), StoreError> {
    Ok((format!("{tool}.entries"), number(ask.count(ENTRY, tool).await?)))
}

/// The tools that go with a zone, each whole, and their entries.
pub(crate) async fn tools_of(ask: &Ask<'_>, zone: &str) -> Result<Values, StoreError> {
    let mut tools = ask.list(&living_in(TOOL, zone)).await?;
    tools.sort_by(|one, other| one.id().cmp(other.id()));
    let mut values = Vec::new();
    for tool in &tools {
        values.push(whole(tool));
        values.push(entries_of(ask, tool.id()).await?);
    }
    Ok(values)
}

async fn named(ask: &Ask<'_>, kind: &str, id_argument: &str) -> Result<Option<Row>, StoreError> {
    match ask.text(id_argument) {
        Some(id) => ask.find(kind, id).await,
        None => Ok(None),
    }
}

fn held_as(row: &Row, name: &str, held: &Value) -> Value {
    match name {
        "name" => Value::from(row.name()),
        "timestamp" => instant(row),
        _ => held.clone(),
    }
}

fn instant(row: &Row) -> Value {
    row.row.at.map_or(Value::Null, |at| Value::from(at.0))
}

fn whole(row: &Row) -> (String, Value) {
    let held = [("name", Value::from(row.name())), ("timestamp", instant(row)), ("body", row.body.clone())];
    (row.id().to_owned(), Value::from(held))
}

/// A row that is not there.
fn gone(id: Option<&str>) -> Values {
    vec![(id.unwrap_or_default().to_owned(), Value::Null)]
}
