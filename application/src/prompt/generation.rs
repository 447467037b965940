//! The frozen prefix of a generation: level 1, level 2 and what else comes before the conversation, as it was
//! when the generation began.

use std::sync::Arc;

use entracte_domain::id::Digest;
use serde::{Deserialize, Serialize};

use crate::system::sha256;

/// The version of the stored shape.
const VERSION: u32 = 1;

/// The blocks before the conversation, in order. Built when a generation begins and never changed after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// One block each: level 1, then level 2 when there is one.
    pub blocks: Vec<Arc<str>>,
}

/// Stored bytes that are no prefix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrefixFault {
    /// It was written by a newer Entracte.
    #[error("the stored prefix is of version {found}; this Entracte knows version {VERSION}")]
    UnknownVersion {
        /// The version it says.
        found: u32,
    },
    /// The bytes are damaged.
    #[error("the stored prefix cannot be read: {0}")]
    Malformed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    v: u32,
    blocks: Vec<Arc<str>>,
}

impl Prefix {
    /// The bytes for the blob store; the same blocks give the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        let stored = Stored { v: VERSION, blocks: self.blocks.clone() };
        // Texts and a number always become JSON.
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// The prefix that these bytes hold.
    pub fn decode(bytes: &[u8]) -> Result<Self, PrefixFault> {
        let stored: Stored =
            serde_json::from_slice(bytes).map_err(|error| PrefixFault::Malformed(error.to_string()))?;
        match stored.v {
            VERSION => Ok(Self { blocks: stored.blocks }),
            found => Err(PrefixFault::UnknownVersion { found }),
        }
    }

    /// SHA-256 (hex) of the bytes: the key of the blob.
    pub fn digest(&self) -> Digest {
        sha256(&self.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_comes_back_from_its_bytes() {
        let prefix = Prefix { blocks: vec![Arc::from("level 1 \u{1F9EA}\n"), Arc::from("")] };
        assert_eq!(Prefix::decode(&prefix.encode()), Ok(prefix.clone()));
        assert_eq!(prefix.digest(), sha256(&prefix.encode()));
        assert_ne!(prefix.digest(), Prefix { blocks: prefix.blocks[..1].to_vec() }.digest());
    }

    #[test]
    fn other_bytes_are_named() {
        assert_eq!(Prefix::decode(br#"{"v":2,"blocks":[]}"#), Err(PrefixFault::UnknownVersion { found: 2 }));
        assert!(matches!(Prefix::decode(b"\xff"), Err(PrefixFault::Malformed(_))));
    }
}
