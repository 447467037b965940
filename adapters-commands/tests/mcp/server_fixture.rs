//! Shared test fixtures: servers, requests, answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpEnvironment, McpServerConfig, PinFile};
use entracte_adapters_commands::{McpExecutor, ResultFiles};
use entracte_application::ports::{CallRequest, CommandExecutor, LogReader, ResourceReader};
use entracte_application::settings::{Language, SchemaBounds};
use entracte_application::system::SystemSecretStore;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use serde_json::{Value, json};

/// The path of the script of an npm package that `.ci/peers` installs.
pub(crate) fn installed(package: &str) -> String {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/node_modules/@modelcontextprotocol");
    let script = folder.join(package).join("dist/index.js");
    assert!(script.is_file(), "the MCP server {package} is not installed; run .ci/peers");
    script.display().to_string()
}

/// A server configuration from JSON.
pub(crate) fn entry(json: Value) -> McpServerConfig {
    serde_json::from_value(json).unwrap()
}

/// The configuration of a server run by node.
pub(crate) fn node(arguments: &[&str]) -> McpServerConfig {
    entry(json!({"command": "node", "args": arguments}))
}

/// The environment variables that a server may inherit.
pub(crate) fn variables() -> BTreeMap<String, String> {
    let path = option_env!("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin");
    BTreeMap::from([("PATH".to_owned(), path.to_owned()), ("HOME".to_owned(), "/nowhere".to_owned())])
}

/// A folder with the file of accepted tools, and the scripted server's files.
pub(crate) struct McpServerFixture {
    pub(crate) folder: tempfile::TempDir,
}

impl McpServerFixture {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An executor of one server, `s`, as in a newly started process.
    pub(crate) fn executor(&self, config: McpServerConfig) -> Arc<McpExecutor> {
        self.executor_of(BTreeMap::from([("s".to_owned(), config)]))
    }

    /// An executor of these servers.
    pub(crate) fn executor_of(&self, entries: BTreeMap<String, McpServerConfig>) -> Arc<McpExecutor> {
        self.executor_with_log(entries, None)
    }

    /// An executor of this server, which stores the files of results.
    pub(crate) fn executor_with_files(&self, config: McpServerConfig, files: ResultFiles) -> McpExecutor {
        self.executor_in(BTreeMap::from([("s".to_owned(), config)]), None, Some(files))
    }

    /// An executor of these servers, which reads the earlier calls of a session in `log`.
    pub(crate) fn executor_with_log(
        &self,
        entries: BTreeMap<String, McpServerConfig>,
        log: Option<Arc<dyn LogReader>>,
    ) -> Arc<McpExecutor> {
        Arc::new(self.executor_in(entries, log, None))
    }

    fn executor_in(
        &self,
        entries: BTreeMap<String, McpServerConfig>,
        log: Option<Arc<dyn LogReader>>,
        files: Option<ResultFiles>,
    ) -> McpExecutor {
        let bounds = SchemaBounds::default();
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        let surroundings = McpEnvironment {
            secrets: Arc::new(SystemSecretStore),
            variables: variables(),
            logins: McpLoginStore::new(self.path("logins"), Arc::clone(&crypto)),
            folder: self.path("servers"),
            bounds,
            log,
            files,
            crypto,
        };
        let pins = PinFile::open(self.path("pins.json")).unwrap();
        McpExecutor::new(entries, pins, surroundings, []).unwrap()
    }

    /// An executor whose server is already connected.
    pub(crate) async fn connected_executor(&self, config: McpServerConfig) -> Arc<McpExecutor> {
        let executor = self.executor(config.clone());
        assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
        executor
    }

    /// The configuration of a scripted server of this protocol generation.
    pub(crate) fn scripted_server_config(&self, protocol: &str) -> McpServerConfig {
        if !self.path("tools.json").exists() {
            self.set_server_tools(&[tool("echo", "Says it again."), tool("slow", "Never answers.")]);
        }
        std::fs::write(self.path("log"), "").unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/peer.mjs");
        entry(json!({
            "command": "node",
            "args": [script],
            "env": {
                "PEER_PROTOCOL": protocol,
                "PEER_TOOLS": self.path("tools.json"),
                "PEER_LOG": self.path("log"),
            },
        }))
    }

    /// Replaces the scripted server's tools.
    pub(crate) fn set_server_tools(&self, tools: &[Value]) {
        std::fs::write(self.path("tools.json"), Value::from(tools).to_string()).unwrap();
    }

    /// The methods that the scripted server received.
    pub(crate) fn log(&self) -> Vec<String> {
        std::fs::read_to_string(self.path("log")).unwrap().lines().map(str::to_owned).collect()
    }

    /// Waits until the scripted server has received `method`.
    pub(crate) async fn wait_for_method(&self, method: &str) {
        eventually(|| self.log().iter().any(|line| line == method)).await;
    }
}

/// Waits for a condition that another process causes.
pub(crate) async fn eventually(mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), wait).await.expect("it happens within 20 s");
}

/// The English texts.
pub(crate) fn english() -> &'static LocalizedTexts {
    LocalizedTexts::for_language(Language::En)
}

/// A tool of the scripted server.
pub(crate) fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

/// A call made at this second.
pub(crate) fn request_at(second: i64, command: &str, arguments: Value) -> CallRequest {
    let arguments = entracte_application::json_value::from_serde(&arguments);
    CallRequest {
        workspace: WorkspaceKey::new("user:main"),
        session: SessionId::new("ses_x"),
        call: CallId::new("cal_x_1_0"),
        command: Command { name: command.to_owned(), arguments },
        acts_as: None,
        via: Vec::new(),
        key: "key".to_owned(),
        task: None,
        attempt: 1,
        now: Timestamp(second * 1_000_000),
        reference: Timestamp(second * 1_000_000),
        locale: entracte_application::settings::WorkspaceLocale::default(),
        naming: entracte_application::command_naming::CommandNaming::Types,
        restriction: entracte_domain::restriction::Restriction::Open,
        progress: entracte_application::ports::CallProgressSink::default(),
    }
}

pub(crate) async fn run(executor: &McpExecutor, command: &str, arguments: Value) -> CallOutcome {
    executor.run(request_at(0, command, arguments)).await
}

/// Starts a call that has been sent when this returns, and continues beside the test.
pub(crate) async fn spawn_call(
    executor: &Arc<McpExecutor>,
    command: &'static str,
    arguments: Value,
) -> tokio::task::JoinHandle<CallOutcome> {
    let executor = Arc::clone(executor);
    let call = tokio::spawn(async move { run(&executor, command, arguments).await });
    // The test has one thread: the call runs until it waits for an answer.
    tokio::task::yield_now().await;
    call
}

/// The outcome of a call as a line.
pub(crate) fn format_outcome(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { content, .. } => content.clone(),
        CallOutcome::Failed(failure) => {
            let again = if failure.retryable { " (again)" } else { "" };
            format!("{}{again}: {}", failure.code, failure.message)
        }
        other => format!("{other:?}"),
    }
}

/// Runs a call and returns its outcome as a line.
pub(crate) async fn run_and_format(executor: &McpExecutor, command: &str, arguments: Value) -> String {
    format_outcome(&run(executor, command, arguments).await)
}

/// The names of the executor's commands.
pub(crate) fn command_names(executor: &McpExecutor) -> Vec<String> {
    executor.commands().into_iter().map(|spec| spec.name).collect()
}

/// A workspace without data.
pub(crate) fn no_rows() -> Arc<dyn ResourceReader> {
    Arc::new(entracte_application::ports::MockResourceReader::new())
}

/// The ids of the processes whose command line contains `mark`.
pub(crate) fn processes(mark: &str) -> Vec<i32> {
    let holds = |id: &i32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    let entries = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(holds).collect()
}
