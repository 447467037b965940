//! Which ids of native calls a server takes.

use std::collections::HashSet;

use entracte_application::ports::NativeCall;

/// Which ids of calls a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIdFormat {
    /// `^[a-zA-Z0-9_-]{1,64}$`
    Words,
    /// `^[a-zA-Z0-9]{9}$`
    NineLetters,
}

impl CallIdFormat {
    /// Whether it takes this one.
    pub fn accepts_id(self, id: &str) -> bool {
        match self {
            Self::Words => is_id(id),
            Self::NineLetters => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }

    /// One that depends on nothing but its place.
    pub fn id_for_position(self, turn: usize, place: usize) -> String {
        match self {
            Self::Words => format!("entracte_{turn}_{place}"),
            Self::NineLetters => format!("e{turn:05}{place:03}"),
        }
    }
}

/// Whether every server takes it: `^[a-zA-Z0-9_-]{1,64}$`. Tools have names of the same kind.
pub fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=ID_MAX).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether servers take the ids and names of a reply's calls back: of the right shape, and no id twice, because no
/// result could be told apart.
pub fn have_valid_ids(calls: &[NativeCall]) -> bool {
    let is_named = |call: &NativeCall| is_id(&call.provider_call_id) && is_id(&call.name);
    let ids: HashSet<&str> = calls.iter().map(|call| call.provider_call_id.as_str()).collect();
    ids.len() == calls.len() && calls.iter().all(is_named)
}

const ID_MAX: usize = 64;
