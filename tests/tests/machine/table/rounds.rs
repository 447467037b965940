//! The transition for each kind of reply, in the order of the rules.

use super::check;
use entracte_domain::session::{
    ActionFailurePolicy, CompletionCheck, EmptyReplyPolicy, Slot, TextOnlyEndPolicy,
};
use entracte_tests::machine::{ActCallOutcome::*, *};

#[test]
fn message_runs_enrichments_before_round() {
    check(chat(), message(), "CALLING_AI USER_MESSAGE");
    check(chat().after_act(MachineAct::Slot(Slot::None)), message(), "CALLING_AI USER_MESSAGE, no slot");
    check(chat(), message_with(query("a")), "EXECUTING_ENRICHMENTS [a=started] for USER_MESSAGE");
    let enriched = || chat().after_act(message_with(query("a")));
    check(enriched(), outcome(0, Succeeds), "DATA_ADDED[a=succeeded] -> CALLING_AI USER_MESSAGE");
    check(enriched(), outcome(0, Fails), "DATA_ADDED[a=failed] -> CALLING_AI USER_MESSAGE");
}

#[test]
fn first_a_format_error() {
    for session in [chat(), automation(), agent()] {
        check(
            session.after_user_message(),
            malformed("json"),
            "FORMAT_ERROR -> CALLING_AI FORMAT_ERROR_CORRECTION",
        );
    }
}

#[test]
fn second_a_question() {
    check(chat().after_user_message(), question(), "WAITING_COMMUNICATION_RESPONSE");
    check(chat().after_user_message().after_act(question()), MachineAct::Answer, "CALLING_AI ANSWER");
    for session in [automation(), agent()] {
        check(session.after_user_message(), question(), "CONTINUATION -> CALLING_AI CONTINUATION");
    }
}

#[test]
fn third_completed_without_commands() {
    for session in [automation, agent] {
        check(session().after_user_message(), completed(), "WAITING_COMPLETION_CONFIRMATION");
        let said_so = || session().after_user_message().after_act(completed());
        check(said_so(), MachineAct::Wake, "AWAITING_SESSION_CLOSURE COMPLETED");
        check(said_so(), MachineAct::Confirm, "AWAITING_SESSION_CLOSURE COMPLETED");
        check(said_so(), MachineAct::RejectCompletion, "CONTINUATION -> CALLING_AI CONTINUATION");
        check(
            said_so().after_act(MachineAct::Wake),
            MachineAct::RejectCompletion,
            "CONTINUATION -> CALLING_AI CONTINUATION",
        );
        check(said_so().after_act(MachineAct::Wake), MachineAct::Wake, "COMPLETED COMPLETED");
    }
}

#[test]
fn third_completed_is_confirmed_if_rules_say_so() {
    let asked =
        || automation().rules(|rules| rules.completion_check = CompletionCheck::AskOnce).after_user_message();
    check(asked(), completed(), "CONTINUATION -> CALLING_AI COMPLETION_CHECK");
    check(asked().after_act(completed()), completed(), "WAITING_COMPLETION_CONFIRMATION");
}

#[test]
fn inapplicable_input_is_ignored_with_reason() {
    check(chat().after_user_message(), completed(), "CONTINUATION -> IDLE");
    check(chat().after_user_message(), text().keep_control(), "CONTINUATION -> IDLE");
    check(chat().after_user_message(), text().validation_request(), "CONTINUATION -> IDLE");
    let beside = automation()
        .after_user_message()
        .after_act(calls([local()]).completed())
        .after_act(outcome(0, Succeeds));
    assert!(beside.transcript_text().contains("`completed` was ignored"), "{}", beside.transcript_text());
    assert_eq!(beside.show(), "ACTIONS_EXECUTED[local=succeeded] -> CALLING_AI ACTION_RESULT");
}

#[test]
fn fourth_queries_in_parallel() {
    check(
        chat().after_user_message(),
        calls([query("a"), query("b")]),
        "EXECUTING_DATA_QUERIES [a=started b=started]",
    );
    let one_at_a_time = chat().rules(|rules| rules.queries_parallel = 1).after_user_message();
    check(one_at_a_time, calls([query("a"), query("b")]), "EXECUTING_DATA_QUERIES [a=started b=proposed]");
    let both = chat()
        .after_user_message()
        .after_act(calls([query("a"), query("b")]))
        .after_act(outcome(1, Succeeds));
    check(both, outcome(0, Succeeds), "DATA_ADDED[a=succeeded b=succeeded] -> CALLING_AI DATA_RESPONSE");
}

#[test]
fn fifth_actions_in_order() {
    check(
        chat().after_user_message(),
        calls([once(), idem()]),
        "EXECUTING_ACTIONS [once=started idem=proposed]",
    );
    check(
        chat().after_user_message(),
        calls([once(), idem().independent()]),
        "EXECUTING_ACTIONS [once=started idem=started]",
    );
    check(chat().after_user_message(), calls([local()]), "EXECUTING_ACTIONS [local=proposed]");
    let first_failed = || chat().after_user_message().after_act(calls([once(), idem()]));
    check(
        first_failed(),
        outcome(0, Fails),
        "ACTIONS_EXECUTED[once=failed idem=cancelled] -> CALLING_AI ACTION_FAILURE",
    );
    check(
        first_failed().rules(|rules| rules.actions_on_failure = ActionFailurePolicy::Continue),
        outcome(0, Fails),
        "EXECUTING_ACTIONS [once=failed idem=started]",
    );
}

#[test]
fn fifth_successful_actions_rest_chat_and_continue_others() {
    let acted = |session: MachineRun| session.after_user_message().after_act(calls([local()]));
    let goes_on = "ACTIONS_EXECUTED[local=succeeded] -> CALLING_AI ACTION_RESULT";
    check(acted(chat()), outcome(0, Succeeds), "ACTIONS_EXECUTED[local=succeeded] -> IDLE");
    check(acted(chat().tools()), outcome(0, Succeeds), goes_on);
    check(acted(automation()), outcome(0, Succeeds), goes_on);
    check(acted(agent()), outcome(0, Succeeds), goes_on);
    let keeps = chat().after_user_message().after_act(calls([local()]).keep_control());
    check(keeps, outcome(0, Succeeds), goes_on);
    let with_text = chat().after_user_message().after_act(calls([local()]).post_text());
    check(with_text, outcome(0, Succeeds), "ACTIONS_EXECUTED[local=succeeded], post text -> IDLE");
}

#[test]
fn fifth_failed_actions_are_reported_to_model() {
    for session in [chat(), automation(), agent()] {
        let acted = session.after_user_message().after_act(calls([local()]).post_text());
        check(acted, outcome(0, Fails), "ACTIONS_EXECUTED[local=failed] -> CALLING_AI ACTION_FAILURE");
    }
}

#[test]
fn sixth_nothing() {
    check(chat().after_user_message(), text(), "IDLE");
    check(automation().after_user_message(), text(), "CONTINUATION -> CALLING_AI COMPLETION_CHECK");
    check(agent().after_user_message(), text(), "AWAITING_SESSION_CLOSURE COMPLETED");
}

#[test]
fn repeated_text_only_reply_ends_run() {
    let said = || automation().after_user_message().after_act(text());
    check(said(), text(), "WAITING_COMPLETION_CONFIRMATION");
    check(said(), calls([query("a")]), "EXECUTING_DATA_QUERIES [a=started]");
    let worked = said().after_act(calls([query("a")])).after_act(outcome(0, Succeeds));
    check(worked, text(), "CONTINUATION -> CALLING_AI COMPLETION_CHECK");
    let never =
        || automation().rules(|rules| rules.words_end_run = TextOnlyEndPolicy::Never).after_user_message();
    check(never(), text(), "CONTINUATION -> CALLING_AI CONTINUATION");
    check(never().after_act(text()), text(), "CONTINUATION -> CALLING_AI CONTINUATION");
}

#[test]
fn empty_tools_reply_is_reported_to_model_first() {
    let silent = || chat().tools().after_user_message().after_act(empty_reply());
    assert_eq!(silent().show(), "CONTINUATION -> CALLING_AI CONTINUATION");
    check(silent(), text(), "IDLE");
    check(silent(), empty_reply(), "fixed text -> IDLE");
    check(
        silent().after_act(empty_reply()).after_user_message(),
        empty_reply(),
        "CONTINUATION -> CALLING_AI CONTINUATION",
    );
    check(silent().after_act(message()), empty_reply(), "CALLING_AI USER_MESSAGE");
    let one_round = || chat().tools().rules(|rules| rules.rounds = 1).after_user_message();
    let closing = one_round().after_act(calls([query("a")])).after_act(outcome(0, Succeeds));
    check(closing, empty_reply(), "fixed text -> IDLE");
    check(chat().after_user_message(), empty_reply(), "IDLE");
    let rest = chat().tools().rules(|rules| rules.empty_reply = EmptyReplyPolicy::Rest);
    check(rest.after_user_message(), empty_reply(), "IDLE");
    check(
        automation().tools().after_user_message(),
        empty_reply(),
        "CONTINUATION -> CALLING_AI COMPLETION_CHECK",
    );
}

#[test]
fn mixed_tools_reply_runs_queries_first() {
    let asked = || chat().tools().after_user_message();
    let both = || calls([once().guarded(), query("a")]);
    check(asked(), both(), "EXECUTING_DATA_QUERIES [once=proposed a=started]");
    check(
        asked().after_act(both()),
        outcome(1, Succeeds),
        "WAITING_VALIDATION [once=waiting_decision a=succeeded]",
    );
    check(
        asked().after_act(calls([once(), query("a")])).after_act(outcome(1, Fails)),
        outcome(0, Succeeds),
        "DATA_ADDED[a=failed], ACTIONS_EXECUTED[once=succeeded] -> CALLING_AI ACTION_RESULT",
    );
}

#[test]
fn guarded_query_waits_after_other_queries() {
    let asked = || chat().after_user_message().after_act(calls([query("web").guarded(), query("a")]));
    assert_eq!(asked().show(), "EXECUTING_DATA_QUERIES [web=proposed a=started]");
    let waits = || asked().after_act(outcome(1, Succeeds));
    assert_eq!(waits().show(), "WAITING_VALIDATION [web=waiting_decision a=succeeded]");
    check(waits(), decide(0, ActApprovalChoice::Yes), "EXECUTING_DATA_QUERIES [web=started a=succeeded]");
    check(
        waits(),
        decide(0, ActApprovalChoice::No),
        "DATA_ADDED[a=succeeded], VALIDATION_CANCELLED[web=rejected] -> CALLING_AI DATA_RESPONSE",
    );
}

#[test]
fn run_with_only_tasks_left_waits() {
    let waiting = || {
        automation()
            .after_user_message()
            .after_act(calls([once()]))
            .after_act(outcome(0, Accepted))
            .after_act(completed())
    };
    assert_eq!(waiting().show(), "WAITING_TASK");
    check(waiting(), MachineAct::TaskEnds, "TASK_RESULT -> CALLING_AI TASK_RESULT");
    let resting = chat().after_user_message().after_act(calls([once()])).after_act(outcome(0, Accepted));
    assert_eq!(resting.show(), "ACTIONS_EXECUTED[once=accepted] -> IDLE");
    check(resting, MachineAct::TaskEnds, "TASK_RESULT -> CALLING_AI TASK_RESULT");
}

#[test]
fn reply_counts_once_for_open_attempt() {
    let replied = chat().after_user_message();
    let reply = replied.inputs_for_act(&text().into()).remove(0);
    check(replied.after_act(text()), reply.clone(), "ignored: Stale");
    check(
        chat().after_user_message().after_act(fails(entracte_domain::session::failure::FailureClass::Lost)),
        reply,
        "ignored: Stale",
    );
}
