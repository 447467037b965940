use std::fmt::{Debug, Formatter};
use std::sync::Arc;

/// How far a running call is, as its executor or the server behind it says. It is never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallProgress {
    /// What it does now; empty if nothing is said.
    pub text: String,
    /// The done part, in percent from 0 to 100; `None` if it is unknown.
    pub percent: Option<u8>,
}

/// Receives the progress of one call, for the people who follow its session: they see the latest report. It is no part of
/// what is asked, so all are equal.
#[derive(Clone, Default)]
pub struct CallProgressSink(Option<Arc<dyn Fn(CallProgress) + Send + Sync>>);

impl CallProgressSink {
    /// A sink that passes each report on.
    pub fn new(receive: impl Fn(CallProgress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Reports progress. Waits for nobody; the first report of a call may read secrets from files.
    pub fn report(&self, progress: CallProgress) {
        if let Some(receive) = &self.0 {
            receive(progress);
        }
    }
}

impl Debug for CallProgressSink {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallProgressSink")
    }
}

impl PartialEq for CallProgressSink {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for CallProgressSink {}
