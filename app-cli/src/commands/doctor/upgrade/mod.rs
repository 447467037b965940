//! `doctor --upgrade`: what another program, or another configuration, would change for the open sessions. Each of
//! the two reads its own copy of the database, which is removed afterwards; nothing is written, upgraded, owned or
//! started.

mod candidate;
mod compare;
mod view;

use std::path::{Path, PathBuf};

use entracte_adapters_db::Database;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

pub(crate) use self::view::print as print_view;

use self::candidate::UpgradeCandidate;
use self::compare::{UpgradeChange, compare};
use self::view::{COPY, UpgradeView, view};
use crate::args::UpgradeArgs;
use crate::command_context::CommandContext;
use crate::config::expect_database;
use crate::error::{CliError, CliExitCode, chain};
use crate::render::text::one_line;
use crate::secrets::places;
use crate::tools::PINS;
use crate::user_text::message;

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
    let (now, texts) = view(&context.settings, &here).await?;
    let then = other.view(&there, args).await?;
    let changes = compare(&now, &then);
    report(context, &other.shown(), &now, &changes, texts)?;
    Ok(if changes.is_empty() { CliExitCode::Done } else { CliExitCode::Failure })
}

fn failed(error: &dyn std::error::Error) -> CliError {
    CliError::new(CliExitCode::Failure, message!("upgrade-copy-failed", why = chain(error)))
}

/// Creates two copies of the database, each in its own folder with the accepted MCP tools.
async fn copies(context: &CommandContext, here: &Path, there: &Path) -> Result<(), CliError> {
    let location = context.settings.database.location(&*places())?;
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

fn report(
    context: &CommandContext,
    other: &str,
    now: &UpgradeView,
    changes: &[UpgradeChange],
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    if context.out.json {
        let changes: Vec<_> = changes.iter().map(|change| change.object(texts)).collect();
        return context.out.write_json_line(&json!({
            "schema": "entracte.upgrade/1",
            "other": other,
            "sessions": now.sessions.len(),
            "changes": changes,
        }));
    }
    for change in changes {
        let place = change.session.as_deref().unwrap_or("-");
        context.out.write_data_line(&one_line(&format!("{place}  {}", change.says(texts))))?;
    }
    let key = if changes.is_empty() { "upgrade-none" } else { "upgrade-some" };
    let (sessions, count) = (now.sessions.len(), changes.len());
    context.out.write_notice(&one_line(&say!(texts, key, sessions = sessions, count = count, other = other)));
    Ok(())
}

/// The path as displayed.
fn shown(path: &Path) -> String {
    PathBuf::from(path).display().to_string()
}
