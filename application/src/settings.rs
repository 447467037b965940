//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

use entracte_domain::session::{Profile, Rules, SessionKind};
use entracte_domain::time::Millis;
use entracte_domain::workspace::SlotRules;
use serde::{Deserialize, Serialize};

/// Settings of one workspace, stored with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkspaceSettings {
    /// Every action of every session needs leave (`validation.workspace`).
    pub require_validation: bool,
    /// IANA time zone of the dates that the model reads (`zone`).
    pub zone: String,
    /// Sessions that may be active at once (`slots`).
    pub slots: u32,
}

impl Default for WorkspaceSettings {
    fn default() -> Self {
        Self { require_validation: false, zone: "UTC".into(), slots: 1 }
    }
}

impl WorkspaceSettings {
    /// The settings of placement.
    pub fn slot_rules(&self) -> SlotRules {
        SlotRules { slots: self.slots, ..SlotRules::default() }
    }
}

/// The rules of each kind of session, as the configuration sets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBook {
    chat: Rules,
    seed: Rules,
    automation: Rules,
    agent: Rules,
}

impl RuleBook {
    /// The defaults of a profile.
    pub fn new(profile: Profile) -> Self {
        Self {
            chat: Rules::new(SessionKind::Chat, profile),
            seed: Rules::new(SessionKind::Seed, profile),
            automation: Rules::new(SessionKind::Automation, profile),
            agent: Rules::new(SessionKind::Agent, profile),
        }
    }

    /// The rules of a kind of session.
    pub fn of(&self, kind: SessionKind) -> &Rules {
        match kind {
            SessionKind::Chat => &self.chat,
            SessionKind::Seed => &self.seed,
            SessionKind::Automation => &self.automation,
            SessionKind::Agent => &self.agent,
        }
    }

    /// Changes the rules of all kinds.
    pub fn change(&mut self, change: impl Fn(SessionKind, &mut Rules)) {
        change(SessionKind::Chat, &mut self.chat);
        change(SessionKind::Seed, &mut self.seed);
        change(SessionKind::Automation, &mut self.automation);
        change(SessionKind::Agent, &mut self.agent);
    }
}

impl Default for RuleBook {
    fn default() -> Self {
        Self::new(Profile::Autonomous)
    }
}

/// Settings of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeSettings {
    /// The longest sleep between two looks at deadlines, so that a suspended machine loses nothing
    /// (`runtime.longest_sleep`).
    pub longest_sleep: Millis,
    /// How often mail of other processes is looked for (`runtime.mail_poll`).
    pub mail_poll: Millis,
    /// How long a resting session's conversation stays in memory (`runtime.keep_in_memory`).
    pub keep_in_memory: Millis,
    /// The longest user message, in characters (`message.max_chars`).
    pub message_max_chars: usize,
    /// The longest result that goes into the prompt, in characters (`result.max_chars`).
    pub result_max_chars: usize,
    /// The longest random addition to a wait for a provider (`network.jitter`).
    pub jitter: Millis,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self {
            longest_sleep: Millis::seconds(30),
            mail_poll: Millis(250),
            keep_in_memory: Millis::minutes(1),
            message_max_chars: 200_000,
            result_max_chars: 25_000,
            jitter: Millis::seconds(10),
        }
    }
}
