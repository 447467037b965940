//! What every function of a turn may read: the committed state, and the answers to questions about the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::PlacementCandidate;

use super::draft::TurnDraft;
use super::questions::{PendingQuestion, TurnAnswers, TurnQuestion};
use super::spending_draft::{KnownInitiators, KnownSpending, OpenReservations};
use crate::codec::{CodecError, WorkspaceBody};
use crate::commands::Catalog;
use crate::ports::{StoreError, WorkspaceRow};
use crate::rule_book::RuleBook;
use crate::runtime::automation_schedule::AutomationSchedule;
use crate::runtime::data_sections::DataSectionCache;
use crate::runtime::error::TurnError;
use crate::runtime::instructions::InstructionsCache;
use crate::runtime::loaded_session::LoadedSession;
use crate::runtime::prefix_cache::PrefixCache;
use crate::runtime::prompt_parts::SharedPromptParts;
use crate::settings::{RuntimeSettings, WorkspaceSettings};

/// The committed in-memory state of a workspace.
#[derive(Clone, Copy)]
pub(crate) struct WorkspaceSnapshot<'a> {
    pub(crate) key: &'a WorkspaceKey,
    /// The stored row; `None` before its first commit.
    pub(crate) row: Option<&'a WorkspaceRow>,
    /// Epoch of the owner.
    pub(crate) epoch: u64,
    pub(crate) body: &'a WorkspaceBody,
    /// The settings in force.
    pub(crate) settings: &'a WorkspaceSettings,
    pub(crate) rules: &'a RuleBook,
    pub(crate) sessions: &'a HashMap<SessionId, LoadedSession>,
    pub(crate) seats: &'a BTreeMap<SessionId, PlacementCandidate>,
    pub(crate) schedule: &'a AutomationSchedule,
    /// Sessions that waited for the network, which is back, with the time at which each resumes.
    pub(crate) going_on: &'a BTreeMap<SessionId, Timestamp>,
    /// Sessions whose next local action waits for a turn.
    pub(crate) planning: &'a BTreeSet<SessionId>,
    pub(crate) sections: Option<&'a DataSectionCache>,
    pub(crate) instructions: &'a InstructionsCache,
    /// Sessions whose work was started by this worker.
    pub(crate) own: &'a HashSet<SessionId>,
    pub(crate) prefixes: &'a PrefixCache,
    /// Attempts under way that reserved something of the caps.
    pub(crate) reservations: &'a OpenReservations,
    /// What is used of caps, as far as it was read.
    pub(crate) spending: &'a KnownSpending,
    /// Whom the attempts of sessions count for, as far as it was read.
    pub(crate) initiators: &'a KnownInitiators,
    /// Blobs that are known to be stored.
    pub(crate) kept: &'a HashSet<Digest>,
    pub(crate) catalog: &'a Arc<Catalog>,
    /// The parts of prompts that are the same in every workspace.
    pub(crate) prompt_parts: &'a SharedPromptParts,
    pub(crate) runtime: &'a RuntimeSettings,
    /// When this process began to own the database.
    pub(crate) started_at: Timestamp,
    /// Whether the process stops: outcomes are applied, and nothing new starts.
    pub(crate) is_leaving: bool,
}

/// Why a turn stops before its end.
pub(crate) enum TurnStop {
    /// It lacks the answer to this question.
    Need(Box<dyn PendingQuestion>),
    /// It failed.
    Fault(TurnError),
}

/// The inputs of a turn's functions besides the draft.
#[derive(Clone, Copy)]
pub(crate) struct TurnContext<'a> {
    /// The committed state in memory.
    pub(crate) memory: WorkspaceSnapshot<'a>,
    answers: &'a TurnAnswers,
}

impl<'a> TurnContext<'a> {
    pub(super) fn new(memory: WorkspaceSnapshot<'a>, answers: &'a TurnAnswers) -> Self {
        Self { memory, answers }
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// A stop with the question, if it is not answered yet: the stage is repeated once it is.
    pub(super) fn ask<Q: TurnQuestion>(&self, question: Q) -> Result<&'a Q::Answer, TurnStop> {
        self.answers.get(&question).ok_or_else(|| TurnStop::Need(Box::new(question)))
    }

    /// The answer to a question, if it is known.
    pub(super) fn known<Q: TurnQuestion>(&self, question: &Q) -> Option<&'a Q::Answer> {
        self.answers.get(question)
    }

    /// Applies one input to a session of the draft, whether or not the state machine ignores it.
    pub(super) fn apply_input(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        input: Input,
    ) -> Result<(), TurnStop> {
        draft.apply_input(session, input, self.memory.rules)?;
        Ok(())
    }
}

impl TurnStop {
    pub(super) fn missing_session(session: &SessionId) -> Self {
        Self::Fault(TurnError::missing_session(session))
    }
}

impl From<TurnError> for TurnStop {
    fn from(fault: TurnError) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for TurnStop {
    fn from(fault: StoreError) -> Self {
        Self::Fault(fault.into())
    }
}

impl From<CodecError> for TurnStop {
    fn from(fault: CodecError) -> Self {
        Self::Fault(fault.into())
    }
}
