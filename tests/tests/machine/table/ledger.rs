//! No action twice: the effect of each outcome for each effect class.

use super::check;
use entracte_domain::command::EffectClass;
use entracte_domain::session::{EndReason, LostReadPolicy, Slot, UnknownOutcomePolicy};
use entracte_tests::machine::{ActCallOutcome::*, *};

const GOES_ON: &str = "CALLING_AI ACTION_RESULT";

/// A run with this action in progress.
fn acting(ask: MachineCommandRequest) -> MachineRun {
    automation().after_user_message().after_act(calls([ask]))
}

/// Checks the effect of one outcome.
#[track_caller]
fn ends(ask: MachineCommandRequest, what: ActCallOutcome, expected: &str) {
    check(acting(ask), outcome(0, what), expected);
}

#[test]
fn a_local_action_is_planned_and_never_started() {
    assert_eq!(acting(local()).show(), "EXECUTING_ACTIONS [local=proposed]");
    ends(local(), Succeeds, &format!("ACTIONS_EXECUTED[local=succeeded] -> {GOES_ON}"));
    ends(local(), Fails, "ACTIONS_EXECUTED[local=failed] -> CALLING_AI ACTION_FAILURE");
    for no_outcome_of_a_plan in [Accepted, TimesOut, Lost, LostInCrash, Happened, DidNotHappen, NobodyKnows] {
        ends(local(), no_outcome_of_a_plan, "ignored: Stale");
    }
}

#[test]
fn idempotent_action_is_retried_with_same_key() {
    let again = "EXECUTING_ACTIONS [idem=delayed]";
    ends(idem(), Succeeds, &format!("ACTIONS_EXECUTED[idem=succeeded] -> {GOES_ON}"));
    ends(idem(), Fails, "ACTIONS_EXECUTED[idem=failed] -> CALLING_AI ACTION_FAILURE");
    for worth_another_try in [FailsForNow, TimesOut, Lost, LostInCrash] {
        ends(idem(), worth_another_try, again);
    }
    check(acting(idem()).after_act(outcome(0, Lost)), MachineAct::Wake, "EXECUTING_ACTIONS [idem=started#2]");
    let retried = acting(idem()).after_repeated_acts(3, &[outcome(0, Lost), MachineAct::Wake]);
    assert_eq!(retried.show(), "EXECUTING_ACTIONS [idem=started#4]");
    check(retried, outcome(0, Lost), "ACTIONS_EXECUTED[idem=unknown] -> CALLING_AI ACTION_FAILURE");
}

#[test]
fn expired_key_is_not_used() {
    let unknown = "ACTIONS_EXECUTED[idem=unknown] -> CALLING_AI ACTION_FAILURE";
    let late = || acting(idem()).after_act(MachineAct::Wait(KEY_LIFETIME_MS));
    check(late(), outcome(0, Lost), unknown);
    let suspended = acting(idem())
        .after_act(outcome(0, Lost))
        .after_act(MachineAct::Slot(Slot::Suspended(entracte_domain::time::Timestamp(0))))
        .after_act(MachineAct::Wait(KEY_LIFETIME_MS));
    check(suspended, MachineAct::Slot(Slot::Held), unknown);
    let slept = acting(idem()).after_act(outcome(0, Lost)).after_act(MachineAct::Wait(KEY_LIFETIME_MS));
    check(slept, MachineAct::Time, unknown);
    // The clock was set back since the first use of the key, so the key's age is unknown.
    check(acting(idem()).after_act(MachineAct::Wait(-1)), outcome(0, Lost), unknown);
}

#[test]
fn a_probe_is_asked_after_its_settle_time() {
    for nobody_knows in [TimesOut, Lost, LostInCrash] {
        ends(probe(), nobody_knows, "EXECUTING_ACTIONS [probe=delayed]");
    }
    ends(probe(), Fails, "ACTIONS_EXECUTED[probe=failed] -> CALLING_AI ACTION_FAILURE");
    ends(probe(), FailsForNow, "ACTIONS_EXECUTED[probe=failed] -> CALLING_AI ACTION_FAILURE");
    let lost = || acting(probe()).after_act(outcome(0, Lost));
    check(lost().after_act(MachineAct::Wait(SETTLE_MS - 1)), MachineAct::Time, "ignored: NotDue");
    check(lost(), MachineAct::Wake, "EXECUTING_ACTIONS [probe=asked#2]");
    let asked = || lost().after_act(MachineAct::Wake);
    let unknown = "ACTIONS_EXECUTED[probe=unknown] -> CALLING_AI ACTION_FAILURE";
    check(asked(), outcome(0, Happened), &format!("ACTIONS_EXECUTED[probe=succeeded] -> {GOES_ON}"));
    check(asked(), outcome(0, NobodyKnows), unknown);
    check(asked(), outcome(0, DidNotHappen), "EXECUTING_ACTIONS [probe=started#3]");
    for the_question_got_no_answer in [Lost, TimesOut, Fails, FailsForNow] {
        check(asked(), outcome(0, the_question_got_no_answer), "EXECUTING_ACTIONS [probe=delayed#2]");
    }
    let asked_three_times =
        lost().after_act(MachineAct::Wake).after_repeated_acts(2, &[outcome(0, Fails), MachineAct::Wake]);
    check(asked_three_times, outcome(0, Fails), unknown);
}

#[test]
fn once_action_is_never_repeated() {
    let unknown = "ACTIONS_EXECUTED[once=unknown] -> CALLING_AI ACTION_FAILURE";
    for nobody_knows in [TimesOut, Lost, LostInCrash] {
        ends(once(), nobody_knows, unknown);
    }
    let failed = "ACTIONS_EXECUTED[once=failed] -> CALLING_AI ACTION_FAILURE";
    for not_done in [Fails, FailsForNow] {
        ends(once(), not_done, failed);
    }
    ends(once(), DidNotHappen, unknown);
    let settled = acting(once()).after_act(outcome(0, Lost)).after_act(MachineAct::Settle);
    assert_eq!(settled.show(), "ACTIONS_EXECUTED -> CALLING_AI ACTION_FAILURE");
    check(settled.clone(), MachineAct::Interrupt, "IDLE");
    assert!(settled.facts.unsettled.is_empty());
    let ended = acting(once())
        .after_act(outcome(0, Lost))
        .after_act(MachineAct::Stop(true))
        .after_act(MachineAct::Settle);
    assert_eq!(ended.show(), "ACTIONS_EXECUTED -> COMPLETED CANCELLED", "may be said after the end, too");
}

#[test]
fn unknown_outcome_ends_run_if_rules_say_so() {
    let strict = |session: MachineRun| session.rules(|rules| rules.on_unknown = UnknownOutcomePolicy::Stop);
    let acting =
        |session: MachineRun| strict(session).after_user_message().after_act(calls([once(), local()]));
    let ended = "ACTIONS_EXECUTED[once=unknown local=cancelled] -> COMPLETED INTERRUPTED";
    check(acting(automation()), MachineAct::Restart, ended);
    check(
        acting(chat()),
        MachineAct::Restart,
        "ACTIONS_EXECUTED[once=unknown local=cancelled] -> CALLING_AI ACTION_FAILURE",
    );
}

#[test]
fn a_read_is_retried_freely() {
    let reading = || chat().after_user_message().after_act(calls([query("a")]));
    for worth_another_try in [FailsForNow, Lost, LostInCrash] {
        check(reading(), outcome(0, worth_another_try), "EXECUTING_DATA_QUERIES [a=delayed]");
    }
    let failed = "DATA_ADDED[a=failed] -> CALLING_AI DATA_RESPONSE";
    let timed_out = "DATA_ADDED[a=timed_out] -> CALLING_AI DATA_RESPONSE";
    check(reading(), outcome(0, Fails), failed);
    check(reading(), outcome(0, TimesOut), timed_out);
    let tried = |what| reading().after_repeated_acts(3, &[outcome(0, what), MachineAct::Wake]);
    assert_eq!(tried(Lost).show(), "EXECUTING_DATA_QUERIES [a=started#4]");
    check(tried(Lost), outcome(0, Lost), failed);
    check(tried(FailsForNow), outcome(0, FailsForNow), failed);
}

#[test]
fn query_is_read_whatever_its_catalog_entry_says() {
    let careless = MachineCommandRequest { effect: EffectClass::Once, ..query("a") };
    check(
        chat().after_user_message().after_act(calls([careless])),
        outcome(0, Lost),
        "EXECUTING_DATA_QUERIES [a=delayed]",
    );
}

#[test]
fn retried_query_keeps_its_parallel_position() {
    let two = chat()
        .rules(|rules| rules.queries_parallel = 1)
        .after_user_message()
        .after_act(calls([query("a"), query("b")]));
    let delayed = two.after_act(outcome(0, FailsForNow));
    assert_eq!(delayed.show(), "EXECUTING_DATA_QUERIES [a=delayed b=proposed]");
    check(delayed, MachineAct::Wake, "EXECUTING_DATA_QUERIES [a=started#2 b=proposed]");
}

#[test]
fn second_stop_abandons_started_action() {
    let acting = || automation().after_user_message().after_act(calls([once(), local()]));
    let waiting = "EXECUTING_ACTIONS [once=started local=cancelled], then end CANCELLED";
    check(acting(), MachineAct::Stop(true), waiting);
    let stopped = || acting().after_act(MachineAct::Stop(true));
    let ended = |word: &str| format!("ACTIONS_EXECUTED[once={word} local=cancelled] -> COMPLETED CANCELLED");
    check(stopped(), outcome(0, Succeeds), &ended("succeeded"));
    check(stopped(), outcome(0, TimesOut), &ended("unknown"));
    check(stopped(), MachineAct::Stop(true), &ended("unknown"));
    check(stopped(), MachineAct::SystemError, &format!("PROVIDER_ERROR -> {waiting}"));
    check(stopped().after_act(MachineAct::Interrupt), MachineAct::Stop(true), "ignored: Ended");
    assert_eq!(
        stopped().after_act(MachineAct::Interrupt).phase.end_reason(),
        Some(EndReason::Cancelled),
        "an end stays an end"
    );
}

#[test]
fn stopped_action_not_done_is_not_unknown() {
    let stopped =
        |ask| chat().after_user_message().after_act(calls([ask])).after_act(MachineAct::Stop(false));
    check(stopped(idem()), outcome(0, FailsForNow), "ACTIONS_EXECUTED[idem=failed] -> IDLE");
    check(stopped(idem()), outcome(0, Lost), "ACTIONS_EXECUTED[idem=unknown] -> IDLE");
    check(stopped(probe()), outcome(0, Lost), "ACTIONS_EXECUTED[probe=unknown] -> IDLE");
    let asked = chat()
        .after_user_message()
        .after_act(calls([probe()]))
        .after_act(outcome(0, Lost))
        .after_act(MachineAct::Wake);
    check(
        asked.after_act(MachineAct::Stop(false)),
        outcome(0, DidNotHappen),
        "ACTIONS_EXECUTED[probe=cancelled] -> IDLE",
    );
}

#[test]
fn stop_cancels_what_has_not_started() {
    let stops = |run: MachineRun, expected: &str| check(run, MachineAct::Stop(false), expected);
    stops(chat().after_user_message(), "IDLE");
    stops(chat().after_user_message().after_act(calls([query("a")])), "DATA_ADDED[a=cancelled] -> IDLE");
    stops(chat().after_act(message_with(query("a"))), "DATA_ADDED[a=cancelled] -> IDLE");
    stops(
        chat().after_user_message().after_act(calls([local()])),
        "ACTIONS_EXECUTED[local=cancelled] -> IDLE",
    );
    check(chat().after_user_message(), MachineAct::Stop(true), "COMPLETED CANCELLED");
    check(automation().after_user_message(), MachineAct::Stop(false), "COMPLETED CANCELLED");
    check(chat(), MachineAct::Stop(false), "ignored: NotApplicable");
    check(chat(), MachineAct::Stop(true), "COMPLETED CANCELLED");
}

#[test]
fn nothing_starts_without_a_slot() {
    let without = |session: MachineRun| session.after_user_message().after_act(MachineAct::Slot(Slot::None));
    check(without(chat()), calls([once()]), "EXECUTING_ACTIONS [once=proposed]");
    check(without(chat()), calls([query("a")]), "EXECUTING_DATA_QUERIES [a=proposed]");
    check(without(chat()).after_act(calls([local()])), outcome(0, Succeeds), "ignored: Stale");
    check(
        without(chat()).after_act(calls([once()])),
        MachineAct::Slot(Slot::Held),
        "EXECUTING_ACTIONS [once=started]",
    );
    check(without(automation()), text(), "CONTINUATION -> CALLING_AI COMPLETION_CHECK, no slot");
    let in_flight =
        chat().after_user_message().after_act(calls([once()])).after_act(MachineAct::Slot(Slot::None));
    check(in_flight, outcome(0, Succeeds), "ACTIONS_EXECUTED[once=succeeded] -> IDLE");
}

/// Input: a query whose answer is lost in every attempt, by rules of now and of before; expected: it failed with a code of
/// its own, and by rules of before it counts as late.
#[test]
fn server_that_ended_is_no_timeout() {
    let lost = |rules: LostReadPolicy| {
        let asked =
            chat().rules(move |of| of.lost_read = rules).after_user_message().after_act(calls([query("a")]));
        asked.after_repeated_acts(3, &[outcome(0, Lost), MachineAct::Wake]).after_act(outcome(0, Lost))
    };
    let code =
        |run: &MachineRun| run.ledger.iter().filter_map(|call| call.result()?.code.clone()).next_back();
    let now = lost(LostReadPolicy::Fails);
    assert_eq!(now.show(), "DATA_ADDED[a=failed] -> CALLING_AI DATA_RESPONSE");
    assert_eq!(code(&now).as_deref(), Some("CONNECTION_LOST"));
    let before = lost(LostReadPolicy::TimesOut);
    assert_eq!(before.show(), "DATA_ADDED[a=timed_out] -> CALLING_AI DATA_RESPONSE");
    assert_eq!(code(&before).as_deref(), Some("TIMEOUT"));
}
