//! The two ways in which commands are encoded for a model: one JSON object of ours ([`envelope`]), or the
//! provider's native tool calls ([`tools`]). [`relay`] is how an AI outside asks through a session of its own.

pub mod envelope;
pub mod relay;
pub mod tools;

/// The most steps of a plan, and the most characters of a step.
const STEPS_MAX: usize = 30;
const STEP_MAX_CHARS: usize = 300;

/// The steps of a plan as they are kept: a plan is only shown, so what is too long is cut and not refused.
fn plan_steps<'a>(steps: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let steps = steps.into_iter().map(str::trim).filter(|step| !step.is_empty());
    steps.map(|step| step.chars().take(STEP_MAX_CHARS).collect()).take(STEPS_MAX).collect()
}

/// What a run says last, with its report.
fn with_report(said: String, report: Option<&str>) -> String {
    match report.map(str::trim).filter(|report| !report.is_empty()) {
        None => said,
        Some(report) if said.trim().is_empty() => report.to_owned(),
        Some(report) => format!("{said}\n\n{report}"),
    }
}
