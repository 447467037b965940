//! `doctor --upgrade`: what another program, or another configuration, would change for the open sessions. Each of
//! the two reads its own copy of the database, which is removed afterwards; nothing is written, upgraded, owned or
//! started. Views and changes stand in files beside the copies: memory holds one session of each at a time.

mod candidate;
mod compare;
mod spool;
mod view;
mod view_reader;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use entracte_adapters_db::Database;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

pub(crate) use self::view::print as print_view;

use self::candidate::UpgradeCandidate;
use self::compare::{UpgradeChange, catalog_changes, missing_session, session_changes};
use self::spool::{LineSpool, SessionSpool, SessionSpoolWriter};
use self::view::{COPY, UpgradeViewSource};
use crate::args::UpgradeArgs;
use crate::command_context::CommandContext;
use crate::config::{AppSettings, expect_database};
use crate::error::{CliError, CliExitCode, chain};
use crate::render::text::one_line;
use crate::secrets::places;
use crate::tools::PINS;
use crate::user_text::message;

/// The files of a comparison, in the folder of the copies.
const SESSIONS: &str = "sessions.json";
const CHANGES: &str = "changes.txt";

/// Compares the views of this program and the candidate; exit code 1 if something would change.
pub(super) async fn run(
    context: &CommandContext,
    args: &UpgradeArgs,
    other: &Path,
    config: Option<&Path>,
) -> Result<CliExitCode, CliError> {
    let other = UpgradeCandidate::find(other, config)?;
    let folder =
        tempfile::Builder::new().prefix("entracte-upgrade-").tempdir().map_err(|error| failed(&error))?;
    let (here, there) = (folder.path().join("now"), folder.path().join("then"));
    copies(context, &here, &there).await?;
    let OwnView { commands, texts, sessions: mut now } =
        OwnView::read(&context.settings, &here, folder.path().join(SESSIONS)).await?;
    let (sessions, render) = (now.sessions, LineRenderer { json: context.out.json, texts });
    let mut lines = LineSpool::create(&folder.path().join(CHANGES)).map_err(|error| failed(&error))?;
    let mut faulty = BTreeSet::new();
    let then = other.view(&there, args, |then| {
        faulty.extend(then.faults.iter().map(|fault| fault.of.clone()));
        let Some(now) = now.take(&then.id).map_err(|error| failed(&error))? else { return Ok(()) };
        for change in session_changes(&now, &then) {
            lines.push(&render.line(&change)).map_err(|error| failed(&error))?;
        }
        Ok(())
    });
    let then = then.await?;
    for id in now.into_left_ids() {
        lines.push(&render.line(&missing_session(id))).map_err(|error| failed(&error))?;
    }
    let of_catalog = catalog_changes(&commands, &then.commands, &faulty);
    let of_catalog: Vec<String> = of_catalog.iter().map(|change| render.line(change)).collect();
    let report = UpgradeReport { other: other.shown(), sessions, count: of_catalog.len() + lines.lines };
    let kept = lines.read().map_err(|error| failed(&error))?;
    let all = of_catalog.into_iter().map(Ok).chain(kept.map(|line| line.map_err(|error| failed(&error))));
    report.write(context, all, texts)?;
    Ok(if report.count == 0 { CliExitCode::Done } else { CliExitCode::Failure })
}

/// The view of this program.
struct OwnView {
    /// All commands, with the versions of their declarations.
    commands: BTreeMap<String, String>,
    /// The texts of the workspace.
    texts: &'static LocalizedTexts,
    sessions: SessionSpool,
}

impl OwnView {
    /// Reads the view of the copy in `folder`; its sessions go to a file at `path`.
    async fn read(settings: &AppSettings, folder: &Path, path: PathBuf) -> Result<Self, CliError> {
        let view = UpgradeViewSource::open(settings, folder)?;
        let mut writer = SessionSpoolWriter::create(path).map_err(|error| failed(&error))?;
        view.read_sessions(|session| writer.push(&session).map_err(|error| failed(&error))).await?;
        let sessions = writer.finish().map_err(|error| failed(&error))?;
        Ok(Self { commands: view.head().commands, texts: view.texts().await, sessions })
    }
}

/// Renders a change as a line of the report.
#[derive(Clone, Copy)]
struct LineRenderer {
    json: bool,
    texts: &'static LocalizedTexts,
}

impl LineRenderer {
    fn line(&self, change: &UpgradeChange) -> String {
        if self.json {
            return change.object(self.texts).to_string();
        }
        let place = change.session.as_deref().unwrap_or("-");
        one_line(&format!("{place}  {}", change.says(self.texts)))
    }
}

fn failed(error: &dyn std::error::Error) -> CliError {
    CliError::new(CliExitCode::Failure, message!("upgrade-copy-failed", why = chain(error)))
}

/// Creates two copies of the database, each in its own folder with the accepted MCP tools.
async fn copies(context: &CommandContext, here: &Path, there: &Path) -> Result<(), CliError> {
    let location = context.settings.database.location(&*places(&context.settings.parts))?;
    expect_database(&location).map_err(|none| none.or_next("entracte config show --origin"))?;
    let (options, pins) = (context.settings.database_options.clone(), context.settings.data.join(PINS));
    let folders = [here.to_owned(), there.to_owned()];
    let copied = tokio::task::spawn_blocking(move || {
        let [here, there] = folders;
        for folder in [&here, &there] {
            std::fs::create_dir(folder).map_err(|error| failed(&error))?;
            if pins.is_file() {
                std::fs::copy(&pins, folder.join(PINS)).map_err(|error| failed(&error))?;
            }
        }
        Database::snapshot(&location, &options, &here.join(COPY))
            .map_err(|error| CliError::new(CliExitCode::Failure, error.saying()))?;
        std::fs::copy(here.join(COPY), there.join(COPY)).map_err(|error| failed(&error))?;
        Ok(())
    });
    copied.await.map_err(|error| failed(&error))?
}

/// What a report says beside its lines.
struct UpgradeReport {
    /// The program or configuration that was compared.
    other: String,
    /// How many open sessions there are.
    sessions: usize,
    /// How many changes there are.
    count: usize,
}

impl UpgradeReport {
    /// Prints the report with these lines.
    fn write(
        &self,
        context: &CommandContext,
        lines: impl Iterator<Item = Result<String, CliError>>,
        texts: &LocalizedTexts,
    ) -> Result<(), CliError> {
        if context.out.json {
            return self.write_json(context, lines);
        }
        for line in lines {
            context.out.write_data_line(&line?)?;
        }
        let key = if self.count == 0 { "upgrade-none" } else { "upgrade-some" };
        let (sessions, count, other) = (self.sessions, self.count, self.other.as_str());
        context.out.write_notice(&one_line(&say!(
            texts,
            key,
            sessions = sessions,
            count = count,
            other = other
        )));
        Ok(())
    }

    /// Prints one object, change by change.
    fn write_json(
        &self,
        context: &CommandContext,
        lines: impl Iterator<Item = Result<String, CliError>>,
    ) -> Result<(), CliError> {
        let object = json!({
            "schema": "entracte.upgrade/1",
            "other": self.other,
            "sessions": self.sessions,
        });
        let mut text = object.to_string();
        text.pop();
        context.out.write_data_fragment(&format!("{text},\"changes\":["))?;
        for (number, line) in lines.enumerate() {
            let comma = if number == 0 { "" } else { "," };
            context.out.write_data_fragment(&format!("{comma}{}", line?))?;
        }
        context.out.write_data_line("]}")
    }
}

/// The path as displayed.
fn shown(path: &Path) -> String {
    PathBuf::from(path).display().to_string()
}
