//! A folder with a configuration, and the command run in it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_tests::postgres::TestDatabase;
use serde_json::Value;

use crate::own_program::audited_program;

/// How long another process may take before a test fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// Maximum number of polls, each by a process of its own.
const LOOKS: u32 = 2000;

pub(crate) struct CliFixture {
    /// The server that commands are sent to; ends before the folder goes.
    commands: Option<Mutex<Option<CommandServer>>>,
    pub(crate) folder: tempfile::TempDir,
    /// The Postgres database, if all tests run on a server: `ENTRACTE_TEST_ON=postgres`.
    server: Option<TestDatabase>,
}

/// A server over the database of a fixture, for the commands that work on one.
struct CommandServer {
    /// Ends when it is dropped.
    _process: CliProcess,
    url: String,
    token: String,
}

/// Whether tests run on this: `ENTRACTE_TEST_ON`.
fn is_tested_on(place: &str) -> bool {
    std::env::vars_os().any(|(name, on)| name == "ENTRACTE_TEST_ON" && on == place)
}

/// Whether a command works on a server as on this machine.
fn works_on_server(arguments: &[&str]) -> bool {
    let mut words = arguments.iter();
    let mut verbs = Vec::new();
    while let Some(word) = words.next() {
        match *word {
            "--json" => {}
            "--workspace" => drop(words.next()),
            // Other options before the command are about this machine.
            option if option.starts_with("--") && verbs.is_empty() => return false,
            word => verbs.push(word),
        }
    }
    matches!(
        verbs.as_slice(),
        ["answer" | "approve" | "chat" | "inbox" | "reject" | "settle", ..]
            | [
                "agent"
                    | "automation"
                    | "command"
                    | "entry"
                    | "notify"
                    | "retention"
                    | "rule"
                    | "secret"
                    | "task"
                    | "text"
                    | "token"
                    | "tool"
                    | "workspace"
                    | "zone",
                ..
            ]
            | ["cost", "report", ..]
            | ["mcp", "ask" | "keep" | "tools" | "trust", ..]
            | ["provider", "check" | "list", ..]
            | [
                "session",
                "calls"
                    | "compact"
                    | "confirm"
                    | "follow"
                    | "interrupt"
                    | "journal"
                    | "list"
                    | "messages"
                    | "prompt"
                    | "reject-completion"
                    | "resume"
                    | "show"
                    | "stop"
                    | "verify",
                ..
            ]
            | ["knowledge", "list" | "remove" | "search" | "show", ..]
    )
}

/// The result of a command.
pub(crate) struct CliCommandOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CliCommandOutput {
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl CliFixture {
    /// A model that plays this script.
    pub(crate) fn with_script(script: &str) -> Self {
        let stage = Self::with_config("[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n");
        stage.write("story.toml", script);
        stage
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let server = is_tested_on("postgres").then(|| TestDatabase::make().unwrap());
        let commands = is_tested_on("server").then(Mutex::default);
        let stage = Self { commands, folder: tempfile::tempdir().unwrap(), server }.with_data();
        stage.write("entracte.toml", config);
        stage
    }

    /// Sends the commands that work on a server to one.
    pub(crate) fn on_a_server(self) -> Self {
        Self { commands: Some(Mutex::default()), ..self }
    }

    /// Address and token of the server that commands are sent to; only of a fixture with one.
    pub(crate) fn server_of_commands(&self) -> (String, String) {
        self.command_server(self.commands.as_ref().unwrap())
    }

    /// Address and token of the server that commands are sent to, which is started now if it does not run.
    fn command_server(&self, commands: &Mutex<Option<CommandServer>>) -> (String, String) {
        let mut running = commands.lock().unwrap();
        let server = running.get_or_insert_with(|| {
            // A server answers about workspaces that exist.
            self.local_command(&["workspace", "create", "local:main"]).output().unwrap();
            let scopes = ["--everywhere", "--scope", "read,chat,approve,admin,secret"];
            let create = [&["--json", "token", "create", "--person", "ann"][..], &scopes].concat();
            let token = command_output(self.local_command(&create).output().unwrap()).expect(0).json();
            let process = self.begin(&["--json", "serve", "--bind", "127.0.0.1:0"]);
            let told: Value = serde_json::from_str(&process.line_with("entracte.serve/1")).unwrap();
            CommandServer {
                _process: process,
                url: told["url"].as_str().unwrap().to_owned(),
                token: token["secret"].as_str().unwrap().to_owned(),
            }
        });
        (server.url.clone(), server.token.clone())
    }

    /// Creates the default database: read-only commands create none, and a test may start with one.
    fn with_data(self) -> Self {
        if self.server.is_none() {
            let file = self.folder.path().join("data/entracte.db");
            Database::open(file.to_str().unwrap(), DatabaseOptions::default()).unwrap();
        }
        self
    }

    /// The fixture before any database exists.
    pub(crate) fn without_data(self) -> Self {
        let data = self.folder.path().join("data");
        if data.exists() {
            std::fs::remove_dir_all(data).unwrap();
        }
        self
    }

    /// A model that plays this script, on each available database.
    pub(crate) fn playing_on_each(script: &str) -> Vec<Self> {
        let mut all = vec![Self::with_script(script).on_a_file()];
        all.extend(
            TestDatabase::make().map(|server| Self { server: Some(server), ..Self::with_script(script) }),
        );
        all
    }

    /// Sends no command to a server, even if other tests do: the test is about the processes of this machine.
    pub(crate) fn on_this_machine(self) -> Self {
        Self { commands: None, ..self }
    }

    /// Uses a database file even if other tests use a server: the test is about locations.
    pub(crate) fn on_a_file(self) -> Self {
        Self { server: None, ..self }.with_data()
    }

    /// Writes a file. The configuration is the person's own, so it is trusted, unless it is invalid.
    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_untrusted(name, text);
        if name == "entracte.toml" {
            // A server reads its configuration when it starts.
            self.commands.iter().for_each(|commands| drop(commands.lock().unwrap().take()));
            self.run(&["trust", "--yes"]);
        }
    }

    /// Writes a file that is not trusted yet.
    pub(crate) fn write_untrusted(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.local_command(arguments);
        if let Some(commands) = self.commands.as_ref().filter(|_| works_on_server(arguments)) {
            let (url, token) = self.command_server(commands);
            command.env("ENTRACTE_SERVER", url).env("ENTRACTE_TOKEN", token);
        }
        command
    }

    /// A command on the database of this machine.
    fn local_command(&self, arguments: &[&str]) -> Command {
        let program = match is_tested_on("store") {
            true => audited_program(),
            false => PathBuf::from(env!("CARGO_BIN_EXE_entracte")),
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .envs([("HOME", self.folder.path()), ("USER", Path::new("ann")), ("TZ", Path::new("UTC"))])
            .env("ENTRACTE_DATA", "data");
        if let Some(server) = &self.server {
            command.env("ENTRACTE_DATABASE_URL", server.url());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CliCommandOutput {
        command_output(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a command with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> CliCommandOutput {
        let mut command = self.command(arguments);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // The command may refuse the input before it has read all of it.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        command_output(output)
    }

    /// Sends a message in a new session and returns the session.
    pub(crate) fn send_in_new_session(&self, text: &str, code: i32) -> String {
        let turn = self.run(&["--json", "chat", "--message", text]).expect(code).json();
        turn["session"].as_str().unwrap().to_owned()
    }

    /// Starts a command that continues in the background.
    pub(crate) fn begin(&self, arguments: &[&str]) -> CliProcess {
        self.spawn_command(&mut self.command(arguments))
    }

    /// Starts a prepared command in the background.
    pub(crate) fn spawn_command(&self, command: &mut Command) -> CliProcess {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let (lines, received) = channel();
        let out = child.stdout.take().unwrap();
        let err = child.stderr.take().unwrap();
        for stream in [Box::new(out) as Box<dyn std::io::Read + Send>, Box::new(err)] {
            let lines = lines.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = lines.send(line);
                }
            });
        }
        let stdin = child.stdin.take();
        CliProcess { child, stdin, lines: received }
    }

    /// Repeats a command until its standard output contains a text.
    pub(crate) fn wait_for_output(&self, arguments: &[&str], wanted: &str) -> String {
        let mut seen = String::new();
        for _ in 0..LOOKS {
            seen = self.run(arguments).out;
            if seen.contains(wanted) {
                return seen;
            }
        }
        panic!("no “{wanted}” in: {seen}");
    }
}

/// Decodes the result of a command.
pub(crate) fn command_output(output: std::process::Output) -> CliCommandOutput {
    CliCommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A running command; killed when dropped.
pub(crate) struct CliProcess {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl CliProcess {
    /// The next line that contains a text.
    pub(crate) fn line_with(&self, wanted: &str) -> String {
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) if line.contains(wanted) => return line,
                Ok(_) => {}
                Err(error) => panic!("no line with “{wanted}”: {error}"),
            }
        }
    }

    /// Every line up to and including the one that contains a text.
    pub(crate) fn lines_until(&self, wanted: &str) -> Vec<String> {
        let mut seen = Vec::new();
        while !seen.last().is_some_and(|line: &String| line.contains(wanted)) {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line with “{wanted}”: {error}; {seen:?}"),
            }
        }
        seen
    }

    /// Every line that is left of a command that has ended.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Closes standard input and returns the exit code.
    pub(crate) fn close_stdin_and_wait(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for CliProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replaces ids and times that differ from run to run.
pub(crate) fn redacted(text: &str, session: &str) -> String {
    let stem = session.trim_start_matches("ses_");
    without_times(&text.replace(stem, "ID"))
}

/// Replaces runs of digits joined by `-`, `:`, `T`, `.` or `Z` that look like a date or a time of day.
fn without_times(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(|character: char| character.is_ascii_digit()) {
        let (before, from) = rest.split_at(begin);
        let part = |character: char| character.is_ascii_digit() || "-:T.Z".contains(character);
        let end = from.find(|character| !part(character)).unwrap_or(from.len());
        let (run, after) = from.split_at(end);
        clean.push_str(before);
        let is_time =
            run.matches([':', '-']).count() >= 2 && run.len() >= 8 || run.len() == 5 && run.contains(':');
        clean.push_str(if is_time { "[time]" } else { run });
        rest = after;
    }
    clean.push_str(rest);
    clean
}
