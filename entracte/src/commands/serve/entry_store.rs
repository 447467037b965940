//! The port by which an operator edits entries over HTTP.

use async_trait::async_trait;
use entracte_application::ports::{
    ConfigEntry, ConfigEntryEdit, ConfigEntryEffect, ConfigEntryStore, ConfigEntryTrial, ConfigSection,
    OperatorError,
};
use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::Digest;

use super::entry_draft::EntryAddress;
use super::operator::{LocalServerOperator, failed, refusal};

#[async_trait]
impl ConfigEntryStore for LocalServerOperator {
    fn entries(&self, section: ConfigSection) -> Result<Vec<ConfigEntry>, OperatorError> {
        self.entries.entries(section).map_err(failed)
    }

    fn pending_entries(&self) -> Vec<String> {
        self.entries.pending_entries()
    }

    async fn try_entry(
        &self,
        section: ConfigSection,
        name: &str,
        language: Language,
    ) -> Result<ConfigEntryTrial, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        self.entries.try_entry(EntryAddress { section, name }, texts).await.map_err(refusal(texts))
    }

    async fn put_entry(
        &self,
        section: ConfigSection,
        name: &str,
        edit: ConfigEntryEdit,
        read: Option<Digest>,
        language: Language,
    ) -> Result<ConfigEntryEffect, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        let at = EntryAddress { section, name };
        self.entries.put_entry(at, &edit, read.as_ref(), texts).await.map_err(refusal(texts))
    }

    async fn remove_entry(
        &self,
        section: ConfigSection,
        name: &str,
        read: &Digest,
        language: Language,
    ) -> Result<ConfigEntryEffect, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        self.entries.remove_entry(EntryAddress { section, name }, read).await.map_err(refusal(texts))
    }
}
