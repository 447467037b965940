//! The two encodings of commands for a model: one JSON object of Entracte ([`envelope`]), or the provider's
//! native tool calls ([`tools`]). [`relay`] carries the calls of an external client through a session of its own.

pub mod envelope;
pub mod relay;
pub mod tools;

use entracte_domain::command::FIND_COMMANDS;

use crate::ports::CommandSpec;

/// Whether commands that are not among these are found on demand.
fn has_commands_on_demand(commands: &[CommandSpec]) -> bool {
    commands.iter().any(|spec| spec.name == FIND_COMMANDS)
}

/// Maximum steps of a plan, and maximum characters of a step.
const STEPS_MAX: usize = 30;
const STEP_MAX_CHARS: usize = 300;

/// The stored steps of a plan: a plan is only displayed, so too long ones are truncated and not refused.
fn plan_steps<'a>(steps: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let steps = steps.into_iter().map(str::trim).filter(|step| !step.is_empty());
    steps.map(|step| step.chars().take(STEP_MAX_CHARS).collect()).take(STEPS_MAX).collect()
}

/// The last message of a run, including its report.
fn with_report(said: String, report: Option<&str>) -> String {
    match report.map(str::trim).filter(|report| !report.is_empty()) {
        None => said,
        Some(report) if said.trim().is_empty() => report.to_owned(),
        Some(report) => format!("{said}\n\n{report}"),
    }
}
