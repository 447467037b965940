//! Creation data of sessions; runs and agents start at once.

use crate::agent::AgentStart;
use crate::id::{CallId, Digest};
use crate::message::UserMessage;
use crate::plan::PlanMode;
use crate::restriction::Restriction;
use crate::session::{AlwaysSendSection, Dialect, RequestedCall, RunCause, RunPolicy};
use crate::time::Timestamp;
use crate::validation::{ExchangePrincipal, PolicyGrant, PromptAuthors};

/// The creation data of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionCreation {
    /// Name for people.
    pub name: String,
    /// True if every action needs approval.
    pub require_validation: bool,
    /// Plan mode; `None` uses that of the rules.
    pub mode: Option<PlanMode>,
    /// Commands that the session may ask for.
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
    /// How commands are encoded for the model.
    pub dialect: Dialect,
    /// Hash of the frozen prefix of its first generation.
    pub prefix: Digest,
    /// The always-sent data in the prefix.
    pub told: Vec<AlwaysSendSection>,
    /// Start data of a run, if the session is one.
    pub run: Option<RunStart>,
    /// Start data of an agent, if the session is one.
    pub agent: Option<Box<AgentStart>>,
    /// Policies of an agent, taken from the run it works for. Those of a run are in `run`.
    pub policy: RunPolicy,
    /// Authors of the words in the first prompt. `None` in journals of earlier versions, which did not count them.
    pub prompt_authors: Option<PromptAuthors>,
    /// The approval in advance that the session's policy gives, if any.
    pub grant: Option<PolicyGrant>,
}

/// The start data of a run: a copy of its seed's messages, and the cause of the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunStart {
    /// Cause of the occurrence.
    pub cause: RunCause,
    /// Version of the automation.
    pub version: u32,
    /// Messages of the seed with their authors; periods are resolved from the occurrence.
    pub messages: Vec<(String, UserMessage)>,
    /// Queries of the messages' enrichments.
    pub enrichments: Vec<RequestedCall>,
    /// Payload of the reported event, as received: untrusted data.
    pub event: Option<String>,
    /// Policies of the run that differ from the workspace's.
    pub policy: RunPolicy,
    /// The people who asked for the run; unknown in journals of v0.1.
    pub asked_by: ExchangePrincipal,
}
