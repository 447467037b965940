//! The process that watches: it shows what was committed, gives leave from outside, kills, and starts again.

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use entracte_application::runtime::{House, RemotePostbox};
use entracte_application::use_cases::{AnswerApprovals, Approval, Choice, FollowTurn, ShowSession, Waiting};
use entracte_domain::time::Millis;

use super::checks::{self, Check, notes};
use super::house::{Files, house, session, workspace};
use super::story::MESSAGE;
use crate::error::{CliError, Exit};
use crate::output::Output;
use crate::render::entry::Lines;
use crate::render::{approval, colour};

/// How long the demo waits for its own processes.
const PATIENCE: Millis = Millis::seconds(60);

/// Plays the story. With `auto` leave is given by itself.
pub(crate) async fn run(out: &Output, auto: bool) -> Result<Exit, CliError> {
    let folder = tempfile::tempdir()
        .map_err(|error| CliError::new(Exit::Failure, format!("no temporary folder can be made: {error}")))?;
    let files = Files::in_folder(folder.path());
    let database = files.open()?;
    let stage = Show::new(out, house(&files, &database, false)?);
    stage.title("A chat reads, asks leave, acts, is killed, and goes on. No key, no network.")?;
    stage.title(&format!("you: {MESSAGE}"))?;

    let first = Process::start(&files, true)?;
    let open = stage.until_leave_is_asked().await?;
    let yes = stage.ask(&open, auto)?;
    let ends = if yes {
        stage.with_leave(&files, first).await?
    } else {
        stage.refuse().await?;
        stage.until_rest().await?;
        drop(first);
        checks::after_refusal(&stage.house, &files).await?
    };
    stage.conclude(&ends)
}

/// What is shown, and how far.
struct Show<'a> {
    out: &'a Output,
    house: Arc<House>,
    follow: FollowTurn,
    lines: Lines,
    seen: std::sync::atomic::AtomicU64,
}

impl<'a> Show<'a> {
    fn new(out: &'a Output, house: Arc<House>) -> Self {
        let follow = FollowTurn::new(
            house.store.clone(),
            house.log.clone(),
            house.rows.clone(),
            house.catalog.clone(),
            house.clock.clone(),
        );
        Self {
            out,
            house,
            follow,
            lines: Lines { style: out.style, zone: jiff::tz::TimeZone::UTC },
            seen: Default::default(),
        }
    }

    fn title(&self, text: &str) -> Result<(), CliError> {
        self.out.data(&format!("\n{}", colour::paint(&format!("── {text}"), "1", self.out.style.colour)))
    }

    /// Leave was given: kill the process in the worst moment, start another, check.
    async fn with_leave(&self, files: &Files, first: Process) -> Result<Vec<Check>, CliError> {
        self.title("leave is given by another process; the outside action begins …")?;
        self.approve().await?;
        self.until(|| notes(files) == 1, "the outside action").await?;
        self.show_new().await?;
        let status = first.kill()?;
        self.title(&format!(
            "kill -9: the effect has happened, and nobody has written that down ({status})"
        ))?;
        let view =
            ShowSession::new(self.house.store.clone()).run(&session()).await.map_err(CliError::from)?;
        let found = view.phase.label().word();
        self.title("a new process finds the session where it stood")?;
        let second = Process::start(files, false)?;
        self.until_rest().await?;
        second.wait()?;
        let mut checks = checks::after_leave(&self.house, files, found).await?;
        checks.insert(
            0,
            Check { says: format!("the process was killed ({status})"), holds: was_killed(status) },
        );
        Ok(checks)
    }

    /// Shows the entries that came since the last look.
    async fn show_new(&self) -> Result<bool, CliError> {
        use std::sync::atomic::Ordering;
        let watched = match self.follow.look(&session(), self.seen.load(Ordering::SeqCst)).await {
            Ok(watched) => watched,
            // The process that makes the session has not begun yet.
            Err(entracte_application::use_cases::UseCaseError::NotFound(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.seen.store(watched.last, Ordering::SeqCst);
        for entry in &watched.entries {
            self.out.data(&self.lines.draw(entry))?;
        }
        Ok(watched.rests)
    }

    async fn until_rest(&self) -> Result<(), CliError> {
        for _ in 0..looks() {
            if self.show_new().await? {
                return Ok(());
            }
            self.follow.pause().await;
        }
        Err(too_slow("the session"))
    }

    async fn until_leave_is_asked(&self) -> Result<Vec<Approval>, CliError> {
        for _ in 0..looks() {
            if self.show_new().await?
                && let Some(Waiting::Validation(open)) =
                    self.follow.view(&session(), 0).await.map_err(CliError::from)?.waiting
            {
                return Ok(open);
            }
            self.follow.pause().await;
        }
        Err(too_slow("the question for leave"))
    }

    async fn until(&self, holds: impl Fn() -> bool, what: &str) -> Result<(), CliError> {
        for _ in 0..looks() {
            if holds() {
                return Ok(());
            }
            self.follow.pause().await;
        }
        Err(too_slow(what))
    }

    /// Shows the cards and takes the answer.
    fn ask(&self, open: &[Approval], auto: bool) -> Result<bool, CliError> {
        for item in open {
            let card = approval::card(item, self.out.style.colour, &self.lines.zone);
            self.out.data(&card)?;
        }
        if auto {
            self.out.data("Give leave to both? [y/n] y (--auto)")?;
            return Ok(true);
        }
        self.out.piece("Give leave to both? [y/n] ")?;
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        read.map_err(|error| CliError::new(Exit::Failure, format!("the answer cannot be read: {error}")))?;
        Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    async fn approve(&self) -> Result<(), CliError> {
        self.decide(Choice::Approve).await
    }

    async fn refuse(&self) -> Result<(), CliError> {
        self.decide(Choice::Reject(Some("not today".into()))).await
    }

    /// The decision goes through the database to the process that owns it.
    async fn decide(&self, choice: Choice) -> Result<(), CliError> {
        let postbox = RemotePostbox::new(self.house.mailbox.clone(), self.house.clock.clone());
        let decide = AnswerApprovals::new(Arc::new(postbox), self.house.store.clone());
        decide.run_for_all(&workspace(), &session(), "you".into(), &choice).await.map_err(CliError::from)?;
        Ok(())
    }

    fn conclude(&self, checks: &[Check]) -> Result<Exit, CliError> {
        self.title("what is true now")?;
        for check in checks {
            let (mark, paint) = if check.holds { ("ok  ", "32") } else { ("FAIL", "31;1") };
            let mark = colour::paint(mark, paint, self.out.style.colour);
            self.out.data(&format!("{mark} {}", check.says))?;
        }
        Ok(if checks.iter().all(|check| check.holds) { Exit::Done } else { Exit::Failure })
    }
}

fn looks() -> i64 {
    PATIENCE.0 / 25
}

fn too_slow(what: &str) -> CliError {
    CliError::new(Exit::TimedOut, format!("{what} did not come within {} s", PATIENCE.0 / 1000))
}

/// A process of the story; killed when it is dropped.
struct Process {
    child: Child,
}

impl Process {
    fn start(files: &Files, hang: bool) -> Result<Self, CliError> {
        let failed = |error: std::io::Error| {
            CliError::new(Exit::Failure, format!("a process of the demo cannot be started: {error}"))
        };
        let program = std::env::current_exe().map_err(failed)?;
        let folder: &Path = files.folder();
        let mut command = Command::new(program);
        command.arg("demo-child").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
        if hang {
            command.arg("--hang");
        }
        Ok(Self { child: command.spawn().map_err(failed)? })
    }

    /// SIGKILL: nothing is flushed, nothing is tidied up.
    fn kill(mut self) -> Result<ExitStatus, CliError> {
        let failed = |error: std::io::Error| {
            CliError::new(Exit::Failure, format!("the process cannot be killed: {error}"))
        };
        self.child.kill().map_err(failed)?;
        self.child.wait().map_err(failed)
    }

    fn wait(mut self) -> Result<(), CliError> {
        let ended = self.child.wait();
        let status = ended.map_err(|error| {
            CliError::new(Exit::Failure, format!("the process cannot be waited for: {error}"))
        })?;
        if status.success() {
            return Ok(());
        }
        Err(CliError::new(Exit::Failure, format!("the process that went on failed ({status})")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(9)
}

#[cfg(not(unix))]
fn was_killed(status: ExitStatus) -> bool {
    !status.success()
}
