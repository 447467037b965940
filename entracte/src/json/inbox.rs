use serde::Serialize;

/// `entracte.seen/1`: the items marked as seen.
#[derive(Serialize)]
pub(crate) struct SeenItemsObject {
    schema: &'static str,
    items: Vec<String>,
}

impl SeenItemsObject {
    /// An object of these sessions and tasks.
    pub(crate) fn new(items: Vec<String>) -> Self {
        Self { schema: "entracte.seen/1", items }
    }
}

/// `entracte.filtered-decision/1`: what became of all that fits the filters of a decision.
#[derive(Serialize)]
pub(crate) struct FilteredDecisionObject {
    schema: &'static str,
    /// The approvals that were decided.
    decided: Vec<String>,
    /// The approvals of the preview that were not.
    undecided: Vec<UndecidedItem>,
    /// What fits, and was left for a decision of its own.
    left: Vec<LeftItem>,
}

impl FilteredDecisionObject {
    /// An object of these approvals and items.
    pub(crate) fn new(decided: Vec<String>, undecided: Vec<UndecidedItem>, left: Vec<LeftItem>) -> Self {
        Self { schema: "entracte.filtered-decision/1", decided, undecided, left }
    }
}

/// An approval that was not decided.
#[derive(Serialize)]
pub(crate) struct UndecidedItem {
    /// The id of the approval.
    pub(crate) id: String,
    /// The reason, for people.
    pub(crate) why: String,
}

/// An item that a decision by filters leaves.
#[derive(Serialize)]
pub(crate) struct LeftItem {
    /// The id of the item.
    pub(crate) id: String,
    /// Why it is left.
    pub(crate) why: LeftItemReason,
}

/// Why a decision by filters leaves an item that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LeftItemReason {
    /// It is not an approval.
    OtherKind,
    /// It destroys something.
    Destroys,
    /// A person who did not ask has to decide.
    FourEyes,
    /// It changed since it was asked.
    Changed,
    /// A screen does not show all of it, or it stands on the card of its server.
    Folded,
    /// Something leaves the workspace. Only approvals leave it.
    Outside,
    /// It cannot be taken back. Only approvals leave it.
    Irreversible,
    /// Every call of the command needs a decision of its own, such as a plan. Only approvals leave it.
    OwnDecision,
    /// It has a warning, or characters that are not seen. Only approvals leave it.
    Marked,
}
