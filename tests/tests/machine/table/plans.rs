//! Mode `plan`: the work before a person approved a plan, the effect of an approved plan, and its progress.

use super::check;
use entracte_domain::command::EffectClass;
use entracte_domain::plan::{Plan, PlanMode, PlanStepState};
use entracte_domain::session::{Input, JournalNote, LogAppend, RulesChange, Slot, UnattendedPolicy};
use entracte_tests::machine::{ActApprovalChoice::*, ActCallOutcome::*, *};

/// A chat in mode `plan` with an open model call.
fn planning() -> MachineRun {
    chat().rules(|rules| rules.mode = PlanMode::Plan).after_user_message()
}

/// A chat with an approved plan.
fn planned() -> MachineRun {
    planning().after_act(calls([propose()])).after_act(decide(0, Yes)).after_act(outcome(0, Succeeds))
}

fn plan(run: &MachineRun) -> &Plan {
    run.facts.plan.as_ref().expect("there is a plan")
}

fn states(run: &MachineRun) -> Vec<PlanStepState> {
    plan(run).steps.iter().map(|step| step.state).collect()
}

#[test]
fn before_approval_only_queries_and_proposals_run() {
    check(planning(), calls([query("a")]), "EXECUTING_DATA_QUERIES [a=started]");
    let effects = [EffectClass::Local, EffectClass::Idempotent, EffectClass::Probe, EffectClass::Once];
    for asked in effects.map(action) {
        for asked in [asked.clone(), asked.clone().guarded(), asked.clone().independent()] {
            let after = planning().after_act(calls([asked.clone()]));
            let expected =
                format!("ACTIONS_EXECUTED[{}=plan_first] -> CALLING_AI ACTION_FAILURE", asked.name);
            assert_eq!(after.show(), expected);
            assert!(
                after.transcript_text().contains("propose the plan with plan.propose"),
                "{}",
                after.transcript_text()
            );
            assert_eq!(after.ledger[0].attempt, 0, "it never began");
        }
    }
    let progress = "ACTIONS_EXECUTED[plan.step=plan_first] -> CALLING_AI ACTION_FAILURE";
    check(planning(), calls([set_plan_step(1, PlanStepState::Done)]), progress);
    // Only Entracte's own command proposes a plan; another one of its name is an ordinary action.
    let outside = "ACTIONS_EXECUTED[plan.propose=plan_first] -> CALLING_AI ACTION_FAILURE";
    check(planning(), calls([once().named("plan.propose")]), outside);
}

#[test]
fn approved_plan_permits_actions_but_approves_none() {
    let planned = planned();
    assert_eq!(planned.show(), "ACTIONS_EXECUTED[plan.propose=succeeded] -> CALLING_AI ACTION_RESULT");
    assert_eq!((plan(&planned).title.as_str(), plan(&planned).approved_by.is_some()), ("Plan 1", true));
    assert_eq!(plan(&planned).digest, command_id(&command("plan.propose", 1)));
    check(planned.clone(), calls([once()]), "EXECUTING_ACTIONS [once=started]");
    check(planned, calls([once().guarded()]), "WAITING_VALIDATION [once=waiting_decision]");
}

#[test]
fn plan_edit_approves_edited_plan() {
    let edited = planning()
        .after_act(calls([propose()]))
        .after_act(decide(0, Edit(7)))
        .after_act(outcome(0, Succeeds));
    assert_eq!(plan(&edited).title, "Plan 7");
    assert_eq!(plan(&edited).digest, command_id(&command("plan.propose", 7)));
    assert!(
        edited.transcript_text().contains("the user changed the arguments"),
        "{}",
        edited.transcript_text()
    );
}

#[test]
fn a_rejected_plan_lets_nothing_begin() {
    let proposed = || planning().after_act(calls([propose()]));
    check(proposed(), decide(0, No), "VALIDATION_CANCELLED[plan.propose=rejected] -> IDLE");
    let told = proposed().after_act(decide(0, NoBecause));
    assert_eq!(told.show(), "VALIDATION_CANCELLED[plan.propose=rejected] -> CALLING_AI ACTION_RESULT");
    assert_eq!(told.facts.plan, None);
    check(told, calls([once()]), "ACTIONS_EXECUTED[once=plan_first] -> CALLING_AI ACTION_FAILURE");
    let again = planned().after_act(calls([propose().with(2)])).after_act(decide(0, NoBecause));
    assert_eq!(plan(&again).title, "Plan 1", "the one before it stands");
    check(again, calls([once()]), "EXECUTING_ACTIONS [once=started]");
}

#[test]
fn nothing_stands_beside_a_proposal() {
    let beside = planning().after_act(calls([once(), propose(), local()]));
    let waits = "WAITING_VALIDATION [once=plan_first plan.propose=waiting_decision local=plan_first]";
    assert_eq!(beside.show(), waits);
    let both = planned().after_act(calls([once(), propose().with(2)]));
    assert_eq!(both.show(), "WAITING_VALIDATION [once=plan_first plan.propose=waiting_decision]");
    check(
        planning(),
        calls([propose(), propose().with(2)]),
        "WAITING_VALIDATION [plan.propose=cancelled plan.propose=waiting_decision]",
    );
}

#[test]
fn a_message_voids_the_card_of_a_plan() {
    let void = planning().after_act(calls([propose()])).after_act(message());
    assert_eq!(void.show(), "VALIDATION_CANCELLED[plan.propose=cancelled] -> CALLING_AI USER_MESSAGE");
    let late = void.after_act(decide(0, Yes));
    assert!(late.show().starts_with("ignored"), "{}", late.show());
    assert_eq!(late.facts.plan, None);
}

#[test]
fn progress_is_recorded_until_plan_is_over() {
    let first = planned()
        .after_act(calls([set_plan_step(1, PlanStepState::Doing)]).keep_control())
        .after_act(outcome(0, Succeeds));
    assert_eq!(states(&first), [PlanStepState::Doing, PlanStepState::Open]);
    let noted = |entry: &LogAppend| match entry {
        LogAppend::Note(JournalNote::PlanStepped { digest, step }) => {
            (*digest == plan(&first).digest).then(|| (step.id.clone(), step.state))
        }
        _ => None,
    };
    assert_eq!(first.last.iter().find_map(noted), Some(("1".to_owned(), PlanStepState::Doing)));
    let unknown = first.clone().after_act(calls([set_plan_step(3, PlanStepState::Done)]));
    assert!(
        unknown.transcript_text().contains("no step “3”. Its steps are: 1, 2."),
        "{}",
        unknown.transcript_text()
    );
    let last =
        calls([set_plan_step(1, PlanStepState::Done), once(), set_plan_step(2, PlanStepState::Skipped)])
            .keep_control();
    let over = first
        .after_act(last)
        .after_act(outcome(0, Succeeds))
        .after_act(outcome(1, Succeeds))
        .after_act(outcome(2, Succeeds));
    assert_eq!(states(&over), [PlanStepState::Done, PlanStepState::Skipped], "{}", over.show());
    let refused = over.clone().after_act(calls([once()]));
    assert_eq!(refused.show(), "ACTIONS_EXECUTED[once=plan_first] -> CALLING_AI ACTION_FAILURE");
    let again = over.after_act(calls([propose()])).after_act(decide(0, Yes)).after_act(outcome(0, Succeeds));
    assert_eq!(states(&again), [PlanStepState::Open, PlanStepState::Open], "it is to be done once more");
}

#[test]
fn no_policy_approves_a_plan() {
    let run = automation().rules(|rules| {
        rules.mode = PlanMode::Plan;
        rules.unattended = UnattendedPolicy::Allow;
    });
    let proposed = run.after_user_message().after_act(calls([propose()]));
    assert_eq!(proposed.show(), "WAITING_VALIDATION [plan.propose=waiting_decision]");
    // Without a person's decision it would change nothing either.
    let unasked = local().named("plan.propose");
    let ran = planning().after_act(calls([unasked])).after_act(outcome(0, Succeeds));
    assert_eq!(ran.facts.plan, None);
    check(ran, calls([once()]), "ACTIONS_EXECUTED[once=plan_first] -> CALLING_AI ACTION_FAILURE");
}

#[test]
fn person_changes_plan_mode() {
    let set =
        |mode| Input::RulesChanged(Box::new(RulesChange { mode: Some(mode), ..RulesChange::default() }));
    let free = planning().after_act(MachineAct::Raw(Box::new(set(PlanMode::Free))));
    check(free, calls([once()]), "EXECUTING_ACTIONS [once=started]");
    // A waiting action has not started, so it does not start.
    let approved = chat()
        .after_user_message()
        .after_act(calls([once().guarded()]))
        .after_act(MachineAct::Slot(Slot::None));
    let approved =
        approved.after_act(decide(0, Yes)).after_act(MachineAct::Raw(Box::new(set(PlanMode::Plan))));
    assert_eq!(approved.show(), "ACTIONS_EXECUTED[once=plan_first] -> CALLING_AI ACTION_FAILURE, no slot");
    // An action in progress completes.
    let begun = chat()
        .after_user_message()
        .after_act(calls([once(), idem()]))
        .after_act(MachineAct::Raw(Box::new(set(PlanMode::Plan))));
    assert_eq!(begun.show(), "EXECUTING_ACTIONS [once=started idem=plan_first]");
}
