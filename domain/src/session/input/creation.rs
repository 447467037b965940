//! What a session is made with; a run and an agent begin at once.

use crate::agent::AgentStart;
use crate::id::{CallId, Digest};
use crate::message::UserMessage;
use crate::plan::PlanMode;
use crate::restriction::Restriction;
use crate::session::{AlwaysSendSection, Dialect, RequestedCall, RunCause, RunPolicy};
use crate::time::Timestamp;
use crate::validation::{ExchangePrincipal, PolicyGrant, PromptAuthors};

/// What a session is made with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionCreation {
    /// Name for people.
    pub name: String,
    /// Every action needs approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions; none where its rules say.
    pub mode: Option<PlanMode>,
    /// Which commands it may ask for.
    pub restriction: Restriction,
    /// The automation that a run belongs to.
    pub automation: Option<String>,
    /// The occurrence of a run.
    pub scheduled_at: Option<Timestamp>,
    /// The call that an agent answers.
    pub parent: Option<CallId>,
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// Hash of the frozen prefix of its first generation.
    pub prefix: Digest,
    /// The data that the prefix holds.
    pub told: Vec<AlwaysSendSection>,
    /// What a run begins with.
    pub run: Option<RunStart>,
    /// What an agent begins with.
    pub agent: Option<Box<AgentStart>>,
    /// The policies that an agent works under: those of the run that it works for. Of a run they are in `run`.
    pub policy: RunPolicy,
    /// Whose words it begins with. `None` in journals of before, where nobody counted them.
    pub prompt_authors: Option<PromptAuthors>,
    /// The yes in advance that its policy gives, if it gives one.
    pub grant: Option<PolicyGrant>,
}

/// What a run begins with: a copy of what its seed held, and why it was started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunStart {
    /// What made the occurrence.
    pub cause: RunCause,
    /// The automation's version.
    pub version: u32,
    /// The messages of the seed, each with its author, periods counted from the occurrence.
    pub messages: Vec<(String, UserMessage)>,
    /// The queries of their enrichments.
    pub enrichments: Vec<RequestedCall>,
    /// What was reported with the event, as it came. Nobody vouches for it.
    pub event: Option<String>,
    /// What holds in the run, where it differs from the workspace.
    pub policy: RunPolicy,
    /// Who asked for it; nobody knows in journals of v0.1.
    pub asked_by: ExchangePrincipal,
}
