//! Agents and their parents: a child session is created in the commit that starts its call, and parent and child
//! receive each other's events in the turn in which one of them changed.

use entracte_domain::agent::{AgentReport, AgentSpawn, ChildAnswer};
use entracte_domain::call::{CallOutcome, CallStatus};
use entracte_domain::command::Command;
use entracte_domain::id::SessionId;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    CallLookup, Input, ModelSelection, Phase, RequestedCall, SessionCreation, SessionFacts, SessionKind,
    agent_report, agent_run_policy,
};
use entracte_domain::usage::Usage;
use entracte_domain::validation::{ExchangePrincipal, PromptAuthors};
use entracte_domain::value::JsonValue;
use entracte_domain::workspace::{ParentChildEvent, descendants_deepest_first, pending_parent_child_event};

use crate::agents::{agent_name_of_command, command_name_of_agent};
use crate::command_naming::CommandNaming;
use crate::commands::AgentsExecutor;
use crate::instructions::InstructionScope;
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::runtime::prefix_cache::{PrefixAudience, voice_of};
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::{TurnDraft, texts};
use crate::runtime::turn::placement::{draft_session, request_sessions_together};
use crate::runtime::turn::prefix::{
    append_data_changes_now, begin_generation, current_sections, read_prompt_instructions,
};
use crate::runtime::turn::questions::SessionCallsQuestion;
use crate::system::sha256;
use crate::texts::say;

/// Creates the session of an agent whose call was started in this turn.
pub(crate) fn create_agent_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    birth: &AgentSpawn,
) -> Result<(), TurnStop> {
    if draft.sessions.contains_key(&birth.session) {
        return Ok(());
    }
    let Some(parent) = draft.sessions.get(&birth.start.from) else {
        return Err(TurnStop::missing_session(&birth.start.from));
    };
    let parent = parent.facts.clone();
    let voice = choose_agent_model(turn, birth, &parent);
    let sections = current_sections(turn, draft)?;
    let rights = birth.start.rights.rights();
    let under = agent_run_policy(&parent, turn.memory.rules.rules_for_session(&parent), rights);
    // The plan of the caller was approved; the agent works within it, and each of its actions still needs its own
    // approval.
    let mode = Some(PlanMode::Free);
    let audience = PrefixAudience {
        kind: SessionKind::Agent,
        voice: voice.clone(),
        restriction: rights.command_restriction().clone(),
        mode,
        policy: under,
        agent: Some(birth.start.name.clone()),
        scopes: vec![InstructionScope::Workspace],
    };
    let told = read_prompt_instructions(turn, draft, &audience.scopes, &voice)?;
    let prompt_authors = Some(PromptAuthors::from_people(told.iter().map(|told| told.author.as_str())));
    let (prefix, told) = begin_generation(turn, draft, &audience, &sections)?;
    let facts =
        SessionFacts::new(birth.session.clone(), turn.memory.key.clone(), SessionKind::Agent, draft.now);
    draft.add_new_session(facts);
    let creation = SessionCreation {
        name: birth.start.name.clone(),
        require_validation: parent.require_validation,
        mode,
        restriction: audience.restriction,
        automation: parent.automation.clone(),
        scheduled_at: parent.scheduled_at,
        parent: Some(birth.call.clone()),
        provider: voice.provider,
        model: voice.model,
        dialect: voice.dialect,
        prefix,
        told,
        run: None,
        agent: Some(Box::new(birth.start.clone())),
        policy: under,
        prompt_authors,
        // The grant of the caller covers the words that the agent gets from it.
        grant: parent.grant.clone(),
    };
    turn.apply_input(draft, &birth.session, Input::SessionCreated(Box::new(creation)))
}

/// The model of an agent: as declared, otherwise the caller's.
fn choose_agent_model(turn: &TurnContext<'_>, birth: &AgentSpawn, parent: &SessionFacts) -> ModelSelection {
    let declared = turn.memory.catalog.find(&command_name_of_agent(&birth.start.name));
    let declared = declared.and_then(|known| known.spec.agent.as_ref()?.voice.clone());
    let fits = |voice: &ModelSelection| birth.provider.as_deref() == Some(voice.provider.as_str());
    declared.filter(fits).unwrap_or_else(|| voice_of(parent))
}

/// Gives the answer to an agent that waits for it.
pub(crate) fn resume_with_answer(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    onward: &ChildAnswer,
) -> Result<(), TurnStop> {
    if !draft_session(turn, draft, &onward.child)? {
        return Ok(());
    }
    append_data_changes_now(turn, draft, &onward.child)?;
    let (call, answer) = (onward.call.clone(), onward.answer.clone());
    turn.apply_input(draft, &onward.child, Input::MissionContinued { call, answer })
}

/// The calls of a reply, without answers to agents that work for other people than the speakers in the session.
pub(crate) fn drop_cross_principal_answers(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
    mut calls: Vec<RequestedCall>,
) -> Result<Vec<RequestedCall>, TurnStop> {
    for call in calls.iter_mut().filter(|call| matches!(call.lookup, CallLookup::Known { .. })) {
        if crosses_principals(turn, draft, facts, &facts.asked_by, &call.command)? {
            let message = say!(texts(draft), "request-agent-of-others");
            call.lookup =
                CallLookup::Refused { status: CallStatus::Forbidden, message, path: None, shows: None };
        }
    }
    Ok(calls)
}

/// Whether a command would pass words to an agent of a session that works for other people. The agent has the
/// rights of the people who requested its mission, and its actions count as requested by them, so words of others
/// would be carried out in their name and approved by their own authors. They must call the agent anew.
pub(crate) fn crosses_principals(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
    speakers: &ExchangePrincipal,
    command: &Command,
) -> Result<bool, TurnStop> {
    if command.name != AgentsExecutor::CONTINUE {
        return Ok(false);
    }
    let named = command.arguments.get("child").and_then(JsonValue::as_text).unwrap_or_default();
    let Some(child) = facts.children.iter().find(|child| child.session.as_str() == named) else {
        return Ok(false);
    };
    if !draft_session(turn, draft, &child.session)? {
        return Ok(false);
    }
    let agent = draft.sessions.get(&child.session);
    Ok(agent.is_some_and(|agent| !agent.facts.asked_by.accepts_words_from(speakers)))
}

/// Exchanges the due events between a session that changed and its parent and children.
pub(crate) fn exchange_with_relatives(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let pairs = family_pairs(draft, session);
    let others: Vec<SessionId> =
        pairs.iter().flat_map(|(parent, child)| [parent.clone(), child.clone()]).collect();
    request_sessions_together(turn, draft, &others)?;
    for (parent, child) in &pairs {
        let has_parent = draft_session(turn, draft, parent)?;
        if !draft_session(turn, draft, child)? {
            continue;
        }
        let of = |id: &SessionId| draft.sessions.get(id).map(|drafted| (&*drafted.facts, &drafted.phase));
        let Some((facts, phase)) = of(child) else { continue };
        match pending_parent_child_event(of(parent).filter(|_| has_parent), facts, phase)
            .filter(is_news_delivered)
        {
            None => {}
            Some(ParentChildEvent::Answers { call, attempt, mut report }) => {
                if is_planted(PlantedBug::LostUsage) {
                    report.usage = Usage::default();
                }
                render_end_cause(draft, parent, &mut report);
                let digest = sha256(report.to_model_content().to_json().as_bytes());
                append_data_changes_now(turn, draft, parent)?;
                let outcome = CallOutcome::Reported { report: Box::new(report), digest };
                turn.apply_input(draft, parent, Input::CallFinished { call, attempt, outcome })?;
            }
            Some(ParentChildEvent::Ended(mut report)) => {
                render_end_cause(draft, parent, &mut report);
                turn.apply_input(draft, parent, Input::ChildEnded { report: Box::new(report) })?;
            }
            Some(ParentChildEvent::Orphaned(why)) => {
                turn.apply_input(draft, child, Input::MissionEnded { why })?;
            }
        }
    }
    Ok(())
}

/// Gives the cause in a report its words, in the language of the workspace and with the names of commands that the
/// caller knows: a report is stored with the text that the caller reads.
fn render_end_cause(draft: &TurnDraft, caller: &SessionId, report: &mut AgentReport) {
    let Some(cause) = &mut report.cause else { return };
    let Some(drafted) = draft.sessions.get(caller) else { return };
    let naming = CommandNaming::from_dialect(drafted.facts.dialect);
    cause.text = texts(draft).render_speech_for(naming, &cause.text).into();
}

/// All agents below a session in the draft, deepest first.
fn list_agents_below(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<Vec<SessionId>, TurnStop> {
    let mut kin: Vec<(SessionId, SessionId)> = Vec::new();
    let mut level = vec![session.clone()];
    while let Some(from) = level.pop() {
        let children = children_of(draft, &from);
        request_sessions_together(turn, draft, &children)?;
        for child in children {
            if draft_session(turn, draft, &child)? && kin.iter().all(|(known, _)| *known != child) {
                kin.push((child.clone(), from.clone()));
                level.push(child);
            }
        }
    }
    Ok(descendants_deepest_first(session, &kin))
}

/// Stops all agents below a session, deepest first, before the session itself is stopped.
pub(crate) fn stop_agents_below(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    author: &str,
) -> Result<(), TurnStop> {
    for agent in list_agents_below(turn, draft, session)? {
        // An agent that has ended meanwhile ignores this input.
        turn.apply_input(
            draft,
            &agent,
            Input::StopRequested { author: author.to_owned(), end: true, reply: None },
        )?;
    }
    Ok(())
}

/// The child sessions in the ledger of a session, including those that have ended.
pub(crate) fn list_child_sessions(
    turn: &TurnContext<'_>,
    session: &SessionId,
) -> Result<Vec<SessionId>, TurnStop> {
    let rows = turn.ask(SessionCallsQuestion(session.clone()))?;
    Ok(rows
        .iter()
        .filter(|row| agent_name_of_command(&row.command).is_some())
        .map(|row| row.id.child_session_id())
        .collect())
}

/// Whether an event is delivered: always, except under a planted bug of the tests.
fn is_news_delivered(news: &ParentChildEvent) -> bool {
    match news {
        ParentChildEvent::Answers { .. } | ParentChildEvent::Ended(_) => !is_planted(PlantedBug::LostReport),
        ParentChildEvent::Orphaned(_) => !is_planted(PlantedBug::ForgottenChild),
    }
}

fn children_of(draft: &TurnDraft, session: &SessionId) -> Vec<SessionId> {
    let drafted = draft.sessions.get(session);
    drafted.map_or_else(Vec::new, |drafted| {
        drafted.facts.children.iter().map(|child| child.session.clone()).collect()
    })
}

/// The parent-child pairs with this session in which one may have events for the other.
fn family_pairs(draft: &TurnDraft, session: &SessionId) -> Vec<(SessionId, SessionId)> {
    let Some(SessionDraft { facts, phase, .. }) = draft.sessions.get(session) else { return Vec::new() };
    let is_ending =
        matches!(phase, Phase::Completed { .. }) || phase.batch().is_some_and(|batch| batch.halt.is_some());
    let below = facts.children.iter().filter(|_| is_ending);
    let below = below.map(|child| (session.clone(), child.session.clone()));
    let above = facts.agent.as_ref().filter(|_| agent_report(facts, phase).is_some());
    below.chain(above.map(|agent| (agent.from.clone(), session.clone()))).collect()
}
