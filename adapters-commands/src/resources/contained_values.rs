//! The stored values that actions on zones, tools and entries overwrite, and those that are deleted with what contains
//! them.

use entracte_application::ports::StoreError;
use entracte_application::texts::say;
use entracte_domain::id::Digest;
use entracte_domain::value::JsonValue;

use super::call_context::{ResourceCallContext, children_of};
use super::decoded_resource::DecodedResource;
use super::overwritten_values::{NamedValues, full_row, gone, instant, named};
use super::resource_kinds::{ENTRY, TOOL};
use crate::call_outcome::digest;
use crate::json::number;

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

fn held_as(row: &DecodedResource, name: &str, held: &JsonValue) -> JsonValue {
    match name {
        "name" => JsonValue::from(row.name()),
        "timestamp" => instant(row),
        _ => held.clone(),
    }
}
