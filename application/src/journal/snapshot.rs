use entracte_domain::session::{Phase, SessionFacts};

/// A session as it stands, to be stored in its row. Replaying its entries gives the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// What is known of it.
    pub facts: SessionFacts,
    /// Where it stands.
    pub phase: Phase,
}
