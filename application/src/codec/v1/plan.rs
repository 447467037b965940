//! Plans.

use entracte_domain::plan::{self as domain, PlanStepState};

use super::leaf::Hash;
use super::shape::shape;
use super::words::Word;

shape! {
    pub(super) struct Plan = domain::Plan {
        digest: Hash,
        title: String,
        steps: Vec<PlanStep>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
    }
}

shape! {
    pub(super) struct PlanStep = domain::PlanStep {
        id: String,
        text: String,
        state: Word<PlanStepState>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
}
