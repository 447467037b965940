//! `workspace`: manages workspaces and their settings.

use entracte_application::settings::{SETTINGS, SettingKey, WorkspaceSettings};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ChangeSettings, ListWorkspaces, SettingChange, WorkspaceView, settings_of,
};
use entracte_domain::id::WorkspaceKey;
use serde_json::{Value, json};

use super::instructions;
use crate::app_services::AppServices;
use crate::args::{CreateWorkspaceArgs, SettingsCommand, WorkspaceCommand};
use crate::command_context::CommandContext;
use crate::config::check_workspace;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::render::listing::table;
use crate::render::time::{day, iso};
use crate::render::wrap::wrapped;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

/// The command that explains the settings.
const LIST: &str = "entracte workspace settings list";

/// Runs `workspace …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: WorkspaceCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        WorkspaceCommand::List => list(context).await,
        WorkspaceCommand::Create(args) => create(context, args).await,
        WorkspaceCommand::Instructions(command) => instructions::run(context, command).await,
        WorkspaceCommand::Settings(SettingsCommand::List) => list_settings(context).await,
        WorkspaceCommand::Settings(SettingsCommand::Get { key }) => get(context, &key).await,
        WorkspaceCommand::Settings(SettingsCommand::Set { pairs }) => change(context, changes(&pairs)?).await,
        WorkspaceCommand::Settings(SettingsCommand::Reset { keys, all }) => {
            let names = if all { SETTINGS.map(|key| key.name.to_owned()).to_vec() } else { keys };
            change(context, names.into_iter().map(|key| (key, None)).collect()).await
        }
    }
}

async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let views = ListWorkspaces::new(services.store.clone(), services.log.clone()).run().await?;
    if context.out.json {
        let all: Vec<Value> = views.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.workspaces/1", "workspaces": all }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if views.is_empty() {
        context.out.write_notice(&say!(texts, "workspace-none"));
    }
    let row = |view: &WorkspaceView| {
        vec![
            view.key.to_string(),
            view.sessions.to_string(),
            view.open.to_string(),
            view.waiting.to_string(),
            view.language.word().to_owned(),
            view.zone.clone(),
            day(view.created_at, &context.zone),
        ]
    };
    let rows: Vec<Vec<String>> = views.iter().map(row).collect();
    let heads = ["key", "sessions", "open", "waiting", "language", "zone", "made"];
    print_table(context, texts, "workspace", &heads, &rows)
}

fn object(view: &WorkspaceView) -> Value {
    json!({
        "key": view.key.as_str(),
        "sessions": view.sessions,
        "open": view.open,
        "waiting": view.waiting,
        "language": view.language.word(),
        "zone": view.zone,
        "created_at": iso(view.created_at),
    })
}

fn print_table(
    context: &CommandContext,
    texts: &LocalizedTexts,
    room: &str,
    heads: &[&str],
    rows: &[Vec<String>],
) -> Result<CliExitCode, CliError> {
    let heads: Vec<String> =
        heads.iter().map(|name| texts.render(&format!("{room}-head-{name}"), &[])).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    for line in table(&heads, rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

async fn create(context: &CommandContext, args: CreateWorkspaceArgs) -> Result<CliExitCode, CliError> {
    check_workspace(&args.key).map_err(|fault| {
        CliError::with_next(CliExitCode::Usage, fault, "entracte workspace create local:NAME")
    })?;
    let named = [
        ("zone", args.zone),
        ("day_start", args.day_start),
        ("week_start", args.week_start),
        ("language", args.language),
    ];
    let mut all: Vec<SettingChange> =
        named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), Some(value?)))).collect();
    for pair in &args.set {
        all.push(split(pair).ok_or_else(|| no_value(pair))?);
    }
    let workspace = WorkspaceKey::new(args.key);
    let services = context.open_services()?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let change = ChangeSettings::new(runtime.clone());
    let made =
        change.create_workspace(&*services.store, &workspace, context.settings.author.clone(), all).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    made.map_err(|error| CliError::from(error).or_next(LIST))?;
    if context.out.json {
        return print_settings(context, &services, &workspace).await;
    }
    let texts = context.texts(&services, &workspace).await?;
    context.out.write_notice(&say!(texts, "workspace-made", workspace = workspace.as_str()));
    Ok(CliExitCode::Done)
}

/// The pairs of `settings set`: KEY=VALUE, or KEY followed by VALUE.
fn changes(words: &[String]) -> Result<Vec<SettingChange>, CliError> {
    let mut all = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match split(word) {
            Some(pair) => all.push(pair),
            None => match rest.next() {
                Some(value) => all.push((word.clone(), Some(value.clone()))),
                None => return Err(no_value(word)),
            },
        }
    }
    Ok(all)
}

fn split(word: &str) -> Option<SettingChange> {
    word.split_once('=').map(|(key, value)| (key.trim().to_owned(), Some(value.trim().to_owned())))
}

fn no_value(word: &str) -> CliError {
    let text = message!("settings-no-value", setting = word, list = LIST);
    CliError::new(CliExitCode::Usage, text)
}

async fn change(context: &CommandContext, changes: Vec<SettingChange>) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let change = ChangeSettings::new(runtime.clone());
    let changed = change.run(workspace, context.settings.author.clone(), changes.clone()).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    changed.map_err(|error| CliError::from(error).or_next(LIST))?;
    if context.out.json {
        return print_settings(context, &services, workspace).await;
    }
    let settings = settings_of(&*services.store, workspace).await?;
    let texts = LocalizedTexts::for_language(settings.language);
    for (name, _) in &changes {
        if let Ok(key) = SettingKey::find(name) {
            context.out.write_notice(&say!(
                texts,
                "settings-changed",
                key = key.name,
                value = key.value(&settings)
            ));
        }
    }
    Ok(CliExitCode::Done)
}

async fn get(context: &CommandContext, name: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let settings = settings_of(&*services.store, &context.settings.workspace).await?;
    let texts = LocalizedTexts::for_language(settings.language);
    let key = SettingKey::find(name)
        .map_err(|fault| CliError::new(CliExitCode::NotFound, fault.describe(texts)).or_next(LIST))?;
    if context.out.json {
        let mut object = setting(key, &settings, texts);
        object["schema"] = json!("entracte.setting/1");
        context.out.write_json_line(&object)?;
    } else {
        context.out.write_data_line(&key.value(&settings))?;
    }
    Ok(CliExitCode::Done)
}

async fn list_settings(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    if context.out.json {
        return print_settings(context, &services, workspace).await;
    }
    let settings = settings_of(&*services.store, workspace).await?;
    let texts = LocalizedTexts::for_language(settings.language);
    let row = |key: &SettingKey| {
        let set = if is_set(key, &settings) { "settings-set" } else { "settings-default" };
        vec![
            key.name.to_owned(),
            key.value(&settings),
            texts.render(set, &[]),
            key.describe_values(texts),
            key.describe_meaning(texts),
        ]
    };
    let rows: Vec<Vec<String>> = SETTINGS.iter().map(row).collect();
    match context.out.style.width {
        Some(width) => print_explained(context, texts, &rows, width)?,
        None => {
            print_table(context, texts, "settings", &["name", "value", "set", "takes", "means"], &rows)?;
        }
    }
    if context.settings.runtime.require_validation && !settings.require_validation {
        context.out.write_notice(&say!(texts, "settings-configuration-asks"));
    }
    Ok(CliExitCode::Done)
}

/// Prints settings for a terminal: the meaning and accepted values are below each, because they are too long for a
/// column.
fn print_explained(
    context: &CommandContext,
    texts: &LocalizedTexts,
    rows: &[Vec<String>],
    width: usize,
) -> Result<(), CliError> {
    const INDENT: &str = "    ";
    let short: Vec<Vec<String>> = rows.iter().map(|row| row.iter().take(3).cloned().collect()).collect();
    let heads = ["name", "value", "set"].map(|name| texts.render(&format!("settings-head-{name}"), &[]));
    let lines = table(&heads.each_ref().map(String::as_str), &short, context.out.style);
    let colon = texts.render("screen-colon", &[]);
    // The head has no explanation.
    let explained = std::iter::once(None).chain(rows.iter().map(Some));
    for (line, row) in lines.iter().zip(explained) {
        context.out.write_data_line(line)?;
        let Some([_, _, _, takes, means]) = row.map(Vec::as_slice) else { continue };
        let takes = format!("{}{colon} {takes}", texts.render("settings-head-takes", &[]));
        for text in [means, &takes] {
            for line in wrapped(text, width, INDENT, INDENT) {
                context.out.write_data_line(&line)?;
            }
        }
    }
    Ok(())
}

async fn print_settings(
    context: &CommandContext,
    services: &AppServices,
    workspace: &WorkspaceKey,
) -> Result<CliExitCode, CliError> {
    let settings = settings_of(&*services.store, workspace).await?;
    let texts = LocalizedTexts::for_language(settings.language);
    let all: Vec<Value> = SETTINGS.iter().map(|key| setting(key, &settings, texts)).collect();
    context.out.write_json_line(&json!({
        "schema": "entracte.settings/1",
        "workspace": workspace.as_str(),
        "settings": all,
    }))?;
    Ok(CliExitCode::Done)
}

fn setting(key: &SettingKey, settings: &WorkspaceSettings, texts: &LocalizedTexts) -> Value {
    json!({
        "key": key.name,
        "value": key.value(settings),
        "default": key.value(&WorkspaceSettings::default()),
        "set": is_set(key, settings),
        "takes": key.describe_values(texts),
        "means": key.describe_meaning(texts),
    })
}

fn is_set(key: &SettingKey, settings: &WorkspaceSettings) -> bool {
    key.value(settings) != key.value(&WorkspaceSettings::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed_in_both_pair_forms() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let pair = |key: &str, value: &str| (key.to_owned(), Some(value.to_owned()));
        let expected = vec![pair("zone", "Europe/Paris"), pair("slots", "3")];
        for written in [
            &["zone", "Europe/Paris", "slots", "3"][..],
            &["zone=Europe/Paris", "slots=3"],
            &["zone=Europe/Paris", "slots", "3"],
        ] {
            assert_eq!(changes(&words(written)).unwrap(), expected, "{written:?}");
        }
        let fault = changes(&words(&["zone=UTC", "slots"])).unwrap_err();
        assert_eq!((fault.exit, fault.next.as_str()), (CliExitCode::Usage, LIST));
        assert!(fault.message.contains("the setting slots has no value"), "{}", fault.message);
    }
}
