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
    context: &CommandContext,
    command: InstructionsCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        InstructionsCommand::Show { of, version } => show(context, &of, version).await,
        InstructionsCommand::Set { text, of } => {
            set(context, &of, Some(text), InstructionSource::Written).await
        }
        InstructionsCommand::Import { file, of } => {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            set(context, &of, Some(read_file(&file)?), InstructionSource::File(one_line(&name))).await
        }
        InstructionsCommand::History { of, limit } => history(context, &of, limit).await,
        InstructionsCommand::Clear { of } => set(context, &of, None, InstructionSource::Written).await,
    }
}

fn reader(services: &AppServices) -> ReadInstructions {
    ReadInstructions::new(services.store.clone(), services.log.clone(), services.automations.clone())
}

async fn scope(
    context: &CommandContext,
    services: &AppServices,
    of: &InstructionsScopeArgs,
) -> Result<InstructionScope, CliError> {
    let workspace = &context.settings.workspace;
    if let Some(named) = &of.session {
        return Ok(InstructionScope::Session(services.named_session(workspace, named).await?));
    }
    let Some(named) = &of.automation else { return Ok(InstructionScope::Workspace) };
    let find = FindAutomation::new(services.store.clone(), services.automations.clone());
    Ok(InstructionScope::Automation(find.run(workspace, named).await?.id))
}

async fn show(
    context: &CommandContext,
    of: &InstructionsScopeArgs,
    version: Option<u64>,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let (scope, read) = (scope(context, &services, of).await?, reader(&services));
    let found = match version {
        Some(version) => Some(read.version(workspace, &scope, version).await?),
        None => read.run(workspace, &scope).await?,
    };
    print(context, &services, &scope, found).await
}

async fn print(
    context: &CommandContext,
    services: &AppServices,
    scope: &InstructionScope,
    found: Option<InstructionVersion>,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let mut all = object(scope, found.as_ref());
        all["schema"] = json!("entracte.instructions/1");
        context.out.write_json_line(&all)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(services, &context.settings.workspace).await?;
    match found.filter(|found| !found.is_cleared()) {
        Some(found) => {
            context.out.write_notice(&about(context, texts, &found));
            context.out.write_data_line(&block(&found.text))?;
        }
        None => context.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, scope))),
    }
    Ok(CliExitCode::Done)
}

async fn set(
    context: &CommandContext,
    of: &InstructionsScopeArgs,
    text: Option<String>,
    source: InstructionSource,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let scope = scope(context, &services, of).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let telling = InstructionUpdate { text, source, expected: None };
    let author = context.settings.author.clone();
    let told = SetInstructions::new(runtime.clone()).run(workspace, scope.clone(), author, telling).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    told?;
    let found = reader(&services).run(workspace, &scope).await?;
    if context.out.json {
        return print(context, &services, &scope, found).await;
    }
    let texts = context.texts(&services, workspace).await?;
    let line = match found.filter(|found| !found.is_cleared()) {
        Some(found) => {
            let (version, bytes) = (found.version.to_string(), found.text.len());
            say!(texts, "instructions-set", scope = whose(texts, &scope), version = version, bytes = bytes)
        }
        None => say!(texts, "instructions-cleared", scope = whose(texts, &scope)),
    };
    context.out.write_notice(&line);
    Ok(CliExitCode::Done)
}

async fn history(
    context: &CommandContext,
    of: &InstructionsScopeArgs,
    limit: u32,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let scope = scope(context, &services, of).await?;
    let versions = reader(&services).versions(workspace, &scope, None, limit).await?;
    if context.out.json {
        let all: Vec<Value> = versions.iter().map(|version| object(&scope, Some(version))).collect();
        let (kind, id) = (scope.kind(), id_of(&scope));
        context.out.write_json_line(&json!({
            "schema": "entracte.instructions_history/1", "scope": kind, "id": id, "versions": all,
        }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if versions.is_empty() {
        context.out.write_notice(&say!(texts, "instructions-none", scope = whose(texts, &scope)));
    }
    let row = |found: &InstructionVersion| {
        let first = found.text.lines().next().unwrap_or_default();
        let first = if found.is_cleared() { say!(texts, "instructions-is-cleared") } else { one_line(first) };
        vec![
            found.version.to_string(),
            moment(found.at, &context.zone),
            found.author.clone(),
            one_line(&found.source.text()),
            found.text.len().to_string(),
            first,
        ]
    };
    let rows: Vec<Vec<String>> = versions.iter().map(row).collect();
    let heads = ["version", "at", "author", "source", "bytes", "text"];
    let heads = heads.map(|name| texts.render(&format!("instructions-head-{name}"), &[]));
    for line in table(&heads.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// The version, its author and its time.
fn about(context: &CommandContext, texts: &LocalizedTexts, found: &InstructionVersion) -> String {
    say!(
        texts,
        "instructions-about",
        scope = whose(texts, &found.scope),
        version = found.version.to_string(),
        who = &found.author,
        at = moment(found.at, &context.zone),
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
