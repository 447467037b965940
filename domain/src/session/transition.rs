//! The transition function: one file per input, each a match over all phases.
//!
//! First the table ([`table`]) ignores late, duplicate and inapplicable inputs, which change nothing and are not
//! journaled. The dispatch ([`dispatch`]) runs the handlers of the others, in their own files. Then the start gate
//! ([`super::start_gate`]) lets work start.

mod applicability;
mod condition;
mod dispatch;
mod failed_round;
mod on_activation_requested;
mod on_ai_response;
mod on_answer;
mod on_attachment;
mod on_budget;
mod on_call_finished;
mod on_call_settled;
mod on_compaction;
mod on_completion;
mod on_copied;
mod on_created;
mod on_halt;
mod on_heartbeat;
mod on_mission;
mod on_policy;
mod on_provider_error;
mod on_read;
mod on_rules_changed;
mod on_spending;
mod on_standing_changed;
mod on_system_error;
mod on_task_finished;
mod on_time_reached;
mod on_user_message;
mod on_validation;
mod table;

use crate::session::call_batch::plan_gate::refuse_actions_before_plan;
use crate::session::start_gate::start_ready_work;
use crate::session::{
    ClockSetbackPolicy, CrashStreak, IgnoreReason, Input, InputActivity, Phase, SessionFacts, SessionRules,
    TransitionContext, TransitionRecord,
};
use crate::time::Timestamp;

use condition::DispatchContext;
use dispatch::apply_input;
use table::{TransitionAnswer, find_answer};

/// Applies one input and returns the log entries and ledger changes. Pure: the same facts, phase, input, instant and
/// rules give the same result.
///
/// # Errors
/// Why the input was ignored; then nothing changed, and it is not journaled.
pub fn transition(
    facts: &mut SessionFacts,
    phase: &mut Phase,
    input: Input,
    now: Timestamp,
    rules: &SessionRules,
) -> Result<TransitionRecord, IgnoreReason> {
    let activity = input.properties().activity;
    match find_answer(&DispatchContext { facts, phase, input: &input, now, rules }) {
        TransitionAnswer::Ignore(why) => return Err(why),
        TransitionAnswer::Apply => {}
    }
    facts.sequence += 1;
    match activity {
        InputActivity::Observation => {}
        InputActivity::Upkeep => facts.last_event_at = now,
        InputActivity::Progress => {
            facts.last_event_at = now;
            facts.crashes = CrashStreak::default();
        }
    }
    let mut record = TransitionRecord::default();
    let mut step = TransitionContext::new(facts, now, rules, &mut record);
    let moved = apply_input(&mut step, std::mem::replace(phase, Phase::Idle), input);
    let guarded = refuse_actions_before_plan(&mut step, moved);
    *phase = start_ready_work(&mut step, guarded);
    step.record_active_time(phase);
    Ok(record)
}

/// Applies one input as the workspace log entry of this number. The numbers order human acts and waits for a slot. Live
/// run, copy and replay number alike.
///
/// # Errors
/// As [`transition`].
pub fn transition_as_entry(
    facts: &mut SessionFacts,
    phase: &mut Phase,
    input: Input,
    seq: u64,
    now: Timestamp,
    rules: &SessionRules,
) -> Result<TransitionRecord, IgnoreReason> {
    let before = facts.slot;
    let record = transition(facts, phase, input, now, rules)?;
    match rules.set_back {
        ClockSetbackPolicy::EndsWaits => {}
        ClockSetbackPolicy::EndsNothing => {
            if record.is_human_act {
                facts.acted = seq;
            }
            if facts.slot.waiting_since().is_some_and(|since| before.waiting_since() != Some(since)) {
                facts.lined_up = seq;
            }
        }
    }
    Ok(record)
}
