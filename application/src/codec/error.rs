/// Why stored bytes and domain types do not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// It was written by a newer Entracte.
    #[error(
        "the stored {what} has version {found}, but this Entracte reads version {known} and older; use a newer Entracte"
    )]
    UnknownVersion {
        /// What was to be read.
        what: &'static str,
        /// The version it says.
        found: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// It cannot be read: the row is damaged.
    #[error("the stored {what} cannot be read: {detail}")]
    Malformed {
        /// What was to be read.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// It cannot be written: a value breaks a promise of its type (a number that is not valid, unlimited nesting).
    #[error("the {what} cannot be stored: {detail}")]
    Unstorable {
        /// What was to be written.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}
