//! Plans shown by the model.

use entracte_domain::plan::{self as domain, PlanStepState};

use super::leaf::HashV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    pub(super) struct PlanV1 = domain::Plan {
        digest: HashV1,
        title: String,
        steps: Vec<PlanStepV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
    }
}

shape! {
    pub(super) struct PlanStepV1 = domain::PlanStep {
        id: String,
        text: String,
        state: WordV1<PlanStepState>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
}
