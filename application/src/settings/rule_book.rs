use std::sync::OnceLock;

use entracte_domain::session::{Profile, Rules, SessionKind};

use super::LimitsProfile;
use crate::codec::{CodecError, encode_rules};
use crate::ports::Blob;
use crate::system::sha256;

/// The rules of each kind of session, as the configuration sets them, for each profile.
#[derive(Clone, Debug)]
pub struct RuleBook {
    profile: Profile,
    autonomous: Pages,
    strict: Pages,
}

/// The rules of one profile.
#[derive(Clone, Debug)]
struct Pages {
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

impl Pages {
    fn new(profile: Profile) -> Self {
        let page = |kind| Page { rules: Rules::new(kind, profile), stored: OnceLock::new() };
        Self {
            chat: page(SessionKind::Chat),
            seed: page(SessionKind::Seed),
            automation: page(SessionKind::Automation),
            agent: page(SessionKind::Agent),
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

    fn change(&mut self, change: &impl Fn(SessionKind, &mut Rules)) {
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
}

impl RuleBook {
    /// The defaults, of this profile unless a workspace asks for the other.
    pub fn new(profile: Profile) -> Self {
        Self { profile, autonomous: Pages::new(Profile::Autonomous), strict: Pages::new(Profile::Strict) }
    }

    /// The same rules, of the profile that a workspace asks for.
    #[must_use]
    pub fn with_profile(&self, asked: Option<LimitsProfile>) -> Self {
        let profile = asked.map_or(self.profile, LimitsProfile::profile);
        Self { profile, ..self.clone() }
    }

    /// The rules of a kind of session.
    pub fn of(&self, kind: SessionKind) -> &Rules {
        &self.pages().page(kind).rules
    }

    /// The same rules as they are stored, by their hash.
    ///
    /// # Errors
    /// When they cannot be encoded, which no rules are known to be.
    pub fn stored(&self, kind: SessionKind) -> Result<&Blob, CodecError> {
        let page = self.pages().page(kind);
        if let Some(blob) = page.stored.get() {
            return Ok(blob);
        }
        let bytes = encode_rules(&page.rules)?;
        Ok(page.stored.get_or_init(|| Blob { digest: sha256(&bytes), bytes }))
    }

    /// Changes the rules of all kinds, in both profiles.
    pub fn change(&mut self, change: impl Fn(SessionKind, &mut Rules)) {
        self.autonomous.change(&change);
        self.strict.change(&change);
    }

    fn pages(&self) -> &Pages {
        match self.profile {
            Profile::Autonomous => &self.autonomous,
            Profile::Strict => &self.strict,
        }
    }
}

impl Default for RuleBook {
    fn default() -> Self {
        Self::new(Profile::Autonomous)
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
        for profile in [LimitsProfile::Autonomous, LimitsProfile::Strict] {
            let book = RuleBook::new(profile.profile());
            let asked = RuleBook::default().with_profile(Some(profile));
            for kind in KINDS {
                let expected = Rules::new(kind, profile.profile());
                assert_eq!(*book.of(kind), expected, "{profile:?} {kind:?}");
                assert_eq!(*asked.of(kind), expected, "{profile:?} {kind:?}, as a workspace asks");
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
}
