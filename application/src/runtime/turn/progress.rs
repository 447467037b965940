use std::collections::VecDeque;

use crate::mail::MailAnswer;
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::stage::TurnStage;

/// The progress of a turn.
#[derive(Clone)]
pub(super) struct TurnProgress {
    pub(super) draft: TurnDraft,
    pub(super) replies: Vec<Option<MailAnswer>>,
    pub(super) todo: VecDeque<TurnStage>,
    /// Number of completed stages.
    pub(super) made: usize,
}

impl TurnProgress {
    pub(super) fn new(draft: TurnDraft, todo: VecDeque<TurnStage>) -> Self {
        Self { draft, replies: Vec::new(), todo, made: 0 }
    }

    /// A copy of the progress before this stage.
    pub(super) fn snapshot_before(&self, stage: TurnStage) -> Self {
        let mut before = self.clone();
        before.todo.push_front(stage);
        before
    }

    /// Completes a stage and puts the stages it inserted first.
    pub(super) fn end_stage(&mut self) {
        self.made += 1;
        for stage in self.draft.aside.next.drain(..).rev() {
            self.todo.push_front(stage);
        }
    }
}
