//! The effect of a task's end on its session: every phase, kind, dialect and slot.

use entracte_domain::id::TaskId;
use entracte_domain::message::{MessageBody, SystemKind};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    EndReason, IgnoreReason, Input, JournalNote, LogAppend, ParkReason, Phase, PhaseLabel, SessionKind, Slot,
    standing,
};
use entracte_domain::task::TaskOutcome;
use entracte_domain::time::{Deadline, Millis, Timestamp};
use entracte_tests::machine::{
    ActApprovalChoice, ActCallOutcome, MachineAct, MachineRun, calls, completed, decide, fails, message_with,
    once, one_of_each_phase, outcome, query, text,
};

use super::doc_tables::table;

/// The news of a task: its outcome, and whether it is late.
const NEWS: [(TaskOutcome, bool); 7] = [
    (TaskOutcome::Completed, false),
    (TaskOutcome::Failed, false),
    (TaskOutcome::Expired, false),
    (TaskOutcome::Cancelled, false),
    (TaskOutcome::Completed, true),
    (TaskOutcome::Failed, true),
    (TaskOutcome::Cancelled, true),
];

fn slots() -> [Slot; 4] {
    [Slot::Held, Slot::None, Slot::Queued(Timestamp(0)), Slot::Suspended(Timestamp(0))]
}

fn told(outcome: TaskOutcome, late: bool) -> Input {
    Input::TaskFinished { task: TaskId::new("tsk_long"), outcome, late, content: "made".into() }
}

/// The name of a state on the page.
fn place(run: &MachineRun) -> String {
    let label = run.phase.label().word();
    match &run.phase {
        Phase::Parked(why) => {
            let why = match why {
                ParkReason::Exhausted(_) => "no credit",
                ParkReason::Interrupted => "interrupted",
                ParkReason::Quarantined => "quarantined",
                ParkReason::Spending(_) => "soft line",
            };
            format!("{label}, parked: {why}")
        }
        Phase::AwaitingSessionClosure { reason, .. } => format!("{label}, {}", reason.word()),
        _ => label.to_owned(),
    }
}

/// Sessions of every kind and dialect in each phase, each with an open task.
fn states() -> Vec<MachineRun> {
    let mut states = Vec::new();
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent] {
        let mut runs: Vec<MachineRun> = one_of_each_phase(kind).into_iter().map(|(_, run)| run).collect();
        if kind != SessionKind::Chat {
            runs.extend(closing(kind));
            runs.extend(parked(kind));
        }
        for run in runs {
            states.push(run.clone());
            states.push(in_tools(run));
        }
    }
    states.retain(|run| run.facts.sequence > 0 || run.phase.label() == PhaseLabel::Idle);
    for run in &mut states {
        run.last.clear();
        run.facts.tasks = vec![TaskId::new("tsk_long")];
    }
    states
}

fn in_tools(mut run: MachineRun) -> MachineRun {
    run.facts.dialect = entracte_domain::session::Dialect::Tools;
    run
}

fn closing(kind: SessionKind) -> Vec<MachineRun> {
    let reasons = EndReason::ALL;
    let of = |reason| {
        let mut run = MachineRun::new(kind).after_user_message();
        let close = Deadline::after(run.now, Millis::seconds(5));
        run.phase = Phase::AwaitingSessionClosure { reason, close };
        run
    };
    reasons.into_iter().map(of).collect()
}

fn parked(kind: SessionKind) -> Vec<MachineRun> {
    let whys = [ParkReason::Exhausted("no credit".into()), ParkReason::Interrupted, ParkReason::Quarantined];
    let of = |why| {
        let mut run = MachineRun::new(kind).after_user_message().after_act(MachineAct::Interrupt);
        run.phase = Phase::Parked(why);
        run
    };
    whys.into_iter().map(of).collect()
}

/// Each phase with each news, for every slot: exactly one rule of the page applies, and describes the behaviour.
pub(crate) fn every_cell_is_as_the_page_says() {
    let rules = table("What becomes of the session");
    let mut seen = vec![false; rules.len()];
    for state in states() {
        for slot in slots() {
            let mut before = state.clone();
            before.facts.slot = slot;
            let name = place(&before);
            let Some(at) = rules.iter().position(|rule| rule[0] == name) else {
                panic!("{name}: no rule of the page");
            };
            seen[at] = true;
            for (outcome, late) in NEWS {
                let is_called_off = outcome == TaskOutcome::Cancelled && !late;
                let expected = if is_called_off { &rules[at][2] } else { &rules[at][1] };
                check(&before, (outcome, late), expected);
            }
        }
    }
    let unseen: Vec<&String> =
        rules.iter().zip(seen).filter(|(_, seen)| !seen).map(|(rule, _)| &rule[0]).collect();
    assert_eq!(unseen, Vec::<&String>::new(), "no session stands so");
}

fn check(before: &MachineRun, (outcome, late): (TaskOutcome, bool), expected: &str) {
    let mut after = before.clone();
    after.feed(told(outcome, late));
    let what = format!(
        "{:?} {:?} {:?} {}: {outcome:?}, late {late}",
        before.facts.kind,
        before.facts.dialect,
        before.facts.slot,
        place(before)
    );
    assert_eq!(effect(before, &after), expected, "{what}");
    if expected != "row only" {
        assert_eq!(results(&after.last), 1, "{what}: what the task says stands in the conversation once");
    }
    // The process was killed before the commit: the same again. It was killed after it: the input is ignored.
    let mut again = before.clone();
    again.feed(told(outcome, late));
    assert_eq!((&again.facts, &again.phase), (&after.facts, &after.phase), "{what}");
    let mut twice = after.clone();
    twice.feed(told(TaskOutcome::Completed, false));
    let is_over = matches!(outcome, TaskOutcome::Cancelled | TaskOutcome::Expired) && !late;
    match (expected, is_over) {
        ("row only", _) => assert_eq!(twice.ignored, Some(IgnoreReason::Ended), "{what}"),
        // Further messages may arrive; the task's row records once that it is news.
        (_, true) => assert_eq!(twice.ignored, None, "{what}"),
        (_, false) => assert_eq!(twice.ignored, Some(IgnoreReason::Stale), "{what}"),
    }
}

/// The effect of the news, as the page names it.
fn effect(before: &MachineRun, after: &MachineRun) -> &'static str {
    if after.ignored.is_some() {
        return "row only";
    }
    let begun = |appended: &LogAppend| {
        matches!(appended, LogAppend::Note(JournalNote::RoundStarted { .. } | JournalNote::LimitReached(_)))
    };
    if after.last.iter().any(begun)
        || after.phase.label() == PhaseLabel::ExecutingEnrichments
            && before.phase.label() != PhaseLabel::ExecutingEnrichments
    {
        assert!(!after.facts.owes_round, "a round that begins reads all that is owed");
        return "begins";
    }
    assert_eq!(before.phase.label(), after.phase.label());
    if after.facts.owes_round { "owed" } else { "appended" }
}

fn results(appended: &[LogAppend]) -> usize {
    let is_result = |appended: &&LogAppend| match appended {
        LogAppend::Message(message) => {
            matches!(&message.body, MessageBody::System(system) if system.kind == SystemKind::TaskResult)
        }
        LogAppend::Note(_) => false,
    };
    appended.iter().filter(is_result).count()
}

/// News in any phase is read by a model call that starts after it, unless the session ends before.
#[test]
fn result_in_every_phase_is_read() {
    for state in states() {
        let mut run = state.clone();
        run.feed(told(TaskOutcome::Completed, false));
        let what = format!("{:?} {}", state.facts.kind, place(&state));
        let closes = matches!(&run.phase, Phase::Completed { .. } | Phase::AwaitingSessionClosure { .. });
        if closes || run.phase.batch().is_some_and(|batch| batch.halt.is_some()) {
            continue;
        }
        for _ in 0..40 {
            if !run.facts.owes_round {
                break;
            }
            let act = next(&run);
            run.apply_act(&act);
        }
        assert!(!run.facts.owes_round, "{what}: nobody reads it; it stands in {}", place(&run));
        assert!(!matches!(run.phase, Phase::Completed { .. }), "{what}: it ended unread");
    }
}

/// The next act if everything goes well.
fn next(run: &MachineRun) -> MachineAct {
    if run.facts.slot != Slot::Held && standing(&run.facts, &run.phase).word() != "open" {
        return MachineAct::Slot(Slot::Held);
    }
    match &run.phase {
        Phase::Idle | Phase::Parked(_) => MachineAct::Activate,
        Phase::CallingAi(round) if round.started_at.is_none() => MachineAct::Slot(Slot::Held),
        Phase::CallingAi(_) if run.facts.kind == SessionKind::Chat => text().into(),
        Phase::CallingAi(_) => completed().into(),
        Phase::CompactingContext { .. } => MachineAct::Compacted,
        Phase::WaitingValidation { .. } => decide(0, ActApprovalChoice::Yes),
        Phase::WaitingCommunicationResponse { .. } => MachineAct::Answer,
        Phase::WaitingNetworkRetry { .. } => MachineAct::NetworkBack,
        Phase::ExecutingEnrichments(_) | Phase::ExecutingDataQueries(_) | Phase::ExecutingActions(_) => {
            outcome(0, ActCallOutcome::Succeeds)
        }
        Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => MachineAct::Wake,
    }
}

/// A chat in the envelope rests after its actions; news that arrived meanwhile is read first.
#[test]
fn chat_reads_news_of_its_action_before_resting() {
    let mut run = MachineRun::new(SessionKind::Chat).after_user_message().after_act(calls([once()]));
    run.facts.tasks = vec![TaskId::new("tsk_long")];
    run.feed(told(TaskOutcome::Completed, false));
    let run = run.after_act(outcome(0, ActCallOutcome::Succeeds));
    assert_eq!(run.phase.label(), PhaseLabel::CallingAi);
    assert!(!run.facts.owes_round);
}

/// Halting: an interrupt keeps unread news, an end does not.
#[test]
fn interrupt_keeps_unread_news() {
    let mut run = MachineRun::new(SessionKind::Chat).after_user_message().after_act(calls([once()]));
    run.facts.tasks = vec![TaskId::new("tsk_long")];
    run.feed(told(TaskOutcome::Completed, false));
    let rested = run.clone().after_act(MachineAct::Interrupt).after_act(outcome(0, ActCallOutcome::Succeeds));
    assert_eq!((rested.phase.label(), rested.facts.owes_round), (PhaseLabel::Idle, true));
    let resumed = rested.after_act(MachineAct::Activate);
    assert_eq!((resumed.phase.label(), resumed.facts.owes_round), (PhaseLabel::CallingAi, false));
    let ended = run.after_act(MachineAct::Stop(true)).after_act(outcome(0, ActCallOutcome::Succeeds));
    assert_eq!(ended.phase.label(), PhaseLabel::Completed);
}

/// A run that reports completion while a result is unread does not complete.
#[test]
fn a_run_does_not_complete_unread() {
    let mut run = MachineRun::new(SessionKind::Automation).after_user_message();
    run.facts.tasks = vec![TaskId::new("tsk_long")];
    run.feed(told(TaskOutcome::Completed, false));
    let run = run.after_act(completed());
    assert_eq!(run.phase.label(), PhaseLabel::CallingAi);
    let run = run.after_act(completed());
    assert_eq!(run.phase.label(), PhaseLabel::WaitingCompletionConfirmation);
}

/// Network failures and enrichments do not lose unread news either.
#[test]
fn unread_news_survives_failed_call() {
    let mut run = MachineRun::new(SessionKind::Chat).after_act(message_with(query("a")));
    run.facts.tasks = vec![TaskId::new("tsk_long")];
    run.feed(told(TaskOutcome::Failed, false));
    assert!(run.facts.owes_round);
    let run = run.after_act(outcome(0, ActCallOutcome::Succeeds));
    assert_eq!((run.phase.label(), run.facts.owes_round), (PhaseLabel::CallingAi, false));
    let mut failing = MachineRun::new(SessionKind::Chat).after_user_message();
    failing.facts.tasks = vec![TaskId::new("tsk_long")];
    failing.feed(told(TaskOutcome::Failed, false));
    let failed = failing.after_act(fails(FailureClass::Refused));
    assert_eq!((failed.phase.label(), failed.facts.owes_round), (PhaseLabel::Idle, true));
    let resumed = failed.after_act(MachineAct::Activate);
    assert_eq!((resumed.phase.label(), resumed.facts.owes_round), (PhaseLabel::CallingAi, false));
}
