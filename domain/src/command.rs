//! Commands: what may be asked for, and what may be done when nobody knows whether it happened.

use crate::id::{Digest, TaskId};
use crate::rights::RequestedRights;
use crate::time::Millis;
use crate::value::JsonValue;

/// What the user's enrichment or the model asks to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// Name as the catalog knows it, `resource.operation`; as it was written when the catalog does not know it.
    pub name: String,
    /// Arguments, an object.
    pub arguments: JsonValue,
}

impl Command {
    /// The bytes whose hash is the command id: equal requests have equal bytes.
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
    /// What may be done when nobody knows whether an effect happened.
    pub enum EffectClass {
        /// Retried freely with backoff.
        Read = "read",
        /// Changes Entracte's own data: planned inside `handle` and committed with its outcome, never `started`.
        Local = "local",
        /// External, accepts a key: retried with it.
        Idempotent = "idempotent",
        /// External, can be asked whether it happened: asked first.
        Probe = "probe",
        /// External, never retried by itself: `unknown` until a person settles it.
        Once = "once",
        /// The session of an agent, made in the commit that starts the call: never lost and never repeated.
        Child = "child",
    }
}

/// What the catalog said of a command when the call was made. Kept with the call, so recovery uses the class
/// recorded then, also after an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandTerms {
    /// Hash of all that the command means; an approval is bound to it.
    pub version: Digest,
    /// Effect class.
    pub effect: EffectClass,
    /// May run beside its siblings instead of after them.
    pub independent: bool,
    /// Cannot be undone; `always` rules never cover it.
    pub destructive: bool,
    /// Always needs approval, each time by itself; `always` rules never cover it.
    pub asks: bool,
    /// How long after a lost outcome a probe's "no" counts, in milliseconds (`probe` only).
    pub settle_ms: i64,
    /// How long an idempotency key holds after the first start, in milliseconds (`idempotent` only).
    pub key_lifetime_ms: i64,
    /// The schemas that its answer shows.
    pub shows: Vec<Digest>,
    /// The agent that it starts (`child` only); none for the command that answers one at rest.
    pub agent: Option<Box<AgentTerms>>,
    /// The long task that the call becomes, or may become; none for a call that ends with its answer.
    pub task: Option<CallTask>,
}

/// The declaration of an agent, as far as the machine has to know it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentTerms {
    /// Its name.
    pub name: String,
    /// Hash of all of the declaration.
    pub version: Digest,
    /// What it asks for.
    pub wish: RequestedRights,
    /// Its limits.
    pub limits: AgentLimits,
}

/// The limits of one agent, where they differ from those of its kind; 0 = those of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgentLimits {
    /// Rounds that it makes itself.
    pub rounds: u32,
    /// Tokens of a request.
    pub context_tokens: u32,
    /// Output tokens of a model call.
    pub output_tokens: u32,
    /// Time for one model call.
    pub model_time: Millis,
}

/// The task that a call becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallTask {
    /// Its id, drawn when the call was looked up.
    pub id: TaskId,
    /// Its row is made in the commit that starts the call. Where not, the call may end at once like any other, and
    /// there is a row from the answer on that it became a task.
    pub is_registered: bool,
}
