//! The two plan commands. They change nothing in the workspace: their effect is a fact of the session, which the
//! state machine applies with their outcome.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::EffectClass;
use entracte_domain::id::Digest;
use entracte_domain::plan::{self as domain, PlanCommand, PlanFault, PlanStepProgress, PlanStepState};
use serde_json::json;

use super::call_outcomes::{doc, object, permanent_failure};
use crate::ports::{
    ActionDescription, ActionPlan, ActionPlanError, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, StoreError,
};
use crate::settings::PlanBounds;
use crate::texts::{LocalizedTexts, say};

/// `plan.propose` and `plan.step`.
pub struct PlansExecutor {
    bounds: PlanBounds,
}

impl PlansExecutor {
    /// Envelope type of `plan.propose`.
    pub const PROPOSE: &'static str = "PROPOSE_PLAN";
    /// Envelope type of `plan.step`, which reports the progress of a step.
    pub const STEP: &'static str = "PLAN_STEP";
    /// Maximum characters of a step id.
    const ID_MAX_CHARS: usize = 40;

    /// Accepts plans up to this size.
    pub const fn new(bounds: PlanBounds) -> Self {
        Self { bounds }
    }

    fn proposal(&self) -> CommandSpec {
        let PlanBounds { steps, chars } = self.bounds;
        let text = |most: usize| bounded(json!({ "type": "string", "minLength": 1 }), "maxLength", most);
        let step = object(&json!({ "id": text(Self::ID_MAX_CHARS), "text": text(chars) }), &["id", "text"]);
        let list = bounded(json!({ "type": "array", "minItems": 1, "items": step }), "maxItems", steps);
        let example = json!({
            "title": "Follow my weight",
            "steps": [
                { "id": "1", "text": "Create the zone Health" },
                { "id": "2", "text": "Create the tool Weight in it, in kg" },
            ],
        });
        CommandSpec {
            example: Some(example),
            ..spec(
                Self::PROPOSE,
                PlanCommand::Propose,
                object(&json!({ "title": text(chars), "steps": list }), &["title", "steps"]),
            )
        }
    }

    fn step(&self) -> CommandSpec {
        let states = PlanStepState::ALL.map(PlanStepState::word);
        let properties = json!({
            "id": { "type": "string", "minLength": 1, "maxLength": Self::ID_MAX_CHARS },
            "state": { "enum": states },
            "note": bounded(json!({ "type": "string" }), "maxLength", self.bounds.chars),
        });
        spec(Self::STEP, PlanCommand::Step, object(&properties, &["id", "state"]))
    }
}

fn spec(word: &str, command: PlanCommand, schema: serde_json::Value) -> CommandSpec {
    CommandSpec::action(word, command.word(), &doc(word), EffectClass::Local, schema)
}

/// The schema with a maximum; 0 = no maximum.
fn bounded(mut schema: serde_json::Value, key: &str, most: usize) -> serde_json::Value {
    if let Some(schema) = schema.as_object_mut().filter(|_| most > 0) {
        schema.insert(key.to_owned(), json!(most));
    }
    schema
}

/// The plan that a request proposes.
fn parse_proposed_plan(request: &CallRequest) -> Result<domain::Plan, PlanFault> {
    domain::Plan::from_proposal(&request.command.arguments, Digest::new(""))
}

/// The text that the model reads as the result.
fn answer(texts: &LocalizedTexts, request: &CallRequest) -> Result<String, CallFailure> {
    let refused = |message| permanent_failure("NO_PLAN", message);
    match PlanCommand::from_command(&request.command) {
        Some(PlanCommand::Propose) => match parse_proposed_plan(request) {
            Ok(plan) => {
                let step = request.naming.format_call(PlansExecutor::STEP, PlanCommand::Step.word());
                Ok(say!(texts, "plan-approved", count = plan.steps.len(), command = step))
            }
            Err(fault) => Err(refused(texts.render_speech_for(request.naming, &fault.message()))),
        },
        Some(PlanCommand::Step) => match PlanStepProgress::from_arguments(&request.command.arguments) {
            Some(progress) => {
                Ok(say!(texts, "plan-stepped", step = progress.id, state = progress.state.word()))
            }
            None => Err(refused(say!(texts, "plan-no-step"))),
        },
        None => Err(refused(say!(texts, "plan-no-step"))),
    }
}

#[async_trait]
impl CommandExecutor for PlansExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        vec![self.proposal(), self.step()]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    /// Never called: both commands are local.
    async fn run(&self, _request: CallRequest) -> CallOutcome {
        CallOutcome::Lost { found_by_start: None, lands_by: None }
    }

    async fn plan(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let content = answer(LocalizedTexts::for_language(request.locale.language), &request)
            .map_err(ActionPlanError::Refused)?;
        Ok(ActionPlan { changes: Vec::new(), content })
    }

    /// The card lists the steps of a plan, numbered.
    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let texts = LocalizedTexts::for_language(request.locale.language);
        Ok(match (PlanCommand::from_command(&request.command), parse_proposed_plan(&request)) {
            (Some(PlanCommand::Propose), Ok(plan)) => {
                // With the same number of digits, so that they stay in order wherever names are sorted.
                let digits = plan.steps.len().to_string().len();
                let steps = plan.steps.iter().enumerate();
                ActionDescription {
                    says: say!(texts, "plan-card", title = &plan.title, count = plan.steps.len()),
                    after: steps
                        .map(|(index, step)| (format!("{:0digits$}", index + 1), step.text.clone()))
                        .collect(),
                    ..ActionDescription::default()
                }
            }
            (Some(PlanCommand::Step | PlanCommand::Propose) | None, _) => {
                let says = answer(texts, &request).unwrap_or_else(|failure| failure.message);
                ActionDescription { says, ..ActionDescription::default() }
            }
        })
    }
}
