//! New sessions, changes of a session's settings, and the notices a session must receive before its next input.

use std::sync::Arc;

use entracte_domain::automation::RunPolicy;
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{
    Input, ModelSelection, Phase, PhaseLabel, RulesChange, SessionCreation, SessionFacts, SessionKind,
    SessionRename,
};
use entracte_domain::validation::PromptAuthors;

use crate::command_naming::CommandNaming;
use crate::commands::{AgentsExecutor, Catalog, HistoryExecutor, ResultsExecutor};
use crate::instructions::InstructionScope;
use crate::mail::{MailAnswer, MailRefusal, NewSessionRequest};
use crate::permissions::{SessionPolicy, check_session_change};
use crate::protocol::relay;
use crate::runtime::data_sections::DataSection;
use crate::runtime::error::TurnError;
use crate::runtime::prefix_cache::{PrefixAudience, voice_of};
use crate::runtime::turn::{RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::{SessionDraft, TurnDraft, texts};
use crate::terminal_text::one_line;
use crate::texts::{LocalizedTexts, say, saying};

impl WorkspaceTurn<'_> {
    pub(super) fn start_session(
        &self,
        draft: &mut TurnDraft,
        new: &NewSessionRequest,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let accepted = MailAnswer::accept_message(None, &new.id);
        if self.draft_session(draft, &new.id)? {
            return Ok(accepted);
        }
        self.check_id(&new.id)?;
        let restriction = resolve_restriction(self.memory.catalog, &new.restriction)?;
        let facts = SessionFacts::new(new.id.clone(), self.memory.key.clone(), new.kind, draft.now);
        let voice =
            ModelSelection { provider: new.provider.clone(), model: new.model.clone(), dialect: new.dialect };
        let sections = self.sections(draft)?;
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
        self.check_weight(draft, &audience.clone().into_run_audience())?;
        let read = self.instructions_read(draft, &audience.scopes, &voice)?;
        let prompt_authors = Some(PromptAuthors::from_people(read.iter().map(|read| read.author.as_str())));
        let (prefix, told) = self.begin_generation(draft, &audience, &sections)?;
        draft.sessions.insert(
            new.id.clone(),
            SessionDraft { facts: Arc::new(facts), phase: Phase::Idle, stored: None },
        );
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
        self.apply_input(draft, &new.id, Input::SessionCreated(Box::new(creation)))?;
        Ok(accepted)
    }

    /// Creates a session with its first message. If the message is refused, no session is created.
    pub(super) fn start_with_message(
        &self,
        draft: &mut TurnDraft,
        new: &NewSessionRequest,
        first: &FirstMessage<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        if let Some(why) = relay::cannot_converse(&new.provider) {
            return Err(MailRefusal::Invalid(why).into());
        }
        if self.draft_session(draft, &new.id)? {
            return Err(MailRefusal::session_exists(&new.id).into());
        }
        self.start_session(draft, new)?;
        let input = self.message_input(draft, &new.id, first.author, first.message, first.client_key);
        if let Err(RequestNotApplied::Refused(_)) = &input {
            draft.delete(&new.id);
        }
        self.apply_input(draft, &new.id, input?)?;
        let sequence = draft.sessions.get(&new.id).map_or(0, |drafted| drafted.facts.sequence);
        Ok(MailAnswer::accept_message(Some(new.id.message_id(sequence, 0)), &new.id))
    }

    /// Refuses a session that would be looser than the policy it inherits, if the requester may not approve.
    pub(super) fn check_new_session(
        &self,
        new: &NewSessionRequest,
        may_approve: bool,
    ) -> Result<(), MailRefusal> {
        let above = self.memory.rules.rules_for_kind(new.kind).mode;
        let policy = |mode| SessionPolicy { require_validation: false, mode, commands: None };
        check_session_change(&policy(above), &policy(new.mode.unwrap_or(above)), may_approve)?;
        Ok(())
    }

    /// Refuses an id that is not available: a session of another workspace has it.
    pub(super) fn check_id(&self, id: &SessionId) -> Result<(), RequestNotApplied> {
        match self.is_session_id_taken(id)? {
            true => Err(MailRefusal::session_exists(id).into()),
            false => Ok(()),
        }
    }

    /// Gives the session what changed since it was last touched: flags or commands under waiting calls, an outdated
    /// frozen prefix, changed always-sent data.
    pub(super) fn refresh(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
        self.recheck(draft, session)?;
        let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
        let (audience, known) = (PrefixAudience::of_session(&drafted.facts), drafted.facts.prefix.clone());
        if drafted.phase.end_reason().is_some() || audience.kind == SessionKind::Seed {
            return Ok(());
        }
        let prompt_authors = self.new_prompt_authors(draft, session)?;
        let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
        // A generation begins at a user turn only, never while a reply's calls are open.
        let at_user_turn = drafted.phase.label() == PhaseLabel::Idle;
        let sections = self.sections(draft)?;
        if at_user_turn && !self.is_current(draft, &audience, session, known.as_ref(), &sections)? {
            let (prefix, told) = self.begin_generation(draft, &audience, &sections)?;
            let (prefix, told) = (Some(prefix), Some(told));
            let change = RulesChange { prefix, told, prompt_authors, ..RulesChange::default() };
            draft.apply_input(session, Input::RulesChanged(Box::new(change)), self.memory.rules)?;
            return Ok(());
        }
        if prompt_authors.is_some() {
            let change = RulesChange { prompt_authors, ..RulesChange::default() };
            self.apply_input(draft, session, Input::RulesChanged(Box::new(change)))?;
        }
        self.append_data_changes(draft, session, &sections)
    }

    /// Whether the session's frozen prefix equals, data aside, the one of a generation that begins now.
    fn is_current(
        &self,
        draft: &mut TurnDraft,
        audience: &PrefixAudience,
        session: &SessionId,
        known: Option<&entracte_domain::id::Digest>,
        sections: &[DataSection],
    ) -> Result<bool, TurnStop> {
        let Some(digest) = known else { return Ok(false) };
        let current = self.current_prefix(draft, audience, sections)?.base_digest();
        match self.prefix(draft, session, digest) {
            Ok(known) => Ok(known.base_digest() == current),
            // An unreadable prefix must not block the session: a new generation begins.
            Err(TurnStop::Fault(TurnError::Damaged(why))) => {
                tracing::error!(%why, "a frozen prefix cannot be read; starting a new generation");
                Ok(false)
            }
            Err(stop) => Err(stop),
        }
    }

    /// The input for the requested session change; empty if every setting has its value already.
    pub(super) fn session_change(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        wanted: SessionChangeRequest<'_>,
    ) -> Result<Input, RequestNotApplied> {
        let Some(drafted) = draft.sessions.get(session) else {
            return Err(MailRefusal::NotFound(saying!("request-session-gone")).into());
        };
        let (mut facts, phase) = (Arc::clone(&drafted.facts), drafted.phase.clone());
        let SessionChangeRequest { require_validation, mode, restriction, voice, name, may_approve } = wanted;
        check_manual_call_voice(session, &facts, mode, restriction, voice)?;
        let mut change = RulesChange::default();
        let restriction =
            restriction.map(|restriction| resolve_restriction(self.memory.catalog, restriction));
        let restriction = restriction.transpose()?;
        let before = SessionPolicy {
            require_validation: facts.require_validation,
            mode: facts.mode(self.memory.rules.rules_for_session(&facts)),
            commands: facts.kind.is_run().then(|| facts.restriction.clone()),
        };
        let after = SessionPolicy {
            require_validation: require_validation.unwrap_or(before.require_validation),
            mode: mode.unwrap_or(before.mode),
            commands: before.commands.as_ref().map(|now| restriction.clone().unwrap_or_else(|| now.clone())),
        };
        check_session_change(&before, &after, may_approve).map_err(MailRefusal::from)?;
        if let Some(restriction) = restriction.filter(|wanted| *wanted != facts.restriction) {
            Arc::make_mut(&mut facts).restriction = restriction.clone();
            change.restriction = Some(restriction);
        }
        if let Some(mode) = mode.filter(|mode| Some(*mode) != facts.mode) {
            Arc::make_mut(&mut facts).mode = Some(mode);
            change.mode = Some(mode);
        }
        if change.restriction.is_some() || change.mode.is_some() {
            let mode = facts.mode(self.memory.rules.rules_for_session(&facts));
            change.notice = Some(gate_news(self.memory.catalog, &facts, mode, change.mode, texts(draft)));
        }
        if let Some(required) = require_validation.filter(|required| *required != facts.require_validation) {
            Arc::make_mut(&mut facts).require_validation = required;
            change.require_validation = Some(required);
            // The new flag also applies to calls that already wait, not only to later ones.
            change.rechecks = self.rechecks(draft, &facts, &phase)?;
        }
        if let Some(voice) = voice.filter(|voice| **voice != voice_of(&facts)) {
            self.check_voice(session, &phase, voice)?;
            let sections = self.sections(draft)?;
            let audience = PrefixAudience { voice: voice.clone(), ..PrefixAudience::of_session(&facts) };
            self.check_weight(draft, &audience)?;
            let (prefix, told) = self.begin_generation(draft, &audience, &sections)?;
            change.voice = Some(voice.clone());
            (change.prefix, change.told) = (Some(prefix), Some(told));
        } else if (change.restriction.is_some() || change.mode.is_some()) && phase.label() == PhaseLabel::Idle
        {
            // While a reply's calls are open a notice must do; the generation begins at the next user turn.
            let sections = self.sections(draft)?;
            let (prefix, told) =
                self.begin_generation(draft, &PrefixAudience::of_session(&facts), &sections)?;
            (change.prefix, change.told) = (Some(prefix), Some(told));
        }
        let given = name.map(|(author, name)| renaming(author, name)).transpose()?;
        change.name = given.filter(|given| given.name != facts.name);
        Ok(Input::RulesChanged(Box::new(change)))
    }

    /// Refuses a model that cannot be used from now on.
    fn check_voice(
        &self,
        session: &SessionId,
        phase: &Phase,
        voice: &ModelSelection,
    ) -> Result<(), RequestNotApplied> {
        if matches!(phase.label(), PhaseLabel::CallingAi | PhaseLabel::CompactingContext) {
            let waits = saying!("request-waits-for-model", session = session.as_str());
            return Err(MailRefusal::Conflict(waits).into());
        }
        if voice.model.trim().is_empty() {
            return Err(MailRefusal::Invalid(saying!("request-no-model")).into());
        }
        match self.encoding(&voice.provider)? {
            Ok(_) => Ok(()),
            Err(why) => Err(MailRefusal::Invalid(saying!("request-no-provider", why = why)).into()),
        }
    }
}

/// Refuses to turn a session of manual calls into another kind, or another one into it. The rights of such a
/// session come from its callers, and another model would not repeat their calls.
fn check_manual_call_voice(
    session: &SessionId,
    facts: &SessionFacts,
    mode: Option<PlanMode>,
    restriction: Option<&Restriction>,
    voice: Option<&ModelSelection>,
) -> Result<(), MailRefusal> {
    if !relay::is_model_of(facts) {
        let why = voice.and_then(|voice| relay::cannot_converse(&voice.provider));
        return why.map_or(Ok(()), |why| Err(MailRefusal::Invalid(why)));
    }
    let is_same = voice.is_none_or(|voice| *voice == voice_of(facts))
        && mode.is_none_or(|mode| Some(mode) == facts.mode)
        && restriction.is_none_or(|restriction| *restriction == facts.restriction);
    if is_same { Ok(()) } else { Err(MailRefusal::manual_calls_only(session)) }
}

/// The restriction in the catalog's own names. A session that may use any command may also read its results to
/// the end.
fn resolve_restriction(catalog: &Catalog, restriction: &Restriction) -> Result<Restriction, MailRefusal> {
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
    // A session may always read its own results and its own history.
    let calls_agents = catalog.entries().any(|known| {
        known.spec.agent.is_some() && only.iter().any(|pattern| pattern.matches_command(&known.spec.name))
    });
    // A session that may call an agent may also answer it.
    let continues = calls_agents.then_some(AgentsExecutor::CONTINUE);
    for own in [ResultsExecutor::NAME, HistoryExecutor::NAME].into_iter().chain(continues) {
        let pattern = CommandPattern::from_text(own);
        if catalog.find(own).is_some() && !only.is_empty() && !only.contains(&pattern) {
            only.push(pattern);
        }
    }
    Ok(Restriction::Only(only))
}

/// A session name given by a person: one line, stored as it is shown.
fn renaming(author: &str, name: &str) -> Result<SessionRename, MailRefusal> {
    let (length, name) = (name.trim().chars().count(), one_line(name.trim()));
    if name.is_empty() {
        return Err(MailRefusal::Invalid(saying!("request-name-empty")));
    }
    if length > NAME_MAX_CHARS {
        let long = saying!("request-name-long", length = length, most = NAME_MAX_CHARS);
        return Err(MailRefusal::Invalid(long));
    }
    Ok(SessionRename { author: author.to_owned(), name })
}

/// Maximum characters of a session name given by a person.
const NAME_MAX_CHARS: usize = 200;

/// The text for the model when its allowed commands or the session's mode changed.
fn gate_news(
    catalog: &Catalog,
    facts: &SessionFacts,
    mode: PlanMode,
    changed: Option<PlanMode>,
    texts: &LocalizedTexts,
) -> String {
    let naming = CommandNaming::from_dialect(facts.dialect);
    let words: Vec<String> =
        catalog.offered_commands(&facts.restriction, mode).map(|known| known.display_name(naming)).collect();
    let commands = match words.is_empty() {
        true => say!(texts, "news-commands-none"),
        false => say!(texts, "news-commands-changed", commands = words.join(", ")),
    };
    match changed {
        Some(PlanMode::Plan) => format!("{} {commands}", say!(texts, "news-mode-plan")),
        Some(PlanMode::Free) => format!("{} {commands}", say!(texts, "news-mode-free")),
        None => commands,
    }
}

/// The first message of a session.
pub(super) struct FirstMessage<'a> {
    pub(super) author: &'a str,
    pub(super) message: &'a UserMessage,
    pub(super) client_key: Option<&'a str>,
}

/// The requested settings of a session; absent ones stay unchanged.
pub(super) struct SessionChangeRequest<'a> {
    pub(super) require_validation: Option<bool>,
    pub(super) mode: Option<PlanMode>,
    pub(super) restriction: Option<&'a Restriction>,
    pub(super) voice: Option<&'a ModelSelection>,
    /// The author of the new name, and the name.
    pub(super) name: Option<(&'a str, &'a str)>,
    /// Whether the requester may approve.
    pub(super) may_approve: bool,
}
