//! `SessionCreated`: the first input of a session, so that its journal alone yields its state. A run begins with the
//! messages of its seed.

use crate::localizable_text::sentences;
use crate::message::{Author, ExecutionMetadata, MessageBody, SystemKind, SystemMessage};
use crate::session::round::{self, RoundReason};
use crate::session::{
    CallBatch, Phase, RunStart, SessionCreation, TransitionContext, call_batch, child_agents,
};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, creation: SessionCreation) -> Phase {
    let facts = &mut *step.facts;
    facts.name = creation.name;
    facts.require_validation = creation.require_validation;
    facts.mode = creation.mode;
    facts.restriction = creation.restriction;
    facts.automation = creation.automation;
    facts.scheduled_at = creation.scheduled_at;
    facts.parent = creation.parent;
    facts.provider = creation.provider;
    facts.model = creation.model;
    facts.dialect = creation.dialect;
    facts.prefix = Some(creation.prefix);
    facts.told = creation.told;
    facts.prompt_authors = creation.prompt_authors;
    facts.grant = creation.grant;
    match (creation.agent, creation.run) {
        (Some(start), _) => {
            step.facts.policy = creation.policy;
            child_agents::start_agent_session(step, *start)
        }
        (None, Some(run)) => begin(step, run),
        (None, None) => phase,
    }
}

/// Starts a run: records its cause, copies the seed's messages and begins the work.
fn begin(step: &mut TransitionContext<'_>, run: RunStart) -> Phase {
    step.facts.policy = run.policy;
    step.facts.exchange = step.facts.sequence;
    step.facts.asked_by = run.asked_by;
    step.facts.record_prompt_authors([]);
    let why = ExecutionMetadata {
        trigger: run.cause.word().to_owned(),
        scheduled_at: step.facts.scheduled_at,
        automation_version: run.version,
    };
    step.append_message(Author::System, MessageBody::Execution(why), false);
    for (author, message) in run.messages {
        step.append_message(Author::Person(author), MessageBody::Rich(message), false);
    }
    if let Some(event) = run.event {
        step.append_system_message(SystemMessage {
            kind: SystemKind::EventPayload,
            results: Vec::new(),
            summary: sentences::event_reported(),
            formatted_data: Some(event.into()),
        });
    }
    if run.enrichments.is_empty() {
        round::begin_round(step, RoundReason::UserMessage)
    } else {
        let asked = CallBatch::from_enrichments(step, run.enrichments, RoundReason::UserMessage);
        call_batch::advance(step, asked)
    }
}
