//! A provider's entry before it is written: checked as if its file were read, so that it can be tried first.

use entracte_adapters_providers::config::ProviderKind;
use entracte_application::ports::ProviderFailure;
use toml_edit::Value;

use super::change::{check_name, plan_change, unusable_entry_error, write_text};
use super::config_target::{ConfigEditTarget, target_for_new_entry};
use super::setting_value::value_of;
use crate::app_services::providers;
use crate::command_context::CommandContext;
use crate::config::{ConfigEntryChange, LayerProviderEntry};
use crate::error::{CliError, CliExitCode};
use crate::program_parts::ProgramParts;
use crate::render::text::one_line;
use crate::user_text::message;

/// The keys of a provider's new entry.
#[derive(Clone)]
pub(in crate::commands) struct NewProviderEntry {
    name: String,
    keys: Vec<(String, Value)>,
}

impl NewProviderEntry {
    /// An entry of this kind.
    pub(in crate::commands) fn new(name: String, kind: ProviderKind) -> Self {
        Self { name, keys: vec![("kind".to_owned(), Value::from(kind.word()))] }
    }

    /// The entry with this key.
    pub(in crate::commands) fn with(mut self, key: &str, text: &str) -> Self {
        self.keys.push((key.to_owned(), Value::from(text)));
        self
    }

    /// The entry with this key, whose text a person typed: one that looks like a secret is refused.
    pub(in crate::commands) fn with_typed(mut self, key: &str, text: &str) -> Result<Self, CliError> {
        self.keys.push((key.to_owned(), value_of(key, text)?));
        Ok(self)
    }

    /// The name of the provider.
    pub(in crate::commands) fn name(&self) -> &str {
        &self.name
    }
}

/// An entry that its file would have, with the new text of the file.
pub(in crate::commands) struct ProviderDraft {
    target: ConfigEditTarget,
    name: String,
    entry: LayerProviderEntry,
}

impl ProviderDraft {
    /// The entry in the file for new entries.
    pub(in crate::commands) fn new(
        context: &CommandContext,
        new: &NewProviderEntry,
    ) -> Result<Self, CliError> {
        check_name(&new.name)?;
        let mut target = target_for_new_entry(context, None)?;
        let change = ConfigEntryChange::Add(new.keys.clone());
        let (_, entry) = plan_change(context, &mut target, &new.name, change)?;
        let missing = || {
            let text = message!("provider-unknown", provider = new.name.as_str(), known = "");
            CliError::new(CliExitCode::Failure, text)
        };
        Ok(Self { target, name: new.name.clone(), entry: entry.ok_or_else(missing)? })
    }

    /// The entry as the next process would read it.
    pub(in crate::commands) fn entry(&self) -> &LayerProviderEntry {
        &self.entry
    }

    /// Asks the provider whether its address, key and model work.
    pub(in crate::commands) async fn check_answers(&self, parts: &ProgramParts) -> Result<(), CliError> {
        check_entry_answers(parts, &self.entry).await
    }

    /// Writes the entry as the default provider; returns the name of the file.
    pub(in crate::commands) fn write_as_default(
        mut self,
        context: &CommandContext,
    ) -> Result<String, CliError> {
        self.target.edited.set_default(&self.name);
        let text = self.target.edited.text();
        self.target.file.check(&text).map_err(|fault| unusable_entry_error(&fault))?;
        write_text(context, &self.target, &text)?;
        Ok(self.target.file.shown())
    }
}

/// Asks the provider of an entry, written or not, whether its address, key and model work.
pub(super) async fn check_entry_answers(
    parts: &ProgramParts,
    entry: &LayerProviderEntry,
) -> Result<(), CliError> {
    let provider = providers(parts, std::slice::from_ref(entry)).provider(&entry.name)?;
    provider.check().await.map(drop).map_err(|failure| unanswered_error(&failure))
}

/// A model that does not answer, so that nothing was written.
pub(in crate::commands) fn unanswered_error(failure: &ProviderFailure) -> CliError {
    let text = message!("init-no-answer", why = one_line(&failure.message));
    CliError::with_next(CliExitCode::Failure, text, "entracte init")
}
