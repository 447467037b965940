use entracte_domain::message::Enrichment;

use super::{QuestionReader, TurnQuestion};
use crate::ports::SentenceAudience;
use crate::runtime::error::TurnError;
use crate::settings::WorkspaceLocale;

/// The sentence that replaces an enrichment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct EnrichmentSentenceQuestion {
    pub(in crate::runtime) locale: WorkspaceLocale,
    pub(in crate::runtime) enrichment: Enrichment,
}

impl TurnQuestion for EnrichmentSentenceQuestion {
    type Answer = String;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<String, TurnError> {
        let Some(model) = reader.pipeline.catalog.resource_model() else { return Ok(String::new()) };
        let (rows, audience) = (reader.services.rows.clone(), SentenceAudience::Model);
        let says =
            model.enrichment_sentence(&self.enrichment, rows, reader.key, &self.locale, audience).await?;
        Ok(says.unwrap_or_default())
    }
}
