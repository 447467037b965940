//! Starts, crashes, ends, and cancelled calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::config::{HandshakeMode, McpToolConfig};
use entracte_adapters_commands::mcp::{McpServerConfig, McpToolChoice};
use entracte_application::commands::Catalog;
use entracte_application::ports::{
    CallProgressSink, CallRequest, CallRow, CommandExecutor, LogReader, MockLogReader,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::time::Timestamp;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::server_fixture::{
    McpServerFixture, command_names, english, entry, eventually, format_outcome, installed, node, processes,
    request_at, run, run_and_format, spawn_call, tool,
};

#[tokio::test]
async fn dropped_call_is_cancelled_and_server_continues() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    let call = spawn_call(&executor, "s.slow", json!({})).await;
    stage.wait_for_method("tools/call slow").await;
    call.abort();
    stage.wait_for_method("notifications/cancelled").await;
    assert_eq!(run_and_format(&executor, "s.echo", json!({})).await, "echo {}");
    let starts = stage.log().iter().filter(|line| *line == "initialize").count();
    assert_eq!(starts, 1, "it is the same server");
}

#[tokio::test]
async fn killed_server_loses_call_and_restarts() {
    let stage = McpServerFixture::new();
    let mark = stage.path("mark").display().to_string();
    let executor = stage.connected_executor(node(&[&installed("server-everything"), "stdio", &mark])).await;
    let slow =
        spawn_call(&executor, "s.trigger-long-running-operation", json!({"duration": 60, "steps": 1})).await;
    // Messages arrive in order, so an answer to a later one shows that the slow one is running.
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "a"})).await, "Echo: a");
    let [server] = processes(&mark)[..] else { panic!("one server") };
    kill(Pid::from_raw(server), Signal::SIGKILL).unwrap();
    assert_eq!(slow.await.unwrap(), CallOutcome::Lost { found_by_start: None, lands_by: None });
    assert_eq!(processes(&mark), Vec::<i32>::new());
    // The server had served a call, so it restarts without a wait.
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "b"})).await, "Echo: b");
    assert_eq!(processes(&mark).len(), 1);
}

#[tokio::test]
async fn server_dying_before_first_answer_waits_for_backoff() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("echo", "Says it again."), tool("exit", "Ends.")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    assert_eq!(
        run(&executor, "s.exit", json!({})).await,
        CallOutcome::Lost { found_by_start: None, lands_by: None }
    );
    let soon = run_and_format(&executor, "s.echo", json!({})).await;
    assert_eq!(
        soon,
        "SERVER_UNAVAILABLE (again): the MCP server s cannot be used: it ended, or its connection broke; it can \
         be started again in 1 s"
    );
    let later = executor.run(request_at(1, "s.echo", json!({}))).await;
    assert_eq!(format_outcome(&later), "echo {}");
}

/// Input: executors in the place of one another: with the same entry, with another limit of calls, with another limit of the
/// connection, with none; expected: the process is shared while its entry connects in the same way, the first executor goes on
/// with its own, and the last one has no commands.
#[tokio::test]
async fn replaced_executor_shares_unchanged_servers() {
    let stage = McpServerFixture::new();
    let config = stage.scripted_server_config("2025-11-25");
    let starts = || stage.log().iter().filter(|line| *line == "initialize").count();
    let entries = |config: McpServerConfig| BTreeMap::from([("s".to_owned(), config)]);
    let executor = stage.connected_executor(config.clone()).await;
    assert_eq!(run_and_format(&executor, "s.echo", json!({})).await, "echo {}");

    let same = executor.with_servers(entries(config.clone()), []).unwrap();
    assert_eq!(run_and_format(&same, "s.echo", json!({})).await, "echo {}");
    assert_eq!(starts(), 1, "it is the same server");

    let limited = McpServerConfig { call_timeout_seconds: Some(7), deny: vec!["slow".into()], ..config };
    let calmer = same.with_servers(entries(limited.clone()), []).unwrap();
    assert_eq!(command_names(&calmer), ["s.echo"]);
    assert_eq!(run_and_format(&calmer, "s.echo", json!({})).await, "echo {}");
    assert_eq!(starts(), 1, "no connection depends on that");

    let changed = McpServerConfig { message_max_bytes: Some(1 << 20), ..limited };
    let other = same.with_servers(entries(changed), []).unwrap();
    assert_eq!(run_and_format(&other, "s.echo", json!({})).await, "echo {}");
    assert_eq!(run_and_format(&executor, "s.echo", json!({})).await, "echo {}");
    assert_eq!(starts(), 2, "the changed one has a process of its own");

    let none = other.with_servers(BTreeMap::new(), []).unwrap();
    assert_eq!((command_names(&none), none.unmet_servers()), (Vec::new(), Vec::new()));
}

/// Input: a server that is asked for its tools twice, and one that is not configured; expected: it answers over its connection
/// each time, and is started once.
#[tokio::test]
async fn running_server_is_asked_over_its_connection() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("echo", "Says it again.")]);
    let executor = stage.executor(stage.scripted_server_config("2025-11-25"));
    assert_eq!(executor.ask_for_tools("s", Timestamp(0)).await.unwrap(), 1);
    assert_eq!(command_names(&executor), ["s.echo"]);
    assert_eq!(executor.ask_for_tools("s", Timestamp(0)).await.unwrap(), 1);
    assert_eq!(stage.log().iter().filter(|line| *line == "initialize").count(), 1);
    assert!(executor.ask_for_tools("other", Timestamp(0)).await.is_err());
    executor.close().await;
}

/// Input: a server that was listed for the first time, an executor that is prepared and dropped, and one that takes over;
/// expected: the first one still names the server until another takes over, which then names it once.
#[tokio::test]
async fn prepared_executor_takes_no_first_listing() {
    let stage = McpServerFixture::new();
    let config = stage.scripted_server_config("2025-11-25");
    let entries = || BTreeMap::from([("s".to_owned(), config.clone())]);
    let executor = stage.connected_executor(config.clone()).await;
    drop(executor.with_servers(entries(), []).unwrap());
    let next = executor.with_servers(entries(), []).unwrap();
    assert_eq!(next.take_first_listed(), Vec::<String>::new());
    next.take_over(&executor);
    assert_eq!(executor.take_first_listed(), Vec::<String>::new());
    assert_eq!(next.take_first_listed(), ["s"]);
    assert_eq!(next.take_first_listed(), Vec::<String>::new());
}

/// A shell that starts a grandchild, and then the server.
fn with_grandchild(mark: &str) -> McpServerConfig {
    let script = format!("sleep 1000 # {mark}\n");
    let wrapped = format!("sh -c '{script}:' & node {} stdio {mark}", installed("server-everything"));
    entry(json!({"command": "sh", "args": ["-c", wrapped]}))
}

#[tokio::test]
async fn server_descendants_end_with_it() {
    for politely in [true, false] {
        let stage = McpServerFixture::new();
        let mark = stage.path("mark").display().to_string();
        let executor = stage.connected_executor(with_grandchild(&mark)).await;
        assert!(processes(&mark).len() >= 3, "{:?}", processes(&mark));
        if politely {
            executor.close().await;
        }
        drop(executor);
        eventually(|| processes(&mark).is_empty()).await;
    }
}

#[tokio::test]
async fn failed_start_reports_reason_and_backs_off() {
    let stage = McpServerFixture::new();
    let (starts, broken) = (stage.path("starts"), stage.path("broken"));
    let script = format!(
        "if [ -e {broken:?} ]; then echo started >> {starts:?}; echo 'the key is missing' >&2; exit 1; fi"
    );
    let handshake = HandshakeMode::Initialize;
    let config = McpServerConfig { handshake, ..begun_by_script(&stage, &script) };
    stage.connected_executor(config.clone()).await.close().await;
    std::fs::write(&broken, "").unwrap();
    let executor = stage.executor(config);
    let first = run_and_format(&executor, "s.echo", json!({})).await;
    // Reading or writing may detect the end first.
    assert!(first.starts_with("SERVER_UNAVAILABLE (again): the MCP server s cannot be used: "), "{first}");
    assert!(first.ends_with("it wrote: the key is missing"), "{first}");
    let second = run_and_format(&executor, "s.echo", json!({})).await;
    assert!(second.ends_with("it can be started again in 1 s"), "{second}");
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "started\n");
}

/// The scripted server, which begins with a script of the shell.
fn begun_by_script(stage: &McpServerFixture, script: &str) -> McpServerConfig {
    let server = stage.scripted_server_config("2025-11-25");
    let whole = format!("{script}\nexec node {:?}", server.args[0]);
    McpServerConfig { command: Some("sh".into()), args: vec!["-c".into(), whole], ..server }
}

#[tokio::test]
async fn slow_first_start_succeeds() {
    let stage = McpServerFixture::new();
    let starts = stage.path("starts");
    // Longer than half of the limit: a second start would begin anew, and come too late.
    let slow = begun_by_script(&stage, &format!("echo started >> {starts:?}; sleep 3"));
    let executor = stage.executor(McpServerConfig { start_timeout_seconds: Some(5), ..slow });
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
    assert_eq!(run_and_format(&executor, "s.echo", json!({})).await, "echo {}");
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "started\n");
}

#[tokio::test]
async fn servers_start_side_by_side() {
    let stage = McpServerFixture::new();
    // Each waits for the other one to begin.
    let server = |own: &str, other: &str| {
        let (own, other) = (stage.path(own), stage.path(other));
        begun_by_script(&stage, &format!("touch {own:?}; while [ ! -e {other:?} ]; do sleep 0.05; done"))
    };
    let entries = [("a", server("one", "two")), ("b", server("two", "one"))];
    let executor = stage.executor_of(entries.map(|(name, config)| (name.to_owned(), config)).into());
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
}

#[tokio::test]
async fn failed_server_is_left_alone_for_a_while() {
    let stage = McpServerFixture::new();
    let starts = stage.path("starts");
    let script = format!("echo started >> {starts:?}; exit 1");
    let executor =
        stage.executor(entry(json!({"command": "sh", "args": ["-c", script], "handshake": "initialize"})));
    for (second, expected) in [(0, "started\n"), (0, "started\n"), (1, "started\nstarted\n")] {
        assert_eq!(executor.connect_unmet(Timestamp(second * 1_000_000)).await.len(), 1);
        assert_eq!(std::fs::read_to_string(&starts).unwrap(), expected, "{second}");
    }
}

#[tokio::test]
async fn mcp_server_cwd_is_not_config_folder() {
    let stage = McpServerFixture::new();
    let mut config = stage.scripted_server_config("2025-11-25");
    let seen = stage.path("seen");
    let start = format!("pwd >> {}; ls >> {0}; touch state; exec node {}", seen.display(), config.args[0]);
    config.command = Some("sh".to_owned());
    config.args = vec!["-c".to_owned(), start];
    config.file_folder = Some(stage.path("").display().to_string());
    let own = stage.path("servers/s").canonicalize().unwrap_or_else(|_| stage.path("servers/s"));
    for _ in 0..2 {
        stage.connected_executor(config.clone()).await.close().await;
        stage.executor(config.clone()).connect_all().await;
    }
    let seen = std::fs::read_to_string(seen).unwrap();
    let mut lines = seen.lines();
    assert_eq!(lines.next(), Some(own.to_str().unwrap()), "a folder of its own");
    assert_eq!(lines.next(), Some(own.to_str().unwrap()), "which was empty");
    assert_eq!(lines.next(), Some("state"), "and survives");
}

#[tokio::test]
async fn relative_argument_beside_configuration_names_cwd() {
    let stage = McpServerFixture::new();
    let mut config = stage.scripted_server_config("2025-11-25");
    std::fs::write(stage.path("server.mjs"), "").unwrap();
    config.file_folder = Some(stage.path("").display().to_string());
    for argument in ["server.mjs", "--script=server.mjs"] {
        config.args = vec![argument.to_owned()];
        let failed = stage.executor(config.clone()).connect_unmet(Timestamp(0)).await;
        let message = failed[0].message(english());
        assert!(
            message.contains(&format!("“{argument}” is in")) && message.contains("set cwd = "),
            "{message}"
        );
    }
    config.cwd = config.file_folder.clone();
    config.args = vec!["server.mjs".to_owned()];
    let failed = stage.executor(config).connect_unmet(Timestamp(0)).await;
    assert!(!failed[0].message(english()).contains("set cwd"), "it was started there: {failed:?}");
}

#[tokio::test]
async fn decision_of_person_changes_what_asks() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[
        json!({"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}),
        json!({"name": "write", "inputSchema": {"type": "object"}}),
    ]);
    let config = stage.scripted_server_config("2025-11-25");
    let executor = stage.connected_executor(config.clone()).await;
    let asking = |executor: &McpExecutor| -> Vec<String> {
        let specs = executor.commands();
        specs.into_iter().filter(|spec| spec.egress || spec.destructive).map(|spec| spec.name).collect()
    };
    assert_eq!(asking(&executor), ["s.read", "s.write"]);
    let met = executor.decide("s", McpToolChoice::Trust, &[]).unwrap().unwrap();
    assert_eq!(met.decided, ["read"], "its read-only tools");
    assert_eq!(asking(&stage.executor(config.clone())), ["s.write"]);
    executor.decide("s", McpToolChoice::Trust, &["w*".to_owned()]).unwrap();
    assert_eq!(asking(&stage.executor(config.clone())), [] as [&str; 0]);
    executor.decide("s", McpToolChoice::Ask, &[]).unwrap();
    assert_eq!(asking(&stage.executor(config.clone())), ["s.read", "s.write"]);
    let written = McpToolConfig { validation: Some(false), ..McpToolConfig::default() };
    let config = McpServerConfig { tools: [("read".to_owned(), written)].into(), ..config };
    let configured = stage.executor(config.clone());
    assert_eq!(asking(&configured), ["s.write"], "the configuration counts");
    let met = configured.decide("s", McpToolChoice::Ask, &["read".to_owned()]).unwrap().unwrap();
    assert_eq!((met.decided, met.configured), (Vec::new(), vec!["read".to_owned()]));
    executor.close().await;
}

/// Input: a tool that a person lets run unasked, and another program under the name of its server; expected: that is a new
/// server, whose tools are unknown until it is listed and then ask again.
#[tokio::test]
async fn decision_counts_for_no_other_program() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("write", "Writes.")]);
    let config = stage.scripted_server_config("2025-11-25");
    let executor = stage.connected_executor(config.clone()).await;
    let asks = |executor: &McpExecutor| {
        executor.commands().into_iter().map(|spec| spec.egress || spec.destructive).collect::<Vec<_>>()
    };
    executor.decide("s", McpToolChoice::Trust, &["write".to_owned()]).unwrap();
    executor.close().await;
    assert_eq!(asks(&stage.executor(config.clone())), [false]);

    let mut other = config.clone();
    other.args.push("--another-program".into());
    let executor = stage.executor(other);
    assert_eq!((executor.unmet_servers(), asks(&executor)), (vec!["s".to_owned()], Vec::new()));
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
    assert_eq!(asks(&executor), [true]);
    executor.close().await;
    assert_eq!(stage.executor(config).unmet_servers(), ["s"], "nothing is left of the former one");
}

/// Input: a server with a read-only tool, a quiet action and an asking one, trusted as a whole, then kept; expected: every
/// tool is decided as it was shown, and the open approvals of its queries stay valid.
#[tokio::test]
async fn one_decision_settles_all_tools_of_server() {
    let stage = McpServerFixture::new();
    let quiet = json!({"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false});
    stage.set_server_tools(&[
        json!({"name": "note", "inputSchema": {"type": "object"}, "annotations": quiet}),
        json!({"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}),
        json!({"name": "write", "inputSchema": {"type": "object"}}),
    ]);
    let config = stage.scripted_server_config("2025-11-25");
    let executor = stage.connected_executor(config.clone()).await;
    let texts = english();
    let undecided = |executor: &McpExecutor| -> Vec<String> {
        let tools = executor.tools(texts).unwrap().into_iter();
        tools.filter(|tool| tool.rule.is_some_and(|rule| rule.is_undecided())).map(|tool| tool.tool).collect()
    };
    let version = |executor: Arc<McpExecutor>, command: &str| {
        let catalog = Catalog::new(&[executor as Arc<dyn CommandExecutor>]).unwrap();
        catalog.find(command).unwrap().version.clone()
    };
    assert_eq!(undecided(&executor), ["note", "read"]);
    let before = version(executor.clone(), "s.read");
    let met = executor.decide("s", McpToolChoice::Trust, &[]).unwrap().unwrap();
    assert_eq!(
        (met.decided, met.kept),
        (vec!["read".to_owned()], vec!["note".to_owned(), "write".to_owned()])
    );
    assert_eq!(undecided(&executor), [] as [&str; 0]);
    let asks = |tool: &str| {
        let known = executor.tools(texts).unwrap().into_iter().find(|known| known.tool == tool);
        known.and_then(|known| known.rule).unwrap().asks
    };
    assert_eq!((asks("note"), asks("read"), asks("write")), (false, false, true), "as they were shown");
    assert_eq!(version(executor.clone(), "s.read"), before, "its open approvals stay open");
    let met = executor.decide("s", McpToolChoice::Keep, &[]).unwrap().unwrap();
    assert_eq!((met.decided.len(), asks("read")), (3, false));
    executor.close().await;
}

#[tokio::test]
async fn missing_program_is_named() {
    let stage = McpServerFixture::new();
    let executor = stage.executor(entry(json!({"command": "no-such-program"})));
    let failed = executor.connect_all().await;
    let expected = "the MCP server s cannot be used: the program “no-such-program” was not found in PATH; install it, or \
                    set command to its full path";
    assert_eq!(failed.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
}

#[tokio::test]
async fn unready_server_start_times_out() {
    let stage = McpServerFixture::new();
    let mark = stage.path("mark").display().to_string();
    let script = format!("echo waiting >&2; sleep 1000 # {mark}\n:");
    let config = json!({"command": "sh", "args": ["-c", script], "start_timeout_seconds": 1});
    let executor = stage.executor(entry(config));
    let failed = executor.connect_all().await;
    assert!(
        failed[0].why.to_string().starts_with("it was not ready within 1 s; it wrote: waiting"),
        "{failed:?}"
    );
    eventually(|| processes(&mark).is_empty()).await;
}

#[derive(Clone, Default)]
struct CapturedLogWriter(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for CapturedLogWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn server_standard_error_is_logged() {
    let lines = CapturedLogWriter::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let stage = McpServerFixture::new();
    std::fs::write(stage.path("key"), "sk-secret-2").unwrap();
    let script = "printf 'one \\033[31mred\\n%s\\n' \"$KEY\" >&2; exit 1";
    let config = json!({
        "command": "sh", "args": ["-c", script], "handshake": "initialize",
        "env": {"KEY": {"secret_file": stage.path("key")}},
    });
    stage.executor(entry(config)).connect_all().await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("entracte::mcp: one ⟨U+001B⟩[31mred server=\"s\""), "{text}");
    assert!(text.contains("[secret]") && !text.contains("sk-secret-2"), "{text}");
}

/// A ledger with one finished call of a command.
fn ledger_with(command: &str) -> Arc<dyn LogReader> {
    let row = CallRow {
        id: CallId::new("cal_x_0_0"),
        session: SessionId::new("ses_x"),
        sequence: 0,
        ordinal: 0,
        command: command.to_owned(),
        command_id: Digest::new("d"),
        kind: CommandKind::Action,
        state: LedgerState::Succeeded,
        attempt: 1,
        exchange: 0,
        requested_at: Timestamp(0),
        finished_at: Some(Timestamp(0)),
        result_seq: None,
        body: Vec::new(),
    };
    let mut log = MockLogReader::new();
    log.expect_calls().times(1).returning(move |_, _| Ok(vec![row.clone()]));
    Arc::new(log)
}

/// Input: a session that called the server, or only another one, in an earlier process; expected: the first result of the
/// new process says that the server began anew, also where it is a failure, and no later one.
#[tokio::test]
async fn model_is_told_that_server_began_anew() {
    const NOTE: &str = "Note by Entracte: the server s was started anew before this call.";
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("echo", "Says it again."), tool("fail", "Fails.")]);
    stage.connected_executor(stage.scripted_server_config("2025-11-25")).await.close().await;
    for (earlier, command, first, second) in [
        ("s.echo", "s.echo", "echo {\"code\":1}", "echo {\"code\":1}"),
        ("s.other", "s.fail", "EXECUTOR_ERROR: no", "EXECUTOR_ERROR: no"),
        ("server.echo", "s.echo", "", "echo {\"code\":1}"),
    ] {
        let entries = [("s".to_owned(), stage.scripted_server_config("2025-11-25"))].into();
        let executor = stage.executor_with_log(entries, Some(ledger_with(earlier)));
        let told = run_and_format(&executor, command, json!({"code": 1})).await;
        assert_eq!(told.contains(NOTE), !first.is_empty(), "{told}");
        assert!(told.ends_with(first.trim_start_matches("EXECUTOR_ERROR: ")), "{told}");
        assert_eq!(run_and_format(&executor, command, json!({"code": 1})).await, second);
    }
}

/// Input: a long operation of the reference server, which says how far it is; expected: the caller is told, each step
/// once.
#[tokio::test]
async fn progress_of_reference_server_is_reported() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(node(&[&installed("server-everything"), "stdio"])).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = told.clone();
    let progress = CallProgressSink::new(move |now| kept.lock().unwrap().push(now.percent));
    let arguments = json!({"duration": 0.2, "steps": 4});
    let call = request_at(0, "s.trigger-long-running-operation", arguments);
    let outcome = executor.run(CallRequest { progress, ..call }).await;
    assert!(format_outcome(&outcome).starts_with("Long running operation completed"), "{outcome:?}");
    assert_eq!(*told.lock().unwrap(), [25, 50, 75, 100].map(Some));
}
