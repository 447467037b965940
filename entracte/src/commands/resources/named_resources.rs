//! Zones and tools as people name and read them.

use entracte_application::texts::LocalizedTexts;
use entracte_domain::value::JsonValue;

use super::resource_listing::{ResourceListColumn, rows};
use super::{ResourceCommandContext, text};
use crate::args::YesNo;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::{UserText, message};

/// The columns of all lists of tools.
pub(super) const OF_TOOLS: [ResourceListColumn<'static>; 5] = [
    ("tool", id_cell),
    ("name", name_cell),
    ("type", type_cell),
    ("approval", approval_cell),
    ("always-sent", sent_cell),
];

/// A kind of resource that a person names by name or id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedResourceKind {
    Zone,
    Tool,
}

impl NamedResourceKind {
    /// The listing query, the member with the resources, the id prefix, the text key for an unknown one, and the
    /// command that lists them.
    fn resource_words(self) -> (&'static str, &'static str, &'static str, &'static str, &'static str) {
        match self {
            NamedResourceKind::Zone => ("zones.list", "zones", "zon_", "own-no-zone", "entracte zone list"),
            NamedResourceKind::Tool => ("tools.list", "tools", "tool_", "own-no-tool", "entracte tool list"),
        }
    }
}

/// The error of a query; for a resource that does not exist, with the list of those that do.
pub(super) fn missing_named(error: CliError, query: &str) -> CliError {
    let kinds = [NamedResourceKind::Zone, NamedResourceKind::Tool].map(NamedResourceKind::resource_words);
    let resource = query.split('.').next();
    let list = kinds.into_iter().find(|(_, members, ..)| resource == Some(members));
    match list.filter(|_| error.exit == CliExitCode::NotFound) {
        Some((.., list)) => error.replacing_next(list.to_owned()),
        None => error,
    }
}

impl ResourceCommandContext<'_> {
    /// The id of a resource given by its id, or by a unique name.
    pub(super) async fn id(&self, thing: NamedResourceKind, named: &str) -> Result<String, CliError> {
        let (query, member, prefix, unknown, next) = thing.resource_words();
        if named.starts_with(prefix) {
            return Ok(named.to_owned());
        }
        let unknown = || CliError::with_next(CliExitCode::NotFound, message!(unknown, name = named), next);
        if named.trim().is_empty() {
            return Err(unknown());
        }
        let named_so = JsonValue::from([("name", JsonValue::from(named))]);
        let found = self.run_query(query, named_so).await?.result.0;
        let is_named = |row: &&JsonValue| text(row, "name").to_lowercase() == named.trim().to_lowercase();
        let ids: Vec<&str> =
            rows(&found, member).iter().filter(is_named).map(|row| text(row, "id")).collect();
        match ids.as_slice() {
            [] => Err(unknown()),
            [id] => Ok((*id).to_owned()),
            several => {
                let says = message!("own-ambiguous", name = named, ids = several.join(", "));
                Err(CliError::with_next(CliExitCode::Usage, says, next))
            }
        }
    }

    /// Prints one resource for a person: facts under their heads, and notes. Empty facts are left out.
    pub(super) async fn sheet(
        &self,
        answer: &JsonValue,
        columns: &[ResourceListColumn<'_>],
        more: Vec<(String, String)>,
    ) -> Result<(), CliError> {
        let texts = self.texts().await?;
        let fact = |(name, cell): &ResourceListColumn<'_>| {
            (texts.render(&format!("head-{name}"), &[]), cell(answer, texts))
        };
        let facts: Vec<(String, String)> = columns.iter().map(fact).chain(more).collect();
        let facts: Vec<&(String, String)> = facts.iter().filter(|(_, value)| !value.is_empty()).collect();
        let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in facts {
            self.context.out.write_data_line(&format!("{name:<width$}  {}", one_line(value)))?;
        }
        Ok(())
    }
}

/// The id of a row.
pub(super) fn id_cell(row: &JsonValue, _: &LocalizedTexts) -> String {
    text(row, "id").to_owned()
}

/// The name of a row.
pub(super) fn name_cell(row: &JsonValue, _: &LocalizedTexts) -> String {
    text(row, "name").to_owned()
}

/// The description of a row.
pub(super) fn description_cell(row: &JsonValue, _: &LocalizedTexts) -> String {
    text(row, "description").to_owned()
}

/// The type of a tool.
pub(super) fn type_cell(row: &JsonValue, _: &LocalizedTexts) -> String {
    text(row, "tool_type").to_owned()
}

/// The id of a tool's zone.
pub(super) fn zone_cell(row: &JsonValue, _: &LocalizedTexts) -> String {
    text(row, "zone_id").to_owned()
}

/// Whether a tool's data is always sent.
pub(super) fn sent_cell(row: &JsonValue, texts: &LocalizedTexts) -> String {
    flag_cell(row, "always_send", texts)
}

fn flag_cell(row: &JsonValue, member: &str, texts: &LocalizedTexts) -> String {
    let is_set = row.get(member).and_then(JsonValue::as_bool) == Some(true);
    let key = if is_set { "own-yes" } else { "own-no" };
    texts.render(key, &[])
}

/// Whether actions need approval.
pub(super) fn approval_cell(row: &JsonValue, texts: &LocalizedTexts) -> String {
    flag_cell(row, "require_validation", texts)
}

/// The flag of an answer, if one was given.
pub(super) fn flag(answer: Option<YesNo>) -> Option<JsonValue> {
    answer.map(|answer| JsonValue::from(answer == YesNo::Yes))
}

/// Parses a JSON object.
pub(super) fn object(what: impl Into<UserText>, text: &str) -> Result<JsonValue, CliError> {
    crate::commands::decisions::arguments(what, text)
}
