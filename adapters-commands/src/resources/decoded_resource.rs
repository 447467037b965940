//! Decodes rows of a workspace and builds new ones: a body is a JSON object with its version `v`. Unknown members are
//! preserved.

use entracte_application::ports::{ResourceRow, StoreError};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use crate::json;

/// A row with its decoded body.
#[derive(Clone, Debug)]
pub(crate) struct DecodedResource {
    pub(crate) row: ResourceRow,
    pub(crate) body: JsonValue,
}

/// A name and value shown to people.
pub(crate) type DescriptionField = (String, String);

impl DecodedResource {
    /// Decodes a row; a body that is not a JSON object of a known version is an error that names it.
    pub(crate) fn read(row: ResourceRow) -> Result<Self, StoreError> {
        let damaged = |why: String| StoreError::Inconsistent(format!("{} {}: {why}", row.kind, row.id));
        let body =
            json::parse(&row.body).map_err(|fault| damaged(format!("its body is not JSON: {fault}")))?;
        match body.get("v").and_then(JsonValue::as_i64) {
            Some(VERSION) => Ok(Self { row, body }),
            Some(v) => {
                Err(damaged(format!("its body has version {v}; this version of Entracte reads {VERSION}")))
            }
            None => Err(damaged("its body has no version".to_owned())),
        }
    }

    /// The id of the row.
    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

    /// The name of the row.
    pub(crate) fn name(&self) -> &str {
        &self.row.name
    }

    /// The id of its parent row.
    pub(crate) fn parent(&self) -> &str {
        self.row.parent.as_deref().unwrap_or_default()
    }

    /// A string of its body.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(JsonValue::as_text)
    }

    /// A member of its body; absent is `null`.
    pub(crate) fn member(&self, name: &str) -> &JsonValue {
        self.body.get(name).unwrap_or(&JsonValue::Null)
    }

    /// The row with another name, instant or body, and the next version.
    pub(crate) fn changed(
        &self,
        name: String,
        at: Option<Timestamp>,
        body: JsonValue,
        now: Timestamp,
    ) -> Self {
        let row = ResourceRow {
            name,
            at,
            body: body.to_json(),
            version: self.row.version + 1,
            updated_at: now,
            ..self.row.clone()
        };
        Self { row, body }
    }
}

/// A new row; `parent` is its parent's kind and id.
pub(crate) fn new_row(
    kind: &str,
    id: String,
    parent: Option<(&str, &str)>,
    name: String,
    at: Option<Timestamp>,
    body: JsonValue,
    now: Timestamp,
) -> DecodedResource {
    let mut members = vec![("v".to_owned(), JsonValue::from(VERSION))];
    members.extend_from_slice(body.as_object().unwrap_or_default());
    let body = JsonValue::Object(members);
    let row = ResourceRow {
        kind: kind.to_owned(),
        id,
        parent: parent.map(|(_, id)| id.to_owned()),
        parent_kind: parent.map(|(kind, _)| kind.to_owned()),
        name,
        at,
        version: 1,
        body: body.to_json(),
        created_at: now,
        updated_at: now,
    };
    DecodedResource { row, body }
}

/// The format version of the bodies.
const VERSION: i64 = 1;
