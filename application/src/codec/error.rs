/// Why stored bytes cannot be decoded or a value cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// A newer Entracte wrote the bytes.
    #[error(
        "the stored {what} has version {found}, but this Entracte reads version {known} and older; use a newer Entracte"
    )]
    UnknownVersion {
        /// The kind of object to decode.
        what: &'static str,
        /// The version the bytes state.
        found: u64,
        /// The newest known version.
        known: u64,
    },
    /// The bytes are damaged.
    #[error("the stored {what} cannot be read: {detail}")]
    Malformed {
        /// The kind of object to decode.
        what: &'static str,
        /// The fault.
        detail: String,
    },
    /// A value violates an invariant of its type (an invalid number, unlimited nesting).
    #[error("the {what} cannot be stored: {detail}")]
    Unstorable {
        /// The kind of object to encode.
        what: &'static str,
        /// The fault.
        detail: String,
    },
}
