//! Declared tools against HTTP peers in this process.

mod approval_card;
mod checks;
mod effects;
mod number_precision;
mod responses;

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::{
    CallRequest, CommandExecutor, EmptyPersonSecretStore, SecretError, SecretReference, SecretStore,
};
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use serde_json::{Value, json};

use super::request_secrets::RequestSecretSource;
use super::tool::HttpTool;
use super::{HttpToolConfig, HttpToolExecutor};
use crate::egress::fake_peer::{FakeHttpPeer, ScriptedResolver, crypto};
use crate::egress::{EgressClient, EgressSettings};
use crate::json::parse;
use crate::secret::DeclaredSecrets;

/// The value of every secret in these tests.
const SECRET: &str = "hush/hush/\"1";

struct HttpToolSecretStoreFixture;

impl SecretStore for HttpToolSecretStoreFixture {
    fn secret(&self, reference: &SecretReference) -> Result<secrecy::SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) if name == "NOT_SET" => Err(SecretError::NotSet(name.clone())),
            SecretReference::Environment(_) | SecretReference::File(_) | SecretReference::Command(_) => {
                Ok(SECRET.into())
            }
        }
    }
}

/// Declares no secrets.
static NO_DECLARATIONS: DeclaredSecrets = DeclaredSecrets::none();
const NOBODY: RequestSecretSource<'static> = RequestSecretSource {
    store: &HttpToolSecretStoreFixture,
    people: &EmptyPersonSecretStore,
    declared: &NO_DECLARATIONS,
};

/// A tool from this declaration; by default a GET of `/` at the peer without arguments.
fn config(peer: &FakeHttpPeer, declared: Value) -> HttpToolConfig {
    let mut whole = json!({
        "name": "peer.call",
        "method": "GET",
        "url": peer.url("127.0.0.1", "/"),
        "arguments": {"type": "object", "properties": {}, "additionalProperties": false},
        "doc": "Calls the peer.",
    });
    for (key, value) in declared.as_object().unwrap() {
        whole[key] = value.clone();
    }
    serde_json::from_value(whole).unwrap()
}

/// A schema of arguments: required strings with these names.
fn texts(names: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn egress() -> Arc<EgressClient> {
    let allowed = vec!["127.0.0.1".parse().unwrap()];
    let settings = EgressSettings { allowed, timeout: Duration::from_secs(20), ..EgressSettings::default() };
    Arc::new(EgressClient::with_resolver(settings, ScriptedResolver::new(&[]), crypto()))
}

fn tools(peer: &FakeHttpPeer, declared: Value) -> HttpToolExecutor {
    HttpToolExecutor::new(vec![config(peer, declared)], egress(), Arc::new(HttpToolSecretStoreFixture))
        .unwrap()
}

fn call(arguments: &str) -> CallRequest {
    CallRequest {
        workspace: WorkspaceKey::new("user:main"),
        session: SessionId::new("ses_x"),
        call: CallId::new("cal_x_1_0"),
        command: Command { name: "peer.call".into(), arguments: parse(arguments).unwrap() },
        acts_as: None,
        via: Vec::new(),
        key: "key-1".to_owned(),
        task: None,
        attempt: 1,
        now: Timestamp(0),
        reference: Timestamp(0),
        locale: WorkspaceLocale::default(),
        naming: entracte_application::command_naming::CommandNaming::Types,
        restriction: entracte_domain::restriction::Restriction::Open,
        progress: entracte_application::ports::CallProgressSink::default(),
    }
}

/// Runs one call of a tool.
async fn run(peer: &FakeHttpPeer, declared: Value, arguments: &str) -> CallOutcome {
    tools(peer, declared).run(call(arguments)).await
}

fn content(outcome: CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { content, digest, .. } => {
            assert_eq!(digest, crate::call_outcome::digest(&content));
            content
        }
        other => panic!("{other:?}"),
    }
}

fn failure(outcome: CallOutcome) -> CallFailure {
    match outcome {
        CallOutcome::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

fn is_lost(outcome: &CallOutcome) -> bool {
    matches!(outcome, CallOutcome::Lost { found_by_start: None, lands_by: None })
}
