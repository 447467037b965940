//! Inputs that are ignored for a reason that the phase alone does not tell, and the same inputs where they apply.

use super::check;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Dialect, Input, ModelSelection, Phase, RulesChange, SessionOpening, SessionRename,
};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ApprovalReason, ExchangePrincipal, ValidationLevel};
use entracte_tests::machine::{ActApprovalChoice::*, *};

fn change(change: RulesChange) -> Input {
    Input::RulesChanged(Box::new(change))
}

fn other_model() -> RulesChange {
    let voice = ModelSelection { provider: "other".into(), model: "m".into(), dialect: Dialect::Envelope };
    RulesChange { voice: Some(voice), ..RulesChange::default() }
}

fn other_name() -> RulesChange {
    let name = SessionRename { author: "ann".into(), name: "weights".into() };
    RulesChange { name: Some(name), ..RulesChange::default() }
}

fn opened_until(until: i64, asks_slot: bool) -> Input {
    let (author, attachment) = ("ann".to_owned(), "tab".to_owned());
    Input::SessionOpened(SessionOpening { author, attachment, until: Timestamp(until), asks_slot })
}

fn left() -> Input {
    Input::SessionLeft { author: "ann".into(), attachment: "tab".into() }
}

fn end_seen() -> Input {
    Input::EndSeen { author: "ann".into() }
}

/// A chat that waits for the approval of a call that these people asked for, under four eyes.
fn four_eyes(asked_by: ExchangePrincipal) -> MachineRun {
    let mut run = chat().after_user_message().after_act(calls([once().guarded()]));
    let Phase::WaitingValidation { batch, .. } = &mut run.phase else { unreachable!("it waits") };
    let text = "careful".into();
    batch.calls[0].reasons =
        vec![ApprovalReason { level: ValidationLevel::FourEyes, about: None, text, approvers: None }];
    batch.calls[0].asked_by = asked_by;
    run
}

#[test]
fn created_session_is_not_created_again() {
    check(chat().after_act(session_created_act()), session_created_act(), "ignored: Duplicate");
    check(agent(), agent_created_act(), "MISSION -> CALLING_AI USER_MESSAGE");
    check(chat(), agent_created_act(), "ignored: NotApplicable");
}

#[test]
fn agent_takes_no_message_of_people() {
    check(new_agent_run(), message(), "ignored: NotApplicable");
    check(new_agent_run(), MachineAct::Stop(true), "COMPLETED CANCELLED");
}

#[test]
fn full_queue_takes_no_message() {
    let full = || {
        let run = chat().rules(|rules| rules.message_queue = 2).after_user_message();
        run.after_repeated_acts(2, &[message()])
    };
    check(full(), message(), "ignored: QueueFull");
    check(full().after_act(MachineAct::Interrupt), message(), "CALLING_AI USER_MESSAGE");
}

#[test]
fn four_eyes_approval_needs_second_person() {
    let by = |person: &str| ExchangePrincipal::for_run([person], None);
    check(four_eyes(by("ann")), decide(0, Yes), "ignored: FourEyes(Asked)");
    check(four_eyes(by("bob")), decide(0, Edit(7)), "ignored: FourEyes(Wrote)");
    check(four_eyes(ExchangePrincipal::default()), decide(0, Yes), "ignored: FourEyes(Unknown)");
    check(four_eyes(by("bob")), decide(0, Yes), "EXECUTING_ACTIONS [once=started]");
    check(four_eyes(by("ann")), decide(0, No), "VALIDATION_CANCELLED[once=rejected] -> IDLE");
}

#[test]
fn awaited_model_is_not_exchanged() {
    check(chat().after_user_message(), change(other_model()), "ignored: NotApplicable");
    check(chat().after_user_message().after_act(text()), change(other_model()), "IDLE");
    check(chat(), change(RulesChange::default()), "ignored: NotApplicable");
}

#[test]
fn ended_session_can_be_renamed() {
    let ended = || automation().after_user_message().after_act(MachineAct::Stop(true));
    check(ended(), change(other_name()), "COMPLETED CANCELLED");
    check(ended(), change(RulesChange { notice: Some("new".into()), ..other_name() }), "ignored: Ended");
}

#[test]
fn failed_end_is_seen_once() {
    let failed = || {
        let run = automation().after_user_message().after_act(fails(FailureClass::Refused));
        run.after_act(MachineAct::Wake)
    };
    check(failed(), end_seen(), "COMPLETED ERROR");
    check(failed().after_act(end_seen()), end_seen(), "ignored: Duplicate");
    check(chat(), end_seen(), "ignored: NotApplicable");
}

#[test]
fn comment_needs_a_decision() {
    let asked = || chat().after_user_message().after_act(calls([once().guarded()]));
    let commented = || {
        let call = asked().phase.batch().unwrap().calls[0].id.clone();
        Input::DecisionCommented { author: "bob".into(), call, comment: "not on a Friday".into() }
    };
    check(asked(), commented(), "ignored: NotApplicable");
    check(
        asked().after_act(decide(0, No)).after_act(MachineAct::Stop(true)),
        commented(),
        "COMPLETED CANCELLED",
    );
    check(chat(), commented(), "IDLE");
}

#[test]
fn lasting_lease_is_not_renewed() {
    let opened = || chat().after_act(opened_until(2_000_000_000_000, false));
    check(opened(), opened_until(2_000_000_000_000, false), "ignored: Duplicate");
    check(opened(), opened_until(2_000_000_000_001, false), "IDLE");
    check(opened(), opened_until(2_000_000_000_000, true), "IDLE");
    check(automation(), opened_until(2_000_000_000_000, true), "ignored: NotApplicable");
    check(opened(), left(), "IDLE");
    check(opened().after_act(left()), left(), "ignored: Duplicate");
}

#[test]
fn message_is_withdrawn_while_queued() {
    let queued = || chat().after_user_message().after_act(message());
    let id = || queued().facts.queue[0].message.clone();
    let withdrawn = || Input::MessageWithdrawn { author: "ann".into(), message: id() };
    check(queued(), withdrawn(), "CALLING_AI USER_MESSAGE");
    check(queued().after_act(withdrawn()), withdrawn(), "ignored: NotApplicable");
}
