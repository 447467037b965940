//! Time-outs of commands in another process: really cancelled, and reported according to their effect.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "these are tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpEnvironment, PinFile};
use entracte_application::rule_book::RuleBook;
use entracte_application::system::SystemSecretStore;
use entracte_application::use_cases::ReadCalls;
use entracte_domain::time::Timestamp;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::cryptography::crypto;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, command_request_line,
    envelope_line, services,
};
use serde_json::json;

/// A scripted MCP server whose tools never answer: one reads, the other one acts.
struct UnresponsiveMcpServer {
    folder: tempfile::TempDir,
}

impl UnresponsiveMcpServer {
    fn new() -> Self {
        let peer = Self { folder: tempfile::tempdir().unwrap() };
        let tool = |name: &str, reads: bool| {
            let annotations =
                json!({ "readOnlyHint": reads, "destructiveHint": false, "openWorldHint": false });
            json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations })
        };
        let tools = json!([tool("slow_look", true), tool("slow_write", false)]);
        std::fs::write(peer.path("tools.json"), tools.to_string()).unwrap();
        std::fs::write(peer.path("log"), "").unwrap();
        peer
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A connected executor of the server.
    async fn met(&self) -> Arc<McpExecutor> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters-commands/tests/mcp/peer.mjs");
        let config = json!({
            "command": "node", "args": [script],
            "env": {
                "PEER_PROTOCOL": "2025-11-25", "PEER_TOOLS": self.path("tools.json"), "PEER_LOG": self.path("log"),
            },
        });
        let entries = BTreeMap::from([("s".to_owned(), serde_json::from_value(config).unwrap())]);
        let path = option_env!("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin").to_owned();
        let variables = BTreeMap::from([("PATH".to_owned(), path)]);
        let surroundings = McpEnvironment {
            secrets: Arc::new(SystemSecretStore),
            variables,
            logins: McpLoginStore::new(self.path("logins"), crypto()),
            folder: self.path("servers"),
            bounds: entracte_application::settings::SchemaBounds::default(),
            log: None,
            files: None,
            crypto: crypto(),
        };
        let pins = PinFile::open(self.path("pins.json")).unwrap();
        let executor = Arc::new(McpExecutor::new(entries, pins, surroundings, []).unwrap());
        assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
        executor
    }

    /// How often the server got this.
    fn got(&self, method: &str) -> usize {
        std::fs::read_to_string(self.path("log")).unwrap().lines().filter(|line| *line == method).count()
    }

    /// Waits until the server got this so often.
    async fn eventually(&self, method: &str, times: usize) {
        let wait = async {
            while self.got(method) < times {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it happens within 20 s");
    }
}

#[tokio::test]
async fn timeout_is_unknown_not_retry() {
    let peer = UnresponsiveMcpServer::new();
    let executor = peer.met().await;
    // From here on time passes when everything waits, so an unanswered call times out immediately.
    tokio::time::pause();
    let memory = Arc::new(MemoryStore::new());
    let stores = StoreFixture {
        store: memory.clone(),
        log: memory.clone(),
        resources: memory.clone(),
        mail: memory.clone(),
        automations: memory.clone(),
        tasks: memory.clone(),
        ownership: memory.clone(),
        keep: Box::new(()),
    };
    let model = Arc::new(FakeModel::default());
    model.push_lines([
        command_request_line("queries", &[("S_SLOW_LOOK", json!({}))]),
        command_request_line("actions", &[("S_SLOW_WRITE", json!({}))]),
        envelope_line("I do not know."),
    ]);
    let life = RuntimeFixture::start_runtime(services(&ServicesFixtureParts {
        stores,
        provider: model.clone(),
        executors: vec![executor.clone()],
        rules: RuleBook::default(),
        clock: Arc::new(TokioClock::default()),
        ids: Arc::new(SequentialIds::default()),
    }))
    .await;
    let session = life.chat(false).await;
    life.send_and_wait(&session, "look and write").await;

    let calls = ReadCalls::new(life.services.store.clone(), life.services.log.clone())
        .run(&life.workspace, &session)
        .await
        .unwrap();
    let told: Vec<_> = calls
        .iter()
        .map(|view| (view.call.command.name.as_str(), view.state.as_str(), view.call.attempt))
        .collect();
    assert_eq!(told, [("s.slow_look", "timed_out", 1), ("s.slow_write", "unknown", 1)]);
    let read = format!("{:?}", model.requests.lock().unwrap().last().unwrap().turns);
    assert!(read.contains("TIMEOUT") && read.contains("OUTCOME_UNKNOWN"), "{read}");
    life.verify(&session).await;

    // On the server's side: each was requested once, and each was cancelled.
    tokio::time::resume();
    peer.eventually("notifications/cancelled", 2).await;
    assert_eq!((peer.got("tools/call slow_look"), peer.got("tools/call slow_write")), (1, 1));
    assert_eq!(
        (peer.got("initialize"), peer.got("notifications/cancelled")),
        (1, 2),
        "it is the same server"
    );
    executor.close().await;
}
