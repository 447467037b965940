//! Typed ids. Plain text inside, from the application's id generator or derived here so that a replay yields the same
//! ids. Cloning is cheap (shared text), because every workspace turn works on clones.

use std::fmt::{self, Write as _};
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps the text unchecked; ids are validated where they enter Entracte.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// An isolated tenant, `user:collection`.
    WorkspaceKey
);
id!(
    /// A session, `ses_…`. The part after the underscore is contained in every id derived from it.
    SessionId
);
id!(
    /// A message, `msg_<session>_<sequence>_<ordinal>`.
    MessageId
);
id!(
    /// One requested command of one AI message, `cal_<session>_<sequence>_<ordinal>`.
    CallId
);
id!(
    /// The decision asked for one call, `apr_<session>_<sequence>_<ordinal>`: the call's id with another prefix. If
    /// approval is asked again because part of the card changed, a suffix `_2`, `_3` … gives the new card its own id.
    ApprovalId
);
id!(
    /// One attempt of one round, `mc_<session>_<round>_<attempt>`.
    ModelCallId
);
id!(
    /// An automation, `aut_…`.
    AutomationId
);
id!(
    /// A long external task.
    TaskId
);
id!(
    /// A content hash (SHA-256, hex), made by the application from the domain's canonical bytes.
    Digest
);

impl Digest {
    /// The first 64 bits, stored in rows that contain many hashes; enough to tell hashes of one session apart. A text
    /// that is not 64 digits long is not a full hash and stays unchanged.
    pub fn short(&self) -> Self {
        match self.0.get(..SHORT_DIGITS) {
            Some(start) if self.0.len() == DIGITS => Self::new(start),
            Some(_) | None => self.clone(),
        }
    }

    /// The bits of a short hash; `None` unless it consists of 16 lowercase hexadecimal digits.
    pub fn short_bits(&self) -> Option<u64> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_short = self.0.len() == SHORT_DIGITS && self.0.bytes().all(is_digit);
        is_short.then(|| u64::from_str_radix(&self.0, 16).ok()).flatten()
    }

    /// Creates a short hash from its bits.
    pub fn from_short_bits(bits: u64) -> Self {
        Self::new(format!("{bits:016x}"))
    }
}

/// Hexadecimal digits of a full hash and of a short one.
const DIGITS: usize = 64;
const SHORT_DIGITS: usize = 16;

/// Formats a derived id. Every round creates dozens, so the text is allocated once at its final size.
fn derived_id(kind: &str, stem: &str, first: impl fmt::Display, second: impl fmt::Display) -> String {
    let mut text = String::with_capacity(kind.len() + stem.len() + NUMBERS_ROOM);
    // Writing to a `String` does not fail.
    let _ = write!(text, "{kind}_{stem}_{first}_{second}");
    text
}

/// Space for the two numbers of an id and their separators.
const NUMBERS_ROOM: usize = 24;

impl SessionId {
    /// The part after `ses_`.
    pub fn stem(&self) -> &str {
        self.0.strip_prefix("ses_").unwrap_or(&self.0)
    }

    /// Whether the id is [derived from a call](CallId::child_session_id); only agent sessions have such ids.
    pub fn is_agent_session(&self) -> bool {
        self.stem().contains('-')
    }

    /// The session whose call started this agent's; `None` unless it is [an agent's](Self::is_agent_session).
    pub fn caller(&self) -> Option<Self> {
        let stem = self.stem().rsplitn(3, '-').nth(2)?;
        Some(Self::new(format!("ses_{stem}")))
    }

    /// The call that started this agent's session; `None` unless it is [an agent's](Self::is_agent_session).
    pub fn starting_call(&self) -> Option<CallId> {
        let mut parts = self.stem().rsplitn(3, '-');
        let (ordinal, sequence, caller) = (parts.next()?, parts.next()?, parts.next()?);
        Some(CallId::new(derived_id("cal", caller, sequence, ordinal)))
    }

    /// The root session of the tree of agents that this session is in, as far as its id says: itself if it is no agent.
    #[must_use]
    pub fn tree_root(&self) -> Self {
        match self.0.split_once('-') {
            Some((root, _)) => Self::new(root),
            None => self.clone(),
        }
    }

    /// Whether this is the session `root`, or that of an agent somewhere below it.
    pub fn is_in_tree_of(&self, root: &SessionId) -> bool {
        self == root || self.stem().strip_prefix(root.stem()).is_some_and(|rest| rest.starts_with('-'))
    }

    /// The call id of ordinal `ordinal` in the input `sequence`.
    pub fn call_id(&self, sequence: u64, ordinal: usize) -> CallId {
        CallId::new(derived_id("cal", self.stem(), sequence, ordinal))
    }

    /// The message id of ordinal `ordinal` in the input `sequence`.
    pub fn message_id(&self, sequence: u64, ordinal: usize) -> MessageId {
        MessageId::new(derived_id("msg", self.stem(), sequence, ordinal))
    }

    /// The id of the model call that this attempt of the session makes.
    pub fn model_call_id(&self, number: RoundAttempt) -> ModelCallId {
        ModelCallId::new(derived_id("mc", self.stem(), number.round, number.attempt))
    }
}

impl ModelCallId {
    /// The session that makes the call, and its attempt; `None` if the id is not derived from them.
    pub fn attempt(&self) -> Option<(SessionId, RoundAttempt)> {
        let mut parts = self.0.strip_prefix("mc_")?.rsplitn(3, '_');
        let (attempt, round, stem) = (parts.next()?, parts.next()?, parts.next()?);
        let number = RoundAttempt { round: round.parse().ok()?, attempt: attempt.parse().ok()? };
        Some((SessionId::new(format!("ses_{stem}")), number))
    }
}

impl MessageId {
    /// The session whose input made the message; `None` if the id is not derived from one.
    pub fn session_id(&self) -> Option<SessionId> {
        let stem = self.0.strip_prefix("msg_")?.rsplitn(3, '_').nth(2)?;
        Some(SessionId::new(format!("ses_{stem}")))
    }

    /// The sequence of the input that made the message; `None` if the id is not derived from one.
    pub fn sequence(&self) -> Option<u64> {
        self.0.rsplit('_').nth(1)?.parse().ok()
    }
}

/// The number of a model call within its session: a round and one of its attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundAttempt {
    /// The round, from 1.
    pub round: u32,
    /// The attempt of the round, from 1.
    pub attempt: u32,
}

impl CallId {
    /// The id of the agent session that this call starts, derived so that a replay yields the same one. It has only one
    /// underscore because call ids are parsed by them.
    pub fn child_session_id(&self) -> SessionId {
        let stem = self.0.strip_prefix("cal_").unwrap_or(&self.0);
        SessionId::new(format!("ses_{}", stem.replace('_', "-")))
    }

    /// The id of the call's first approval.
    pub fn approval_id(&self) -> ApprovalId {
        ApprovalId::new(format!("apr_{}", self.0.strip_prefix("cal_").unwrap_or(&self.0)))
    }

    /// The id of the approval asked after `withdrawn` earlier ones were withdrawn.
    pub fn approval_id_after(&self, withdrawn: u32) -> ApprovalId {
        let first = self.approval_id();
        match withdrawn {
            0 => first,
            more => ApprovalId::new(format!("{first}_{}", u64::from(more) + 1)),
        }
    }
}

impl ApprovalId {
    /// The call that this approval belongs to.
    pub fn call_id(&self) -> CallId {
        let (call, _) = self.parts();
        CallId::new(format!("cal_{call}"))
    }

    /// How many approvals of the call were withdrawn before this one was asked for.
    pub fn withdrawn_count(&self) -> u32 {
        let (_, number) = self.parts();
        number.and_then(|number| number.parse::<u32>().ok()).map_or(0, |number| number.saturating_sub(1))
    }

    /// The call's part of the id, and the card number if there is one: `<session>_<sequence>_<ordinal>`, `2`.
    fn parts(&self) -> (&str, Option<&str>) {
        let text = self.0.strip_prefix("apr_").unwrap_or(&self.0);
        match text.match_indices('_').nth(2) {
            Some((end, _)) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        }
    }
}
