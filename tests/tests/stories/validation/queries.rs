//! Queries that a person approves, and queries that read what an action before them changes; in both dialects.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec};
use entracte_application::system::sha256;
use entracte_application::use_cases::ApprovalChoice;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::Dialect;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line};
use serde_json::json;

use super::fixture::{ValidationFixture, ValidationWorkspace, waiting_approvals};

/// A server with a file to write and to read, and a page of another server. It records what ran.
#[derive(Default)]
struct FilesAndPagesExecutor(Mutex<Vec<String>>);

impl FilesAndPagesExecutor {
    fn ran(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl CommandExecutor for FilesAndPagesExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = || json!({ "type": "object", "additionalProperties": false });
        let files = || vec!["mcp:files".to_owned()];
        vec![
            CommandSpec {
                state_scopes: files(),
                ..CommandSpec::action("WRITE", "files.write", "Writes the file.", EffectClass::Once, schema())
            },
            CommandSpec {
                state_scopes: files(),
                ..CommandSpec::query("READ", "files.read", "Reads the file.", schema())
            },
            CommandSpec {
                egress: true,
                state_scopes: vec!["mcp:pages".to_owned()],
                ..CommandSpec::query("FETCH", "pages.fetch", "Fetches a page.", schema())
            },
        ]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        self.0.lock().unwrap().push(request.command.name.clone());
        CallOutcome::Succeeded { digest: sha256(b"done"), content: "done".to_owned(), files: Vec::new() }
    }
}

/// A workspace whose settings need no approval, a session in this dialect, and what its model asks for first.
async fn workspace(
    dialect: Dialect,
    line: FakeModelLine,
) -> (ValidationWorkspace, Arc<FilesAndPagesExecutor>, SessionId) {
    let server = Arc::new(FilesAndPagesExecutor::default());
    let mut stage = ValidationFixture::new([]);
    stage.parts.executors.push(server.clone());
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat_in(dialect).await;
    stage.model.push_lines([line, FakeModelLine::Says(r#"{"pre_text": "Done."}"#.to_owned())]);
    (place, server, session)
}

/// Sends a message and decides on the only call that waits.
async fn decide_first(place: &ValidationWorkspace, session: &SessionId, choice: &ApprovalChoice) -> CallId {
    let turn = place.life.send_and_wait(session, "go").await;
    let calls: Vec<CallId> = waiting_approvals(&turn).iter().map(|waiting| waiting.call.id.clone()).collect();
    assert_eq!(calls.len(), 1, "{turn:?}");
    place.decides("ann", session, &calls, choice).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, session, 0).await.unwrap();
    calls[0].clone()
}

fn fetch(dialect: Dialect) -> FakeModelLine {
    match dialect {
        Dialect::Envelope => command_request_line("queries", &[("FETCH", json!({}))]),
        Dialect::Tools => FakeModelLine::Calls(vec![("pages.fetch".to_owned(), json!({}))]),
    }
}

#[tokio::test(start_paused = true)]
async fn query_with_approval_stays_a_query() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let (place, server, session) = workspace(dialect, fetch(dialect)).await;
        decide_first(&place, &session, &ApprovalChoice::Approve).await;
        assert_eq!(server.ran(), ["pages.fetch"]);
        let calls = place.life.calls(&session).await;
        assert_eq!(calls.last().unwrap().1, "succeeded", "{dialect:?}");
        place.life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn rejected_query_never_runs() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let (place, server, session) = workspace(dialect, fetch(dialect)).await;
        let no = ApprovalChoice::Reject(Some("use the copy".to_owned()));
        decide_first(&place, &session, &no).await;
        assert_eq!(server.ran(), [] as [&str; 0], "{dialect:?}");
        place.life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn query_waits_for_earlier_action() {
    let calls = ["files.write", "files.read"].map(|name| (name.to_owned(), json!({})));
    let (place, server, session) = workspace(Dialect::Tools, FakeModelLine::Calls(calls.into())).await;
    place.life.send_and_wait(&session, "go").await;
    assert_eq!(server.ran(), ["files.write", "files.read"]);
    place.life.verify(&session).await;
}
