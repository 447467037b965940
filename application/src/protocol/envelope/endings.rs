//! The envelope fields with which agents and runs end, and with which agents ask.

use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::value::JsonValue;

use super::faults::{code, describe_value};
use super::fields::EnvelopeFields;
use super::shape::WHOM;
use crate::command_naming::{ASK_PRINCIPAL, EXIT, TERMINATE};
use crate::texts::saying;

/// The exit with which an agent ends its mission.
pub(super) fn exit(fields: &mut EnvelopeFields<'_, '_>) -> Option<MissionExit> {
    fields.read_object(EXIT, |fields| {
        fields.reject_unknown_fields(&["reason", "result", "conclusion"]);
        let (reason, conclusion) = (fields.required_text("reason"), fields.required_text("conclusion"));
        if fields.get("result").is_none() {
            fields.faults.missing(&fields.at("result"), saying!("reply-value-object"));
        }
        let result = fields.object("result");
        Some(MissionExit { reason, result: result?, conclusion })
    })
}

/// The question of an agent to its caller or the user.
pub(super) fn principal_question(fields: &mut EnvelopeFields<'_, '_>) -> Option<PrincipalQuestion> {
    fields.read_object(ASK_PRINCIPAL, |fields| {
        fields.reject_unknown_fields(&["question", "for"]);
        let question = fields.required_text("question");
        let user = match fields.get("for") {
            None => false,
            Some(JsonValue::Text(word)) if word == WHOM[0] => false,
            Some(JsonValue::Text(word)) if word == WHOM[1] => true,
            Some(other) => {
                let path = fields.at("for");
                let found = describe_value(other);
                fields.faults.add_at(Some(&path), code::WRONG_TYPE, || {
                    saying!("reply-wrong-addressee", path = path.clone(), found = found)
                });
                return None;
            }
        };
        Some(PrincipalQuestion { question, user })
    })
}

/// The report with which a run ends.
pub(super) fn report(fields: &mut EnvelopeFields<'_, '_>) -> Option<String> {
    fields.read_object(TERMINATE, |fields| {
        fields.reject_unknown_fields(&["report"]);
        Some(fields.required_text("report"))
    })
}
