//! `knowledge embed`: computes missing embeddings.

use entracte_application::ports::{SemanticRetrievalError, VectorCoverage};
use entracte_application::semantic::EmbeddingReport;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

use super::progress_bar::bar;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// Runs `knowledge embed`.
pub(super) async fn run(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let filled = match fill(context, &services).await {
        None => {
            let says = message!("knowledge-embed-off");
            return Err(CliError::with_next(CliExitCode::Usage, says, "entracte config show"));
        }
        Some(Err(SemanticRetrievalError::Store(error))) => return Err(error.into()),
        // No embeddings, no space for them, and future variants.
        Some(Err(error)) => {
            let says = message!("knowledge-embed-failed", why = error.to_string());
            return Err(CliError::with_next(CliExitCode::Failure, says, EMBED));
        }
        Some(Ok(filled)) => filled,
    };
    context.out.write_notice(&told(&filled, texts));
    if context.out.json {
        context.out.write_json_line(&json!({
            "schema": "entracte.knowledge_embedded/1",
            "made": filled.made,
            "known": filled.known,
            "refused": filled.refused,
            "forgotten": filled.forgotten,
        }))?;
    }
    Ok(CliExitCode::Done)
}

/// Computes missing embeddings after documents were added, if semantic search is on. The documents are added in any
/// case, so an error is only reported.
pub(super) async fn after_adding(context: &CommandContext, services: &AppServices, texts: &LocalizedTexts) {
    match fill(context, services).await {
        None => {}
        Some(Ok(filled)) if filled == EmbeddingReport::default() => {}
        Some(Ok(filled)) => context.out.write_notice(&told(&filled, texts)),
        Some(Err(error)) => {
            let why = one_line(&error.to_string());
            context
                .out
                .write_warning(&format!("{}\n  {EMBED}", say!(texts, "knowledge-embed-failed", why = why)));
        }
    }
}

/// Computes missing embeddings; `None` if semantic search is off.
async fn fill(
    context: &CommandContext,
    services: &AppServices,
) -> Option<Result<EmbeddingReport, SemanticRetrievalError>> {
    let embed = services.knowledge.embed.as_ref()?;
    let out = &context.out;
    let watch = |tally: VectorCoverage| {
        if out.watched && !out.quiet {
            let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            out.draw_transient_lines(&[bar(number(tally.vectors), number(tally.chunks), "")]);
        }
    };
    let filled = embed.run(&context.settings.workspace, &watch).await;
    out.draw_transient_lines(&[]);
    Some(filled)
}

fn told(filled: &EmbeddingReport, texts: &LocalizedTexts) -> String {
    let says = say!(texts, "knowledge-embedded", made = filled.made, known = filled.known);
    match filled.refused {
        0 => says,
        refused => format!("{says}\n{}", say!(texts, "knowledge-embed-refused", count = refused)),
    }
}

const EMBED: &str = "entracte knowledge embed";
