//! The sentence that replaces an enrichment, with the names of the referenced resources.

use entracte_application::calendar::Calendar;
use entracte_application::ports::{ResourceReader, SentenceAudience, StoreError};
use entracte_application::settings::WorkspaceLocale;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::period::Period;

use super::reference::{EnrichmentReference, PointerTarget};
use crate::resources::resource_kinds::{TOOL, ZONE};

/// Writes the sentences of enrichments with the current names of zones and tools.
pub(crate) struct EnrichmentSentenceWriter<'a> {
    rows: &'a dyn ResourceReader,
    workspace: &'a WorkspaceKey,
    texts: &'static LocalizedTexts,
    calendar: Calendar,
    reader: SentenceAudience,
}

impl<'a> EnrichmentSentenceWriter<'a> {
    /// Uses the rows of this workspace, its language and its time zone.
    pub(crate) fn new(
        rows: &'a dyn ResourceReader,
        workspace: &'a WorkspaceKey,
        locale: &WorkspaceLocale,
        reader: SentenceAudience,
    ) -> Self {
        let (texts, calendar) =
            (LocalizedTexts::for_language(locale.language), Calendar::from_locale(locale));
        Self { rows, workspace, texts, calendar, reader }
    }

    /// The sentence in brackets, which show that a reference was not typed.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub(crate) async fn sentence(&self, reference: &EnrichmentReference) -> Result<String, StoreError> {
        let texts = self.texts;
        let says = match reference {
            EnrichmentReference::Pointer(PointerTarget::Zone { id }) => {
                say!(texts, "enrichment-zone", zone = self.zone(id).await?)
            }
            EnrichmentReference::Pointer(PointerTarget::Tool { id, period }) => {
                let tool = self.tool(id).await?;
                match period.map(|period| self.period(period)) {
                    None => say!(texts, "enrichment-tool", tool = tool),
                    Some(period) => say!(texts, "enrichment-tool-period", tool = tool, period = period),
                }
            }
            EnrichmentReference::Use { tool, period } => {
                let tool = self.tool(tool).await?;
                match period.map(|period| self.period(period)) {
                    None => say!(texts, "enrichment-use", tool = tool),
                    Some(period) => say!(texts, "enrichment-use-period", tool = tool, period = period),
                }
            }
            EnrichmentReference::Create { tool_type, zone: None } => {
                say!(texts, "enrichment-create", type = tool_type)
            }
            EnrichmentReference::Create { tool_type, zone: Some(zone) } => {
                let zone = self.zone(zone).await?;
                say!(texts, "enrichment-create-zone", type = tool_type, zone = zone)
            }
            EnrichmentReference::ModifyConfig { tool } => {
                say!(texts, "enrichment-modify", tool = self.tool(tool).await?)
            }
        };
        Ok(format!("[{says}]"))
    }

    async fn zone(&self, id: &str) -> Result<String, StoreError> {
        self.name(ZONE, id).await
    }

    async fn tool(&self, id: &str) -> Result<String, StoreError> {
        self.name(TOOL, id).await
    }

    async fn name(&self, kind: &str, id: &str) -> Result<String, StoreError> {
        let row = self.rows.resource(self.workspace, kind, id).await?;
        Ok(match (row, self.reader) {
            (Some(row), SentenceAudience::Model) => {
                say!(self.texts, "enrichment-named", name = row.name, id = id)
            }
            (Some(row), SentenceAudience::Person) => say!(self.texts, "enrichment-name", name = row.name),
            (None, SentenceAudience::Model | SentenceAudience::Person) => {
                say!(self.texts, "enrichment-gone", id = id)
            }
        })
    }

    fn period(&self, period: Period) -> String {
        match period {
            Period::Absolute { from, until } => {
                let (from, until) =
                    (self.calendar.format_for_people(from), self.calendar.format_for_people(until));
                say!(self.texts, "enrichment-from-until", from = from, until = until)
            }
            Period::Relative(relative) => {
                say!(self.texts, "enrichment-relative", period = relative.to_string())
            }
        }
    }
}
