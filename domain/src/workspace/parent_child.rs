//! Parents and children: what the end of a child tells its parent, and that of a parent its children. Derived from how
//! both stand now, so a crash between the two loses nothing and tells nothing twice.

use crate::agent::{AgentReport, MissionEnd};
use crate::id::{CallId, SessionId};
use crate::session::{BatchHalt, Phase, SessionFacts, agent_report};

/// What one of a family is to be told now, in the turn of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParentChildEvent {
    /// For the parent, as `CallFinished`: its call has its answer.
    Answers {
        /// The call.
        call: CallId,
        /// Its attempt.
        attempt: u32,
        /// What the child says.
        report: AgentReport,
    },
    /// For the parent, as `ChildEnded`: a child ended that no call waited for.
    Ended(AgentReport),
    /// For the child, as `MissionEnded`: nobody waits for it any more.
    Orphaned(MissionEnd),
}

/// What a child and its parent have to tell one another now; none when all is told. `parent` is none where there is no
/// such session any more.
pub fn pending_parent_child_event(
    parent: Option<(&SessionFacts, &Phase)>,
    (child, phase): (&SessionFacts, &Phase),
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

/// One that ended, or ends as soon as what is under way has ended, was told.
fn orphan_event(phase: &Phase, why: MissionEnd) -> Option<ParentChildEvent> {
    let ends = matches!(phase, Phase::Completed { .. })
        || phase.batch().is_some_and(|batch| matches!(batch.halt, Some(BatchHalt::End(_))));
    (!ends).then_some(ParentChildEvent::Orphaned(why))
}

/// All sessions below one, the deepest first, so that who is stopped in this order waits for nobody. Each pair is a
/// session and the session that calls it.
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
