//! Records of deleted sessions.

use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::HashV1;
use super::shape::shape;
use crate::codec::format_version::FormatVersion1;
use crate::ports::DeletionRow;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeletionV1 {
    v: FormatVersion1,
    kind: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<LeftOpenV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    more: u32,
}

shape! {
    struct LeftOpenV1 = crate::journal::UnfinishedCall {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        command: String,
        #[serde(rename = "hash")]
        command_id: HashV1,
        state: String,
    }
}

impl From<&crate::journal::SessionDeletion> for DeletionV1 {
    fn from(deletion: &crate::journal::SessionDeletion) -> Self {
        let crate::journal::SessionDeletion { session: _, at: _, author: _, kind, open, more } = deletion;
        Self {
            v: FormatVersion1,
            kind: kind.clone(),
            open: open.iter().map(LeftOpenV1::from).collect(),
            more: *more,
        }
    }
}

impl DeletionV1 {
    /// Combines the body with the values of the row's columns.
    pub(crate) fn into_domain(self, row: &DeletionRow) -> crate::journal::SessionDeletion {
        crate::journal::SessionDeletion {
            session: row.session.clone(),
            at: row.at,
            author: row.author.clone(),
            kind: self.kind,
            open: self.open.into_iter().map(crate::journal::UnfinishedCall::from).collect(),
            more: self.more,
        }
    }
}
