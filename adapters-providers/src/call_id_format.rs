//! Formats of native call ids that servers accept.

use std::collections::HashSet;

use entracte_application::ports::NativeCall;

/// The format of call ids that a server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIdFormat {
    /// `^[a-zA-Z0-9_-]{1,64}$`
    Words,
    /// `^[a-zA-Z0-9]{9}$`
    NineLetters,
}

/// The position of a call in a conversation: its turn and its number there, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeCallPosition {
    /// Index of the turn.
    pub turn: usize,
    /// Index of the call among the calls of the turn.
    pub place: usize,
}

impl CallIdFormat {
    /// Whether the server accepts this id.
    pub fn accepts_id(self, id: &str) -> bool {
        match self {
            Self::Words => is_id(id),
            Self::NineLetters => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }

    /// An id derived only from the position of the call.
    pub fn id_for_position(self, position: NativeCallPosition) -> String {
        let NativeCallPosition { turn, place } = position;
        match self {
            Self::Words => format!("entracte_{turn}_{place}"),
            Self::NineLetters => format!("e{turn:05}{place:03}"),
        }
    }
}

/// Whether every server accepts the id: `^[a-zA-Z0-9_-]{1,64}$`. Tool names have the same format.
pub fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=ID_MAX).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether servers accept the ids and names of a reply's calls: each has the right format, and no id occurs twice,
/// because results could not be matched to calls.
pub fn have_valid_ids(calls: &[NativeCall]) -> bool {
    let is_named = |call: &NativeCall| is_id(&call.provider_call_id) && is_id(&call.name);
    let ids: HashSet<&str> = calls.iter().map(|call| call.provider_call_id.as_str()).collect();
    ids.len() == calls.len() && calls.iter().all(is_named)
}

const ID_MAX: usize = 64;
