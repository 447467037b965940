use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Input, ModelSelection};

use super::AutomationView;
use crate::codec::decode_occurrence;
use crate::ports::{AutomationReader, LogReader, WorkspaceStore};
use crate::use_cases::{ReadLog, ShowSession, UseCaseError};

/// An automation with its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationDetails {
    /// The automation, and the result of its latest occurrence.
    pub view: AutomationView,
    /// The seed of its runs.
    pub seed: SeedView,
}

/// The seed: the message, model and permissions each run begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedView {
    /// The message; several are concatenated.
    pub message: UserMessage,
    /// The model of the runs.
    pub voice: ModelSelection,
    /// Whether every action of the runs needs approval.
    pub require_validation: bool,
    /// The commands the runs may request.
    pub restriction: Restriction,
}

use_case! {
    /// Shows an automation with its seed.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut automations = MockAutomationReader::new();
    /// automations.expect_occurrences().returning(|_, _, _, _| Ok(vec![]));
    /// let log = samples::log("How was my week?");
    /// let show = ShowAutomation::new(Arc::new(samples::store()), Arc::new(log), Arc::new(automations));
    /// let sheet = show.run(&samples::workspace(), samples::automation()).await?;
    /// assert_eq!(sheet.seed.message.linear_text(), "How was my week?");
    /// # Ok(()) });
    /// ```
    pub struct ShowAutomation reads (store: dyn WorkspaceStore, log: dyn LogReader, automations: dyn AutomationReader)
}

impl ShowAutomation {
    /// The automation with its seed and its latest occurrence.
    ///
    /// # Errors
    /// When its seed is missing or cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        automation: Automation,
    ) -> Result<AutomationDetails, UseCaseError> {
        let seed = seed_of(&self.store, &self.log, workspace, &automation).await?;
        let last = self.automations.occurrences(workspace, &automation.id, None, 1).await?;
        let last = last.first().map(decode_occurrence).transpose()?;
        Ok(AutomationDetails { view: AutomationView { automation, last }, seed })
    }
}

/// Reads the seed of an automation's runs.
pub(super) async fn seed_of(
    store: &Arc<dyn WorkspaceStore>,
    log: &Arc<dyn LogReader>,
    workspace: &WorkspaceKey,
    automation: &Automation,
) -> Result<SeedView, UseCaseError> {
    let facts = ShowSession::new(store.clone()).run(workspace, &automation.seed).await?.facts;
    let mut segments = Vec::new();
    for entry in ReadLog::new(log.clone()).entries(workspace, &automation.seed, 0).await? {
        if let Input::UserMessageSent(sent) = entry.input {
            segments.extend((!segments.is_empty()).then(|| Segment::Text("\n\n".to_owned())));
            segments.extend(sent.message.segments);
        }
    }
    Ok(SeedView {
        message: UserMessage { segments },
        voice: ModelSelection { provider: facts.provider, model: facts.model, dialect: facts.dialect },
        require_validation: facts.require_validation,
        restriction: facts.restriction.clone(),
    })
}
