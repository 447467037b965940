//! What a session receives before its next input.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, PhaseLabel, RulesChange, SessionKind};

use crate::ports::DataSection;
use crate::runtime::error::TurnError;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::read_prefix;
use crate::runtime::turn::prefix::{
    append_data_changes, begin_generation, current_prefix, current_sections, find_new_prompt_authors,
};
use crate::runtime::turn::rechecks::recheck_session;

/// Gives the session what changed since it was last touched: flags or commands under waiting calls, an outdated
/// frozen prefix, changed always-sent data.
pub(crate) fn refresh_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    recheck_session(turn, draft, session)?;
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    let (audience, known) = (PrefixAudience::of_session(&drafted.facts), drafted.facts.prefix.clone());
    if drafted.phase.end_reason().is_some() || audience.kind == SessionKind::Seed {
        return Ok(());
    }
    let prompt_authors = find_new_prompt_authors(turn, draft, session)?;
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    // A generation begins at a user turn only, never while a reply's calls are open.
    let at_user_turn = drafted.phase.label() == PhaseLabel::Idle;
    let sections = current_sections(turn, draft)?;
    if at_user_turn && !is_prefix_current(turn, draft, &audience, session, known.as_ref(), &sections)? {
        let (prefix, told) = begin_generation(turn, draft, &audience, &sections)?;
        let (prefix, told) = (Some(prefix), Some(told));
        let change = RulesChange { prefix, told, prompt_authors, ..RulesChange::default() };
        return turn.apply_input(draft, session, Input::RulesChanged(Box::new(change)));
    }
    if prompt_authors.is_some() {
        let change = RulesChange { prompt_authors, ..RulesChange::default() };
        turn.apply_input(draft, session, Input::RulesChanged(Box::new(change)))?;
    }
    append_data_changes(turn, draft, session, &sections)
}

/// Whether the session's frozen prefix equals, data aside, the one of a generation that begins now.
fn is_prefix_current(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    audience: &PrefixAudience,
    session: &SessionId,
    known: Option<&entracte_domain::id::Digest>,
    sections: &[DataSection],
) -> Result<bool, TurnStop> {
    let Some(digest) = known else { return Ok(false) };
    let current = current_prefix(turn, draft, audience, sections)?;
    match read_prefix(turn, draft, session, digest) {
        Ok(known) => Ok(known.has_same_base(&current)),
        // An unreadable prefix must not block the session: a new generation begins.
        Err(TurnStop::Fault(TurnError::Damaged(why))) => {
            tracing::error!(%why, "a frozen prefix cannot be read; starting a new generation");
            Ok(false)
        }
        Err(stop) => Err(stop),
    }
}
