//! `workspace`: manages workspaces and their settings.

use std::collections::BTreeMap;

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::workspace::{SettingShape, SettingsEdit, SettingsShape, WorkspaceShape};
use entracte_application::texts::{Language, LocalizedTexts, say};
use serde::Serialize;

use super::instructions;
use crate::api_client::{ApiClient, delete, patch, put};
use crate::args::{CreateWorkspaceArgs, SettingsCommand, WorkspaceCommand};
use crate::command_context::CommandContext;
use crate::config::check_workspace;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, refs, table, write_table};
use crate::render::time::{day, shown_instant};
use crate::render::wrap::wrapped;
use crate::user_text::message;

/// The command that explains the settings.
const LIST: &str = "entracte workspace settings list";

/// A setting by its key, and its new value; `None` restores the default.
type SettingPair = (String, Option<String>);

/// Runs `workspace …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: WorkspaceCommand,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        WorkspaceCommand::List => list(context, &api).await,
        WorkspaceCommand::Create(args) => create(context, &api, args).await,
        WorkspaceCommand::Instructions(command) => instructions::run(context, &api, command).await,
        WorkspaceCommand::Settings(SettingsCommand::List) => list_settings(context, &api).await,
        WorkspaceCommand::Settings(SettingsCommand::Get { key }) => get(context, &api, &key).await,
        WorkspaceCommand::Settings(SettingsCommand::Set { pairs }) => {
            change(context, &api, changes(&pairs)?).await
        }
        WorkspaceCommand::Settings(SettingsCommand::Reset { keys, all }) => match all {
            true => reset_all(context, &api).await,
            false => change(context, &api, keys.into_iter().map(|key| (key, None)).collect()).await,
        },
    }
}

/// What `workspace list --json` prints.
#[derive(Serialize)]
struct WorkspacesObject {
    workspaces: Vec<WorkspaceShape>,
}

/// What `workspace settings list --json` prints.
#[derive(Serialize)]
struct SettingsObject {
    workspace: String,
    #[serde(flatten)]
    settings: SettingsShape,
}

async fn list(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let workspaces: Vec<WorkspaceShape> = api.list(&ApiPath::new(&["workspaces"])).await?;
    if context.out.json {
        let shape = WorkspacesObject { workspaces };
        context.out.write_json_line(&VersionedShape::new("entracte.workspaces/1", shape))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if workspaces.is_empty() {
        context.out.write_notice(&say!(texts, "workspace-none"));
    }
    let row = |shape: &WorkspaceShape| {
        vec![
            shape.key.clone(),
            shape.sessions.to_string(),
            shape.open.to_string(),
            shape.waiting.to_string(),
            shape.language.to_string(),
            shape.zone.clone(),
            shown_instant(&shape.created_at, |at| day(at, &context.zone)),
        ]
    };
    let rows: Vec<Vec<String>> = workspaces.iter().map(row).collect();
    let names = ["key", "sessions", "open", "waiting", "language", "zone", "made"];
    write_table(&context.out, &heads_of(texts, "workspace", &names), &rows)?;
    Ok(CliExitCode::Done)
}

async fn create(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: CreateWorkspaceArgs,
) -> Result<CliExitCode, CliError> {
    check_workspace(&args.key).map_err(|fault| {
        CliError::with_next(CliExitCode::Usage, fault, "entracte workspace create local:NAME")
    })?;
    let named = [
        ("zone", args.zone),
        ("day_start", args.day_start),
        ("week_start", args.week_start),
        ("language", args.language),
    ];
    let named = named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), Some(value?))));
    let mut settings: BTreeMap<String, Option<String>> = named.collect();
    for pair in &args.set {
        settings.extend([split(pair).ok_or_else(|| no_value(pair))?]);
    }
    let path = ApiPath::new(&["workspaces", &args.key]);
    let made = api.change::<SettingsShape>(put(&path, &SettingsEdit { settings })).await;
    let settings = made.map_err(|error| error.or_next(LIST))?;
    if context.out.json {
        return print_settings(context, &args.key, settings);
    }
    let texts = texts_of(context, &settings);
    context.out.write_notice(&say!(texts, "workspace-made", workspace = &args.key));
    Ok(CliExitCode::Done)
}

/// The pairs of `settings set`: KEY=VALUE, or KEY followed by VALUE.
fn changes(words: &[String]) -> Result<Vec<SettingPair>, CliError> {
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

fn split(word: &str) -> Option<SettingPair> {
    word.split_once('=').map(|(key, value)| (key.trim().to_owned(), Some(value.trim().to_owned())))
}

fn no_value(word: &str) -> CliError {
    let text = message!("settings-no-value", setting = word, list = LIST);
    CliError::new(CliExitCode::Usage, text)
}

async fn change(
    context: &CommandContext,
    api: &ApiClient<'_>,
    changes: Vec<SettingPair>,
) -> Result<CliExitCode, CliError> {
    let path = api.path(&["settings"]);
    let edit = SettingsEdit { settings: changes.iter().cloned().collect() };
    let changed = api.change_latest(&path, patch(&path, &edit)).await;
    let names: Vec<&str> = changes.iter().map(|(name, _)| name.as_str()).collect();
    report_change(context, api, changed, Some(&names))
}

async fn reset_all(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let path = api.path(&["settings"]);
    report_change(context, api, api.change_latest(&path, delete(&path)).await, None)
}

/// Reports the settings that were asked to change, as they are now; all of them if no names are given.
fn report_change(
    context: &CommandContext,
    api: &ApiClient<'_>,
    changed: Result<SettingsShape, CliError>,
    names: Option<&[&str]>,
) -> Result<CliExitCode, CliError> {
    let settings = changed.map_err(|error| error.or_next(LIST))?;
    if context.out.json {
        return print_settings(context, api.workspace().as_str(), settings);
    }
    let texts = texts_of(context, &settings);
    let named: Vec<&SettingShape> = match names {
        Some(names) => names.iter().filter_map(|name| settings.setting(name)).collect(),
        None => settings.settings.iter().collect(),
    };
    for SettingShape { key, value, .. } in named {
        context.out.write_notice(&say!(texts, "settings-changed", key = &**key, value = value));
    }
    Ok(CliExitCode::Done)
}

async fn get(context: &CommandContext, api: &ApiClient<'_>, name: &str) -> Result<CliExitCode, CliError> {
    let found = api.get::<SettingShape>(&api.path(&["settings", name])).await;
    let setting = found.map_err(|error| error.or_next(LIST))?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.setting/1", setting))?;
    } else {
        context.out.write_data_line(&setting.value)?;
    }
    Ok(CliExitCode::Done)
}

async fn list_settings(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let settings: SettingsShape = api.get(&api.path(&["settings"])).await?;
    if context.out.json {
        return print_settings(context, api.workspace().as_str(), settings);
    }
    let texts = texts_of(context, &settings);
    let row = |setting: &SettingShape| {
        let set = if setting.set { "settings-set" } else { "settings-default" };
        vec![
            setting.key.to_string(),
            setting.value.clone(),
            texts.render(set, &[]),
            setting.takes.clone(),
            setting.means.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = settings.settings.iter().map(row).collect();
    match context.out.style.width {
        Some(width) => print_explained(context, texts, &rows, width)?,
        None => {
            let heads = heads_of(texts, "settings", &["name", "value", "set", "takes", "means"]);
            write_table(&context.out, &heads, &rows)?;
        }
    }
    let is_required = settings.setting("require_validation").is_some_and(|setting| setting.value == "true");
    if settings.configuration_requires_validation && !is_required {
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
    let heads = heads_of(texts, "settings", &["name", "value", "set"]);
    let lines = table(&refs(&heads), &short, context.out.style);
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

fn print_settings(
    context: &CommandContext,
    workspace: &str,
    settings: SettingsShape,
) -> Result<CliExitCode, CliError> {
    let shape = SettingsObject { workspace: workspace.to_owned(), settings };
    context.out.write_json_line(&VersionedShape::new("entracte.settings/1", shape))?;
    Ok(CliExitCode::Done)
}

/// The texts in the language of the reader, in a workspace with these settings.
fn texts_of(context: &CommandContext, settings: &SettingsShape) -> &'static LocalizedTexts {
    let named = settings.setting("language").and_then(|setting| Language::from_word(&setting.value));
    context.environment.reader().texts(named.unwrap_or_default())
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
