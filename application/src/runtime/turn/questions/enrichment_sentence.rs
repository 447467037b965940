use entracte_domain::enrichment::EnrichmentReference;

use super::{QuestionReader, TurnQuestion};
use crate::commands::enrichments::{EnrichmentSentenceWriter, SentenceAudience};
use crate::runtime::error::TurnError;
use crate::settings::WorkspaceLocale;

/// The sentence that replaces an enrichment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct EnrichmentSentenceQuestion {
    pub(in crate::runtime) locale: WorkspaceLocale,
    pub(in crate::runtime) reference: EnrichmentReference,
}

impl TurnQuestion for EnrichmentSentenceQuestion {
    type Answer = String;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<String, TurnError> {
        let rows = &*reader.services.rows;
        let writer = EnrichmentSentenceWriter::new(rows, reader.key, &self.locale, SentenceAudience::Model);
        Ok(writer.sentence(&self.reference).await?)
    }
}
