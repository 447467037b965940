//! Parses the fields of the object. `null` means absent.

use std::borrow::Cow;

use entracte_domain::command::Command;
use entracte_domain::message::AiMessage;
use entracte_domain::question::{Question, QuestionFault};
use entracte_domain::value::JsonValue;

use super::super::{plan_steps, with_report};
use super::faults::{FormatFaultList, code, describe_value, excerpt};
use super::{argument_fitting, endings};
use crate::command_naming::{ASK_PRINCIPAL, EXIT, TERMINATE};
use crate::texts::{LocalizedMessage, saying};

const FIELDS: [&str; 9] = [
    "pre_text",
    "queries",
    "actions",
    "validation_request",
    "post_text",
    "keep_control",
    "question",
    "completed",
    "plan",
];
/// Fields that only agents, or runs, are offered.
const ENDS: [&str; 3] = [EXIT, ASK_PRINCIPAL, TERMINATE];
const COMMAND_FIELDS: [&str; 2] = ["type", "params"];
const CHOICE_FIELDS: [&str; 4] = ["type", "question", "options", "allow_other"];
const VALIDATION_FIELDS: [&str; 2] = ["type", "message"];

/// Minimum options of a multiple choice.
const OPTIONS_MIN: usize = 2;

/// The message in the object, reduced to its valid fields.
pub(super) fn message(object: &JsonValue, faults: &mut FormatFaultList) -> AiMessage {
    let mut fields = EnvelopeFields { object, path: "", faults };
    fields.reject_unknown_fields_except(&FIELDS, &ENDS);
    let report = endings::report(&mut fields);
    let message = AiMessage {
        pre_text: with_report(fields.required_text("pre_text"), report.as_deref()),
        queries: commands(&mut fields, "queries"),
        actions: commands(&mut fields, "actions"),
        validation_request: fields.flag("validation_request"),
        post_text: fields.text("post_text"),
        keep_control: fields.flag("keep_control"),
        question: question(&mut fields),
        completed: fields.flag("completed") || report.is_some(),
        original: String::new(),
        provider_turn: None,
        own_calls: Vec::new(),
        plan: plan(&mut fields),
        exit: endings::exit(&mut fields),
        asks: endings::principal_question(&mut fields),
    };
    check_together(object, faults);
    message
}

/// Checks which fields exclude each other in one reply. Lists count by their length, even if their elements are
/// invalid.
fn check_together(object: &JsonValue, faults: &mut FormatFaultList) {
    let holds = |name| object.get(name).and_then(JsonValue::as_list).is_some_and(|items| !items.is_empty());
    let (queries, actions) = (holds("queries"), holds("actions"));
    let question = object.get("question").is_some_and(|question| *question != JsonValue::Null);
    if queries && actions {
        faults.add(code::BOTH_LISTS, || saying!("reply-both-lists"));
    }
    if question && (queries || actions) {
        faults.add(code::QUESTION_BESIDE_COMMANDS, || saying!("reply-question-beside-commands"));
    }
}

fn commands(fields: &mut EnvelopeFields<'_, '_>, name: &str) -> Vec<Command> {
    let path = fields.at(name);
    let items = fields.items(name, &saying!("reply-expected-commands")).iter().enumerate();
    items.filter_map(|(index, item)| command(item, &format!("{path}[{index}]"), fields.faults)).collect()
}

fn command(value: &JsonValue, path: &str, faults: &mut FormatFaultList) -> Option<Command> {
    if value.as_object().is_none() {
        faults.wrong_type(path, saying!("reply-expected-command"), value);
        return None;
    }
    let mut fields = EnvelopeFields { object: value, path, faults };
    fields.reject_unknown_fields(&COMMAND_FIELDS);
    let name = fields.required_text("type");
    let arguments = match fields.get("params") {
        None => JsonValue::Object(Vec::new()),
        Some(_) => fields.object("params")?,
    };
    Some(Command { name, arguments })
}

fn question(fields: &mut EnvelopeFields<'_, '_>) -> Option<Question> {
    fields.read_object("question", |fields| {
        let before = fields.faults.count();
        let question = question_of_type(fields)?;
        // An invalid field already has its fault.
        if let Some(fault) = question.find_fault().filter(|_| fields.faults.count() == before) {
            fields.faults.add(code::BAD_QUESTION, || question_fault(&fault));
        }
        Some(question)
    })
}

/// The fault of a parsed question, with its correction.
fn question_fault(fault: &QuestionFault) -> LocalizedMessage {
    match fault {
        QuestionFault::NothingAsked => saying!("reply-question-empty"),
        QuestionFault::EmptyOption(number) => {
            saying!("reply-option-empty", number = *number)
        }
        QuestionFault::EqualOptions(first, second) => {
            saying!("reply-options-equal", first = *first, second = *second)
        }
    }
}

fn question_of_type(fields: &mut EnvelopeFields<'_, '_>) -> Option<Question> {
    match fields.get("type") {
        Some(JsonValue::Text(kind)) if kind == "MultipleChoice" => Some(multiple_choice(fields)),
        Some(JsonValue::Text(kind)) if kind == "Validation" => {
            fields.reject_unknown_fields(&VALIDATION_FIELDS);
            Some(Question::Validation { message: fields.required_text("message") })
        }
        kind => {
            let found = kind.map_or_else(|| saying!("reply-value-nothing"), describe_value);
            fields.faults.add(code::BAD_QUESTION, || saying!("reply-question-type", found = found));
            None
        }
    }
}

fn multiple_choice(fields: &mut EnvelopeFields<'_, '_>) -> Question {
    fields.reject_unknown_fields(&CHOICE_FIELDS);
    Question::MultipleChoice {
        question: fields.required_text("question"),
        options: options(fields),
        allow_other: fields.flag("allow_other"),
    }
}

/// The steps of a plan, truncated if too long or too many, because a plan is only displayed.
fn plan(fields: &mut EnvelopeFields<'_, '_>) -> Vec<String> {
    plan_steps(fields.texts("plan", &saying!("reply-expected-texts")))
}

fn options(fields: &mut EnvelopeFields<'_, '_>) -> Vec<String> {
    let expected = saying!("reply-expected-options");
    let path = fields.at("options");
    match fields.get("options") {
        None => fields.faults.missing(&path, expected.clone()),
        Some(few) if few.as_list().is_some_and(|items| items.len() < OPTIONS_MIN) => {
            let found = describe_value(few);
            fields.faults.add(code::BAD_QUESTION, || {
                saying!("reply-wrong-type", path = path, expected = expected.clone(), found = found)
            });
        }
        Some(_) => {}
    }
    fields.texts("options", &expected).into_iter().map(str::to_owned).collect()
}

/// The fields of one object of the reply.
pub(super) struct EnvelopeFields<'v, 'f> {
    pub(super) object: &'v JsonValue,
    pub(super) path: &'f str,
    pub(super) faults: &'f mut FormatFaultList,
}

impl<'v> EnvelopeFields<'v, '_> {
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { excerpt(name) } else { format!("{}.{}", self.path, excerpt(name)) }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'v JsonValue> {
        self.object.get(name).filter(|value| **value != JsonValue::Null)
    }

    /// Adds a fault for every field outside `allowed`.
    pub(super) fn reject_unknown_fields(&mut self, allowed: &[&str]) {
        self.reject_unknown_fields_except(allowed, &[]);
    }

    /// Adds a fault for every field outside `allowed` and `beside`; the fault names only the former.
    fn reject_unknown_fields_except(&mut self, allowed: &[&str], beside: &[&str]) {
        for (name, _) in self.object.as_object().unwrap_or_default() {
            if !allowed.contains(&name.as_str()) && !beside.contains(&name.as_str()) {
                let path = self.at(name);
                self.faults.add_at(Some(&path), code::UNKNOWN_FIELD, || {
                    saying!("reply-unknown-field", path = path.clone(), allowed = allowed.join(", "))
                });
            }
        }
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.get(name)? {
            JsonValue::Text(text) => Some(text.clone()),
            other => {
                self.faults.wrong_type(&self.at(name), saying!("reply-expected-text"), other);
                None
            }
        }
    }

    pub(super) fn required_text(&mut self, name: &str) -> String {
        if self.get(name).is_none() {
            self.faults.missing(&self.at(name), saying!("reply-expected-text"));
        }
        self.text(name).unwrap_or_default()
    }

    /// The elements of a list; empty if the field is absent.
    fn items(&mut self, name: &str, expected: &LocalizedMessage) -> &'v [JsonValue] {
        let Some(value) = self.get(name) else { return &[] };
        value.as_list().unwrap_or_else(|| {
            self.faults.wrong_type(&self.at(name), expected.clone(), value);
            &[]
        })
    }

    /// The texts in a list.
    fn texts(&mut self, name: &str, expected: &LocalizedMessage) -> Vec<&'v str> {
        let mut texts = Vec::new();
        for (index, item) in self.items(name, expected).iter().enumerate() {
            match item {
                JsonValue::Text(text) => texts.push(text.as_str()),
                other => self.faults.wrong_type(
                    &format!("{}[{index}]", self.at(name)),
                    saying!("reply-expected-text"),
                    other,
                ),
            }
        }
        texts
    }

    /// An object field, given as an object or as JSON text.
    pub(super) fn object(&mut self, name: &str) -> Option<JsonValue> {
        let value = self.get(name)?;
        let object = argument_fitting::as_object(value);
        if object.is_none() {
            self.faults.wrong_type(&self.at(name), saying!("reply-value-object"), value);
        }
        object.map(Cow::into_owned)
    }

    /// Parses an object field; `None` if it is absent.
    pub(super) fn read_object<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut EnvelopeFields<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let path = self.at(name);
        if value.as_object().is_none() {
            self.faults.wrong_type(&path, saying!("reply-value-object"), value);
            return None;
        }
        read(&mut EnvelopeFields { object: value, path: &path, faults: self.faults })
    }

    fn flag(&mut self, name: &str) -> bool {
        match self.get(name) {
            None => false,
            Some(JsonValue::Bool(truth)) => *truth,
            Some(other) => {
                self.faults.wrong_type(&self.at(name), saying!("reply-expected-flag"), other);
                false
            }
        }
    }
}
