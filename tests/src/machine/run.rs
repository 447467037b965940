//! A session under test, which applies acts and keeps its history.

use entracte_domain::call::{Call, CallOutcome, CallState};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::failure::{FailureClass, FallbackModel, ModelFailure};
use entracte_domain::session::{
    AiResponse, ContextSummary, Dialect, IgnoreReason, Input, LimitProfile, LogAppend, ModelSelection, Phase,
    ReplyEnd, SessionFacts, SessionKind, SessionRules, Slot, SummaryFault, SummaryMethod, SummaryPiece,
    deadline_at, transition,
};
use entracte_domain::spending::{SpendingExcess, SpendingExcessNumbers, SpendingRefusal, SpendingScope};
use entracte_domain::task::{TaskHandle, TaskOutcome};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;
use entracte_domain::validation::{ArgumentEdit, Decision, DecisionVerdict, PolicyAnswer, PolicyDecision};

use super::agent::child_ends;
use super::{
    ActApprovalChoice, ActCallOutcome, MachineAct, MachineModelReply, command, command_id, failure, sent,
    task,
};

/// The start time of every test.
const BEGIN: Timestamp = Timestamp(1_000_000_000_000);

/// A session with its history.
#[derive(Clone, Debug)]
pub struct MachineRun {
    /// The initial facts, for a replay.
    pub made: SessionFacts,
    /// The current facts.
    pub facts: SessionFacts,
    /// The current phase.
    pub phase: Phase,
    /// The current time.
    pub now: Timestamp,
    /// Its rules.
    pub rules: SessionRules,
    /// Everything appended.
    pub log: Vec<LogAppend>,
    /// The ledger.
    pub ledger: Vec<Call>,
    /// The applied inputs with their times.
    pub taken: Vec<(Timestamp, Input)>,
    /// Everything that the last act appended.
    pub last: Vec<LogAppend>,
    /// Why the last act was ignored, if it was.
    pub ignored: Option<IgnoreReason>,
}

/// A chat that holds a slot.
pub fn chat() -> MachineRun {
    MachineRun::new(SessionKind::Chat)
}

/// A run of an automation that holds a slot.
pub fn automation() -> MachineRun {
    MachineRun::new(SessionKind::Automation)
}

/// An agent that holds a slot.
pub fn agent() -> MachineRun {
    MachineRun::new(SessionKind::Agent)
}

/// A seed.
pub fn seed() -> MachineRun {
    MachineRun::new(SessionKind::Seed)
}

impl MachineRun {
    /// A session of this kind that holds a slot, with the autonomous rules.
    pub fn new(kind: SessionKind) -> Self {
        let id = SessionId::new("ses_t");
        let mut facts = SessionFacts::new(id, WorkspaceKey::new("u:c"), kind, BEGIN);
        facts.slot = Slot::Held;
        Self {
            made: facts.clone(),
            facts,
            phase: Phase::Idle,
            now: BEGIN,
            rules: SessionRules::new(kind, LimitProfile::Autonomous),
            log: Vec::new(),
            ledger: Vec::new(),
            taken: Vec::new(),
            last: Vec::new(),
            ignored: None,
        }
    }

    /// Uses the strict limits.
    pub fn strict(mut self) -> Self {
        self.rules = SessionRules::new(self.facts.kind, LimitProfile::Strict);
        self
    }

    /// Uses native tool calls.
    pub fn tools(mut self) -> Self {
        self.facts.dialect = Dialect::Tools;
        self.made.dialect = Dialect::Tools;
        self
    }

    /// Changes the rules.
    pub fn rules(mut self, change: impl FnOnce(&mut SessionRules)) -> Self {
        change(&mut self.rules);
        self
    }

    /// Applies an act.
    pub fn after_act(mut self, act: impl Into<MachineAct>) -> Self {
        self.apply_act(&act.into());
        self
    }

    /// Applies these acts `times` times.
    pub fn after_repeated_acts(mut self, times: usize, acts: &[MachineAct]) -> Self {
        for act in std::iter::repeat_n(acts, times).flatten() {
            self.apply_act(act);
        }
        self
    }

    /// Applies a user message: the first model call is in progress.
    pub fn after_user_message(self) -> Self {
        self.after_act(super::message())
    }

    /// Applies an act; returns the reason if its last input was ignored.
    pub fn apply_act(&mut self, act: &MachineAct) -> Option<IgnoreReason> {
        self.last.clear();
        self.ignored = None;
        if let MachineAct::Wait(span) = act {
            self.now = self.now.plus(Millis(*span));
            return None;
        }
        if *act == MachineAct::Wake {
            self.now = deadline_at(&self.facts, &self.phase, &self.rules).unwrap_or(self.now).max(self.now);
        }
        let mut taken = false;
        for input in self.inputs_for_act(act) {
            self.feed(input);
            taken |= self.ignored.is_none();
        }
        if taken {
            self.ignored = None;
        }
        self.ignored
    }

    /// Applies one input.
    pub fn feed(&mut self, input: Input) {
        let taken = transition(&mut self.facts, &mut self.phase, input.clone(), self.now, &self.rules);
        self.ignored = taken.as_ref().err().copied();
        let Ok(record) = taken else { return };
        self.taken.push((self.now, input));
        self.last.extend(record.appended.iter().cloned());
        self.log.extend(record.appended);
        for call in record.calls {
            match self.ledger.iter_mut().find(|known| known.id == call.id) {
                Some(known) => *known = call,
                None => self.ledger.push(call),
            }
        }
    }

    /// The inputs of an act in the current state.
    pub fn inputs_for_act(&self, act: &MachineAct) -> Vec<Input> {
        inputs(&self.facts, &self.phase, self.now, act)
    }
}

/// The inputs of an act in a state.
pub fn inputs(facts: &SessionFacts, phase: &Phase, now: Timestamp, act: &MachineAct) -> Vec<Input> {
    let author = || "ann".to_owned();
    let one = |input| vec![input];
    match act {
        MachineAct::Message(enrichments) => one(sent(enrichments, now)),
        MachineAct::Slot(slot) => one(Input::StandingChanged { slot: *slot }),
        MachineAct::Activate => one(Input::SessionActivationRequested { author: author() }),
        MachineAct::Reply(reply) => one(answer(phase, now, reply)),
        MachineAct::ModelFails { class, retry_after } => {
            one(model_failure(phase, *class, *retry_after, None))
        }
        MachineAct::FallsBack { class, to } => {
            one(with_fallback_voice(facts, model_failure(phase, *class, None, None), to))
        }
        MachineAct::Compacted => {
            let (round, attempt) = attempt(phase);
            one(Input::ContextCompacted {
                round,
                attempt,
                summary: Box::new(summary(phase)),
                asked: None,
                usage: None,
                prefix: None,
            })
        }
        MachineAct::TooLarge => {
            let (round, attempt) = attempt(phase);
            let method = SummaryMethod::Patch;
            let (size, budget) = (90_000, 80_000);
            one(Input::BudgetReached { round, attempt, size, budget, method, files_from: None })
        }
        MachineAct::TooExpensive => {
            let (round, attempt) = attempt(phase);
            let [cap, used, needed] = [3, 2, 2];
            let numbers = SpendingExcessNumbers::Tokens { cap, used, needed };
            let why = SpendingRefusal::Cap(SpendingExcess { scope: SpendingScope::Session, numbers });
            one(Input::SpendingRefused { round, attempt, why })
        }
        MachineAct::SummaryIsFaulty => {
            one(compaction_failed(phase, SummaryFault::Faulty(vec!["the answer is not JSON".into()])))
        }
        MachineAct::PieceIsRead => {
            let piece = SummaryPiece { items: Vec::new(), read: 100 };
            one(compaction_failed(phase, SummaryFault::Unfinished(Box::new(piece))))
        }
        MachineAct::CompactionFails => one(compaction_failed(phase, SummaryFault::NoAnswer)),
        MachineAct::Outcome { at, what } => finished(phase, now, *at, *what).into_iter().collect(),
        MachineAct::PolicyAnswers { at, what } => {
            policy_answered(phase, now, *at, *what).into_iter().collect()
        }
        MachineAct::Decide(decisions) => {
            let decisions =
                decisions.iter().filter_map(|(at, choice)| decision(phase, *at, *choice)).collect();
            one(Input::ValidationReceived { author: author(), decisions })
        }
        MachineAct::Answer => {
            one(Input::CommunicationResponseReceived { author: author(), answer: "yes".into() })
        }
        MachineAct::Settle => settled(facts).into_iter().collect(),
        MachineAct::Confirm => one(Input::CompletionConfirmed { author: author() }),
        MachineAct::RejectCompletion => one(Input::CompletionRejected { author: author(), reason: None }),
        MachineAct::NetworkBack => one(Input::NetworkAvailable),
        MachineAct::SystemError => one(Input::SystemErrorOccurred { message: "broken".into() }),
        MachineAct::Stop(end) => one(Input::StopRequested { author: author(), end: *end, reply: None }),
        MachineAct::Interrupt => one(Input::RoundInterrupted { author: author(), reply: None }),
        MachineAct::Wait(_) => Vec::new(),
        MachineAct::Wake | MachineAct::Time => one(Input::TimeReached),
        MachineAct::TaskEnds => {
            let task = facts.tasks.first().cloned().unwrap_or_else(task);
            let (outcome, late) = (TaskOutcome::Completed, false);
            one(Input::TaskFinished { task, outcome, late, content: "made".into() })
        }
        MachineAct::ChildEnds => one(child_ends(facts)),
        MachineAct::Heartbeat => one(Input::SchedulerHeartbeat),
        MachineAct::Restart => lost_attempt_inputs(phase, now),
        MachineAct::Raw(input) => one((**input).clone()),
    }
}

fn attempt(phase: &Phase) -> (u32, u32) {
    phase.round().map_or((1, 1), |round| (round.number, round.attempt))
}

fn answer(phase: &Phase, now: Timestamp, reply: &MachineModelReply) -> Input {
    let (round, attempt) = attempt(phase);
    Input::AiResponseReceived(Box::new(AiResponse {
        round,
        attempt,
        message: reply.message(),
        end: ReplyEnd::Done,
        asks_at_limit: true,
        faults: reply.faults(),
        calls: reply.calls.iter().map(|ask| ask.request(now)).collect(),
        usage: Some(Usage { input: 1, output: 1, ..Usage::default() }),
        request: None,
        handle: None,
    }))
}

fn model_failure(
    phase: &Phase,
    class: FailureClass,
    retry_after: Option<i64>,
    found_by_start: Option<Timestamp>,
) -> Input {
    let (round, attempt) = attempt(phase);
    let failure = ModelFailure {
        class,
        message: format!("the model call failed: {}", class.word()),
        retry_after: retry_after.map(Millis),
        jitter: Millis(0),
        found_by_start,
        instead: None,
    };
    match class {
        FailureClass::Unreachable => Input::NetworkErrorOccurred { round, attempt, failure },
        FailureClass::Lost
        | FailureClass::Throttled
        | FailureClass::Overloaded
        | FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Repairable
        | FailureClass::Misconfigured => {
            Input::ProviderErrorOccurred { round, attempt, failure, usage: None }
        }
    }
}

/// The failure with a named fallback provider, in the session's own dialect.
fn with_fallback_voice(facts: &SessionFacts, mut failed: Input, to: &str) -> Input {
    if let Input::NetworkErrorOccurred { failure, .. } | Input::ProviderErrorOccurred { failure, .. } =
        &mut failed
    {
        let voice = ModelSelection { provider: to.to_owned(), model: "m".into(), dialect: facts.dialect };
        failure.instead = Some(Box::new(FallbackModel { voice, prefix: Digest::new(to), told: Vec::new() }));
    }
    failed
}

fn compaction_failed(phase: &Phase, fault: SummaryFault) -> Input {
    let (round, attempt) = attempt(phase);
    Input::CompactionFailed { round, attempt, message: "no summary".into(), fault, asked: None, usage: None }
}

fn summary(phase: &Phase) -> ContextSummary {
    let method = match phase {
        Phase::CompactingContext { summing, .. } => summing.method,
        _ => SummaryMethod::Mechanical,
    };
    ContextSummary {
        text: "in short".into(),
        items: Vec::new(),
        kept_from: Some(1),
        folded: Vec::new(),
        files_from: None,
        covers_to: 0,
        method,
    }
}

fn finished(phase: &Phase, now: Timestamp, at: usize, what: ActCallOutcome) -> Option<Input> {
    let call = phase.batch()?.calls.get(at)?;
    let attempt = if call.is_started() { call.attempt } else { 0 };
    Some(Input::CallFinished { call: call.id.clone(), attempt, outcome: call_outcome(call, now, what) })
}

/// The answer of the policy hook, with the card that the pipeline makes of it.
fn policy_answered(phase: &Phase, now: Timestamp, at: usize, what: PolicyDecision) -> Option<Input> {
    let call = phase.batch()?.calls.get(at)?;
    let answer = PolicyAnswer {
        decision: what,
        reason: Some("too far".into()),
        version: Some("7".into()),
        approvers: Vec::new(),
        quorum: 1,
        command_id: call.effective_command_id().clone(),
        at: now,
    };
    let mut reasons = call.reasons.clone();
    reasons.extend(answer.approval_reason());
    let card = (!reasons.is_empty()).then(|| Digest::new(format!("card of {} reasons", reasons.len())));
    Some(Input::PolicyAnswered { call: call.id.clone(), answer: Box::new(answer), reasons, card })
}

/// The outcome that an executor reports.
pub fn call_outcome(call: &Call, now: Timestamp, what: ActCallOutcome) -> CallOutcome {
    let content = || format!("answer of {}", call.command.name);
    let digest = || Digest::new(format!("answer of {}", call.command.canonical_bytes()));
    match what {
        ActCallOutcome::Succeeds => {
            CallOutcome::Succeeded { content: content(), digest: digest(), files: Vec::new() }
        }
        ActCallOutcome::Accepted => {
            CallOutcome::Accepted { task: task(), content: "begun".into(), handle: TaskHandle::default() }
        }
        ActCallOutcome::Fails => CallOutcome::Failed(failure(false)),
        ActCallOutcome::FailsForNow => CallOutcome::Failed(failure(true)),
        ActCallOutcome::TimesOut => CallOutcome::TimedOut,
        ActCallOutcome::Lost => CallOutcome::Lost { found_by_start: None, lands_by: None },
        ActCallOutcome::LostInCrash => CallOutcome::Lost { found_by_start: Some(now), lands_by: None },
        ActCallOutcome::Happened => {
            CallOutcome::Probed { happened: Some(true), content: content(), digest: digest() }
        }
        ActCallOutcome::DidNotHappen => {
            CallOutcome::Probed { happened: Some(false), content: content(), digest: digest() }
        }
        ActCallOutcome::NobodyKnows => {
            CallOutcome::Probed { happened: None, content: content(), digest: digest() }
        }
    }
}

fn decision(phase: &Phase, at: usize, choice: ActApprovalChoice) -> Option<Decision> {
    let call = phase.batch()?.calls.get(at)?;
    let verdict = match choice {
        ActApprovalChoice::Yes => DecisionVerdict::Approve { edited: None },
        ActApprovalChoice::Edit(argument) => {
            let command = command(&call.command.name, argument);
            DecisionVerdict::Approve {
                edited: Some(ArgumentEdit { command_id: command_id(&command), command, card: None }),
            }
        }
        ActApprovalChoice::No => DecisionVerdict::Reject { reason: None },
        ActApprovalChoice::NoBecause => DecisionVerdict::Reject { reason: Some("too much".into()) },
    };
    Some(Decision { call: call.id.clone(), card: call.card.clone(), verdict, rule: None })
}

fn settled(facts: &SessionFacts) -> Option<Input> {
    let call = facts.unsettled.first()?.clone();
    Some(Input::CallSettled {
        call,
        command: "once".into(),
        happened: true,
        note: None,
        author: "ann".into(),
    })
}

/// The inputs of a restarting process: every started attempt lost its outcome.
pub fn lost_attempt_inputs(phase: &Phase, now: Timestamp) -> Vec<Input> {
    match phase {
        Phase::CallingAi(round) if round.started_at.is_some() => {
            vec![model_failure(phase, FailureClass::Lost, None, Some(now))]
        }
        Phase::CompactingContext { round, .. } if round.started_at.is_some() => {
            vec![compaction_failed(phase, SummaryFault::Died(now))]
        }
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => batch.calls.iter().filter_map(|call| lost(call, now)).collect(),
        Phase::CallingAi(_)
        | Phase::CompactingContext { .. }
        | Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => Vec::new(),
    }
}

fn lost(call: &Call, now: Timestamp) -> Option<Input> {
    match &call.state {
        CallState::Started { .. } => Some(Input::CallFinished {
            call: call.id.clone(),
            attempt: call.attempt,
            outcome: CallOutcome::Lost { found_by_start: Some(now), lands_by: None },
        }),
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => None,
    }
}
