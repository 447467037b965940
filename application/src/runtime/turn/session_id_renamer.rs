//! Replaces the ids in a session's entries by those of its copy. Ids of workspace data stay: a copy works on the
//! same data.

use entracte_domain::command::Command;
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::MessageBody;
use entracte_domain::session::{InputIdVisitor, JournalNote, LogAppend};
use entracte_domain::value::JsonValue;

/// Maps one session's ids to another's.
pub(super) struct SessionIdRenamer {
    from: String,
    to: String,
}

impl SessionIdRenamer {
    pub(super) fn new(from: &SessionId, to: &SessionId) -> Self {
        Self { from: from.stem().to_owned(), to: to.stem().to_owned() }
    }

    /// `cal_<from>_2_0` becomes `cal_<to>_2_0`; any other id stays.
    fn text(&self, prefix: &str, id: &str) -> Option<String> {
        let rest = id.strip_prefix(prefix)?.strip_prefix(&self.from)?;
        rest.starts_with('_').then(|| format!("{prefix}{}{rest}", self.to))
    }

    /// `ses_<from>-2-0`, a child named after the call that started it, becomes `ses_<to>-2-0`.
    fn child_id(&self, id: &str) -> Option<String> {
        let rest = id.strip_prefix("ses_")?.strip_prefix(&self.from)?;
        rest.starts_with('-').then(|| format!("ses_{}{rest}", self.to))
    }

    /// The id that an agent below the session has below the copy; any other id stays.
    pub(super) fn renamed_child(&self, agent: &SessionId) -> SessionId {
        self.child_id(agent.as_str()).map_or_else(|| agent.clone(), SessionId::new)
    }

    /// Renames the messages and calls that an appended entry names.
    pub(super) fn appended(&self, appended: &mut LogAppend) {
        match appended {
            LogAppend::Message(message) => {
                self.message(&mut message.id);
                if let MessageBody::System(system) = &mut message.body {
                    system.results.iter_mut().for_each(|result| self.call(&mut result.call));
                }
            }
            LogAppend::Note(note) => self.note(note),
        }
    }

    fn note(&self, note: &mut JournalNote) {
        match note {
            JournalNote::MessagesJoined(ids) => ids.iter_mut().for_each(|id| self.message(id)),
            JournalNote::RetryScheduled { call, .. }
            | JournalNote::ApprovedByPolicy { call, .. }
            | JournalNote::ApprovalAskedAgain { call }
            | JournalNote::ApprovedByRule { call, .. } => self.call(call),
            JournalNote::EnrichmentsExecuted
            | JournalNote::RoundStarted { .. }
            | JournalNote::AttemptStarted { .. }
            | JournalNote::AiResponseParsed
            | JournalNote::ParseErrorOccurred { .. }
            | JournalNote::DataQueriesExecuted
            | JournalNote::ActionsExecuted
            | JournalNote::ActionFailureOccurred
            | JournalNote::NetworkRetryScheduled { .. }
            | JournalNote::PassedThrough(_)
            | JournalNote::LimitReached(_)
            | JournalNote::GenerationBegun(_)
            | JournalNote::FellBack { .. }
            | JournalNote::PlanApproved(_)
            | JournalNote::PlanStepped { .. }
            | JournalNote::WaitExpired
            | JournalNote::SessionSuspended
            | JournalNote::SessionResumed
            | JournalNote::SessionParked
            | JournalNote::ReplacedInQueue
            | JournalNote::Quarantined
            | JournalNote::ClosureDelayElapsed
            | JournalNote::SessionCompleted { .. } => {}
        }
    }
}

impl InputIdVisitor for SessionIdRenamer {
    fn call(&self, id: &mut CallId) {
        if let Some(text) = self.text("cal_", id.as_str()) {
            *id = CallId::new(text);
        }
    }

    fn message(&self, id: &mut MessageId) {
        if let Some(text) = self.text("msg_", id.as_str()) {
            *id = MessageId::new(text);
        }
    }

    fn child(&self, id: &mut SessionId) {
        if let Some(text) = self.child_id(id.as_str()) {
            *id = SessionId::new(text);
        }
    }

    /// Renames the child that a command answers, so that it is a child of the copy when its inputs are replayed.
    fn command(&self, command: &mut Command) {
        let JsonValue::Object(arguments) = &mut command.arguments else { return };
        for (_, value) in arguments.iter_mut().filter(|(name, _)| name == "child") {
            if let Some(id) = value.as_text().and_then(|id| self.child_id(id)) {
                *value = JsonValue::from(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_the_session_itself_are_renamed() {
        let renaming = SessionIdRenamer::new(&SessionId::new("ses_a1"), &SessionId::new("ses_b2"));
        let cases =
            [("cal_a1_2_0", "cal_b2_2_0"), ("cal_a12_2_0", "cal_a12_2_0"), ("cal_c3_2_0", "cal_c3_2_0")];
        for (before, after) in cases {
            let mut id = CallId::new(before);
            renaming.call(&mut id);
            assert_eq!(id.as_str(), after);
        }
    }
}
