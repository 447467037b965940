//! A provider's entry before it is written: checked as if its file were read, so that it can be tried first.

use std::path::Path;

use entracte_adapters_providers::config::ProviderKind;
use toml_edit::Value;

use super::change::{check_name, plan_change, unusable_entry_error, write_text};
use super::config_target::{ConfigEditTarget, target_for_new_entry};
use crate::command_context::CommandContext;
use crate::config::{LayerProviderEntry, ProviderEntryChange};
use crate::error::{CliError, CliExitCode};
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
    /// The entry in the file for new entries; `config` is the file of `--config`.
    pub(in crate::commands) fn new(
        context: &CommandContext,
        config: Option<&Path>,
        new: &NewProviderEntry,
    ) -> Result<Self, CliError> {
        check_name(&new.name)?;
        let mut target = target_for_new_entry(context, config, None)?;
        let change = ProviderEntryChange::Add(new.keys.clone());
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
