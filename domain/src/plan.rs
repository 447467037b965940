//! Plans: numbered steps that a person approves before a session acts, and the progress of each.

use crate::command::Command;
use crate::id::Digest;
use crate::localizable_text::{LocalizableText, sentences};
use crate::value::JsonValue;

crate::words! {
    /// Whether a session needs an approved plan before it may act. Only people set it.
    pub enum PlanMode {
        /// No plan; only the approvals of the actions.
        Free = "free",
        /// An approved plan; each action still needs its own approvals.
        Plan = "plan",
    }
}

crate::words! {
    /// Progress of a step.
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
    /// The two commands with which a model plans.
    pub enum PlanCommand {
        /// Proposes a plan; always needs a person's decision.
        Propose = "plan.propose",
        /// Reports progress of a step of the approved plan; needs no approval.
        Step = "plan.step",
    }
}

/// A plan that a person approved, or that was copied with a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Hash of the proposing command as it was approved; identifies the plan.
    pub digest: Digest,
    /// Title of the plan.
    pub title: String,
    /// Its steps, in order.
    pub steps: Vec<PlanStep>,
    /// The person who approved it; `None` in a copy, which no person approved.
    pub approved_by: Option<String>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanStep {
    /// Step id from the model; unique in the plan.
    pub id: String,
    /// Description of the step.
    pub text: String,
    /// Progress of the step.
    pub state: PlanStepState,
    /// The model's last note on the step, if any.
    pub note: Option<String>,
}

/// Why a proposal is not a valid plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanFault {
    /// The title is missing or empty.
    NoTitle,
    /// There is no step, or a step lacks its id or text; number of the step, from 1.
    Step(usize),
    /// Two steps have this id.
    SameId(String),
}

/// A progress report of the model on one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStepProgress {
    /// Id of the step.
    pub id: String,
    /// New state of the step.
    pub state: PlanStepState,
    /// Note on the step, if any.
    pub note: Option<String>,
}

impl PlanCommand {
    /// The plan command with this command's name; `None` for any other command.
    pub fn from_command(command: &Command) -> Option<Self> {
        Self::from_word(&command.name)
    }
}

impl Plan {
    /// Reads the plan that a command proposes; all steps are open and no person has approved it yet.
    ///
    /// # Errors
    /// A [`PlanFault`] if it lacks a title or steps, a step lacks its id or text, or two steps share an id.
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

    /// Whether at least one step is neither done nor skipped.
    pub fn is_unfinished(&self) -> bool {
        self.steps.iter().any(|step| match step.state {
            PlanStepState::Open | PlanStepState::Doing => true,
            PlanStepState::Done | PlanStepState::Skipped => false,
        })
    }

    /// The step with this id.
    pub fn step(&self, id: &str) -> Option<&PlanStep> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Copies the progress of an earlier plan for identical steps, unless no step would be left: a person who
    /// approves the same plan again wants it done again.
    pub(crate) fn carry_over_progress(&mut self, earlier: &Plan) {
        let known = |step: &PlanStep| earlier.step(&step.id).filter(|known| known.text == step.text);
        let steps = self.steps.iter().map(|step| known(step).unwrap_or(step).clone()).collect();
        let kept = Plan { steps, ..self.clone() };
        if kept.is_unfinished() {
            *self = kept;
        }
    }

    /// Applies a progress report and returns the step; `None` if the plan has no such step.
    pub(crate) fn apply_progress(&mut self, progress: PlanStepProgress) -> Option<&PlanStep> {
        let step = self.steps.iter_mut().find(|step| step.id == progress.id)?;
        step.state = progress.state;
        step.note = progress.note;
        Some(step)
    }
}

impl PlanFault {
    /// The fault as a sentence for the model.
    pub fn message(&self) -> LocalizableText {
        match self {
            PlanFault::NoTitle => sentences::plan_untitled(),
            PlanFault::Step(number) => sentences::plan_step_empty(*number),
            PlanFault::SameId(id) => sentences::plan_step_twice(id),
        }
    }
}

impl PlanStepProgress {
    /// Parses the arguments of [`PlanCommand::Step`]; `None` if they name no step.
    pub fn from_arguments(arguments: &JsonValue) -> Option<Self> {
        let state = arguments.get("state").and_then(JsonValue::as_text).and_then(PlanStepState::from_word)?;
        Some(Self { id: text(arguments, "id")?, state, note: text(arguments, "note") })
    }
}

/// A trimmed text member; `None` if it is missing or blank.
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
    fn plan_needs_title_and_unique_step_ids() {
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

    /// Input: a plan whose first step is done, and its successor; expected: identical steps stay done.
    #[test]
    fn new_plan_keeps_progress_of_identical_steps() {
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
