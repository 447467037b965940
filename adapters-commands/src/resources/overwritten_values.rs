//! The stored values that an action overwrites or deletes: an approval is bound to them. They contain no localized
//! text, so that another language does not change the approval card.

use entracte_application::ports::StoreError;
use entracte_domain::value::JsonValue;

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;

/// Named values.
pub(crate) type NamedValues = Vec<(String, JsonValue)>;

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

/// The row whose id is in the argument, if it exists.
pub(super) async fn named(
    ask: &ResourceCallContext<'_>,
    kind: &str,
    id_argument: &str,
) -> Result<Option<DecodedResource>, StoreError> {
    match ask.text(id_argument) {
        Some(id) => ask.find(kind, id).await,
        None => Ok(None),
    }
}

/// When the row is about, in microseconds; null if about no instant.
pub(super) fn instant(row: &DecodedResource) -> JsonValue {
    row.row.at.map_or(JsonValue::Null, |at| JsonValue::from(at.0))
}

/// The full row, named by its id.
pub(crate) fn full_row(row: &DecodedResource) -> (String, JsonValue) {
    let held =
        [("name", JsonValue::from(row.name())), ("timestamp", instant(row)), ("body", row.body.clone())];
    (row.id().to_owned(), JsonValue::from(held))
}

/// The value for a row that does not exist.
pub(super) fn gone(id: Option<&str>) -> NamedValues {
    vec![(id.unwrap_or_default().to_owned(), JsonValue::Null)]
}
