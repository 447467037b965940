//! The context of one call: its arguments, the rows it may read, and shared look-ups.

use entracte_application::calendar::Calendar;
use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{ActionPlanError, CallRequest, ResourceFilter, ResourceReader, StoreError};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::decoded_resource::DecodedResource;
use super::refusal::refused_at;
#[cfg(feature = "resources")]
use super::tool_types::ToolTypeRegistry;

/// The read-only context of a call.
pub(crate) struct ResourceCallContext<'a> {
    /// The call.
    pub(crate) request: &'a CallRequest,
    /// The rows the call may read.
    pub(crate) rows: &'a dyn ResourceReader,
    /// The known tool types.
    #[cfg(feature = "resources")]
    pub(crate) types: &'a ToolTypeRegistry,
    /// The texts in the workspace's language.
    pub(crate) texts: &'static LocalizedTexts,
    /// The calendar and time zone of the workspace.
    pub(crate) calendar: Calendar,
}

impl<'a> ResourceCallContext<'a> {
    /// The context of `request`.
    pub(crate) fn new(
        request: &'a CallRequest,
        rows: &'a dyn ResourceReader,
        #[cfg(feature = "resources")] types: &'a ToolTypeRegistry,
    ) -> Self {
        let (texts, calendar) =
            (LocalizedTexts::for_language(request.locale.language), Calendar::from_locale(&request.locale));
        Self {
            request,
            rows,
            #[cfg(feature = "resources")]
            types,
            texts,
            calendar,
        }
    }
}

impl ResourceCallContext<'_> {
    /// The name of a command in the reader's dialect.
    pub(crate) fn command_name(&self, command: CommandPointer) -> String {
        self.request.naming.format_pointer(command)
    }

    /// An argument that is present and not null.
    pub(crate) fn argument(&self, name: &str) -> Option<&JsonValue> {
        self.request.command.arguments.get(name).filter(|value| **value != JsonValue::Null)
    }

    /// A string argument, if present.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.argument(name).and_then(JsonValue::as_text)
    }

    /// A string argument that the schema requires.
    pub(crate) fn required(&self, name: &str) -> Result<&str, ActionPlanError> {
        self.text(name).ok_or_else(|| {
            let message = say!(self.texts, "resources-text-required", name = name);
            refused_at("INVALID_ARGUMENTS", &format!("/{name}"), message)
        })
    }

    /// A number argument; `usual` if absent, never more than `most`.
    pub(crate) fn number(&self, name: &str, usual: u32, most: u32) -> u32 {
        let given = self.argument(name).and_then(whole);
        given.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual).min(most)
    }

    /// The time of the call.
    pub(crate) fn now(&self) -> Timestamp {
        self.request.now
    }

    /// The id of a new row, derived from the call because a plan may be computed again.
    pub(crate) fn new_id(&self, prefix: &str) -> String {
        let call = self.request.call.as_str();
        format!("{prefix}_{}", call.strip_prefix("cal_").unwrap_or(call))
    }

    /// The row of this kind and id, if it exists.
    pub(crate) async fn find(&self, kind: &str, id: &str) -> Result<Option<DecodedResource>, StoreError> {
        self.rows.resource(&self.request.workspace, kind, id).await?.map(DecodedResource::read).transpose()
    }

    /// The rows that the filter selects.
    pub(crate) async fn list(&self, filter: &ResourceFilter) -> Result<Vec<DecodedResource>, StoreError> {
        let rows = self.rows.resources(&self.request.workspace, filter).await?;
        rows.into_iter().map(DecodedResource::read).collect()
    }

    /// The number of a parent's children of a kind.
    pub(crate) async fn count(&self, kind: &str, parent: &str) -> Result<u64, StoreError> {
        self.rows.count(&self.request.workspace, &children_of(kind, parent)).await
    }

    /// The number of rows that the filter selects.
    pub(crate) async fn count_all(&self, filter: &ResourceFilter) -> Result<u64, StoreError> {
        self.rows.count(&self.request.workspace, filter).await
    }
}

/// A whole number, also written as `20.0`, which JSON Schema accepts as an integer.
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

/// The children of a kind of this parent.
pub(crate) fn children_of(kind: &str, parent: &str) -> ResourceFilter {
    ResourceFilter { parent: Some(parent.to_owned()), ..all_of_kind(kind) }
}
