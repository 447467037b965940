//! Changes of a session's settings.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{
    Input, ModelSelection, Phase, PhaseLabel, RulesChange, SessionFacts, SessionRename,
};

use crate::command_naming::CommandNaming;
use crate::commands::Catalog;
use crate::mail::{ChangeSessionRequest, MailAnswer, MailRefusal};
use crate::permissions::{SessionPolicy, check_session_change};
use crate::protocol::relay;
use crate::runtime::prefix_cache::{PrefixAudience, voice_of};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::draft::texts;
use crate::runtime::turn::questions::ProviderEncodingQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::session_creation::resolve_restriction;
use crate::terminal_text::one_line;
use crate::texts::{LocalizedTexts, say, saying};

impl ApplyToSession for ChangeSessionRequest {
    /// Changes the settings; nothing is written if every setting has its value already.
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        let change = build_change(edit, self)?;
        if change.is_empty() {
            return Ok(edit.accept());
        }
        edit.apply_or_refuse(Input::RulesChanged(Box::new(change)), "request-not-applicable")
    }
}

/// The requested change; empty if every setting has its value already.
fn build_change(
    edit: &mut SessionDraftEdit<'_>,
    wanted: &ChangeSessionRequest,
) -> Result<RulesChange, RequestNotApplied> {
    let (turn, session) = (edit.turn(), edit.session());
    let drafted = edit.drafted()?;
    let (mut facts, phase) = (Arc::clone(&drafted.facts), drafted.phase.clone());
    let ChangeSessionRequest { author, require_validation, mode, restriction, voice, name } = wanted;
    let (require_validation, mode) = (*require_validation, *mode);
    let (restriction, voice) = (restriction.as_ref(), voice.as_ref());
    check_manual_call_voice(session, &facts, mode, restriction, voice)?;
    let mut change = RulesChange::default();
    let restriction = restriction.map(|restriction| resolve_restriction(turn.memory.catalog, restriction));
    let restriction = restriction.transpose()?;
    let before = SessionPolicy {
        require_validation: facts.require_validation,
        mode: facts.mode(turn.memory.rules.rules_for_session(&facts)),
        commands: facts.kind.is_run().then(|| facts.restriction.clone()),
    };
    let after = SessionPolicy {
        require_validation: require_validation.unwrap_or(before.require_validation),
        mode: mode.unwrap_or(before.mode),
        commands: before.commands.as_ref().map(|now| restriction.clone().unwrap_or_else(|| now.clone())),
    };
    check_session_change(&before, &after, edit.may_approve()).map_err(MailRefusal::from)?;
    if let Some(restriction) = restriction.filter(|wanted| *wanted != facts.restriction) {
        Arc::make_mut(&mut facts).restriction = restriction.clone();
        change.restriction = Some(restriction);
    }
    if let Some(mode) = mode.filter(|mode| Some(*mode) != facts.mode) {
        Arc::make_mut(&mut facts).mode = Some(mode);
        change.mode = Some(mode);
    }
    if change.restriction.is_some() || change.mode.is_some() {
        let mode = facts.mode(turn.memory.rules.rules_for_session(&facts));
        change.notice = Some(gate_news(turn.memory.catalog, &facts, mode, change.mode, texts(edit.draft())));
    }
    if let Some(required) = require_validation.filter(|required| *required != facts.require_validation) {
        Arc::make_mut(&mut facts).require_validation = required;
        change.require_validation = Some(required);
        // The new flag also applies to calls that already wait, not only to later ones.
        change.rechecks = edit.find_rechecks(&facts, &phase)?;
    }
    if let Some(voice) = voice.filter(|voice| **voice != voice_of(&facts)) {
        check_voice(turn, session, &phase, voice)?;
        let audience = PrefixAudience { voice: voice.clone(), ..PrefixAudience::of_session(&facts) };
        let (prefix, told) = edit.begin_generation(&audience, true)?;
        change.voice = Some(voice.clone());
        (change.prefix, change.told) = (Some(prefix), Some(told));
    } else if (change.restriction.is_some() || change.mode.is_some()) && phase.label() == PhaseLabel::Idle {
        // While a reply's calls are open a notice must do; the generation begins at the next user turn.
        let (prefix, told) = edit.begin_generation(&PrefixAudience::of_session(&facts), false)?;
        (change.prefix, change.told) = (Some(prefix), Some(told));
    }
    let given = name.as_ref().map(|name| renaming(author, name)).transpose()?;
    change.name = given.filter(|given| given.name != facts.name);
    Ok(change)
}

/// Refuses a model that cannot be used from now on.
fn check_voice(
    turn: &TurnContext<'_>,
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
    match turn.ask(ProviderEncodingQuestion(voice.provider.clone()))? {
        Ok(_) => Ok(()),
        Err(why) => Err(MailRefusal::Invalid(saying!("request-no-provider", why = why)).into()),
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
