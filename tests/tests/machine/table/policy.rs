//! The policy hook: calls wait for its answer, which adds requirements and removes none.

use super::check;
use entracte_domain::call::CallState;
use entracte_domain::session::{
    AllowPolicyCoverage, Effect, Input, Phase, Slot, UnattendedPolicy, desired_effects,
};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::PolicyDecision::{Allow, Ask, Deny, NoAnswer};
use entracte_domain::validation::{ApproverRequirement, Decision, DecisionVerdict, PolicyCheck};
use entracte_tests::machine::{ActApprovalChoice::*, ActCallOutcome::*, *};

/// A chat whose model requested these calls.
fn asked(asks: impl Into<Vec<MachineCommandRequest>>) -> MachineRun {
    chat().after_user_message().after_act(calls(asks))
}

/// The commands about which the policy is asked now.
fn questions(run: &MachineRun) -> usize {
    let effects = desired_effects(&run.facts, &run.phase, run.now);
    effects.iter().filter(|effect| matches!(effect, Effect::AskPolicy { .. })).count()
}

#[test]
fn call_waits_for_the_policy() {
    let run = asked([once().policed(), local().policed()]);
    assert_eq!(run.show(), "EXECUTING_ACTIONS [once=proposed local=proposed]");
    assert_eq!(questions(&run), 2, "all calls of a reply are asked about at once");
    check(run.clone(), policy_answers(0, Allow), "EXECUTING_ACTIONS [once=started local=proposed]");
    check(run.clone(), policy_answers(1, Allow), "EXECUTING_ACTIONS [once=proposed local=proposed]");
    let query = asked([query("web").policed()]);
    assert_eq!(query.show(), "EXECUTING_DATA_QUERIES [web=proposed]");
    check(query, policy_answers(0, Allow), "EXECUTING_DATA_QUERIES [web=started]");
}

#[test]
fn every_answer_but_allow_stops_the_call() {
    for decision in [Ask, NoAnswer] {
        let waits = "WAITING_VALIDATION [once=waiting_decision]";
        check(asked([once().policed()]), policy_answers(0, decision), waits);
    }
    let refused = "ACTIONS_EXECUTED[once=forbidden] -> CALLING_AI ACTION_FAILURE";
    check(asked([once().policed()]), policy_answers(0, Deny), refused);
    check(asked([once().policed().guarded()]), policy_answers(0, Deny), refused);
}

#[test]
fn allowed_call_needs_its_approval_anyway() {
    let run = asked([once().policed().guarded()]);
    assert_eq!(run.show(), "EXECUTING_ACTIONS [once=proposed]", "nobody is asked before the policy");
    let waits = run.after_act(policy_answers(0, Allow));
    assert_eq!(waits.show(), "WAITING_VALIDATION [once=waiting_decision]");
    check(waits, decide(0, Yes), "EXECUTING_ACTIONS [once=started]");
}

#[test]
fn answer_counts_once() {
    let allowed = asked([once().policed()]).after_act(policy_answers(0, Allow));
    check(allowed, policy_answers(0, Deny), "ignored: Stale");
    let waits = asked([once().policed()]).after_act(policy_answers(0, Ask));
    check(waits, policy_answers(0, Allow), "ignored: Stale");
    let stopped = asked([once().policed()]).after_act(MachineAct::Interrupt);
    check(stopped, policy_answers(0, Allow), "IDLE");
}

#[test]
fn restart_asks_the_policy_again() {
    let run = asked([once().policed()]);
    let restarted = run.clone().after_act(MachineAct::Restart);
    assert_eq!((questions(&restarted), restarted.phase == run.phase), (1, true));
}

#[test]
fn suspended_session_asks_nothing() {
    let run = automation().after_user_message().after_act(calls([once().policed()]));
    let suspended = run.after_act(MachineAct::Slot(Slot::Suspended(Timestamp(0))));
    assert_eq!(questions(&suspended), 0);
    assert_eq!(questions(&suspended.after_act(MachineAct::Slot(Slot::Held))), 1);
}

/// Input: an approval with other arguments; expected: the policy is asked about these, its refusal holds, and the person
/// who approved exactly these is the person that it asks for.
#[test]
fn edited_arguments_are_asked_about() {
    let edited = || {
        let waits = asked([once().policed().guarded()]).after_act(policy_answers(0, Allow));
        waits.after_act(decide(0, Edit(7)))
    };
    assert_eq!((edited().show().as_str(), questions(&edited())), ("EXECUTING_ACTIONS [once=approved]", 1));
    for decision in [Allow, Ask, NoAnswer] {
        check(edited(), policy_answers(0, decision), "EXECUTING_ACTIONS [once=started]");
    }
    let refused = "ACTIONS_EXECUTED[once=forbidden] -> CALLING_AI ACTION_FAILURE";
    check(edited(), policy_answers(0, Deny), refused);
}

/// Input: an approval of unchanged arguments, about which the policy answers only now; expected: the approval counts for its
/// card, so it holds where the policy allows, and is asked again where the card now has the reason of the policy.
#[test]
fn approval_does_not_outrun_the_policy() {
    let approved = || {
        let mut waits = asked([once().policed().guarded()]).after_act(policy_answers(0, Allow));
        let Phase::WaitingValidation { batch, .. } = &mut waits.phase else { unreachable!("it waits") };
        batch.calls[0].policy = Some(PolicyCheck::Pending);
        waits.after_act(decide(0, Yes))
    };
    assert_eq!(approved().show(), "EXECUTING_ACTIONS [once=approved]");
    check(approved(), policy_answers(0, Allow), "EXECUTING_ACTIONS [once=started]");
    for decision in [Ask, NoAnswer] {
        let asked_again = "VALIDATION_CANCELLED -> WAITING_VALIDATION [once=waiting_decision]";
        check(approved(), policy_answers(0, decision), asked_again);
    }
}

/// Input: a run that may act while nobody is there; expected: it acts where the policy allows, and waits where it asks.
#[test]
fn unattended_run_waits_for_the_person_that_the_policy_asks_for() {
    let run = || {
        let run = automation().rules(|rules| {
            rules.unattended = UnattendedPolicy::Allow;
            rules.allow_covers = AllowPolicyCoverage::Anything;
        });
        run.after_user_message().after_act(calls([once().policed().guarded()]))
    };
    let acts = run().after_act(policy_answers(0, Allow));
    let state = |run: &MachineRun| run.phase.batch().expect("it has calls").calls[0].state.clone();
    assert!(matches!(state(&acts), CallState::Started { .. }), "{}", acts.show());
    check(run(), policy_answers(0, Ask), "WAITING_VALIDATION [once=waiting_decision]");
}

#[test]
fn calls_beside_go_on_meanwhile() {
    let run = asked([query("a"), once().policed()]);
    assert_eq!(run.show(), "EXECUTING_DATA_QUERIES [a=started once=proposed]");
    let done = run.after_act(outcome(0, Succeeds));
    assert_eq!(done.show(), "EXECUTING_ACTIONS [a=succeeded once=proposed]");
    check(done, policy_answers(1, Allow), "EXECUTING_ACTIONS [a=succeeded once=started]");
}

/// Input: two of these people must approve, and one edits; expected: the edit is refused, because the other has not seen it, and
/// the call starts with the second approval alone.
#[test]
fn second_approver_starts_the_call() {
    let demand = |quorum| {
        let mut run = asked([once().guarded().carded()]);
        let Phase::WaitingValidation { batch, .. } = &mut run.phase else { unreachable!("it waits") };
        let required = ApproverRequirement { named: Vec::new(), seats: Vec::new(), quorum };
        batch.calls[0].reasons[0].approvers = Some(Box::new(required));
        run
    };
    check(demand(2), decide(0, Edit(7)), "ignored: FourEyes(Wrote)");
    let half = demand(2).after_act(decide(0, Yes));
    assert_eq!(half.show(), "WAITING_VALIDATION [once=waiting_decision]");
    check(half.clone(), decide(0, Yes), "ignored: Duplicate");
    let by_bob = |run: &MachineRun| {
        let call = &run.phase.batch().expect("it waits").calls[0];
        let verdict = DecisionVerdict::Approve { edited: None };
        let decision = Decision { call: call.id.clone(), card: call.card.clone(), verdict, rule: None };
        Input::ValidationReceived { author: "bob".into(), decisions: vec![decision] }
    };
    let second = by_bob(&half);
    check(half.clone(), second, "EXECUTING_ACTIONS [once=started]");
    check(half, decide(0, No), "VALIDATION_CANCELLED[once=rejected] -> IDLE");
    check(demand(1), decide(0, Yes), "EXECUTING_ACTIONS [once=started]");
}
