//! The authors of the words that a model reads: of instructions and, in sessions created before they were
//! recorded, of the whole conversation.

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{
    Input, ModelSelection, RulesChange, SessionCopyOrigin, SessionFacts, SessionKind,
};
use entracte_domain::validation::{DecisionVerdict, PromptAuthors};

use crate::instructions::{InstructionScope, InstructionVersion};
use crate::protocol::relay;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::entries_up_to;
use crate::runtime::turn::prefix::instructions::read_instructions;

/// The instructions that a session with this model reads first. A relay of manual calls reads none.
pub(crate) fn read_prompt_instructions(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    scopes: &[InstructionScope],
    voice: &ModelSelection,
) -> Result<Vec<InstructionVersion>, TurnStop> {
    if relay::is_relay(&voice.provider) {
        return Ok(Vec::new());
    }
    list_instructions_in_force(turn, draft, scopes)
}

/// The latest instructions of these scopes, without those that were cleared.
fn list_instructions_in_force(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    scopes: &[InstructionScope],
) -> Result<Vec<InstructionVersion>, TurnStop> {
    let mut told = read_instructions(turn, draft, scopes)?;
    told.retain(|told| !told.is_cleared());
    Ok(told)
}

/// The authors of words that the session's model reads and that are not recorded yet; `None` if there are none.
pub(crate) fn find_new_prompt_authors(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<Option<PromptAuthors>, TurnStop> {
    let Some(facts) = draft.sessions.get(session).map(|drafted| drafted.facts.clone()) else {
        return Ok(None);
    };
    if facts.kind == SessionKind::Seed || relay::is_model_of(&facts) {
        return Ok(None);
    }
    let mut told = list_instructions_in_force(turn, draft, &InstructionScope::scopes_of_session(&facts))?;
    if facts.prompt_authors.is_none() {
        let mut authors = list_authors_so_far(turn, draft, session)?;
        told.iter().for_each(|told| authors.add_author(Some(&told.author)));
        return Ok(Some(authors));
    }
    told.retain(|told| is_uncounted(&facts, told));
    Ok((!told.is_empty()).then(|| PromptAuthors::from_people(told.iter().map(|told| told.author.as_str()))))
}

/// Records them before a generation begins in the middle of the session's work.
pub(crate) fn count_prompt_authors(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let Some(authors) = find_new_prompt_authors(turn, draft, session)? else { return Ok(()) };
    let change = RulesChange { prompt_authors: Some(authors), ..RulesChange::default() };
    turn.apply_input(draft, session, Input::RulesChanged(Box::new(change)))
}

/// Records the people who wrote a shared text that the session's model requested: it influences the model as
/// instructions do.
pub(crate) fn count_text_authors(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    call: &CallId,
    content: &str,
) -> Result<(), TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    let asked = drafted.phase.batch().and_then(|batch| batch.call(call));
    let (Some(known), true) =
        (&drafted.facts.prompt_authors, asked.is_some_and(|call| call.command.name == SHARED_TEXT))
    else {
        return Ok(());
    };
    let mut authors = authors_of_text(content);
    authors.retain(|author| !known.people.contains(author));
    if authors.is_empty() {
        return Ok(());
    }
    let prompt_authors = Some(PromptAuthors::from_people(authors.iter().map(String::as_str)));
    let change = RulesChange { prompt_authors, ..RulesChange::default() };
    turn.apply_input(draft, session, Input::RulesChanged(Box::new(change)))
}

/// The people whose words are in the journal of a session that did not record them.
fn list_authors_so_far(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
) -> Result<PromptAuthors, TurnStop> {
    let stored = entries_up_to(turn, session, u64::MAX)?;
    let drafted = draft.entries.iter().filter(|entry| entry.session == *session);
    let mut authors = PromptAuthors::default();
    let inputs = stored.iter().map(|entry| &entry.input).chain(drafted.map(|entry| &entry.input));
    for input in inputs {
        match input {
            Input::SessionCreated(creation) => {
                let written = creation.run.iter().flat_map(|run| &run.messages);
                written.for_each(|(author, _)| authors.add_author(Some(author)));
            }
            Input::UserMessageSent(sent) => authors.add_author(Some(&sent.author)),
            Input::CommunicationResponseReceived { author, .. }
            | Input::CompletionRejected { author, reason: Some(_) }
            | Input::CallSettled { author, note: Some(_), .. } => authors.add_author(Some(author)),
            Input::ValidationReceived { author, decisions } => {
                let says = |verdict: &DecisionVerdict| match verdict {
                    DecisionVerdict::Approve { edited } => edited.is_some(),
                    DecisionVerdict::Reject { reason } => reason.is_some(),
                };
                if decisions.iter().any(|decision| says(&decision.verdict)) {
                    authors.add_author(Some(author));
                }
            }
            Input::SessionCopied { how: SessionCopyOrigin::Import, .. } => authors.add_author(None),
            _ => {}
        }
    }
    Ok(authors)
}

/// The query that reads a shared text.
const SHARED_TEXT: &str = "shared_texts.get";

/// The people named by a shared text as authors of its versions and proposals.
fn authors_of_text(content: &str) -> Vec<String> {
    let Ok(text) = serde_json::from_str::<serde_json::Value>(content) else { return Vec::new() };
    let lists = ["versions", "proposals"].into_iter().filter_map(|name| text.get(name)?.as_array());
    let parts = std::iter::once(&text).chain(lists.flatten());
    parts.filter_map(|part| part.get("by")?.as_str().map(str::to_owned)).collect()
}

/// Whether the author of instructions is not recorded, or wrote them after the grant that covers their earlier
/// text.
fn is_uncounted(facts: &SessionFacts, told: &InstructionVersion) -> bool {
    let is_known = facts.prompt_authors.as_ref().is_some_and(|authors| authors.people.contains(&told.author));
    let is_covered = facts.grant.as_ref().is_some_and(|grant| {
        grant.author.person.as_deref() != Some(&told.author) && grant.covers.contains(&told.author)
    });
    !is_known || (is_covered && told.at > facts.created_at)
}
