//! Unseen ends: runs that ended without success and that no person has looked at yet.

use crate::session::{EndReason, Phase, SessionFacts, SessionKind};

crate::words! {
    /// Why a person should look at a run that ended.
    #[derive(PartialOrd, Ord)]
    pub enum UnseenEndReason {
        /// It failed.
        Failed = "failed",
        /// A limit ended it.
        Limited = "limited",
        /// It ended, but an approval had expired, so that a call was not carried out.
        Expired = "expired",
    }
}

/// Why a person should look at the end of this session. `None` if it is not a run, has not ended, was stopped by a
/// person, did its work, or was seen. The end of an agent is reported to its parent instead.
pub fn unseen_end(facts: &SessionFacts, phase: &Phase) -> Option<UnseenEndReason> {
    let is_run = match facts.kind {
        SessionKind::Automation => true,
        SessionKind::Chat | SessionKind::Seed | SessionKind::Agent => false,
    };
    let why = match phase.end_reason()? {
        EndReason::Error | EndReason::Timeout | EndReason::Interrupted => Some(UnseenEndReason::Failed),
        EndReason::LimitReached => Some(UnseenEndReason::Limited),
        EndReason::Completed => (!facts.expired.is_empty()).then_some(UnseenEndReason::Expired),
        EndReason::Cancelled => None,
    };
    why.filter(|_| is_run && !facts.is_end_seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CallId, SessionId, WorkspaceKey};
    use crate::time::Timestamp;

    #[test]
    fn failed_run_is_unseen_until_viewed() {
        let of = |kind| {
            let (id, workspace) = (SessionId::new("ses_a"), WorkspaceKey::new("ann:home"));
            SessionFacts::new(id, workspace, kind, Timestamp(0))
        };
        let ended = |kind, reason| (of(kind), Phase::Completed { reason });
        let run = |reason| ended(SessionKind::Automation, reason);
        let (facts, completed) = run(EndReason::Completed);
        let expired = (SessionFacts { expired: vec![CallId::new("cal_a_1_0")], ..facts }, completed);
        let cases = [
            (run(EndReason::Error), Some(UnseenEndReason::Failed)),
            (run(EndReason::Timeout), Some(UnseenEndReason::Failed)),
            (run(EndReason::Interrupted), Some(UnseenEndReason::Failed)),
            (run(EndReason::LimitReached), Some(UnseenEndReason::Limited)),
            (run(EndReason::Completed), None),
            (expired, Some(UnseenEndReason::Expired)),
            (run(EndReason::Cancelled), None),
            ((of(SessionKind::Automation), Phase::Idle), None),
            (ended(SessionKind::Chat, EndReason::Error), None),
            (ended(SessionKind::Agent, EndReason::Error), None),
        ];
        for ((facts, phase), expected) in cases {
            assert_eq!(unseen_end(&facts, &phase), expected, "{:?} {phase:?}", facts.kind);
            assert_eq!(unseen_end(&SessionFacts { is_end_seen: true, ..facts }, &phase), None);
        }
    }
}
