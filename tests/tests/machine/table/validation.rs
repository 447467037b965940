//! Approvals: the persons who decide, the effect of a decision, and the reasons to ask again.

use super::check;
use entracte_domain::id::Digest;
use entracte_domain::session::{
    AllowPolicyCoverage, ApprovalRecheck, Input, JournalNote, LogAppend, Phase, RulesChange, Slot,
    UnattendedPolicy,
};
use entracte_tests::machine::{ActApprovalChoice::*, ActCallOutcome::*, *};

/// A chat that waits for approval of these calls.
fn waiting(asks: impl Into<Vec<MachineCommandRequest>>) -> MachineRun {
    chat().after_user_message().after_act(calls(asks))
}

#[test]
fn all_guarded_calls_share_one_approval_request() {
    let both = waiting([once().guarded(), local(), idem().guarded()]);
    assert_eq!(
        both.show(),
        "WAITING_VALIDATION [once=waiting_decision local=proposed idem=waiting_decision]"
    );
    check(
        both.clone(),
        decide(0, Yes),
        "WAITING_VALIDATION [once=approved local=proposed idem=waiting_decision]",
    );
    let all = MachineAct::Decide(vec![(0, Yes), (2, Yes)]);
    check(both.clone(), all, "EXECUTING_ACTIONS [once=started local=proposed idem=approved]");
    let some = MachineAct::Decide(vec![(0, No), (2, Yes)]);
    check(both, some, "EXECUTING_ACTIONS [once=rejected local=proposed idem=approved]");
}

#[test]
fn rejection_without_reason_rests_chat() {
    let refused = "VALIDATION_CANCELLED[once=rejected]";
    let goes_on = format!("{refused} -> CALLING_AI ACTION_RESULT");
    check(waiting([once().guarded()]), decide(0, No), &format!("{refused} -> IDLE"));
    check(waiting([once().guarded()]), decide(0, NoBecause), &goes_on);
    check(automation().after_user_message().after_act(calls([once().guarded()])), decide(0, No), &goes_on);
    let mixed = waiting([once().guarded(), local()]).after_act(decide(0, No));
    check(mixed, outcome(1, Succeeds), &format!("{refused}, ACTIONS_EXECUTED[local=succeeded] -> IDLE"));
}

#[test]
fn edited_arguments_run_and_model_is_informed() {
    let edited = waiting([once().guarded()]).after_act(decide(0, Edit(7)));
    assert_eq!(edited.show(), "EXECUTING_ACTIONS [once=started]");
    let call = edited.phase.batch().expect("runs").calls[0].clone();
    assert_eq!(
        (&call.command, call.effective_command()),
        (&command("once", 1), &command("once", 7)),
        "both are kept"
    );
    let done = edited.after_act(outcome(0, Succeeds));
    assert_eq!(done.show(), "ACTIONS_EXECUTED[once=succeeded] -> IDLE");
    assert!(done.transcript_text().contains("the user changed the arguments"), "{}", done.transcript_text());
}

#[test]
fn edit_recomputes_duplicates() {
    let no_longer = waiting([once().guarded(), once().guarded()]);
    assert_eq!(no_longer.show(), "WAITING_VALIDATION [once=waiting_decision once=follows]");
    check(no_longer.clone(), decide(0, Edit(7)), "WAITING_VALIDATION [once=approved once=waiting_decision]");
    check(no_longer, decide(0, Yes), "EXECUTING_ACTIONS [once=started once=follows]");
    let becomes = || waiting([once().guarded(), once().with(2).guarded()]);
    let both = MachineAct::Decide(vec![(0, Yes), (1, Edit(1))]);
    check(becomes(), both, "EXECUTING_ACTIONS [once=started once=follows]");
    let earlier = waiting([once().guarded(), once().with(2)]);
    check(earlier, decide(0, Edit(2)), "EXECUTING_ACTIONS [once=started once=follows]");
}

#[test]
fn duplicate_of_edited_call_needs_own_approval() {
    // A standing approval covers the second call; for the first, the model itself requested an approval.
    let covered = || waiting([once().independent().guarded().carded(), once().independent().carded()]);
    assert_eq!(covered().show(), "WAITING_VALIDATION [once=waiting_decision once=follows]");
    check(covered(), decide(0, Yes), "EXECUTING_ACTIONS [once=started once=follows]");
    check(covered(), decide(0, Edit(7)), "EXECUTING_ACTIONS [once=started once=waiting_decision]");
    // As in v0.1, whose journals have no cards.
    let before = waiting([once().independent().guarded(), once().independent()]);
    check(before, decide(0, Edit(7)), "EXECUTING_ACTIONS [once=started once=started]");
}

#[test]
fn approval_expires_while_other_calls_run() {
    let asked = || {
        let undecided = once().with(2).independent().guarded().carded();
        waiting([
            idem().independent().carded(),
            undecided,
            probe().carded(),
            once().with(3).independent().carded(),
        ])
    };
    let shown = "EXECUTING_ACTIONS [idem=started once=waiting_decision probe=proposed once=started]";
    assert_eq!(asked().show(), shown);
    let late = asked().after_act(MachineAct::Wait(72 * 3_600_000));
    check(late.clone(), decide(1, Yes), "ignored: NotApplicable");
    let expired = late.after_act(MachineAct::Time);
    let shown = "EXECUTING_ACTIONS [idem=started once=expired probe=expired once=started]";
    assert_eq!(expired.show(), shown, "what waits for it ends with it");
    let noted = |entry: &LogAppend| matches!(entry, LogAppend::Note(JournalNote::WaitExpired));
    assert!(expired.last.iter().any(noted));
    check(expired.clone(), MachineAct::Time, "ignored: NotDue");
}

#[test]
fn repeated_decision_is_idempotent_and_different_conflicts() {
    let first = |choice| waiting([once().guarded(), idem().guarded()]).after_act(decide(0, choice));
    check(first(Yes), decide(0, Yes), "ignored: Duplicate");
    check(first(Yes), decide(0, No), "ignored: Conflict");
    check(first(Yes), decide(0, Edit(2)), "ignored: Conflict");
    check(first(Edit(2)), decide(0, Edit(2)), "ignored: Duplicate");
    check(first(No), decide(0, No), "ignored: Duplicate");
    check(first(No), decide(0, Yes), "ignored: Conflict");
    let again_with_another = MachineAct::Decide(vec![(0, Yes), (1, Yes)]);
    check(first(Yes), again_with_another, "EXECUTING_ACTIONS [once=started idem=approved]");
    let conflict_with_another = MachineAct::Decide(vec![(0, No), (1, Yes)]);
    check(first(Yes), conflict_with_another, "ignored: Conflict");
    check(first(Yes), MachineAct::Decide(Vec::new()), "ignored: NotApplicable");
    check(chat(), MachineAct::Decide(Vec::new()), "ignored: NotApplicable");
}

#[test]
fn unattended_policies_decide_guarded_calls() {
    let unattended = |policy| automation().rules(|rules| rules.unattended = policy).after_user_message();
    let guarded = || calls([once().guarded()]);
    check(unattended(UnattendedPolicy::Park), guarded(), "WAITING_VALIDATION [once=waiting_decision]");
    check(
        unattended(UnattendedPolicy::Refuse),
        guarded(),
        "VALIDATION_CANCELLED[once=rejected] -> CALLING_AI ACTION_RESULT",
    );
    let ungranted = unattended(UnattendedPolicy::Allow);
    check(ungranted, guarded(), "WAITING_VALIDATION [once=waiting_decision]");
    // As before grants were recorded.
    let before = automation().rules(|rules| {
        rules.unattended = UnattendedPolicy::Allow;
        rules.allow_covers = AllowPolicyCoverage::Anything;
    });
    let allowed = before.after_user_message().after_act(guarded());
    assert_eq!(allowed.show(), "EXECUTING_ACTIONS [once=started]");
    let journaled =
        |entry: &LogAppend| matches!(entry, LogAppend::Note(JournalNote::ApprovedByPolicy { .. }));
    assert!(allowed.last.iter().any(journaled));
    assert!(
        allowed.phase.batch().expect("runs").calls[0].decision().is_some(),
        "under an approval of the policy"
    );
}

#[test]
fn expired_approval_is_requested_again_before_start() {
    let approved =
        || waiting([once().guarded()]).after_act(MachineAct::Slot(Slot::None)).after_act(decide(0, Yes));
    assert_eq!(approved().show(), "EXECUTING_ACTIONS [once=approved]");
    let late = approved().after_act(MachineAct::Wait(72 * 3_600_000));
    // The person who approved is informed that the approval is requested again.
    let asked = |calls: &str| format!("VALIDATION_CANCELLED -> WAITING_VALIDATION [{calls}]");
    check(late, MachineAct::Slot(Slot::Held), &asked("once=waiting_decision"));
    let second = waiting([idem(), once().guarded()])
        .after_act(decide(1, Yes))
        .after_act(MachineAct::Wait(72 * 3_600_000));
    check(second, outcome(0, Succeeds), &asked("idem=succeeded once=waiting_decision"));
    let unplanned =
        || waiting([local().guarded()]).after_act(decide(0, Yes)).after_act(MachineAct::Wait(72 * 3_600_000));
    check(unplanned(), outcome(0, Succeeds), "ignored: Stale");
    check(unplanned(), MachineAct::Wake, &asked("local=waiting_decision"));
}

fn recheck(run: &MachineRun, version: Option<&str>, guarded: bool) -> Input {
    let call = run.phase.batch().expect("a batch").calls[0].id.clone();
    let recheck =
        ApprovalRecheck { call, version: version.map(Digest::new), reasons: reasons(guarded), now: None };
    Input::RulesChanged(Box::new(RulesChange {
        notice: Some("changed".into()),
        rechecks: vec![recheck],
        ..RulesChange::default()
    }))
}

#[test]
fn a_change_of_terms_asks_for_approval_again() {
    let changed = |run: MachineRun, version, guarded, expected: &str| {
        let input = recheck(&run, version, guarded);
        check(run, input, expected);
    };
    let approved =
        || waiting([once().guarded()]).after_act(MachineAct::Slot(Slot::None)).after_act(decide(0, Yes));
    let asks = "RULES_CHANGED -> WAITING_VALIDATION [once=waiting_decision]";
    changed(approved(), Some("v2"), true, asks);
    changed(approved(), Some("v1"), true, "RULES_CHANGED -> EXECUTING_ACTIONS [once=approved]");
    changed(approved(), Some("v1"), false, "RULES_CHANGED -> EXECUTING_ACTIONS [once=approved]");
    // An open approval request is not withdrawn, and nothing runs because the flag was removed.
    changed(waiting([once().guarded()]), Some("v1"), false, asks);
    changed(waiting([once().guarded()]), Some("v2"), false, asks);
    let gone = "RULES_CHANGED, ACTIONS_EXECUTED[once=unknown_command] -> CALLING_AI ACTION_FAILURE";
    changed(approved(), None, true, &format!("{gone}, no slot"));
    changed(waiting([once().guarded()]), None, true, gone);
    let unguarded =
        || chat().after_user_message().after_act(MachineAct::Slot(Slot::None)).after_act(calls([once()]));
    changed(unguarded(), Some("v1"), true, asks);
    let started = chat().after_user_message().after_act(calls([once()]));
    changed(started, Some("v2"), true, "RULES_CHANGED -> EXECUTING_ACTIONS [once=started]");
}

#[test]
fn repeated_approval_covers_new_terms() {
    let run = waiting([once().guarded()]);
    let input = recheck(&run, Some("v2"), true);
    check(run.after_act(input), decide(0, Yes), "EXECUTING_ACTIONS [once=started]");
}

#[test]
fn every_exit_from_a_wait_leaves_its_trace() {
    let exits = [
        MachineAct::Wake,
        decide(0, No),
        message(),
        MachineAct::Stop(false),
        MachineAct::Stop(true),
        MachineAct::Interrupt,
    ];
    for session in [chat, automation, agent] {
        for exit in &exits {
            let left = session()
                .after_user_message()
                .after_act(calls([once().guarded(), local()]))
                .after_act(exit.clone());
            let left = if matches!(left.phase, Phase::ExecutingActions(_)) {
                left.after_act(MachineAct::Interrupt)
            } else {
                left
            };
            assert!(left.show().starts_with("VALIDATION_CANCELLED[once="), "{exit:?}: {}", left.show());
            assert!(left.ledger.iter().all(|call| call.is_finished()), "{exit:?}");
        }
    }
    let asking = || {
        chat()
            .rules(|rules| rules.question_expires = entracte_domain::time::Millis(1000))
            .after_user_message()
            .after_act(question())
    };
    for exit in
        [MachineAct::Wake, message(), MachineAct::Stop(false), MachineAct::Stop(true), MachineAct::Interrupt]
    {
        let left = asking().after_act(exit.clone());
        assert!(left.show().starts_with("COMMUNICATION_CANCELLED"), "{exit:?}: {}", left.show());
    }
    let too_late = automation()
        .strict()
        .after_act(MachineAct::Slot(Slot::None))
        .after_act(MachineAct::Slot(Slot::Held))
        .after_user_message();
    let too_late = too_late
        .after_act(MachineAct::Wait(500_000))
        .after_act(calls([once().guarded()]))
        .after_act(MachineAct::SystemError);
    assert_eq!(too_late.show(), "PROVIDER_ERROR -> WAITING_VALIDATION [once=waiting_decision]", "stays");
}

#[test]
fn terms_change_counts_while_queries_run() {
    let reading = || chat().after_user_message().after_act(calls([once(), query("a")]));
    let demanded = |run: &MachineRun| recheck(run, Some("v1"), true);
    let demands = reading().after_act(demanded(&reading()));
    assert_eq!(demands.show(), "RULES_CHANGED -> EXECUTING_DATA_QUERIES [once=proposed a=started]");
    check(demands, outcome(1, Succeeds), "WAITING_VALIDATION [once=waiting_decision a=succeeded]");
}
