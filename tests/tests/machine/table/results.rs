//! Every possible result of a call is reached, and is reported once.

use super::check;
use entracte_domain::call::CallStatus;
use entracte_domain::plan::PlanMode;
use entracte_tests::machine::{ActCallOutcome::*, *};

/// The history in which a call gets this result.
fn story(status: CallStatus) -> MachineRun {
    let refused = || chat().after_user_message().after_act(calls([local().refused(status)]));
    match status {
        CallStatus::Succeeded => {
            chat().after_user_message().after_act(calls([local()])).after_act(outcome(0, Succeeds))
        }
        CallStatus::Cached => chat().after_user_message().after_act(calls([query("a").twin(59_999, true)])),
        CallStatus::Duplicate => chat()
            .after_user_message()
            .after_act(calls([query("a"), query("a")]))
            .after_act(outcome(0, Succeeds)),
        CallStatus::Accepted => {
            chat().after_user_message().after_act(calls([once()])).after_act(outcome(0, Accepted))
        }
        CallStatus::Failed => {
            chat().after_user_message().after_act(calls([local()])).after_act(outcome(0, Fails))
        }
        CallStatus::OverLimit => {
            let eleven: Vec<MachineCommandRequest> = (0..11).map(|n| local().with(n)).collect();
            (0..10).fold(chat().after_user_message().after_act(calls(eleven)), |run, at| {
                run.after_act(outcome(at, Succeeds))
            })
        }
        CallStatus::Repeated => chat().after_user_message().after_act(calls([local().twin(29_999, false)])),
        CallStatus::Rejected => chat()
            .after_user_message()
            .after_act(calls([once().guarded()]))
            .after_act(decide(0, ActApprovalChoice::No)),
        CallStatus::Expired => {
            chat().after_user_message().after_act(calls([once().guarded()])).after_act(MachineAct::Wake)
        }
        CallStatus::Cancelled => {
            chat().after_user_message().after_act(calls([local()])).after_act(MachineAct::Interrupt)
        }
        CallStatus::TimedOut => {
            chat().after_user_message().after_act(calls([query("a")])).after_act(outcome(0, TimesOut))
        }
        CallStatus::Unknown => {
            chat().after_user_message().after_act(calls([once()])).after_act(outcome(0, TimesOut))
        }
        CallStatus::PlanFirst => {
            chat().rules(|rules| rules.mode = PlanMode::Plan).after_user_message().after_act(calls([once()]))
        }
        CallStatus::InvalidArguments
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::SchemaRequired
        | CallStatus::Forbidden
        | CallStatus::RepeatedReply => refused(),
    }
}

#[test]
fn every_result_is_reached() {
    let rows: Vec<String> =
        CallStatus::ALL.map(|status| format!("{}: {}", status.word(), story(status).show())).into();
    insta::assert_snapshot!(rows.join("\n"), @r"
    succeeded: ACTIONS_EXECUTED[local=succeeded] -> IDLE
    cached: DATA_ADDED[a=cached] -> CALLING_AI DATA_RESPONSE
    duplicate: DATA_ADDED[a=succeeded a=duplicate] -> CALLING_AI DATA_RESPONSE
    accepted: ACTIONS_EXECUTED[once=accepted] -> IDLE
    failed: ACTIONS_EXECUTED[local=failed] -> CALLING_AI ACTION_FAILURE
    invalid_arguments: ACTIONS_EXECUTED[local=invalid_arguments] -> CALLING_AI ACTION_FAILURE
    unknown_command: ACTIONS_EXECUTED[local=unknown_command] -> CALLING_AI ACTION_FAILURE
    malformed: ACTIONS_EXECUTED[local=malformed] -> CALLING_AI ACTION_FAILURE
    schema_required: ACTIONS_EXECUTED[local=schema_required] -> CALLING_AI ACTION_FAILURE
    forbidden: ACTIONS_EXECUTED[local=forbidden] -> CALLING_AI ACTION_FAILURE
    plan_first: ACTIONS_EXECUTED[once=plan_first] -> CALLING_AI ACTION_FAILURE
    over_limit: ACTIONS_EXECUTED[local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=succeeded local=over_limit] -> CALLING_AI ACTION_FAILURE
    repeated: ACTIONS_EXECUTED[local=repeated] -> CALLING_AI ACTION_FAILURE
    repeated_reply: ACTIONS_EXECUTED[local=repeated_reply] -> CALLING_AI ACTION_FAILURE
    rejected: VALIDATION_CANCELLED[once=rejected] -> IDLE
    expired: VALIDATION_CANCELLED[once=expired] -> IDLE
    cancelled: ACTIONS_EXECUTED[local=cancelled] -> IDLE
    timed_out: DATA_ADDED[a=timed_out] -> CALLING_AI DATA_RESPONSE
    unknown: ACTIONS_EXECUTED[once=unknown] -> CALLING_AI ACTION_FAILURE
    ");
}

#[test]
fn a_result_has_the_code_of_the_table() {
    for status in CallStatus::ALL {
        let run = story(status);
        let result =
            run.ledger.iter().filter_map(|call| call.result()).find(|result| result.status == status);
        let code = result.expect("the story reaches it").code.clone();
        let expected = match status {
            CallStatus::Failed => Some("BROKEN".to_owned()),
            other => other.code().map(str::to_owned),
        };
        assert_eq!(code, expected, "{}", status.word());
    }
}

#[test]
fn a_twin_counts_within_its_window_only() {
    let starts = "EXECUTING_DATA_QUERIES [a=started]";
    let cached = "DATA_ADDED[a=cached] -> CALLING_AI DATA_RESPONSE";
    check(chat().after_user_message(), calls([query("a").twin(59_999, true)]), cached);
    check(chat().after_user_message(), calls([query("a").twin(60_000, true)]), starts);
    check(chat().after_user_message(), calls([query("a").twin(1, false)]), starts);
    check(chat().after_user_message(), calls([query("a").twin(-1, true)]), starts);
    check(
        chat().after_user_message(),
        calls([local().twin(30_000, false)]),
        "EXECUTING_ACTIONS [local=proposed]",
    );
}

#[test]
fn duplicate_gets_result_of_first_call() {
    let twice = || chat().after_user_message().after_act(calls([once(), once()]));
    assert_eq!(twice().show(), "EXECUTING_ACTIONS [once=started once=follows]");
    check(twice(), outcome(0, Succeeds), "ACTIONS_EXECUTED[once=succeeded once=duplicate] -> IDLE");
    check(
        twice(),
        outcome(0, Fails),
        "ACTIONS_EXECUTED[once=failed once=failed] -> CALLING_AI ACTION_FAILURE",
    );
    let unknown = twice().after_act(outcome(0, TimesOut));
    assert_eq!(unknown.facts.unsettled.len(), 1, "one action happened or not: a person settles it once");
}

#[test]
fn calls_of_a_session_are_limited() {
    let run = chat()
        .rules(|rules| rules.calls_per_session = 1)
        .after_user_message()
        .after_act(calls([query("a"), query("b")]));
    check(run, outcome(0, Succeeds), "DATA_ADDED[a=succeeded b=over_limit] -> CALLING_AI DATA_RESPONSE");
}
