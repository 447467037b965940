//! The state of servers and tools, for screens.

use entracte_domain::id::Digest;

use super::error::McpProblem;

/// A configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// Its program, or its address.
    pub place: String,
    /// Whether its tools were ever seen; `connect_unmet` does that.
    pub met: bool,
    /// The state of the connection to it.
    pub link: McpLink,
    /// Tools that a person has to decide about.
    pub undecided: usize,
}

/// The connection to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpLink {
    /// There is none, because none was needed so far.
    Never,
    /// It is open.
    Up {
        /// The protocol that was agreed on.
        protocol: String,
        /// What the server calls itself: name and version.
        called: Option<String>,
    },
    /// It failed.
    Down {
        /// Why, and how to fix it.
        why: McpProblem,
    },
}

/// A tool of a configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolStatus {
    /// Its server.
    pub server: String,
    /// Its name there.
    pub tool: String,
    /// Its name and word as a command; none when it is not one.
    pub command: Option<(String, String)>,
    /// Whether the configuration lets it exist.
    pub enabled: bool,
    /// Its state.
    pub state: McpToolState,
    /// It needs approval as it was accepted, and would not as it is offered.
    pub loosens: bool,
    /// The hash of what is offered, to accept just that; none when nothing waits.
    pub offered: Option<Digest>,
}

/// The state of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpToolState {
    /// It may be used.
    Accepted,
    /// It is not what was accepted; it is out of use until a person accepts it.
    Changed {
        /// What changed, as a unified diff. For a person only: it may hold words that are meant for a model.
        diff: String,
    },
    /// It came after its server was first met; it does not exist for sessions until a person accepts it.
    New {
        /// What it says of itself. For a person only.
        declaration: String,
    },
    /// Its server does not offer it any more.
    Gone,
    /// It was accepted and cannot be a command.
    Unusable {
        /// Why.
        why: String,
    },
}
