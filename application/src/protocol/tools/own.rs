//! Our own tools. They are no commands: nothing runs, they say what the fields of the envelope say.

use entracte_domain::message::OwnCall;
use entracte_domain::question::{Question, QuestionFault};
use entracte_domain::session::{FormatFault, SessionKind};
use entracte_domain::value::Value;
use serde_json::json;

use super::super::{STEPS_MAX, plan_steps};
use crate::json;
use crate::names::{ASK_USER, COMPLETE, PLAN};
use crate::ports::{NativeCall, ToolDeclaration};
use crate::settings::Language;
use crate::texts::{Texts, say};

/// The fewest options of a question, and the most.
const OPTIONS_MIN: usize = 2;
const OPTIONS_MAX: usize = 20;

/// Those that a kind of session has: a chat asks and never completes, a run completes and has nobody to ask.
pub(super) fn declarations(kind: SessionKind, language: Language) -> Vec<ToolDeclaration> {
    let texts = Texts::of(language);
    let text = |min: usize| json!({"type": "string", "minLength": min});
    let ask = ToolDeclaration {
        name: ASK_USER.into(),
        description: say!(texts, "prompt-tool-ask-user"),
        schema: object(
            json!({
                "question": text(1),
                "options": {
                    "type": "array", "items": text(1), "minItems": OPTIONS_MIN, "maxItems": OPTIONS_MAX,
                },
                "allow_other": {"type": "boolean"},
            }),
            &["question"],
        ),
    };
    let complete = ToolDeclaration {
        name: COMPLETE.into(),
        description: say!(texts, "prompt-tool-complete"),
        schema: object(json!({"summary": text(0)}), &[]),
    };
    let plan = ToolDeclaration {
        name: PLAN.into(),
        description: say!(texts, "prompt-tool-plan"),
        schema: object(
            json!({"steps": {"type": "array", "items": text(1), "minItems": 1, "maxItems": STEPS_MAX}}),
            &["steps"],
        ),
    };
    match kind {
        SessionKind::Chat => vec![ask, plan],
        SessionKind::Automation | SessionKind::Seed => vec![complete, plan],
        SessionKind::Agent => vec![plan],
    }
}

fn object(properties: serde_json::Value, required: &[&str]) -> serde_json::Value {
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// What calls of our own tools say.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) calls: Vec<OwnCall>,
    pub(super) question: Option<Question>,
    pub(super) completed: bool,
    pub(super) plan: Vec<String>,
    pub(super) faults: Vec<FormatFault>,
}

/// Reads them. `beside` says that the reply asks for commands too: a question stands alone.
pub(super) fn read(calls: &[&NativeCall], beside: bool, language: Language) -> Said {
    let texts = Texts::of(language);
    let mut said = Said::default();
    let questions = calls.iter().filter(|call| call.name == ASK_USER).count();
    for call in calls {
        let arguments = json::parse(&call.arguments).unwrap_or(Value::Object(Vec::new()));
        let answer = match call.name.as_str() {
            ASK_USER if beside || questions > 1 => Some((say!(texts, "prompt-tool-ask-alone"), true)),
            ASK_USER => match question(&arguments, texts) {
                Ok(question) => {
                    said.question = Some(question);
                    None
                }
                Err(text) => {
                    said.faults.push(FormatFault { code: "bad_question".into(), text: text.clone() });
                    Some((text, true))
                }
            },
            COMPLETE => {
                said.completed = true;
                Some((say!(texts, "prompt-tool-noted"), false))
            }
            _ => {
                said.plan = steps(&arguments);
                Some((say!(texts, "prompt-tool-plan-shown"), false))
            }
        };
        let (provider_call_id, name) = (call.provider_call_id.clone(), call.name.clone());
        said.calls.push(OwnCall { provider_call_id, name, arguments, answer });
    }
    said
}

/// A question, or what is wrong with it.
fn question(arguments: &Value, texts: &Texts) -> Result<Question, String> {
    let text = arguments.get("question").and_then(Value::as_text).unwrap_or_default().trim().to_owned();
    if text.is_empty() {
        return Err(say!(texts, "prompt-tool-ask-without-question"));
    }
    let Some(options) = arguments.get("options").filter(|options| **options != Value::Null) else {
        return Ok(Question::Validation { message: text });
    };
    let items = options.as_list().unwrap_or_default();
    let options: Vec<String> = items.iter().filter_map(Value::as_text).map(str::to_owned).collect();
    if options.len() != items.len() || !(OPTIONS_MIN..=OPTIONS_MAX).contains(&options.len()) {
        return Err(say!(texts, "prompt-tool-ask-options"));
    }
    let allow_other = arguments.get("allow_other").and_then(Value::as_bool).unwrap_or_default();
    let question = Question::MultipleChoice { question: text, options, allow_other };
    match question.fault() {
        None => Ok(question),
        Some(QuestionFault::NothingAsked) => Err(say!(texts, "prompt-tool-ask-without-question")),
        Some(QuestionFault::EmptyOption(number)) => {
            Err(say!(texts, "prompt-tool-ask-empty-option", number = number))
        }
        Some(QuestionFault::EqualOptions(first, second)) => {
            Err(say!(texts, "prompt-tool-ask-equal-options", first = first, second = second))
        }
    }
}

fn steps(arguments: &Value) -> Vec<String> {
    let items = arguments.get("steps").and_then(Value::as_list).unwrap_or_default();
    plan_steps(items.iter().filter_map(Value::as_text))
}
