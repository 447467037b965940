//! `knowledge`: manages the documents of a workspace.

mod add;
mod embed;
mod error_text;
mod progress_bar;

use entracte_application::ports::KnowledgeDocument;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ChunkCitation;
use serde_json::{Value, json};

use self::error_text::document_error;
use crate::args::KnowledgeCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::table;
use crate::render::text::{block, one_line};
use crate::render::time::{day, iso};
use crate::user_text::message;

const LIST: &str = "entracte knowledge list";
const HELP: &str = "entracte knowledge add --help";

/// The number of characters of a document read at a time.
const PAGE: usize = 100_000;

/// Runs `knowledge …`.
pub(crate) async fn run(desk: &CommandContext, command: KnowledgeCommand) -> Result<CliExitCode, CliError> {
    match command {
        KnowledgeCommand::Add { path, name, source, format } => {
            add::run(desk, &path, add::DocumentMetadataArgs { name, source, format }).await
        }
        KnowledgeCommand::Embed => embed::run(desk).await,
        KnowledgeCommand::List { limit, after } => list(desk, limit, after).await,
        KnowledgeCommand::Show { document } => show(desk, &document).await,
        KnowledgeCommand::Search { words, limit } => search(desk, &words.join(" "), limit).await,
        KnowledgeCommand::Remove { documents } => remove(desk, &documents).await,
    }
}

async fn list(desk: &CommandContext, limit: u32, after: Option<String>) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let documents = wiring.knowledge.read().list(workspace, after, limit).await.map_err(document_error)?;
    if desk.out.json {
        let all: Vec<Value> = documents.iter().map(object).collect();
        desk.out.write_json_line(&json!({ "schema": "entracte.documents/1", "documents": all }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    if documents.is_empty() {
        desk.out.write_notice(&say!(texts, "knowledge-empty"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = documents.iter().map(|document| row(desk, document)).collect();
    let head = ["name", "title", "format", "language", "parts", "bytes", "changed"];
    let head = head.map(|name| texts.render(&format!("knowledge-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, desk.out.style) {
        desk.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

fn row(desk: &CommandContext, document: &KnowledgeDocument) -> Vec<String> {
    vec![
        document.name.clone(),
        document.title.clone(),
        document.format.word().to_owned(),
        document.language.clone(),
        document.chunks.to_string(),
        document.bytes.to_string(),
        day(document.changed_at, &desk.zone),
    ]
}

/// A document as JSON.
fn object(document: &KnowledgeDocument) -> Value {
    json!({
        "id": document.id,
        "name": document.name,
        "title": document.title,
        "source": document.source,
        "format": document.format.word(),
        "language": document.language,
        "digest": document.digest.as_str(),
        "bytes": document.bytes,
        "chunks": document.chunks,
        "author": document.author,
        "added_at": iso(document.added_at),
        "changed_at": iso(document.changed_at),
    })
}

async fn show(desk: &CommandContext, which: &str) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let read = wiring.knowledge.read();
    let mut part = read.text(workspace, which, 0, PAGE).await.map_err(document_error)?;
    let mut text = part.text;
    while part.more {
        part = read.text(workspace, &part.document.id, part.to, PAGE).await.map_err(document_error)?;
        text.push_str(&part.text);
    }
    if desk.out.json {
        let mut shown = object(&part.document);
        shown["schema"] = json!("entracte.document/1");
        shown["text"] = json!(text);
        desk.out.write_json_line(&shown)?;
    } else if desk.environment.stdout_terminal {
        // External text must not control the terminal.
        desk.out.write_data_line(&block(&text))?;
    } else {
        desk.out.write_bytes(text.as_bytes())?;
    }
    Ok(CliExitCode::Done)
}

async fn search(
    desk: &CommandContext,
    question: &str,
    limit: Option<usize>,
) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let found = wiring.knowledge.search().run(workspace, question, limit).await.map_err(document_error)?;
    let texts = desk.texts(&wiring, workspace).await?;
    if let Some(error) = &found.text_only {
        desk.out.write_notice(&say!(texts, "knowledge-by-words-only", why = error.to_string()));
    }
    if found.left > 0 {
        desk.out.write_notice(&say!(texts, "knowledge-left", count = found.left));
    }
    if desk.out.json {
        let results: Vec<Value> = found.chunks.iter().map(hit).collect();
        desk.out.write_json_line(&json!({ "schema": "entracte.knowledge_results/1", "results": results }))?;
        return Ok(CliExitCode::Done);
    }
    if found.chunks.is_empty() {
        let key = if found.documents == 0 { "knowledge-empty" } else { "knowledge-no-hit" };
        desk.out.write_notice(&texts.render(key, &[]));
    }
    for found in &found.chunks {
        desk.out.write_data_line(&drawn(found, texts))?;
    }
    Ok(CliExitCode::Done)
}

fn drawn(found: &ChunkCitation, _texts: &LocalizedTexts) -> String {
    let place = match found.chunk.heading.join(" > ") {
        heading if heading.is_empty() => String::new(),
        heading => format!("  {}", one_line(&heading)),
    };
    let name = one_line(&found.document.name);
    format!("{:>6.2}  {name}{place}\n        {}", found.score, one_line(&found.snippet))
}

fn hit(found: &ChunkCitation) -> Value {
    json!({
        "document": found.document.name,
        "id": found.document.id,
        "source": found.document.source,
        "title": found.document.title,
        "heading": found.chunk.heading,
        "from": found.chunk.start,
        "to": found.chunk.end,
        "score": found.score,
        "snippet": found.snippet,
        "text": found.chunk.text,
    })
}

async fn remove(desk: &CommandContext, documents: &[String]) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let texts = desk.texts(&wiring, workspace).await?;
    let mut removed = Vec::new();
    for which in documents {
        let gone = wiring.knowledge.remove().run(workspace, which).await.map_err(document_error)?;
        desk.out.write_notice(&say!(texts, "knowledge-removed", name = one_line(&gone.name)));
        removed.push(object(&gone));
    }
    if desk.out.json {
        desk.out
            .write_json_line(&json!({ "schema": "entracte.documents_removed/1", "documents": removed }))?;
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
