//! Long tasks with real processes: a task server controlled by the test, a server that is killed in between, and signed
//! and repeated callbacks.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use entracte_application::ports::Clock as _;
use entracte_application::system::SystemClock;
use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::{ServeServerProcess, end, free_address, send_request, serve_at, token};

/// How long another process may take before a test fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// The key of the task server.
pub(crate) const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Dispatches a task, and reports its result.
const GIVES: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I close the books.", "actions": [{"type": "BOOKS_CLOSE", "params": {"month": "2026-10"}}], "keep_control": true}'''
[[turn]]
text = "They are being closed."
[[turn]]
expect = "15 invoices"
text = "October is closed: 15 invoices."
"#;

/// A request that the task server got.
struct TaskServerRequest {
    line: String,
    head: String,
    body: Value,
}

impl TaskServerRequest {
    fn header(&self, name: &str) -> &str {
        let found = self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found.unwrap_or_else(|| panic!("{name}: {}", self.head))
    }
}

/// A task server that accepts every task, and gives the test's answers. It never calls back by itself.
struct FakeTaskServer {
    address: String,
    heard: Receiver<TaskServerRequest>,
}

impl FakeTaskServer {
    /// It answers each poll with the next of these values, and repeats the last.
    fn new(says: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (tell, heard) = channel();
        std::thread::spawn(move || {
            let mut says = says.into_iter().peekable();
            let mut last = json!({ "status": "running" });
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(request) = read(&stream) else { continue };
                let (status, said) = match request.line.split(' ').next() {
                    Some("POST") => {
                        (202, json!({ "status": "running", "status_url": "/tasks/77", "poll_after_s": 1 }))
                    }
                    Some("DELETE") => (200, json!({ "status": "cancelled" })),
                    _ => {
                        last = says.next().unwrap_or(last);
                        (200, last.clone())
                    }
                };
                let _ = tell.send(request);
                let said = said.to_string();
                let head = format!(
                    "HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
                    said.len()
                );
                let _ = (&stream).write_all(format!("{head}Connection: close\r\n\r\n{said}").as_bytes());
            }
        });
        Self { address, heard }
    }

    fn next(&self) -> TaskServerRequest {
        self.heard.recv_timeout(DEADLINE).unwrap()
    }
}

fn read(stream: &TcpStream) -> Option<TaskServerRequest> {
    let mut lines = BufReader::new(stream);
    let (mut line, mut head) = (String::new(), String::new());
    lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
    loop {
        let mut header = String::new();
        lines.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        head.push_str(&format!("{}: {value}\n", name.to_lowercase()));
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(Some(0), |length| length.parse().ok())?];
    lines.read_exact(&mut body).ok()?;
    Some(TaskServerRequest { line, head, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// A workspace whose model dispatches tasks to this server; with a public address it gets a callback, otherwise it
/// polls.
fn stage(address: &str, public_url: &str, declared: &str) -> CliFixture {
    let stage = CliFixture::with_script(GIVES);
    stage.write("books.key", KEY);
    let config = format!(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n{public_url}\
         [tools.http]\nallow = [\"127.0.0.1\"]\n\
         [[tools.tasks.task]]\nname = \"books.close\"\ntask_type = \"APBookkeeper\"\n\
         url = \"http://{address}/tasks\"\nsecrets = [{{ secret_file = \"{}/books.key\" }}]\n\
         doc = \"Closes the books of a month.\"\ndestructive = false\n{declared}\
         arguments = {{ type = \"object\", properties = {{ month = {{ type = \"string\" }} }}, \
         additionalProperties = false }}\n",
        stage.folder.path().display()
    );
    stage.write("entracte.toml", &config);
    stage
}

/// Posts a callback that is signed now; returns its status and its answer.
fn call_back(served: &ServeServerProcess, task: &str, id: &str, told: &Value) -> (u16, Value) {
    let seconds = SystemClock.now().0 / 1_000_000;
    let library = standardwebhooks::Webhook::new(KEY).unwrap();
    let signature = library.sign(id, seconds, told.to_string().as_bytes()).unwrap();
    let more =
        format!("webhook-id: {id}\r\nwebhook-timestamp: {seconds}\r\nwebhook-signature: {signature}\r\n");
    send_request(served, "POST", &format!("/v1/callbacks/{task}"), "", &more, told)
}

/// A chat that dispatched its task after an approval. Returns the session.
fn start_task_session(stage: &CliFixture) -> String {
    let asked = stage.run(&["--json", "chat", "--message", "Close October."]).expect(3).json();
    let approval = asked["waiting"]["items"][0]["id"].as_str().unwrap();
    stage.run(&["approve", approval]).expect(0);
    asked["session"].as_str().unwrap().to_owned()
}

fn ended(task: &str) -> Value {
    json!({
        "task_id": task, "task_type": "APBookkeeper", "status": "completed", "completed_at": "2026-11-22T10:30:00Z",
        "result": { "summary": "15 invoices", "processed_items": 15, "data": {} },
    })
}

#[test]
fn task_ends_once_despite_kill_and_repeats() {
    let books = FakeTaskServer::new(vec![]);
    let stage = stage(&books.address, "[server]\npublic_url = \"https://entracte.example\"\n", "");
    let address = free_address();
    let mut served = serve_at(&stage, &address);
    let session = start_task_session(&stage);
    let order = books.next();
    assert!(order.line.starts_with("POST /tasks "), "{}", order.line);
    let task = order.header("idempotency-key").to_owned();
    assert_eq!(order.body["callback_url"], format!("https://entracte.example/v1/callbacks/{task}"));
    assert_eq!(order.body["author"]["user"], "ann", "{}", order.body);
    let (status, told) = call_back(
        &served,
        &task,
        "msg_1",
        &json!({ "task_id": task, "status": "running", "progress": "3 of 15" }),
    );
    assert_eq!((status, &told["verdict"]), (202, &json!("progress")), "{told}");
    let shown = stage.run(&["task", "list"]).expect(0).out;
    assert!(shown.contains("running") && shown.contains("3 of 15"), "{shown}");

    // The process is killed; the task server continues, and calls the next process.
    served.running.child.kill().unwrap();
    served.running.child.wait().unwrap();
    let mut served = serve_at(&stage, &address);
    let (status, told) = call_back(&served, &task, "msg_2", &ended(&task));
    assert_eq!((status, &told["verdict"]), (202, &json!("normal")), "{told}");
    for again in 0..9 {
        let (status, told) = call_back(&served, &task, "msg_2", &ended(&task));
        assert_eq!((status, &told["verdict"]), (200, &json!("duplicate")), "{again}: {told}");
    }
    let (status, told) =
        call_back(&served, &task, "msg_3", &json!({ "task_id": task, "status": "failed", "error": "no" }));
    assert_eq!((status, &told["code"]), (409, &json!("conflict")), "{told}");

    // A person finds both ends in the inbox until they are marked as seen.
    let item = stage.run(&["--json", "inbox"]).expect(0).json()["items"][0].clone();
    assert_eq!(
        (&item["kind"], &item["why"], &item["task"]),
        (&json!("task"), &json!("contradicted"), &json!(task))
    );
    let shown = stage.run(&["inbox", "--list"]).expect(0).out;
    assert!(
        shown.contains("different outcome") && shown.contains(&format!("entracte inbox seen {task}")),
        "{shown}"
    );
    stage.run(&["inbox", "seen", &task]).expect(0);
    assert_eq!(stage.run(&["--json", "inbox"]).expect(0).json()["items"], json!([]));

    // The session reads it once and continues.
    let messages = stage.wait_for_output(&["--json", "session", "messages", &session], "October is closed");
    assert_eq!(messages.matches(r#"\"processed_items\":15"#).count(), 1, "{messages}");
    assert_eq!(end(&mut served), 0);
    let shown = stage.run(&["--json", "task", "show", &task]).expect(0).json();
    assert_eq!((&shown["state"], &shown["delivered"]), (&json!("completed"), &json!(true)), "{shown}");
    assert_eq!(shown["contradicted"], 1);
    let orders = books.heard.try_iter().filter(|heard| heard.line.starts_with("POST")).count();
    assert_eq!(orders, 0, "it was given once");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn task_is_polled_without_public_address() {
    let end_of = json!({ "status": "completed", "result": { "summary": "15 invoices" } });
    let books = FakeTaskServer::new(vec![json!({ "status": "running", "progress": "3 of 15" }), end_of]);
    let stage = stage(&books.address, "", "");
    let doctor = stage.run(&["doctor"]).out;
    assert!(doctor.contains("task servers cannot call back"), "{doctor}");
    let mut served = serve_at(&stage, &free_address());
    let session = start_task_session(&stage);
    let order = books.next();
    assert_eq!(order.body.get("callback_url"), None, "nobody can call back");
    let asked = books.next();
    assert!(asked.line.starts_with("GET /tasks/77 "), "{}", asked.line);
    assert!(asked.header("webhook-signature").starts_with("v1,"));
    stage.wait_for_output(&["--json", "session", "messages", &session], "October is closed");
    assert_eq!(end(&mut served), 0);
}

#[test]
fn cancelled_task_is_stopped_on_server() {
    let books = FakeTaskServer::new(vec![]);
    let stage = stage(&books.address, "[server]\npublic_url = \"https://entracte.example\"\n", "");
    let mut served = serve_at(&stage, &free_address());
    let session = start_task_session(&stage);
    let task = books.next().header("idempotency-key").to_owned();
    let none = stage.run(&["task", "cancel", "tsk_nobody"]).expect(5);
    assert!(none.err.contains("entracte task list"), "{}", none.err);
    stage.run(&["task", "cancel", &task]).expect(0);
    let stopped = books.next();
    assert!(stopped.line.starts_with("DELETE /tasks/77 "), "{}", stopped.line);
    let shown = stage.wait_for_output(&["--json", "task", "show", &task], r#""confirmed":true"#);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["state"], &shown["cancel"]["author"]),
        (&json!("cancelled"), &json!("ann")),
        "{shown}"
    );
    stage.run(&["task", "cancel", &task]).expect(6);
    assert!(stage.run(&["session", "show", &session]).expect(0).out.contains(&task));
    let (status, _) = call_back(&served, &task, "msg_9", &ended(&task));
    assert_eq!(status, 409, "it was stopped, and says that it finished");
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// The example as a process; it ends with this value.
pub(crate) struct ExampleTaskServerProcess(Child);

impl ExampleTaskServerProcess {
    /// A task server that works three times this many seconds on each task, and its address.
    pub(crate) fn starts(step_seconds: &str) -> (Self, String) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/task-server/server.py");
        let mut child = Command::new("python3")
            .args([script, "0"])
            .env("TASK_SECRET", KEY)
            .env("TASK_STEP_SECONDS", step_seconds)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (Self(child), line.trim().trim_start_matches("listening on ").to_owned())
    }
}

impl Drop for ExampleTaskServerProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_example_of_a_task_server_works() {
    let (_example, books) = ExampleTaskServerProcess::starts("0.1");
    // It reaches Entracte at its port; the words of its text are counted.
    let address = free_address();
    let public_url = format!("[server]\npublic_url = \"http://{address}\"\n");
    let stage = stage(&books, &public_url, "");
    stage.write("story.toml", &GIVES.replace("15 invoices\"\n", "0 words\"\n"));
    let mut served = serve_at(&stage, &address);
    let session = start_task_session(&stage);
    stage.wait_for_output(&["--json", "session", "messages", &session], "October is closed");
    let tasks = stage.run(&["--json", "task", "list"]).expect(0).json();
    assert_eq!(
        tasks["tasks"][0]["result"]["content"],
        r#"{"summary":"0 words","processed_items":0,"data":{}}"#
    );
    assert_eq!(end(&mut served), 0);
}

/// Each agent with the agents it may call, each played by a script of its own.
const PEOPLE: &str = r#"
[providers.office]
kind = "rehearsal"
script = "office.toml"
[providers.clerk]
kind = "rehearsal"
script = "clerk.toml"
[agents.Office]
description = "Knows who does what."
provider = "office"
commands = ["agents.JobManager", "books.close"]
instructions = { role = "You run the office." }
[agents.JobManager]
description = "Gives the jobs of the office to who does them."
provider = "clerk"
commands = ["books.close"]
instructions = { role = "You maintain the jobs." }
"#;

/// Calls this agent, and ends after its report.
fn calls(agent: &str, then: &str) -> String {
    format!(
        "[[turn]]\nenvelope = {{ pre_text = \"\", actions = [{{ type = \"{agent}\", params = {{ query = \"Close October.\" }} }}], keep_control = true }}\n\
         [[turn]]\nexpect = \"MISSION_COMPLETED\"\n{then}\n"
    )
}

/// Input: a person asks, an agent calls an agent, and that one dispatches a task; expected: the task server receives
/// the person and the delegation chain, the end wakes the dispatching agent, and its report reaches the person.
#[test]
fn agent_task_names_its_delegation_chain() {
    let exits = "envelope = { pre_text = \"\", EXIT_WITH_RESULT = { reason = \"done\", result = { invoices = 15 }, conclusion = \"October is closed.\" } }";
    let books = FakeTaskServer::new(vec![]);
    let address = free_address();
    let stage =
        stage(&books.address, &format!("[server]\npublic_url = \"https://entracte.example\"\n{PEOPLE}"), "");
    stage.write("story.toml", &calls("Office", "text = \"October is closed: 15 invoices.\""));
    stage.write("office.toml", &calls("JobManager", exits));
    let gives = GIVES.split("[[turn]]\ntext = \"They are").next().unwrap();
    stage.write(
        "clerk.toml",
        &format!(
            "{gives}\n[[turn]]\ntext = \"I wait for it.\"\n[[turn]]\nexpect = \"15 invoices\"\n{exits}\n"
        ),
    );
    let mut served = serve_at(&stage, &address);
    let session = start_task_session(&stage);
    let order = books.next();
    let task = order.header("idempotency-key").to_owned();
    assert_eq!(order.body["author"], json!({ "user": "ann", "via": ["Office", "JobManager"] }));
    stage.wait_for_output(&["--json", "agent", "list", &session], "WAITING_TASK");
    let (status, told) = call_back(&served, &task, "msg_1", &ended(&task));
    assert_eq!((status, &told["verdict"]), (202, &json!("normal")), "{told}");
    stage.wait_for_output(&["--json", "session", "messages", &session], "October is closed: 15");
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a task at a server, and commands from another machine; expected: they list, show and cancel it there, in the
/// name of the token's person.
#[test]
fn task_is_cancelled_from_another_machine() {
    let books = FakeTaskServer::new(vec![]);
    let stage = stage(&books.address, "[server]\npublic_url = \"https://entracte.example\"\n", "");
    let (_, token) = token(&stage, &["--person", "bob", "--scope", "read,chat"]);
    let mut served = serve_at(&stage, &free_address());
    start_task_session(&stage);
    let task = books.next().header("idempotency-key").to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let url = format!("http://{}", served.address);
    let there = |words: &[&str]| {
        let mut command = stage.command(words);
        command.current_dir(elsewhere.path()).env("HOME", elsewhere.path());
        command.env("ENTRACTE_SERVER", &url).env("ENTRACTE_TOKEN", &token);
        command_output(command.output().unwrap())
    };
    let listed = there(&["task", "list", "--open"]).expect(0).out;
    assert!(listed.contains(&task), "{listed}");
    there(&["task", "cancel", &task[..task.len() - 2]]).expect(0);
    let stopped = books.next();
    assert!(stopped.line.starts_with("DELETE /tasks/77 "), "{}", stopped.line);
    let shown = there(&["--json", "task", "show", &task]).expect(0).json();
    assert_eq!(
        (&shown["cancel"]["why"], &shown["cancel"]["author"]),
        (&json!("person"), &json!("bob")),
        "{shown}"
    );
    assert_eq!(end(&mut served), 0);
}
