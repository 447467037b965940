//! Creates sessions on request.

use entracte_domain::automation::RunPolicy;
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{Input, ModelSelection, SessionCreation, SessionFacts};
use entracte_domain::validation::PromptAuthors;

use crate::commands::{AgentsExecutor, Catalog, OWN_SESSION_QUERIES};
use crate::instructions::InstructionScope;
use crate::mail::{MailAnswer, MailRefusal, NewSessionRequest};
use crate::permissions::{SessionPolicy, check_session_change};
use crate::protocol::relay;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::messages::build_message_input;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::prefix::{
    begin_generation, check_prefix_size, current_sections, read_prompt_instructions,
};
use crate::runtime::turn::questions::SessionIdTakenQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

pub(crate) fn start_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    new: &NewSessionRequest,
) -> Result<MailAnswer, RequestNotApplied> {
    let accepted = MailAnswer::accept_message(None, &new.id);
    if draft_session(turn, draft, &new.id)? {
        return Ok(accepted);
    }
    check_id(turn, &new.id)?;
    let restriction = resolve_restriction(turn.memory.catalog, &new.restriction)?;
    let facts = SessionFacts::new(new.id.clone(), turn.memory.key.clone(), new.kind, draft.now);
    let voice =
        ModelSelection { provider: new.provider.clone(), model: new.model.clone(), dialect: new.dialect };
    let sections = current_sections(turn, draft)?;
    let policy = RunPolicy::default();
    let audience = PrefixAudience {
        kind: new.kind,
        voice: voice.clone(),
        restriction: restriction.clone(),
        mode: new.mode,
        policy,
        agent: None,
        scopes: InstructionScope::scopes_of_session(&facts),
    };
    check_prefix_size(turn, draft, &audience.clone().into_run_audience())?;
    let read = read_prompt_instructions(turn, draft, &audience.scopes, &voice)?;
    let prompt_authors = Some(PromptAuthors::from_people(read.iter().map(|read| read.author.as_str())));
    let (prefix, told) = begin_generation(turn, draft, &audience, &sections)?;
    draft.add_new_session(facts);
    let creation = SessionCreation {
        name: new.name.clone(),
        require_validation: new.require_validation,
        mode: new.mode,
        restriction,
        automation: None,
        scheduled_at: None,
        parent: None,
        provider: voice.provider,
        model: voice.model,
        dialect: voice.dialect,
        prefix,
        told,
        run: None,
        agent: None,
        policy: RunPolicy::default(),
        prompt_authors,
        grant: None,
    };
    turn.apply_input(draft, &new.id, Input::SessionCreated(Box::new(creation)))?;
    Ok(accepted)
}

/// Refuses an id that is not available: a session of another workspace has it.
pub(crate) fn check_id(turn: &TurnContext<'_>, id: &SessionId) -> Result<(), RequestNotApplied> {
    match *turn.ask(SessionIdTakenQuestion(id.clone()))? {
        true => Err(MailRefusal::session_exists(id).into()),
        false => Ok(()),
    }
}

/// The restriction in the catalog's own names. A session that may use any command may also read its results to
/// the end.
pub(crate) fn resolve_restriction(
    catalog: &Catalog,
    restriction: &Restriction,
) -> Result<Restriction, MailRefusal> {
    let Restriction::Only(patterns) = restriction else { return Ok(Restriction::Open) };
    let mut only = Vec::new();
    for pattern in patterns {
        let named =
            catalog.find(&pattern.to_string()).map(|known| CommandPattern::from_text(&known.spec.name));
        let pattern = named.unwrap_or_else(|| pattern.clone());
        if !catalog.entries().any(|known| pattern.matches_command(&known.spec.name)) {
            let given = pattern.to_string();
            return Err(MailRefusal::Invalid(saying!("request-restriction-empty", given = given)));
        }
        if !only.contains(&pattern) {
            only.push(pattern);
        }
    }
    // A session may always read its own results, history and files.
    let calls_agents = catalog.entries().any(|known| {
        known.spec.agent.is_some() && only.iter().any(|pattern| pattern.matches_command(&known.spec.name))
    });
    // A session that may call an agent may also answer it.
    let continues = calls_agents.then_some(AgentsExecutor::CONTINUE);
    for own in OWN_SESSION_QUERIES.into_iter().chain(continues) {
        let pattern = CommandPattern::from_text(own);
        if catalog.find(own).is_some() && !only.is_empty() && !only.contains(&pattern) {
            only.push(pattern);
        }
    }
    Ok(Restriction::Only(only))
}

/// Creates a session with its first message. If the message is refused, no session is created.
pub(crate) fn start_with_message(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    new: &NewSessionRequest,
    first: &FirstMessage<'_>,
) -> Result<MailAnswer, RequestNotApplied> {
    if let Some(why) = relay::cannot_converse(&new.provider) {
        return Err(MailRefusal::Invalid(why).into());
    }
    if draft_session(turn, draft, &new.id)? {
        return Err(MailRefusal::session_exists(&new.id).into());
    }
    start_session(turn, draft, new)?;
    let input = build_message_input(turn, draft, &new.id, first.author, first.message, first.client_key);
    if let Err(RequestNotApplied::Refused(_)) = &input {
        draft.delete(&new.id);
    }
    turn.apply_input(draft, &new.id, input?)?;
    let sequence = draft.sessions.get(&new.id).map_or(0, |drafted| drafted.facts.sequence);
    Ok(MailAnswer::accept_message(Some(new.id.message_id(sequence, 0)), &new.id))
}

/// Refuses a session that would be looser than the policy it inherits, if the requester may not approve.
pub(crate) fn check_new_session(
    turn: &TurnContext<'_>,
    new: &NewSessionRequest,
    may_approve: bool,
) -> Result<(), MailRefusal> {
    let above = turn.memory.rules.rules_for_kind(new.kind).mode;
    let policy = |mode| SessionPolicy { require_validation: false, mode, commands: None };
    check_session_change(&policy(above), &policy(new.mode.unwrap_or(above)), may_approve)?;
    Ok(())
}

/// The first message of a session.
pub(crate) struct FirstMessage<'a> {
    pub(crate) author: &'a str,
    pub(crate) message: &'a UserMessage,
    pub(crate) client_key: Option<&'a str>,
}
