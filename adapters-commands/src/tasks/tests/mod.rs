//! Declared tasks against HTTP peers in this process.

mod checks;
mod dispatch;
mod status_requests;

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::{
    CallRequest, SecretError, SecretReference, SecretStore, TaskGatewayRequest,
};
use entracte_application::samples;
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId, TaskId, WorkspaceKey};
use entracte_domain::task::Task;
use entracte_domain::time::Timestamp;
use serde_json::{Value, json};

use super::{TaskConfig, TaskServerExecutor};
use crate::egress::fake_peer::{FakeHttpPeer, ScriptedResolver, crypto};
use crate::egress::{EgressClient, EgressSettings};
use crate::json::parse;

/// The value of the variable `BOOKS`; another secret has another value.
const BOOKS: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// 2026-11-22T10:30:00Z.
const NOW: Timestamp = Timestamp(1_795_343_400_000_000);

struct TaskSecretStoreFixture;

impl SecretStore for TaskSecretStoreFixture {
    fn secret(&self, reference: &SecretReference) -> Result<secrecy::SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) if name == "NOT_SET" => Err(SecretError::NotSet(name.clone())),
            SecretReference::Environment(name) if name == "NO_KEY" => Ok("short".into()),
            SecretReference::Environment(name) if name == "BOOKS" => Ok(BOOKS.into()),
            SecretReference::Environment(_) | SecretReference::File(_) | SecretReference::Command(_) => {
                Ok(OTHER.into())
            }
        }
    }
}

/// A task from this declaration; by default an action at the peer, with a month.
fn config(url: &str, declared: Value) -> TaskConfig {
    let mut whole = json!({
        "name": "books.close",
        "task_type": "APBookkeeper",
        "url": url,
        "secrets": [{ "secret_env": "BOOKS" }],
        "arguments": {
            "type": "object", "properties": { "month": { "type": "string" } }, "additionalProperties": false,
        },
        "doc": "Closes the books of a month.",
    });
    for (key, value) in declared.as_object().unwrap() {
        whole[key] = value.clone();
    }
    serde_json::from_value(whole).unwrap()
}

fn egress() -> Arc<EgressClient> {
    let allowed = vec!["127.0.0.1".parse().unwrap()];
    let settings = EgressSettings { allowed, timeout: Duration::from_secs(20), ..EgressSettings::default() };
    Arc::new(EgressClient::with_resolver(settings, ScriptedResolver::new(&[]), crypto()))
}

fn servers(peer: &FakeHttpPeer, declared: Value) -> TaskServerExecutor {
    let config = config(&peer.url("127.0.0.1", "/tasks"), declared);
    TaskServerExecutor::new(vec![config], egress(), Arc::new(TaskSecretStoreFixture)).unwrap()
}

fn call() -> CallRequest {
    CallRequest {
        workspace: WorkspaceKey::new("ann:home"),
        session: SessionId::new("ses_x"),
        call: CallId::new("cal_x_1_0"),
        command: Command { name: "books.close".into(), arguments: parse(r#"{"month":"2026-10"}"#).unwrap() },
        acts_as: Some("ann".into()),
        via: vec!["Office".into(), "JobManager".into()],
        key: "key-1".to_owned(),
        attempt: 1,
        now: NOW,
        reference: NOW,
        locale: WorkspaceLocale::default(),
        naming: entracte_application::command_naming::CommandNaming::Types,
        restriction: entracte_domain::restriction::Restriction::Open,
        task: Some(TaskId::new("tsk_7Q")),
        progress: entracte_application::ports::CallProgressSink::default(),
    }
}

/// A request about the task, as it was accepted.
fn about(remote: Option<String>) -> TaskGatewayRequest {
    let sample = samples::task_request();
    let task = Task { id: TaskId::new("tsk_7Q"), command: "books.close".into(), remote, ..sample.task };
    TaskGatewayRequest { task, now: NOW, ..sample }
}
