//! An item that a person may want to know.

use entracte_domain::id::{ApprovalId, Digest, SessionId};
use entracte_domain::time::{Millis, Timestamp};

use crate::journal::AwaitedAct;

entracte_domain::words! {
    /// The kind of an item. Its word is the type of the message, which programs match on: existing words keep their
    /// meaning.
    #[derive(PartialOrd, Ord)]
    pub enum NotificationKind {
        /// An approval is requested.
        Approval = "approval.requested",
        /// An approval has been waiting for a while.
        Waits = "approval.waits",
        /// A question is asked.
        Question = "question.asked",
        /// It is unknown whether an action happened.
        Unknown = "outcome.unknown",
        /// A call failed after a person approved it.
        Failure = "call.failed",
        /// A run failed, reached a limit, or is parked until a person looks at it.
        Run = "run.ended",
        /// A long task ended with a notice that no session received.
        Task = "task.ended",
        /// An occurrence of an automation was skipped.
        Missed = "occurrence.missed",
        /// A standing approval expires soon.
        Rule = "rule.expiring",
        /// A test of the target.
        Test = "test",
    }
}

impl NotificationKind {
    /// Whether the item is only sent while its state is open: settled ones are dropped.
    pub const fn requires_open_state(self) -> bool {
        match self {
            Self::Approval
            | Self::Waits
            | Self::Question
            | Self::Unknown
            | Self::Failure
            | Self::Run
            | Self::Task
            | Self::Rule => true,
            Self::Missed | Self::Test => false,
        }
    }
}

/// The parts of an approval card that a message or a link needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationCard {
    /// The approval the card is for.
    pub approval: ApprovalId,
    /// The digest a decision is bound to.
    pub digest: Option<Digest>,
    /// The name of the command.
    pub command: String,
    /// A description of its effect, in the language of the reader.
    pub says: String,
    /// The arguments as text.
    pub arguments: String,
    /// The person whose rights the call would have; `None` if it has no person's.
    pub acts_as: Option<String>,
    /// Points that need attention.
    pub warnings: Vec<String>,
    /// Whether the card is fully visible and nothing is destroyed, so that a link may decide on it.
    pub is_plain: bool,
    /// When the approval expires.
    pub expires_at: Timestamp,
}

/// The unfinished run because of which an occurrence was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingRun {
    /// Its session.
    pub session: SessionId,
    /// What it waits for now; `None` if it waits for no person, or was deleted since.
    pub awaits: Option<AwaitedAct>,
}

/// An assignment that its person is told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedAssignment {
    /// The person it is assigned to.
    pub person: String,
    /// Who assigned it.
    pub author: String,
}

/// An item that a person may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationItem {
    /// The permanent id of the item.
    pub id: String,
    /// The kind of the item.
    pub kind: NotificationKind,
    /// Since when the state exists.
    pub since: Timestamp,
    /// The earliest time to send it.
    pub due_at: Timestamp,
    /// The instant it is about: of the occurrence, or the expiry of the standing approval.
    pub at: Timestamp,
    /// The zone of that instant; `None` if it is the workspace's.
    pub zone: Option<String>,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// The name of the session, of the automation, or of the rule's command.
    pub name: String,
    /// Whether the name may quote a message, as that of a chat without a given name does.
    pub has_message_name: bool,
    /// How a run ended, why an occurrence was skipped, or the command of a call; empty for other kinds.
    pub word: String,
    /// The id of its object in the API: the call of unknown outcome or that failed, the automation, the rule.
    pub of: String,
    /// The person it is about first: the approver of a call that failed.
    pub person: Option<String>,
    /// The assignment that it tells of, to the assigned person alone; `None` if the item itself is the news.
    pub assigned: Option<NotifiedAssignment>,
    /// The only people it is told to: those who may approve; `None` if it is told to everybody.
    pub audience: Option<Vec<String>>,
    /// The card of an approval.
    pub card: Option<NotificationCard>,
    /// The run because of which an occurrence was skipped, if it is known.
    pub blocked_by: Option<BlockingRun>,
}

impl NotificationItem {
    /// An item that is due immediately.
    pub fn new(id: String, kind: NotificationKind, since: Timestamp, name: &str) -> Self {
        let (word, of) = (String::new(), String::new());
        Self {
            id,
            kind,
            since,
            due_at: since,
            at: since,
            zone: None,
            session: None,
            name: name.to_owned(),
            has_message_name: false,
            word,
            of,
            person: None,
            assigned: None,
            audience: None,
            card: None,
            blocked_by: None,
        }
    }

    /// Scrubs the texts that come from outside.
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

    /// The same item as the news that another person assigned it at this time.
    pub fn assigned(&self, person: &str, author: &str, at: Timestamp) -> Self {
        Self {
            id: format!("{}:assigned:{}", self.id, at.0),
            since: at,
            due_at: at,
            assigned: Some(NotifiedAssignment { person: person.to_owned(), author: author.to_owned() }),
            // Whoever it is assigned to may reject it in any case.
            audience: None,
            ..self.clone()
        }
    }

    /// The news of an approval to the people to whom it escalates at this time; `None` for other kinds.
    pub fn escalated(&self, to: Vec<String>, at: Timestamp) -> Option<Self> {
        let card = self.card.as_ref().filter(|_| self.kind == NotificationKind::Approval)?;
        Some(Self {
            id: format!("escalated:{}:{}", card.approval, at.0),
            kind: NotificationKind::Waits,
            since: at,
            due_at: at,
            audience: Some(to),
            ..self.clone()
        })
    }

    /// The reminder of an approval that has waited for this long; `None` for other kinds.
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

/// Formats a span: `1h`, `90m`, `45s`.
fn span(span: Millis) -> String {
    let seconds = span.0 / 1000;
    match (seconds % 3600, seconds % 60) {
        (0, _) => format!("{}h", seconds / 3600),
        (_, 0) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}
