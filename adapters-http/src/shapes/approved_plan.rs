//! Shape of an approved plan and its progress.

use std::borrow::Cow;

use entracte_domain::plan::{Plan, PlanStep};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A plan that a person approved, and how far it is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlanShape {
    /// Hash of the command that proposed it, as it was approved.
    pub digest: String,
    /// What it is for.
    pub title: String,
    /// Its steps, in order.
    pub steps: Vec<PlanStepShape>,
    /// Who approved it; null in a copy, where nobody did.
    pub approved_by: Option<String>,
}

/// A step of a plan.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlanStepShape {
    /// What the model calls it.
    pub id: String,
    /// What is to be done.
    pub text: String,
    /// `open`, `doing`, `done` or `skipped`.
    pub state: Cow<'static, str>,
    /// What the model said of it last.
    pub note: Option<String>,
}

impl From<&Plan> for PlanShape {
    fn from(plan: &Plan) -> Self {
        Self {
            digest: plan.digest.as_str().to_owned(),
            title: plan.title.clone(),
            steps: plan.steps.iter().map(PlanStepShape::from).collect(),
            approved_by: plan.approved_by.clone(),
        }
    }
}

impl From<&PlanStep> for PlanStepShape {
    fn from(step: &PlanStep) -> Self {
        Self {
            id: step.id.clone(),
            text: step.text.clone(),
            state: step.state.word().into(),
            note: step.note.clone(),
        }
    }
}
