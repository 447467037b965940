//! Enrichments with current names, for display.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::{Enrichment, Message, MessageBody, Segment};

use super::UseCaseError;
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::ports::{ResourceReader, SentenceAudience, WorkspaceStore};
use crate::texts::ReaderLanguage;

use_case! {
    /// Rewords the enrichments of messages for display: with current names, in the language of the reader. The text that
    /// a model read is unchanged; only the display differs.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::{codec::decode_entry, commands::Catalog};
    /// # example(async {
    /// let (rows, catalog) = (Arc::new(MockResourceReader::new()), Arc::new(Catalog::new(&[])?));
    /// let reword = LocalizeEnrichments::new(Arc::new(samples::store()), rows, catalog);
    /// // Messages without enrichments are unchanged.
    /// let before = decode_entry(&samples::user_message_row("Hello.")?)?.messages();
    /// let mut messages = before.clone();
    /// reword.run(&samples::workspace(), messages.iter_mut().collect()).await?;
    /// assert_eq!(messages, before);
    /// # Ok(()) });
    /// ```
    pub struct LocalizeEnrichments reads (store: dyn WorkspaceStore, rows: dyn ResourceReader, catalog: Catalog)
        and (
            /// The language of the words.
            reader: ReaderLanguage = ReaderLanguage::OF_WORKSPACE
        )
}

impl LocalizeEnrichments {
    /// Words the enrichments in the language of this reader.
    #[must_use]
    pub fn for_reader(self, reader: ReaderLanguage) -> Self {
        Self { reader, ..self }
    }

    /// Rewords these messages. An enrichment that this version cannot read keeps its sentence.
    ///
    /// # Errors
    /// When the workspace or its rows cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        messages: Vec<&mut Message>,
    ) -> Result<(), UseCaseError> {
        let locale = WorkspaceBody::load(&*self.store, workspace).await?.settings.locale_for(self.reader);
        let Some(model) = self.catalog.resource_model() else { return Ok(()) };
        for enrichment in messages.into_iter().flat_map(enrichments) {
            let (rows, reader) = (self.rows.clone(), SentenceAudience::Person);
            if let Some(says) =
                model.enrichment_sentence(enrichment, rows, workspace, &locale, reader).await?
            {
                enrichment.summary = says;
            }
        }
        Ok(())
    }
}

fn enrichments(message: &mut Message) -> impl Iterator<Item = &mut Enrichment> {
    let segments = match &mut message.body {
        MessageBody::Rich(said) => said.segments.as_mut_slice(),
        MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::System(_) | MessageBody::Execution(_) => {
            &mut []
        }
    };
    segments.iter_mut().filter_map(|segment| match segment {
        Segment::Enrichment(enrichment) => Some(enrichment),
        Segment::Text(_) | Segment::File(_) => None,
    })
}
