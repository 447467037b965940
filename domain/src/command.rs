//! Commands: requests of enrichments and models, and what may be done if the outcome is unknown.

use crate::id::{Digest, TaskId};
use crate::rights::RequestedRights;
use crate::time::Millis;
use crate::value::JsonValue;

/// The query that finds commands which are not described in the prompt. It reads declarations only, so no restriction
/// of a session excludes it.
pub const FIND_COMMANDS: &str = "commands.find";

/// A command that an enrichment or the model asks to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// Name in the catalog, `resource.operation`; unknown names stay as written.
    pub name: String,
    /// Arguments, a JSON object.
    pub arguments: JsonValue,
}

impl Command {
    /// The bytes whose hash is the command id: equal commands have equal bytes.
    pub fn canonical_bytes(&self) -> String {
        JsonValue::from([
            ("arguments", self.arguments.clone()),
            ("name", JsonValue::from(self.name.as_str())),
        ])
        .canonical()
    }
}

crate::words! {
    /// Whether a command reads or changes something.
    pub enum CommandKind {
        /// Reads; may run again.
        Query = "query",
        /// Changes something.
        Action = "action",
    }
}

crate::words! {
    /// The permitted recovery if it is unknown whether an effect happened.
    pub enum EffectClass {
        /// Retried freely with backoff.
        Read = "read",
        /// Changes Entracte's own data: planned inside `handle` and committed with its outcome, never `started`.
        Local = "local",
        /// External, accepts an idempotency key: retried with it.
        Idempotent = "idempotent",
        /// External, can be probed whether it happened: probed first.
        Probe = "probe",
        /// External, never retried automatically: `unknown` until a person settles it.
        Once = "once",
        /// An agent session, created in the commit that starts the call: never lost and never repeated.
        Child = "child",
    }
}

/// The catalog's declaration of a command when the call was made. It is stored with the call, so recovery uses that
/// effect class even after an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandTerms {
    /// Hash of the whole declaration; approvals are bound to it.
    pub version: Digest,
    /// Effect class of the command.
    pub effect: EffectClass,
    /// True if the call may run beside its siblings instead of after them.
    pub independent: bool,
    /// The servers and resources whose state the command reads or changes: a query waits for the earlier actions of its
    /// reply that share one. Empty if it waits for none, and in journals of earlier versions, whose queries run first.
    pub state_scopes: Vec<String>,
    /// True if it cannot be undone; standing approvals never cover it.
    pub destructive: bool,
    /// True if every call needs its own approval; standing approvals never cover it.
    pub asks: bool,
    /// Delay in milliseconds after a lost outcome before a probe's "no" counts (`probe` only).
    pub settle_ms: i64,
    /// Lifetime of an idempotency key in milliseconds after the first start (`idempotent` only).
    pub key_lifetime_ms: i64,
    /// Hashes of the schemas that the command's answer contains.
    pub shows: Vec<Digest>,
    /// The agent that the command starts (`child` only); `None` for the command that answers a resting agent.
    pub agent: Option<Box<AgentTerms>>,
    /// The long task that the call becomes or may become; `None` if the call ends with its answer.
    pub task: Option<CallTask>,
}

/// The kind and the terms of a call; `None` if it was refused before the lookup.
type KindAndTerms<'a> = (CommandKind, Option<&'a CommandTerms>);

/// Whether the first call is a query that reads state which the second, an action, may change: both name the same server
/// or resource.
pub(crate) fn reads_state_of(first: KindAndTerms<'_>, second: KindAndTerms<'_>) -> bool {
    match (first, second) {
        ((CommandKind::Query, Some(read)), (CommandKind::Action, Some(changed))) => {
            read.state_scopes.iter().any(|scope| changed.state_scopes.contains(scope))
        }
        ((CommandKind::Query | CommandKind::Action, _), (CommandKind::Query | CommandKind::Action, _)) => {
            false
        }
    }
}

/// The calls of a reply after the last one that `changes` the state: only these read it as it is now.
pub fn since_last_change<T>(earlier: &[T], changes: impl Fn(&T) -> bool) -> &[T] {
    let after = earlier.iter().rposition(changes).map_or(0, |last| last + 1);
    &earlier[after..]
}

/// The part of an agent declaration that the state machine needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentTerms {
    /// Name of the declaration.
    pub name: String,
    /// Hash of the whole declaration.
    pub version: Digest,
    /// Rights that the declaration requests.
    pub wish: RequestedRights,
    /// Limits of the agent.
    pub limits: AgentLimits,
}

/// Limits of one agent that differ from those of its session kind; 0 means the kind's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgentLimits {
    /// Rounds of the agent itself, without its descendants.
    pub rounds: u32,
    /// Maximum tokens of a model request.
    pub context_tokens: u32,
    /// Maximum output tokens of a model call.
    pub output_tokens: u32,
    /// Maximum time of one model call.
    pub model_time: Millis,
}

/// The long task that a call becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallTask {
    /// Task id, generated when the call was looked up.
    pub id: TaskId,
    /// True if the task's row is created in the commit that starts the call. Otherwise the call may end at once like
    /// any other, and the row is created when the executor answers that it became a task.
    pub is_registered: bool,
}
