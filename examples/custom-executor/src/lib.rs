//! A custom executor: a notice board with a query that reads it and an action that pins a note to it.
//!
//! The action takes a key, so it is declared idempotent: when its outcome is unknown, it is repeated with the same key,
//! and only one note exists. An action without a key is `Probe` if its outcome can be queried ([`parcels`]), otherwise
//! `Once`.

pub mod parcels;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError,
};
use entracte_application::system::sha256;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::EffectClass;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde_json::json;

/// The notes by the key of the call that pinned each of them.
#[derive(Default)]
pub struct NoticeBoard(Mutex<BTreeMap<String, String>>);

impl NoticeBoard {
    /// The notes in the order of their keys.
    pub fn notes(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn pin(&self, key: String, note: &str) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.entry(key).or_insert_with(|| note.to_owned());
    }
}

/// The note of a request; its arguments were checked against the schema before.
fn note(request: &CallRequest) -> &str {
    request.command.arguments.get("note").and_then(JsonValue::as_text).unwrap_or_default()
}

#[async_trait]
impl CommandExecutor for NoticeBoard {
    fn commands(&self) -> Vec<CommandSpec> {
        let nothing = json!({ "type": "object", "additionalProperties": false });
        let note = json!({
            "type": "object",
            "properties": { "note": { "type": "string", "minLength": 1 } },
            "required": ["note"],
            "additionalProperties": false,
        });
        let pin = EffectClass::Idempotent;
        vec![
            CommandSpec::query("BOARD", "board.read", "Reads all notes of the notice board.", nothing),
            CommandSpec {
                key_lifetime: Millis::hours(24),
                example: Some(json!({ "note": "The lift is out of order." })),
                ..CommandSpec::action("PIN", "board.pin", "Pins a note to the notice board.", pin, note)
            },
        ]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let content = match request.command.name.as_str() {
            "board.read" => json!(self.notes()).to_string(),
            "board.pin" => {
                self.pin(request.key.clone(), note(&request));
                "pinned".to_owned()
            }
            other => {
                let message = format!("the notice board does not know “{other}”");
                let code = "UNKNOWN_COMMAND".to_owned();
                return CallOutcome::Failed(CallFailure { code, message, path: None, retryable: false });
            }
        };
        CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let says = format!("Pin to the notice board: “{}”", note(&request));
        Ok(ActionDescription { says, ..ActionDescription::default() })
    }
}
