//! `session prompt`: the exact request of a past model call.

use std::io::Write;
use std::path::Path;

use entracte_application::use_cases::{CHARS_PER_TOKEN, Digests, PromptPart, RebuildPrompt, RebuiltPrompt};

use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::json::PromptObject;
use crate::render::listing::table;

/// Prints it, or what it is made of; exit 1 when it is not what was sent.
pub(crate) async fn run(
    desk: &Desk,
    named: &str,
    parts: bool,
    output: Option<&Path>,
) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let settings = desk.settings.runtime.clone();
    let rebuild =
        RebuildPrompt::new(wiring.store.clone(), wiring.log.clone(), wiring.providers.clone(), settings);
    let rebuilt = rebuild.run(named).await?;
    if let (Some(file), Ok(body)) = (output, &rebuilt.body) {
        write(file, body)?;
    }
    if desk.out.json {
        desk.out.object(&PromptObject::new(&rebuilt, parts, output))?;
    } else if parts {
        for line in drawn_parts(desk, &rebuilt) {
            desk.out.data(&line)?;
        }
    } else if let (None, Ok(body)) = (output, &rebuilt.body) {
        desk.out.bytes(body)?;
    }
    judge(desk, &rebuilt, output)
}

/// Never over another file.
fn write(file: &Path, body: &[u8]) -> Result<(), CliError> {
    let shown = file.display();
    let made = std::fs::File::create_new(file).and_then(|mut made| made.write_all(body));
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => CliError::with_next(
            Exit::Conflict,
            format!("there is a file {shown} already; name another one"),
            "entracte session prompt MODEL_CALL --output ANOTHER_FILE",
        ),
        _ => CliError::with_next(
            Exit::Failure,
            format!("the file {shown} cannot be written: {error}"),
            "entracte session prompt MODEL_CALL --output ANOTHER_FILE",
        ),
    })
}

/// Says whether these are the bytes that were sent.
fn judge(desk: &Desk, rebuilt: &RebuiltPrompt, output: Option<&Path>) -> Result<Exit, CliError> {
    let call = &rebuilt.call;
    let provider = &rebuilt.voice.provider;
    let says = match (rebuilt.digests(), &rebuilt.body) {
        (Some(Digests::Match(digest)), _) => {
            format!("{}: the digest matches what was sent ({digest})", call.id)
        }
        (Some(Digests::NotRecorded { rebuilt }), _) => {
            format!(
                "{}: no digest was recorded, for this attempt has no reply; these bytes have {rebuilt}",
                call.id
            )
        }
        (Some(Digests::Differ { rebuilt: digest, recorded }), _) => {
            let text = format!(
                "{}: these are not the bytes that were sent: they have the digest {digest}, and {recorded} was \
                 recorded. Perhaps another version of Entracte sent them, or the entry providers.{provider} was \
                 changed and this generation is too old to have kept how it wrote",
                call.id
            );
            desk.out.trouble(&CliError::with_next(Exit::Failure, text, verify(rebuilt)));
            return Ok(Exit::Failure);
        }
        (None, Err(failure)) => {
            let text = format!(
                "{}: the bytes cannot be made, for the provider that wrote them cannot be had: {}",
                call.id, failure.message
            );
            desk.out.trouble(&CliError::with_next(Exit::Failure, text, "entracte provider list"));
            return Ok(Exit::Failure);
        }
        (None, Ok(_)) => return Ok(Exit::Done),
    };
    desk.out.say(&says);
    if let Some(file) = output {
        desk.out.say(&format!("written to {}", file.display()));
    }
    if call.sent_by != call.session {
        desk.out.say(&format!("sent by {}, which this session was copied from", call.sent_by));
    }
    Ok(Exit::Done)
}

fn verify(rebuilt: &RebuiltPrompt) -> String {
    format!("entracte session verify {}", rebuilt.call.session)
}

/// A table of the parts, and what they are out of.
fn drawn_parts(desk: &Desk, rebuilt: &RebuiltPrompt) -> Vec<String> {
    let total = rebuilt.tokens();
    let row = |part: &PromptPart| {
        vec![part.kind.to_owned(), part.tokens().to_string(), share(part.tokens(), total), part.name.clone()]
    };
    let rows: Vec<Vec<String>> = rebuilt.parts.iter().map(row).collect();
    let mut lines = table(&["part", "tokens", "share", "what"], &rows, desk.out.style);
    let window = match rebuilt.context_tokens {
        Some(window) => format!("{} of a context window of {window}", share(total, window)),
        None => format!(
            "the context window is not known: entracte provider edit {} --set context_tokens=NUMBER",
            rebuilt.voice.provider
        ),
    };
    lines.push(String::new());
    lines.push(format!("{total} tokens in all, estimated as {CHARS_PER_TOKEN} characters each; {window}"));
    lines
}

/// Per cent, with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}
