//! `MissionContinued`, `MissionEnded` and `ChildEnded`: a caller answers its agent or no longer waits for it, and a
//! resting agent ends.

use crate::agent::AgentReport;
use crate::session::call_batch::BatchHalt;
use crate::session::{EndReason, Phase, TransitionContext, child_agents};

use super::on_halt::halt;

/// Ends an agent whose caller no longer waits for it.
pub(super) fn end(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    halt(step, phase, BatchHalt::End(EndReason::Cancelled))
}

/// Takes the report of a child that ended while no call waited for it.
pub(super) fn record_report(step: &mut TransitionContext<'_>, phase: Phase, report: &AgentReport) -> Phase {
    child_agents::apply_child_report(step.facts, report);
    phase
}
