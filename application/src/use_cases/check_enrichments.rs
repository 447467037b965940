use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::Enrichment;

use super::UseCaseError;
use crate::calendar::Calendar;
use crate::commands::SchemaFault;
use crate::commands::enrichments::read_reference;
use crate::ports::{ResourceFilter, ResourceReader, ResourceRow};
use crate::settings::WorkspaceLocale;
use crate::texts::{LocalizedTexts, say};

/// The maximum number of rows that a refusal lists.
const LISTED: u32 = 20;

use_case! {
    /// Checks that the objects exist that a message's enrichments refer to, before it is sent. If one is deleted
    /// between this check and the message, the model is informed, as in the run of an automation.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::settings::Language;
    /// # use entracte_application::texts::LocalizedTexts;
    /// # example(async {
    /// let check = CheckEnrichments::new(Arc::new(MockResourceReader::new()));
    /// check.run(&samples::workspace(), &[], LocalizedTexts::for_language(Language::En)).await?;
    /// # Ok(()) });
    /// ```
    pub struct CheckEnrichments reads (rows: dyn ResourceReader)
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
        // An id has no period, so no time zone is needed to parse it.
        let calendar = Calendar::from_locale(&WorkspaceLocale::default());
        for enrichment in enrichments {
            let meant = read_reference(enrichment, &calendar, texts).map_err(|faults| {
                let faults: Vec<String> = faults.iter().map(SchemaFault::sentence).collect();
                UseCaseError::Invalid(faults.join("; ").into())
            })?;
            let Some((kind, id)) = meant.named_row() else { continue };
            if self.rows.resource(workspace, kind, id).await?.is_none() {
                return Err(self.unknown(workspace, kind, id, texts).await?);
            }
        }
        Ok(())
    }

    async fn unknown(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
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
        let none = if kind == "zone" { "enrichment-no-zone" } else { "enrichment-no-tool" };
        let others = match known.is_empty() {
            true => say!(texts, "enrichment-there-are-none"),
            false => say!(texts, "enrichment-there-are", known = known.join(", ")),
        };
        Ok(UseCaseError::NotFound(format!("{}; {others}", texts.render(none, &[("id", id.into())])).into()))
    }
}
