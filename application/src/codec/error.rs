/// Why stored bytes and domain types do not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// It was written by a newer Entracte.
    #[error("the stored {what} is of version {found}; this Entracte knows version {known} and older")]
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
    /// It cannot be written: a value breaks a promise of its type (a number that is none, no end of depth).
    #[error("the {what} cannot be stored: {detail}")]
    Unstorable {
        /// What was to be written.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}
