//! Kinds of sessions without a conversation.

use entracte_domain::id::SessionId;
use entracte_domain::session::SessionKind;

use crate::protocol::relay;
use crate::runtime::turn::draft::TurnDraft;

/// Whether the session is the template of runs, which has no conversation.
pub(crate) fn is_seed(draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| drafted.facts.kind == SessionKind::Seed)
}

/// Whether the session runs people's manual calls, and so has no conversation either.
pub(crate) fn is_manual_call_session(draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| relay::is_model_of(&drafted.facts))
}
