//! Creates a run of an automation: a separate session with a copy of the seed's messages.

use std::sync::Arc;

use entracte_domain::automation::{Automation, RunCause};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Input, RunPolicy, RunStart, SessionCreation, SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ExchangePrincipal, PromptAuthors};

use crate::instructions::InstructionScope;
use crate::mail::MailRefusal;
use crate::permissions::{InheritedPolicy, RunTextAuthors, resolve_run_policy};
use crate::runtime::prefix_cache::{PrefixAudience, voice_of};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::enrichments::{look_up_enrichments, resolve_enrichments};
use crate::runtime::turn::lookups::entries_up_to;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::prefix::{begin_generation, current_sections, read_prompt_instructions};
use crate::runtime::turn::questions::{NextDueQuestion, OccurrenceDecidedQuestion};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

/// The request to create a run.
pub(crate) struct AutomationRunRequest<'a> {
    pub(crate) automation: &'a Automation,
    /// Id of the new session.
    pub(crate) session: &'a SessionId,
    /// The occurrence: "now" of its relative periods.
    pub(crate) at: Timestamp,
    pub(crate) cause: RunCause,
    /// The text reported with the triggering event.
    pub(crate) event: Option<String>,
    /// The author of that report.
    pub(crate) reporter: Option<&'a str>,
}

/// Creates a run, or refuses it with the reason.
pub(crate) fn begin_run(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    run: &AutomationRunRequest<'_>,
) -> Result<(), RequestNotApplied> {
    let automation = run.automation;
    let Some(seed) = find_seed(turn, draft, &automation.seed)? else {
        let gone = saying!("automation-seed-gone", seed = automation.seed.as_str());
        return Err(MailRefusal::NotApplicable(gone).into());
    };
    let voice = voice_of(&seed);
    let mut facts =
        SessionFacts::new(run.session.clone(), turn.memory.key.clone(), SessionKind::Automation, draft.now);
    facts.scheduled_at = Some(run.at);
    facts.restriction.clone_from(&seed.restriction);
    let written = read_seed_messages(turn, draft, &automation.seed)?;
    facts.asked_by =
        ExchangePrincipal::for_run(written.iter().map(|(author, _)| author.as_str()), run.reporter);
    let asked_by = facts.asked_by.clone();
    let (mut messages, mut enrichments) = (Vec::new(), Vec::new());
    for (author, message) in written {
        let (message, asked) = resolve_enrichments(turn, draft, &facts, &message)?;
        enrichments.extend(look_up_enrichments(turn, draft, &facts, asked)?);
        messages.push((author, message));
    }
    if messages.is_empty() {
        let empty = saying!("automation-seed-empty", seed = automation.seed.as_str());
        return Err(MailRefusal::NotApplicable(empty).into());
    }
    let sections = current_sections(turn, draft)?;
    let scopes = InstructionScope::scopes_of_run(Some(automation.id.as_str()));
    let told = read_prompt_instructions(turn, draft, &scopes, &voice)?;
    let seed_authors: Vec<String> = messages.iter().map(|(author, _)| author.clone()).collect();
    let above = InheritedPolicy::from_rules(turn.memory.rules.rules_for_kind(SessionKind::Automation));
    let words = RunTextAuthors { seed_authors: &seed_authors, instructions: &told, reporter: run.reporter };
    let (policy, grant) = resolve_run_policy(above, automation, words);
    let authors = seed_authors.iter().chain(told.iter().map(|told| &told.author));
    let prompt_authors = Some(PromptAuthors::from_people(authors.map(String::as_str)));
    let audience = PrefixAudience {
        kind: SessionKind::Automation,
        voice: voice.clone(),
        restriction: seed.restriction.clone(),
        mode: None,
        policy,
        agent: None,
        scopes,
    };
    let (prefix, told) = begin_generation(turn, draft, &audience, &sections)?;
    draft.add_new_session(facts);
    let creation = SessionCreation {
        name: automation.name.clone(),
        require_validation: seed.require_validation,
        mode: None,
        restriction: seed.restriction.clone(),
        automation: Some(automation.id.as_str().to_owned()),
        scheduled_at: Some(run.at),
        parent: None,
        provider: voice.provider,
        model: voice.model,
        dialect: voice.dialect,
        prefix,
        told,
        run: Some(RunStart {
            cause: run.cause,
            version: automation.version,
            messages,
            enrichments,
            event: run.event.clone(),
            policy,
            asked_by,
        }),
        agent: None,
        policy: RunPolicy::default(),
        prompt_authors,
        grant,
    };
    Ok(turn.apply_input(draft, run.session, Input::SessionCreated(Box::new(creation)))?)
}

fn find_seed(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    seed: &SessionId,
) -> Result<Option<Arc<SessionFacts>>, TurnStop> {
    if !draft_session(turn, draft, seed)? {
        return Ok(None);
    }
    let seed = draft
        .sessions
        .get(seed)
        .filter(|drafted| drafted.facts.kind == SessionKind::Seed && drafted.phase.end_reason().is_none());
    Ok(seed.map(|drafted| drafted.facts.clone()))
}

/// The user messages of a seed in order, each with its author.
pub(crate) fn read_seed_messages(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    seed: &SessionId,
) -> Result<Vec<(String, UserMessage)>, TurnStop> {
    let said = |input: &Input| match input {
        Input::UserMessageSent(sent) => Some((sent.author.clone(), sent.message.clone())),
        _ => None,
    };
    let stored = entries_up_to(turn, seed, u64::MAX)?;
    // Entries of this turn are not stored yet.
    let drafted = draft.entries.iter().filter(|entry| entry.session == *seed);
    let inputs = stored.iter().map(|entry| &entry.input).chain(drafted.map(|entry| &entry.input));
    Ok(inputs.filter_map(said).collect())
}

/// An unused instant for an occurrence that is made now: no other occurrence of the automation has it, and its
/// schedule will never produce it. After the clock was set back, or while an older occurrence waits, the present
/// instant may be one that is due later.
pub(crate) fn find_free_instant(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    automation: &Automation,
) -> Result<Timestamp, TurnStop> {
    let mut at = draft.now;
    loop {
        let drafted = draft
            .occurrences
            .iter()
            .any(|occurrence| occurrence.automation == automation.id && occurrence.at == at);
        let taken = drafted
            || automation.next_at == Some(at)
            || is_scheduled_at(turn, automation, at)?
            || *turn.ask(OccurrenceDecidedQuestion { automation: automation.id.clone(), at })?;
        if !taken {
            return Ok(at);
        }
        at = Timestamp(at.0.saturating_add(1));
    }
}

/// Whether the automation's schedule produces this very instant.
fn is_scheduled_at(turn: &TurnContext<'_>, automation: &Automation, at: Timestamp) -> Result<bool, TurnStop> {
    if !automation.trigger.is_scheduled() {
        return Ok(false);
    }
    let before = Timestamp(at.0.saturating_sub(1));
    Ok(*turn.ask(NextDueQuestion { trigger: automation.trigger.clone(), after: before })? == Ok(Some(at)))
}
