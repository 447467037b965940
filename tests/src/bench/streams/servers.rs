//! The measured servers: the program itself, and the minimal relay.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::super::database::BenchDatabase;
use super::super::process;
use super::super::worker::BenchWorkerProcess;
use super::super::worker_protocol::{BenchSpending, BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};
use super::client::StreamRequestTarget;

/// Resource usage of a server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerResourceUsage {
    /// CPU time, milliseconds.
    pub(super) cpu_ms: f64,
    /// Resident memory, megabytes.
    pub(super) resident_mb: f64,
}

/// A server with numbered sessions.
#[async_trait]
pub(super) trait StreamBenchServer: Send + Sync {
    /// The address of a session's stream.
    async fn stream_target(&self, number: usize) -> StreamRequestTarget;
    /// Makes the model of a session start its reply.
    async fn start_reply(&self, number: usize);
    /// The resources used so far.
    fn resource_usage(&self) -> ServerResourceUsage;
}

/// The Entracte program as a server.
pub(in crate::bench) struct EntracteStreamServer {
    process: KillOnDropProcess,
    host: String,
    token: String,
    sessions: Vec<String>,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

/// URL path of the workspace of the measured server.
const HOME: &str = "/v1/workspaces/local:main";

impl EntracteStreamServer {
    /// Starts the program with `sessions` sessions.
    pub(in crate::bench) async fn start(
        program: &Path,
        place: &BenchDatabase,
        model: &str,
        sessions: usize,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = format!(
            "default_provider = \"bench\"\n[providers.bench]\nkind = \"compatible\"\nbase_url = \"http://{model}/v1\"\n\
             model = \"m\"\ndialect = \"tools\"\n[server]\nstreams = 0\nstreams_per_token = 0\nconnections = 5000\n\
             requests_per_minute = 0\n[network]\ncalls_at_once = 0\n"
        );
        std::fs::write(folder.path().join("entracte.toml"), config).expect("the folder can be written");
        let run = EntracteRunOptions::new(program, folder.path(), place);
        run.run_to_end(&["trust", "--yes"]);
        run.run_to_end(&["workspace", "settings", "set", &format!("slots={}", sessions.max(1))]);
        let made =
            run.run_to_end(&["--json", "token", "create", "--person", "bench", "--scope", "read,chat"]);
        let token = made["secret"].as_str().expect("a token has a secret").to_owned();
        let (process, told) = run.serve();
        let server = told["url"].as_str().expect("it says where it is");
        let host = server.trim_end_matches('/').trim_start_matches("http://").to_owned();
        let client = reqwest::Client::new();
        let mut served = Self { process, host, token, sessions: Vec::new(), client, _folder: folder };
        for _ in 0..sessions {
            let made = served.post("sessions", &json!({})).await;
            served.sessions.push(made["id"].as_str().expect("a session has an id").to_owned());
        }
        served
    }

    /// The id of a session.
    pub(in crate::bench) fn session(&self, number: usize) -> &str {
        &self.sessions[number]
    }

    /// The number of the process.
    pub(in crate::bench) fn process_id(&self) -> u32 {
        self.process.0.id()
    }

    /// Reads below the workspace.
    pub(in crate::bench) async fn get(&self, path: &str) {
        self.send(path, self.client.get(self.address(path))).await;
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.client.post(self.address(path)).header("content-type", "application/json");
        let text = self.send(path, request.body(body.to_string())).await;
        serde_json::from_str(&text).expect("the answer is JSON")
    }

    fn address(&self, path: &str) -> String {
        format!("http://{}{HOME}/{path}", self.host)
    }

    async fn send(&self, path: &str, request: reqwest::RequestBuilder) -> String {
        let answer = request.bearer_auth(&self.token).send().await.expect("the server answers");
        let (status, text) = (answer.status(), answer.text().await.expect("the server answers"));
        assert!(status.is_success(), "{path}: {status} {text}");
        text
    }
}

#[async_trait]
impl StreamBenchServer for EntracteStreamServer {
    async fn stream_target(&self, number: usize) -> StreamRequestTarget {
        let session = &self.sessions[number];
        StreamRequestTarget {
            host: self.host.clone(),
            path: format!("{HOME}/sessions/{session}/stream"),
            head: format!("Authorization: Bearer {}\r\n", self.token),
        }
    }

    async fn start_reply(&self, number: usize) {
        let path = format!("sessions/{}/messages", self.sessions[number]);
        self.post(&path, &json!({ "text": "Speak." })).await;
    }

    fn resource_usage(&self) -> ServerResourceUsage {
        let (cpu, resident_kb) = process::process_usage(self.process_id());
        ServerResourceUsage { cpu_ms: cpu.as_secs_f64() * 1000.0, resident_mb: resident_kb as f64 / 1024.0 }
    }
}

/// A running program; killed when dropped.
struct KillOnDropProcess(Child);

impl Drop for KillOnDropProcess {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The minimal relay, in a process of its own.
pub(super) struct ReferenceStreamServer {
    worker: Mutex<BenchWorkerProcess>,
    host: String,
    client: reqwest::Client,
}

impl ReferenceStreamServer {
    /// Starts the relay over this model.
    pub(super) fn start(model: &str) -> Self {
        let orders = BenchWorkerConfig {
            role: BenchWorkerRole::Relay,
            database: String::new(),
            model: model.to_owned(),
            story: String::new(),
            calls: 0,
            last: 0,
            sessions: 0,
            guarded: false,
            one_story: true,
            prompt_bytes: 0,
            amount: 0,
            spending: BenchSpending::Unpriced,
            images: 0,
        };
        let mut worker = BenchWorkerProcess::start(&orders);
        let BenchWorkerReport { value: port, .. } = worker.hear();
        Self { worker: Mutex::new(worker), host: format!("127.0.0.1:{port}"), client: reqwest::Client::new() }
    }
}

#[async_trait]
impl StreamBenchServer for ReferenceStreamServer {
    async fn stream_target(&self, number: usize) -> StreamRequestTarget {
        StreamRequestTarget { host: self.host.clone(), path: format!("/s/{number}"), head: String::new() }
    }

    async fn start_reply(&self, _: usize) {
        self.client.post(format!("http://{}/ask", self.host)).send().await.expect("the loop answers");
    }

    fn resource_usage(&self) -> ServerResourceUsage {
        let mut worker = self.worker.lock().expect("nobody fails with it");
        let BenchWorkerReport { cpu_ms, resident_kb, .. } = worker.ask("report");
        ServerResourceUsage { cpu_ms, resident_mb: resident_kb as f64 / 1024.0 }
    }
}

fn url(place: &BenchDatabase) -> Option<String> {
    match place {
        BenchDatabase::File(_) => None,
        BenchDatabase::Server(_) => Some(place.location()),
    }
}

/// How the program is run.
pub(in crate::bench) struct EntracteRunOptions {
    program: PathBuf,
    folder: PathBuf,
    database: Option<String>,
}

impl EntracteRunOptions {
    /// In a folder of its own, on a database of a server or on its own file.
    pub(in crate::bench) fn new(program: &Path, folder: &Path, place: &BenchDatabase) -> Self {
        Self { program: program.to_owned(), folder: folder.to_owned(), database: url(place) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.command_under(&[], arguments)
    }

    /// The command under a program that watches it.
    pub(in crate::bench) fn command_under(&self, watcher: &[&str], arguments: &[&str]) -> Command {
        let mut words = watcher.iter().map(OsStr::new).chain([self.program.as_os_str()]);
        let mut command = Command::new(words.next().expect("there is the program"));
        command.args(words).args(arguments).current_dir(&self.folder).env_clear();
        command.envs([("HOME", self.folder.as_os_str()), ("USER", "local".as_ref()), ("TZ", "UTC".as_ref())]);
        command.env("ENTRACTE_DATA", "data");
        if let Some(url) = &self.database {
            command.env("ENTRACTE_DATABASE_URL", url);
        }
        command
    }

    /// Runs a command to its end, and returns its output if it is JSON.
    pub(in crate::bench) fn run_to_end(&self, arguments: &[&str]) -> Value {
        let done = self.command(arguments).output().expect("the program starts");
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{arguments:?}: {err}");
        serde_json::from_slice(&done.stdout).unwrap_or(Value::Null)
    }

    /// Starts the server and waits for the line that says its address.
    fn serve(&self) -> (KillOnDropProcess, Value) {
        let mut command = self.command(&["--json", "serve", "--bind", "127.0.0.1:0"]);
        let mut process =
            KillOnDropProcess(command.stdout(Stdio::piped()).spawn().expect("the program starts"));
        let mut lines = BufReader::new(process.0.stdout.take().expect("its output is piped"));
        loop {
            let mut line = String::new();
            let count = lines.read_line(&mut line).expect("the program speaks");
            assert!(count > 0, "the server ended");
            if let Some(told) =
                serde_json::from_str::<Value>(&line).ok().filter(|told| told["url"].is_string())
            {
                return (process, told);
            }
        }
    }
}
