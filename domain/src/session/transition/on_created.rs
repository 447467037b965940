//! `SessionCreated`: the session's first input, so that its journal alone gives its state.

use crate::session::{Creation, Phase, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, creation: Creation) -> Phase {
    let facts = &mut *step.facts;
    facts.name = creation.name;
    facts.require_validation = creation.require_validation;
    facts.gate = creation.gate;
    facts.automation = creation.automation;
    facts.scheduled_at = creation.scheduled_at;
    facts.parent = creation.parent;
    facts.provider = creation.provider;
    facts.model = creation.model;
    facts.dialect = creation.dialect;
    facts.prefix = Some(creation.prefix);
    facts.told = creation.told;
    phase
}
