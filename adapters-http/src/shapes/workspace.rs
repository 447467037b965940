//! Shapes of workspaces, settings, catalog and providers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_application::ports::ProviderFailure;
use entracte_application::settings::{SETTINGS, WorkspaceSettings};
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::WorkspaceView;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{iso, wire_words};
use crate::etag::EntityTag;
use crate::server_state::PublicProviderEntry;

/// A workspace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkspaceShape {
    /// Its key.
    pub key: String,
    /// Its language.
    pub language: Cow<'static, str>,
    /// The zone of its people.
    pub zone: String,
    /// Its sessions.
    pub sessions: usize,
    /// Those that did not end.
    pub open: usize,
    /// Those where a person is waited for.
    pub waiting: usize,
    /// When it was made.
    pub created_at: String,
}

impl From<&WorkspaceView> for WorkspaceShape {
    fn from(view: &WorkspaceView) -> Self {
        Self {
            key: view.key.to_string(),
            language: view.language.word().into(),
            zone: view.zone.clone(),
            sessions: view.sessions,
            open: view.open,
            waiting: view.waiting,
            created_at: iso(view.created_at),
        }
    }
}

/// A setting of a workspace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingShape {
    /// Its key.
    pub key: Cow<'static, str>,
    /// Its value.
    pub value: String,
    /// What it is when nobody sets it.
    pub default: String,
    /// It is set to another value.
    #[serde(default)]
    pub set: bool,
    /// What it takes.
    pub takes: String,
    /// What it means.
    pub means: String,
}

impl SettingShape {
    /// What changes when it is set.
    fn version(&self) -> (&str, &str, &str) {
        (&self.key, &self.value, &self.default)
    }

    /// The tag of this version: the same in every language.
    pub fn tag(&self) -> EntityTag {
        EntityTag::from_content(&self.version())
    }
}

/// The settings of a workspace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingsShape {
    /// Each of them.
    pub settings: Vec<SettingShape>,
    /// The configuration of the server wants an approval of every action, whatever `require_validation` is here.
    #[serde(default)]
    pub configuration_requires_validation: bool,
}

impl SettingsShape {
    /// The shape of a workspace's settings, described in these texts, on a server whose configuration wants an approval of
    /// every action or not.
    pub fn new(
        settings: &WorkspaceSettings,
        texts: &LocalizedTexts,
        configuration_requires_validation: bool,
    ) -> Self {
        let defaults = WorkspaceSettings::default();
        let shape = |key: &entracte_application::settings::SettingKey| {
            let (value, default) = (key.value(settings), key.value(&defaults));
            SettingShape {
                key: key.name.into(),
                set: value != default,
                value,
                default,
                takes: key.describe_values(texts),
                means: key.describe_meaning(texts),
            }
        };
        let settings = SETTINGS.iter().map(shape).collect();
        Self { settings, configuration_requires_validation }
    }

    /// The tag of this version: the same in every language.
    pub fn tag(&self) -> EntityTag {
        let settings: Vec<_> = self.settings.iter().map(SettingShape::version).collect();
        EntityTag::from_content(&(settings, self.configuration_requires_validation))
    }

    /// The setting of this key.
    pub fn setting(&self, key: &str) -> Option<&SettingShape> {
        self.settings.iter().find(|setting| setting.key == key)
    }
}

/// Settings by their keys; null restores the default.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsEdit {
    /// New values.
    #[serde(default)]
    pub settings: BTreeMap<String, Option<String>>,
}

/// A provider, without its key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProviderShape {
    /// Its name.
    pub name: String,
    /// Which API it speaks.
    pub kind: String,
    /// The model of new sessions.
    pub model: Option<String>,
    /// `envelope` or `tools`.
    pub dialect: Cow<'static, str>,
    /// Where it is.
    pub base_url: Option<String>,
    /// New sessions use it.
    pub default: bool,
    /// Where its key is kept.
    pub key: Option<String>,
    /// Whether its key was set when the configuration was read; null where it has none, and where a program gives it at each
    /// call.
    #[serde(default)]
    pub key_set: Option<bool>,
    /// Where its entry stands: a position in a file, or `built in`.
    #[serde(default)]
    pub origin: String,
    /// Who goes on where it fails: the names of providers in the order of asking, by `exhausted`, `down`,
    /// `refused`, `misconfigured` and `context_too_long`.
    pub fallback: BTreeMap<String, Vec<String>>,
}

impl From<&PublicProviderEntry> for ProviderShape {
    fn from(entry: &PublicProviderEntry) -> Self {
        Self {
            name: entry.name.clone(),
            kind: entry.kind.clone(),
            model: entry.model.clone(),
            dialect: wire_words::dialect(entry.dialect).into(),
            base_url: entry.base_url.clone(),
            default: entry.is_default,
            key: entry.key.clone(),
            key_set: entry.key_set,
            origin: entry.origin.clone(),
            fallback: entry.fallback.clone(),
        }
    }
}

impl ProviderShape {
    /// Without what tells of the machine: where the entry stands, and whether its key is set.
    #[must_use]
    pub(crate) fn without_machine(self) -> Self {
        Self { key_set: None, origin: String::new(), ..self }
    }
}

/// What a provider answered.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CheckedShape {
    /// It can be asked.
    pub is_right: bool,
    /// What kind of failure it was.
    pub class: Option<Cow<'static, str>>,
    /// What it answered, or why it cannot be asked.
    pub says: String,
}

impl From<Result<String, ProviderFailure>> for CheckedShape {
    fn from(checked: Result<String, ProviderFailure>) -> Self {
        match checked {
            Ok(says) => Self { is_right: true, class: None, says },
            Err(failure) => {
                Self { is_right: false, class: Some(failure.class.word().into()), says: failure.message }
            }
        }
    }
}

/// The entry of a provider.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderEditShape {
    /// Its settings as its entry in the file has them: `kind`, `model`, `api_key_env`, …
    #[schema(value_type = Object)]
    pub settings: Value,
    /// New sessions use it that name none. False leaves the default as it is.
    #[serde(default)]
    pub default: bool,
}

/// That the entry of a provider is written.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WrittenProviderShape {
    /// Its name.
    pub name: String,
    /// `at once`: from the next model call on; `partly from the next start`: but for its fallbacks and whether its calls
    /// are one by one.
    pub counts: &'static str,
}
