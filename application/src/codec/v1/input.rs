//! Inputs of the state machine.

use entracte_domain::agent::MissionEnd;
use entracte_domain::id::{Digest, TaskId};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    self as domain, RulesChange, SessionCopyOrigin, SessionOpening, SessionRename, SummaryMethod,
};
use entracte_domain::task::TaskOutcome;
use entracte_domain::usage::Usage as DomainUsage;
use serde::{Deserialize, Serialize};

use super::agent::ReportV1;
use super::ai::{AiResponseV1, StoppedReplyV1};
use super::approval::{DecisionV1, PromptAuthorsV1};
use super::automation::RunPolicyV1;
use super::counters::SlotV1;
use super::is_default;
use super::leaf::{HashV1, JsonTextV1, UsageV1};
use super::lookup::{ReasonV1, RecheckV1};
use super::origin::{CreationV1, ModelFailureV1, ToldV1, UserMessageSentV1, VoiceV1};
use super::outcome::CallOutcomeV1;
use super::policy::PolicyAnswerV1;
use super::restriction::RestrictionV1;
use super::shape::{ShapeV1, shape};
use super::spending::{SpendingAnswerV1, SpendingRefusalV1};
use super::summary::{self, CarriedV1, SummaryFaultV1, SummaryRequestV1};
use super::words::WordV1;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum InputV1 = domain::Input {
        SessionCreated(creation: Box<CreationV1>),
        SessionActivationRequested {
            author: String,
        },
        StandingChanged {
            slot: SlotV1,
        },
        UserMessageSent(sent: UserMessageSentV1),
        AiResponseReceived(response: Box<AiResponseV1>),
        ValidationReceived {
            author: String,
            decisions: Vec<DecisionV1>,
        },
        CommunicationResponseReceived {
            author: String,
            answer: String,
        },
        CallFinished {
            call: String,
            #[serde(default, skip_serializing_if = "is_default")]
            attempt: u32,
            outcome: CallOutcomeV1,
        },
        PolicyAnswered {
            call: String,
            answer: PolicyAnswerV1,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            reasons: Vec<ReasonV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            card: Option<HashV1>,
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
            failure: ModelFailureV1,
        },
        ProviderErrorOccurred {
            round: u32,
            attempt: u32,
            failure: ModelFailureV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            usage: Option<UsageV1>,
        },
        NetworkAvailable,
        SystemErrorOccurred {
            message: String,
        },
        StopRequested {
            author: String,
            #[serde(default, skip_serializing_if = "is_default")]
            end: bool,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reply: Option<StoppedReplyV1>,
        },
        RoundInterrupted {
            author: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reply: Option<StoppedReplyV1>,
        },
        TimeReached,
        MissionContinued {
            call: String,
            answer: String,
        },
        MissionEnded {
            why: WordV1<MissionEnd>,
        },
        ChildEnded {
            report: ReportV1,
        },
        TaskFinished => stored: TaskFinishedV1(task, outcome, late, content),
        CompactionRequested {
            author: String,
        },
        BudgetReached {
            round: u32,
            attempt: u32,
            size: u64,
            budget: u64,
            method: WordV1<SummaryMethod>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            files_from: Option<u64>,
        },
        SpendingRefused {
            round: u32,
            attempt: u32,
            why: SpendingRefusalV1,
        },
        SpendingAnswered {
            author: String,
            answer: SpendingAnswerV1,
        },
        UsageSettled {
            author: String,
            round: u32,
            attempt: u32,
            usage: UsageV1,
        },
        ContextCompacted => stored: ContextCompactedV1(round, attempt, summary, asked, usage, prefix),
        CompactionFailed {
            round: u32,
            attempt: u32,
            message: String,
            #[serde(default, skip_serializing_if = "is_default")]
            fault: SummaryFaultV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            asked: Option<SummaryRequestV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            usage: Option<UsageV1>,
        },
        RulesChanged(change: RulesChangedV1),
        SessionCopied {
            from: String,
            at: u64,
            how: WordV1<SessionCopyOrigin>,
            author: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            policy: Option<RunPolicyV1>,
            #[serde(default, skip_serializing_if = "is_default")]
            counts_authors: bool,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            call: Option<String>,
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
        DecisionCommented {
            author: String,
            call: String,
            comment: String,
        },
        SessionOpened(opening: SessionOpenedV1),
        SessionLeft {
            author: String,
            attachment: String,
        },
        SchedulerHeartbeat,
    }
}

shape! {
    pub(super) struct RulesChangedV1 = RulesChange {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rechecks: Vec<RecheckV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<HashV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Vec<ToldV1>>,
        #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
        require_validation: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
        restriction: Option<RestrictionV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        voice: Option<VoiceV1>,
        /// The author of the name, and the name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<NamedV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthorsV1>,
    }
}

shape! {
    pub(super) struct NamedV1 = SessionRename[author: String, name: String]
}

shape! {
    pub(super) struct SessionOpenedV1 = SessionOpening {
        author: String,
        attachment: String,
        until: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        asks_slot: bool,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskFinishedV1 {
    task: String,
    /// Replaces `outcome` for a task that succeeded or failed in time: the stored form before other outcomes existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    succeeded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<WordV1<TaskOutcome>>,
    #[serde(default, skip_serializing_if = "is_default")]
    late: bool,
    content: JsonTextV1,
}

impl TaskFinishedV1 {
    fn of(task: &TaskId, outcome: &TaskOutcome, late: &bool, content: &str) -> Self {
        let succeeded = in_time(*outcome, *late);
        Self {
            task: task.as_str().to_owned(),
            succeeded,
            outcome: succeeded.is_none().then_some(WordV1(*outcome)),
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

/// Whether a task that ended in time succeeded; `None` for every other outcome.
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
pub(super) struct ContextCompactedV1 {
    round: u32,
    attempt: u32,
    summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    carried: Option<CarriedV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<SummaryRequestV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<UsageV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<(HashV1, Vec<ToldV1>)>,
}

type AskedV1 = Option<Box<domain::SummaryRequest>>;
type PrefixV1 = Option<(Digest, Vec<domain::AlwaysSendSection>)>;

impl ContextCompactedV1 {
    fn of(
        round: &u32,
        attempt: &u32,
        summary: &domain::ContextSummary,
        asked: &AskedV1,
        usage: &Option<DomainUsage>,
        prefix: &PrefixV1,
    ) -> Self {
        let (summary, carried) = summary::written(summary);
        let (asked, usage, prefix) = (ShapeV1::of(asked), ShapeV1::of(usage), ShapeV1::of(prefix));
        Self { round: *round, attempt: *attempt, summary, carried, asked, usage, prefix }
    }

    fn parts(self) -> (u32, u32, Box<domain::ContextSummary>, AskedV1, Option<DomainUsage>, PrefixV1) {
        let Self { round, attempt, summary, carried, asked, usage, prefix } = self;
        let summary = Box::new(summary::read(summary, carried));
        (round, attempt, summary, asked.domain(), usage.domain(), prefix.domain())
    }
}
