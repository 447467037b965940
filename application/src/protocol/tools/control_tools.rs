//! Entracte's own control tools. They are no commands: nothing runs, and they carry what the envelope has as
//! fields.

use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::message::BuiltinToolCall;
use entracte_domain::question::{Question, QuestionFault};
use entracte_domain::session::{FormatFault, SessionKind};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::super::{STEPS_MAX, plan_steps};
use crate::command_naming::{ASK_PRINCIPAL, ASK_USER, COMPLETE, EXIT, PLAN, TERMINATE};
use crate::json_value;
use crate::ports::{NativeCall, ToolDeclaration};
use crate::protocol::envelope::{WHOM, ask_schema, exit_schema, terminate_schema};
use crate::schema::SchemaDocument;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Minimum and maximum options of a question.
const OPTIONS_MIN: usize = 2;
const OPTIONS_MAX: usize = 20;

/// The control tools of a session kind: a chat asks and never completes, a run completes and has no person to
/// ask, an agent ends with its result and asks its caller or the user.
pub(super) fn declarations(
    kind: SessionKind,
    result: Option<&SchemaDocument>,
    language: Language,
) -> Vec<ToolDeclaration> {
    let texts = LocalizedTexts::for_language(language);
    let text = |min: usize| json!({"type": "string", "minLength": min});
    let options = json!({
        "type": "array", "items": text(1), "minItems": OPTIONS_MIN, "maxItems": OPTIONS_MAX,
    });
    let ask = object(
        json!({"question": text(1), "options": options, "allow_other": {"type": "boolean"}}),
        &["question"],
    );
    let ask = control_tool(ASK_USER, say!(texts, "prompt-tool-ask-user"), ask);
    let complete = object(json!({"summary": text(0)}), &[]);
    let complete = control_tool(COMPLETE, say!(texts, "prompt-tool-complete"), complete);
    let steps = json!({"type": "array", "items": text(1), "minItems": 1, "maxItems": STEPS_MAX});
    let plan =
        control_tool(PLAN, say!(texts, "prompt-tool-plan"), object(json!({"steps": steps}), &["steps"]));
    match kind {
        SessionKind::Chat => vec![ask, plan],
        SessionKind::Seed => vec![complete, plan],
        SessionKind::Automation => {
            vec![
                complete,
                plan,
                control_tool(TERMINATE, say!(texts, "prompt-tool-terminate"), terminate_schema()),
            ]
        }
        SessionKind::Agent => vec![
            control_tool(EXIT, say!(texts, "prompt-tool-exit"), exit_schema(result)),
            control_tool(ASK_PRINCIPAL, say!(texts, "prompt-tool-ask-principal"), ask_schema()),
            ask,
            plan,
        ],
    }
}

fn control_tool(name: &str, description: String, schema: impl Into<SchemaDocument>) -> ToolDeclaration {
    ToolDeclaration { name: name.into(), description, schema: schema.into() }
}

fn object(properties: serde_json::Value, required: &[&str]) -> serde_json::Value {
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// The content of the control tool calls in a reply.
#[derive(Debug, Default)]
pub(super) struct ControlToolReply {
    pub(super) calls: Vec<BuiltinToolCall>,
    pub(super) question: Option<Question>,
    pub(super) completed: bool,
    pub(super) plan: Vec<String>,
    pub(super) exit: Option<MissionExit>,
    pub(super) asks: Option<PrincipalQuestion>,
    /// The report of a run that ends.
    pub(super) report: Option<String>,
    pub(super) faults: Vec<FormatFault>,
}

impl ControlToolReply {
    /// Adds a fault for a call that cannot be parsed.
    fn unreadable(&mut self, text: String) -> (String, bool) {
        self.faults.push(FormatFault { code: "bad_exit".into(), place: None, text: text.clone() });
        (text, true)
    }
}

/// Parses control tool calls. `beside`: the reply also requests commands, but a question must stand alone.
pub(super) fn parse_control_calls(
    calls: &[&NativeCall],
    beside: bool,
    language: Language,
) -> ControlToolReply {
    let texts = LocalizedTexts::for_language(language);
    let mut said = ControlToolReply::default();
    let questions = calls.iter().filter(|call| call.name == ASK_USER).count();
    for call in calls {
        let arguments = json_value::parse(&call.arguments).unwrap_or(JsonValue::Object(Vec::new()));
        let answer = match call.name.as_str() {
            ASK_USER if beside || questions > 1 => Some((say!(texts, "prompt-tool-ask-alone"), true)),
            ASK_USER => match question(&arguments, texts) {
                Ok(question) => {
                    said.question = Some(question);
                    None
                }
                Err(text) => {
                    said.faults.push(FormatFault {
                        code: "bad_question".into(),
                        place: None,
                        text: text.clone(),
                    });
                    Some((text, true))
                }
            },
            COMPLETE => {
                said.completed = true;
                Some((say!(texts, "prompt-tool-noted"), false))
            }
            EXIT if beside || calls.len() > 1 => Some((say!(texts, "prompt-tool-exit-alone"), true)),
            EXIT => match exit(&arguments) {
                Some(exit) => {
                    said.exit = Some(exit);
                    Some((say!(texts, "prompt-tool-noted"), false))
                }
                None => Some(said.unreadable(say!(texts, "prompt-tool-exit-unreadable"))),
            },
            ASK_PRINCIPAL if beside || calls.len() > 1 => Some((say!(texts, "prompt-tool-ask-alone"), true)),
            ASK_PRINCIPAL => match principal_question(&arguments) {
                // The user answers with a message, which replaces the result.
                Some(asks) => {
                    let is_for_user = asks.user;
                    said.asks = Some(asks);
                    (!is_for_user).then(|| (say!(texts, "prompt-tool-asked"), false))
                }
                None => Some(said.unreadable(say!(texts, "prompt-tool-ask-unreadable"))),
            },
            TERMINATE => {
                let report = arguments.get("report").and_then(JsonValue::as_text).unwrap_or_default();
                said.completed = true;
                said.report = Some(report.to_owned());
                Some((say!(texts, "prompt-tool-noted"), false))
            }
            _ => {
                said.plan = steps(&arguments);
                Some((say!(texts, "prompt-tool-plan-shown"), false))
            }
        };
        let (provider_call_id, name) = (call.provider_call_id.clone(), call.name.clone());
        said.calls.push(BuiltinToolCall { provider_call_id, name, arguments, answer });
    }
    said
}

/// The exit of an agent; `None` if it cannot be parsed.
fn exit(arguments: &JsonValue) -> Option<MissionExit> {
    let text = |name: &str| arguments.get(name).and_then(JsonValue::as_text).map(str::to_owned);
    let result = arguments.get("result").filter(|result| result.as_object().is_some())?;
    Some(MissionExit { reason: text("reason")?, result: result.clone(), conclusion: text("conclusion")? })
}

/// The question of an agent; `None` if it cannot be parsed.
fn principal_question(arguments: &JsonValue) -> Option<PrincipalQuestion> {
    let question = arguments.get("question").and_then(JsonValue::as_text)?.trim().to_owned();
    let user = match arguments.get("for").filter(|whom| **whom != JsonValue::Null) {
        None => false,
        Some(JsonValue::Text(word)) if word == WHOM[0] => false,
        Some(JsonValue::Text(word)) if word == WHOM[1] => true,
        Some(_) => return None,
    };
    (!question.is_empty()).then_some(PrincipalQuestion { question, user })
}

/// The question, or its fault.
fn question(arguments: &JsonValue, texts: &LocalizedTexts) -> Result<Question, String> {
    let text = arguments.get("question").and_then(JsonValue::as_text).unwrap_or_default().trim().to_owned();
    if text.is_empty() {
        return Err(say!(texts, "prompt-tool-ask-without-question"));
    }
    let Some(options) = arguments.get("options").filter(|options| **options != JsonValue::Null) else {
        return Ok(Question::Validation { message: text });
    };
    let items = options.as_list().unwrap_or_default();
    let options: Vec<String> = items.iter().filter_map(JsonValue::as_text).map(str::to_owned).collect();
    if options.len() != items.len() || !(OPTIONS_MIN..=OPTIONS_MAX).contains(&options.len()) {
        return Err(say!(texts, "prompt-tool-ask-options"));
    }
    let allow_other = arguments.get("allow_other").and_then(JsonValue::as_bool).unwrap_or_default();
    let question = Question::MultipleChoice { question: text, options, allow_other };
    match question.find_fault() {
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

fn steps(arguments: &JsonValue) -> Vec<String> {
    let items = arguments.get("steps").and_then(JsonValue::as_list).unwrap_or_default();
    plan_steps(items.iter().filter_map(JsonValue::as_text))
}
