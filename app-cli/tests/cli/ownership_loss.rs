//! Servers that lose the ownership of their database: the connection of the lock is cut, the lock file is removed, the
//! database server fails over, the process is frozen. Their reports meanwhile, and how they recover or end.

use std::path::PathBuf;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::OwnerDescription;
use entracte_domain::time::Timestamp;
use entracte_tests::postgres::{StolenAdvisoryLock, TestDatabase};
use entracte_tests::postgres_proxy::PostgresFaultProxy;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, CliProcess, command_output};
use crate::server::{ServeServerProcess, end, send_request, serve, token};

/// How often a server is polled before a test fails.
const LOOKS: u32 = 200_000;

/// Every message is answered.
const TALKS: &str = "[[turn]]\ntext = \"Done.\"\n[[turn]]\ntext = \"Done again.\"\n";

/// Every run completes immediately.
const RUNS: &str = "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n";

/// A folder on one of the databases.
struct OwnershipFixture {
    stage: CliFixture,
    place: OwnedDatabaseLocation,
}

enum OwnedDatabaseLocation {
    File(PathBuf),
    Server(TestDatabase),
}

/// The database owned by another process.
enum CompetingDatabaseOwner {
    File(Database, u64),
    Server { _taken: StolenAdvisoryLock },
}

impl Drop for CompetingDatabaseOwner {
    fn drop(&mut self) {
        if let CompetingDatabaseOwner::File(database, epoch) = self {
            database.ownership().release(*epoch);
        }
    }
}

impl OwnershipFixture {
    fn configured(place: OwnedDatabaseLocation, url: &str, more: &str) -> Self {
        let stage = CliFixture::with_config(&format!(
            "[database]\n{url}ownership_check = \"50ms\"\n{more}\n\
             [limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n\
             [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n"
        ))
        .on_a_file();
        stage.write("story.toml", TALKS);
        Self { stage, place }
    }

    fn on_a_file(more: &str) -> Self {
        let ground = Self::configured(OwnedDatabaseLocation::File(PathBuf::new()), "", more);
        let file = ground.stage.folder.path().join("data/entracte.db");
        Self { place: OwnedDatabaseLocation::File(file), ..ground }
    }

    fn on_a_server(more: &str) -> Option<Self> {
        let made = TestDatabase::make()?;
        let url = made.url();
        let ground = Self::configured(OwnedDatabaseLocation::Server(made), "url_file = \"url\"\n", more);
        ground.stage.write("url", &url);
        Some(ground)
    }

    /// On each available database.
    fn on_each_database(more: &str) -> Vec<Self> {
        let mut all = vec![Self::on_a_file(more)];
        all.extend(Self::on_a_server(more));
        all
    }

    /// Another process acquires the database with an epoch of its own, like a command that was waiting for it.
    fn take_ownership(&self) -> CompetingDatabaseOwner {
        match &self.place {
            OwnedDatabaseLocation::File(file) => {
                let lock = format!("{}.lock", file.display());
                let options = DatabaseOptions::default();
                let database = Database::open(file.to_str().unwrap(), options).unwrap();
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                // The server recreates the file if it checks earlier.
                for _ in 0..LOOKS {
                    let _ = std::fs::remove_file(&lock);
                    let kind = OwnerDescription { kind: "chat".into(), ..OwnerDescription::default() };
                    let taken = runtime.block_on(database.ownership_as(kind).acquire(Timestamp(1)));
                    if let Ok(epoch) = taken {
                        return CompetingDatabaseOwner::File(database, epoch);
                    }
                }
                panic!("the lock is not free")
            }
            OwnedDatabaseLocation::Server(made) => {
                let taken = made.take_lock();
                made.run(
                    "UPDATE owner SET epoch = epoch + 1, holder = 'process 1', kind = 'chat', pid = 1,
                     host = NULL, url = NULL, wanted_by = NULL",
                );
                CompetingDatabaseOwner::Server { _taken: taken }
            }
        }
    }

    /// The lock of a frozen server is lost.
    fn lose_lock(&self) {
        match &self.place {
            OwnedDatabaseLocation::File(file) => {
                std::fs::remove_file(format!("{}.lock", file.display())).unwrap()
            }
            OwnedDatabaseLocation::Server(made) => drop(made.take_lock()),
        }
    }

    /// Number of runs of the automation that ended.
    fn runs(&self) -> usize {
        let history = self.stage.run(&["--json", "automation", "history", "Often"]).expect(0).json();
        let occurrences = history["occurrences"].as_array().unwrap();
        let instants: std::collections::BTreeSet<String> =
            occurrences.iter().map(|one| one["at"].to_string()).collect();
        assert_eq!(instants.len(), occurrences.len(), "no instant is decided twice: {history}");
        occurrences.len()
    }

    fn until_runs(&self, least: usize) {
        for _ in 0..LOOKS {
            if self.runs() >= least {
                return;
            }
        }
        panic!("no run comes")
    }
}

/// Status and code of `/readyz`.
fn ready(served: &ServeServerProcess) -> (u16, Value) {
    let (status, body) = send_request(served, "GET", "/readyz", "", "", &Value::Null);
    (status, body["code"].clone())
}

fn until_ready(served: &ServeServerProcess, wanted: u16) -> Value {
    for _ in 0..LOOKS {
        let (status, code) = ready(served);
        if status == wanted {
            return code;
        }
    }
    panic!("/readyz never says {wanted}")
}

fn signal(running: &CliProcess, signal: Signal) {
    kill(Pid::from_raw(running.child.id().try_into().unwrap()), signal).unwrap();
}

/// Input: a server whose lock is taken by another process and released again; expected: `/readyz` says so, and once it
/// is ready the server's runtime works: a command beside it is answered.
fn check_ownership_regained(ground: &OwnershipFixture) {
    let mut served = serve(&ground.stage);
    assert_eq!(ready(&served).0, 200);
    let held = ground.take_ownership();
    assert_eq!(until_ready(&served, 503), "not-taken");
    drop(held);
    until_ready(&served, 200);
    assert_eq!(ground.stage.run(&["chat", "--message", "Hi"]).expect(0).out, "Done.\n");
    assert_eq!(end(&mut served), 0);
    ground.stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a database with two addresses whose first one disappears with all connections; expected: the server continues
/// over the second one by itself.
fn check_failover(ground: &OwnershipFixture) {
    let OwnedDatabaseLocation::Server(made) = &ground.place else { return };
    let [first, second] = [PostgresFaultProxy::to(made), PostgresFaultProxy::to(made)];
    let port = |proxy: &PostgresFaultProxy| {
        let address = proxy.url().split_once('@').unwrap().1.split_once('/').unwrap();
        (address.0.to_owned(), address.1.to_owned())
    };
    let ((one, name), (two, _)) = (port(&first), port(&second));
    ground
        .stage
        .write("url", &format!("postgres://entracte@{one},{two}/{name}?target_session_attrs=read-write"));
    let mut served = serve(&ground.stage);
    assert_eq!(ready(&served).0, 200);
    first.close();
    made.close_all_connections();
    until_ready(&served, 200);
    assert_eq!(ground.stage.run(&["chat", "--message", "Hi"]).expect(0).out, "Done.\n");
    assert_eq!(end(&mut served), 0);
    assert!(second.asked() > 0);
    ground.stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn readiness_follows_the_runtime() {
    for ground in OwnershipFixture::on_each_database("") {
        check_ownership_regained(&ground);
        check_failover(&ground);
    }
}

/// Input: a server, then a watch, with an automation that is due every second, whose database is taken for a while;
/// expected: once it is free the automation runs again, in the same process, and no instant is decided twice.
#[test]
fn server_reacquires_ownership() {
    for ground in OwnershipFixture::on_each_database("") {
        let stage = &ground.stage;
        stage.write("story.toml", RUNS);
        stage.run(&["automation", "create", "Often", "--message", "Look", "--every", "1s"]).expect(0);
        let mut served = serve(stage);
        ground.until_runs(1);
        let held = ground.take_ownership();
        until_ready(&served, 503);
        let before = ground.runs();
        drop(held);
        ground.until_runs(before + 2);
        assert_eq!(ready(&served).0, 200);
        assert_eq!(end(&mut served), 0);

        let watch = stage.begin(&["automation", "watch"]);
        watch.line_with("ended: COMPLETED");
        let held = ground.take_ownership();
        watch.line_with("another process took the database");
        let before = ground.runs();
        drop(held);
        watch.line_with("the automations run here again");
        ground.until_runs(before + 1);
        drop(watch);
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
}

/// Input: a chat that waits beside a server that is frozen while its lock is lost; expected: the chat takes over,
/// releases the database when the server returns, and continues through it.
#[test]
fn waiting_command_yields_to_returning_server() {
    for ground in OwnershipFixture::on_each_database("[runtime]\ntakeover_wait = \"200ms\"") {
        let stage = &ground.stage;
        let mut served = serve(stage);
        let mut chat = stage.begin(&["chat"]);
        chat.line_with("session ses_");
        signal(&served.running, Signal::SIGSTOP);
        ground.lose_lock();
        chat.type_line("Hello");
        chat.line_with("Done.");
        let holder = || stage.run(&["doctor"]).out;
        let chats = format!("chat, process {}", chat.child.id());
        assert!(holder().contains(&chats), "the chat took over: {}", holder());

        signal(&served.running, Signal::SIGCONT);
        served.running.line_with("this process owns the database again");
        until_ready(&served, 200);
        let serves = format!("serve, process {}", served.running.child.id());
        assert!(holder().contains(&serves), "the server has it again: {}", holder());
        chat.type_line("And now?");
        chat.line_with("Done again.");
        assert_eq!(chat.close_stdin_and_wait(), 0);
        assert_eq!(end(&mut served), 0);
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
}

/// Input: a chat that waits beside a server that is killed and restarted, and would take over only after an hour;
/// expected: the new server finds the database free, and need not request it.
#[test]
fn restarted_server_finds_its_database_free() {
    for ground in OwnershipFixture::on_each_database("[runtime]\ntakeover_wait = \"1h\"") {
        let stage = &ground.stage;
        let mut served = serve(stage);
        let mut chat = stage.begin(&["chat"]);
        chat.line_with("session ses_");
        served.running.child.kill().unwrap();
        served.running.child.wait().unwrap();
        chat.type_line("Hello");
        let mut again = serve(stage);
        chat.line_with("Done.");
        let holder = stage.run(&["doctor"]).out;
        assert!(holder.contains(&format!("serve, process {}", again.running.child.id())), "{holder}");
        assert_eq!(chat.close_stdin_and_wait(), 0);
        assert_eq!(end(&mut again), 0);
    }
}

/// Input: a server that is frozen, and another server that takes over; expected: the first one resumes, cannot acquire
/// the database within the configured time, ends with 75, and names the owning process.
#[test]
fn frozen_server_exits_after_takeover() {
    for ground in OwnershipFixture::on_each_database("[runtime]\nreclaim = \"300ms\"") {
        let stage = &ground.stage;
        let mut frozen = serve(stage);
        signal(&frozen.running, Signal::SIGSTOP);
        ground.lose_lock();
        let mut second = serve(stage);
        signal(&frozen.running, Signal::SIGCONT);
        let holder = format!("the last owner is serve, process {}", second.running.child.id());
        frozen.running.line_with(&holder);
        assert_eq!(frozen.running.child.wait().unwrap().code(), Some(75));
        assert_eq!(ready(&second).0, 200);
        assert_eq!(end(&mut second), 0);
    }
}

/// Input: a COMMIT that the database server holds; expected: a warning in the log, 503 of `/readyz` from the first
/// request on, and 200 once the COMMIT has completed.
#[test]
fn hung_commit_warns_and_readyz_answers() {
    let more = "commit_warning = \"200ms\"\n[server]\nready_timeout = \"300ms\"";
    let Some(ground) = OwnershipFixture::on_a_server(more) else { return };
    let OwnedDatabaseLocation::Server(made) = &ground.place else { return };
    let (_, ann) = token(&ground.stage, &["--person", "ann", "--scope", "read,chat"]);
    let mut served = serve(&ground.stage);
    // It has little time for each answer, and may miss it.
    until_ready(&served, 200);
    made.run(
        "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
         CREATE CONSTRAINT TRIGGER held AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION hold()",
    );
    let address = served.address.clone();
    let asks = std::thread::spawn(move || {
        let path = "/v1/workspaces/local:main/sessions";
        crate::server::post(&address, path, &ann, &json!({}))
    });
    served.running.line_with("a COMMIT has not come back");
    assert_eq!(ready(&served), (503, json!("database-unavailable")));
    for _ in 0..LOOKS {
        if made.close_sleeping_connections() {
            break;
        }
    }
    made.run("DROP TRIGGER held ON log");
    let (status, told) = asks.join().unwrap();
    assert!(status == 503 || status == 201, "whoever asked is told: {status} {told}");
    until_ready(&served, 200);
    assert_eq!(end(&mut served), 0);
    ground.stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: two servers that share a database, of which one is killed; expected: both answer for one workspace, a command
/// beside them is answered, and after the lease the other one goes on alone.
#[test]
fn servers_share_a_database() {
    let more = "[runtime]\nshares_database = true\nlease = \"1s\"\nlease_margin = \"200ms\"";
    let Some(ground) = OwnershipFixture::on_a_server(more) else { return };
    let stage = &ground.stage;
    let (mut killed, mut left) = (serve(stage), serve(stage));
    let (_, ann) = token(stage, &["--person", "ann", "--scope", "read,chat"]);
    let create = |served: &ServeServerProcess| {
        let path = "/v1/workspaces/local:main/sessions";
        crate::server::post(&served.address, path, &ann, &json!({})).0
    };
    for served in [&killed, &left] {
        assert_eq!((ready(served).0, create(served)), (200, 201));
    }
    assert_eq!(stage.run(&["chat", "--message", "Hi"]).expect(0).out, "Done.\n");
    let told = stage.run(&["doctor"]).out;
    assert!(told.contains("servers share the database") && told.contains(&left.address), "{told}");

    killed.running.child.kill().unwrap();
    killed.running.child.wait().unwrap();
    assert_eq!(create(&left), 201, "its request waits for the lease");
    assert_eq!(stage.run(&["chat", "--message", "Hi"]).expect(0).out, "Done.\n");
    assert_eq!(end(&mut left), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a server that owns its database, beside one that shares it, and a database in a file that is to be shared;
/// expected: the first is refused, and so is the second.
#[test]
fn only_servers_that_share_work_together() {
    let Some(ground) = OwnershipFixture::on_a_server("[runtime]\nshares_database = true") else { return };
    let stage = &ground.stage;
    let mut sharing = serve(stage);
    let mut alone = stage.command(&["serve", "--bind", "127.0.0.1:0"]);
    let alone =
        command_output(alone.env("ENTRACTE_RUNTIME_SHARES_DATABASE", "false").output().unwrap()).expect(6);
    assert!(alone.err.contains("another process owns the database"), "{}", alone.err);
    assert_eq!(end(&mut sharing), 0);

    let ground = OwnershipFixture::on_a_file("[runtime]\nshares_database = true");
    let refused = ground.stage.run(&["serve", "--bind", "127.0.0.1:0"]).expect(2);
    assert!(refused.err.contains("runtime.shares_database"), "{}", refused.err);
}
