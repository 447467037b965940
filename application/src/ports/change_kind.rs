entracte_domain::words! {
    /// The kinds of changes that no resource has.
    pub enum BuiltinChangeKind {
        /// A setting of the workspace.
        Setting = "setting",
        /// A standing approval.
        Rule = "rule",
        /// An automation.
        Automation = "automation",
        /// A session was deleted.
        Session = "session",
        /// Instructions.
        Instructions = "instructions",
        /// A long task.
        Task = "task",
        /// Snoozes or assignments of inbox items.
        Inbox = "inbox",
        /// Older changes were deleted: the marker that replaces them.
        Pruned = "pruned",
    }
}

/// The kind of a changed object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A kind of this application.
    Builtin(BuiltinChangeKind),
    /// A resource of this kind, which the executor that writes it defines. A kind that
    /// only a later version has reads as one, too.
    Resource(String),
}

impl ChangeKind {
    /// Parses the stored word; `None` if it is empty.
    pub fn from_word(word: &str) -> Option<Self> {
        match BuiltinChangeKind::from_word(word) {
            Some(kind) => Some(Self::Builtin(kind)),
            None => (!word.is_empty()).then(|| Self::Resource(word.to_owned())),
        }
    }

    /// The stored word.
    pub fn word(&self) -> &str {
        match self {
            Self::Builtin(kind) => kind.word(),
            Self::Resource(kind) => kind,
        }
    }
}

impl From<BuiltinChangeKind> for ChangeKind {
    fn from(kind: BuiltinChangeKind) -> Self {
        Self::Builtin(kind)
    }
}
