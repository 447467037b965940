//! One call as the commands see it: its arguments, the rows it may read, and the look-ups they share.

use entracte_application::calendar::Calendar;
use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{
    ActionPlanError, CallRequest, ResourceFilter, ResourceReader, ResourceRow, StoreError,
};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::decoded_resource::{DecodedResource, ENTRY, TOOL, ZONE};
use super::refusal::{name_taken, not_found, refused_at};
use super::tool_types::ToolTypeRegistry;

/// A call being answered. Reads only.
pub(crate) struct ResourceCallContext<'a> {
    /// The call.
    pub(crate) request: &'a CallRequest,
    /// What it may read.
    pub(crate) rows: &'a dyn ResourceReader,
    /// The tool types there are.
    pub(crate) types: &'a ToolTypeRegistry,
    /// What is said, in the workspace's language.
    pub(crate) texts: &'static LocalizedTexts,
    /// How the workspace counts its days and reads its clock.
    pub(crate) calendar: Calendar,
}

impl<'a> ResourceCallContext<'a> {
    /// The call, with what it may read.
    pub(crate) fn new(
        request: &'a CallRequest,
        rows: &'a dyn ResourceReader,
        types: &'a ToolTypeRegistry,
    ) -> Self {
        let (texts, calendar) =
            (LocalizedTexts::for_language(request.locale.language), Calendar::from_locale(&request.locale));
        Self { request, rows, types, texts, calendar }
    }
}

impl ResourceCallContext<'_> {
    /// The workspace's language.
    pub(crate) fn language(&self) -> Language {
        self.request.locale.language
    }

    /// What the reader of the answer calls a command.
    pub(crate) fn command_name(&self, command: CommandPointer) -> String {
        self.request.naming.format_pointer(command)
    }

    /// An argument that is there and not null.
    pub(crate) fn argument(&self, name: &str) -> Option<&JsonValue> {
        self.request.command.arguments.get(name).filter(|value| **value != JsonValue::Null)
    }

    /// All arguments, as they were given.
    pub(crate) fn arguments(&self) -> &[(String, JsonValue)] {
        self.request.command.arguments.as_object().unwrap_or_default()
    }

    /// Whether the argument is there, be it null.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.request.command.arguments.get(name).is_some()
    }

    /// A text argument, when given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.argument(name).and_then(JsonValue::as_text)
    }

    /// A text argument that the schema requires.
    pub(crate) fn required(&self, name: &str) -> Result<&str, ActionPlanError> {
        self.text(name).ok_or_else(|| {
            let message = say!(self.texts, "resources-text-required", name = name);
            refused_at("INVALID_ARGUMENTS", &format!("/{name}"), message)
        })
    }

    /// A flag argument; off when absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.argument(name).and_then(JsonValue::as_bool).unwrap_or_default()
    }

    /// A number argument; `usual` when absent, never more than `most`.
    pub(crate) fn number(&self, name: &str, usual: u32, most: u32) -> u32 {
        let given = self.argument(name).and_then(whole);
        given.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual).min(most)
    }

    /// The instant of the call.
    pub(crate) fn now(&self) -> Timestamp {
        self.request.now
    }

    /// The id of a row that this call makes: derived from the call, because a plan may be computed again.
    pub(crate) fn new_id(&self, prefix: &str) -> String {
        let call = self.request.call.as_str();
        format!("{prefix}_{}", call.strip_prefix("cal_").unwrap_or(call))
    }

    /// The zone that the argument `argument` names.
    pub(crate) async fn zone(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(ZONE, argument, CommandPointer::ZONES).await
    }

    /// The tool that the argument `argument` names.
    pub(crate) async fn tool(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(TOOL, argument, CommandPointer::TOOLS).await
    }

    /// The entry that the argument `argument` names.
    pub(crate) async fn entry(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(ENTRY, argument, CommandPointer::ENTRIES).await
    }

    async fn named(
        &self,
        kind: &str,
        argument: &str,
        lister: CommandPointer,
    ) -> Result<DecodedResource, ActionPlanError> {
        let id = self.required(argument)?;
        let row = self.find(kind, id).await?;
        row.ok_or_else(|| {
            not_found(self.texts, kind, id, &format!("/{argument}"), &self.command_name(lister))
        })
    }

    /// The row of that kind and id; none when there is no such row.
    pub(crate) async fn find(&self, kind: &str, id: &str) -> Result<Option<DecodedResource>, StoreError> {
        self.rows.resource(&self.request.workspace, kind, id).await?.map(DecodedResource::read).transpose()
    }

    /// The rows that the filter lets through.
    pub(crate) async fn list(&self, filter: &ResourceFilter) -> Result<Vec<DecodedResource>, StoreError> {
        let rows = self.rows.resources(&self.request.workspace, filter).await?;
        rows.into_iter().map(DecodedResource::read).collect()
    }

    /// How many rows of a kind live in a row.
    pub(crate) async fn count(&self, kind: &str, parent: &str) -> Result<u64, StoreError> {
        self.rows.count(&self.request.workspace, &children_of(kind, parent)).await
    }

    /// The rows of a kind that live in a row, each by its id and its version, by id.
    pub(crate) async fn versions(&self, kind: &str, parent: &str) -> Result<Vec<(String, u64)>, StoreError> {
        let mut versions = self.rows.versions(&self.request.workspace, &children_of(kind, parent)).await?;
        versions.sort();
        Ok(versions)
    }

    /// How many rows the filter lets through.
    pub(crate) async fn count_all(&self, filter: &ResourceFilter) -> Result<u64, StoreError> {
        self.rows.count(&self.request.workspace, filter).await
    }

    /// Refuses `name` when a row that the filter lets through has it, other than `own`; letter case aside.
    pub(crate) async fn name_is_free(
        &self,
        filter: &ResourceFilter,
        name: &str,
        own: &str,
    ) -> Result<(), ActionPlanError> {
        let wanted = name.to_lowercase();
        let rows = self.rows.resources(&self.request.workspace, filter).await?;
        let taken = |row: &&ResourceRow| row.id != own && row.name.to_lowercase() == wanted;
        match rows.iter().find(taken) {
            Some(row) => Err(name_taken(self.texts, &row.kind, &row.name, &row.id)),
            None => Ok(()),
        }
    }
}

/// A whole number, also one that was written as `20.0`, which JSON Schema takes for an integer.
fn whole(value: &JsonValue) -> Option<u64> {
    let JsonValue::Number(text) = value else { return None };
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|digit| digit == b'0') => digits,
        Some(_) | None => text,
    };
    digits.parse().ok()
}

/// All rows of a kind.
pub(crate) fn all_of_kind(kind: &str) -> ResourceFilter {
    ResourceFilter { kind: kind.to_owned(), ..ResourceFilter::default() }
}

/// The rows of a kind that live in a row.
pub(crate) fn children_of(kind: &str, parent: &str) -> ResourceFilter {
    ResourceFilter { parent: Some(parent.to_owned()), ..all_of_kind(kind) }
}
