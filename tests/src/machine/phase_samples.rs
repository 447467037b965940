//! A session in each phase, and a sample of each input: the basis of tests of every pair.

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, RulesChange, SessionCopyOrigin, SessionKind, SessionOpening, Slot};
use entracte_domain::spending::SpendingAnswer;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use entracte_domain::validation::{PolicyAnswer, PolicyDecision};

use super::ActApprovalChoice::{No, Yes};
use super::ActCallOutcome::{Accepted, LostInCrash, Succeeds};
use super::{
    MachineAct, MachineRun, calls, completed, decide, fails, local, message, message_with,
    mission_continued_act, mission_halted_act, once, outcome, query, question, session_created_act,
    show_phase, text,
};

/// One session of this kind in each possible phase, with the phase's label.
pub fn one_of_each_phase(kind: SessionKind) -> Vec<(String, MachineRun)> {
    let made = || MachineRun::new(kind);
    let asked = || made().after_user_message();
    let mut runs = vec![made()];
    match kind {
        SessionKind::Seed => {}
        SessionKind::Chat => runs.extend([asked().after_act(text()), asked().after_act(question())]),
        SessionKind::Automation | SessionKind::Agent => runs.extend([
            asked().after_act(fails(FailureClass::Exhausted)),
            asked().after_act(completed()),
            asked().after_act(completed()).after_act(MachineAct::Confirm),
            asked().after_act(fails(FailureClass::Unreachable)),
            asked().after_act(calls([once()])).after_act(outcome(0, Accepted)).after_act(completed()),
        ]),
    }
    match kind {
        SessionKind::Seed => {}
        SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => runs.extend([
            made().after_act(message_with(query("a"))),
            asked(),
            made().after_act(MachineAct::Slot(Slot::Queued(Timestamp(0)))).after_user_message(),
            asked().after_act(fails(FailureClass::Throttled)),
            asked().after_act(calls([query("a")])),
            asked().after_act(calls([once()])),
            asked().after_act(calls([local()])),
            asked().after_act(calls([once()])).after_act(MachineAct::Stop(true)),
            asked().after_act(calls([once().guarded()])),
            asked().after_act(MachineAct::TooLarge),
            asked().after_act(fails(FailureClass::ContextTooLong)).after_act(MachineAct::CompactionFails),
        ]),
    }
    runs.push(asked().after_act(MachineAct::Stop(true)));
    runs.into_iter().map(|run| (show_phase(&run.phase), run)).collect()
}

/// One sample of each input (two if it makes a difference), with its name.
pub fn samples() -> Vec<(String, MachineAct)> {
    let named = |name: &str, act: MachineAct| (name.to_owned(), act);
    let error = |class: FailureClass| named(&format!("model call fails: {}", class.word()), fails(class));
    vec![
        named("SessionCreated", session_created_act()),
        named("SessionActivationRequested", MachineAct::Activate),
        named("StandingChanged: held", MachineAct::Slot(Slot::Held)),
        named("StandingChanged: suspended", MachineAct::Slot(Slot::Suspended(Timestamp(0)))),
        named("UserMessageSent", message()),
        named("AiResponseReceived", text().into()),
        named("ValidationReceived: yes", decide(0, Yes)),
        named("ValidationReceived: no", decide(0, No)),
        named("CommunicationResponseReceived", MachineAct::Answer),
        named("CallFinished: succeeded", outcome(0, Succeeds)),
        named("CallFinished: lost in a crash", outcome(0, LostInCrash)),
        named("PolicyAnswered", policy_answered()),
        named("CallSettled", MachineAct::Settle),
        named("CallSettled: known outcome", settled()),
        named("CompletionConfirmed", MachineAct::Confirm),
        named("CompletionRejected", MachineAct::RejectCompletion),
        error(FailureClass::Unreachable),
        error(FailureClass::Lost),
        error(FailureClass::Overloaded),
        error(FailureClass::Exhausted),
        error(FailureClass::Refused),
        error(FailureClass::ContextTooLong),
        error(FailureClass::Repairable),
        named("NetworkAvailable", MachineAct::NetworkBack),
        named("SystemErrorOccurred", MachineAct::SystemError),
        named("StopRequested", MachineAct::Stop(false)),
        named("StopRequested: end", MachineAct::Stop(true)),
        named("RoundInterrupted", MachineAct::Interrupt),
        named("CompactionRequested", Input::CompactionRequested { author: "ann".into() }.into()),
        named("TimeReached: too early", MachineAct::Time),
        named("TimeReached", MachineAct::Wake),
        named("TaskFinished", MachineAct::TaskEnds),
        named("MissionContinued", mission_continued_act()),
        named("MissionEnded", mission_halted_act()),
        named("ChildEnded", MachineAct::ChildEnds),
        named("BudgetReached", MachineAct::TooLarge),
        named("SpendingRefused", MachineAct::TooExpensive),
        named("SpendingAnswered", spending_answered()),
        named("UsageSettled", usage_settled()),
        named("ContextCompacted", MachineAct::Compacted),
        named("CompactionFailed: a faulty answer", MachineAct::SummaryIsFaulty),
        named("CompactionFailed: a piece of more", MachineAct::PieceIsRead),
        named("CompactionFailed", MachineAct::CompactionFails),
        named(
            "RulesChanged",
            Input::RulesChanged(Box::new(RulesChange {
                notice: Some("new".into()),
                prefix: Some(Digest::new("p2")),
                ..RulesChange::default()
            }))
            .into(),
        ),
        named("SessionCopied", copied()),
        named("MessagesRead", Input::MessagesRead { reader: "ann".into(), sequence: 1 }.into()),
        named("MessageWithdrawn", withdrawn()),
        named("EndSeen", Input::EndSeen { author: "ann".into() }.into()),
        named("DecisionCommented", commented()),
        named("SessionOpened", opened(false)),
        named("SessionOpened: asks for a slot", opened(true)),
        named("SessionLeft", Input::SessionLeft { author: "ann".into(), attachment: "tab".into() }.into()),
        named("SchedulerHeartbeat", MachineAct::Heartbeat),
    ]
}

/// The session becomes a fork of another one.
fn copied() -> MachineAct {
    Input::SessionCopied {
        from: SessionId::new("ses_original"),
        at: 1,
        how: SessionCopyOrigin::Fork,
        author: "ann".into(),
        policy: None,
        counts_authors: true,
        call: None,
    }
    .into()
}

/// The policy answers about a call that does not wait for it.
fn policy_answered() -> MachineAct {
    let answer = PolicyAnswer {
        decision: PolicyDecision::Deny,
        reason: None,
        version: None,
        approvers: Vec::new(),
        quorum: 1,
        command_id: Digest::new("c1"),
        at: Timestamp(0),
    };
    let (call, answer) = (SessionId::new("ses_t").call_id(1, 0), Box::new(answer));
    Input::PolicyAnswered { call, answer, reasons: Vec::new(), card: None }.into()
}

/// Ann settles a call that has no unknown outcome.
fn settled() -> MachineAct {
    let (call, command) = (SessionId::new("ses_t").call_id(1, 0), "once".to_owned());
    Input::CallSettled { call, command, happened: true, note: None, author: "ann".into() }.into()
}

/// Ann stops a session that does not ask her.
fn spending_answered() -> MachineAct {
    Input::SpendingAnswered { author: "ann".into(), answer: SpendingAnswer::Stop }.into()
}

/// Ann states what a call used whose usage is known.
fn usage_settled() -> MachineAct {
    Input::UsageSettled { author: "ann".into(), round: 1, attempt: 1, usage: Usage::default() }.into()
}

/// Ann withdraws a message that does not wait.
fn withdrawn() -> MachineAct {
    Input::MessageWithdrawn { author: "ann".into(), message: SessionId::new("ses_t").message_id(1, 0) }.into()
}

/// Ann gives a reason for a decision on the first call.
fn commented() -> MachineAct {
    let (call, comment) = (SessionId::new("ses_t").call_id(1, 0), "Not on a Friday.".to_owned());
    Input::DecisionCommented { author: "ann".into(), call, comment }.into()
}

/// Ann opens the session for a long time.
fn opened(asks_slot: bool) -> MachineAct {
    let until = Timestamp(2_000_000_000_000);
    Input::SessionOpened(SessionOpening { author: "ann".into(), attachment: "tab".into(), until, asks_slot })
        .into()
}
