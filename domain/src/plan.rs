//! A plan: numbered steps that a person approves before a session acts, and how far each is.

use crate::command::Command;
use crate::id::Digest;
use crate::localizable_text::{LocalizableText, sentences};
use crate::value::JsonValue;

crate::words! {
    /// What a session needs before it may act. Only people set it.
    pub enum PlanMode {
        /// Nothing beside the approvals of its actions.
        Free = "free",
        /// A plan that a person approved; each action still needs the approvals that it needs.
        Plan = "plan",
    }
}

crate::words! {
    /// How far a step is.
    pub enum PlanStepState {
        /// Not begun.
        Open = "open",
        /// Under way.
        Doing = "doing",
        /// Done.
        Done = "done",
        /// Left out.
        Skipped = "skipped",
    }
}

crate::words! {
    /// The two commands by which a model plans.
    pub enum PlanCommand {
        /// Proposes a plan; a person always decides on it.
        Propose = "plan.propose",
        /// Says how far a step of the approved plan is; nobody is asked.
        Step = "plan.step",
    }
}

/// A plan that a person approved, or that came with a copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Hash of the command that proposed it, as it was approved: another plan has another one.
    pub digest: Digest,
    /// What it is for.
    pub title: String,
    /// Its steps, in order.
    pub steps: Vec<PlanStep>,
    /// The person who approved it; none in a copy, where nobody did.
    pub approved_by: Option<String>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanStep {
    /// What the model calls it; no two steps of a plan have the same.
    pub id: String,
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: PlanStepState,
    /// What the model said of it last.
    pub note: Option<String>,
}

/// Why a proposal is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanFault {
    /// The title is missing or empty.
    NoTitle,
    /// There is no step, or one without its id or its text; its number, from 1.
    Step(usize),
    /// Two steps have this id.
    SameId(String),
}

/// How far a step is, as a model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStepProgress {
    /// The step.
    pub id: String,
    /// How far it is now.
    pub state: PlanStepState,
    /// What else is said of it.
    pub note: Option<String>,
}

impl PlanCommand {
    /// The one of that name; none for every other command.
    pub fn from_command(command: &Command) -> Option<Self> {
        Self::from_word(&command.name)
    }
}

impl Plan {
    /// The plan that a command proposes, all its steps open and approved by nobody.
    ///
    /// # Errors
    /// When it has no title, no steps, a step without id or text, or two steps of one id.
    pub fn from_proposal(arguments: &JsonValue, digest: Digest) -> Result<Self, PlanFault> {
        let title = text(arguments, "title").ok_or(PlanFault::NoTitle)?;
        let items = arguments.get("steps").and_then(JsonValue::as_list).unwrap_or_default();
        let mut steps: Vec<PlanStep> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let (Some(id), Some(text)) = (text(item, "id"), text(item, "text")) else {
                return Err(PlanFault::Step(index + 1));
            };
            if steps.iter().any(|step| step.id == id) {
                return Err(PlanFault::SameId(id));
            }
            steps.push(PlanStep { id, text, state: PlanStepState::Open, note: None });
        }
        if steps.is_empty() {
            return Err(PlanFault::Step(1));
        }
        Ok(Self { digest, title, steps, approved_by: None })
    }

    /// Whether something of it is left to be done.
    pub fn is_unfinished(&self) -> bool {
        self.steps.iter().any(|step| match step.state {
            PlanStepState::Open | PlanStepState::Doing => true,
            PlanStepState::Done | PlanStepState::Skipped => false,
        })
    }

    /// The step of that id.
    pub fn step(&self, id: &str) -> Option<&PlanStep> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Takes over how far the steps of an earlier plan are, where they are the same to the letter and something is left
    /// to be done: whoever approves the same plan once more wants it done once more.
    pub(crate) fn carry_over_progress(&mut self, earlier: &Plan) {
        let known = |step: &PlanStep| earlier.step(&step.id).filter(|known| known.text == step.text);
        let steps = self.steps.iter().map(|step| known(step).unwrap_or(step).clone()).collect();
        let kept = Plan { steps, ..self.clone() };
        if kept.is_unfinished() {
            *self = kept;
        }
    }

    /// A step is so far now; gives it, or none where the plan has no such step.
    pub(crate) fn apply_progress(&mut self, progress: PlanStepProgress) -> Option<&PlanStep> {
        let step = self.steps.iter_mut().find(|step| step.id == progress.id)?;
        step.state = progress.state;
        step.note = progress.note;
        Some(step)
    }
}

impl PlanFault {
    /// What is wrong, as a sentence.
    pub fn message(&self) -> LocalizableText {
        match self {
            PlanFault::NoTitle => sentences::plan_untitled(),
            PlanFault::Step(number) => sentences::plan_step_empty(*number),
            PlanFault::SameId(id) => sentences::plan_step_twice(id),
        }
    }
}

impl PlanStepProgress {
    /// What the arguments of [`PlanCommand::Step`] say; none when they say nothing of a step.
    pub fn from_arguments(arguments: &JsonValue) -> Option<Self> {
        let state = arguments.get("state").and_then(JsonValue::as_text).and_then(PlanStepState::from_word)?;
        Some(Self { id: text(arguments, "id")?, state, note: text(arguments, "note") })
    }
}

/// A text without the spaces around it; none when nothing is left.
fn text(object: &JsonValue, name: &str) -> Option<String> {
    let text = object.get(name)?.as_text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, text: &str) -> JsonValue {
        JsonValue::from([("id", JsonValue::from(id)), ("text", JsonValue::from(text))])
    }

    fn plan(title: &str, steps: Vec<JsonValue>) -> Result<Plan, PlanFault> {
        let arguments =
            JsonValue::from([("title", JsonValue::from(title)), ("steps", JsonValue::List(steps))]);
        Plan::from_proposal(&arguments, Digest::new("d1"))
    }

    #[test]
    fn a_plan_has_a_title_and_steps_of_different_ids() {
        let good = plan(" Trip ", vec![step("1", "Book"), step("2", "Pack")]).unwrap();
        let steps: Vec<(&str, &str)> =
            good.steps.iter().map(|step| (step.id.as_str(), step.text.as_str())).collect();
        assert_eq!((good.title.as_str(), steps), ("Trip", vec![("1", "Book"), ("2", "Pack")]));
        assert_eq!(good.approved_by, None);
        for (title, steps, fault) in [
            (" ", vec![step("1", "Book")], PlanFault::NoTitle),
            ("Trip", vec![], PlanFault::Step(1)),
            ("Trip", vec![step("1", "Book"), step("2", "")], PlanFault::Step(2)),
            ("Trip", vec![step("1", "Book"), step("1", "Pack")], PlanFault::SameId("1".into())),
        ] {
            assert_eq!(plan(title, steps), Err(fault));
        }
    }

    /// Input: a plan whose first step is done, and its successor; expected: what is the same to the letter stays done.
    #[test]
    fn a_new_plan_keeps_what_was_done_of_the_same_steps() {
        let mut old = plan("Trip", vec![step("1", "Book"), step("2", "Pack")]).unwrap();
        for id in ["1", "2"] {
            let done = PlanStepProgress { id: id.into(), state: PlanStepState::Done, note: None };
            assert!(old.apply_progress(done).is_some());
        }
        assert!(!old.is_unfinished());
        let mut new = plan("Trip", vec![step("1", "Book"), step("2", "Pack less")]).unwrap();
        new.carry_over_progress(&old);
        let states: Vec<PlanStepState> = new.steps.iter().map(|step| step.state).collect();
        assert_eq!(states, [PlanStepState::Done, PlanStepState::Open]);
        let mut again = plan("Trip", vec![step("2", "Pack")]).unwrap();
        again.carry_over_progress(&old);
        assert!(again.is_unfinished(), "it is to be done once more");
        assert_eq!(
            new.apply_progress(PlanStepProgress { id: "3".into(), state: PlanStepState::Done, note: None }),
            None
        );
    }
}
