//! The decisions of a starting process for every open session.

use super::check;
use entracte_domain::call::CallState;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{CrashRecoveryPolicy, ParkReason, Phase, desired_effects};
use entracte_tests::machine::{ActCallOutcome::*, *};

#[test]
fn open_model_call_attempt_is_repeated() {
    let die = [MachineAct::Wait(1), MachineAct::Restart];
    check(chat().after_user_message(), MachineAct::Restart, "CALLING_AI USER_MESSAGE #2");
    let twice = |session: MachineRun| session.after_user_message().after_repeated_acts(2, &die);
    assert_eq!(twice(chat()).show(), "CALLING_AI USER_MESSAGE #3");
    assert_eq!(twice(automation()).show(), "CALLING_AI USER_MESSAGE #3");
    // A third start that crashes in the same call is one too many.
    check(twice(chat()).after_act(MachineAct::Wait(1)), MachineAct::Restart, "PROVIDER_ERROR -> IDLE");
    let run = twice(automation()).after_act(MachineAct::Wait(1)).after_act(MachineAct::Restart);
    assert_eq!(run.phase, Phase::Parked(ParkReason::Quarantined));
    check(run, MachineAct::Activate, "CALLING_AI RESUME");
    // The cost of our own crash is not attributed to the provider.
    let lost = || MachineAct::ModelFails { class: FailureClass::Lost, retry_after: None };
    check(twice(chat()), lost(), "CALLING_AI USER_MESSAGE #4");
    check(twice(chat()).after_act(lost()), lost(), "PROVIDER_ERROR -> IDLE");
    // If the process lost the reply twice without a crash, that is an ordinary failure.
    check(
        chat().after_user_message().after_act(MachineAct::Restart),
        MachineAct::Restart,
        "CALLING_AI USER_MESSAGE #3",
    );
    check(
        chat().after_user_message().after_repeated_acts(2, &[MachineAct::Restart]),
        MachineAct::Restart,
        "PROVIDER_ERROR -> IDLE",
    );
}

#[test]
fn rules_of_before_replay_own_crashes_as_lost() {
    let before = || chat().rules(|rules| rules.own_crash = CrashRecoveryPolicy::IsLost).after_user_message();
    let die = [MachineAct::Wait(1), MachineAct::Restart];
    check(
        before().after_repeated_acts(1, &die).after_act(MachineAct::Wait(1)),
        MachineAct::Restart,
        "PROVIDER_ERROR -> IDLE",
    );
}

#[test]
fn missing_results_of_queries_are_read_again() {
    let reading = chat()
        .after_user_message()
        .after_act(calls([query("a"), query("b")]))
        .after_act(outcome(0, Succeeds));
    check(reading.clone(), MachineAct::Restart, "EXECUTING_DATA_QUERIES [a=succeeded b=delayed]");
    check(
        reading.after_act(MachineAct::Restart),
        MachineAct::Wake,
        "EXECUTING_DATA_QUERIES [a=succeeded b=started#2]",
    );
}

#[test]
fn restored_actions_never_rerun() {
    let all = [once(), once().named("other").independent(), idem().independent(), probe().independent()];
    let acting = chat().after_user_message().after_act(calls(all));
    let before = "EXECUTING_ACTIONS [once=started other=started idem=started probe=started]";
    assert_eq!(acting.show(), before);
    let restored = acting.after_act(MachineAct::Restart);
    assert_eq!(restored.show(), "EXECUTING_ACTIONS [once=unknown other=unknown idem=delayed probe=delayed]");
    assert_eq!(desired_effects(&restored.facts, &restored.phase, restored.now), []);
    let settled = restored.after_act(MachineAct::Wake).after_act(MachineAct::Wake);
    assert_eq!(settled.show(), "EXECUTING_ACTIONS [once=unknown other=unknown idem=started#2 probe=asked#2]");
    let told = settled.after_act(outcome(2, Succeeds)).after_act(outcome(3, Happened));
    assert_eq!(
        told.show(),
        "ACTIONS_EXECUTED[once=unknown other=unknown idem=succeeded probe=succeeded] -> CALLING_AI ACTION_FAILURE",
        "the model reads which happened and which nobody knows"
    );
}

#[test]
fn recovery_uses_recorded_effect_class() {
    let acting = chat().after_user_message().after_act(calls([idem()]));
    let recorded = |run: &MachineRun| run.ledger[0].terms.clone();
    let before = recorded(&acting);
    let restored = acting.after_act(MachineAct::Restart);
    assert_eq!(recorded(&restored), before);
    assert!(matches!(restored.ledger[0].state, CallState::Delayed { .. }));
}

#[test]
fn waits_stay_as_they_are() {
    for waiting in [
        chat().after_user_message().after_act(question()),
        chat().after_user_message().after_act(calls([once().guarded()])),
        automation().after_user_message().after_act(completed()),
        automation()
            .after_user_message()
            .after_act(fails(entracte_domain::session::failure::FailureClass::Unreachable)),
    ] {
        assert_eq!(waiting.inputs_for_act(&MachineAct::Restart), []);
    }
}

#[test]
fn three_crashes_at_same_point_quarantine_session() {
    let die = [MachineAct::Wait(1), MachineAct::Restart, MachineAct::Wake];
    let reading =
        |session: MachineRun| session.after_user_message().after_act(calls([query("a"), query("b")]));
    let twice = reading(chat()).after_repeated_acts(2, &die);
    assert_eq!(twice.show(), "EXECUTING_DATA_QUERIES [a=started#3 b=started#3]");
    let cancelled = "DATA_ADDED[a=cancelled b=cancelled] -> IDLE";
    check(twice.after_act(MachineAct::Wait(1)), MachineAct::Restart, cancelled);
    let run = reading(automation())
        .after_repeated_acts(2, &die)
        .after_act(MachineAct::Wait(1))
        .after_act(MachineAct::Restart);
    assert_eq!(run.phase, Phase::Parked(ParkReason::Quarantined));
    check(run, MachineAct::Activate, "CALLING_AI RESUME");
    let got_on = reading(chat())
        .after_repeated_acts(2, &die)
        .after_act(outcome(0, Succeeds))
        .after_act(MachineAct::Wait(1));
    check(got_on, MachineAct::Restart, "EXECUTING_DATA_QUERIES [a=succeeded#3 b=delayed#3]");
}
