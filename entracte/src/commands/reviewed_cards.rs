//! The cards that a person has seen in full. A card with folded, left-out or look-alike parts cannot be approved
//! otherwise.

use std::collections::HashSet;

use entracte_adapters_http::shapes::card::CardShape;
use entracte_application::texts::LocalizedTexts;

use crate::render::approval::hidden_part_count;

/// The cards that were shown in full, as of then.
#[derive(Default)]
pub(super) struct ReviewedCards(HashSet<(String, Option<String>)>);

impl ReviewedCards {
    /// Records that the full card was shown.
    pub(super) fn add(&mut self, approval: &CardShape) {
        self.0.insert(review_key(approval));
    }

    /// The number of parts of this card that the person has not seen; `None` if the screen shows all of it, or the
    /// full card was shown.
    pub(super) fn unseen_part_count(&self, approval: &CardShape, texts: &LocalizedTexts) -> Option<usize> {
        let parts = hidden_part_count(approval, texts);
        (parts > 0 && !self.0.contains(&review_key(approval))).then_some(parts)
    }
}

/// The decided call, and the digest of the shown card.
fn review_key(approval: &CardShape) -> (String, Option<String>) {
    (approval.id.clone(), approval.digest.clone())
}
