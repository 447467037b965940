//! The notices of each session about its tasks and the agents it called, read from its journal.

use std::collections::BTreeMap;

use entracte_application::codec::decode_entry;
use entracte_application::ports::LogReader;
use entracte_domain::call::CallOutcome;
use entracte_domain::id::{SessionId, TaskId};
use entracte_domain::session::Input;

use crate::virtual_workspace::home;

/// A notice that a session got.
pub(super) enum SessionNotice {
    /// How a task ended.
    Task { task: TaskId, is_late: bool },
    /// The report of an agent's end.
    End(SessionId),
}

/// The notices of each session, with the position up to which its journal was read.
#[derive(Default)]
pub(super) struct SessionNoticeLog(BTreeMap<SessionId, (u64, Vec<SessionNotice>)>);

impl SessionNoticeLog {
    /// Reads the new journal entries of a session.
    pub(super) async fn read_new_entries(&mut self, log: &impl LogReader, session: &SessionId) {
        let (after, heard) = self.0.entry(session.clone()).or_default();
        for row in log.entries(&home(), session, *after, u32::MAX).await.unwrap() {
            *after = row.seq;
            heard.extend(told(decode_entry(&row).unwrap().input));
        }
    }

    /// How often a session got the end of this task: in time, and late.
    pub(super) fn ends_of(&self, session: &SessionId, task: &TaskId) -> (usize, usize) {
        let count = |late: bool| {
            self.session_notices(session)
                .filter(|heard| matches!(heard, SessionNotice::Task { task: of, is_late } if of == task && *is_late == late))
                .count()
        };
        (count(false), count(true))
    }

    /// How often a session got the report of this agent.
    pub(super) fn reports_of(&self, session: &SessionId, child: &SessionId) -> usize {
        self.session_notices(session)
            .filter(|heard| matches!(heard, SessionNotice::End(of) if of == child))
            .count()
    }

    fn session_notices(&self, session: &SessionId) -> impl Iterator<Item = &SessionNotice> {
        self.0.get(session).into_iter().flat_map(|(_, heard)| heard)
    }
}

fn told(input: Input) -> Option<SessionNotice> {
    let report = match input {
        Input::TaskFinished { task, late, .. } => return Some(SessionNotice::Task { task, is_late: late }),
        Input::CallFinished { outcome: CallOutcome::Reported { report, .. }, .. } => report,
        Input::ChildEnded { report } => report,
        _ => return None,
    };
    (!report.status.can_be_answered()).then_some(SessionNotice::End(report.child))
}
