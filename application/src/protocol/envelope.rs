//! The `envelope` dialect: the model answers with one JSON object.
//!
//! Reading is strict about the object and lenient about what stands around it: a fence or a sentence beside it
//! is put aside, an unknown field is a fault. All faults are named at once, so that one round fixes them all.
//! Nothing of a reply with faults may be run.

mod argument_fitting;
mod endings;
mod faults;
mod fields;
mod scan;
mod shape;
#[cfg(test)]
mod tests;

use entracte_domain::message::AiMessage;
use entracte_domain::session::FormatFault;

use crate::json_value;
use faults::{FormatFaultList, code};
use scan::EnvelopeScan;

pub(crate) use argument_fitting::fit_arguments;
pub(crate) use shape::{
    Envelope, EnvelopeAsk, EnvelopeCommand, EnvelopeExit, EnvelopeQuestion, WHOM, ask_schema, exit_schema,
    terminate_schema,
};
pub use shape::{schema, schema_for, schema_of};

/// A reply, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeReply {
    /// What was said. With faults it holds the text before and the original only.
    pub message: AiMessage,
    /// What was wrong; empty when the reply could be read. At most [`FAULTS_MAX`] are told.
    pub faults: Vec<FormatFault>,
    /// Text that stood around the object; shown to the user only.
    pub stray: Option<String>,
}

/// The most faults that are told of one reply; the last then says how many were left out.
pub const FAULTS_MAX: usize = 20;

/// Reads a reply. Takes any text, in time that grows with its length only.
pub fn parse_reply(text: &str) -> EnvelopeReply {
    let mut faults = FormatFaultList::new();
    let EnvelopeScan { object, stray } = scan::object(text, &mut faults);
    let mut message = match object {
        Some(object) => read_object(object, &mut faults),
        None => AiMessage::default(),
    };
    let faults = faults.into_list(FAULTS_MAX);
    if !faults.is_empty() {
        message = AiMessage { pre_text: message.pre_text, ..AiMessage::default() };
    }
    message.original = text.to_owned();
    EnvelopeReply { message, faults, stray }
}

fn read_object(text: &str, faults: &mut FormatFaultList) -> AiMessage {
    match json_value::parse(text) {
        Ok(value) => fields::message(&value, faults),
        Err(fault) => {
            faults.add(code::INVALID_JSON, || format!("the object is not valid JSON: {fault}"));
            AiMessage::default()
        }
    }
}

/// The one JSON object of a text that stands in a fence, beside prose or alone; none where the text has none.
///
/// # Errors
/// What is wrong with the objects, in words: several, or one that is cut or inside other brackets.
pub(crate) fn object_in(text: &str) -> Result<Option<&str>, String> {
    let mut faults = FormatFaultList::new();
    let object = scan::object(text, &mut faults).object;
    match faults.into_list(1).pop() {
        Some(fault) if fault.code != code::NO_OBJECT => Err(fault.text),
        Some(_) | None => Ok(object),
    }
}
