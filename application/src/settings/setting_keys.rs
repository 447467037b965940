//! The settings of a workspace by key: meaning, allowed values, and current value as text.

use super::{ChunkImportance, ChunkImportances};
use super::{
    Language, LimitsProfile, RetentionOverrides, SessionMode, UserContext, WeekDay, WorkspaceSettings,
};
use crate::near_names::nearest_zone;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// A setting of a workspace.
#[derive(Clone, Copy)]
pub struct SettingKey {
    /// The key.
    pub name: &'static str,
    /// The key of the catalogue text with its meaning; the suffix `-takes` gives the text with its allowed values.
    pub text: &'static str,
    read: fn(&WorkspaceSettings) -> String,
    write: fn(&mut WorkspaceSettings, &str) -> Option<()>,
}

/// Why a setting was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum SettingFault {
    /// The key is unknown.
    Unknown(String),
    /// The value is invalid for the setting.
    Value {
        /// The key of the setting.
        key: &'static str,
        /// The value as given.
        value: String,
    },
    /// More people must approve than the approvers name.
    Quorum {
        /// How many different people must approve.
        quorum: u32,
        /// Who may approve, as written.
        named: String,
        /// How many people these are.
        people: usize,
    },
}

impl SettingFault {
    /// Whether the key is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, SettingFault::Unknown(_))
    }

    /// Describes the fault: the setting, the value, and the allowed values.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying(texts).render(texts)
    }

    /// The fault as a localisable message; the allowed values are in the language of `texts`.
    pub(crate) fn saying(&self, texts: &LocalizedTexts) -> LocalizedMessage {
        match self {
            SettingFault::Unknown(name) => saying!("request-no-setting", name = name),
            SettingFault::Value { key, value } => {
                let takes = SettingKey::find(key).map(|key| key.describe_values(texts)).unwrap_or_default();
                let guess = if *key == stringify!(zone) { nearest_zone(value) } else { None };
                match guess {
                    Some(guess) => {
                        saying!(
                            "request-setting-near",
                            key = *key,
                            value = value,
                            takes = takes,
                            guess = guess
                        )
                    }
                    None => saying!("request-setting-value", key = *key, value = value, takes = takes),
                }
            }
            SettingFault::Quorum { quorum, named, people } => {
                saying!("request-setting-quorum", quorum = *quorum, named = named, people = *people)
            }
        }
    }
}

/// A week, the maximum of the settings in minutes.
const MOST_MINUTES: u32 = 7 * 24 * 60;

/// Declares a setting: its key, which is that of its field; the key of its text; how its value is formatted; and how a
/// text is parsed, `None` if it is invalid.
macro_rules! setting {
    ($field:ident, $text:literal, |$value:ident| $read:expr, |$given:ident| $write:expr) => {
        SettingKey {
            name: stringify!($field),
            text: $text,
            read: |settings| {
                let $value = &settings.$field;
                $read
            },
            write: |settings, $given| {
                settings.$field = $write?;
                Some(())
            },
        }
    };
    // Parsed and formatted alike.
    ($field:ident, $text:literal) => {
        setting!($field, $text, |value| value.to_string(), |text| text.parse().ok())
    };
    // A number with a validity check.
    ($field:ident, $text:literal, $valid:expr) => {
        setting!($field, $text, |value| value.to_string(), |text| text.parse().ok().filter($valid))
    };
}

/// Declares a setting of the caps on model calls: the part of its key after `budget.`, and the key of its text.
macro_rules! budget_setting {
    ($key:literal, $text:literal) => {
        SettingKey {
            name: concat!("budget.", $key),
            text: $text,
            read: |settings| settings.budget.text($key),
            write: |settings, text| settings.budget.change($key, text),
        }
    };
}

/// Declares a setting of who must approve: its key, and the key of its text.
macro_rules! approval_setting {
    ($key:literal, $text:literal) => {
        SettingKey {
            name: $key,
            text: $text,
            read: |settings| settings.approval.text($key),
            write: |settings, text| settings.approval.change($key, text),
        }
    };
}

/// Every setting of a workspace.
pub const SETTINGS: [SettingKey; 33] = [
    setting!(zone, "setting-zone", |zone| zone.clone(), |text| zone_of(text)),
    setting!(day_start, "setting-day-start", |hour| *hour < 24),
    setting!(week_start, "setting-week-start", |day| day.word().to_owned(), |text| WeekDay::from_word(text)),
    setting!(language, "setting-language", |it| it.word().to_owned(), |text| Language::from_word(text)),
    setting!(
        limits_profile,
        "setting-limits-profile",
        |profile| profile.map_or(DEFAULT, LimitsProfile::word).to_owned(),
        |text| parse_unless_default(text, LimitsProfile::from_word)
    ),
    setting!(mode, "setting-mode", |mode| mode.map_or(DEFAULT, SessionMode::word).to_owned(), |text| {
        parse_unless_default(text, SessionMode::from_word)
    }),
    setting!(require_validation, "setting-require-validation"),
    setting!(four_eyes, "setting-four-eyes"),
    approval_setting!("approvers", "setting-approvers"),
    approval_setting!("quorum", "setting-quorum"),
    approval_setting!("escalate_after", "setting-escalate-after"),
    approval_setting!("escalate_to", "setting-escalate-to"),
    approval_setting!("roles", "setting-roles"),
    approval_setting!("away", "setting-away"),
    setting!(slots, "setting-slots", |slots| (1..=1000).contains(slots)),
    setting!(chat_preempts, "setting-chat-preempts"),
    setting!(chat_eviction, "setting-chat-eviction", |minutes| *minutes <= MOST_MINUTES),
    setting!(ageing, "setting-ageing", |minutes| *minutes <= MOST_MINUTES),
    setting!(prompt_importance, "setting-prompt-importance", |grade| grade.word().to_owned(), |text| {
        ChunkImportance::from_word(text)
    }),
    setting!(prompt_chunks, "setting-prompt-chunks", |grades| grades.text(), |text| ChunkImportances::read(
        text
    )),
    setting!(prompt_app_state, "setting-prompt-app-state"),
    setting!(user_context, "setting-user-context", |it| it.text(), |text| UserContext::read(text).ok()),
    setting!(retention, "setting-retention", |limits| limits.text(), |text| RetentionOverrides::read_new(
        text
    )),
    budget_setting!("session", "setting-budget-session"),
    budget_setting!("tree", "setting-budget-tree"),
    budget_setting!("automation_day", "setting-budget-automation-day"),
    budget_setting!("person_day", "setting-budget-person-day"),
    budget_setting!("workspace_day", "setting-budget-workspace-day"),
    budget_setting!("workspace_month", "setting-budget-workspace-month"),
    budget_setting!("unknown_price", "setting-budget-unknown-price"),
    budget_setting!("margin", "setting-budget-margin"),
    budget_setting!("soft_line", "setting-budget-soft-line"),
    budget_setting!("closing_reserve", "setting-budget-closing-reserve"),
];

/// The text of an unset value, for which the rules decide.
const DEFAULT: &str = "default";

/// Parses a word; [`DEFAULT`] means unset.
fn parse_unless_default<T>(text: &str, of_word: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text == DEFAULT { Some(None) } else { of_word(text).map(Some) }
}

fn zone_of(text: &str) -> Option<String> {
    jiff::tz::TimeZone::get(text).ok().map(|_| text.to_owned())
}

impl SettingKey {
    /// Finds the setting of that name.
    ///
    /// # Errors
    /// [`SettingFault::Unknown`] when no setting has that name.
    pub fn find(name: &str) -> Result<&'static SettingKey, SettingFault> {
        SETTINGS.iter().find(|key| key.name == name).ok_or_else(|| SettingFault::Unknown(name.to_owned()))
    }

    /// The meaning of the setting.
    pub fn describe_meaning(&self, texts: &LocalizedTexts) -> String {
        texts.render(self.text, &[])
    }

    /// The allowed values.
    pub fn describe_values(&self, texts: &LocalizedTexts) -> String {
        texts.render(&format!("{}-takes", self.text), &[])
    }

    /// The current value as text.
    pub fn value(&self, settings: &WorkspaceSettings) -> String {
        (self.read)(settings)
    }
}

impl WorkspaceSettings {
    /// Changes the setting of that name; `None` restores its default.
    ///
    /// # Errors
    /// When there is no such setting, or the value is invalid. Nothing was changed then.
    pub fn change(&mut self, name: &str, value: Option<&str>) -> Result<(), SettingFault> {
        let key = SettingKey::find(name)?;
        let default = key.value(&WorkspaceSettings::default());
        let value = value.unwrap_or(&default);
        let mut changed = self.clone();
        let fault = || SettingFault::Value { key: key.name, value: value.to_owned() };
        (key.write)(&mut changed, value).ok_or_else(fault)?;
        *self = changed;
        Ok(())
    }

    /// Checks that so many people are named as must approve. It is for all changes of a request together: the members of a
    /// role may be set beside the approvers.
    ///
    /// # Errors
    /// [`SettingFault::Quorum`] if more people must approve than are named.
    pub fn check_quorum(&self) -> Result<(), SettingFault> {
        let Some(required) = self.approval.requirement() else { return Ok(()) };
        let people = required.most_approvals();
        match people.filter(|people| *people < usize::try_from(required.quorum).unwrap_or(usize::MAX)) {
            None => Ok(()),
            Some(people) => {
                let named = self.approval.text("approvers");
                Err(SettingFault::Quorum { quorum: required.quorum, named, people })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_round_trips_and_resets() {
        let cases = [
            ("zone", "Europe/Paris", "Mars/Olympus"),
            ("day_start", "4", "24"),
            ("week_start", "sunday", "Sonntag"),
            ("language", "fr", "de"),
            ("limits_profile", "strict", "loose"),
            ("mode", "plan", "careful"),
            ("require_validation", "true", "yes"),
            ("four_eyes", "true", "yes"),
            ("approvers", "role:finance, person:ann", "finance"),
            ("quorum", "2", "0"),
            ("escalate_after", "4h", "soon"),
            ("escalate_to", "role:heads", "heads"),
            ("roles", "finance: ann, bob; heads: eve", "finance"),
            ("away", "ann: bob until 2026-12-24T08:00:00Z", "ann: bob"),
            ("slots", "3", "0"),
            ("chat_preempts", "false", "no"),
            ("chat_eviction", "60", "5m"),
            ("ageing", "10", "10081"),
            ("prompt_importance", "vital", "high"),
            ("prompt_chunks", "examples=vital,limits=needed", "role=helpful"),
            ("prompt_app_state", "true", "1"),
            ("user_context", r#"{"company_name":"Dupont SA"}"#, r#"{"Company":1}"#),
            ("retention", "chats=90d, automations=latest 200", "chats=90s"),
            ("budget.session", "2.5 USD and 500000 tokens", "2.5"),
            ("budget.tree", "5 USD", "5 EUR"),
            ("budget.automation_day", "900000 tokens", "0 tokens"),
            ("budget.person_day", "10 USD", "-1 USD"),
            ("budget.workspace_day", "20 USD", "20 USD, 5 tokens"),
            ("budget.workspace_month", "200 USD", "much"),
            ("budget.unknown_price", "tokens", "guess"),
            ("budget.margin", "30", "101"),
            ("budget.soft_line", "100", "0"),
            ("budget.closing_reserve", "0", "51"),
        ];
        assert_eq!(cases.map(|case| case.0), SETTINGS.map(|key| key.name), "every setting has its row");
        for (name, good, bad) in cases {
            let (key, mut settings) = (SettingKey::find(name).unwrap(), WorkspaceSettings::default());
            settings.change(name, Some(good)).unwrap();
            assert_eq!(key.value(&settings), good, "{name}");
            let stored = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<WorkspaceSettings>(&stored).unwrap(), settings, "{name}");
            let fault = settings.change(name, Some(bad)).unwrap_err().to_string();
            let takes = key.describe_values(LocalizedTexts::for_language(Language::En));
            assert_eq!(fault, format!("“{bad}” is not a valid value for {name}; it takes {takes}"));
            settings.change(name, None).unwrap();
            assert_eq!(settings, WorkspaceSettings::default(), "{name}");
        }
        assert!(WorkspaceSettings::default().change("colour", Some("red")).unwrap_err().is_unknown());
    }

    /// Input: approvers, roles and a quorum; expected: refused if fewer people are named than must approve.
    #[test]
    fn quorum_beyond_the_named_people_is_refused() {
        let cases = [
            (vec![("quorum", "2")], None),
            (
                vec![("approvers", "person:ann"), ("quorum", "2")],
                Some("2 different people must approve, but only 1 may: person:ann;"),
            ),
            (vec![("approvers", "role:finance")], Some("but role:finance is nobody")),
            (vec![("approvers", "role:finance"), ("roles", "finance: ann, bob"), ("quorum", "2")], None),
            (
                vec![("approvers", "role:finance, person:ann"), ("roles", "finance: ann"), ("quorum", "2")],
                Some("only 1 may: role:finance, person:ann"),
            ),
            (
                vec![
                    ("approvers", "person:ann"),
                    ("quorum", "2"),
                    ("escalate_to", "person:eve"),
                    ("escalate_after", "4h"),
                ],
                None,
            ),
        ];
        for (changes, expected) in cases {
            let mut settings = WorkspaceSettings::default();
            for (key, value) in &changes {
                settings.change(key, Some(*value)).unwrap();
            }
            match (settings.check_quorum(), expected) {
                (Ok(()), None) => {}
                (Err(fault), Some(part)) => assert!(fault.to_string().contains(part), "{fault}"),
                (found, _) => panic!("{changes:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn every_setting_is_documented_in_each_language() {
        for language in Language::ALL {
            let texts = LocalizedTexts::for_language(language);
            for key in &SETTINGS {
                assert!(texts.has(key.text), "{} {language:?}", key.name);
                assert!(texts.has(&format!("{}-takes", key.text)), "{} {language:?}", key.name);
            }
        }
    }
}
