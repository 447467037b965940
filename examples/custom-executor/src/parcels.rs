//! An action whose outcome can be queried: a parcel, which the carrier lists under the key of the call that sent it.
//!
//! The carrier takes the same key twice, so the action is not idempotent: after a lost outcome it is asked whether the
//! parcel is there, and only a "no" after the settle time lets the action be repeated. The look-up goes by the key of
//! the call; one by the address would find the parcel of another call.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec};
use entracte_application::system::sha256;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::EffectClass;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde_json::json;

/// How long after a lost outcome a parcel may still appear. The catalog refuses 0: the first "no" would count at once.
const SETTLE: Millis = Millis::seconds(5);

/// A parcel that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentParcel {
    /// The key of the call.
    pub key: String,
    /// The town.
    pub to: String,
}

/// The carrier's list, in the order of sending.
#[derive(Default)]
pub struct ParcelDesk(Mutex<Vec<SentParcel>>);

impl ParcelDesk {
    /// The parcels that were sent.
    pub fn parcels(&self) -> Vec<SentParcel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl CommandExecutor for ParcelDesk {
    fn commands(&self) -> Vec<CommandSpec> {
        let to = json!({
            "type": "object",
            "properties": { "to": { "type": "string", "minLength": 1 } },
            "required": ["to"],
            "additionalProperties": false,
        });
        let doc = "Sends a parcel. to: the town.";
        let send = CommandSpec::action("SEND_PARCEL", "parcels.send", doc, EffectClass::Probe, to);
        vec![CommandSpec { settle: SETTLE, ..send }]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        if request.command.name != "parcels.send" {
            let message = format!("the carrier does not know “{}”", request.command.name);
            let code = "UNKNOWN_COMMAND".to_owned();
            return CallOutcome::Failed(CallFailure { code, message, path: None, retryable: false });
        }
        let to = request.command.arguments.get("to").and_then(JsonValue::as_text).unwrap_or_default();
        let parcel = SentParcel { key: request.key.clone(), to: to.to_owned() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(parcel);
        CallOutcome::Succeeded { content: "sent".to_owned(), digest: sha256(b"sent"), files: Vec::new() }
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        let is_there = self.parcels().iter().any(|parcel| parcel.key == request.key);
        let content = if is_there { "sent" } else { "not sent" };
        let digest = sha256(content.as_bytes());
        CallOutcome::Probed { happened: Some(is_there), content: content.to_owned(), digest }
    }
}
