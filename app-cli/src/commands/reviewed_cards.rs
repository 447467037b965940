//! The cards that a person has seen whole. What a card folds, leaves out or shows with letters that look like others is
//! approved by nobody who has not.

use std::collections::HashSet;

use entracte_application::use_cases::ApprovalView;

use crate::render::approval::hidden_part_count;

/// Cards that were shown whole, each as it was then.
#[derive(Default)]
pub(super) struct ReviewedCards(HashSet<(String, Option<String>)>);

impl ReviewedCards {
    /// All of this card stands on the screen.
    pub(super) fn add(&mut self, approval: &ApprovalView) {
        self.0.insert(review_key(approval));
    }

    /// How many parts of this card the person has not seen; none where its screen shows all of it, or they asked for all of it.
    pub(super) fn unseen_part_count(&self, approval: &ApprovalView) -> Option<usize> {
        let parts = hidden_part_count(approval);
        (parts > 0 && !self.0.contains(&review_key(approval))).then_some(parts)
    }
}

/// What is decided on, and as what it was shown.
fn review_key(approval: &ApprovalView) -> (String, Option<String>) {
    (approval.id.to_string(), approval.digest.as_ref().map(ToString::to_string))
}
