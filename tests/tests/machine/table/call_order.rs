//! The order of the calls of one reply: a query reads the state that the actions before it leave.

use super::check;
use entracte_tests::machine::{ActApprovalChoice::*, ActCallOutcome::*, *};

/// A chat with native tools, whose model asks for these calls in one reply.
fn asked(calls_of_reply: impl Into<Vec<MachineCommandRequest>>) -> MachineRun {
    chat().tools().after_user_message().after_act(calls(calls_of_reply))
}

#[test]
fn query_waits_for_earlier_action() {
    let both = asked([once().of("files"), query("read").of("files"), query("time").of("clock")]);
    assert_eq!(both.show(), "EXECUTING_DATA_QUERIES [once=proposed read=proposed time=started]");
    let written = both.after_act(outcome(2, Succeeds));
    assert_eq!(written.show(), "EXECUTING_ACTIONS [once=started read=proposed time=succeeded]");
    let read = written.after_act(outcome(0, Succeeds));
    assert_eq!(read.show(), "EXECUTING_DATA_QUERIES [once=succeeded read=started time=succeeded]");
    check(
        read,
        outcome(1, Succeeds),
        "DATA_ADDED[read=succeeded time=succeeded], ACTIONS_EXECUTED[once=succeeded] -> CALLING_AI ACTION_RESULT",
    );
}

#[test]
fn query_waits_across_approval() {
    let waits = || asked([once().guarded().of("files"), query("read").of("files")]);
    assert_eq!(waits().show(), "WAITING_VALIDATION [once=waiting_decision read=proposed]");
    let approved = waits().after_act(decide(0, Yes));
    assert_eq!(approved.show(), "EXECUTING_ACTIONS [once=started read=proposed]");
    check(approved, outcome(0, Succeeds), "EXECUTING_DATA_QUERIES [once=succeeded read=started]");
    check(
        waits(),
        decide(0, NoBecause),
        "DATA_ADDED[read=cancelled], VALIDATION_CANCELLED[once=rejected] -> CALLING_AI ACTION_RESULT",
    );
}

#[test]
fn query_of_undone_change_names_it() {
    let failed = asked([once().of("files"), query("read").of("files"), once().with(2).of("mail")])
        .after_act(outcome(0, Fails));
    assert_eq!(
        failed.show(),
        "DATA_ADDED[read=cancelled], ACTIONS_EXECUTED[once=failed once=cancelled] -> CALLING_AI ACTION_FAILURE"
    );
    assert!(failed.transcript_text().contains("once, requested before it"), "{}", failed.transcript_text());
}

#[test]
fn query_of_other_server_survives_failed_action() {
    let asked = asked([once().of("files"), query("web").guarded().carded().of("web")]);
    assert_eq!(asked.show(), "EXECUTING_ACTIONS [once=started web=waiting_decision]");
    let failed = asked.after_act(outcome(0, Fails));
    assert_eq!(failed.show(), "WAITING_VALIDATION [once=failed web=waiting_decision]");
    check(failed, decide(1, Yes), "EXECUTING_DATA_QUERIES [once=failed web=started]");
}

#[test]
fn equal_query_after_action_reads_again() {
    let asked = asked([query("read").of("files"), once().of("files"), query("read").of("files")]);
    assert_eq!(asked.show(), "EXECUTING_DATA_QUERIES [read=started once=proposed read=proposed]");
    let known = self::asked([once().of("files"), query("read").of("files").twin(1, true)]);
    assert_eq!(
        known.show(),
        "EXECUTING_ACTIONS [once=started read=proposed]",
        "the known answer is outdated"
    );
}

#[test]
fn action_without_scope_delays_no_query() {
    let asked = asked([once(), query("read").of("files")]);
    assert_eq!(asked.show(), "EXECUTING_DATA_QUERIES [once=proposed read=started]");
}

#[test]
fn query_with_approval_stays_a_query() {
    let asked = || asked([query("web").guarded().of("web")]);
    assert_eq!(asked().show(), "WAITING_VALIDATION [web=waiting_decision]");
    let approved = asked().after_act(decide(0, Yes));
    assert_eq!(approved.show(), "EXECUTING_DATA_QUERIES [web=started]");
    check(approved.clone(), outcome(0, Lost), "EXECUTING_DATA_QUERIES [web=delayed]");
    check(approved, outcome(0, TimesOut), "DATA_ADDED[web=timed_out] -> CALLING_AI DATA_RESPONSE");
    check(asked(), decide(0, No), "VALIDATION_CANCELLED[web=rejected] -> IDLE");
    check(asked(), decide(0, NoBecause), "VALIDATION_CANCELLED[web=rejected] -> CALLING_AI DATA_RESPONSE");
}

#[test]
fn rejected_query_beside_answered_one_goes_on() {
    let asked = asked([query("read"), query("web").guarded()]).after_act(outcome(0, Succeeds));
    assert_eq!(asked.show(), "WAITING_VALIDATION [read=succeeded web=waiting_decision]");
    check(
        asked,
        decide(1, No),
        "DATA_ADDED[read=succeeded], VALIDATION_CANCELLED[web=rejected] -> CALLING_AI DATA_RESPONSE",
    );
}

#[test]
fn query_after_unknown_outcome_looks_for_itself() {
    let lost = asked([once().of("files"), query("read").of("files")]).after_act(outcome(0, Lost));
    assert_eq!(lost.show(), "EXECUTING_DATA_QUERIES [once=unknown read=started]");
}

#[test]
fn rejected_query_beside_done_action_is_no_success() {
    let asked = chat().after_user_message().after_act(calls([once(), query("web").guarded().carded()]));
    let done = asked.after_act(outcome(0, Succeeds));
    assert_eq!(done.show(), "WAITING_VALIDATION [once=succeeded web=waiting_decision]");
    check(
        done,
        decide(1, NoBecause),
        "VALIDATION_CANCELLED[web=rejected], ACTIONS_EXECUTED[once=succeeded] -> CALLING_AI ACTION_RESULT",
    );
}

#[test]
fn message_replaces_decisions_while_query_runs() {
    let guarded = |name| query(name).guarded().carded().of("web");
    let asked = asked([guarded("a"), guarded("b")]);
    let running = asked.after_act(decide(0, Yes));
    assert_eq!(running.show(), "EXECUTING_DATA_QUERIES [a=started b=waiting_decision]");
    check(running, message(), "EXECUTING_DATA_QUERIES [a=started b=cancelled]");
}
