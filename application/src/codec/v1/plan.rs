//! Plans.

use entracte_domain::plan::{self as domain, StepState};
use serde::{Deserialize, Serialize};

use super::leaf::Hash;
use super::words::Word;
use super::{domains, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    digest: Hash,
    title: String,
    steps: Vec<PlanStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanStep {
    id: String,
    text: String,
    state: Word<StepState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl From<&domain::Plan> for Plan {
    fn from(plan: &domain::Plan) -> Self {
        let domain::Plan { digest, title, steps, approved_by } = plan;
        Self {
            digest: digest.into(),
            title: title.clone(),
            steps: shapes(steps),
            approved_by: approved_by.clone(),
        }
    }
}

impl From<Plan> for domain::Plan {
    fn from(plan: Plan) -> Self {
        Self {
            digest: plan.digest.into(),
            title: plan.title,
            steps: domains(plan.steps),
            approved_by: plan.approved_by,
        }
    }
}

impl From<&domain::PlanStep> for PlanStep {
    fn from(step: &domain::PlanStep) -> Self {
        let domain::PlanStep { id, text, state, note } = step;
        Self { id: id.clone(), text: text.clone(), state: state.into(), note: note.clone() }
    }
}

impl From<PlanStep> for domain::PlanStep {
    fn from(step: PlanStep) -> Self {
        Self { id: step.id, text: step.text, state: step.state.0, note: step.note }
    }
}
