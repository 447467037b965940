//! `workspace instructions`: the instructions for models of a workspace, an automation or a session.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::instructions::{InstructionsEdit, InstructionsShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use crate::api_client::{ApiClient, ShortIdKind, delete, patch};
use crate::args::{InstructionsCommand, InstructionsScopeArgs};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::text::{block, one_line};
use crate::render::time::{moment, shown_instant};
use crate::user_text::message;

/// The most bytes of a file; more than any setting allows for instructions.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// Runs `workspace instructions …`.
pub(crate) async fn run(
    context: &CommandContext,
    api: &ApiClient<'_>,
    command: InstructionsCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        InstructionsCommand::Show { of, version } => show(context, api, &of, version).await,
        InstructionsCommand::Set { text, of } => {
            set(context, api, &of, Some(InstructionsEdit { text, file: None })).await
        }
        InstructionsCommand::Import { file, of } => {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            let edit = InstructionsEdit { text: read_file(&file)?, file: Some(one_line(&name)) };
            set(context, api, &of, Some(edit)).await
        }
        InstructionsCommand::History { of, limit } => history(context, api, &of, limit).await,
        InstructionsCommand::Clear { of } => set(context, api, &of, None).await,
    }
}

/// The path of the instructions of a scope, with these segments below it.
async fn path(api: &ApiClient<'_>, of: &InstructionsScopeArgs, below: &[&str]) -> Result<ApiPath, CliError> {
    let (list, id) = match (&of.session, &of.automation) {
        (Some(named), _) => ("sessions", Some(api.find(ShortIdKind::Session, named).await?)),
        (None, Some(named)) => ("automations", Some(api.find(ShortIdKind::Automation, named).await?)),
        (None, None) => ("", None),
    };
    let mut segments: Vec<&str> = id.iter().flat_map(|id| [list, id.as_str()]).collect();
    segments.push("instructions");
    segments.extend(below);
    Ok(api.path(&segments))
}

async fn show(
    context: &CommandContext,
    api: &ApiClient<'_>,
    of: &InstructionsScopeArgs,
    version: Option<u64>,
) -> Result<CliExitCode, CliError> {
    let version = version.map(|version| version.to_string());
    let path = path(api, of, &[]).await?.with_some("version", version.as_deref());
    let found: InstructionsShape = api.get(&path).await?;
    if context.out.json {
        return print_object(context, found);
    }
    let texts = api.texts().await?;
    if found.text.is_empty() {
        context.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, &found)));
        return Ok(CliExitCode::Done);
    }
    context.out.write_notice(&about(context, texts, &found));
    context.out.write_data_line(&block(&found.text))?;
    Ok(CliExitCode::Done)
}

fn print_object(context: &CommandContext, found: InstructionsShape) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.instructions/2", found))?;
    Ok(CliExitCode::Done)
}

/// Writes the instructions, or clears them.
async fn set(
    context: &CommandContext,
    api: &ApiClient<'_>,
    of: &InstructionsScopeArgs,
    edit: Option<InstructionsEdit>,
) -> Result<CliExitCode, CliError> {
    let path = path(api, of, &[]).await?;
    let request = edit.map_or_else(|| delete(&path), |edit| patch(&path, &edit));
    let found: InstructionsShape = api.change_latest(&path, request).await?;
    if context.out.json {
        return print_object(context, found);
    }
    let texts = api.texts().await?;
    let scope = whose(texts, &found);
    let line = match found.text.len() {
        0 => say!(texts, "instructions-cleared", scope = scope),
        bytes => {
            let version = found.version.to_string();
            say!(texts, "instructions-set", scope = scope, version = version, bytes = bytes)
        }
    };
    context.out.write_notice(&line);
    Ok(CliExitCode::Done)
}

/// What `workspace instructions history --json` prints.
#[derive(Serialize)]
struct InstructionHistoryObject {
    versions: Vec<InstructionsShape>,
}

async fn history(
    context: &CommandContext,
    api: &ApiClient<'_>,
    of: &InstructionsScopeArgs,
    limit: u32,
) -> Result<CliExitCode, CliError> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let path = path(api, of, &["versions"]).await?;
    let versions: Vec<InstructionsShape> = api.list_first(&path, most).await?;
    if context.out.json {
        let shape = InstructionHistoryObject { versions };
        context.out.write_json_line(&VersionedShape::new("entracte.instructions_history/2", shape))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if versions.is_empty() {
        let none: InstructionsShape = api.get(&self::path(api, of, &[]).await?).await?;
        context.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, &none)));
    }
    let row = |found: &InstructionsShape| {
        let first = match found.text.lines().next() {
            Some(first) => one_line(first),
            None => say!(texts, "instructions-is-cleared"),
        };
        vec![
            found.version.to_string(),
            shown_at(context, found),
            found.author.clone().unwrap_or_default(),
            shown_source(found),
            found.text.len().to_string(),
            first,
        ]
    };
    let rows: Vec<Vec<String>> = versions.iter().map(row).collect();
    let heads = heads_of(texts, "instructions", &["version", "at", "author", "source", "bytes", "text"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

fn shown_at(context: &CommandContext, found: &InstructionsShape) -> String {
    shown_instant(found.at.as_deref().unwrap_or_default(), |at| moment(at, &context.zone))
}

fn shown_source(found: &InstructionsShape) -> String {
    one_line(found.source.as_deref().unwrap_or_default())
}

/// The version, its author and its time.
fn about(context: &CommandContext, texts: &LocalizedTexts, found: &InstructionsShape) -> String {
    say!(
        texts,
        "instructions-about",
        scope = whose(texts, found),
        version = found.version.to_string(),
        who = found.author.as_deref().unwrap_or_default(),
        at = shown_at(context, found),
        source = shown_source(found)
    )
}

fn whose(texts: &LocalizedTexts, found: &InstructionsShape) -> String {
    let id = found.id.as_deref().unwrap_or_default();
    match &*found.scope {
        "automation" => say!(texts, "instructions-of-automation", automation = id),
        "session" => say!(texts, "instructions-of-session", session = id),
        _ => say!(texts, "instructions-of-workspace"),
    }
}

fn read_file(path: &Path) -> Result<String, CliError> {
    let shown = || path.display().to_string();
    let unreadable = |error: std::io::Error| {
        let why = error.to_string();
        CliError::new(CliExitCode::Usage, message!("instructions-file", file = shown(), why = why))
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > FILE_MAX_BYTES {
        let most = FILE_MAX_BYTES.to_string();
        return Err(CliError::new(
            CliExitCode::Usage,
            message!("instructions-file-long", file = shown(), most = most),
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| CliError::new(CliExitCode::Usage, message!("instructions-file-no-text", file = shown())))
}
