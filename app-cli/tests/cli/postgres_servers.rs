//! Postgres behind poolers, in one process, and with replicas: the real programs, which `.ci/world` installs. A part
//! whose variable is not set is skipped with a message.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};

use crate::cli_fixture::{CliCommandOutput, CliFixture};

/// The variables of `.ci/world`: a program, or the folder of programs.
const PGBOUNCER: &str = "ENTRACTE_TEST_PGBOUNCER";
const PGLITE: &str = "ENTRACTE_TEST_PGLITE";
const REPLICATION: &str = "ENTRACTE_TEST_REPLICATION";

#[expect(clippy::print_stderr, reason = "whoever runs the tests is told what was left out")]
fn required_program(name: &str) -> Option<PathBuf> {
    let found = std::env::vars_os().find(|(found, _)| found == name);
    if found.is_none() {
        eprintln!("NOT TESTED: {name} is not set; run .ci/world");
    }
    found.map(|(_, place)| PathBuf::from(place))
}

/// A folder that a server's own user may write to, with a short path because it contains a socket.
fn open_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::Builder::new().prefix("entracte-").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// Whether the owner of this folder is root, under which servers refuse to run.
fn is_root(folder: &Path) -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(folder).unwrap()) == 0
}

/// A server process of a test, and its folder.
pub(crate) struct ExternalServerProcess {
    child: Child,
    /// Removed with it.
    _folder: tempfile::TempDir,
}

impl Drop for ExternalServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ExternalServerProcess {
    /// Starts the server, and waits until it answers at `url`.
    fn start(mut command: Command, folder: tempfile::TempDir, url: &str) -> Self {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Self { child: quiet.spawn().unwrap(), _folder: folder };
        until(|| PgConnection::establish(url).is_ok());
        started
    }
}

/// Polls until the condition holds, as long as a server may take.
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("it did not come about within 30 s");
}

/// PgBouncer in front of the server at `server`, in this mode; its URL for the database of a test.
pub(crate) fn pgbouncer(server: &str, mode: &str, more: &str) -> Option<(ExternalServerProcess, String)> {
    let program = required_program(PGBOUNCER)?;
    let folder = open_folder();
    let path = folder.path().display().to_string();
    let (place, host) = server.split_once("?host=").unwrap();
    let database = place.rsplit('/').next().unwrap();
    let is_root = is_root(folder.path());
    let user = if is_root { "user = postgres\n" } else { "" };
    let settings = format!(
        "[databases]\n* = host={host} user=entracte\n[pgbouncer]\nunix_socket_dir = {path}\nlisten_port = 6432\n\
         auth_type = any\npool_mode = {mode}\n{user}{more}\n"
    );
    let file = folder.path().join("pgbouncer.ini");
    std::fs::write(&file, settings).unwrap();
    let mut command = Command::new(program);
    command.arg("--quiet").arg(&file);
    let url = format!("postgres://entracte@/{database}?host={path}&port=6432");
    Some((ExternalServerProcess::start(command, folder, &url), url))
}

/// PGlite and its server for sockets, with this many connections.
pub(crate) fn pglite(connections: u32) -> Option<(ExternalServerProcess, String)> {
    let installed = required_program(PGLITE)?;
    let folder = open_folder();
    let socket = folder.path().join(".s.PGSQL.5432");
    let mut command = Command::new(crate::files::node());
    command.arg(installed.join("node_modules/@electric-sql/pglite-socket/dist/scripts/server.js"));
    command.arg("--path").arg(&socket).arg("--max-connections").arg(connections.to_string());
    let url = format!("postgres://postgres@/postgres?host={}", folder.path().display());
    Some((ExternalServerProcess::start(command, folder, &url), url))
}

/// A Postgres server of its own, started by the programs of this folder, and its replicas.
pub(crate) struct PostgresCluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
}

/// The servers of a cluster; each has a port of its own in the same folder.
pub(crate) const PRIMARY: u16 = 5432;
pub(crate) const REPLICA: u16 = 5433;

impl PostgresCluster {
    /// A primary and one streaming replica named `paris`.
    pub(crate) fn start() -> Option<Self> {
        let cluster = Self { programs: required_program(REPLICATION)?, folder: open_folder() };
        let data = cluster.data(PRIMARY);
        cluster.program("initdb", &["--pgdata", &data, "--username=entracte", "--auth=trust", "--no-sync"]);
        cluster.control(PRIMARY, "start");
        let socket = cluster.folder.path().display().to_string();
        let source = format!("host={socket} port={PRIMARY} user=entracte application_name=paris");
        let copy = cluster.data(REPLICA);
        cluster.program(
            "pg_basebackup",
            &[
                "--pgdata",
                &copy,
                "--dbname",
                &source,
                "--write-recovery-conf",
                "--wal-method=stream",
                "--no-sync",
            ],
        );
        cluster.control(REPLICA, "start");
        Some(cluster)
    }

    fn data(&self, port: u16) -> String {
        self.folder.path().join(port.to_string()).display().to_string()
    }

    /// Runs `pg_ctl start`, `stop` or `promote`, and waits for it.
    pub(crate) fn control(&self, port: u16, what: &str) {
        let (data, socket) = (self.data(port), self.folder.path().display().to_string());
        let options = format!(
            "-c listen_addresses= -c unix_socket_directories={socket} -c port={port} -c fsync=off -c max_connections=50"
        );
        let log = format!("{data}.log");
        let begin = ["--pgdata", &data, "--wait", "--silent", what];
        match what {
            "start" => {
                self.program("pg_ctl", &[&begin[..], &["--log", &log, "--options", &options]].concat())
            }
            "stop" => self.program("pg_ctl", &[&begin[..], &["--mode", "immediate"]].concat()),
            _ => self.program("pg_ctl", &begin),
        }
    }

    /// A server refuses to run as root.
    fn program(&self, name: &str, arguments: &[&str]) {
        let program = self.programs.join(name);
        let mut command = match is_root(self.folder.path()) {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        // A server that continues must not hold the streams of the test.
        let done = command.args(arguments).current_dir("/tmp").stdin(Stdio::null()).stdout(Stdio::null());
        let status = done.stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{name} {arguments:?}: {status}");
    }

    pub(crate) fn url(&self, port: u16) -> String {
        format!("postgres://entracte@/postgres?host={}&port={port}", self.folder.path().display())
    }

    /// The URL of whichever of the two accepts writes.
    pub(crate) fn url_of_both(&self) -> String {
        let folder = self.folder.path().display();
        format!(
            "postgres://entracte@/postgres?host={folder},{folder}&port={PRIMARY},{REPLICA}&target_session_attrs=read-write"
        )
    }

    pub(crate) fn run(&self, port: u16, sql: &str) {
        let mut conn = PgConnection::establish(&self.url(port)).unwrap();
        conn.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Makes COMMITs of the primary wait for these replicas.
    pub(crate) fn set_synchronous_standbys(&self, replicas: &str) {
        self.run(PRIMARY, &format!("ALTER SYSTEM SET synchronous_standby_names = '{replicas}'"));
        self.run(PRIMARY, "SELECT pg_reload_conf()");
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        for port in [PRIMARY, REPLICA] {
            let data = self.data(port);
            if Path::new(&data).join("postmaster.pid").exists() {
                self.control(port, "stop");
            }
        }
    }
}

/// A fixture whose database is at `url`, with these lines of its table.
pub(crate) fn stage_at(url: &str, database: &str) -> CliFixture {
    let stage = CliFixture::with_config(&format!(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[database]\nurl_file = \"url\"\n{database}"
    ))
    .on_a_file();
    stage.write(
        "story.toml",
        "[[turn]]\ntext = \"Here I am.\"\n[[turn]]\ntext = \"So it is.\"\n[[turn]]\ntext = \"Yes.\"\n",
    );
    stage.write("url", &format!("{url}\n"));
    stage
}

/// A check of `doctor`: its grade, and its message with the remedy.
pub(crate) fn doctor_check(done: &CliCommandOutput, name: &str) -> (String, String) {
    let object = done.json();
    let found = object["checks"].as_array().unwrap().iter().find(|check| check["check"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {object:#}"));
    let text = |member: &str| found[member].as_str().unwrap_or_default().to_owned();
    (text("grade"), format!("{} · {}", text("says"), text("fix")))
}
