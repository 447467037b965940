//! Why a store cannot be used now, and what people do about it.

use std::fmt;

use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// A store that cannot be used now. Nothing is lost by it: what was committed stays, what was not is told as not done.
///
/// ```
/// use entracte_application::ports::{Outage, OutageKind};
///
/// let full = Outage::new(OutageKind::Full, "notes.db: database or disk is full");
/// assert!(full.to_string().contains("free space"));
/// // Where nothing is known that people could do, only what the store said is told.
/// assert_eq!(Outage::from("the server went away").to_string(), "the server went away");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOutage {
    /// What hinders it.
    pub kind: StoreOutageKind,
    /// What it said, and which one it is.
    pub says: String,
}

entracte_domain::words! {
    /// What hinders a store.
    pub enum StoreOutageKind {
        /// There is no room to write.
        Full = "full",
        /// It may be read and not written.
        ReadOnly = "read_only",
        /// Another program holds it.
        Locked = "locked",
        /// The disk has no room, or fails; which of the two was not said.
        Disk = "disk",
        /// What is stored in it cannot be read any more.
        Damaged = "damaged",
        /// What is there is no database.
        NotADatabase = "not_a_database",
        /// The server that keeps it does not have it.
        NoDatabase = "no_database",
        /// The server that keeps it cannot be reached.
        Unreachable = "unreachable",
        /// The server that keeps it does not accept the password, or was given none.
        Password = "password",
        /// The server that keeps it wants an encrypted connection, and this program can make none.
        NoTls = "no_tls",
        /// A pooler between this program and the server gives its connections to others between transactions.
        Pooler = "pooler",
        /// The role that this program works as lacks a right in the database.
        Grants = "grants",
        /// The server is a replica, which takes no writes.
        Standby = "standby",
        /// The server answers a commit before a replica has it, and that is not enough here.
        Unreplicated = "unreplicated",
        /// The file that was opened was removed, or another one has its name.
        Replaced = "replaced",
        /// The store did not say it in a way that is known; perhaps it is gone.
        Other = "other",
    }
}

impl StoreOutageKind {
    /// Whether what was being written may be there all the same: the store may have gone while it wrote.
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
    /// An outage of this kind, with what the store said.
    pub fn new(kind: StoreOutageKind, says: impl Into<String>) -> Self {
        Self { kind, says: says.into() }
    }

    /// What is wrong, and how to fix it where there is a way.
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

    /// The same in a language.
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
