use std::collections::VecDeque;

use crate::mail::MailAnswer;
use crate::runtime::turn_draft::TurnDraft;
use crate::runtime::turn_stages::TurnStage;

/// How far a turn has come.
#[derive(Clone)]
pub(super) struct TurnProgress {
    pub(super) draft: TurnDraft,
    pub(super) replies: Vec<Option<MailAnswer>>,
    pub(super) todo: VecDeque<TurnStage>,
    /// How many stages were made.
    pub(super) made: usize,
}

impl TurnProgress {
    pub(super) fn new(draft: TurnDraft, todo: VecDeque<TurnStage>) -> Self {
        Self { draft, replies: Vec::new(), todo, made: 0 }
    }

    /// As it is before this stage.
    pub(super) fn snapshot_before(&self, stage: TurnStage) -> Self {
        let mut before = self.clone();
        before.todo.push_front(stage);
        before
    }

    /// A stage was made; what it put before the others comes first.
    pub(super) fn end_stage(&mut self) {
        self.made += 1;
        for stage in self.draft.aside.next.drain(..).rev() {
            self.todo.push_front(stage);
        }
    }
}
