//! Each class of failure of a model call, for a chat and for runs.

use super::check;
use entracte_domain::session::failure::FailureClass::*;
use entracte_domain::session::{Input, NetworkPolicy, Slot, SummaryMethod};
use entracte_tests::machine::*;

const CLOSES: &str = "PROVIDER_ERROR -> AWAITING_SESSION_CLOSURE ERROR";
const RESTS: &str = "PROVIDER_ERROR -> IDLE";

#[test]
fn unreachable() {
    check(chat().after_user_message(), fails(Unreachable), "NETWORK_ERROR -> IDLE");
    for session in [automation, agent] {
        check(session().after_user_message(), fails(Unreachable), "WAITING_NETWORK_RETRY");
        let waiting = || session().after_user_message().after_act(fails(Unreachable));
        check(waiting().after_act(MachineAct::Wait(29_999)), MachineAct::Time, "ignored: NotDue");
        check(waiting().after_act(MachineAct::Wait(30_000)), MachineAct::Time, "CALLING_AI USER_MESSAGE #2");
        check(waiting(), MachineAct::NetworkBack, "CALLING_AI USER_MESSAGE #2");
        check(waiting(), MachineAct::Activate, "CALLING_AI USER_MESSAGE #2");
        let for_ever = waiting().after_repeated_acts(500, &[MachineAct::Wake, fails(Unreachable)]);
        assert_eq!(for_ever.show(), "WAITING_NETWORK_RETRY");
    }
}

#[test]
fn unreachable_with_backoff_requeues_session() {
    let run = || automation().rules(|rules| rules.network = NetworkPolicy::Backoff).after_user_message();
    let mut waiting = run();
    for seconds in [5, 15, 30] {
        let before = waiting.now;
        waiting = waiting.after_act(fails(Unreachable)).after_act(MachineAct::Wake);
        assert_eq!(waiting.now.since(before), entracte_domain::time::Millis::seconds(seconds));
    }
    let requeued = waiting.after_act(fails(Unreachable));
    assert_eq!(requeued.show(), "NETWORK_ERROR -> CALLING_AI USER_MESSAGE #5, no slot");
    assert!(matches!(requeued.facts.slot, Slot::Queued(_)));
    check(requeued, MachineAct::Slot(Slot::Held), "CALLING_AI USER_MESSAGE #5");
}

#[test]
fn lost() {
    for session in [chat, automation, agent] {
        check(session().after_user_message(), fails(Lost), "CALLING_AI USER_MESSAGE #2");
    }
    check(chat().after_user_message().after_act(fails(Lost)), fails(Lost), RESTS);
    check(automation().after_user_message().after_act(fails(Lost)), fails(Lost), CLOSES);
    assert_eq!(chat().after_user_message().after_act(fails(Lost)).facts.usage.unknown_attempts, 1);
}

#[test]
fn throttled_and_overloaded() {
    for class in [Throttled, Overloaded] {
        check(chat().after_user_message(), fails(class), "WAITING_NETWORK_RETRY");
        check(automation().after_user_message(), fails(class), "WAITING_NETWORK_RETRY");
        let patient = chat().after_user_message().after_repeated_acts(3, &[fails(class), MachineAct::Wake]);
        check(patient, fails(class), RESTS);
        let durable =
            automation().after_user_message().after_repeated_acts(100, &[fails(class), MachineAct::Wake]);
        assert_eq!(durable.show(), "CALLING_AI USER_MESSAGE #101");
    }
    check(chat().after_user_message(), throttled_ms(20_000), "WAITING_NETWORK_RETRY");
    check(chat().after_user_message(), throttled_ms(20_001), RESTS);
    let told = || automation().after_user_message().after_act(throttled_ms(3_600_000));
    check(told().after_act(MachineAct::Wait(3_599_999)), MachineAct::Time, "ignored: NotDue");
    check(told(), MachineAct::Wake, "CALLING_AI USER_MESSAGE #2");
}

#[test]
fn exhausted() {
    check(chat().after_user_message(), fails(Exhausted), RESTS);
    for session in [automation, agent] {
        let parked = || session().after_user_message().after_act(fails(Exhausted));
        assert_eq!(parked().show(), RESTS);
        assert!(parked().phase.park_reason().is_some());
        check(parked(), MachineAct::Activate, "CALLING_AI RESUME");
        check(parked(), message(), "CALLING_AI USER_MESSAGE");
    }
}

#[test]
fn refused_and_misconfigured() {
    for class in [Refused, Misconfigured] {
        check(chat().after_user_message(), fails(class), RESTS);
        check(automation().after_user_message(), fails(class), CLOSES);
        check(agent().after_user_message(), fails(class), CLOSES);
    }
}

#[test]
fn context_too_long() {
    for (session, end) in [(chat as fn() -> MachineRun, RESTS), (automation, CLOSES), (agent, CLOSES)] {
        let compacting = || session().after_user_message().after_act(fails(ContextTooLong));
        assert_eq!(compacting().show(), "COMPACTING_CONTEXT words");
        check(compacting(), MachineAct::Compacted, "CONTEXT_SUMMARY -> CALLING_AI USER_MESSAGE #3");
        check(compacting(), MachineAct::SummaryIsFaulty, "COMPACTING_CONTEXT words again");
        check(compacting(), MachineAct::SystemError, end);
        check(compacting(), MachineAct::CompactionFails, "COMPACTING_CONTEXT mechanical");
        check(
            compacting().after_act(MachineAct::SummaryIsFaulty),
            MachineAct::CompactionFails,
            "COMPACTING_CONTEXT mechanical",
        );
        // Our own crash is no answer of the model: the same summary is requested again.
        check(compacting(), MachineAct::Restart, "COMPACTING_CONTEXT words");
        check(
            compacting().after_act(MachineAct::SummaryIsFaulty),
            MachineAct::Restart,
            "COMPACTING_CONTEXT words again",
        );
        check(compacting(), MachineAct::PieceIsRead, "COMPACTING_CONTEXT words");
        let piece = || compacting().after_act(MachineAct::PieceIsRead);
        check(piece(), MachineAct::SummaryIsFaulty, "COMPACTING_CONTEXT words again");
        check(piece(), MachineAct::Compacted, "CONTEXT_SUMMARY -> CALLING_AI USER_MESSAGE #4");
        // A piece that ends where the last one did would be read for ever.
        check(piece(), MachineAct::PieceIsRead, "COMPACTING_CONTEXT mechanical");
        let again = || compacting().after_act(MachineAct::SummaryIsFaulty);
        check(again(), MachineAct::SummaryIsFaulty, "COMPACTING_CONTEXT mechanical");
        check(compacting().after_act(MachineAct::CompactionFails), MachineAct::CompactionFails, end);
        check(compacting().after_act(MachineAct::Compacted), fails(ContextTooLong), end);
        assert_eq!(compacting().after_act(MachineAct::Compacted).facts.generation, 2);
    }
}

/// Input: a request that is too large; expected: nothing was sent, so no attempt is unknown; after a summary the round
/// ends at the limit.
#[test]
fn budget_acts_before_sending() {
    let stops = "LIMIT_REACHED -> AWAITING_SESSION_CLOSURE LIMIT_REACHED";
    for (session, end) in
        [(chat as fn() -> MachineRun, "LIMIT_REACHED -> IDLE"), (automation, stops), (agent, stops)]
    {
        let compacting = || session().after_user_message().after_act(MachineAct::TooLarge);
        assert_eq!(compacting().show(), "COMPACTING_CONTEXT patch");
        assert_eq!(compacting().facts.usage.unknown_attempts, 0);
        let goes_on = || compacting().after_act(MachineAct::Compacted);
        assert_eq!(goes_on().show(), "CONTEXT_SUMMARY -> CALLING_AI USER_MESSAGE #3");
        check(goes_on(), MachineAct::TooLarge, end);
        let by_code = || compacting().after_act(MachineAct::CompactionFails);
        assert_eq!(by_code().facts.usage.unknown_attempts, 1, "the model was asked for the summary");
        assert_eq!(
            by_code().after_act(MachineAct::Compacted).facts.usage.unknown_attempts,
            1,
            "nobody was asked"
        );
    }
}

/// Input: a request that is too large, and fits without the files of earlier rounds; expected: nothing was sent, the round
/// calls the model again in a new generation, and a summary may still follow.
#[test]
fn files_leave_before_a_summary() {
    for session in [chat as fn() -> MachineRun, automation, agent] {
        let asked = session().after_user_message();
        let round = asked.phase.round().cloned().unwrap();
        let (round, attempt, method) = (round.number, round.attempt, SummaryMethod::Patch);
        let (size, budget, files_from) = (90_000, 80_000, Some(2));
        let without =
            asked.after_act(Input::BudgetReached { round, attempt, size, budget, method, files_from });
        assert_eq!(without.show(), "CALLING_AI USER_MESSAGE #2");
        assert_eq!((without.facts.generation, without.facts.usage.unknown_attempts), (2, 0));
        check(without, MachineAct::TooLarge, "COMPACTING_CONTEXT patch");
    }
}

#[test]
fn repairable() {
    for (session, end) in [(chat as fn() -> MachineRun, RESTS), (automation, CLOSES), (agent, CLOSES)] {
        let repaired = session().after_user_message().after_act(fails(Repairable));
        assert_eq!(repaired.show(), "CALLING_AI USER_MESSAGE #2");
        assert_eq!(repaired.facts.generation, 2);
        check(repaired, fails(Repairable), end);
    }
}

#[test]
fn something_of_ours() {
    check(chat().after_user_message(), MachineAct::SystemError, RESTS);
    check(automation().after_user_message(), MachineAct::SystemError, CLOSES);
    check(automation().after_user_message().after_act(fails(Unreachable)), MachineAct::SystemError, CLOSES);
    check(
        chat().after_user_message().after_act(calls([query("a")])),
        MachineAct::SystemError,
        "PROVIDER_ERROR, DATA_ADDED[a=cancelled] -> IDLE",
    );
    check(
        automation().after_user_message().after_act(calls([local()])),
        MachineAct::SystemError,
        "PROVIDER_ERROR, ACTIONS_EXECUTED[local=cancelled] -> COMPLETED ERROR",
    );
    check(chat(), MachineAct::SystemError, RESTS);
    let acting = chat()
        .after_user_message()
        .after_act(calls([once()]))
        .after_act(MachineAct::Wait(1000))
        .after_act(MachineAct::SystemError);
    assert_eq!(acting.show(), "PROVIDER_ERROR -> EXECUTING_ACTIONS [once=started], then rest");
    assert_eq!(acting.facts.last_human_at, acting.facts.created_at, "no person acted");
}

#[test]
fn a_failure_counts_for_the_open_attempt_only() {
    let late = chat().after_user_message().inputs_for_act(&fails(Lost)).remove(0);
    check(chat().after_user_message().after_act(fails(Lost)), late.clone(), "ignored: Stale");
    check(chat().after_user_message().after_act(text()), late, "ignored: Stale");
}

/// Given a failed provider with a named fallback: a session that would wait, park or close without it continues.
#[test]
fn failed_provider_falls_back_before_giving_up() {
    const GOES_ON: &str = "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #2";
    for session in [chat, automation, agent] {
        for class in [Exhausted, Refused, Misconfigured, ContextTooLong] {
            check(session().after_user_message(), falls_back(class, "b"), GOES_ON);
        }
        check(
            session().after_user_message(),
            falls_back(Unreachable, "b"),
            "NETWORK_ERROR -> CALLING_AI USER_MESSAGE #2",
        );
        let gone_on = session().after_user_message().after_act(falls_back(Exhausted, "b"));
        assert_eq!((gone_on.facts.provider.as_str(), gone_on.facts.generation), ("b", 2));
        assert!(gone_on.phase.park_reason().is_none());
        let again = gone_on.after_act(falls_back(Refused, "c"));
        assert_eq!(again.show(), "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #3");
        let said = again.transcript_text();
        assert!(
            said.contains("b refuses this content; going on with c. the model call failed: refused"),
            "{said}"
        );
    }
}

/// Given a short retry delay, a lost answer or a repairable history: the same provider is tried first.
#[test]
fn quick_retry_uses_same_provider_first() {
    check(chat().after_user_message(), falls_back(Lost, "b"), "CALLING_AI USER_MESSAGE #2");
    let lost = chat().after_user_message().after_act(falls_back(Lost, "b")).after_act(falls_back(Lost, "b"));
    assert_eq!(lost.show(), "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #3");
    assert_eq!(lost.facts.usage.unknown_attempts, 2);
    check(chat().after_user_message(), falls_back(Overloaded, "b"), "WAITING_NETWORK_RETRY");
    let waited = || {
        chat().after_user_message().after_repeated_acts(3, &[falls_back(Overloaded, "b"), MachineAct::Wake])
    };
    check(waited(), falls_back(Overloaded, "b"), "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #5");
    // A run would wait half a minute: longer than a person who watches.
    check(
        automation().after_user_message(),
        falls_back(Overloaded, "b"),
        "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #2",
    );
    for _ in 0..2 {
        check(chat().after_user_message(), falls_back(Repairable, "b"), "CALLING_AI USER_MESSAGE #2");
    }
    check(chat().after_user_message().after_act(fails(Repairable)), falls_back(Repairable, "b"), RESTS);
}

/// Given a provider that the round has left: it is not called again in this round, but in the next one.
#[test]
fn provider_is_called_once_per_round() {
    let at_b = || {
        chat()
            .after_user_message()
            .after_act(falls_back(Exhausted, "a"))
            .after_act(falls_back(Exhausted, "b"))
    };
    for left in ["", "a", "b"] {
        check(at_b(), falls_back(Exhausted, left), RESTS);
    }
    check(
        at_b().after_act(text()).after_user_message(),
        falls_back(Exhausted, "a"),
        "PROVIDER_ERROR -> CALLING_AI USER_MESSAGE #2",
    );
    // The crash of our own process says nothing about the provider.
    let died = chat().after_user_message().after_act(MachineAct::Restart);
    assert_eq!((died.show().as_str(), died.facts.provider.as_str()), ("CALLING_AI USER_MESSAGE #2", ""));
}
