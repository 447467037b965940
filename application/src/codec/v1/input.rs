//! Inputs.

use entracte_domain::agent::MissionEnd;
use entracte_domain::id::{Digest, TaskId};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    self as domain, RulesChange, SessionCopyOrigin, SessionOpening, SessionRename, SummaryMethod,
};
use entracte_domain::task::TaskOutcome;
use entracte_domain::usage::Usage as DomainUsage;
use serde::{Deserialize, Serialize};

use super::agent::Report;
use super::ai::AiResponse;
use super::approval::{Decision, PromptAuthors};
use super::automation::RunPolicy;
use super::counters::Slot;
use super::is_default;
use super::leaf::{Hash, JsonText, Usage};
use super::lookup::Recheck;
use super::origin::{Creation, ModelFailure, Told, UserMessageSent, Voice};
use super::outcome::CallOutcome;
use super::restriction::Restriction;
use super::shape::{Shape, shape};
use super::summary::{self, Carried, SummaryFault, SummaryRequest};
use super::words::Word;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum Input = domain::Input {
        SessionCreated(creation: Box<Creation>),
        SessionActivationRequested {
            author: String,
        },
        StandingChanged {
            slot: Slot,
        },
        UserMessageSent(sent: UserMessageSent),
        AiResponseReceived(response: Box<AiResponse>),
        ValidationReceived {
            author: String,
            decisions: Vec<Decision>,
        },
        CommunicationResponseReceived {
            author: String,
            answer: String,
        },
        CallFinished {
            call: String,
            #[serde(default, skip_serializing_if = "is_default")]
            attempt: u32,
            outcome: CallOutcome,
        },
        CallSettled {
            call: String,
            command: String,
            happened: bool,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            note: Option<String>,
            author: String,
        },
        CompletionConfirmed {
            author: String,
        },
        CompletionRejected {
            author: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        },
        NetworkErrorOccurred {
            round: u32,
            attempt: u32,
            failure: ModelFailure,
        },
        ProviderErrorOccurred {
            round: u32,
            attempt: u32,
            failure: ModelFailure,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            usage: Option<Usage>,
        },
        NetworkAvailable,
        SystemErrorOccurred {
            message: String,
        },
        StopRequested {
            author: String,
            #[serde(default, skip_serializing_if = "is_default")]
            end: bool,
        },
        RoundInterrupted {
            author: String,
        },
        TimeReached,
        MissionContinued {
            call: String,
            answer: String,
        },
        MissionEnded {
            why: Word<MissionEnd>,
        },
        ChildEnded {
            report: Report,
        },
        TaskFinished => stored: TaskFinished(task, outcome, late, content),
        CompactionRequested {
            author: String,
        },
        BudgetReached {
            round: u32,
            attempt: u32,
            size: u64,
            budget: u64,
            method: Word<SummaryMethod>,
        },
        ContextCompacted => stored: ContextCompacted(round, attempt, summary, asked, usage, prefix),
        CompactionFailed {
            round: u32,
            attempt: u32,
            message: String,
            #[serde(default, skip_serializing_if = "is_default")]
            fault: SummaryFault,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            asked: Option<SummaryRequest>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            usage: Option<Usage>,
        },
        RulesChanged(change: RulesChanged),
        SessionCopied {
            from: String,
            at: u64,
            how: Word<SessionCopyOrigin>,
            author: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            policy: Option<RunPolicy>,
            #[serde(default, skip_serializing_if = "is_default")]
            counts_authors: bool,
        },
        MessagesRead {
            reader: String,
            sequence: u64,
        },
        MessageWithdrawn {
            author: String,
            message: String,
        },
        EndSeen {
            author: String,
        },
        SessionOpened(opening: SessionOpened),
        SessionLeft {
            author: String,
            attachment: String,
        },
        SchedulerHeartbeat,
    }
}

shape! {
    pub(super) struct RulesChanged = RulesChange {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rechecks: Vec<Recheck>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Vec<Told>>,
        #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
        require_validation: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
        restriction: Option<Restriction>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        voice: Option<Voice>,
        /// Who gave it, and the name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Named>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthors>,
    }
}

shape! {
    pub(super) struct Named = SessionRename[author: String, name: String]
}

shape! {
    pub(super) struct SessionOpened = SessionOpening {
        author: String,
        attachment: String,
        until: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        asks_slot: bool,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskFinished {
    task: String,
    /// Instead of `outcome`, for a task that was done or not in time: so it was stored when there was nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    succeeded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Word<TaskOutcome>>,
    #[serde(default, skip_serializing_if = "is_default")]
    late: bool,
    content: JsonText,
}

impl TaskFinished {
    fn of(task: &TaskId, outcome: &TaskOutcome, late: &bool, content: &str) -> Self {
        let succeeded = in_time(*outcome, *late);
        Self {
            task: task.as_str().to_owned(),
            succeeded,
            outcome: succeeded.is_none().then_some(Word(*outcome)),
            late: *late,
            content: content.into(),
        }
    }

    fn parts(self) -> (TaskId, TaskOutcome, bool, String) {
        let in_time = match self.succeeded {
            Some(true) => TaskOutcome::Completed,
            Some(false) | None => TaskOutcome::Failed,
        };
        let outcome = self.outcome.map_or(in_time, |word| word.0);
        (TaskId::new(self.task), outcome, self.late, self.content.0)
    }
}

/// Whether a task that ended in time succeeded; none where there is more to say.
const fn in_time(outcome: TaskOutcome, late: bool) -> Option<bool> {
    match (outcome, late) {
        (TaskOutcome::Completed, false) => Some(true),
        (TaskOutcome::Failed, false) => Some(false),
        (TaskOutcome::Completed | TaskOutcome::Failed, true) => None,
        (TaskOutcome::Cancelled | TaskOutcome::Expired, true | false) => None,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextCompacted {
    round: u32,
    attempt: u32,
    summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    carried: Option<Carried>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<SummaryRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<(Hash, Vec<Told>)>,
}

type Asked = Option<Box<domain::SummaryRequest>>;
type Prefix = Option<(Digest, Vec<domain::AlwaysSendSection>)>;

impl ContextCompacted {
    fn of(
        round: &u32,
        attempt: &u32,
        summary: &domain::ContextSummary,
        asked: &Asked,
        usage: &Option<DomainUsage>,
        prefix: &Prefix,
    ) -> Self {
        let (summary, carried) = summary::written(summary);
        let (asked, usage, prefix) = (Shape::of(asked), Shape::of(usage), Shape::of(prefix));
        Self { round: *round, attempt: *attempt, summary, carried, asked, usage, prefix }
    }

    fn parts(self) -> (u32, u32, Box<domain::ContextSummary>, Asked, Option<DomainUsage>, Prefix) {
        let Self { round, attempt, summary, carried, asked, usage, prefix } = self;
        let summary = Box::new(summary::read(summary, carried));
        (round, attempt, summary, asked.domain(), usage.domain(), prefix.domain())
    }
}
