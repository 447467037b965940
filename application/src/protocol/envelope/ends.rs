//! The fields by which agents and runs end, and by which agents ask.

use entracte_domain::agent::{AskPrincipal, Exit};
use entracte_domain::value::Value;

use super::faults::{code, found};
use super::fields::Fields;
use super::fit;
use super::shape::WHOM;
use crate::names::{ASK_PRINCIPAL, EXIT, TERMINATE};

/// What an agent ends its mission with.
pub(super) fn exit(fields: &mut Fields<'_, '_>) -> Option<Exit> {
    within(fields, EXIT, |fields| {
        fields.only(&["reason", "result", "conclusion"]);
        let (reason, conclusion) = (fields.required_text("reason"), fields.required_text("conclusion"));
        let path = fields.at("result");
        let result = match fields.get("result") {
            None => {
                fields.faults.missing(&path, "an object");
                None
            }
            Some(given) => {
                let object = fit::as_object(given);
                if object.is_none() {
                    fields.faults.wrong_type(&path, "an object", given);
                }
                object
            }
        };
        Some(Exit { reason, result: result?.into_owned(), conclusion })
    })
}

/// What an agent asks.
pub(super) fn asks(fields: &mut Fields<'_, '_>) -> Option<AskPrincipal> {
    within(fields, ASK_PRINCIPAL, |fields| {
        fields.only(&["question", "for"]);
        let question = fields.required_text("question");
        let user = match fields.get("for") {
            None => false,
            Some(Value::Text(word)) if word == WHOM[0] => false,
            Some(Value::Text(word)) if word == WHOM[1] => true,
            Some(other) => {
                let path = fields.at("for");
                let found = found(other);
                fields.faults.add(code::WRONG_TYPE, || {
                    format!("`{path}` must be \"agent\" or \"user\", found {found}")
                });
                return None;
            }
        };
        Some(AskPrincipal { question, user })
    })
}

/// The report that a run ends with.
pub(super) fn report(fields: &mut Fields<'_, '_>) -> Option<String> {
    within(fields, TERMINATE, |fields| {
        fields.only(&["report"]);
        Some(fields.required_text("report"))
    })
}

/// What an object in a field says; none where there is none.
fn within<T>(
    fields: &mut Fields<'_, '_>,
    name: &str,
    read: impl FnOnce(&mut Fields<'_, '_>) -> Option<T>,
) -> Option<T> {
    let value = fields.get(name)?;
    let path = fields.at(name);
    if value.as_object().is_none() {
        fields.faults.wrong_type(&path, "an object", value);
        return None;
    }
    read(&mut Fields { object: value, path: &path, faults: fields.faults })
}
