use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::Enrichment;

use super::UseCaseError;
use crate::commands::Catalog;
use crate::ports::{EnrichmentRow, ResourceFilter, ResourceReader, ResourceRow, SchemaFault};
use crate::texts::{LocalizedTexts, say};

/// The maximum number of rows that a refusal lists.
const LISTED: u32 = 20;

use_case! {
    /// Checks that the objects exist that a message's enrichments refer to, before it is sent. If one is deleted
    /// between this check and the message, the model is informed, as in the run of an automation.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::commands::Catalog;
    /// # use entracte_application::settings::Language;
    /// # use entracte_application::texts::LocalizedTexts;
    /// # example(async {
    /// let catalog = Arc::new(Catalog::new(&[])?);
    /// let check = CheckEnrichments::new(Arc::new(MockResourceReader::new()), catalog);
    /// check.run(&samples::workspace(), &[], LocalizedTexts::for_language(Language::En)).await?;
    /// # Ok(()) });
    /// ```
    pub struct CheckEnrichments reads (rows: dyn ResourceReader, catalog: Catalog)
}

impl CheckEnrichments {
    /// Succeeds if every id belongs to this workspace.
    ///
    /// # Errors
    /// The first unknown id, with the existing ones.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        enrichments: &[Enrichment],
        texts: &LocalizedTexts,
    ) -> Result<(), UseCaseError> {
        for enrichment in enrichments {
            let Some(model) = self.catalog.resource_model() else {
                return Err(UseCaseError::Invalid(say!(texts, "enrichment-none").into()));
            };
            let named = model.enrichment_row(enrichment, texts).map_err(|faults| {
                let faults: Vec<String> = faults.iter().map(SchemaFault::sentence).collect();
                UseCaseError::Invalid(faults.join("; ").into())
            })?;
            let Some(named) = named else { continue };
            if self.rows.resource(workspace, named.kind, &named.id).await?.is_none() {
                return Err(self.unknown(workspace, named, texts).await?);
            }
        }
        Ok(())
    }

    async fn unknown(
        &self,
        workspace: &WorkspaceKey,
        EnrichmentRow { kind, missing, .. }: EnrichmentRow,
        texts: &LocalizedTexts,
    ) -> Result<UseCaseError, UseCaseError> {
        let filter =
            ResourceFilter { kind: kind.to_owned(), limit: Some(LISTED + 1), ..ResourceFilter::default() };
        let rows = self.rows.resources(workspace, &filter).await?;
        let named = |row: &ResourceRow| say!(texts, "enrichment-named", name = &row.name, id = &row.id);
        let mut known: Vec<String> = rows.iter().take(LISTED as usize).map(named).collect();
        if rows.len() > known.len() {
            known.push("…".to_owned());
        }
        let others = match known.is_empty() {
            true => say!(texts, "enrichment-there-are-none"),
            false => say!(texts, "enrichment-there-are", known = known.join(", ")),
        };
        Ok(UseCaseError::NotFound(format!("{missing}; {others}").into()))
    }
}
