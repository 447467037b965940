//! The state of servers and tools, for display.

use entracte_domain::command::CommandKind;
use entracte_domain::id::Digest;

use super::error::McpProblem;

/// The status of a configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// Its program, or its address.
    pub place: String,
    /// Whether its tools were ever listed; `connect_unmet` does that.
    pub met: bool,
    /// The state of the connection to it.
    pub link: McpLink,
    /// How many of its tools a person has to decide about.
    pub undecided: usize,
}

/// The state of the connection to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpLink {
    /// Not connected yet, because no call needed it.
    Never,
    /// Connected.
    Up {
        /// The negotiated protocol version.
        protocol: String,
        /// The name and version the server reports.
        called: Option<String>,
    },
    /// Failed.
    Down {
        /// The reason and the fix.
        why: McpProblem,
    },
}

/// The status of a tool of a configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolStatus {
    /// The name of its server.
    pub server: String,
    /// Its name on that server.
    pub tool: String,
    /// Its command name and envelope word; `None` if it is not a command.
    pub command: Option<(String, String)>,
    /// Whether the configuration enables it.
    pub enabled: bool,
    /// Its state of acceptance.
    pub state: McpToolState,
    /// Whether it asks before it runs, as it is accepted; `None` if it is not.
    pub rule: Option<McpToolRule>,
    /// Whether its accepted declaration needs approval and the offered one would not.
    pub loosens: bool,
    /// The hash of the offered declaration, so that a person accepts exactly that one; `None` if no decision is due.
    pub offered: Option<Digest>,
}

/// How a tool is used, for the person who decides about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpToolRule {
    /// Whether it reads or changes something.
    pub kind: CommandKind,
    /// Whether a person approves each call.
    pub asks: bool,
    /// Whether it reaches places outside its server; `None` if neither the server nor the configuration says.
    pub sends_out: Option<bool>,
    /// What decides whether it asks.
    pub source: McpRuleSource,
    /// What its server says of it.
    pub hints: McpToolHints,
}

/// The hints of a server about a tool; `None` where it gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McpToolHints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// A repeated call has no further effect.
    pub idempotent: Option<bool>,
    /// It reaches places outside its server.
    pub open_world: Option<bool>,
}

/// What decides whether a tool asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpRuleSource {
    /// The hints of its server.
    Hints,
    /// A person's decision, see [`McpExecutor::decide`](super::McpExecutor::decide).
    Decision,
    /// The configuration.
    Configuration,
}

/// Whether a tool is accepted, and can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpToolState {
    /// It is accepted and usable.
    Accepted,
    /// It differs from its accepted declaration, and is disabled until a person accepts the new one.
    Changed {
        /// The difference as a unified diff. For a person only: it may contain prompt injections.
        diff: String,
    },
    /// It appeared after the server's first listing, and is hidden from sessions until a person accepts it.
    New {
        /// Its declaration. For a person only.
        declaration: String,
    },
    /// Its server no longer offers it.
    Gone,
    /// It is accepted but cannot be a command.
    Unusable {
        /// The path of the argument that is the reason, such as `filter.from`; `None` if it is no single argument.
        argument: Option<String>,
        /// The reason.
        why: String,
    },
}
