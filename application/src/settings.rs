//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

use std::sync::OnceLock;

use entracte_domain::session::{Profile, Rules, SessionKind};
use entracte_domain::time::Millis;
use entracte_domain::workspace::SlotRules;
use serde::{Deserialize, Serialize};

use crate::codec::{CodecError, encode_rules};
use crate::ports::Blob;
use crate::system::sha256;

/// Settings of one workspace, stored with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkspaceSettings {
    /// Every action of every session needs leave.
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
    /// These settings, with what the configuration of the process demands of every workspace.
    pub fn under(&self, runtime: &RuntimeSettings) -> Self {
        Self { require_validation: self.require_validation || runtime.require_validation, ..self.clone() }
    }

    /// The settings of placement.
    pub fn slot_rules(&self) -> SlotRules {
        SlotRules { slots: self.slots, ..SlotRules::default() }
    }
}

/// The rules of each kind of session, as the configuration sets them.
#[derive(Clone, Debug)]
pub struct RuleBook {
    chat: Page,
    seed: Page,
    automation: Page,
    agent: Page,
}

/// Rules, and their stored form, which is made once.
#[derive(Clone, Debug)]
struct Page {
    rules: Rules,
    stored: OnceLock<Blob>,
}

impl Page {
    fn new(kind: SessionKind, profile: Profile) -> Self {
        Self { rules: Rules::new(kind, profile), stored: OnceLock::new() }
    }
}

impl RuleBook {
    /// The defaults of a profile.
    pub fn new(profile: Profile) -> Self {
        Self {
            chat: Page::new(SessionKind::Chat, profile),
            seed: Page::new(SessionKind::Seed, profile),
            automation: Page::new(SessionKind::Automation, profile),
            agent: Page::new(SessionKind::Agent, profile),
        }
    }

    /// The rules of a kind of session.
    pub fn of(&self, kind: SessionKind) -> &Rules {
        &self.page(kind).rules
    }

    /// The same rules as they are stored, by their hash.
    ///
    /// # Errors
    /// When they cannot be encoded, which no rules are known to be.
    pub fn stored(&self, kind: SessionKind) -> Result<&Blob, CodecError> {
        let page = self.page(kind);
        if let Some(blob) = page.stored.get() {
            return Ok(blob);
        }
        let bytes = encode_rules(&page.rules)?;
        Ok(page.stored.get_or_init(|| Blob { digest: sha256(&bytes), bytes }))
    }

    /// Changes the rules of all kinds.
    pub fn change(&mut self, change: impl Fn(SessionKind, &mut Rules)) {
        let pages = [
            (SessionKind::Chat, &mut self.chat),
            (SessionKind::Seed, &mut self.seed),
            (SessionKind::Automation, &mut self.automation),
            (SessionKind::Agent, &mut self.agent),
        ];
        for (kind, page) in pages {
            change(kind, &mut page.rules);
            page.stored = OnceLock::new();
        }
    }

    fn page(&self, kind: SessionKind) -> &Page {
        match kind {
            SessionKind::Chat => &self.chat,
            SessionKind::Seed => &self.seed,
            SessionKind::Automation => &self.automation,
            SessionKind::Agent => &self.agent,
        }
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
    /// Every action of every session needs leave, whatever a workspace itself says (`validation.workspace`).
    pub require_validation: bool,
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
            require_validation: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decode_rules;

    const KINDS: [SessionKind; 4] =
        [SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent];

    #[test]
    fn a_rule_book_has_the_profiles_rules_for_each_kind() {
        for profile in [Profile::Autonomous, Profile::Strict] {
            let book = RuleBook::new(profile);
            for kind in KINDS {
                assert_eq!(*book.of(kind), Rules::new(kind, profile), "{profile:?} {kind:?}");
            }
        }
    }

    #[test]
    fn the_stored_rules_are_those_in_force_also_after_a_change() {
        let mut book = RuleBook::default();
        let before = book.stored(SessionKind::Agent).unwrap().clone();
        assert_eq!(before.digest, sha256(&before.bytes));
        book.change(|kind, rules| match kind {
            SessionKind::Agent => rules.rounds = 3,
            SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => {}
        });
        let after = book.stored(SessionKind::Agent).unwrap();
        assert_ne!(after.digest, before.digest);
        assert_eq!(decode_rules(&after.bytes).unwrap(), *book.of(SessionKind::Agent));
        assert_eq!(book.of(SessionKind::Agent).rounds, 3);
        assert_eq!(*book.of(SessionKind::Chat), Rules::new(SessionKind::Chat, Profile::Autonomous));
    }

    #[test]
    fn settings_that_were_not_stored_have_their_defaults_and_unknown_ones_are_refused() {
        let read = |text: &str| serde_json::from_str::<WorkspaceSettings>(text);
        assert_eq!(read("{}").unwrap(), WorkspaceSettings::default());
        let three = WorkspaceSettings { slots: 3, ..WorkspaceSettings::default() };
        assert_eq!(read(r#"{"slots": 3}"#).unwrap(), three);
        assert_eq!(three.slot_rules(), SlotRules { slots: 3, ..SlotRules::default() });
        assert!(read(r#"{"slot": 3}"#).is_err());
    }
}
