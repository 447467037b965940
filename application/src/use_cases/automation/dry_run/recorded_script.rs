//! The default script of a dry run: the replies of the latest run, then a reply that the work is done.

use entracte_domain::command::Command;
use entracte_domain::message::AiMessage;
use entracte_domain::session::{Dialect, Input};
use entracte_domain::value::JsonValue;

use crate::command_naming::{COMPLETE, tool_name};
use crate::journal::JournalEntry;
use crate::ports::{NativeCall, ScriptedReply};

/// The replies of a run, followed by repeated completion replies.
pub(super) fn turns(entries: &[JournalEntry], dialect: Dialect, done: &str) -> Vec<ScriptedReply> {
    let said = entries.iter().filter_map(|entry| match &entry.input {
        // An invalid reply was requested again; the reply after it follows.
        Input::AiResponseReceived(reply) if reply.faults.is_empty() => Some(&reply.message),
        _ => None,
    });
    let end = AiMessage { pre_text: done.to_owned(), completed: true, ..AiMessage::default() };
    let ends = std::iter::repeat_n(&end, TIMES_DONE);
    said.chain(ends).enumerate().map(|(index, message)| turn(index, message, dialect)).collect()
}

/// The number of completion replies: today’s run may need more rounds than the recorded one.
const TIMES_DONE: usize = 20;

fn turn(index: usize, message: &AiMessage, dialect: Dialect) -> ScriptedReply {
    match dialect {
        Dialect::Envelope => ScriptedReply { text: envelope(message).to_json(), calls: Vec::new() },
        Dialect::Tools => ScriptedReply { text: message.pre_text.clone(), calls: calls(index, message) },
    }
}

fn envelope(message: &AiMessage) -> JsonValue {
    let command = |one: &Command| {
        JsonValue::from([("type", one.name.as_str().into()), ("params", one.arguments.clone())])
    };
    let commands = |all: &[Command]| JsonValue::List(all.iter().map(command).collect());
    let plan = message.plan.iter().map(|step| step.as_str().into()).collect();
    let said = [
        ("pre_text", Some(message.pre_text.as_str().into())),
        ("queries", Some(commands(&message.queries))),
        ("actions", Some(commands(&message.actions))),
        ("validation_request", Some(message.validation_request.into())),
        ("post_text", message.post_text.as_deref().map(JsonValue::from)),
        ("keep_control", Some(message.keep_control.into())),
        ("completed", Some(message.completed.into())),
        ("plan", (!message.plan.is_empty()).then_some(JsonValue::List(plan))),
    ];
    JsonValue::Object(said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

fn calls(index: usize, message: &AiMessage) -> Vec<NativeCall> {
    let commands = message.queries.iter().chain(&message.actions);
    let asked = commands.map(|command| (tool_name(&command.name), command.arguments.to_json()));
    let done = message.completed.then(|| (COMPLETE.to_owned(), "{}".to_owned()));
    let named = asked.chain(done).enumerate().map(|(place, (name, arguments))| NativeCall {
        provider_call_id: format!("call_{}_{}", index + 1, place + 1),
        name,
        arguments,
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Language;

    fn weighing() -> AiMessage {
        let arguments = JsonValue::from([("tool", "weight".into())]);
        AiMessage {
            pre_text: "I look.".into(),
            queries: vec![Command { name: "entries.list".into(), arguments }],
            ..AiMessage::default()
        }
    }

    #[test]
    fn envelope_is_encoded_as_model_writes_it() {
        let played = turn(0, &weighing(), Dialect::Envelope);
        let read = crate::protocol::envelope::parse_reply(&played.text, Language::En);
        assert!(read.faults.is_empty(), "{:?}", read.faults);
        assert_eq!(read.message.queries, weighing().queries);
        assert_eq!(played.calls, []);
    }

    #[test]
    fn native_calls_have_the_names_of_the_wire() {
        let played = turn(1, &weighing(), Dialect::Tools);
        assert_eq!(played.text, "I look.");
        let [call] = played.calls.as_slice() else { unreachable!("{:?}", played.calls) };
        assert_eq!((call.name.as_str(), call.provider_call_id.as_str()), ("entries_list", "call_2_1"));
        assert_eq!(call.arguments, r#"{"tool":"weight"}"#);
    }

    #[test]
    fn script_without_run_reports_completion() {
        for dialect in [Dialect::Envelope, Dialect::Tools] {
            let played = turns(&[], dialect, "Nothing to repeat.");
            assert_eq!(played.len(), TIMES_DONE);
            let is_done = match dialect {
                Dialect::Envelope => {
                    crate::protocol::envelope::parse_reply(&played[0].text, Language::En).message.completed
                }
                Dialect::Tools => played[0].calls[0].name == COMPLETE,
            };
            assert!(is_done, "{:?}", played[0]);
        }
    }
}
