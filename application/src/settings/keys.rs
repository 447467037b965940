//! The settings of a workspace by their keys: what each means, what it takes, and its value as text.

use super::{ChunkGrades, Importance};
use super::{Language, LimitsProfile, SessionMode, UserContext, WeekDay, WorkspaceSettings};
use crate::texts::{Saying, Texts, saying};

/// A setting of a workspace.
#[derive(Clone, Copy)]
pub struct SettingKey {
    /// Its name.
    pub name: &'static str,
    /// Key of the text that says what it means, in the catalogue; with `-takes`, of the text that says what it
    /// takes.
    pub text: &'static str,
    read: fn(&WorkspaceSettings) -> String,
    write: fn(&mut WorkspaceSettings, &str) -> Option<()>,
}

/// Why a setting was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingFault {
    /// There is no such key.
    Unknown(String),
    /// The value is not valid for the setting.
    Value {
        /// The setting.
        key: &'static str,
        /// What was given.
        value: String,
    },
}

impl SettingFault {
    /// Whether the key is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, SettingFault::Unknown(_))
    }

    /// The fault in words: the setting, the value, and what it takes.
    pub fn says(&self, texts: &Texts) -> String {
        self.saying(texts).say(texts)
    }

    /// The fault, for somebody who reads these texts.
    pub(crate) fn saying(&self, texts: &Texts) -> Saying {
        match self {
            SettingFault::Unknown(name) => saying!("request-no-setting", name = name),
            SettingFault::Value { key, value } => {
                let takes = SettingKey::find(key).map(|key| key.takes(texts)).unwrap_or_default();
                saying!("request-setting-value", key = *key, value = value, takes = takes)
            }
        }
    }
}

impl std::fmt::Display for SettingFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.says(Texts::of(Language::En)))
    }
}

impl std::error::Error for SettingFault {}

/// A week, the longest of the settings in minutes.
const MOST_MINUTES: u32 = 7 * 24 * 60;

/// Every setting of a workspace.
pub const SETTINGS: [SettingKey; 16] = [
    SettingKey {
        name: "zone",
        text: "setting-zone",
        read: |settings| settings.zone.clone(),
        write: |settings, text| {
            jiff::tz::TimeZone::get(text).ok()?;
            settings.zone = text.to_owned();
            Some(())
        },
    },
    SettingKey {
        name: "day_start",
        text: "setting-day-start",
        read: |settings| settings.day_start.to_string(),
        write: |settings, text| {
            settings.day_start = text.parse().ok().filter(|hour| *hour < 24)?;
            Some(())
        },
    },
    SettingKey {
        name: "week_start",
        text: "setting-week-start",
        read: |settings| settings.week_start.word().to_owned(),
        write: |settings, text| {
            settings.week_start = WeekDay::from_word(text)?;
            Some(())
        },
    },
    SettingKey {
        name: "language",
        text: "setting-language",
        read: |settings| settings.language.word().to_owned(),
        write: |settings, text| {
            settings.language = Language::from_word(text)?;
            Some(())
        },
    },
    SettingKey {
        name: "limits_profile",
        text: "setting-limits-profile",
        read: |settings| settings.limits_profile.map_or("default", LimitsProfile::word).to_owned(),
        write: |settings, text| {
            settings.limits_profile = match text {
                "default" => None,
                word => Some(LimitsProfile::ALL.into_iter().find(|profile| profile.word() == word)?),
            };
            Some(())
        },
    },
    SettingKey {
        name: "mode",
        text: "setting-mode",
        read: |settings| settings.mode.map_or("default", SessionMode::word).to_owned(),
        write: |settings, text| {
            settings.mode = match text {
                "default" => None,
                word => Some(SessionMode::from_word(word)?),
            };
            Some(())
        },
    },
    SettingKey {
        name: "require_validation",
        text: "setting-require-validation",
        read: |settings| settings.require_validation.to_string(),
        write: |settings, text| {
            settings.require_validation = text.parse().ok()?;
            Some(())
        },
    },
    SettingKey {
        name: "four_eyes",
        text: "setting-four-eyes",
        read: |settings| settings.four_eyes.to_string(),
        write: |settings, text| {
            settings.four_eyes = text.parse().ok()?;
            Some(())
        },
    },
    SettingKey {
        name: "slots",
        text: "setting-slots",
        read: |settings| settings.slots.to_string(),
        write: |settings, text| {
            settings.slots = text.parse().ok().filter(|slots| (1..=1000).contains(slots))?;
            Some(())
        },
    },
    SettingKey {
        name: "chat_preempts",
        text: "setting-chat-preempts",
        read: |settings| settings.chat_preempts.to_string(),
        write: |settings, text| {
            settings.chat_preempts = text.parse().ok()?;
            Some(())
        },
    },
    SettingKey {
        name: "chat_eviction",
        text: "setting-chat-eviction",
        read: |settings| settings.chat_eviction.to_string(),
        write: |settings, text| {
            settings.chat_eviction = text.parse().ok().filter(|minutes| *minutes <= MOST_MINUTES)?;
            Some(())
        },
    },
    SettingKey {
        name: "ageing",
        text: "setting-ageing",
        read: |settings| settings.ageing.to_string(),
        write: |settings, text| {
            settings.ageing = text.parse().ok().filter(|minutes| *minutes <= MOST_MINUTES)?;
            Some(())
        },
    },
    SettingKey {
        name: "prompt_importance",
        text: "setting-prompt-importance",
        read: |settings| settings.prompt_importance.word().to_owned(),
        write: |settings, text| {
            settings.prompt_importance = Importance::ALL.into_iter().find(|grade| grade.word() == text)?;
            Some(())
        },
    },
    SettingKey {
        name: "prompt_chunks",
        text: "setting-prompt-chunks",
        read: |settings| settings.prompt_chunks.text(),
        write: |settings, text| {
            settings.prompt_chunks = ChunkGrades::read(text)?;
            Some(())
        },
    },
    SettingKey {
        name: "prompt_app_state",
        text: "setting-prompt-app-state",
        read: |settings| settings.prompt_app_state.to_string(),
        write: |settings, text| {
            settings.prompt_app_state = text.parse().ok()?;
            Some(())
        },
    },
    SettingKey {
        name: "user_context",
        text: "setting-user-context",
        read: |settings| settings.user_context.text(),
        write: |settings, text| {
            settings.user_context = UserContext::read(text).ok()?;
            Some(())
        },
    },
];

impl SettingKey {
    /// The setting of that name.
    ///
    /// # Errors
    /// [`SettingFault::Unknown`] when no setting has that name.
    pub fn find(name: &str) -> Result<&'static SettingKey, SettingFault> {
        SETTINGS.iter().find(|key| key.name == name).ok_or_else(|| SettingFault::Unknown(name.to_owned()))
    }

    /// What it means, in words.
    pub fn means(&self, texts: &Texts) -> String {
        texts.say(self.text, &[])
    }

    /// What it takes, in words.
    pub fn takes(&self, texts: &Texts) -> String {
        texts.say(&format!("{}-takes", self.text), &[])
    }

    /// Its value, as text.
    pub fn value(&self, settings: &WorkspaceSettings) -> String {
        (self.read)(settings)
    }
}

impl WorkspaceSettings {
    /// Sets the setting of that name; none puts its default back.
    ///
    /// # Errors
    /// When there is no such setting, or it does not take the value. Nothing was changed then.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read_as_it_was_written_and_can_be_reset() {
        let cases = [
            ("zone", "Europe/Paris", "Mars/Olympus"),
            ("day_start", "4", "24"),
            ("week_start", "sunday", "Sonntag"),
            ("language", "fr", "de"),
            ("limits_profile", "strict", "loose"),
            ("mode", "plan", "careful"),
            ("require_validation", "true", "yes"),
            ("four_eyes", "true", "yes"),
            ("slots", "3", "0"),
            ("chat_preempts", "false", "no"),
            ("chat_eviction", "60", "5m"),
            ("ageing", "10", "10081"),
            ("prompt_importance", "vital", "high"),
            ("prompt_chunks", "examples=vital,limits=needed", "role=helpful"),
            ("prompt_app_state", "true", "1"),
            ("user_context", r#"{"company_name":"Dupont SA"}"#, r#"{"Company":1}"#),
        ];
        assert_eq!(cases.map(|case| case.0), SETTINGS.map(|key| key.name), "every setting has its row");
        for (name, good, bad) in cases {
            let (key, mut settings) = (SettingKey::find(name).unwrap(), WorkspaceSettings::default());
            settings.change(name, Some(good)).unwrap();
            assert_eq!(key.value(&settings), good, "{name}");
            let stored = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<WorkspaceSettings>(&stored).unwrap(), settings, "{name}");
            let fault = settings.change(name, Some(bad)).unwrap_err().to_string();
            let takes = key.takes(Texts::of(Language::En));
            assert_eq!(fault, format!("“{bad}” is not a valid value for {name}; it takes {takes}"));
            settings.change(name, None).unwrap();
            assert_eq!(settings, WorkspaceSettings::default(), "{name}");
        }
        assert!(WorkspaceSettings::default().change("colour", Some("red")).unwrap_err().is_unknown());
    }

    #[test]
    fn every_setting_says_what_it_means_and_takes_in_each_language() {
        for language in Language::ALL {
            let texts = Texts::of(language);
            for key in &SETTINGS {
                assert!(texts.has(key.text), "{} {language:?}", key.name);
                assert!(texts.has(&format!("{}-takes", key.text)), "{} {language:?}", key.name);
            }
        }
    }
}
