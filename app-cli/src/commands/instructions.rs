//! `workspace instructions`: the instructions for models of a workspace, an automation or a session.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use entracte_application::instructions::{InstructionScope, InstructionSource, InstructionVersion};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{FindAutomation, InstructionUpdate, ReadInstructions, SetInstructions};
use serde_json::{Value, json};

use crate::app_services::AppServices;
use crate::args::{InstructionsCommand, InstructionsScopeArgs};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::render::listing::table;
use crate::render::text::{block, one_line};
use crate::render::time::{iso, moment};
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

/// The most bytes of a file; more than any setting allows for instructions.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// Runs `workspace instructions …`.
pub(crate) async fn run(
    desk: &CommandContext,
    command: InstructionsCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        InstructionsCommand::Show { of, version } => show(desk, &of, version).await,
        InstructionsCommand::Set { text, of } => set(desk, &of, Some(text), InstructionSource::Written).await,
        InstructionsCommand::Import { file, of } => {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            set(desk, &of, Some(read_file(&file)?), InstructionSource::File(one_line(&name))).await
        }
        InstructionsCommand::History { of, limit } => history(desk, &of, limit).await,
        InstructionsCommand::Clear { of } => set(desk, &of, None, InstructionSource::Written).await,
    }
}

fn reader(wiring: &AppServices) -> ReadInstructions {
    ReadInstructions::new(wiring.store.clone(), wiring.log.clone(), wiring.automations.clone())
}

async fn scope(
    desk: &CommandContext,
    wiring: &AppServices,
    of: &InstructionsScopeArgs,
) -> Result<InstructionScope, CliError> {
    let workspace = &desk.settings.workspace;
    if let Some(named) = &of.session {
        return Ok(InstructionScope::Session(wiring.named_session(workspace, named).await?));
    }
    let Some(named) = &of.automation else { return Ok(InstructionScope::Workspace) };
    let find = FindAutomation::new(wiring.store.clone(), wiring.automations.clone());
    Ok(InstructionScope::Automation(find.run(workspace, named).await?.id))
}

async fn show(
    desk: &CommandContext,
    of: &InstructionsScopeArgs,
    version: Option<u64>,
) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let (scope, read) = (scope(desk, &wiring, of).await?, reader(&wiring));
    let found = match version {
        Some(version) => Some(read.version(workspace, &scope, version).await?),
        None => read.run(workspace, &scope).await?,
    };
    print(desk, &wiring, &scope, found).await
}

async fn print(
    desk: &CommandContext,
    wiring: &AppServices,
    scope: &InstructionScope,
    found: Option<InstructionVersion>,
) -> Result<CliExitCode, CliError> {
    if desk.out.json {
        let mut all = object(scope, found.as_ref());
        all["schema"] = json!("entracte.instructions/1");
        desk.out.write_json_line(&all)?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(wiring, &desk.settings.workspace).await?;
    match found.filter(|found| !found.is_cleared()) {
        Some(found) => {
            desk.out.write_notice(&about(desk, texts, &found));
            desk.out.write_data_line(&block(&found.text))?;
        }
        None => desk.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, scope))),
    }
    Ok(CliExitCode::Done)
}

async fn set(
    desk: &CommandContext,
    of: &InstructionsScopeArgs,
    text: Option<String>,
    source: InstructionSource,
) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let scope = scope(desk, &wiring, of).await?;
    let way = RuntimeAccess::open(wiring.clone()).await?;
    let telling = InstructionUpdate { text, source, expected: None };
    let author = desk.settings.author.clone();
    let told = SetInstructions::new(way.clone()).run(workspace, scope.clone(), author, telling).await;
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    told?;
    let found = reader(&wiring).run(workspace, &scope).await?;
    if desk.out.json {
        return print(desk, &wiring, &scope, found).await;
    }
    let texts = desk.texts(&wiring, workspace).await?;
    let line = match found.filter(|found| !found.is_cleared()) {
        Some(found) => {
            let (version, bytes) = (found.version.to_string(), found.text.len());
            say!(texts, "instructions-set", scope = whose(texts, &scope), version = version, bytes = bytes)
        }
        None => say!(texts, "instructions-cleared", scope = whose(texts, &scope)),
    };
    desk.out.write_notice(&line);
    Ok(CliExitCode::Done)
}

async fn history(
    desk: &CommandContext,
    of: &InstructionsScopeArgs,
    limit: u32,
) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let scope = scope(desk, &wiring, of).await?;
    let versions = reader(&wiring).versions(workspace, &scope, None, limit).await?;
    if desk.out.json {
        let all: Vec<Value> = versions.iter().map(|version| object(&scope, Some(version))).collect();
        let (kind, id) = (scope.kind(), id_of(&scope));
        desk.out.write_json_line(&json!({
            "schema": "entracte.instructions_history/1", "scope": kind, "id": id, "versions": all,
        }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    if versions.is_empty() {
        desk.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, &scope)));
    }
    let row = |found: &InstructionVersion| {
        let first = found.text.lines().next().unwrap_or_default();
        let first = if found.is_cleared() { say!(texts, "instructions-is-cleared") } else { one_line(first) };
        vec![
            found.version.to_string(),
            moment(found.at, &desk.zone),
            found.author.clone(),
            one_line(&found.source.text()),
            found.text.len().to_string(),
            first,
        ]
    };
    let rows: Vec<Vec<String>> = versions.iter().map(row).collect();
    let heads = ["version", "at", "author", "source", "bytes", "text"];
    let heads = heads.map(|name| texts.render(&format!("instructions-head-{name}"), &[]));
    for line in table(&heads.each_ref().map(String::as_str), &rows, desk.out.style) {
        desk.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// The version, its author and its time.
fn about(desk: &CommandContext, texts: &LocalizedTexts, found: &InstructionVersion) -> String {
    say!(
        texts,
        "instructions-about",
        scope = whose(texts, &found.scope),
        version = found.version.to_string(),
        who = &found.author,
        at = moment(found.at, &desk.zone),
        source = one_line(&found.source.text())
    )
}

fn whose(texts: &LocalizedTexts, scope: &InstructionScope) -> String {
    match scope {
        InstructionScope::Workspace => say!(texts, "instructions-of-workspace"),
        InstructionScope::Automation(id) => {
            say!(texts, "instructions-of-automation", automation = id.as_str())
        }
        InstructionScope::Session(id) => say!(texts, "instructions-of-session", session = id.as_str()),
    }
}

fn id_of(scope: &InstructionScope) -> Option<&str> {
    Some(scope.target()).filter(|id| !id.is_empty())
}

fn object(scope: &InstructionScope, found: Option<&InstructionVersion>) -> Value {
    json!({
        "scope": scope.kind(),
        "id": id_of(scope),
        "version": found.map(|found| found.version),
        "text": found.filter(|found| !found.is_cleared()).map(|found| found.text.as_str()),
        "digest": found.map(|found| found.digest.as_str()),
        "author": found.map(|found| found.author.as_str()),
        "source": found.map(|found| found.source.text()),
        "at": found.map(|found| iso(found.at)),
    })
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
