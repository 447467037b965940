//! What an agent says to who called it: how its mission ended, or what it asks.

use crate::value::Value;

/// How an agent ends its mission: `EXIT_WITH_RESULT`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exit {
    /// Why it ends.
    pub reason: String,
    /// What came of it, an object.
    pub result: Value,
    /// That in a few sentences, for people.
    pub conclusion: String,
}

/// What an agent asks: `ASK_PRINCIPAL_AGENT`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrincipalQuestion {
    /// What it asks.
    pub question: String,
    /// Who is to answer.
    pub whom: Whom,
}

crate::words! {
    /// Whom an agent asks.
    pub enum Whom {
        /// Who called it.
        Agent = "agent",
        /// The user, over all that stand between them.
        User = "user",
    }
}
