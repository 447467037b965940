//! The stored values that an action overwrites or deletes: an approval is bound to them. They contain no localized
//! text, so that another language does not change the approval card.

use entracte_application::ports::StoreError;
use entracte_application::texts::say;
use entracte_domain::id::Digest;
use entracte_domain::value::JsonValue;

use super::call_context::{ResourceCallContext, children_of};
use super::decoded_resource::{DecodedResource, ENTRY, TOOL};
use crate::call_outcome::digest;
use crate::json::number;

/// Named values.
pub(crate) type NamedValues = Vec<(String, JsonValue)>;

/// The values that an update of a row overwrites: those its arguments name, single members where only these change.
pub(crate) async fn updated(
    ask: &ResourceCallContext<'_>,
    kind: &str,
    id_argument: &str,
) -> Result<NamedValues, StoreError> {
    let Some(row) = named(ask, kind, id_argument).await? else { return Ok(gone(ask.text(id_argument))) };
    let mut values = Vec::new();
    for (name, given) in ask.arguments().iter().filter(|(name, _)| name != id_argument) {
        match (given, row.member(name)) {
            (JsonValue::Object(members), held) => values.extend(members.iter().map(|(inner, _)| {
                (format!("{name}.{inner}"), held.get(inner).cloned().unwrap_or(JsonValue::Null))
            })),
            (_, held) => values.push((name.clone(), held_as(&row, name, held))),
        }
    }
    Ok(values)
}

/// The full row that is deleted.
pub(crate) async fn deleted(
    ask: &ResourceCallContext<'_>,
    kind: &str,
    id_argument: &str,
) -> Result<NamedValues, StoreError> {
    match named(ask, kind, id_argument).await? {
        Some(row) => Ok(vec![full_row(&row)]),
        None => Ok(gone(ask.text(id_argument))),
    }
}

/// The full entries that are deleted.
pub(crate) async fn deleted_entries<'a>(
    ask: &ResourceCallContext<'_>,
    ids: impl Iterator<Item = &'a str>,
) -> Result<NamedValues, StoreError> {
    let mut values = Vec::new();
    for id in ids {
        match ask.find(ENTRY, id).await? {
            Some(row) => values.push(full_row(&row)),
            None => values.extend(gone(Some(id))),
        }
    }
    Ok(values)
}

/// The entries that are deleted with a tool.
pub(crate) struct ToolEntriesFingerprint {
    /// The number of entries.
    pub(crate) count: u64,
    /// A hash of their ids and versions, which other entries of the same number do not have. `None` if there are
    /// none.
    print: Option<Digest>,
}

impl ToolEntriesFingerprint {
    /// Fingerprints the current entries of a tool. There may be any number of them, so they are not loaded in full.
    pub(crate) async fn load(ask: &ResourceCallContext<'_>, tool: &str) -> Result<Self, StoreError> {
        let versions = ask.versions(ENTRY, tool).await?;
        let count = u64::try_from(versions.len()).unwrap_or(u64::MAX);
        let one = |(id, version): (String, u64)| JsonValue::List(vec![JsonValue::from(id), number(version)]);
        let all = JsonValue::List(versions.into_iter().map(one).collect());
        Ok(Self { count, print: (count > 0).then(|| digest(&all.to_json())) })
    }

    /// “12, fingerprint 3f2a91c07b1d0e44”: other entries have another fingerprint.
    pub(crate) fn fingerprint_text(&self, ask: &ResourceCallContext<'_>) -> String {
        let print = self.print.as_ref().map(Digest::short);
        let print = print.as_ref().map_or("", Digest::as_str);
        say!(ask.texts, "resources-entries-held", entries = self.count, print = print)
    }

    fn values(&self, tool: &str) -> NamedValues {
        let mut values = vec![(format!("{tool}.entries"), number(self.count))];
        let print = self.print.as_ref().map(|print| JsonValue::from(print.as_str()));
        values.extend(print.map(|print| (format!("{tool}.fingerprint"), print)));
        values
    }
}

/// The fingerprint of the entries that are deleted with a tool.
pub(crate) async fn entries_of(ask: &ResourceCallContext<'_>, tool: &str) -> Result<NamedValues, StoreError> {
    Ok(ToolEntriesFingerprint::load(ask, tool).await?.values(tool))
}

/// The full tools that are deleted with a zone, and fingerprints of their entries.
pub(crate) async fn tools_of(ask: &ResourceCallContext<'_>, zone: &str) -> Result<NamedValues, StoreError> {
    let mut tools = ask.list(&children_of(TOOL, zone)).await?;
    tools.sort_by(|one, other| one.id().cmp(other.id()));
    let mut values = Vec::new();
    for tool in &tools {
        values.push(full_row(tool));
        values.extend(entries_of(ask, tool.id()).await?);
    }
    Ok(values)
}

async fn named(
    ask: &ResourceCallContext<'_>,
    kind: &str,
    id_argument: &str,
) -> Result<Option<DecodedResource>, StoreError> {
    match ask.text(id_argument) {
        Some(id) => ask.find(kind, id).await,
        None => Ok(None),
    }
}

fn held_as(row: &DecodedResource, name: &str, held: &JsonValue) -> JsonValue {
    match name {
        "name" => JsonValue::from(row.name()),
        "timestamp" => instant(row),
        _ => held.clone(),
    }
}

fn instant(row: &DecodedResource) -> JsonValue {
    row.row.at.map_or(JsonValue::Null, |at| JsonValue::from(at.0))
}

/// The full row, named by its id.
pub(crate) fn full_row(row: &DecodedResource) -> (String, JsonValue) {
    let held =
        [("name", JsonValue::from(row.name())), ("timestamp", instant(row)), ("body", row.body.clone())];
    (row.id().to_owned(), JsonValue::from(held))
}

/// The value for a row that does not exist.
fn gone(id: Option<&str>) -> NamedValues {
    vec![(id.unwrap_or_default().to_owned(), JsonValue::Null)]
}
