//! Events between parent and child sessions: a child's end for its parent, and a parent's end for its children. Derived
//! from the current state of both, so a crash between the two neither loses nor repeats an event.

use crate::agent::{AgentReport, MissionEnd};
use crate::id::{CallId, SessionId};
use crate::session::{BatchHalt, Phase, SessionFacts, agent_report};

/// A pending event for a parent or child, applied in the turn of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParentChildEvent {
    /// For the parent, as `CallFinished`: the result of its call.
    Answers {
        /// Id of the call.
        call: CallId,
        /// Attempt of the call.
        attempt: u32,
        /// Report of the child.
        report: AgentReport,
    },
    /// For the parent, as `ChildEnded`: a child ended while no call waited for it.
    Ended(AgentReport),
    /// For the child, as `MissionEnded`: its caller no longer waits for it.
    Orphaned(MissionEnd),
}

/// The pending event between a child and its parent; `None` if there is none. `parent` is `None` if that session no
/// longer exists.
pub fn pending_parent_child_event(
    parent: Option<(&SessionFacts, &Phase)>,
    child: &SessionFacts,
    phase: &Phase,
) -> Option<ParentChildEvent> {
    child.agent.as_ref()?;
    let has_ended = matches!(phase, Phase::Completed { .. });
    let known = parent.and_then(|(parent, at)| {
        let known = parent.children.iter().find(|known| known.session == child.id)?;
        (!matches!(at, Phase::Completed { .. })).then_some((known, at))
    });
    let Some((known, at)) = known else {
        return orphan_event(phase, MissionEnd::ParentEnded);
    };
    let call = at.batch().and_then(|batch| batch.call(&known.call)).filter(|call| call.is_started());
    match (agent_report(child, phase), call) {
        (Some(report), Some(call)) if child.parent.as_ref() == Some(&call.id) => {
            Some(ParentChildEvent::Answers { call: call.id.clone(), attempt: call.attempt, report })
        }
        (Some(report), _) if has_ended => Some(ParentChildEvent::Ended(report)),
        (Some(_) | None, Some(_)) if is_halted(at) => orphan_event(phase, MissionEnd::Halted),
        (Some(_) | None, Some(_) | None) => None,
    }
}

fn is_halted(phase: &Phase) -> bool {
    phase.batch().is_some_and(|batch| batch.halt.is_some())
}

/// The orphan event, unless the child has ended or is already ending.
fn orphan_event(phase: &Phase, why: MissionEnd) -> Option<ParentChildEvent> {
    let ends = matches!(phase, Phase::Completed { .. })
        || phase.batch().is_some_and(|batch| matches!(batch.halt, Some(BatchHalt::End(_))));
    (!ends).then_some(ParentChildEvent::Orphaned(why))
}

/// All descendants of a session, the deepest first, so that a stop in this order never waits for another session. Each
/// pair is a session and its caller.
pub fn descendants_deepest_first(root: &SessionId, kin: &[(SessionId, SessionId)]) -> Vec<SessionId> {
    let mut below: Vec<SessionId> = Vec::new();
    let mut level = vec![root.clone()];
    while !level.is_empty() {
        let next = kin.iter().filter(|(child, from)| level.contains(from) && !below.contains(child));
        level = next.map(|(child, _)| child.clone()).collect();
        below.extend(level.iter().cloned());
    }
    below.reverse();
    below
}

#[cfg(test)]
mod tests;
