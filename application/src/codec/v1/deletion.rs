//! What is left of a deleted session.

use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::Hash;
use super::shape::shape;
use crate::codec::version::V1;
use crate::ports::DeletionRow;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deletion {
    v: V1,
    kind: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<LeftOpen>,
    #[serde(default, skip_serializing_if = "is_default")]
    more: u32,
}

shape! {
    struct LeftOpen = crate::journal::LeftOpen {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
        command: String,
        #[serde(rename = "hash")]
        command_id: Hash,
        state: String,
    }
}

impl From<&crate::journal::Deletion> for Deletion {
    fn from(deletion: &crate::journal::Deletion) -> Self {
        let crate::journal::Deletion { session: _, at: _, author: _, kind, open, more } = deletion;
        Self { v: V1, kind: kind.clone(), open: open.iter().map(LeftOpen::from).collect(), more: *more }
    }
}

impl Deletion {
    /// With what the row itself says.
    pub(crate) fn into_domain(self, row: &DeletionRow) -> crate::journal::Deletion {
        crate::journal::Deletion {
            session: row.session.clone(),
            at: row.at,
            author: row.author.clone(),
            kind: self.kind,
            open: self.open.into_iter().map(crate::journal::LeftOpen::from).collect(),
            more: self.more,
        }
    }
}
