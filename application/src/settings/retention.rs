//! How long what a workspace stores is retained.

use std::collections::BTreeMap;

use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use crate::duration_text::{span, stored, written};

entracte_domain::words! {
    /// What a retention limit applies to; the word is its key in `[retention]`.
    pub enum RetentionSubject {
        /// Ended chats, each with its agents.
        Chats = "chats",
        /// Ended runs of automations, each with its agents.
        Automations = "automations",
        /// Ended agents of sessions that have not ended.
        Agents = "agents",
        /// Results of calls. Their rows, costs and digests stay.
        Results = "results",
        /// Ledger rows of ended sessions.
        Ledger = "ledger",
        /// Documents that nobody read or found.
        Documents = "documents",
        /// Records of deleted sessions.
        Deletions = "deletions",
        /// Changes outside of session logs.
        Changes = "changes",
        /// Receipts of requests under an idempotency key.
        Receipts = "receipts",
        /// Sent notifications.
        Notifications = "notifications",
    }
}

impl RetentionSubject {
    /// Whether a limit may be a length of time.
    pub const fn takes_age(self) -> bool {
        match self {
            Self::Chats
            | Self::Automations
            | Self::Agents
            | Self::Results
            | Self::Ledger
            | Self::Documents
            | Self::Receipts
            | Self::Notifications => true,
            Self::Deletions | Self::Changes => false,
        }
    }

    /// Whether a workspace may set a limit of its own. Receipts are looked for before anybody knows a workspace's
    /// settings, and one job sends the notifications of all workspaces.
    pub const fn is_of_workspace(self) -> bool {
        !matches!(self, Self::Receipts | Self::Notifications)
    }

    /// The shortest age that a person may set. A slip, like `90s` for 90 days or `6m` for six months, deletes nothing.
    pub const fn shortest_age(self) -> Millis {
        match self {
            Self::Chats
            | Self::Automations
            | Self::Agents
            | Self::Results
            | Self::Ledger
            | Self::Documents => Millis::hours(24),
            Self::Deletions | Self::Changes | Self::Receipts | Self::Notifications => Millis(1),
        }
    }

    /// Whether a limit may be a number of latest ones.
    pub const fn takes_latest(self) -> bool {
        match self {
            Self::Chats | Self::Automations | Self::Agents | Self::Deletions | Self::Changes => true,
            Self::Results | Self::Ledger | Self::Documents | Self::Receipts | Self::Notifications => false,
        }
    }
}

/// How long something is retained. Without an age and a number it is retained forever; with both, whatever is beyond
/// either goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RetentionLimit {
    /// The age from which on it goes.
    pub age: Option<Millis>,
    /// The number of latest ones that stay, at least 1.
    pub latest: Option<u32>,
}

impl RetentionLimit {
    /// No limit.
    pub const FOREVER: Self = Self { age: None, latest: None };

    /// The text form of [`FOREVER`](Self::FOREVER).
    const FOREVER_TEXT: &'static str = "forever";

    /// A limit by age.
    pub const fn of_age(age: Millis) -> Self {
        Self { age: Some(age), latest: None }
    }

    /// A limit by number; 0 = no limit.
    pub const fn of_latest(latest: u32) -> Self {
        Self { age: None, latest: if latest == 0 { None } else { Some(latest) } }
    }

    /// Whether nothing ever goes.
    pub fn is_forever(self) -> bool {
        self == Self::FOREVER
    }

    /// What was last used before this instant is too old; `None` without a limit by age.
    pub fn age_cutoff(self, now: Timestamp) -> Option<Timestamp> {
        self.age.map(|age| now.plus(Millis(-age.0)))
    }

    /// The text form: `forever`, `30d`, `latest 200`, or `30d and latest 200`.
    pub fn text(self) -> String {
        self.text_with(written)
    }

    fn text_with(self, age_text: fn(Millis) -> String) -> String {
        let parts = [self.age.map(age_text), self.latest.map(|latest| format!("latest {latest}"))];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { Self::FOREVER_TEXT.to_owned() } else { parts.join(" and ") }
    }

    /// Parses a limit that a person sets; `None` if [`read`](Self::read) refuses it or its age is
    /// [too short](RetentionSubject::shortest_age).
    pub fn read_new(subject: RetentionSubject, text: &str) -> Option<Self> {
        Self::read(subject, text).filter(|limit| limit.is_long_for(subject))
    }

    fn is_long_for(self, subject: RetentionSubject) -> bool {
        self.age.is_none_or(|age| age >= subject.shortest_age())
    }

    /// Parses that form for a subject; `None` if it is another form, names a part twice, or the subject does not take
    /// the part.
    pub fn read(subject: RetentionSubject, text: &str) -> Option<Self> {
        if text.trim() == Self::FOREVER_TEXT {
            return Some(Self::FOREVER);
        }
        let mut limit = Self::FOREVER;
        for part in text.split(" and ").map(str::trim) {
            let is_first = match part.strip_prefix("latest ") {
                Some(count) if subject.takes_latest() => {
                    let count = count.trim().parse().ok().filter(|count| *count > 0)?;
                    limit.latest.replace(count).is_none()
                }
                None if subject.takes_age() => {
                    limit.age.replace(span(part).filter(|age| age.0 > 0)?).is_none()
                }
                Some(_) | None => return None,
            };
            if !is_first {
                return None;
            }
        }
        Some(limit)
    }
}

/// The limits of a workspace or of a process, one for each subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionPolicy([RetentionLimit; RetentionSubject::ALL.len()]);

impl RetentionPolicy {
    /// The limit of a subject.
    pub const fn limit(&self, subject: RetentionSubject) -> RetentionLimit {
        self.0[subject as usize]
    }

    /// Sets the limit of a subject.
    pub const fn set(&mut self, subject: RetentionSubject, limit: RetentionLimit) {
        self.0[subject as usize] = limit;
    }

    /// The age up to which receipts are retained.
    pub fn receipt_age(&self) -> Millis {
        self.age_of(RetentionSubject::Receipts)
    }

    /// The age up to which something is retained; the longest one if it is retained forever.
    pub fn age_of(&self, subject: RetentionSubject) -> Millis {
        self.limit(subject).age.unwrap_or(Millis(i64::MAX))
    }

    /// The number of latest ones that are retained; 0 = all.
    pub const fn latest_of(&self, subject: RetentionSubject) -> u32 {
        match self.limit(subject).latest {
            Some(latest) => latest,
            None => 0,
        }
    }

    /// All limits as requests store them: `chats=2160h, automations=forever, …`. Equal policies have equal texts.
    pub fn text(&self) -> String {
        text_of(RetentionSubject::ALL.into_iter().map(|subject| (subject, self.limit(subject))), stored)
    }

    /// These limits, replaced by those that a workspace sets.
    #[must_use]
    pub fn with_overrides(&self, overrides: &RetentionOverrides) -> Self {
        let mut policy = self.clone();
        for (subject, limit) in overrides.iter() {
            policy.set(subject, limit);
        }
        policy
    }
}

fn text_of(
    limits: impl Iterator<Item = (RetentionSubject, RetentionLimit)>,
    age_text: fn(Millis) -> String,
) -> String {
    let pairs = limits.map(|(subject, limit)| format!("{}={}", subject.word(), limit.text_with(age_text)));
    pairs.collect::<Vec<_>>().join(", ")
}

impl Default for RetentionPolicy {
    /// Everything is retained, except what always had a limit.
    fn default() -> Self {
        let mut policy = Self([RetentionLimit::FOREVER; RetentionSubject::ALL.len()]);
        policy.set(RetentionSubject::Deletions, RetentionLimit::of_latest(1_000));
        policy.set(RetentionSubject::Changes, RetentionLimit::of_latest(10_000));
        policy.set(RetentionSubject::Receipts, RetentionLimit::of_age(Millis::hours(24)));
        policy.set(RetentionSubject::Notifications, RetentionLimit::of_age(Millis::hours(30 * 24)));
        policy
    }
}

/// The limits that a workspace sets for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RetentionOverrides(BTreeMap<&'static str, RetentionLimit>);

impl RetentionOverrides {
    /// No limits of its own.
    pub const NONE: Self = Self(BTreeMap::new());

    /// Whether the workspace sets none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = (RetentionSubject, RetentionLimit)> {
        let limit = |subject: RetentionSubject| Some((subject, *self.0.get(subject.word())?));
        RetentionSubject::ALL.into_iter().filter_map(limit)
    }

    /// The text form of the setting: `chats=90d, automations=latest 200`.
    pub fn text(&self) -> String {
        text_of(self.iter(), written)
    }

    /// Parses limits that a person sets; `None` if [`read`](Self::read) refuses them or an age is
    /// [too short](RetentionSubject::shortest_age).
    pub fn read_new(text: &str) -> Option<Self> {
        Self::read(text).filter(|limits| limits.iter().all(|(subject, limit)| limit.is_long_for(subject)))
    }

    /// Parses that form; `None` if a subject is unknown or repeated, or its limit is invalid.
    pub fn read(text: &str) -> Option<Self> {
        let mut limits = BTreeMap::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (subject, limit) = pair.split_once('=')?;
            let subject =
                RetentionSubject::from_word(subject.trim()).filter(|found| found.is_of_workspace())?;
            let limit = RetentionLimit::read(subject, limit.trim())?;
            if limits.insert(subject.word(), limit).is_some() {
                return None;
            }
        }
        Some(Self(limits))
    }
}

impl TryFrom<String> for RetentionOverrides {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::read(&text).ok_or_else(|| format!("{text:?} does not set retention limits"))
    }
}

impl From<RetentionOverrides> for String {
    fn from(overrides: RetentionOverrides) -> Self {
        text_of(overrides.iter(), stored)
    }
}

settings! {
    /// Settings of retention.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RetentionSettings {
        /// The limits, unless a workspace sets its own (`retention.chats`, `retention.results`, …).
        pub policy: RetentionPolicy = RetentionPolicy::default(),
        /// How often the owner looks for what goes; 0 = never by itself (`retention.every`).
        pub every: Millis = Millis::hours(1),
        /// The maximum number of rows that one commit removes (`retention.rows_per_commit`).
        pub rows_per_commit: u32 = 200,
        /// The shortest pause between two such commits; it is longer where they take long (`retention.pause`).
        pub pause: Millis = Millis(500),
        /// The maximum number of holds of a workspace (`retention.holds`).
        pub holds: usize = 200,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let read = |text: &str| RetentionLimit::read(RetentionSubject::Chats, text).map(RetentionLimit::text);
        for (text, expected) in [
            ("forever", "forever"),
            ("90d", "90d"),
            ("48h", "2d"),
            ("latest 200", "latest 200"),
            ("latest 5 and 30m", "30m and latest 5"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for wrong in
            ["", "90", "0s", "latest 0", "latest", "1h and 2h", "latest 1 and latest 2", "forever and 1h"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(RetentionLimit::read(RetentionSubject::Changes, "1h"), None, "changes have a number only");
        assert_eq!(RetentionLimit::read(RetentionSubject::Results, "latest 5"), None);
    }

    #[test]
    fn short_ages_of_sessions_are_slips() {
        for slip in ["90s", "6m", "90m", "23h", "90s and latest 5"] {
            assert_eq!(RetentionLimit::read_new(RetentionSubject::Chats, slip), None, "{slip}");
        }
        for meant in ["24h", "90d", "latest 1", "forever"] {
            assert!(RetentionLimit::read_new(RetentionSubject::Chats, meant).is_some(), "{meant}");
        }
        assert!(RetentionLimit::read_new(RetentionSubject::Receipts, "90s").is_some());
        assert_eq!(RetentionOverrides::read_new("results=30d, chats=90s"), None);
        assert!(RetentionOverrides::read_new("results=30d, chats=90d").is_some());
    }

    #[test]
    fn workspace_limits_replace_those_of_the_process() {
        let own = RetentionOverrides::read(" results=30d, chats = latest 9,").unwrap();
        assert_eq!(own.text(), "chats=latest 9, results=30d");
        assert_eq!(String::from(own.clone()), "chats=latest 9, results=720h", "the form of stored rows");
        let policy = RetentionPolicy::default().with_overrides(&own);
        assert_eq!(policy.limit(RetentionSubject::Chats), RetentionLimit::of_latest(9));
        assert_eq!(policy.limit(RetentionSubject::Changes), RetentionLimit::of_latest(10_000));
        assert!(policy.limit(RetentionSubject::Automations).is_forever());
        assert!(policy.text().starts_with("chats=latest 9, automations=forever, "), "{}", policy.text());
        assert_ne!(policy.text(), RetentionPolicy::default().text());
        for wrong in ["chats", "talks=1h", "chats=1h,chats=2h", "chats=soon", "receipts=1h"] {
            assert_eq!(RetentionOverrides::read(wrong), None, "{wrong}");
        }
    }
}
