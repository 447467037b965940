//! `session prompt`: shows the exact request of a past model call.

use std::io::Write;
use std::path::Path;

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    CHARS_PER_TOKEN, PromptPart, RebuildPrompt, RebuiltPrompt, RequestDigestCheck,
};

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::PromptObject;
use crate::render::listing::{heads, refs, table};
use crate::render::stored_words::word;
use crate::user_text::message;

/// Prints the request or its parts; exit code 1 if it differs from the sent one.
pub(crate) async fn run(
    context: &CommandContext,
    named: &str,
    parts: bool,
    output: Option<&Path>,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let settings = context.settings.runtime.clone();
    let rebuild = RebuildPrompt::new(
        services.store.clone(),
        services.log.clone(),
        services.providers.clone(),
        settings,
    );
    let rebuilt = rebuild.run(&context.settings.workspace, named).await?;
    if let (Some(file), Ok(body)) = (output, &rebuilt.body) {
        write(file, body)?;
    }
    let texts = context.workspace_texts().await;
    if context.out.json {
        context.out.write_json_line(&PromptObject::new(&rebuilt, parts, output))?;
    } else if parts {
        for line in drawn_parts(context, &rebuilt, texts) {
            context.out.write_data_line(&line)?;
        }
    } else if let (None, Ok(body)) = (output, &rebuilt.body) {
        context.out.write_bytes(body)?;
    }
    judge(context, &rebuilt, output, texts)
}

/// Shows the provider's token count of the request, and the estimate.
pub(crate) async fn count(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let settings = context.settings.runtime.clone();
    let rebuild = RebuildPrompt::new(
        services.store.clone(),
        services.log.clone(),
        services.providers.clone(),
        settings,
    );
    let rebuilt = rebuild.run(&context.settings.workspace, named).await?;
    let (call, provider) = (rebuilt.call.id.to_string(), rebuilt.voice.provider.clone());
    let failed = |why: String| {
        let text = message!("prompt-not-counted", provider = &provider, why = why);
        CliError::with_next(CliExitCode::Failure, text, format!("entracte provider check {provider}"))
    };
    let asked = services.providers.provider(&provider).map_err(|failure| failed(failure.message))?;
    let estimated = rebuilt.size.tokens;
    let counted = asked.count(rebuilt.request).await.map_err(|failure| failed(failure.message))?;
    if context.out.json {
        let counted = serde_json::json!({
            "schema": "entracte.count/1",
            "model_call": call,
            "provider": provider,
            "counted": counted,
            "estimated": estimated,
        });
        context.out.write_json_line(&counted)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.workspace_texts().await;
    let says = match counted {
        None => say!(texts, "prompt-counts-none", provider = &provider, estimated = estimated.to_string()),
        Some(counted) => say!(
            texts,
            "prompt-counted",
            call = &call,
            counted = counted.to_string(),
            estimated = estimated.to_string(),
            share = share(estimated, counted)
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
    rebuilt: &RebuiltPrompt,
    output: Option<&Path>,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let call = &rebuilt.call;
    let provider = &rebuilt.voice.provider;
    let says = match (rebuilt.digests(), &rebuilt.body) {
        (Some(RequestDigestCheck::Match(digest)), _) => {
            say!(texts, "prompt-same", call = call.id.as_str(), digest = digest.as_str())
        }
        (Some(RequestDigestCheck::NotRecorded { rebuilt }), _) => {
            say!(texts, "prompt-not-recorded", call = call.id.as_str(), digest = rebuilt.as_str())
        }
        (Some(RequestDigestCheck::Differ { rebuilt: digest, recorded }), _) => {
            let text = message!(
                "prompt-differs",
                call = call.id.as_str(),
                digest = digest.as_str(),
                recorded = recorded.as_str(),
                provider = provider
            );
            context.out.write_error_text(
                &CliError::with_next(CliExitCode::Failure, text, verify(rebuilt)).localized(texts),
            );
            return Ok(CliExitCode::Failure);
        }
        (None, Err(failure)) => {
            let text = message!("prompt-no-provider", call = call.id.as_str(), why = &failure.message);
            let error = CliError::with_next(CliExitCode::Failure, text, "entracte provider list");
            context.out.write_error_text(&error.localized(texts));
            return Ok(CliExitCode::Failure);
        }
        (None, Ok(_)) => return Ok(CliExitCode::Done),
    };
    context.out.write_notice(&says);
    if let Some(file) = output {
        context.out.write_notice(&say!(texts, "prompt-written", file = file.display().to_string()));
    }
    if call.sent_by != call.session {
        context.out.write_notice(&say!(texts, "prompt-sent-by", session = call.sent_by.as_str()));
    }
    Ok(CliExitCode::Done)
}

fn verify(rebuilt: &RebuiltPrompt) -> String {
    format!("entracte session verify {}", rebuilt.call.session)
}

/// A table of the parts with their shares.
fn drawn_parts(context: &CommandContext, rebuilt: &RebuiltPrompt, texts: &LocalizedTexts) -> Vec<String> {
    let total = rebuilt.tokens();
    let row = |part: &PromptPart| {
        vec![
            word("part", part.kind, texts),
            part.tokens().to_string(),
            share(part.tokens(), total),
            part.name.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = rebuilt.parts.iter().map(row).collect();
    let mut lines =
        table(&refs(&heads(texts, &["part", "tokens", "share", "what"])), &rows, context.out.style);
    let size = rebuilt.size;
    let window = match rebuilt.context_tokens {
        Some(window) => say!(texts, "prompt-window", share = share(size.tokens, window), window = window),
        None => say!(texts, "prompt-no-window", provider = &rebuilt.voice.provider),
    };
    lines.push(String::new());
    // Two different estimates: parts are compared by characters alone, the budget uses the provider's counts.
    lines.push(say!(texts, "prompt-total", total = total, chars = CHARS_PER_TOKEN));
    lines.push(say!(
        texts,
        "prompt-size",
        size = size.tokens,
        counted = size.counted,
        estimated = size.tokens.saturating_sub(size.counted),
        window = window
    ));
    lines
}

/// A percentage with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}
