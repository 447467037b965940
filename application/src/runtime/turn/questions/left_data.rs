use entracte_domain::id::SessionId;

use super::{PAGE, QuestionReader, TurnQuestion};
use crate::ports::ResourceFilter;
use crate::runtime::error::TurnError;

/// Whether a deleted session of this id created data that still exists. Ids of calls and of their data derive from
/// the session's, so a new session of the same id would produce them again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct LeftDataQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for LeftDataQuestion {
    type Answer = bool;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<bool, TurnError> {
        let mark = format!("_{}_", self.0.stem());
        let model = reader.pipeline.catalog.resource_model();
        for kind in model.map_or(&[][..], |model| model.kinds()) {
            let mut filter =
                ResourceFilter { kind: (*kind).into(), limit: Some(PAGE), ..ResourceFilter::default() };
            loop {
                let rows = reader.services.rows.resources(reader.key, &filter).await?;
                if rows.iter().any(|row| row.id.contains(&mark)) {
                    return Ok(true);
                }
                if rows.len() < PAGE as usize {
                    break;
                }
                filter.offset = filter.offset.saturating_add(PAGE);
            }
        }
        Ok(false)
    }
}
