use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{QuestionReader, TurnQuestion};
use crate::codec::decode_snapshot;
use crate::instructions::{InstructionScope, InstructionVersion};
use crate::ports::{ContextWindow, DataSection, FileTokenFormula, ResourceChange, SessionFilter};
use crate::runtime::data_sections;
use crate::runtime::error::TurnError;
use crate::runtime::overlay::ResourceOverlay;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::settings::WorkspaceSettings;

/// The latest committed instructions of these scopes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct InstructionsQuestion(pub(in crate::runtime) Vec<InstructionScope>);

impl TurnQuestion for InstructionsQuestion {
    type Answer = Vec<InstructionVersion>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<InstructionVersion>, TurnError> {
        Ok(reader.services.log.instructions(reader.key, &self.0).await?)
    }
}

/// The always-sent data under these settings, with changes that are not committed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct DataSectionsQuestion {
    pub(in crate::runtime) settings: Box<WorkspaceSettings>,
    pub(in crate::runtime) changes: Vec<ResourceChange>,
}

/// A turn has few of these, which differ in their changes.
impl Hash for DataSectionsQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.changes.len().hash(state);
    }
}

impl TurnQuestion for DataSectionsQuestion {
    type Answer = Arc<[DataSection]>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Arc<[DataSection]>, TurnError> {
        let services = reader.services;
        let Some(model) = reader.pipeline.catalog.resource_model() else { return Ok(Arc::default()) };
        let limits = &services.settings;
        let overlay = Arc::new(ResourceOverlay::new(services.rows.clone(), self.changes.clone()));
        let sections = model.sections(overlay, reader.key, &self.settings, limits.data_entries).await?;
        Ok(data_sections::truncate_sections(sections, limits.data_max_chars).into())
    }
}

/// The request encoding of a provider, or why the provider is unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ProviderEncodingQuestion(pub(in crate::runtime) String);

impl TurnQuestion for ProviderEncodingQuestion {
    type Answer = Result<Arc<str>, String>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Result<Arc<str>, String>, TurnError> {
        let found = reader.services.providers.provider(&self.0);
        Ok(found.map(|found| found.encoding()).map_err(|failure| failure.message))
    }
}

/// The context window of a provider's model; `None` if the provider is unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ContextWindowQuestion {
    pub(in crate::runtime) provider: String,
    pub(in crate::runtime) model: String,
}

impl TurnQuestion for ContextWindowQuestion {
    type Answer = Option<ContextWindow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<ContextWindow>, TurnError> {
        let Ok(found) = reader.services.providers.provider(&self.provider) else { return Ok(None) };
        Ok(Some(found.learn_window(&self.model).await))
    }
}

/// How a provider's model counts files; `None` if the provider is unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct FileTokensQuestion {
    pub(in crate::runtime) provider: String,
    pub(in crate::runtime) model: String,
}

impl TurnQuestion for FileTokensQuestion {
    type Answer = Option<FileTokenFormula>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<FileTokenFormula>, TurnError> {
        let found = reader.services.providers.provider(&self.provider).ok();
        Ok(found.map(|found| found.file_tokens(&self.model)))
    }
}

/// Most tools that a request to a provider may declare; `None` if no limit is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ToolLimitQuestion(pub(in crate::runtime) String);

impl TurnQuestion for ToolLimitQuestion {
    type Answer = Option<usize>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<usize>, TurnError> {
        let found = reader.services.providers.provider(&self.0).ok();
        Ok(found.and_then(|found| found.most_tools()))
    }
}

/// The distinct prefix audiences of the workspace's open sessions, without instructions of their own. A seed stands
/// for the runs of its automation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct PrefixAudiencesQuestion;

impl TurnQuestion for PrefixAudiencesQuestion {
    type Answer = Vec<PrefixAudience>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<PrefixAudience>, TurnError> {
        let workspace = Some(reader.key.clone());
        let filter = SessionFilter { workspace, open: true, ..SessionFilter::default() };
        let mut audiences: Vec<PrefixAudience> = Vec::new();
        for row in reader.services.log.sessions(&filter).await?.rows {
            // The doctor reports a session that cannot be read; it blocks nothing else.
            let Ok(snapshot) = decode_snapshot(&row.body) else { continue };
            let audience = PrefixAudience::of_session(&snapshot.facts).without_own_scopes();
            if !audiences.contains(&audience) {
                audiences.push(audience);
            }
        }
        Ok(audiences)
    }
}
