//! The interrupts of a run, and the parsing of their answers.
//!
//! The interrupt id of an approval contains the approval id and the digest of its card, so that the decision applies to
//! exactly the card that was shown; that of a question contains the id of the message that asks it. Agents below the
//! session of a thread wait as it does.

use entracte_application::json_value::{ExactJson, from_serde};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::question::Question;
use entracte_domain::value::JsonValue;
use serde_json::{Value, json};

use super::{ResumeEntry, ResumeStatus, with_member};
use crate::shapes::card::{CardDecisionShape, CardShape, DecisionShape, QuestionShape};

/// Separates an approval id from the digest of its card.
const BOUND: char = '~';

/// Prefix of the interrupt ids of questions.
const QUESTION: &str = "question:";

/// The parsed answer to an interrupt.
#[derive(Clone, Debug)]
pub(crate) enum InterruptAnswer {
    /// The decision on a call.
    Call(Box<CardDecisionShape>),
    /// The message that asks a question, and the answer; `None` if the person cancelled it.
    Question(MessageId, Option<String>),
}

impl InterruptAnswer {
    /// The id of the interrupt.
    pub(crate) fn interrupt_id(&self) -> String {
        match self {
            Self::Call(decision) => approval_interrupt_id(&decision.approval, &decision.digest),
            Self::Question(message, _) => question_id(message.as_str()),
        }
    }

    /// What is answered: a call, whatever its card says, or a question.
    pub(crate) fn subject(&self) -> &str {
        match self {
            Self::Call(decision) => &decision.approval,
            Self::Question(message, _) => message.as_str(),
        }
    }
}

/// The interrupt id of an approval, with the digest of its card.
pub(crate) fn approval_interrupt_id(approval: &str, digest: &str) -> String {
    format!("{approval}{BOUND}{digest}")
}

/// The interrupt id of a question.
pub(crate) fn question_id(message: &str) -> String {
    format!("{QUESTION}{message}")
}

/// Where a thread waits: in its session, or in an agent below it.
#[derive(Clone, Debug)]
pub(crate) struct InterruptPlace<'a> {
    /// The session that waits.
    pub(crate) session: &'a SessionId,
    /// The names of the agents from the first one below the thread's session down to the one that waits.
    pub(crate) agents: &'a [String],
    /// The call of the thread through which the agent runs; `None` if the thread's session itself waits.
    pub(crate) call: Option<&'a CallId>,
}

/// The interrupt of a call that needs an approval.
pub(crate) fn approval_interrupt(card: &CardShape, place: &InterruptPlace<'_>) -> ExactJson {
    let digest = card.digest.as_deref().unwrap_or_default();
    let mut properties = json!({
        "approved": { "type": "boolean" },
        "reason": { "type": "string", "description": "Why it is rejected; the model reads it." },
    });
    // A four-eyes approver approves the arguments unchanged, and so does one of several.
    if !card.four_eyes && !card.needs_several() {
        let text = "All of the arguments, instead of those that were asked for.";
        properties["editedArgs"] = json!({ "type": "object", "description": text });
    }
    let interrupt = json!({
        "id": approval_interrupt_id(&card.id, digest),
        "reason": "tool_call",
        "message": card.says,
        // A client knows the calls of its thread alone.
        "toolCallId": place.call.map_or(card.call.as_str(), CallId::as_str),
        "responseSchema": { "type": "object", "properties": properties, "required": ["approved"] },
        "expiresAt": card.expires_at,
    });
    let place = json!({ "session": place.session.as_str(), "agents": place.agents });
    // A card has a form in JSON.
    let shown = ExactJson::from_shape(card).map_or(JsonValue::Null, |shown| shown.0);
    let metadata = JsonValue::from([("entracte", with_member(&place, "card", shown))]);
    ExactJson(with_member(&interrupt, "metadata", metadata))
}

/// The interrupt of a question, given the message that asks it.
pub(crate) fn question_interrupt(
    message: &str,
    question: &Question,
    expires_at: Option<String>,
    place: &InterruptPlace<'_>,
) -> ExactJson {
    let (reason, answer) = match question {
        Question::MultipleChoice { options, allow_other: false, .. } => {
            ("input_required", json!({ "type": "string", "enum": options }))
        }
        Question::MultipleChoice { options, allow_other: true, .. } => {
            ("input_required", json!({ "type": "string", "examples": options }))
        }
        Question::Open { .. } => ("input_required", json!({ "type": "string", "minLength": 1 })),
        Question::Validation { .. } => ("confirmation", json!({ "type": "boolean" })),
    };
    let mut interrupt = json!({
        "id": question_id(message),
        "reason": reason,
        "message": question.text(),
        "responseSchema": { "type": "object", "properties": { "answer": answer }, "required": ["answer"] },
        "metadata": {
            "entracte": {
                "question": QuestionShape::from(question),
                "session": place.session.as_str(),
                "agents": place.agents,
            },
        },
    });
    if let Some(call) = place.call {
        interrupt["toolCallId"] = Value::from(call.as_str());
    }
    if let Some(at) = expires_at {
        interrupt["expiresAt"] = Value::from(at);
    }
    ExactJson(from_serde(&interrupt))
}

/// Parses an entry of `resume`.
///
/// # Errors
/// A description of the error, and how to answer.
pub(crate) fn parse_interrupt_answer(entry: &ResumeEntry) -> Result<InterruptAnswer, LocalizedMessage> {
    let id = &entry.interrupt_id;
    if let Some(message) = id.strip_prefix(QUESTION) {
        return Ok(InterruptAnswer::Question(MessageId::new(message), answer_to_question(entry)?));
    }
    match id.split_once(BOUND) {
        Some((approval, digest)) if approval.starts_with("apr_") => {
            let (approval, digest) = (approval.to_owned(), digest.to_owned());
            let decision = CardDecisionShape { approval, digest, decision: decision(entry)? };
            Ok(InterruptAnswer::Call(Box::new(decision)))
        }
        Some(_) | None => {
            let named = entracte_application::terminal_text::one_line(id);
            Err(saying!("refusal-no-interrupt", given = named))
        }
    }
}

/// The decision on a call: only an explicit `true` approves.
fn decision(entry: &ResumeEntry) -> Result<DecisionShape, LocalizedMessage> {
    let reject = |reason: Option<String>| DecisionShape::Reject { reason };
    if entry.status == ResumeStatus::Cancelled {
        return Ok(reject(None));
    }
    let wrong = || {
        saying!(
            "refusal-payload-undecided",
            given = &entry.interrupt_id,
            yes = r#"{"approved":true}"#,
            edited = r#"{"approved":true,"editedArgs":{…}}"#,
            no = r#"{"approved":false}"#,
        )
    };
    let ExactJson(payload) = entry.payload.as_ref().ok_or_else(wrong)?;
    let edited = payload.get("editedArgs").filter(|edited| **edited != JsonValue::Null);
    match (payload.get("approved").and_then(JsonValue::as_bool), edited) {
        (Some(true), None) => Ok(DecisionShape::Approve),
        (Some(true), Some(arguments)) => Ok(DecisionShape::Edit { arguments: ExactJson(arguments.clone()) }),
        (Some(false), _) => Ok(reject(payload.get("reason").and_then(JsonValue::as_text).map(str::to_owned))),
        (None, _) => Err(wrong()),
    }
}

fn answer_to_question(entry: &ResumeEntry) -> Result<Option<String>, LocalizedMessage> {
    if entry.status == ResumeStatus::Cancelled {
        return Ok(None);
    }
    let payload = entry.payload.as_ref();
    let given = payload.map(|ExactJson(payload)| payload.get("answer").unwrap_or(payload));
    match given {
        Some(JsonValue::Text(text)) => Ok(Some(text.clone())),
        Some(JsonValue::Bool(yes)) => Ok(Some(if *yes { "yes" } else { "no" }.to_owned())),
        Some(JsonValue::Null | JsonValue::Number(_) | JsonValue::List(_) | JsonValue::Object(_)) | None => {
            let form = r#"{"answer": …}"#;
            Err(saying!("refusal-payload-unanswered", given = &entry.interrupt_id, form = form))
        }
    }
}
