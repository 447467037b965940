//! Messages are stored in every phase of an open session; those sent during a round join the next model call.

use super::check;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, JournalNote, LogAppend, SessionKind};
use entracte_tests::machine::{ActCallOutcome::*, *};

/// The number of messages that joined the conversation.
fn joined(run: &MachineRun) -> usize {
    let count = |entry: &LogAppend| match entry {
        LogAppend::Note(JournalNote::MessagesJoined(ids)) => ids.len(),
        LogAppend::Note(_) | LogAppend::Message(_) => 0,
    };
    run.log.iter().map(count).sum()
}

fn sent(run: &MachineRun) -> usize {
    run.taken.iter().filter(|(_, input)| matches!(input, Input::UserMessageSent(_))).count()
}

#[test]
fn message_sent_in_every_phase_is_kept() {
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent] {
        for (word, run) in one_of_each_phase(kind) {
            let before = sent(&run);
            let after = run.after_act(message());
            if word.starts_with("COMPLETED") {
                assert_eq!(after.show(), "ignored: Ended");
                continue;
            }
            assert_eq!(after.ignored, None, "{word}");
            assert_eq!(sent(&after), before + 1, "{word}");
            assert_eq!(joined(&after) + after.facts.queue.len(), before + 1, "{word}");
        }
    }
}

#[test]
fn waiting_messages_survive_whatever_comes() {
    for (word, run) in one_of_each_phase(SessionKind::Chat) {
        for (_, act) in samples() {
            let after = run.clone().after_act(message()).after_act(message()).after_act(act.clone());
            assert_eq!(joined(&after) + after.facts.queue.len(), sent(&after), "{word} {act:?}");
        }
    }
}

#[test]
fn message_during_round_joins_next_model_call() {
    let waiting = || chat().after_user_message().after_act(message());
    assert_eq!((waiting().show(), waiting().facts.queue.len()), ("CALLING_AI USER_MESSAGE".into(), 1));
    check(waiting(), text(), "CALLING_AI USER_MESSAGE");
    check(waiting(), question(), "COMMUNICATION_CANCELLED -> CALLING_AI USER_MESSAGE");
    check(
        waiting().after_act(calls([query("a")])),
        outcome(0, Succeeds),
        "DATA_ADDED[a=succeeded] -> CALLING_AI DATA_RESPONSE",
    );
    check(
        waiting().after_act(calls([local()])),
        outcome(0, Succeeds),
        "ACTIONS_EXECUTED[local=succeeded] -> CALLING_AI USER_MESSAGE",
    );
    check(automation().after_user_message().after_act(message()), completed(), "CALLING_AI USER_MESSAGE");
    check(waiting(), fails(FailureClass::Unreachable), "NETWORK_ERROR -> IDLE");
    check(
        waiting().after_act(fails(FailureClass::Unreachable)),
        MachineAct::Activate,
        "CALLING_AI MANUAL_TRIGGER",
    );
    check(waiting().after_act(MachineAct::Interrupt), message(), "CALLING_AI USER_MESSAGE");
}

#[test]
fn a_message_takes_the_place_of_a_wait() {
    let waiting = chat().after_user_message().after_act(calls([once().guarded()]));
    check(waiting, message(), "VALIDATION_CANCELLED[once=cancelled] -> CALLING_AI USER_MESSAGE");
    check(
        chat().after_user_message().after_act(question()),
        message(),
        "COMMUNICATION_CANCELLED -> CALLING_AI USER_MESSAGE",
    );
    check(automation().after_user_message().after_act(completed()), message(), "CALLING_AI USER_MESSAGE");
    check(
        automation().after_user_message().after_act(completed()).after_act(MachineAct::Wake),
        message(),
        "CALLING_AI USER_MESSAGE",
    );
}

#[test]
fn message_after_interrupt_is_answered_after_action() {
    let finishing = || {
        chat()
            .after_user_message()
            .after_act(calls([once(), local()]))
            .after_act(MachineAct::Interrupt)
            .after_act(message())
    };
    check(
        finishing(),
        outcome(0, Succeeds),
        "ACTIONS_EXECUTED[once=succeeded local=cancelled] -> CALLING_AI USER_MESSAGE",
    );
    let before = chat()
        .after_user_message()
        .after_act(calls([once()]))
        .after_act(message())
        .after_act(MachineAct::Interrupt);
    check(before, outcome(0, Succeeds), "ACTIONS_EXECUTED[once=succeeded] -> IDLE");
}

/// Input: the first of two waiting messages is taken back; expected: the next model call reads only the second.
#[test]
fn waiting_message_can_be_taken_back() {
    let withdrawn = |run: &MachineRun, at: usize| {
        let message = run.facts.queue[at].message.clone();
        Input::MessageWithdrawn { author: "ann".into(), message }
    };
    let waiting = chat().after_user_message().after_act(message()).after_act(message());
    let (first, second) = (withdrawn(&waiting, 0), withdrawn(&waiting, 1));
    let one = waiting.after_act(first.clone());
    assert_eq!((one.ignored, one.show()), (None, "CALLING_AI USER_MESSAGE".into()));
    check(one.clone(), first, "ignored: NotApplicable");
    let answered = one.clone().after_act(text());
    assert_eq!((joined(&answered), answered.show()), (2, "CALLING_AI USER_MESSAGE".into()));
    check(answered, second.clone(), "ignored: NotApplicable");
    check(one.after_act(second), text(), "IDLE");
}

#[test]
fn as_many_messages_wait_as_may() {
    let full = || {
        chat()
            .rules(|rules| rules.message_queue = 2)
            .after_user_message()
            .after_act(message())
            .after_act(message())
    };
    check(full(), message(), "ignored: QueueFull");
    check(full().after_act(fails(FailureClass::Refused)), message(), "CALLING_AI USER_MESSAGE");
}

#[test]
fn run_interrupted_before_first_round_resumes() {
    let interrupted = automation().after_act(message_with(query("a"))).after_act(MachineAct::Interrupt);
    assert_eq!(interrupted.show(), "DATA_ADDED[a=cancelled] -> IDLE");
    check(interrupted, MachineAct::Activate, "CALLING_AI RESUME");
}

#[test]
fn a_seed_keeps_messages_and_is_never_run() {
    check(seed(), message(), "IDLE");
    check(seed(), MachineAct::Activate, "ignored: NeverRun");
    check(seed(), MachineAct::Stop(true), "COMPLETED CANCELLED");
}
