//! Exports and imports sessions as files.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use entracte_adapters_http::shapes::session::{EditableShape, SessionPoliciesShape};
use entracte_application::codec::CodecError;
use entracte_application::session_export::session_file_max_bytes;
use entracte_application::settings::FileSettings;
use entracte_application::texts::say;
use entracte_application::use_cases::{
    AddExportFiles, ExportSession, ImportSession, MeasureSession, StoreExportFiles, StoredExport,
    UseCaseError,
};
use entracte_domain::session::EndReason;
use serde_json::json;

use super::go_on;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::render::session_sheet::{copy_of, terms};
use crate::runtime_access::RuntimeAccess;
use crate::user_text::{UserText, message};

/// The options of `session export`.
pub(super) struct ExportOptions<'a> {
    /// The file; standard output if `None`.
    pub(super) output: Option<&'a Path>,
    pub(super) force: bool,
    pub(super) with_agents: bool,
    pub(super) with_files: bool,
}

pub(super) async fn export(
    context: &CommandContext,
    named: &str,
    options: ExportOptions<'_>,
) -> Result<CliExitCode, CliError> {
    let ExportOptions { output, force, with_agents, with_files } = options;
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let document = ExportSession::new(services.store.clone(), services.log.clone());
    let document = match with_agents {
        true => document.run(&workspace, &session).await?,
        false => document.run_alone(&workspace, &session).await?,
    };
    let document = match with_files {
        true => AddExportFiles::new(services.file_store()).run(&workspace, document).await?,
        false => document,
    };
    let unreadable = |fault: CodecError| CliError::new(CliExitCode::Failure, fault.to_string());
    let missing_files = document.missing_files().map_err(unreadable)?.len();
    let text = document.encode().map_err(unreadable)?;
    let Some(path) = output else {
        context.out.write_data_line(&text)?;
        if missing_files > 0 && with_files {
            let texts = context.workspace_texts().await;
            context.out.write_notice(&say!(texts, "session-files-missing", count = missing_files));
        }
        return Ok(CliExitCode::Done);
    };
    let again = format!("entracte session export {session} --output");
    write(path, &text, force).map_err(|error| unwritable(&error, &again, path))?;
    if context.out.json {
        context.out.write_json_line(&json!({
            "schema": "entracte.export/1",
            "session": session.as_str(),
            "file": path.display().to_string(),
            "entries": document.rows.len(),
            "agents": document.agents.len(),
            "files": document.files.len(),
            "missing_files": missing_files,
            "bytes": text.len() + 1,
        }))?;
    } else {
        let texts = context.workspace_texts().await;
        let (file, count) = (path.display().to_string(), document.rows.len());
        let agents = document.agents.len();
        context.out.write_notice(&say!(
            texts,
            "session-exported",
            session = session.as_str(),
            file = file,
            count = count,
            agents = agents
        ));
        if missing_files > 0 {
            context.out.write_notice(&say!(texts, "session-files-missing", count = missing_files));
        }
    }
    Ok(CliExitCode::Done)
}

/// Writes a temporary file and renames it, so that an existing file is never half overwritten.
pub(super) fn write(path: &Path, text: &str, force: bool) -> std::io::Result<()> {
    if !force {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        return fill(&mut file, text).and_then(|()| file.sync_all());
    }
    // A link is preserved, and a device or pipe is written to: neither is replaced by a file.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fill(&mut OpenOptions::new().write(true).open(path)?, text);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    fill(file.as_file_mut(), text)?;
    file.as_file().sync_all()?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

fn fill(file: &mut File, text: &str) -> std::io::Result<()> {
    file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n"))
}

pub(super) fn unwritable(error: &std::io::Error, again: &str, path: &Path) -> CliError {
    let path = path.display();
    match error.kind() {
        ErrorKind::AlreadyExists => CliError::with_next(
            CliExitCode::Conflict,
            message!("file-overwrite", file = path.to_string()),
            format!("{again} {path} --force"),
        ),
        _ => CliError::with_next(
            CliExitCode::Failure,
            message!("cannot-be-written", file = path.to_string(), why = error.to_string()),
            format!("{again} ANOTHER_FILE"),
        ),
    }
}

pub(super) async fn import(
    context: &CommandContext,
    path: &Path,
    as_new: bool,
) -> Result<CliExitCode, CliError> {
    let limits = &context.settings.runtime.files;
    let text = read(path, limits)?;
    let services = context.open_services()?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let import = ImportSession::new(runtime.clone(), services.ids.clone());
    let (workspace, author) = (&context.settings.workspace, context.settings.author.clone());
    let images = services.knowledge.images.clone();
    let store = StoreExportFiles::new(services.file_store(), services.clock.clone(), images);
    let imported = match store.run(workspace, &author, text, limits).await {
        Ok(stored) => {
            let StoredExport { document, files, missing_files, .. } = stored;
            let imported = import.run(workspace, author, document, as_new).await;
            imported.map(|imported| (imported, files, missing_files))
        }
        Err(refused) => Err(refused),
    };
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    let (imported, files, missing_files) = imported.map_err(|error| not_imported(error, path))?;
    let next = go_on(imported.session.as_str());
    let facts = services.show().run(workspace, &imported.session).await?.facts;
    let measure = MeasureSession::new(services.store.clone(), services.log.clone());
    let copied = measure.run(workspace, &imported.session).await?.copied;
    let texts = context.texts(&services, workspace).await?;
    let policies = SessionPoliciesShape::new(&facts, &context.rules(&services, workspace).await?);
    let terms = terms(&policies, &EditableShape::from(&facts), texts);
    if context.out.json {
        context.out.write_json_line(&json!({
            "schema": "entracte.import/1",
            "set": terms,
            "ended": copied.and_then(|copied| copied.ended).map(EndReason::word),
            "session": imported.session.as_str(),
            "from": imported.from.as_str(),
            "entries": imported.entries,
            "agents": imported.agents,
            "files": files,
            "missing_files": missing_files,
            "next": next,
        }))?;
    } else {
        context.out.write_data_line(imported.session.as_str())?;
        if let Some(copied) = copied.filter(|copied| copied.ended.is_some()) {
            context.out.write_notice(&copy_of(&copied.into(), texts));
        }
        context.out.write_notice(&terms);
        if missing_files > 0 {
            context.out.write_notice(&say!(texts, "session-files-missing", count = missing_files));
        }
        let says = say!(texts, "session-imported", count = imported.entries, agents = imported.agents);
        context.out.write_notice(&format!("{says}\n  {next}"));
    }
    Ok(CliExitCode::Done)
}

fn not_imported(error: UseCaseError, path: &Path) -> CliError {
    let shown = path.display();
    let mut error = CliError::from(error);
    // The file is known, so the next command names it.
    error.next = error.next.replace("session import FILE", &format!("session import {shown}"));
    match error.exit {
        CliExitCode::Usage => CliError::with_next(
            CliExitCode::Usage,
            message!("file-says", file = shown.to_string(), says = error.to_text()),
            "entracte session export SESSION --output FILE",
        ),
        _ => error,
    }
}

/// The text of the file, up to the import limit.
fn read(path: &Path, limits: &FileSettings) -> Result<String, CliError> {
    let next = "entracte session export SESSION --output FILE";
    let shown = path.display();
    let failed = |exit, why: UserText| {
        CliError::with_next(exit, message!("cannot-be-read", file = shown.to_string(), why = why), next)
    };
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        let exit = |error: &std::io::Error| match error.kind() {
            ErrorKind::NotFound => CliExitCode::NotFound,
            _ => CliExitCode::Failure,
        };
        Box::new(std::fs::File::open(path).map_err(|error| failed(exit(&error), error.to_string().into()))?)
    };
    let mut bytes = Vec::new();
    let most = session_file_max_bytes(limits);
    source
        .take((most as u64).saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| failed(CliExitCode::Failure, error.to_string().into()))?;
    if bytes.len() > most {
        let why = message!("session-file-large", megabytes = most >> 20, files = limits.session_bytes);
        return Err(failed(CliExitCode::Usage, why));
    }
    String::from_utf8(bytes).map_err(|_| failed(CliExitCode::Usage, message!("file-not-text")))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn writing_preserves_links_and_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("talk.json"), folder.path().join("link.json"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new", true).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write(&device, "new", true).unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
