//! What `automation … --json` prints.

use entracte_adapters_http::shapes::automation::AutomationShape;
use entracte_application::use_cases::{AutomationList, DamagedAutomation};
use serde::Serialize;

/// `entracte.automations/2`: automations, those that need attention first.
#[derive(Serialize)]
pub(crate) struct AutomationsObject {
    schema: &'static str,
    automations: Vec<AutomationShape>,
    /// Automations whose rows cannot be read.
    damaged: Vec<DamagedAutomationObject>,
}

#[derive(Serialize)]
struct DamagedAutomationObject {
    id: String,
    name: String,
    why: String,
}

impl AutomationsObject {
    /// An object of the automations.
    pub(crate) fn new(list: &AutomationList) -> Self {
        let damaged = |one: &DamagedAutomation| DamagedAutomationObject {
            id: one.id.to_string(),
            name: one.name.clone(),
            why: one.why.clone(),
        };
        Self {
            schema: "entracte.automations/2",
            automations: list.views.iter().map(AutomationShape::from).collect(),
            damaged: list.damaged.iter().map(damaged).collect(),
        }
    }
}
