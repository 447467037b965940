//! A call of an external client, carried as a message in a session of its own.
//!
//! No real model runs in such a session: its model, which every process has under the name [`RELAY`], requests
//! exactly the call in the message. So the call goes through the same resolution, approvals and ledger as those
//! of a real model.

use entracte_domain::command::Command;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::value::JsonValue;
use entracte_domain::workspace::PlacementCandidate;

use crate::json_value;
use crate::texts::{LocalizedMessage, saying};

/// Name of the relay provider. No configuration entry can have it.
pub const RELAY: &str = "@relay";

/// Whether this is the name of the relay provider.
pub fn is_relay(provider: &str) -> bool {
    provider == RELAY
}

/// Whether the relay is the session's model: it has no conversation, only manually requested calls.
pub fn is_model_of(facts: &SessionFacts) -> bool {
    is_relay(&facts.provider)
}

/// The placement candidate of a session.
pub(crate) fn seat(facts: &SessionFacts, phase: &Phase) -> PlacementCandidate {
    PlacementCandidate { is_of_calls: is_model_of(facts), ..PlacementCandidate::from_session(facts, phase) }
}

/// Why a person cannot choose this provider for a session or for the runs of an automation; `None` if they can.
/// With the relay, people's words would become calls.
pub(crate) fn cannot_converse(provider: &str) -> Option<LocalizedMessage> {
    is_relay(provider).then(|| saying!("request-only-calls", provider = provider))
}

const MARK: &str = "{\"entracte_call\":";

/// The message that requests a call; equal requests give equal messages.
pub fn relay_message(command: &Command) -> String {
    let call = JsonValue::from([
        ("command", JsonValue::from(command.name.as_str())),
        ("arguments", command.arguments.clone()),
    ]);
    // Nothing in it looks like an Entracte marker, so prompts contain it unchanged.
    JsonValue::from([("entracte_call", call)]).canonical().replace('<', "\\u003c")
}

/// The call at the end of a person's text as the prompt shows it (after a date and a name); `None` if there is
/// none.
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
    fn relay_message_round_trips() {
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
