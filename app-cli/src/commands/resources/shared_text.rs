//! `text …`

use std::io::Read;

use serde_json::{Value, json};

use super::{ResourceCommandContext, present_arguments, text};
use crate::args::TextCommand;
use crate::command_context::CommandContext;
use crate::commands::chat::standard_input;
use crate::error::{CliError, CliExitCode};
use crate::render::text::{block, one_line};
use crate::user_text::{UserText, message};

const LIST: &str = "entracte text list";

/// The most bytes of a file; more than any limit of a text allows.
const FILE_MAX_BYTES: u64 = 4 << 20;

/// Runs `text …`.
pub(in super::super) async fn run(
    context: &CommandContext,
    command: TextCommand,
) -> Result<CliExitCode, CliError> {
    let own = ResourceCommandContext::new(context)?;
    match command {
        TextCommand::List => {
            let answer = own.run_query("shared_texts.list", json!({})).await?;
            own.list(
                "shared_texts.list",
                "texts",
                "own-no-texts",
                &answer,
                &[
                    ("text", |row, _| text(row, "key").to_owned()),
                    ("version", |row, _| row["version"].to_string()),
                    ("refreshed", |row, _| text(row, "last_refresh").to_owned()),
                    ("proposals", |row, _| row["proposals"].to_string()),
                ],
            )
            .await
        }
        TextCommand::Show { key, published, proposal } => {
            let is_plain = published.is_none() && proposal.is_none();
            let arguments = present_arguments([
                ("key", Some(key.as_str().into())),
                ("version", published.map(Value::from)),
                ("proposal_id", proposal.map(Value::from)),
            ]);
            let answer = own.run_query("shared_texts.get", Value::Object(arguments)).await;
            let answer = answer.map_err(|error| match error.exit {
                CliExitCode::NotFound if is_plain => {
                    CliError::with_next(CliExitCode::NotFound, message!("own-no-text", key = key), LIST)
                }
                CliExitCode::NotFound => error.replace_next(LIST),
                _ => error,
            })?;
            show(&own, context, &answer).await
        }
        TextCommand::Propose { key, text_file, restore, from, note } => {
            let whole = text_file.as_deref().map(read).transpose()?;
            let from = match from {
                Some(from) => from.into(),
                None => published(&own, &key).await?,
            };
            let arguments = present_arguments([
                ("key", Some(key.into())),
                ("version", Some(from)),
                ("text", whole.map(Value::from)),
                ("restore", restore.map(Value::from)),
                ("note", note.map(Value::from)),
            ]);
            own.run_action("shared_texts.propose", arguments).await
        }
        TextCommand::Publish { proposal } => {
            own.run_action(
                "shared_texts.publish",
                present_arguments([("proposal_id", Some(proposal.into()))]),
            )
            .await
        }
        TextCommand::Discard { proposal } => {
            own.run_action(
                "shared_texts.discard",
                present_arguments([("proposal_id", Some(proposal.into()))]),
            )
            .await
        }
        TextCommand::Remove { key } => {
            own.run_action("shared_texts.delete", present_arguments([("key", Some(key.into()))])).await
        }
    }
}

/// The published version; 0 if the text does not exist.
async fn published(own: &ResourceCommandContext<'_>, key: &str) -> Result<Value, CliError> {
    match own.run_query("shared_texts.get", json!({ "key": key })).await {
        Ok(answer) => Ok(answer["version"].clone()),
        Err(error) if error.exit == CliExitCode::NotFound => Ok(json!(0)),
        Err(error) => Err(error),
    }
}

/// Prints a shared text: its facts, its content or its changes, and notes.
async fn show(
    own: &ResourceCommandContext<'_>,
    context: &CommandContext,
    answer: &Value,
) -> Result<CliExitCode, CliError> {
    let out = &context.out;
    if out.json {
        return own.show("shared_texts.get", answer);
    }
    let texts = own.texts().await?;
    let key = text(answer, "key");
    let is_change = answer["diff"].is_string();
    let head = match is_change {
        true => texts.render("own-text-change", &[("id", text(answer, "id").into()), ("key", key.into())]),
        false => {
            let version = answer["version"].to_string();
            texts.render("own-text-version", &[("key", key.into()), ("version", version.as_str().into())])
        }
    };
    out.write_notice(&one_line(&head));
    out.write_data_line(&block(text(answer, if is_change { "diff" } else { "text" })))?;
    for proposal in answer["proposals"].as_array().into_iter().flatten() {
        let id = text(proposal, "id");
        let says = if proposal["stale"] == json!(true) { "own-text-stale" } else { "own-text-proposal" };
        out.write_notice(&one_line(&texts.render(says, &[("id", id.into()), ("key", key.into())])));
    }
    Ok(CliExitCode::Done)
}

/// Reads a file, or standard input.
fn read(file: &str) -> Result<String, CliError> {
    if file == "-" {
        return standard_input();
    }
    let failed = |why: UserText| {
        CliError::new(CliExitCode::Usage, message!("own-text-unreadable", file = file.to_owned(), why = why))
    };
    let opened = std::fs::File::open(file).map_err(|error| failed(error.to_string().into()))?;
    let mut bytes = Vec::new();
    let read = opened.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string().into()))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_MAX_BYTES {
        return Err(failed(message!("own-text-large", most = FILE_MAX_BYTES.to_string())));
    }
    String::from_utf8(bytes).map_err(|_| failed(message!("file-not-text")))
}
