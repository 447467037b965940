//! Store outages: the cause, and how people fix it.

use std::fmt;

use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// An outage of a store. No data is lost: committed data stays, and uncommitted requests are reported as not executed.
///
/// ```
/// use entracte_application::ports::{StoreOutage, StoreOutageKind};
///
/// let full = StoreOutage::new(StoreOutageKind::Full, "notes.db: database or disk is full");
/// assert!(full.to_string().contains("free space"));
/// // Without a known remedy, the message is only what the store reported.
/// assert_eq!(StoreOutage::from("the server went away").to_string(), "the server went away");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOutage {
    /// The cause of the outage.
    pub kind: StoreOutageKind,
    /// The store's message, with the name of the store.
    pub says: String,
}

entracte_domain::words! {
    /// The cause of an outage.
    pub enum StoreOutageKind {
        /// The disk is full.
        Full = "full",
        /// The store can be read but not written.
        ReadOnly = "read_only",
        /// Another program holds a lock on it.
        Locked = "locked",
        /// The disk is full or fails; the store did not say which.
        Disk = "disk",
        /// The stored data is damaged and unreadable.
        Damaged = "damaged",
        /// The file is not a database.
        NotADatabase = "not_a_database",
        /// The server does not have this database.
        NoDatabase = "no_database",
        /// The server cannot be reached.
        Unreachable = "unreachable",
        /// The server rejects the password, or got none.
        Password = "password",
        /// The server requires an encrypted connection, which this build cannot make.
        NoTls = "no_tls",
        /// A pooler in front of the server shares its connections between transactions.
        Pooler = "pooler",
        /// The database role of this program lacks a privilege.
        Grants = "grants",
        /// The server is a replica, which accepts no writes.
        Standby = "standby",
        /// The server acknowledges commits before a replica has them, which this configuration does not allow.
        Unreplicated = "unreplicated",
        /// The opened file was deleted or replaced by another one.
        Replaced = "replaced",
        /// Any other cause; the store may be gone.
        Other = "other",
    }
}

impl StoreOutageKind {
    /// Whether a write in progress may have been committed: the store may have failed during it.
    pub fn may_have_committed(self) -> bool {
        match self {
            Self::Full | Self::ReadOnly | Self::Locked | Self::Grants | Self::Standby => false,
            Self::Disk
            | Self::Damaged
            | Self::NotADatabase
            | Self::NoDatabase
            | Self::Unreachable
            | Self::Password
            | Self::NoTls
            | Self::Pooler
            | Self::Unreplicated
            | Self::Replaced
            | Self::Other => true,
        }
    }
}

impl StoreOutage {
    /// Creates an outage of this kind with the store's message.
    pub fn new(kind: StoreOutageKind, says: impl Into<String>) -> Self {
        Self { kind, says: says.into() }
    }

    /// The cause and the remedy, if there is one, as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        let says = self.says.as_str();
        match self.kind {
            StoreOutageKind::Full => saying!("outage-full", says = says),
            StoreOutageKind::ReadOnly => saying!("outage-read-only", says = says),
            StoreOutageKind::Locked => saying!("outage-locked", says = says),
            StoreOutageKind::Disk => saying!("outage-disk", says = says),
            StoreOutageKind::Damaged => saying!("outage-damaged", says = says),
            StoreOutageKind::NotADatabase => saying!("outage-not-a-database", says = says),
            StoreOutageKind::NoDatabase => saying!("outage-no-database", says = says),
            StoreOutageKind::Unreachable => saying!("outage-unreachable", says = says),
            StoreOutageKind::Password => saying!("outage-password", says = says),
            StoreOutageKind::NoTls => saying!("outage-no-tls", says = says),
            StoreOutageKind::Pooler => saying!("outage-pooler", says = says),
            StoreOutageKind::Grants => saying!("outage-grants", says = says),
            StoreOutageKind::Standby => saying!("outage-standby", says = says),
            StoreOutageKind::Unreplicated => saying!("outage-unreplicated", says = says),
            StoreOutageKind::Replaced => saying!("outage-replaced", says = says),
            StoreOutageKind::Other => saying!("outage-other", says = says),
        }
    }

    /// The message in the language of `texts`.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }
}

/// In English, for logs and for callers without a language.
impl fmt::Display for StoreOutage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(LocalizedTexts::for_language(Language::En)))
    }
}

impl From<String> for StoreOutage {
    fn from(says: String) -> Self {
        Self::new(StoreOutageKind::Other, says)
    }
}

impl From<&str> for StoreOutage {
    fn from(says: &str) -> Self {
        Self::new(StoreOutageKind::Other, says)
    }
}
