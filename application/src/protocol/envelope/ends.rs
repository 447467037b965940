//! The fields by which agents and runs end, and by which agents ask.

use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::value::JsonValue;

use super::faults::{code, found};
use super::fields::EnvelopeFields;
use super::shape::WHOM;
use crate::names::{ASK_PRINCIPAL, EXIT, TERMINATE};

/// What an agent ends its mission with.
pub(super) fn exit(fields: &mut EnvelopeFields<'_, '_>) -> Option<MissionExit> {
    fields.within(EXIT, |fields| {
        fields.only(&["reason", "result", "conclusion"]);
        let (reason, conclusion) = (fields.required_text("reason"), fields.required_text("conclusion"));
        if fields.get("result").is_none() {
            fields.faults.missing(&fields.at("result"), "an object");
        }
        let result = fields.object("result");
        Some(MissionExit { reason, result: result?, conclusion })
    })
}

/// What an agent asks.
pub(super) fn asks(fields: &mut EnvelopeFields<'_, '_>) -> Option<PrincipalQuestion> {
    fields.within(ASK_PRINCIPAL, |fields| {
        fields.only(&["question", "for"]);
        let question = fields.required_text("question");
        let user = match fields.get("for") {
            None => false,
            Some(JsonValue::Text(word)) if word == WHOM[0] => false,
            Some(JsonValue::Text(word)) if word == WHOM[1] => true,
            Some(other) => {
                let path = fields.at("for");
                let found = found(other);
                fields.faults.add(code::WRONG_TYPE, || {
                    format!("`{path}` must be \"agent\" or \"user\", found {found}")
                });
                return None;
            }
        };
        Some(PrincipalQuestion { question, user })
    })
}

/// The report that a run ends with.
pub(super) fn report(fields: &mut EnvelopeFields<'_, '_>) -> Option<String> {
    fields.within(TERMINATE, |fields| {
        fields.only(&["report"]);
        Some(fields.required_text("report"))
    })
}
