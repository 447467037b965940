use entracte_domain::plan::PlanMode;
use entracte_domain::session::LimitProfile;
use entracte_domain::time::Millis;
use entracte_domain::workspace::SlotRules;
use serde::{Deserialize, Serialize};

use super::{ApprovalSettings, ChunkImportance, ChunkImportances};
use super::{
    Language, RetentionOverrides, RuntimeSettings, SpendingSettings, UserContext, WeekDay, WorkspaceLocale,
};
use crate::texts::{LocalizedTexts, ReaderLanguage};

settings! {
    /// Settings of one workspace, stored with it.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct WorkspaceSettings {
        /// Whether every action of every session needs approval (`require_validation`).
        pub require_validation: bool = false,
        /// Whether the people whose messages are in an exchange may not approve the work done for it (`four_eyes`).
        // Settings stored before this field existed stay unchanged.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub four_eyes: bool = false,
        /// IANA time zone of the dates that people and models read (`zone`).
        pub zone: String = WorkspaceLocale::default().zone,
        /// The hour at which a day begins, 0 to 23 (`day_start`).
        pub day_start: u8 = WorkspaceLocale::default().day_start,
        /// First day of the week (`week_start`).
        pub week_start: WeekDay = WorkspaceLocale::default().week_start,
        /// The language of the product's texts for people and models (`language`).
        pub language: Language = WorkspaceLocale::default().language,
        /// The base set of limits; `None` uses that of the process's configuration (`limits_profile`).
        pub limits_profile: Option<LimitsProfile> = None,
        /// Whether a plan must precede actions by default; `None` uses the process's configuration (`mode`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mode: Option<SessionMode> = None,
        /// The maximum number of active sessions (`slots`).
        pub slots: u32 = 1,
        /// Whether a chat immediately takes the slot of a run; otherwise it waits, first in the queue
        /// (`chat_preempts`).
        pub chat_preempts: bool = true,
        /// Minutes that a chat may be idle before it yields its slot to a waiting run (`chat_eviction`).
        pub chat_eviction: u32 = 5,
        /// Minutes after which a waiting run precedes newer ones (`ageing`).
        pub ageing: u32 = 30,
        /// Omits the parts of the prompt with a lower importance, for small models (`prompt_importance`).
        pub prompt_importance: ChunkImportance = ChunkImportance::Helpful,
        /// Overrides of the importance of single parts (`prompt_chunks`).
        #[serde(skip_serializing_if = "ChunkImportances::is_empty")]
        pub prompt_chunks: ChunkImportances = ChunkImportances::NONE,
        /// Whether the prompt also contains the state of the whole workspace, as its resource model tells it
        /// (`prompt_app_state`).
        pub prompt_app_state: bool = false,
        /// The user context for models that request it (`user_context`).
        #[serde(skip_serializing_if = "UserContext::is_empty")]
        pub user_context: UserContext = UserContext::NONE,
        /// The retention limits of the workspace, in place of those of the process's configuration (`retention`).
        #[serde(skip_serializing_if = "RetentionOverrides::is_empty")]
        pub retention: RetentionOverrides = RetentionOverrides::NONE,
        /// Caps on what model calls may use (`budget.session`, `budget.workspace_day`, …).
        #[serde(skip_serializing_if = "SpendingSettings::is_default")]
        pub budget: SpendingSettings = SpendingSettings::NONE,
        /// The approvers and the quorum of every approval (`approvers`, `quorum`, `escalate_after`, `escalate_to`, `roles`,
        /// `away`).
        #[serde(skip_serializing_if = "ApprovalSettings::is_default")]
        pub approval: ApprovalSettings = ApprovalSettings::NONE,
    }
}

entracte_domain::words! {
    /// [`LimitProfile`] in the form of a setting.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LimitsProfile {
        /// One limit on rounds, and the guards against loops.
        Autonomous = "autonomous",
        /// The four counters and a maximum duration.
        Strict = "strict",
    }
}

entracte_domain::words! {
    /// [`PlanMode`] in the form of a setting.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SessionMode {
        /// Actions need no plan.
        Free = "free",
        /// A person approves a plan before any action.
        Plan = "plan",
    }
}

impl SessionMode {
    /// Converts to the domain's mode.
    pub const fn mode(self) -> PlanMode {
        match self {
            SessionMode::Free => PlanMode::Free,
            SessionMode::Plan => PlanMode::Plan,
        }
    }
}

impl LimitsProfile {
    /// Converts to the domain's profile.
    pub const fn profile(self) -> LimitProfile {
        match self {
            LimitsProfile::Autonomous => LimitProfile::Autonomous,
            LimitsProfile::Strict => LimitProfile::Strict,
        }
    }
}

impl WorkspaceSettings {
    /// The settings that a new workspace begins with.
    pub fn of_new_workspace(runtime: &RuntimeSettings) -> Self {
        Self { language: runtime.language, zone: runtime.zone.clone(), ..Self::default() }
    }

    /// These settings, with the requirements of the process's configuration for every workspace.
    pub fn with_process_requirements(&self, runtime: &RuntimeSettings) -> Self {
        Self { require_validation: self.require_validation || runtime.require_validation, ..self.clone() }
    }

    /// The settings of placement.
    pub fn slot_rules(&self) -> SlotRules {
        SlotRules {
            slots: self.slots,
            chat_preempts: self.chat_preempts,
            chat_eviction: Millis::minutes(i64::from(self.chat_eviction)),
            ageing: Millis::minutes(i64::from(self.ageing)),
        }
    }

    /// The language and the calendar settings.
    pub fn locale(&self) -> WorkspaceLocale {
        WorkspaceLocale {
            language: self.language,
            zone: self.zone.clone(),
            day_start: self.day_start,
            week_start: self.week_start,
        }
    }

    /// The language of a reader, and the calendar settings.
    pub fn locale_for(&self, reader: ReaderLanguage) -> WorkspaceLocale {
        WorkspaceLocale { language: reader.in_workspace(self.language), ..self.locale() }
    }

    /// The texts in the language of a reader.
    pub fn texts_for(&self, reader: ReaderLanguage) -> &'static LocalizedTexts {
        reader.texts(self.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_settings_default_and_unknown_are_refused() {
        let read = |text: &str| serde_json::from_str::<WorkspaceSettings>(text);
        assert_eq!(read("{}").unwrap(), WorkspaceSettings::default());
        assert_eq!(WorkspaceSettings::default().slot_rules(), SlotRules::default());
        let three = WorkspaceSettings { slots: 3, ..WorkspaceSettings::default() };
        assert_eq!(read(r#"{"slots": 3}"#).unwrap(), three);
        assert_eq!(three.slot_rules(), SlotRules { slots: 3, ..SlotRules::default() });
        assert!(read(r#"{"slot": 3}"#).is_err());
        let french =
            read(r#"{"language": "fr", "week_start": "sunday", "limits_profile": "strict"}"#).unwrap();
        assert_eq!(french.locale().language, Language::Fr);
        assert_eq!(french.locale().week_start, WeekDay::Sunday);
        assert_eq!(french.limits_profile, Some(LimitsProfile::Strict));
    }
}
