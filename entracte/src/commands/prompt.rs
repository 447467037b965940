//! `session prompt`: shows the exact request of a past model call.

use std::io::Write;
use std::path::Path;

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::prompt::{CountShape, PartShape, PartsShape, PromptShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use crate::api_client::{ApiClient, ShortIdKind, post_empty};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, refs, table};
use crate::render::stored_words::word;
use crate::user_text::message;

/// What `session prompt --json` prints: a past request, its file if it was written to one, and its parts if they were
/// asked for.
#[derive(Serialize)]
struct PromptObject<'a> {
    #[serde(flatten)]
    prompt: &'a PromptShape,
    file: Option<String>,
    parts: Option<&'a [PartShape]>,
}

/// Prints the request or its parts; exit code 1 if it differs from the sent one, and no retention policy says why.
pub(crate) async fn run(
    context: &CommandContext,
    named: &str,
    parts: bool,
    output: Option<&Path>,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let call = api.find(ShortIdKind::ModelCall, named).await?;
    let mut prompt: PromptShape = api.get(&api.path(&["model-calls", &call])).await?;
    if let (Some(file), Some(body)) = (output, &prompt.body) {
        write(file, body.as_bytes())?;
    }
    let of = match parts {
        true => Some(api.get::<PartsShape>(&api.path(&["model-calls", &call, "parts"])).await?.parts),
        false => None,
    };
    let texts = api.texts().await?;
    if context.out.json {
        let file = output.filter(|_| prompt.body.is_some()).map(|file| file.display().to_string());
        prompt.body = prompt.body.filter(|_| output.is_none());
        let object = PromptObject { prompt: &prompt, file, parts: of.as_deref() };
        context.out.write_json_line(&VersionedShape::new("entracte.prompt/2", object))?;
    } else if let Some(of) = &of {
        for line in drawn_parts(context, &prompt, of, texts) {
            context.out.write_data_line(&line)?;
        }
    } else if let (None, Some(body)) = (output, &prompt.body) {
        context.out.write_bytes(body.as_bytes())?;
    }
    judge(context, &prompt, output, texts)
}

/// Shows the provider's token count of the request, and the estimate.
pub(crate) async fn count(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let call = api.find(ShortIdKind::ModelCall, named).await?;
    let asked = api.answer(post_empty(&api.path(&["model-calls", &call, "count"]))).await;
    let answer = match asked {
        Ok(answer) => answer,
        Err(ApiFault::Refused(problem)) if problem.code() == ProblemCode::NotApplicable => {
            let prompt: PromptShape = api.get(&api.path(&["model-calls", &call])).await?;
            let next = format!("entracte provider check {}", prompt.provider);
            return Err(CliError::with_next(CliExitCode::Failure, problem.detail().clone(), next));
        }
        Err(fault) => return Err(api.error(fault)),
    };
    let count: CountShape = api.parse(&answer)?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.count/1", count))?;
        return Ok(CliExitCode::Done);
    }
    let (texts, provider) = (api.texts().await?, &count.provider);
    let says = match count.counted {
        None => {
            say!(texts, "prompt-counts-none", provider = provider, estimated = count.estimated.to_string())
        }
        Some(counted) => say!(
            texts,
            "prompt-counted",
            call = &count.model_call,
            counted = counted.to_string(),
            estimated = count.estimated.to_string(),
            share = share(count.estimated, counted)
        ),
    };
    context.out.write_data_line(&says)?;
    Ok(CliExitCode::Done)
}

/// Never overwrites a file.
fn write(file: &Path, body: &[u8]) -> Result<(), CliError> {
    let shown = file.display().to_string();
    let made = std::fs::File::create_new(file).and_then(|mut made| made.write_all(body));
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => CliError::with_next(
            CliExitCode::Conflict,
            message!("file-exists", file = &shown),
            "entracte session prompt MODEL_CALL --output ANOTHER_FILE",
        ),
        _ => CliError::with_next(
            CliExitCode::Failure,
            message!("cannot-be-written", file = &shown, why = error.to_string()),
            "entracte session prompt MODEL_CALL --output ANOTHER_FILE",
        ),
    })
}

/// Reports whether these are the bytes that were sent.
fn judge(
    context: &CommandContext,
    prompt: &PromptShape,
    output: Option<&Path>,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let call = &prompt.call;
    let digest = prompt.digest.as_deref().unwrap_or_default();
    let failed = |text, next: &str| {
        let error = CliError::with_next(CliExitCode::Failure, text, next);
        context.out.write_error_text(&error.localized(texts));
        Ok(CliExitCode::Failure)
    };
    let says = match &*prompt.verdict {
        "matches" => say!(texts, "prompt-same", call = &call.id, digest = digest),
        "not_recorded" => say!(texts, "prompt-not-recorded", call = &call.id, digest = digest),
        "results_gone" => say!(texts, "prompt-results-gone", call = &call.id, count = prompt.results_gone),
        "differs" => {
            let text = message!(
                "prompt-differs",
                call = &call.id,
                digest = digest,
                recorded = call.recorded.as_deref().unwrap_or_default(),
                provider = &prompt.provider
            );
            return failed(text, &format!("entracte session verify {}", call.session));
        }
        _ => {
            let why = prompt.failure.as_deref().unwrap_or_default();
            let text = message!("prompt-no-provider", call = &call.id, why = why);
            return failed(text, "entracte provider list");
        }
    };
    context.out.write_notice(&says);
    if let Some(file) = output {
        context.out.write_notice(&say!(texts, "prompt-written", file = file.display().to_string()));
    }
    if call.sent_by != call.session {
        context.out.write_notice(&say!(texts, "prompt-sent-by", session = &call.sent_by));
    }
    Ok(CliExitCode::Done)
}

/// A table of the parts with their shares.
fn drawn_parts(
    context: &CommandContext,
    prompt: &PromptShape,
    parts: &[PartShape],
    texts: &LocalizedTexts,
) -> Vec<String> {
    let total = prompt.estimated_tokens;
    let row = |part: &PartShape| {
        vec![
            word("part", &part.part, texts),
            part.estimated_tokens.to_string(),
            share(part.estimated_tokens, total),
            part.name.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = parts.iter().map(row).collect();
    let mut lines =
        table(&refs(&heads(texts, &["part", "tokens", "share", "what"])), &rows, context.out.style);
    let window = match prompt.context_tokens {
        Some(window) => say!(texts, "prompt-window", share = share(prompt.size, window), window = window),
        None => say!(texts, "prompt-no-window", provider = &prompt.provider),
    };
    lines.push(String::new());
    // Two different estimates: parts are compared by characters alone, the budget uses the provider's counts.
    lines.push(say!(texts, "prompt-total", total = total, chars = prompt.chars_per_token));
    lines.push(say!(
        texts,
        "prompt-size",
        size = prompt.size,
        counted = prompt.counted,
        estimated = prompt.size.saturating_sub(prompt.counted),
        window = window
    ));
    lines
}

/// A percentage with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}
