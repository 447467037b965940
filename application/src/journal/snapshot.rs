use entracte_domain::session::{Phase, SessionFacts};

/// The state of a session as stored in its row. It equals the replay of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The facts of the session.
    pub facts: SessionFacts,
    /// Its phase.
    pub phase: Phase,
}
