//! The `envelope` dialect: the model answers with one JSON object.
//!
//! Parsing is strict about the object and lenient about the text around it: a fence or a sentence is set aside,
//! but an unknown field is a fault. All faults are reported together, so that one round fixes them all. Nothing
//! of a reply with faults may run.

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
use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};
use faults::{FormatFaultList, code};
use scan::EnvelopeScan;

pub(crate) use argument_fitting::fit_arguments;
pub(crate) use shape::{
    Envelope, EnvelopeAsk, EnvelopeCommand, EnvelopeExit, EnvelopeQuestion, WHOM, ask_schema, command_schema,
    exit_schema, terminate_schema,
};
pub use shape::{schema, schema_for, schema_of};

/// A parsed reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeReply {
    /// The message. With faults it contains only the pre-text and the original.
    pub message: AiMessage,
    /// The faults; empty if the reply was readable. At most [`FAULTS_MAX`] are listed.
    pub faults: Vec<FormatFault>,
    /// Text around the object, which only the user sees.
    pub stray: Option<String>,
}

/// Maximum faults listed for one reply; the last then says how many were left out.
pub const FAULTS_MAX: usize = 20;

/// Parses a reply; its faults are worded in `language`. Accepts any text, in time linear in its length.
pub fn parse_reply(text: &str, language: Language) -> EnvelopeReply {
    let mut faults = FormatFaultList::new();
    let EnvelopeScan { object, stray } = scan::object(text, &mut faults);
    let mut message = match object {
        Some(object) => read_object(object, &mut faults),
        None => AiMessage::default(),
    };
    let texts = LocalizedTexts::for_language(language);
    let faults: Vec<FormatFault> =
        faults.into_list(FAULTS_MAX).into_iter().map(|fault| fault.render(texts)).collect();
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
            faults.add(code::INVALID_JSON, || saying!("reply-invalid-json", fault = fault.to_string()));
            AiMessage::default()
        }
    }
}

/// The one JSON object of a text, in a fence, beside prose or alone; `None` if the text has none.
///
/// # Errors
/// The description of what is wrong: several objects, or one that is cut or inside other brackets.
pub(crate) fn object_in(text: &str) -> Result<Option<&str>, LocalizedMessage> {
    let mut faults = FormatFaultList::new();
    let object = scan::object(text, &mut faults).object;
    match faults.into_list(1).pop() {
        Some(fault) if fault.code != code::NO_OBJECT => Err(fault.text),
        Some(_) | None => Ok(object),
    }
}
