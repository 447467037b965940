//! One thing that a person may want to know.

use entracte_domain::id::{ApprovalId, Digest, SessionId};
use entracte_domain::time::{Millis, Timestamp};

entracte_domain::words! {
    /// What it is. The word is the type of its message, and a program matches on it: one that is there keeps its meaning.
    #[derive(PartialOrd, Ord)]
    pub enum NotificationKind {
        /// An approval is asked for.
        Approval = "approval.requested",
        /// An approval waits since a while.
        Waits = "approval.waits",
        /// A question is asked.
        Question = "question.asked",
        /// Nobody knows whether an action happened.
        Unknown = "outcome.unknown",
        /// A run failed, reached a limit, or rests until somebody looks at it.
        Run = "run.ended",
        /// A long task ended, and nobody else was told.
        Task = "task.ended",
        /// An occurrence of an automation was skipped.
        Missed = "occurrence.missed",
        /// A standing approval is about to end.
        Rule = "rule.expiring",
        /// Somebody tries the target.
        Test = "test",
    }
}

impl NotificationKind {
    /// Whether it is only told while it is so: what was settled meanwhile is dropped.
    pub const fn requires_open_state(self) -> bool {
        match self {
            Self::Approval
            | Self::Waits
            | Self::Question
            | Self::Unknown
            | Self::Run
            | Self::Task
            | Self::Rule => true,
            Self::Missed | Self::Test => false,
        }
    }
}

/// A card, as far as a message or a link needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationCard {
    /// The approval.
    pub approval: ApprovalId,
    /// What a decision is bound to.
    pub digest: Option<Digest>,
    /// The command.
    pub command: String,
    /// What it would do, in the language of the workspace.
    pub says: String,
    /// What it would run with, as text.
    pub arguments: String,
    /// Whose rights it would have; none where nobody's.
    pub acts_as: Option<String>,
    /// What to look at twice.
    pub warnings: Vec<String>,
    /// All of it can be seen at once, and nothing is destroyed: a link may decide on it.
    pub is_plain: bool,
    /// Until when it may be decided.
    pub expires_at: Timestamp,
}

/// One thing that a person may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationItem {
    /// Names it for ever.
    pub id: String,
    /// What it is.
    pub kind: NotificationKind,
    /// Since when it is so.
    pub since: Timestamp,
    /// It is not told before.
    pub due_at: Timestamp,
    /// The instant that it names: of the occurrence, or when the standing approval ends.
    pub at: Timestamp,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// The name of that session, of the automation, or of the command of the rule.
    pub name: String,
    /// The name may be words of a message, as that of a chat is where nobody gave it one.
    pub has_message_name: bool,
    /// How a run ended, why an occurrence was skipped; empty for the others.
    pub word: String,
    /// The call of unknown outcome, the automation, the rule: what the API knows it by.
    pub of: String,
    /// The card of an approval.
    pub card: Option<NotificationCard>,
}

impl NotificationItem {
    /// An item that is told at once.
    pub fn new(id: String, kind: NotificationKind, since: Timestamp, name: &str) -> Self {
        let (word, of) = (String::new(), String::new());
        Self {
            id,
            kind,
            since,
            due_at: since,
            at: since,
            session: None,
            name: name.to_owned(),
            has_message_name: false,
            word,
            of,
            card: None,
        }
    }

    /// It without what `scrubbed` takes out of words that come from outside.
    #[must_use]
    pub fn scrub(mut self, scrubbed: impl Fn(&str) -> String) -> Self {
        self.name = scrubbed(&self.name);
        if let Some(card) = &mut self.card {
            card.command = scrubbed(&card.command);
            card.says = scrubbed(&card.says);
            card.arguments = scrubbed(&card.arguments);
            card.warnings.iter_mut().for_each(|warning| *warning = scrubbed(warning));
        }
        self
    }

    /// The approval once more, when it waits for that long.
    pub fn reminder(&self, after: Millis) -> Option<Self> {
        let card = self.card.as_ref().filter(|_| self.kind == NotificationKind::Approval && after.0 > 0)?;
        Some(Self {
            id: format!("waits:{}:{}", card.approval, span(after)),
            kind: NotificationKind::Waits,
            due_at: self.since.plus(after),
            ..self.clone()
        })
    }
}

/// `1h`, `90m`, `45s`.
fn span(span: Millis) -> String {
    let seconds = span.0 / 1000;
    match (seconds % 3600, seconds % 60) {
        (0, _) => format!("{}h", seconds / 3600),
        (_, 0) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}
