//! Renders an approved plan and its progress.

use entracte_adapters_http::shapes::approved_plan::{PlanShape, PlanStepShape};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::plan::PlanMode;

use super::stored_words::word;
use super::text::one_line;

/// A short text for a plan mode.
pub(crate) fn mode_words(mode: PlanMode, texts: &LocalizedTexts) -> String {
    mode_text(mode.word(), texts)
}

/// The same, for the word of a mode.
pub(crate) fn mode_text(mode: &str, texts: &LocalizedTexts) -> String {
    let key = format!("mode-{mode}");
    if texts.has(&key) { texts.render(&key, &[]) } else { one_line(mode) }
}

/// The plan as a list under its title, each step with its mark.
pub(crate) fn plan(plan: &PlanShape, texts: &LocalizedTexts) -> String {
    let mut lines = vec![head(plan, texts)];
    lines.extend(plan.steps.iter().map(|step| format!("  {}", self::step(step, texts))));
    lines.join("\n")
}

/// The title, and how many steps are done.
pub(crate) fn head(plan: &PlanShape, texts: &LocalizedTexts) -> String {
    let title = one_line(&plan.title);
    let done = plan.steps.iter().filter(|step| is_over(&step.state)).count();
    match plan.approved_by {
        Some(_) => say!(texts, "plan-progress", title = title, done = done, count = plan.steps.len()),
        None => say!(texts, "plan-not-approved", title = title),
    }
}

/// A step with its mark and its note.
pub(crate) fn step(step: &PlanStepShape, texts: &LocalizedTexts) -> String {
    let text = one_line(&step.text);
    let line = format!("{} {}. {text}", mark(&step.state), one_line(&step.id));
    let line = match &*step.state {
        "open" | "done" => line,
        state => format!("{line} ({})", word("step", state, texts)),
    };
    match &step.note {
        Some(note) => format!("{line}{} {}", say!(texts, "screen-colon"), one_line(note)),
        None => line,
    }
}

fn is_over(state: &str) -> bool {
    matches!(state, "done" | "skipped")
}

fn mark(state: &str) -> &'static str {
    match state {
        "doing" => "◐",
        "done" => "●",
        "skipped" => "–",
        _ => "○",
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    #[test]
    fn plan_is_rendered_with_step_marks() {
        let step = |id: &str, text: &str, state: &'static str, note: Option<&str>| PlanStepShape {
            id: id.into(),
            text: text.into(),
            state: state.into(),
            note: note.map(str::to_owned),
        };
        let plan = PlanShape {
            digest: "d".into(),
            title: "Trip".into(),
            steps: vec![
                step("1", "Book the train", "done", Some("at 9:12")),
                step("2", "Ask Bob", "skipped", None),
                step("3", "Pack", "doing", None),
                step("4", "Go", "open", None),
            ],
            approved_by: Some("ann".into()),
        };
        let english = "Plan “Trip”: 2 of 4 steps done\n  ● 1. Book the train: at 9:12\n  – 2. Ask Bob (skipped)\n  \
                       ◐ 3. Pack (in progress)\n  ○ 4. Go";
        assert_eq!(self::plan(&plan, LocalizedTexts::for_language(Language::En)), english);
        let copied = PlanShape { approved_by: None, steps: Vec::new(), ..plan };
        assert_eq!(
            self::plan(&copied, LocalizedTexts::for_language(Language::Fr)),
            "Plan «\u{a0}Trip\u{a0}»\u{a0}: personne ne l’a approuvé ici"
        );
    }
}
