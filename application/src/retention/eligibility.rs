//! Whether a session, or its results, may go. Pure.

use entracte_domain::session::{ParkReason, Phase, SessionFacts, SessionKind, needs_slot};
use entracte_domain::time::Timestamp;

use super::RetentionHold;

entracte_domain::words! {
    /// Why something stays although its limit has passed, or that it has not.
    pub enum RetentionKeepReason {
        /// A person holds it.
        Held = "held",
        /// It is not older than its limit.
        Recent = "recent",
        /// It has not ended, or is not at rest.
        Open = "open",
        /// A long task of it has not ended.
        Task = "task",
        /// An agent works or rests for it, or it is an agent that rests.
        Agent = "agent",
        /// A person may settle a call of unknown outcome.
        Unsettled = "unsettled",
    }
}

/// Whether a session whose last input came before `before` may go with everything of it.
///
/// # Errors
/// The reason why it stays.
pub fn check_session_removable(
    facts: &SessionFacts,
    phase: &Phase,
    holds: &[RetentionHold],
    before: Timestamp,
) -> Result<(), RetentionKeepReason> {
    if !may_be_going(facts, phase) {
        return Err(RetentionKeepReason::Open);
    }
    check_results_removable(facts, phase, holds, before)
}

/// Whether the first part of a session's log may be gone because the session is going. Of any other one it is lost.
pub fn may_be_going(facts: &SessionFacts, phase: &Phase) -> bool {
    phase.end_reason().is_some() || is_copied_agent(facts)
}

/// Whether an agent may go with the session above it, whose last input came before `before`.
///
/// # Errors
/// The reason why it stays, and the session above it with it.
pub fn check_agent_removable(
    facts: &SessionFacts,
    phase: &Phase,
    holds: &[RetentionHold],
    before: Timestamp,
) -> Result<(), RetentionKeepReason> {
    // An agent may have been looked at after its caller ended. In the copy of one a person may work.
    let before = if is_copied_agent(facts) { before } else { Timestamp(i64::MAX) };
    check_session_removable(facts, phase, holds, before)
}

/// Whether this is the copy of an agent, which came with a copy of its caller: it never ends by itself, and goes with its
/// caller when it rests.
fn is_copied_agent(facts: &SessionFacts) -> bool {
    facts.agent.is_none() && facts.parent.is_some()
}

/// Whether the results of a session whose last input came before `before` may go. It need not have ended, but nothing
/// of it waits or is under way.
///
/// # Errors
/// The reason why they stay.
pub fn check_results_removable(
    facts: &SessionFacts,
    phase: &Phase,
    holds: &[RetentionHold],
    before: Timestamp,
) -> Result<(), RetentionKeepReason> {
    // The runs of an automation begin with what its seed holds.
    if facts.kind == SessionKind::Seed {
        return Err(RetentionKeepReason::Open);
    }
    match phase {
        // An agent rests until its caller answers it.
        Phase::Idle if facts.agent.is_some() => Err(RetentionKeepReason::Agent),
        Phase::Idle | Phase::Completed { .. } => check_at_rest(facts, phase, holds, before),
        // So a copy begins, and it stays so until a person acts.
        Phase::Parked(ParkReason::Interrupted) if is_copied_agent(facts) => {
            check_at_rest(facts, phase, holds, before)
        }
        Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => Err(RetentionKeepReason::Open),
    }
}

fn check_at_rest(
    facts: &SessionFacts,
    phase: &Phase,
    holds: &[RetentionHold],
    before: Timestamp,
) -> Result<(), RetentionKeepReason> {
    if facts.last_event_at >= before {
        return Err(RetentionKeepReason::Recent);
    }
    if holds.iter().any(|hold| hold.keeps(facts)) {
        return Err(RetentionKeepReason::Held);
    }
    if needs_slot(SessionKind::Chat, phase) || !facts.queue.is_empty() || facts.owes_round {
        return Err(RetentionKeepReason::Open);
    }
    if !facts.tasks.is_empty() {
        return Err(RetentionKeepReason::Task);
    }
    // Of an ended caller no agent reports any more: each is looked at itself.
    if phase.end_reason().is_none() && !facts.children.is_empty() {
        return Err(RetentionKeepReason::Agent);
    }
    if !facts.unsettled.is_empty() {
        return Err(RetentionKeepReason::Unsettled);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{AutomationId, CallId, SessionId, TaskId, WorkspaceKey};
    use entracte_domain::session::EndReason;

    use super::*;
    use crate::instructions::InstructionScope;

    const OLD: Timestamp = Timestamp(1_000);
    const BEFORE: Timestamp = Timestamp(2_000);

    fn facts() -> SessionFacts {
        let id = SessionId::new("ses_1");
        SessionFacts::new(id, WorkspaceKey::new("ann:home"), SessionKind::Automation, OLD)
    }

    fn ended() -> Phase {
        Phase::Completed { reason: EndReason::Completed }
    }

    fn hold(scope: InstructionScope) -> RetentionHold {
        RetentionHold { scope, author: "ann".into(), reason: "Audit.".into(), at: OLD }
    }

    #[test]
    fn open_work_keeps_a_session() {
        let check = |facts: &SessionFacts, phase: &Phase| check_session_removable(facts, phase, &[], BEFORE);
        assert_eq!(check(&facts(), &ended()), Ok(()));
        assert_eq!(check(&facts(), &Phase::Idle), Err(RetentionKeepReason::Open));
        assert_eq!(check_results_removable(&facts(), &Phase::Idle, &[], BEFORE), Ok(()));
        assert_eq!(check_session_removable(&facts(), &ended(), &[], OLD), Err(RetentionKeepReason::Recent));
        let task = SessionFacts { tasks: vec![TaskId::new("tsk_1")], ..facts() };
        assert_eq!(check(&task, &ended()), Err(RetentionKeepReason::Task));
        let unsettled = SessionFacts { unsettled: vec![CallId::new("cal_1")], ..facts() };
        assert_eq!(check(&unsettled, &ended()), Err(RetentionKeepReason::Unsettled));
        let waiting = check_results_removable(&facts(), &Phase::WaitingTask, &[], BEFORE);
        assert_eq!(waiting, Err(RetentionKeepReason::Open));
    }

    #[test]
    fn seeds_keep_their_results() {
        let id = SessionId::new("ses_1");
        let seed = SessionFacts::new(id, WorkspaceKey::new("ann:home"), SessionKind::Seed, OLD);
        let kept = check_results_removable(&seed, &Phase::Idle, &[], BEFORE);
        assert_eq!(kept, Err(RetentionKeepReason::Open));
    }

    #[test]
    fn copied_agents_go_when_they_rest() {
        let copy = SessionFacts { parent: Some(CallId::new("cal_1_2_0")), ..facts() };
        let copied = Phase::Parked(ParkReason::Interrupted);
        assert_eq!(check_session_removable(&copy, &copied, &[], BEFORE), Ok(()));
        assert_eq!(check_session_removable(&facts(), &copied, &[], BEFORE), Err(RetentionKeepReason::Open));
        let failed = check_session_removable(&copy, &Phase::Parked(ParkReason::Quarantined), &[], BEFORE);
        assert_eq!(failed, Err(RetentionKeepReason::Open));
        let recent = check_agent_removable(&copy, &copied, &[], OLD);
        assert_eq!(recent, Err(RetentionKeepReason::Recent));
        // Of any other one the age of its caller counts.
        assert_eq!(check_agent_removable(&facts(), &ended(), &[], OLD), Ok(()));
    }

    #[test]
    fn holds_keep_what_they_name() {
        let run = SessionFacts { automation: Some("aut_1".into()), ..facts() };
        let is_kept = |scope| check_session_removable(&run, &ended(), &[hold(scope)], BEFORE).is_err();
        for (scope, kept) in [
            (InstructionScope::Workspace, true),
            (InstructionScope::Automation(AutomationId::new("aut_1")), true),
            (InstructionScope::Automation(AutomationId::new("aut_2")), false),
            (InstructionScope::Session(SessionId::new("ses_1")), true),
            (InstructionScope::Session(SessionId::new("ses_1-2-0")), true),
            (InstructionScope::Session(SessionId::new("ses_10")), false),
        ] {
            assert_eq!(is_kept(scope.clone()), kept, "{scope:?}");
        }
    }
}
