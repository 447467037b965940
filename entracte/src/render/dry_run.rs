//! Renders the result of an automation's dry run.

use entracte_adapters_http::shapes::dry_run::{
    DryCallShape, DryCommandShape, DryRequestShape, DryRunShape, FindingShape,
};
use entracte_application::texts::{LocalizedTexts, say};

use super::listing::table;
use super::stored_words::word;
use super::text::{one_line, prefix_lines_with_bar};
use super::time::{TimeFormatter, shown_instant};
use crate::output::OutputStyle;

/// The full report, the conclusion first. With `prompt` it contains the whole request.
pub(crate) fn lines(
    name: &str,
    run: &DryRunShape,
    prompt: bool,
    texts: &LocalizedTexts,
    dial: TimeFormatter<'_>,
    style: OutputStyle,
) -> Vec<String> {
    let name = one_line(name);
    let verdict = match (run.would_work, run.leaves_out) {
        (true, false) => "dry-would-work",
        (true, true) => "dry-would-leave-out",
        (false, _) => "dry-would-not-work",
    };
    let mut lines = vec![texts.render(verdict, &[("name", name.into())])];
    lines.extend(run.findings.iter().map(finding));
    if let Some(at) = &run.next_at {
        let at = shown_instant(at, |at| dial.with_relative_time(at, texts));
        lines.push(say!(texts, "dry-next", at = at));
    }
    lines.push(plays(run, texts));
    if let Some(asked) = &run.request {
        lines.extend(request(asked, prompt, texts, style));
    }
    lines.extend(calls(&run.calls, texts, style));
    lines.extend(commands(&run.commands, texts, style));
    lines
}

fn finding(finding: &FindingShape) -> String {
    format!("  {} {}", if finding.blocks { "✗" } else { "·" }, one_line(&finding.says))
}

fn plays(run: &DryRunShape, texts: &LocalizedTexts) -> String {
    match (&run.last_run, &*run.plays) {
        (Some(session), _) => say!(texts, "dry-plays-last-run", session = session.as_str()),
        (None, "script") => say!(texts, "dry-plays-script"),
        (None, _) => say!(texts, "dry-plays-nothing"),
    }
}

fn request(
    request: &DryRequestShape,
    whole: bool,
    texts: &LocalizedTexts,
    style: OutputStyle,
) -> Vec<String> {
    let head = match request.context_tokens {
        Some(most) => say!(texts, "dry-asked-of", tokens = request.estimated_tokens, most = most),
        None => say!(texts, "dry-asked", tokens = request.estimated_tokens),
    };
    let shown = if whole {
        request.body.as_ref().or(request.failure.as_ref()).map_or("", String::as_str)
    } else {
        request.message.as_str()
    };
    let mut lines = vec![String::new(), head];
    lines.extend(prefix_lines_with_bar(shown, style.width.unwrap_or(WIDTH)).lines().map(str::to_owned));
    lines
}

/// The columns of text that does not go to a terminal.
const WIDTH: usize = 120;

fn calls(calls: &[DryCallShape], texts: &LocalizedTexts, style: OutputStyle) -> Vec<String> {
    let row = |call: &DryCallShape| {
        vec![
            call.command.clone(),
            word("kind", &call.kind, texts),
            if call.waits_for_approval { say!(texts, "dry-asks") } else { say!(texts, "dry-asks-not") },
            if call.held_back { say!(texts, "dry-held") } else { word("state", &call.state, texts) },
            call.says.clone().unwrap_or_else(|| call.arguments_text.clone()),
        ]
    };
    let rows: Vec<Vec<String>> = calls.iter().map(row).collect();
    titled(say!(texts, "dry-calls"), &["command", "kind", "approval", "became", "what"], &rows, texts, style)
}

fn commands(commands: &[DryCommandShape], texts: &LocalizedTexts, style: OutputStyle) -> Vec<String> {
    let row = |command: &DryCommandShape| {
        let asks: Vec<String> = command.reasons.iter().map(|reason| one_line(&reason.text)).collect();
        vec![command.name.clone(), word("kind", &command.kind, texts), asks.join("; ")]
    };
    let rows: Vec<Vec<String>> = commands.iter().map(row).collect();
    titled(say!(texts, "dry-commands"), &["command", "kind", "approval"], &rows, texts, style)
}

fn titled(
    title: String,
    columns: &[&str],
    rows: &[Vec<String>],
    texts: &LocalizedTexts,
    style: OutputStyle,
) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let heads: Vec<String> =
        columns.iter().map(|name| texts.render(&format!("dry-head-{name}"), &[])).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut lines = vec![String::new(), title];
    lines.extend(table(&heads, rows, style));
    lines
}
