//! What prompts and messages contain of zones, tools and entries.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::calendar::{Calendar, CalendarError};
use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{
    DataSection, EnrichmentFormat, EnrichmentRow, ResolvedEnrichment, ResourceModel, ResourceReader,
    ResourceTypeSpec, SchemaFault, SentenceAudience, StoreError,
};
use entracte_application::settings::{Language, WorkspaceLocale, WorkspaceSettings};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::Enrichment;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::data_sections::{APP_STATE, read_sections};
use super::enrichments::read::{read_enrichment, read_reference};
use super::enrichments::schema::{ENRICHMENT_EXAMPLES, enrichment_schema};
use super::enrichments::sentences::EnrichmentSentenceWriter;
use super::enrichments::transform::{commands_of, config, resolve_period};
use super::resource_kinds::{ENTRY, TOOL, ZONE};
use super::tool_types::ToolTypeRegistry;

/// The resource model of zones, tools and entries.
pub struct WorkspaceDataModel {
    types: Arc<ToolTypeRegistry>,
}

impl WorkspaceDataModel {
    /// The model with these tool types.
    pub(crate) fn with_types(types: Arc<ToolTypeRegistry>) -> Self {
        Self { types }
    }
}

/// The model with the tool types built into Entracte.
impl Default for WorkspaceDataModel {
    fn default() -> Self {
        Self::with_types(Arc::new(ToolTypeRegistry::built_in()))
    }
}

#[async_trait]
impl ResourceModel for WorkspaceDataModel {
    fn kinds(&self) -> &'static [&'static str] {
        &[ZONE, TOOL, ENTRY]
    }

    fn types(&self, language: Language) -> Vec<ResourceTypeSpec> {
        self.types.specs(language)
    }

    async fn sections(
        &self,
        rows: Arc<dyn ResourceReader>,
        workspace: &WorkspaceKey,
        settings: &WorkspaceSettings,
        most_rows: u32,
    ) -> Result<Vec<DataSection>, StoreError> {
        read_sections(&*rows, workspace, settings, most_rows).await
    }

    fn section_title(&self, section: &str, naming: CommandNaming) -> String {
        match section {
            APP_STATE => naming.format_name(APP_STATE).into_owned(),
            tool => tool.to_owned(),
        }
    }

    fn enrichment_format(&self) -> EnrichmentFormat {
        EnrichmentFormat { schema: enrichment_schema(), examples: &ENRICHMENT_EXAMPLES }
    }

    fn read_enrichment(
        &self,
        written: &JsonValue,
        calendar: &Calendar,
        texts: &LocalizedTexts,
    ) -> Result<Enrichment, Vec<SchemaFault>> {
        read_enrichment(written, calendar, texts)
    }

    fn enrichment_row(
        &self,
        enrichment: &Enrichment,
        texts: &LocalizedTexts,
    ) -> Result<Option<EnrichmentRow>, Vec<SchemaFault>> {
        // An id has no period, so no time zone is needed to read it.
        let reference =
            read_reference(enrichment, &Calendar::from_locale(&WorkspaceLocale::default()), texts)?;
        Ok(reference.named_row().map(|(kind, id)| EnrichmentRow {
            kind,
            id: id.to_owned(),
            missing: match kind {
                ZONE => say!(texts, "enrichment-no-zone", id = id),
                _ => say!(texts, "enrichment-no-tool", id = id),
            },
        }))
    }

    fn resolve_enrichment(
        &self,
        enrichment: &Enrichment,
        at: Option<Timestamp>,
        calendar: &Calendar,
        texts: &LocalizedTexts,
    ) -> Result<ResolvedEnrichment, Vec<SchemaFault>> {
        let fault = |fault: CalendarError| {
            vec![SchemaFault { path: "/period".to_owned(), text: fault.describe(texts) }]
        };
        let written = read_reference(enrichment, calendar, texts)?;
        let reference = match at {
            Some(at) => resolve_period(written, calendar, at).map_err(fault)?,
            None => written,
        };
        let (kind, config) = (reference.kind(), config(&reference, calendar));
        Ok(ResolvedEnrichment {
            enrichment: Enrichment { kind, config, summary: String::new() },
            queries: commands_of(&reference, calendar),
        })
    }

    async fn enrichment_sentence(
        &self,
        enrichment: &Enrichment,
        rows: Arc<dyn ResourceReader>,
        workspace: &WorkspaceKey,
        locale: &WorkspaceLocale,
        audience: SentenceAudience,
    ) -> Result<Option<String>, StoreError> {
        let (texts, calendar) =
            (LocalizedTexts::for_language(locale.language), Calendar::from_locale(locale));
        let Ok(reference) = read_reference(enrichment, &calendar, texts) else { return Ok(None) };
        let writer = EnrichmentSentenceWriter::new(&*rows, workspace, locale, audience);
        Ok(Some(writer.sentence(&reference).await?))
    }
}
