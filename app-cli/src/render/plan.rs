//! Renders an approved plan and its progress.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::plan::{Plan, PlanMode, PlanStep, PlanStepState};

use super::stored_words::word;
use super::text::one_line;

/// A short text for a plan mode.
pub(crate) fn mode_words(mode: PlanMode, texts: &LocalizedTexts) -> String {
    match mode {
        PlanMode::Free => say!(texts, "mode-free"),
        PlanMode::Plan => say!(texts, "mode-plan"),
    }
}

/// The plan as a list under its title, each step with its mark.
pub(crate) fn plan(plan: &Plan, texts: &LocalizedTexts) -> String {
    let mut lines = vec![head(plan, texts)];
    lines.extend(plan.steps.iter().map(|step| format!("  {}", self::step(step, texts))));
    lines.join("\n")
}

/// The title, and how many steps are done.
pub(crate) fn head(plan: &Plan, texts: &LocalizedTexts) -> String {
    let title = one_line(&plan.title);
    let done = plan.steps.iter().filter(|step| is_over(step.state)).count();
    match plan.approved_by {
        Some(_) => say!(texts, "plan-progress", title = title, done = done, count = plan.steps.len()),
        None => say!(texts, "plan-not-approved", title = title),
    }
}

/// A step with its mark and its note.
pub(crate) fn step(step: &PlanStep, texts: &LocalizedTexts) -> String {
    let text = one_line(&step.text);
    let line = format!("{} {}. {text}", mark(step.state), one_line(&step.id));
    let line = match step.state {
        PlanStepState::Open | PlanStepState::Done => line,
        PlanStepState::Doing | PlanStepState::Skipped => {
            format!("{line} ({})", word("step", step.state.word(), texts))
        }
    };
    match &step.note {
        Some(note) => format!("{line}{} {}", say!(texts, "screen-colon"), one_line(note)),
        None => line,
    }
}

const fn is_over(state: PlanStepState) -> bool {
    match state {
        PlanStepState::Done | PlanStepState::Skipped => true,
        PlanStepState::Open | PlanStepState::Doing => false,
    }
}

const fn mark(state: PlanStepState) -> &'static str {
    match state {
        PlanStepState::Open => "○",
        PlanStepState::Doing => "◐",
        PlanStepState::Done => "●",
        PlanStepState::Skipped => "–",
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use entracte_domain::id::Digest;

    use super::*;

    #[test]
    fn plan_is_rendered_with_step_marks() {
        let step = |id: &str, text: &str, state, note: Option<&str>| PlanStep {
            id: id.into(),
            text: text.into(),
            state,
            note: note.map(str::to_owned),
        };
        let plan = Plan {
            digest: Digest::new("d"),
            title: "Trip".into(),
            steps: vec![
                step("1", "Book the train", PlanStepState::Done, Some("at 9:12")),
                step("2", "Ask Bob", PlanStepState::Skipped, None),
                step("3", "Pack", PlanStepState::Doing, None),
                step("4", "Go", PlanStepState::Open, None),
            ],
            approved_by: Some("ann".into()),
        };
        let english = "Plan “Trip”: 2 of 4 steps done\n  ● 1. Book the train: at 9:12\n  – 2. Ask Bob (skipped)\n  \
                       ◐ 3. Pack (in progress)\n  ○ 4. Go";
        assert_eq!(self::plan(&plan, LocalizedTexts::for_language(Language::En)), english);
        let copied = Plan { approved_by: None, steps: Vec::new(), ..plan };
        assert_eq!(
            self::plan(&copied, LocalizedTexts::for_language(Language::Fr)),
            "Plan «\u{a0}Trip\u{a0}»\u{a0}: personne ne l’a approuvé ici"
        );
    }
}
