//! Random histories with stale, duplicate and late inputs, and the invariants that hold for all of them.
//!
//! A history is a list of numbers; each selects among the acts that are possible in the current state, so histories
//! stay realistic and shrink well. Every history is checked as a whole and after each act.

use std::collections::HashMap;

use entracte_domain::call::{Call, CallState, CallStatus, CallStep};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::{CallId, RoundAttempt};
use entracte_domain::message::MessageBody;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Effect, Input, JournalNote, LogAppend, Phase, PhaseLabel, ReplayInput, SessionKind, Slot, deadline_at,
    desired_effects, may_work, replay,
};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::PolicyDecision;
use entracte_tests::machine::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Every act in any state: most do not apply and must change nothing.
fn any_act(choice: usize) -> MachineAct {
    let outcomes = [
        ActCallOutcome::Succeeds,
        ActCallOutcome::Accepted,
        ActCallOutcome::Fails,
        ActCallOutcome::FailsForNow,
        ActCallOutcome::TimesOut,
        ActCallOutcome::Lost,
        ActCallOutcome::LostInCrash,
        ActCallOutcome::Happened,
        ActCallOutcome::DidNotHappen,
        ActCallOutcome::NobodyKnows,
    ];
    let choices = [
        ActApprovalChoice::Yes,
        ActApprovalChoice::Edit(2),
        ActApprovalChoice::No,
        ActApprovalChoice::NoBecause,
    ];
    let rest = choice / 16;
    match choice % 16 {
        0 => message(),
        1 => message_with(query("b")),
        2..=5 => reply(rest).into(),
        6 | 7 => outcome(rest % 3, outcomes[rest / 3 % outcomes.len()]),
        8 => fails(FailureClass::ALL[rest % FailureClass::ALL.len()]),
        9 => decide(rest % 3, choices[rest / 3 % choices.len()]),
        10 => MachineAct::Wake,
        11 => [
            MachineAct::Slot(Slot::None),
            MachineAct::Slot(Slot::Held),
            MachineAct::Slot(Slot::Suspended(Timestamp(0))),
        ][rest % 3]
            .clone(),
        12 => [MachineAct::Wait(1_000), MachineAct::Wait(90_000_000), MachineAct::Restart][rest % 3].clone(),
        13 => {
            [MachineAct::Stop(false), MachineAct::Stop(true), MachineAct::Interrupt, MachineAct::SystemError]
                [rest % 4]
                .clone()
        }
        14 => [
            MachineAct::Activate,
            MachineAct::Answer,
            MachineAct::Confirm,
            MachineAct::RejectCompletion,
            MachineAct::Settle,
        ][rest % 5]
            .clone(),
        _ => {
            let others = [
                MachineAct::NetworkBack,
                MachineAct::TaskEnds,
                MachineAct::TooLarge,
                MachineAct::Compacted,
                MachineAct::SummaryIsFaulty,
                MachineAct::CompactionFails,
                MachineAct::Heartbeat,
                MachineAct::Time,
            ];
            others[rest % others.len()].clone()
        }
    }
}

fn reply(choice: usize) -> MachineModelReply {
    let replies = [
        text(),
        completed(),
        question(),
        malformed("json"),
        calls([query("a")]),
        calls([query("a"), query("a"), query("web").guarded()]),
        calls([local(), local().guarded().with(2)]).keep_control(),
        calls([once().guarded(), once().guarded()]),
        calls([once(), idem().guarded()]).post_text(),
        calls([idem().independent(), probe().independent(), once().independent()]),
        calls([query("a"), probe().guarded()]),
        calls([once().policed(), local().policed().guarded(), query("a").policed()]),
        calls([local().refused(CallStatus::InvalidArguments), local().twin(1_000, false)]),
    ];
    replies[choice % replies.len()].clone()
}

/// An act that makes progress: an outcome of running work, otherwise a wake-up, a slot or a person.
fn likely_act(run: &MachineRun, choice: usize) -> MachineAct {
    let effects = desired_effects(&run.facts, &run.phase, run.now);
    let place = |id: &CallId| {
        let calls = run.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
        calls.iter().position(|call| call.id == *id).unwrap_or_default()
    };
    match effects.get(choice % effects.len().max(1)) {
        Some(Effect::CallModel { .. }) => reply(choice).into(),
        Some(Effect::Compact { .. }) => MachineAct::Compacted,
        Some(Effect::AskCall { call, .. }) => outcome(place(call), ActCallOutcome::DidNotHappen),
        Some(Effect::AskPolicy { call, .. }) => {
            policy_answers(place(call), PolicyDecision::ALL[choice % PolicyDecision::ALL.len()])
        }
        Some(Effect::RunCall { call, .. } | Effect::PlanCall { call }) => {
            let all = [
                ActCallOutcome::Succeeds,
                ActCallOutcome::Succeeds,
                ActCallOutcome::Fails,
                ActCallOutcome::Lost,
            ];
            outcome(place(call), all[choice % all.len()])
        }
        None if !may_work(&run.facts) => MachineAct::Slot(Slot::Held),
        None if run.phase.waits_for_person() => {
            [decide(0, ActApprovalChoice::Yes), decide(1, ActApprovalChoice::Yes), MachineAct::Answer]
                [choice % 3]
                .clone()
        }
        None if deadline_at(&run.facts, &run.phase, &run.rules).is_some() => MachineAct::Wake,
        None => message(),
    }
}

/// The start of a history under these rules.
fn begin(kind: SessionKind, strict: bool, tools: bool) -> MachineRun {
    let run = MachineRun::new(kind).after_act(session_created_act());
    let run = if strict { run.strict() } else { run };
    let run = run.rules(|rules| rules.message_queue = 3);
    let mut run = run;
    if tools {
        // As if the session had been created with native tool calls.
        run = MachineRun { taken: Vec::new(), ..MachineRun::new(kind).tools() }
            .rules(|rules| *rules = run.rules.clone());
    }
    run
}

/// Plays a history and checks every step.
fn tell(mut run: MachineRun, story: &[usize]) -> MachineRun {
    for number in story {
        // Two of three acts make progress in the current state; the others are arbitrary.
        let act = if number % 3 == 0 { any_act(number / 3) } else { likely_act(&run, number / 3) };
        for input in run.inputs_for_act(&act) {
            one_step(&mut run, input, &act);
        }
        if run.inputs_for_act(&act).is_empty() {
            run.apply_act(&act);
        }
    }
    run
}

fn one_step(run: &mut MachineRun, input: Input, act: &MachineAct) {
    if *act == MachineAct::Wake {
        run.now = deadline_at(&run.facts, &run.phase, &run.rules).unwrap_or(run.now).max(run.now);
    }
    let before = run.clone();
    run.feed(input.clone());
    if run.ignored.is_some() {
        assert_eq!(
            (&run.facts, &run.phase),
            (&before.facts, &before.phase),
            "an ignored input changes nothing"
        );
        return;
    }
    assert_eq!(run.facts.sequence, before.facts.sequence + 1);
    ledger_is_the_batch(run);
    guarded_calls_had_approval(&before, run);
    policed_calls_had_answer(run);
    effects_are_started_work(run);
    deadlines_belong_to_waits(run);
    duplicates_are_ignored(run, &input);
    let limit = run.rules.rounds;
    assert!(run.facts.counters.rounds_since_human <= limit + 1, "rounds beyond the limit");
}

fn ledger_is_the_batch(run: &MachineRun) {
    for call in run.phase.batch().iter().flat_map(|batch| &batch.calls) {
        let row = run.ledger.iter().find(|row| row.id == call.id);
        assert_eq!(row, Some(call), "the ledger shows each call as it stands");
        let once = call.effect_class() == EffectClass::Once;
        assert!(!once || call.attempt <= 1, "an action of class once starts once");
    }
}

fn guarded_calls_had_approval(before: &MachineRun, run: &MachineRun) {
    for call in run.ledger.iter().filter(|call| !call.reasons.is_empty()) {
        let known = before.ledger.iter().find(|row| row.id == call.id);
        if known == Some(call) {
            continue;
        }
        match &call.state {
            CallState::Started { spent, .. } => assert!(spent.is_some(), "{call:?}"),
            CallState::Finished { result, .. } if result.status == CallStatus::Succeeded => {
                let had_approval = known.is_some_and(|known| match &known.state {
                    CallState::Approved(approval) => !approval.expires.is_due(run.now),
                    CallState::Started { spent, .. } => spent.is_some(),
                    _ => false,
                });
                assert!(had_approval, "{call:?}");
            }
            _ => {}
        }
    }
}

/// A call that the policy is asked about starts only after an answer about its own arguments, which does not refuse it,
/// and after a person's approval where the policy asks for one.
fn policed_calls_had_answer(run: &MachineRun) {
    for call in run.ledger.iter().filter(|call| call.is_started()) {
        let Some(check) = &call.policy else { continue };
        let answer = check.answer();
        let is_about_it = answer.is_some_and(|answer| answer.command_id == *call.effective_command_id());
        let may_start = match answer.map(|answer| &answer.decision) {
            Some(PolicyDecision::Allow) => true,
            Some(PolicyDecision::Ask | PolicyDecision::NoAnswer) => call.decision().is_some(),
            Some(PolicyDecision::Deny) | None => false,
        };
        assert!(is_about_it && may_start, "{call:?}");
    }
}

fn effects_are_started_work(run: &MachineRun) {
    let call = |id: &CallId| run.phase.batch().and_then(|batch| batch.call(id)).cloned();
    let is = |call: Option<Call>, wanted: CallStep| {
        call.is_some_and(|call| matches!(call.state, CallState::Started { step, .. } if step == wanted))
    };
    for effect in desired_effects(&run.facts, &run.phase, run.now) {
        let right = match &effect {
            Effect::CallModel { round, attempt, .. } | Effect::Compact { round, attempt, .. } => run
                .phase
                .round()
                .is_some_and(|open| open.is_open(RoundAttempt { round: *round, attempt: *attempt })),
            Effect::RunCall { call: id, .. } => is(call(id), CallStep::Run),
            Effect::AskCall { call: id, .. } => is(call(id), CallStep::Ask),
            Effect::AskPolicy { call: id, .. } => {
                may_work(&run.facts) && call(id).is_some_and(|call| call.awaits_policy())
            }
            Effect::PlanCall { call: id } => {
                may_work(&run.facts) && call(id).is_some_and(|call| call.effect_class() == EffectClass::Local)
            }
        };
        assert!(right, "{effect:?} in {}", show_phase(&run.phase));
    }
}

fn deadlines_belong_to_waits(run: &MachineRun) {
    let wake = deadline_at(&run.facts, &run.phase, &run.rules);
    match &run.phase {
        Phase::Idle | Phase::Parked(_) | Phase::Completed { .. } | Phase::WaitingTask => {
            assert_eq!(wake, None)
        }
        Phase::WaitingValidation { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. } => assert!(wake.is_some()),
        Phase::CallingAi(_)
        | Phase::CompactingContext { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingEnrichments(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_) => {}
    }
}

fn duplicates_are_ignored(run: &MachineRun, input: &Input) {
    let is_answer = matches!(
        input,
        Input::AiResponseReceived(_)
            | Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::CallFinished { .. }
            | Input::ValidationReceived { .. }
            | Input::CommunicationResponseReceived { .. }
    );
    if is_answer {
        let mut again = run.clone();
        again.feed(input.clone());
        assert!(again.ignored.is_some(), "{} counted twice", input.label());
    }
}

/// The number of results per call in all messages.
fn told(run: &MachineRun) -> HashMap<CallId, usize> {
    let mut told = HashMap::new();
    for entry in &run.log {
        if let LogAppend::Message(message) = entry
            && let MessageBody::System(system) = &message.body
        {
            for result in &system.results {
                *told.entry(result.call.clone()).or_default() += 1;
            }
        }
    }
    told
}

/// Checks a whole history.
fn whole_story(run: &MachineRun) {
    let told = told(run);
    let open: Vec<&CallId> =
        run.phase.batch().iter().flat_map(|batch| &batch.calls).map(|call| &call.id).collect();
    for call in &run.ledger {
        let times = told.get(&call.id).copied().unwrap_or(0);
        if open.contains(&&call.id) {
            assert_eq!(times, 0, "told before its batch ended: {call:?}");
        } else {
            assert!(call.is_finished(), "{call:?}");
            assert_eq!(times, 1, "one message brings each result: {call:?}");
        }
    }
    let mut ids: Vec<&CallId> = run.ledger.iter().map(|call| &call.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), run.ledger.len(), "each call has its own id");
    let sent = run.taken.iter().filter(|(_, input)| matches!(input, Input::UserMessageSent(_))).count();
    let joined: usize = run
        .log
        .iter()
        .map(|entry| match entry {
            LogAppend::Note(JournalNote::MessagesJoined(ids)) => ids.len(),
            LogAppend::Note(_) | LogAppend::Message(_) => 0,
        })
        .sum();
    assert_eq!(joined + run.facts.queue.len(), sent, "queued and joined messages are the sent ones");
    let queries_unknown = run.ledger.iter().any(|call| {
        call.kind == CommandKind::Query
            && call.result().is_some_and(|result| result.status == CallStatus::Unknown)
    });
    assert!(!queries_unknown, "a query has no unknown outcome");
}

fn replays(run: &MachineRun) {
    let stamped = run.taken.iter().map(|(now, input)| ReplayInput {
        seq: 0,
        now: *now,
        rules: &run.rules,
        input: input.clone(),
    });
    let (facts, phase) = replay(run.made.clone(), stamped);
    assert_eq!((&facts, &phase), (&run.facts, &run.phase), "the journal alone gives the state");
}

fn kinds() -> impl Strategy<Value = SessionKind> {
    prop_oneof![
        3 => Just(SessionKind::Chat),
        3 => Just(SessionKind::Automation),
        1 => Just(SessionKind::Agent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_261_120),
        ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens(
        kind in kinds(),
        strict in any::<bool>(),
        tools in any::<bool>(),
        story in prop::collection::vec(0usize..100_000, 1..80),
    ) {
        let run = tell(begin(kind, strict, tools), &story);
        whole_story(&run);
        replays(&run);
    }

    #[test]
    fn once_a_session_is_stopped_nothing_is_open(
        kind in kinds(),
        story in prop::collection::vec(0usize..100_000, 1..60),
    ) {
        let run = tell(begin(kind, false, false), &story).after_act(MachineAct::Stop(true)).after_act(MachineAct::Stop(true));
        prop_assert_eq!(run.phase.label(), PhaseLabel::Completed);
        prop_assert!(run.ledger.iter().all(Call::is_finished));
        whole_story(&run);
        prop_assert_eq!(desired_effects(&run.facts, &run.phase, run.now), []);
    }

    #[test]
    fn late_inputs_of_other_history_are_ignored(
        kind in kinds(),
        story in prop::collection::vec(0usize..100_000, 1..40),
        late in prop::collection::vec(0usize..1_000, 1..20),
    ) {
        let mut run = tell(begin(kind, true, false), &story);
        let journal: Vec<Input> = run.taken.iter().map(|(_, input)| input.clone()).collect();
        for number in late {
            let Some(input) = journal.get(number % journal.len().max(1)) else { continue };
            one_step(&mut run, input.clone(), &MachineAct::Time);
        }
        whole_story(&run);
        replays(&run);
    }
}
