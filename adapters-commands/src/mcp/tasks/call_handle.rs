//! The handle of a tool call that goes on after its command became a task: its text is stored in the task's row.

use entracte_application::json_value::from_serde;
use entracte_application::system::{SecretScrubber, sha256};
use entracte_domain::id::Digest;
use entracte_domain::task::TaskHandle;
use rmcp::model::{InputRequests, InputResponses, JsonObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::McpTaskAddress;
use crate::mcp::exact_numbers::{ToolPayloads, with_marked_numbers, with_plain_numbers};
use crate::mcp::pins::PinnedTool;
use crate::mcp::server::McpServer;
use crate::mcp::spec;

/// What the row of a task names.
#[derive(Debug, PartialEq)]
pub(in crate::mcp) enum McpTaskRemote {
    /// A task of the server.
    Task(McpTaskAddress),
    /// A call that asks for input.
    Call(Box<CallHandle>),
}

/// A call that asked for input, at some point of its course.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct CallHandle {
    /// The server's name in the configuration.
    pub(in crate::mcp) server: String,
    /// How many times a person has answered it.
    pub(in crate::mcp) round: u32,
    /// How to send the call again; `None` for a call that is held open by its connection, and ends with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::mcp) again: Option<CallContinuation>,
}

/// A call that the server answered with requests for input, to be sent again with the responses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct CallContinuation {
    /// The tool's name at its server.
    pub(in crate::mcp) tool: String,
    /// The hash of what the call was approved for: server, address and declaration.
    pub(in crate::mcp) target: String,
    pub(in crate::mcp) arguments: JsonObject,
    /// The server's own state, sent back as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::mcp) state: Option<String>,
    pub(in crate::mcp) requests: InputRequests,
    /// The responses to send; `None` while a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::mcp) responses: Option<InputResponses>,
    /// The process that may have sent the call, and alone knows whether it has; see
    /// [`HeldCalls::process`](crate::mcp::held_calls::HeldCalls::process). `None` while nobody has begun to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::mcp) sender: Option<String>,
}

/// Why a call cannot be stored, and so cannot wait for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mcp) enum CallHandleError {
    /// It is larger than [`HANDLE_MAX_BYTES`].
    TooLarge,
    /// It contains a secret of the configuration.
    Secret,
}

impl McpTaskRemote {
    /// Decodes a stored text; `None` if it has another format.
    pub(in crate::mcp) fn read(text: &str) -> Option<Self> {
        match text.strip_prefix(TaskHandle::PRIVATE_PREFIX) {
            Some(call) => {
                let call = with_marked_numbers(call, ToolPayloads::OF_CLIENT);
                Some(Self::Call(serde_json::from_str(&call).ok()?))
            }
            None => McpTaskAddress::read(text).map(Self::Task),
        }
    }
}

impl CallHandle {
    /// Encodes it as one text. A handle that contains a secret of the server's configuration is not stored.
    pub(in crate::mcp) fn write(&self, scrubber: &SecretScrubber) -> Result<String, CallHandleError> {
        // Texts, numbers and maps of texts always serialize.
        let value = serde_json::to_value(self).unwrap_or_default();
        let marked = value.to_string();
        let json = with_plain_numbers(&marked, ToolPayloads::OF_CLIENT);
        if json.len() > HANDLE_MAX_BYTES {
            return Err(CallHandleError::TooLarge);
        }
        if has_secret(&value, scrubber) {
            return Err(CallHandleError::Secret);
        }
        Ok(format!("{}{json}", TaskHandle::PRIVATE_PREFIX))
    }
}

/// Whether a text in the value contains a secret.
fn has_secret(value: &Value, scrubber: &SecretScrubber) -> bool {
    let is_secret = |text: &String| scrubber.scrub_owned(text.clone()) != *text;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => is_secret(text),
        Value::Array(items) => items.iter().any(|item| has_secret(item, scrubber)),
        Value::Object(members) => {
            members.iter().any(|(name, member)| is_secret(name) || has_secret(member, scrubber))
        }
    }
}

/// The hash of what a call of this tool reaches now: its program or address, and the declaration that a person
/// accepted. `None` if the tool cannot be used as it was accepted.
pub(in crate::mcp) fn target_digest(server: &McpServer, tool: &str) -> Option<Digest> {
    let PinnedTool { accepted, offered, refused, gone, .. } = server.pinned(tool);
    let is_usable = offered.is_none() && refused.is_none() && !gone && server.config.offers(tool);
    let accepted = accepted.filter(|_| is_usable)?;
    let target = spec::target(&server.name, &server.config, &accepted.declaration);
    Some(sha256(from_serde(&target).canonical().as_bytes()))
}

/// The most bytes of a stored call that waits for input.
pub(in crate::mcp) const HANDLE_MAX_BYTES: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn handle(state: &str) -> CallHandle {
        let schema = json!({"type": "object", "properties": {"iban": {"type": "string"}}});
        let params = json!({"mode": "form", "message": "Which account?", "requestedSchema": schema});
        let requests = json!({"q": {"method": "elicitation/create", "params": params}});
        let again = CallContinuation {
            tool: "pay".into(),
            target: "abc".into(),
            arguments: json!({"amount": 1}).as_object().unwrap().clone(),
            state: Some(state.into()),
            requests: serde_json::from_value(requests).unwrap(),
            responses: None,
            sender: None,
        };
        CallHandle { server: "s".into(), round: 1, again: Some(again) }
    }

    #[test]
    fn stored_call_is_read_as_it_was_written() {
        let none = SecretScrubber::default();
        for call in [handle("s1"), CallHandle { again: None, ..handle("") }] {
            let text = call.write(&none).unwrap();
            assert_eq!(McpTaskRemote::read(&text), Some(McpTaskRemote::Call(Box::new(call))));
        }
        let task = McpTaskAddress { server: "s".into(), task: "t".into(), destination: None };
        assert_eq!(McpTaskRemote::read(&task.write()), Some(McpTaskRemote::Task(task)));
        assert_eq!(McpTaskRemote::read("private:{}"), None);
    }

    /// Input: arguments with digits that no machine number holds; expected: the call is stored with them, and sent again
    /// with them.
    #[test]
    fn stored_call_keeps_digits_of_arguments() {
        let text = r#"private:{"again":{"arguments":{"amount":12345678901234567890.12,"paid":72.50},"requests":{},"target":"abc","tool":"pay"},"round":1,"server":"s"}"#;
        let text = text.replacen("private:", TaskHandle::PRIVATE_PREFIX, 1);
        let Some(McpTaskRemote::Call(call)) = McpTaskRemote::read(&text) else { panic!("{text}") };
        assert_eq!(call.write(&SecretScrubber::default()).unwrap(), text);
    }

    #[test]
    fn too_large_call_is_not_stored() {
        let none = SecretScrubber::default();
        assert_eq!(handle(&"x".repeat(HANDLE_MAX_BYTES)).write(&none), Err(CallHandleError::TooLarge));
    }
}
