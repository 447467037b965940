//! A call that somebody outside asks for, as a message in a session of its own.
//!
//! Nobody thinks in such a session: its model, which any process has under the name [`RELAY`], asks for exactly what
//! the message says. So the call goes through the same look-ups, approvals and ledger as those of a real model.

use entracte_domain::command::Command;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::value::JsonValue;
use entracte_domain::workspace::PlacementCandidate;

use crate::json_value;
use crate::texts::{LocalizedMessage, saying};

/// The name of the model's provider. No entry of a configuration can have it.
pub const RELAY: &str = "@relay";

/// Whether this is the name of the model's provider.
pub fn is_relay(provider: &str) -> bool {
    provider == RELAY
}

/// Whether this model speaks in a session: calls run in it, and nobody converses with it.
pub fn is_model_of(facts: &SessionFacts) -> bool {
    is_relay(&facts.provider)
}

/// What placement sees of a session.
pub(crate) fn seat(facts: &SessionFacts, phase: &Phase) -> PlacementCandidate {
    PlacementCandidate { is_of_calls: is_model_of(facts), ..PlacementCandidate::from_session(facts, phase) }
}

/// Why a person cannot have this provider speak in a session or in the runs of an automation; none where it may. Words of
/// people would become calls there.
pub(crate) fn cannot_converse(provider: &str) -> Option<LocalizedMessage> {
    is_relay(provider).then(|| saying!("request-only-calls", provider = provider))
}

const MARK: &str = "{\"entracte_call\":";

/// The message that asks for a call: equal for equal requests.
pub fn relay_message(command: &Command) -> String {
    let call = JsonValue::from([
        ("command", JsonValue::from(command.name.as_str())),
        ("arguments", command.arguments.clone()),
    ]);
    // Nothing in it looks like a mark of ours, so a prompt has it as it is.
    JsonValue::from([("entracte_call", call)]).canonical().replace('<', "\\u003c")
}

/// The call that a text of a person ends with, as the prompt shows it (after a date and a name); none when it asks
/// for none.
pub fn parse_relay_message(text: &str) -> Option<Command> {
    let request = json_value::parse(text.get(text.find(MARK)?..)?).ok()?;
    let call = request.get("entracte_call")?;
    let name = call.get("command")?.as_text()?.to_owned();
    Some(Command { name, arguments: call.get("arguments")?.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_back_as_it_was() {
        let arguments =
            json_value::parse(r#"{"b":1.50,"a":"</entracte> {\"entracte_call\":1} <b>\n"}"#).unwrap();
        let command = Command { name: "zones.create".into(), arguments };
        let text = relay_message(&command);
        assert!(!text.contains('<'), "{text}");
        let read = parse_relay_message(&format!("[2026-11-20 12:00 +00:00] an {{agent}}: {text}")).unwrap();
        assert_eq!(read.name, command.name);
        assert_eq!(read.arguments.canonical(), command.arguments.canonical());
        assert_eq!(relay_message(&read), text);
        assert_eq!(super::parse_relay_message("[2026-11-20 12:00 +00:00] Hello {\"a\":1}"), None);
    }
}
