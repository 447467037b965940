//! Shapes of the tools of MCP servers, and of a person's decision about them.

use std::borrow::Cow;

use entracte_application::ports::{
    ExternalServerTools, ExternalTool, ExternalToolChoice, ExternalToolDecision, ExternalToolHints,
    ExternalToolState,
};
use entracte_domain::command::CommandKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;
use crate::etag::EntityTag;

/// An MCP server with its accepted tools.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolServerShape {
    /// Its name in the configuration.
    pub server: String,
    /// What a decision is bound to: the digest of all that is shown here. Its ETag.
    pub digest: String,
    /// A person should decide about a tool of it.
    pub undecided: bool,
    /// When the decisions about tools last changed.
    pub changed_at: String,
    /// Its tools, by name.
    pub tools: Vec<ServerToolShape>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ServerToolShape {
    /// Its name at the server.
    pub tool: String,
    /// Its name in the catalog; null where it is no command.
    pub command: Option<String>,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// Each call waits for an approval; otherwise it runs unasked.
    pub asks: bool,
    /// What decides that: `server` (its hints), `person` or `configuration`.
    pub decided_by: Cow<'static, str>,
    /// It sends data out; null where nobody says.
    pub sends_out: Option<bool>,
    /// What its server says of it.
    pub hints: ToolHintsShape,
    /// A person should decide: nobody has, and it is a query that asks or an action that runs unasked.
    pub undecided: bool,
    /// `usable`; `changed` where it cannot be used until its new declaration is accepted; `gone` where its server no
    /// longer offers it; `unusable` where it is too large, or cannot be a command.
    #[serde(default)]
    pub state: Cow<'static, str>,
}

/// What a server says of a tool; null where it says nothing.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolHintsShape {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// A repeated call has no further effect.
    pub idempotent: Option<bool>,
    /// It reaches places outside its server.
    pub open_world: Option<bool>,
}

impl From<&ExternalServerTools> for ToolServerShape {
    fn from(found: &ExternalServerTools) -> Self {
        Self {
            server: found.server.clone(),
            digest: found.digest().to_string(),
            undecided: found.is_undecided(),
            changed_at: iso(found.changed_at),
            tools: found.tools.iter().map(ServerToolShape::from).collect(),
        }
    }
}

impl ToolServerShape {
    /// The tag that a decision is bound to.
    pub fn tag(&self) -> EntityTag {
        EntityTag::new(self.digest.clone())
    }
}

impl From<&ExternalTool> for ServerToolShape {
    fn from(tool: &ExternalTool) -> Self {
        Self {
            tool: tool.tool.clone(),
            command: tool.command.clone(),
            kind: tool.kind.word().into(),
            asks: tool.asks,
            decided_by: tool.source.word().into(),
            sends_out: tool.sends_out,
            hints: tool.hints.into(),
            undecided: tool.is_undecided,
            state: tool.state.word().into(),
        }
    }
}

impl ServerToolShape {
    /// Whether sessions can use it. A server of an earlier version does not say so.
    pub fn is_usable(&self) -> bool {
        self.state.is_empty() || self.state == ExternalToolState::Usable.word()
    }
}

impl From<ExternalToolHints> for ToolHintsShape {
    fn from(hints: ExternalToolHints) -> Self {
        let ExternalToolHints { read_only, destructive, idempotent, open_world } = hints;
        Self { read_only, destructive, idempotent, open_world }
    }
}

/// A choice about tools of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoiceShape {
    /// They ask before each call.
    Ask,
    /// They run unasked. Without names: those that the server calls read-only; the others stay as they are.
    Trust,
    /// They ask or run as they do now.
    Keep,
}

impl From<ToolChoiceShape> for ExternalToolChoice {
    fn from(choice: ToolChoiceShape) -> Self {
        match choice {
            ToolChoiceShape::Ask => Self::Ask,
            ToolChoiceShape::Trust => Self::Trust,
            ToolChoiceShape::Keep => Self::Keep,
        }
    }
}

/// A decision about tools of a server.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideToolsShape {
    /// What is decided.
    pub choice: ToolChoiceShape,
    /// Names of tools, or patterns such as `list_*`; none: all tools of the server.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// What was decided, with the tools as they are now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecidedToolsShape {
    /// The tools that the choice is about.
    pub decided: Vec<String>,
    /// Those for which the configuration decides; they stay as they are.
    pub configured: Vec<String>,
    /// The other undecided tools of a choice about all: they are decided as they are.
    pub kept: Vec<String>,
    /// The server as it is now.
    pub now: ToolServerShape,
}

impl DecidedToolsShape {
    /// The shape of a decision and the tools after it.
    pub fn new(decision: ExternalToolDecision, now: ToolServerShape) -> Self {
        let ExternalToolDecision { decided, configured, kept } = decision;
        Self { decided, configured, kept, now }
    }
}

/// How many tools of a server ask, run unasked and send data out.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolCountsShape {
    /// All that sessions can use.
    pub tools: usize,
    /// Those of which each call waits for an approval.
    pub asking: usize,
    /// Those that say that they send data out.
    pub sending_out: usize,
    /// Those that read and ask, about which nobody decided.
    pub undecided_queries: usize,
    /// Those that change something and run unasked, about which nobody decided.
    pub undecided_actions: usize,
}

impl From<&ExternalServerTools> for ToolCountsShape {
    fn from(found: &ExternalServerTools) -> Self {
        let count = |is: &dyn Fn(&ExternalTool) -> bool| found.tools.iter().filter(|tool| is(tool)).count();
        let undecided = |kind: CommandKind| count(&|tool| tool.is_undecided && tool.kind == kind);
        let is_usable = |tool: &ExternalTool| tool.state == ExternalToolState::Usable;
        Self {
            tools: count(&is_usable),
            asking: count(&|tool| is_usable(tool) && tool.asks),
            sending_out: count(&|tool| is_usable(tool) && tool.sends_out == Some(true)),
            undecided_queries: undecided(CommandKind::Query),
            undecided_actions: undecided(CommandKind::Action),
        }
    }
}
