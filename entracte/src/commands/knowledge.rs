//! `knowledge`: manages the documents of a workspace.

mod add;
mod embed;
mod error_text;
mod progress_bar;

use entracte_adapters_http::shapes::document::{
    DocumentShape, DocumentTextShape, FoundShape, KnowledgeShape,
};
use entracte_application::knowledge::gap_remarks;
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use crate::api_client::{ApiClient, delete};
use crate::args::KnowledgeCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::text::{block, one_line};
use crate::render::time::{day, shown_instant};
use crate::user_text::message;

const LIST: &str = "entracte knowledge list";
const HELP: &str = "entracte knowledge add --help";

/// The number of characters of a document read at a time.
const PAGE: &str = "100000";

/// Runs `knowledge …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: KnowledgeCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        KnowledgeCommand::Add { path, name, source, format } => {
            add::run(context, &path, add::DocumentMetadataArgs { name, source, format }).await
        }
        KnowledgeCommand::Embed => embed::run(context).await,
        KnowledgeCommand::List { limit, after } => list(context, limit, after.as_deref()).await,
        KnowledgeCommand::Show { document } => show(context, &document).await,
        KnowledgeCommand::Search { words, limit } => search(context, &words.join(" "), limit).await,
        KnowledgeCommand::Remove { documents } => remove(context, &documents).await,
    }
}

/// The refusal of a request about documents, with the command that helps.
fn hint(error: CliError) -> CliError {
    match error.exit {
        CliExitCode::NotFound | CliExitCode::Limit => error.or_next(LIST),
        CliExitCode::Usage => error.or_next(HELP),
        _ => error,
    }
}

/// What `knowledge list --json` and `knowledge remove --json` print.
#[derive(Serialize)]
struct DocumentsObject {
    documents: Vec<DocumentShape>,
}

async fn list(context: &CommandContext, limit: u32, after: Option<&str>) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let path = api.path(&["documents"]);
    let documents: Vec<DocumentShape> = match after {
        None => api.list_first(&path, most).await?,
        Some(after) => {
            let all: Vec<DocumentShape> = api.list(&path).await?;
            all.into_iter().filter(|document| document.name.as_str() > after).take(most).collect()
        }
    };
    if context.out.json {
        context
            .out
            .write_json_line(&VersionedShape::new("entracte.documents/1", DocumentsObject { documents }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if documents.is_empty() {
        context.out.write_notice(&say!(texts, "knowledge-empty"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = documents.iter().map(|document| row(context, document)).collect();
    let heads =
        heads_of(texts, "knowledge", &["name", "title", "format", "language", "parts", "bytes", "changed"]);
    write_table(&context.out, &heads, &rows)?;
    for document in &documents {
        warn_of_gaps(context, texts, document);
    }
    Ok(CliExitCode::Done)
}

/// Warns of the pages that the text of a document lacks.
fn warn_of_gaps(context: &CommandContext, texts: &LocalizedTexts, document: &DocumentShape) {
    for why in gap_remarks(&document.gaps(), texts) {
        let name = one_line(&document.name);
        context.out.write_warning(&say!(texts, "knowledge-error-file", path = name, why = why));
    }
}

fn row(context: &CommandContext, document: &DocumentShape) -> Vec<String> {
    vec![
        document.name.clone(),
        document.title.clone(),
        document.format.to_string(),
        document.language.clone(),
        document.chunks.to_string(),
        document.bytes.to_string(),
        shown_instant(&document.changed_at, |at| day(at, &context.zone)),
    ]
}

/// What `knowledge show --json` prints.
#[derive(Serialize)]
struct DocumentObject {
    #[serde(flatten)]
    document: DocumentShape,
    text: String,
}

async fn show(context: &CommandContext, which: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let path = |which: &str| api.path(&["documents", which]).with("length", PAGE);
    let mut part: DocumentTextShape = api.get(&path(which)).await.map_err(hint)?;
    let mut text = part.text;
    while part.more {
        let rest = path(&part.document.id).with("from", &part.to.to_string());
        part = api.get(&rest).await.map_err(hint)?;
        text.push_str(&part.text);
    }
    if context.out.json {
        let shape = DocumentObject { document: part.document, text };
        context.out.write_json_line(&VersionedShape::new("entracte.document/1", shape))?;
    } else if context.environment.stdout_terminal {
        // External text must not control the terminal.
        context.out.write_data_line(&block(&text))?;
    } else {
        context.out.write_bytes(text.as_bytes())?;
    }
    Ok(CliExitCode::Done)
}

async fn search(
    context: &CommandContext,
    question: &str,
    limit: Option<usize>,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let limit = limit.map(|limit| limit.to_string());
    let path = api.path(&["knowledge"]).with("q", question).with_some("limit", limit.as_deref());
    let found: KnowledgeShape = api.get(&path).await.map_err(hint)?;
    let texts = api.texts().await?;
    if let Some(why) = &found.text_only_because {
        context.out.write_notice(&say!(texts, "knowledge-by-words-only", why = one_line(why)));
    }
    if found.left > 0 {
        context.out.write_notice(&say!(texts, "knowledge-left", count = found.left));
    }
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.knowledge_results/2", found))?;
        return Ok(CliExitCode::Done);
    }
    if found.results.is_empty() {
        let key = if found.documents == 0 { "knowledge-empty" } else { "knowledge-no-hit" };
        context.out.write_notice(&texts.render(key, &[]));
    }
    for found in &found.results {
        context.out.write_data_line(&drawn(found))?;
    }
    Ok(CliExitCode::Done)
}

fn drawn(found: &FoundShape) -> String {
    let place = match found.heading.join(" > ") {
        heading if heading.is_empty() => String::new(),
        heading => format!("  {}", one_line(&heading)),
    };
    let name = one_line(&found.document.name);
    format!("{:>6.2}  {name}{place}\n        {}", found.score, one_line(&found.snippet))
}

async fn remove(context: &CommandContext, documents: &[String]) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    let mut removed = Vec::new();
    for which in documents {
        let one = api.path(&["documents", which]).with("length", "1");
        let DocumentTextShape { document, .. } = api.get(&one).await.map_err(hint)?;
        api.change_only(delete(&api.path(&["documents", &document.id]))).await.map_err(hint)?;
        context.out.write_notice(&say!(texts, "knowledge-removed", name = one_line(&document.name)));
        removed.push(document);
    }
    if context.out.json {
        let shape = DocumentsObject { documents: removed };
        context.out.write_json_line(&VersionedShape::new("entracte.documents_removed/1", shape))?;
    }
    Ok(CliExitCode::Done)
}

/// A wrong command line, with the command that lists the documents.
fn usage(says: crate::user_text::UserText) -> CliError {
    CliError::with_next(CliExitCode::Usage, says, HELP)
}

/// A file that cannot be read.
fn unreadable(path: &std::path::Path, why: &dyn std::fmt::Display) -> CliError {
    let (path, why) = (path.display().to_string(), why.to_string());
    usage(message!("knowledge-error-file", path = path, why = why))
}
