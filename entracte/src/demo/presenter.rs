//! The presenter process: shows committed entries, sends the approval, kills the session process, and starts it
//! again.

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use entracte_application::runtime::{RemoteMailSender, RuntimeServices};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalView, DecideApprovals, FollowTurn, PendingDecision, ShowSession,
};
use entracte_domain::time::Millis;
use serde_json::{Value, json};

use super::action_executor::ACTION_TIMEOUT;
use super::checks::{self, DemoCheck, notes};
use super::services::{DemoFiles, services, session, workspace};
use super::story;
use crate::colour;
use crate::error::{CliError, CliExitCode};
use crate::output::TerminalOutput;
use crate::render::approval;
use crate::render::entry::EntryRenderer;
use crate::render::wrap::fitted_to_terminal;
use crate::user_text::message;

/// The time-out for the demo's own processes.
const PATIENCE: Millis = Millis::seconds(60);

/// Plays the story. With `auto` it approves without a prompt.
pub(crate) async fn run(
    out: &TerminalOutput,
    auto: bool,
    texts: &'static LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let folder = tempfile::tempdir().map_err(|error| {
        CliError::new(CliExitCode::Failure, message!("demo-no-folder", why = error.to_string()))
    })?;
    let files = DemoFiles::in_folder(folder.path());
    let database = files.open()?;
    let stage = DemoPresenter::new(out, services(&files, &database, false, texts)?, texts);
    stage.title(&say!(texts, "demo-about"))?;
    stage.title(&say!(texts, "demo-you", message = story::message(texts)))?;

    let first = DemoChildProcess::start(&files, true)?;
    let open = stage.until_approval_is_asked().await?;
    let yes = stage.ask(&open, auto)?;
    let ends = if yes {
        stage.with_approval(&files, first).await?
    } else {
        stage.refuse().await?;
        stage.until_rest().await?;
        drop(first);
        checks::after_rejection(&stage.services, &files, texts).await?
    };
    stage.conclude(&ends)
}

/// The state of the presentation.
struct DemoPresenter<'a> {
    out: &'a TerminalOutput,
    services: Arc<RuntimeServices>,
    follow: FollowTurn,
    lines: EntryRenderer,
    seen: std::sync::atomic::AtomicU64,
}

impl<'a> DemoPresenter<'a> {
    fn new(out: &'a TerminalOutput, services: Arc<RuntimeServices>, texts: &'static LocalizedTexts) -> Self {
        let follow = FollowTurn::new(
            services.store.clone(),
            services.log.clone(),
            services.rows.clone(),
            services.catalog.get(),
            services.clock.clone(),
        );
        Self {
            out,
            services,
            follow,
            lines: EntryRenderer { style: out.style, zone: jiff::tz::TimeZone::UTC, texts },
            seen: Default::default(),
        }
    }

    fn title(&self, text: &str) -> Result<(), CliError> {
        self.print_narration(&format!(
            "\n{}",
            colour::paint(&format!("── {text}"), "1", self.out.style.colour)
        ))
    }

    /// Prints narration, wrapped at the terminal's width.
    fn print_narration(&self, text: &str) -> Result<(), CliError> {
        self.line(&fitted_to_terminal(text, self.out.style.width))
    }

    /// Prints a line of the story. In JSON mode only the results of the checks are data.
    fn line(&self, text: &str) -> Result<(), CliError> {
        if self.out.json {
            self.out.write_notice(text);
            return Ok(());
        }
        self.out.write_data_line(text)
    }

    /// After an approval: kills the process at the worst moment, starts another one, and checks.
    async fn with_approval(
        &self,
        files: &DemoFiles,
        first: DemoChildProcess,
    ) -> Result<Vec<DemoCheck>, CliError> {
        let texts = self.lines.texts;
        self.title(&say!(texts, "demo-approves"))?;
        self.approve().await?;
        self.until(|| notes(files, texts) == 1, "demo-outside").await?;
        self.show_new().await?;
        let status = first.kill()?;
        self.title(&say!(texts, "demo-kill", status = status.to_string()))?;
        let view = ShowSession::new(self.services.store.clone())
            .run(&workspace(), &session())
            .await
            .map_err(CliError::from)?;
        let found = view.phase.label().word();
        self.title(&say!(texts, "demo-resumes"))?;
        let seconds = ACTION_TIMEOUT.0 / 1000;
        self.print_narration(&say!(texts, "demo-waits", seconds = seconds))?;
        let second = DemoChildProcess::start(files, false)?;
        self.until_rest().await?;
        second.wait()?;
        let mut checks = checks::after_approval(&self.services, files, found, texts).await?;
        checks.insert(
            0,
            DemoCheck {
                says: say!(texts, "demo-killed", status = status.to_string()),
                holds: was_killed(status),
            },
        );
        Ok(checks)
    }

    /// Shows new entries.
    async fn show_new(&self) -> Result<bool, CliError> {
        use std::sync::atomic::Ordering;
        let watched =
            match self.follow.read_update(&workspace(), &session(), self.seen.load(Ordering::SeqCst)).await {
                Ok(watched) => watched,
                // The session process has not created the session yet.
                Err(entracte_application::use_cases::UseCaseError::NotFound(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            };
        self.seen.store(watched.last, Ordering::SeqCst);
        for entry in &watched.entries {
            self.line(&self.lines.draw(entry))?;
        }
        Ok(watched.rests)
    }

    async fn until_rest(&self) -> Result<(), CliError> {
        for _ in 0..looks() {
            if self.show_new().await? {
                return Ok(());
            }
            self.follow.wait_for_change().await;
        }
        Err(too_slow("demo-session"))
    }

    async fn until_approval_is_asked(&self) -> Result<Vec<ApprovalView>, CliError> {
        for _ in 0..looks() {
            if self.show_new().await?
                && let Some(PendingDecision::Validation(open)) =
                    self.follow.view(&workspace(), &session(), 0).await.map_err(CliError::from)?.waiting
            {
                return Ok(open);
            }
            self.follow.wait_for_change().await;
        }
        Err(too_slow("demo-approval"))
    }

    async fn until(&self, holds: impl Fn() -> bool, what: &'static str) -> Result<(), CliError> {
        for _ in 0..looks() {
            if holds() {
                return Ok(());
            }
            self.follow.wait_for_change().await;
        }
        Err(too_slow(what))
    }

    /// Shows the cards and reads the decision.
    fn ask(&self, open: &[ApprovalView], auto: bool) -> Result<bool, CliError> {
        for item in open {
            let card =
                approval::card(&item.into(), self.lines.texts, self.out.style.colour, &self.lines.zone).text;
            self.print_narration(&card)?;
        }
        if auto {
            self.line(&say!(self.lines.texts, "demo-ask-auto"))?;
            return Ok(true);
        }
        let asks = say!(self.lines.texts, "demo-ask");
        if self.out.json {
            self.out.write_warning(&asks)
        } else {
            self.out.write_data_fragment(&asks)?
        }
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        read.map_err(|error| {
            CliError::new(CliExitCode::Failure, message!("error-input", why = error.to_string()))
        })?;
        if line.is_empty() {
            // Without a person at the prompt the line must be ended.
            self.line("")?;
        }
        Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui"))
    }

    async fn approve(&self) -> Result<(), CliError> {
        self.decide(ApprovalChoice::Approve).await
    }

    async fn refuse(&self) -> Result<(), CliError> {
        // The prompt asks for no reason.
        self.decide(ApprovalChoice::Reject(None)).await
    }

    /// Sends the decision through the database to the owning process.
    async fn decide(&self, choice: ApprovalChoice) -> Result<(), CliError> {
        let mail_sender =
            RemoteMailSender::new(self.services.mail_store.clone(), self.services.clock.clone());
        let decide = DecideApprovals::new(Arc::new(mail_sender), self.services.store.clone());
        let author = say!(self.lines.texts, "demo-author");
        decide.run_for_all(&workspace(), &session(), author, &choice).await.map_err(CliError::from)?;
        Ok(())
    }

    fn conclude(&self, checks: &[DemoCheck]) -> Result<CliExitCode, CliError> {
        let texts = self.lines.texts;
        self.title(&say!(texts, "demo-checks"))?;
        for check in checks {
            let (mark, paint) = if check.holds { ("demo-holds", "32") } else { ("demo-fails", "31;1") };
            let mark =
                colour::paint(&format!("{:<4}", texts.render(mark, &[])), paint, self.out.style.colour);
            self.print_narration(&format!("{mark} {}", check.says))?;
        }
        let is_well = checks.iter().all(|check| check.holds);
        if self.out.json {
            let check = |check: &DemoCheck| json!({ "says": check.says, "holds": check.holds });
            let checks: Vec<Value> = checks.iter().map(check).collect();
            self.out.write_json_line(
                &json!({ "schema": "entracte.demo/1", "holds": is_well, "checks": checks }),
            )?;
        }
        Ok(if is_well { CliExitCode::Done } else { CliExitCode::Failure })
    }
}

fn looks() -> i64 {
    PATIENCE.0 / 25
}

fn too_slow(what: &'static str) -> CliError {
    let seconds = u64::try_from(PATIENCE.0 / 1000).unwrap_or_default();
    CliError::new(CliExitCode::TimedOut, message!("demo-too-slow", what = message!(what), seconds = seconds))
}

/// A process of the story; killed when it is dropped.
struct DemoChildProcess {
    child: Child,
}

impl DemoChildProcess {
    fn start(files: &DemoFiles, hang: bool) -> Result<Self, CliError> {
        let failed = |error: std::io::Error| {
            CliError::new(CliExitCode::Failure, message!("demo-no-process", why = error.to_string()))
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

    /// Sends SIGKILL: nothing is flushed or cleaned up.
    fn kill(mut self) -> Result<ExitStatus, CliError> {
        let failed = |error: std::io::Error| {
            CliError::new(CliExitCode::Failure, message!("demo-no-kill", why = error.to_string()))
        };
        self.child.kill().map_err(failed)?;
        self.child.wait().map_err(failed)
    }

    fn wait(mut self) -> Result<(), CliError> {
        let ended = self.child.wait();
        let status = ended.map_err(|error| {
            CliError::new(CliExitCode::Failure, message!("demo-no-wait", why = error.to_string()))
        })?;
        if status.success() {
            return Ok(());
        }
        Err(CliError::new(CliExitCode::Failure, message!("demo-second-failed", status = status.to_string())))
    }
}

impl Drop for DemoChildProcess {
    fn drop(&mut self) {
        // The process may have exited already.
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
