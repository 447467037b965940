//! What `automation … --json` prints.

use entracte_adapters_http::shapes::automation::{AutomationShape, OccurrenceShape};
use entracte_adapters_http::shapes::session::QueueShape;
use entracte_application::use_cases::{AcceptedRequest, AutomationList, DamagedAutomation, QueuePosition};
use entracte_domain::id::AutomationId;
use entracte_domain::workspace::ActivationResult;
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

/// `entracte.history/1`: the results of the occurrences of one automation or all, latest first.
#[derive(Serialize)]
pub(crate) struct AutomationHistoryObject {
    schema: &'static str,
    /// Null if it is about all automations.
    automation: Option<String>,
    occurrences: Vec<OccurrenceShape>,
}

impl AutomationHistoryObject {
    /// An object of the occurrences.
    pub(crate) fn new(automation: Option<&AutomationId>, occurrences: Vec<OccurrenceShape>) -> Self {
        let automation = automation.map(ToString::to_string);
        Self { schema: "entracte.history/1", automation, occurrences }
    }
}

/// `entracte.run/1`: a requested run.
#[derive(Serialize)]
pub(crate) struct RunStartObject {
    schema: &'static str,
    automation: String,
    session: String,
    activation: Option<&'static str>,
    position: Option<u32>,
    /// Its position in the slot queue; null if it does not wait.
    slot: Option<QueueShape>,
}

impl RunStartObject {
    /// The result of the request.
    pub(crate) fn new(
        automation: &AutomationId,
        run: &AcceptedRequest,
        place: Option<&QueuePosition>,
    ) -> Self {
        Self {
            schema: "entracte.run/1",
            automation: automation.to_string(),
            session: run.session.to_string(),
            slot: place.map(QueueShape::from),
            activation: run.activation.map(ActivationResult::word),
            position: match run.activation {
                Some(ActivationResult::Queued { position }) => Some(position),
                Some(ActivationResult::Activated | ActivationResult::AlreadyActive) | None => None,
            },
        }
    }
}
