//! Commands: what may be asked for, and what may be done when nobody knows whether it happened.

use crate::id::{Digest, TaskId};
use crate::value::Value;

/// What the user's enrichment or the model asks to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// Name as the catalog knows it, `resource.operation`; as it was written when the catalog does not know it.
    pub name: String,
    /// Arguments, an object.
    pub arguments: Value,
}

impl Command {
    /// The bytes whose hash is the command id: equal requests have equal bytes.
    pub fn canonical(&self) -> String {
        Value::from([("arguments", self.arguments.clone()), ("name", Value::from(self.name.as_str()))])
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
    }
}

/// What the catalog said of a command when the call was made. Kept with the call, so recovery uses the class
/// recorded then, also after an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
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
    /// The long task that the call becomes, or may become; none for a call that ends with its answer.
    pub task: Option<TaskOfCall>,
}

/// The task that a call becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskOfCall {
    /// Its id, drawn when the call was looked up.
    pub id: TaskId,
    /// Its row is made in the commit that starts the call. Where not, the call may end at once like any other, and
    /// there is a row from the answer on that it became a task.
    pub is_registered: bool,
}
