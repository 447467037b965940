//! Renders the result of an automation's dry run.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    DryRunCall, DryRunCommand, DryRunFinding, DryRunReport, DryRunRequest, DryRunScriptSource,
};
use entracte_domain::automation::Automation;

use super::listing::table;
use super::stored_words::word;
use super::text::{one_line, prefix_lines_with_bar};
use super::time::TimeFormatter;
use crate::output::OutputStyle;

/// The full report, the conclusion first. With `prompt` it contains the whole request.
pub(crate) fn lines(
    automation: &Automation,
    run: &DryRunReport,
    prompt: bool,
    texts: &LocalizedTexts,
    dial: TimeFormatter<'_>,
    style: OutputStyle,
) -> Vec<String> {
    let name = one_line(&automation.name);
    let verdict = match (run.would_work(), run.has_omitted_effects()) {
        (true, false) => "dry-would-work",
        (true, true) => "dry-would-leave-out",
        (false, _) => "dry-would-not-work",
    };
    let mut lines = vec![texts.render(verdict, &[("name", name.into())])];
    lines.extend(run.findings.iter().map(finding));
    if let Some(at) = run.awaits {
        lines.push(say!(texts, "dry-next", at = dial.with_relative_time(at, texts)));
    }
    lines.push(plays(run, texts));
    if let Some(asked) = &run.request {
        lines.extend(request(asked, prompt, texts, style));
    }
    lines.extend(calls(&run.calls, texts, style));
    lines.extend(commands(&run.commands, texts, style));
    lines
}

fn finding(finding: &DryRunFinding) -> String {
    format!("  {} {}", if finding.blocks { "✗" } else { "·" }, one_line(&finding.says))
}

fn plays(run: &DryRunReport, texts: &LocalizedTexts) -> String {
    match &run.plays {
        DryRunScriptSource::LastRun(session) => say!(texts, "dry-plays-last-run", session = session.as_str()),
        DryRunScriptSource::Script => say!(texts, "dry-plays-script"),
        DryRunScriptSource::Nothing => say!(texts, "dry-plays-nothing"),
    }
}

fn request(request: &DryRunRequest, whole: bool, texts: &LocalizedTexts, style: OutputStyle) -> Vec<String> {
    let head = match request.context_tokens {
        Some(most) => say!(texts, "dry-asked-of", tokens = request.tokens, most = most),
        None => say!(texts, "dry-asked", tokens = request.tokens),
    };
    let shown = if whole {
        match &request.body {
            Ok(body) => body,
            Err(why) => why,
        }
    } else {
        &request.message
    };
    let mut lines = vec![String::new(), head];
    lines.extend(prefix_lines_with_bar(shown, style.width.unwrap_or(WIDTH)).lines().map(str::to_owned));
    lines
}

/// The columns of text that does not go to a terminal.
const WIDTH: usize = 120;

fn calls(calls: &[DryRunCall], texts: &LocalizedTexts, style: OutputStyle) -> Vec<String> {
    let row = |call: &DryRunCall| {
        vec![
            call.command.clone(),
            word("kind", call.kind.word(), texts),
            if call.waits { say!(texts, "dry-asks") } else { say!(texts, "dry-asks-not") },
            if call.held_back { say!(texts, "dry-held") } else { word("state", &call.state, texts) },
            call.says.clone().unwrap_or_else(|| call.arguments.to_json()),
        ]
    };
    let rows: Vec<Vec<String>> = calls.iter().map(row).collect();
    titled(say!(texts, "dry-calls"), &["command", "kind", "approval", "became", "what"], &rows, texts, style)
}

fn commands(commands: &[DryRunCommand], texts: &LocalizedTexts, style: OutputStyle) -> Vec<String> {
    let row = |command: &DryRunCommand| {
        let asks: Vec<String> = command.asks.iter().map(|reason| one_line(&reason.text)).collect();
        vec![command.name.clone(), word("kind", command.kind.word(), texts), asks.join("; ")]
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
