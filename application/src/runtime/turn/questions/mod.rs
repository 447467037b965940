//! The questions of a turn: what it cannot answer from memory.
//!
//! A question names everything its answer depends on, so an answer is valid for exactly that question, and not for
//! anything changed since. Each question is declared once, with its answer and its reader; there is no list of them.

mod action_plan;
mod automations;
mod call_lookup;
mod draws;
mod enrichment_sentence;
mod left_data;
mod prompt;
mod receipts;
mod session_log;
mod session_rows;
mod shown_text;
mod spending;
mod tasks;
mod triage;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;

use entracte_domain::id::{SessionId, WorkspaceKey};
use futures_util::future::BoxFuture;

use crate::commands::CommandPipeline;
use crate::runtime::active_limits::ActiveWorkLimits;
use crate::runtime::error::TurnError;
use crate::runtime::loaded_session::LoadedSession;
use crate::runtime::services::RuntimeServices;

pub(in crate::runtime) use self::action_plan::ActionPlanQuestion;
pub(in crate::runtime) use self::automations::{
    AutomationRowsQuestion, NextDueQuestion, OccurrenceDecidedQuestion, OccurrenceQuestion, OccurrenceStatus,
};
pub(in crate::runtime) use self::call_lookup::{
    ApprovalRecheckQuestion, CallLookupQuestion, CardQuestion, OwnedCallLookupContext, ShownCard,
};
pub(in crate::runtime) use self::draws::{JitterQuestion, NewKeyQuestion, NewSessionIdQuestion};
pub(in crate::runtime) use self::enrichment_sentence::EnrichmentSentenceQuestion;
pub(in crate::runtime) use self::left_data::LeftDataQuestion;
pub(in crate::runtime) use self::prompt::{
    ContextWindowQuestion, DataSectionsQuestion, FileTokensQuestion, InstructionsQuestion,
    PrefixAudiencesQuestion, ProviderEncodingQuestion, ToolLimitQuestion,
};
pub(in crate::runtime) use self::receipts::{ReceiptQuestion, ReceiptsQuestion};
pub(in crate::runtime) use self::session_log::{
    BlobQuestion, CallRowQuestion, EntriesFromQuestion, EntryRangeQuestion, EntrySpanQuestion,
    LogRowQuestion, MessageByKeyQuestion, SessionCallsQuestion, SessionsCallsQuestion,
};
pub(in crate::runtime) use self::session_rows::{
    DueSessionsQuestion, LimitedSessionsQuestion, SessionIdTakenQuestion, SessionRowQuestion,
    SessionRowsQuestion, WaitingSessionsQuestion,
};
pub(in crate::runtime) use self::shown_text::ShownTextQuestion;
pub(in crate::runtime) use self::spending::{
    AttemptSumQuestion, CallCeilingQuestion, ConversationQuestion, CostSumQuestion, SpendingSharesQuestion,
};
pub(in crate::runtime) use self::tasks::{
    DueTasksQuestion, KnownTaskUpdateQuestion, OpenTasksQuestion, TaskRowQuestion,
};
pub(in crate::runtime) use self::triage::TriageQuestion;

/// Rows read per page.
const PAGE: u32 = 500;

/// A question that a turn may have.
pub(in crate::runtime) trait TurnQuestion:
    Clone + Debug + Eq + Hash + Send + Sync + Sized + 'static
{
    type Answer: Send + Sync + 'static;

    /// Reads the answer through the ports.
    ///
    /// # Errors
    /// When it cannot be read; the turn fails then.
    fn read(
        &self,
        reader: QuestionReader<'_>,
    ) -> impl Future<Output = Result<Self::Answer, TurnError>> + Send;

    /// Stores the answer. A question about several things stores an answer for each of them.
    fn store(self, answer: Self::Answer, answers: &mut TurnAnswers) {
        answers.put(self, answer);
    }
}

/// The sources of the answers.
#[derive(Clone, Copy)]
pub(in crate::runtime) struct QuestionReader<'a> {
    pub(in crate::runtime) services: &'a RuntimeServices,
    pub(in crate::runtime) key: &'a WorkspaceKey,
    pub(in crate::runtime) pipeline: &'a CommandPipeline,
    /// The committed sessions in memory.
    pub(in crate::runtime) sessions: &'a HashMap<SessionId, LoadedSession>,
    /// The time limits of the work under way.
    pub(in crate::runtime) under_way: &'a ActiveWorkLimits,
}

/// A question that stopped a turn.
pub(in crate::runtime) trait PendingQuestion: Any + Debug + Send + Sync {
    /// Reads the answer and stores it.
    fn answer<'a>(
        self: Box<Self>,
        reader: QuestionReader<'a>,
        answers: &'a mut TurnAnswers,
    ) -> BoxFuture<'a, Result<(), TurnError>>;
}

impl<Q: TurnQuestion> PendingQuestion for Q {
    fn answer<'a>(
        self: Box<Self>,
        reader: QuestionReader<'a>,
        answers: &'a mut TurnAnswers,
    ) -> BoxFuture<'a, Result<(), TurnError>> {
        Box::pin(async move {
            let answer = self.read(reader).await?;
            self.store(answer, answers);
            Ok(())
        })
    }
}

/// The answers that a turn has received.
#[derive(Default)]
pub(in crate::runtime) struct TurnAnswers {
    /// For each type of question `Q` a `HashMap<Q, Q::Answer>`.
    by_type: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl TurnAnswers {
    /// The answer to this question, if it was read.
    pub(in crate::runtime) fn get<Q: TurnQuestion>(&self, question: &Q) -> Option<&Q::Answer> {
        let answers = self.by_type.get(&TypeId::of::<Q>())?;
        answers.downcast_ref::<HashMap<Q, Q::Answer>>()?.get(question)
    }

    /// Stores an answer.
    pub(in crate::runtime) fn put<Q: TurnQuestion>(&mut self, question: Q, answer: Q::Answer) {
        let answers =
            self.by_type.entry(TypeId::of::<Q>()).or_insert_with(|| Box::new(HashMap::<Q, Q::Answer>::new()));
        if let Some(answers) = answers.downcast_mut::<HashMap<Q, Q::Answer>>() {
            answers.insert(question, answer);
        }
    }
}
