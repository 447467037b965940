//! `text …`

use std::io::Read;

use entracte_adapters_http::shapes::text::{TextLineShape, TextShape, TextsShape};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;

use super::{ResourceCommandContext, present_arguments};
use crate::api_client::ApiClient;
use crate::args::TextCommand;
use crate::command_context::CommandContext;
use crate::commands::chat::standard_input;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};
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
    match command {
        TextCommand::List => list(context).await,
        TextCommand::Show { key, published, proposal } => {
            show(context, key, published, proposal.as_deref()).await
        }
        TextCommand::Propose { key, text_file, restore, from, note } => {
            let own = ResourceCommandContext::open(context).await?;
            let whole = text_file.as_deref().map(read).transpose()?;
            let from = match from {
                Some(from) => JsonValue::from(i64::from(from)),
                None => published(&own, &key).await?,
            };
            let arguments = present_arguments([
                ("key", Some(key.into())),
                ("version", Some(from)),
                ("text", whole.map(JsonValue::from)),
                ("restore", restore.map(|restore| JsonValue::from(i64::from(restore)))),
                ("note", note.map(JsonValue::from)),
            ]);
            own.run_action("shared_texts.propose", arguments).await
        }
        TextCommand::Publish { proposal } => act(context, "publish", "proposal_id", proposal).await,
        TextCommand::Discard { proposal } => act(context, "discard", "proposal_id", proposal).await,
        TextCommand::Remove { key } => act(context, "delete", "key", key).await,
    }
}

/// Runs an action on the text or proposal of this id, the argument of that name.
async fn act(
    context: &CommandContext,
    verb: &str,
    argument: &str,
    id: String,
) -> Result<CliExitCode, CliError> {
    let own = ResourceCommandContext::open(context).await?;
    own.run_action(&format!("shared_texts.{verb}"), present_arguments([(argument, Some(id.into()))])).await
}

/// The published version; 0 if the text does not exist.
async fn published(own: &ResourceCommandContext<'_>, key: &str) -> Result<JsonValue, CliError> {
    match own.run_query("shared_texts.get", JsonValue::from([("key", JsonValue::from(key))])).await {
        Ok(answer) => Ok(answer.result.0.get("version").cloned().unwrap_or(JsonValue::Null)),
        Err(error) if error.exit == CliExitCode::NotFound => Ok(JsonValue::from(0)),
        Err(error) => Err(error),
    }
}

async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let listed: TextsShape = api.get(&api.path(&["texts"])).await?;
    let out = &context.out;
    if out.json {
        out.write_json_line(&VersionedShape::new("entracte.texts/1", listed))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let row = |line: &TextLineShape| {
        vec![
            line.key.clone(),
            line.version.to_string(),
            line.last_refresh.clone().unwrap_or_default(),
            line.proposals.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = listed.items.iter().map(row).collect();
    write_table(out, &heads(texts, &["text", "version", "refreshed", "proposals"]), &rows)?;
    if rows.is_empty() {
        out.write_notice(&texts.render("own-no-texts", &[]));
    }
    if listed.total > rows.len() as u64 {
        out.write_notice(&say!(texts, "own-more", shown = rows.len(), total = listed.total));
    }
    Ok(CliExitCode::Done)
}

/// Prints a shared text: its facts, its content or its changes, and notes.
async fn show(
    context: &CommandContext,
    key: String,
    published: Option<u32>,
    proposal: Option<&str>,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let version = published.map(|version| version.to_string());
    let is_plain = published.is_none() && proposal.is_none();
    let path = api.path(&["texts", &key]);
    let path = path.with_some("version", version.as_deref()).with_some("proposal", proposal);
    let shown = api.get::<TextShape>(&path).await.map_err(|error| match error.exit {
        CliExitCode::NotFound if is_plain => {
            CliError::with_next(CliExitCode::NotFound, message!("own-no-text", key = key), LIST)
        }
        CliExitCode::NotFound => error.replace_next(LIST),
        _ => error,
    })?;
    let out = &context.out;
    if out.json {
        out.write_json_line(&VersionedShape::new("entracte.text/1", shown))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let head = match (&shown.diff, shown.version) {
        (Some(_), _) => say!(texts, "own-text-change", id = proposal.unwrap_or_default(), key = &shown.key),
        (None, version) => {
            let version = version.unwrap_or_default().to_string();
            say!(texts, "own-text-version", key = &shown.key, version = version)
        }
    };
    out.write_notice(&one_line(&head));
    out.write_data_line(&block(shown.diff.as_ref().unwrap_or(&shown.text)))?;
    for proposal in &shown.proposals {
        let says = if proposal.stale { "own-text-stale" } else { "own-text-proposal" };
        let (id, key) = (proposal.id.as_str(), shown.key.as_str());
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
