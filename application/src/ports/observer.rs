use std::sync::Arc;

use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use crate::journal::{Entry, Occurrence};

/// Something that a runtime did, as numbers and words of a finite set. No part of it decides anything.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// A turn was committed.
    Committed {
        /// What it wrote into the log.
        entries: &'a [Arc<Entry>],
        /// The occurrences of automations that it decided.
        occurrences: &'a [Occurrence],
        /// How long the store took.
        took: Millis,
    },
    /// An attempt of a model call came to its end.
    ModelCalled {
        /// Name of the provider's entry.
        provider: &'a str,
        /// How it failed; none when it was answered.
        failed: Option<FailureClass>,
        /// How long the first sign of life took; none when there was none.
        first: Option<Millis>,
        /// How long the whole attempt took.
        whole: Millis,
        /// What it used, as far as that is known.
        usage: Option<&'a Usage>,
    },
    /// A call of a command came to its end.
    CallEnded {
        /// Name of the command.
        command: &'a str,
        /// How it ended: `succeeded`, `accepted`, `failed`, `timed_out`, `lost` or `probed`.
        status: &'static str,
        /// How long it took.
        took: Millis,
    },
}

/// Keeps count of what a runtime does. It is told after the fact, never waits and never fails.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use entracte_application::ports::{Observer, Seen};
/// use entracte_domain::time::Millis;
///
/// /// Counts the calls.
/// #[derive(Default)]
/// struct Calls(AtomicU32);
///
/// impl Observer for Calls {
///     fn saw(&self, seen: Seen<'_>) {
///         if let Seen::CallEnded { .. } = seen {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let calls = Calls::default();
/// calls.saw(Seen::CallEnded { command: "zones.list", status: "succeeded", took: Millis(3) });
/// assert_eq!(calls.0.load(Ordering::Relaxed), 1);
/// ```
pub trait Observer: Send + Sync {
    /// Takes one thing down.
    fn saw(&self, seen: Seen<'_>);
}

/// Keeps no count.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn saw(&self, _seen: Seen<'_>) {}
}
