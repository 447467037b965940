//! `knowledge`: manages the documents of a workspace.

mod add;
mod embed;
mod error_text;
mod progress_bar;

use entracte_application::knowledge::gap_remarks;
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
pub(crate) async fn run(
    context: &CommandContext,
    command: KnowledgeCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        KnowledgeCommand::Add { path, name, source, format } => {
            add::run(context, &path, add::DocumentMetadataArgs { name, source, format }).await
        }
        KnowledgeCommand::Embed => embed::run(context).await,
        KnowledgeCommand::List { limit, after } => list(context, limit, after).await,
        KnowledgeCommand::Show { document } => show(context, &document).await,
        KnowledgeCommand::Search { words, limit } => search(context, &words.join(" "), limit).await,
        KnowledgeCommand::Remove { documents } => remove(context, &documents).await,
    }
}

async fn list(context: &CommandContext, limit: u32, after: Option<String>) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let documents = services.knowledge.read().list(workspace, after, limit).await.map_err(document_error)?;
    if context.out.json {
        let all: Vec<Value> = documents.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.documents/1", "documents": all }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if documents.is_empty() {
        context.out.write_notice(&say!(texts, "knowledge-empty"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = documents.iter().map(|document| row(context, document)).collect();
    let head = ["name", "title", "format", "language", "parts", "bytes", "changed"];
    let head = head.map(|name| texts.render(&format!("knowledge-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    for document in &documents {
        warn_of_gaps(context, texts, document);
    }
    Ok(CliExitCode::Done)
}

/// Warns of the pages that the text of a document lacks.
fn warn_of_gaps(context: &CommandContext, texts: &LocalizedTexts, document: &KnowledgeDocument) {
    for why in gap_remarks(&document.gaps, texts) {
        let name = one_line(&document.name);
        context.out.write_warning(&say!(texts, "knowledge-error-file", path = name, why = why));
    }
}

fn row(context: &CommandContext, document: &KnowledgeDocument) -> Vec<String> {
    vec![
        document.name.clone(),
        document.title.clone(),
        document.format.word().to_owned(),
        document.language.clone(),
        document.chunks.to_string(),
        document.bytes.to_string(),
        day(document.changed_at, &context.zone),
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
        "lost_pages": document.gaps.lost.as_slice(),
        "picture_pages": document.gaps.pictures.as_slice(),
        "hidden_texts": document.gaps.hidden_texts,
        "outside_style_sheets": document.gaps.outside_style_sheets,
        "broken_characters": document.gaps.broken_characters,
        "is_article_only": document.gaps.is_article_only,
        "ocr_program": document.gaps.ocr_program,
    })
}

async fn show(context: &CommandContext, which: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let read = services.knowledge.read();
    let mut part = read.text(workspace, which, 0, PAGE).await.map_err(document_error)?;
    let mut text = part.text;
    while part.more {
        part = read.text(workspace, &part.document.id, part.to, PAGE).await.map_err(document_error)?;
        text.push_str(&part.text);
    }
    if context.out.json {
        let mut shown = object(&part.document);
        shown["schema"] = json!("entracte.document/1");
        shown["text"] = json!(text);
        context.out.write_json_line(&shown)?;
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
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let found = services.knowledge.search().run(workspace, question, limit).await.map_err(document_error)?;
    let texts = context.texts(&services, workspace).await?;
    if let Some(error) = &found.text_only {
        context.out.write_notice(&say!(texts, "knowledge-by-words-only", why = error.to_string()));
    }
    if found.left > 0 {
        context.out.write_notice(&say!(texts, "knowledge-left", count = found.left));
    }
    if context.out.json {
        let results: Vec<Value> = found.chunks.iter().map(hit).collect();
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.knowledge_results/1", "results": results }))?;
        return Ok(CliExitCode::Done);
    }
    if found.chunks.is_empty() {
        let key = if found.documents == 0 { "knowledge-empty" } else { "knowledge-no-hit" };
        context.out.write_notice(&texts.render(key, &[]));
    }
    for found in &found.chunks {
        context.out.write_data_line(&drawn(found, texts))?;
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

async fn remove(context: &CommandContext, documents: &[String]) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let texts = context.texts(&services, workspace).await?;
    let mut removed = Vec::new();
    for which in documents {
        let gone = services.knowledge.remove().run(workspace, which).await.map_err(document_error)?;
        context.out.write_notice(&say!(texts, "knowledge-removed", name = one_line(&gone.name)));
        removed.push(object(&gone));
    }
    if context.out.json {
        context
            .out
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
