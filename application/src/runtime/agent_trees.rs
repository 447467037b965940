//! Bounds the concurrent model calls of one tree of agents: a tree has one slot and must not use up its provider
//! account.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use entracte_domain::id::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::lock::lock;
use crate::settings::RuntimeSettings;

/// The model call permits of each agent tree of a process, by root session.
pub(super) struct AgentTreePermits {
    /// Maximum concurrent model calls of one tree; 0 = no limit.
    at_once: usize,
    /// The trees that have a call under way or waiting.
    calls: Mutex<BTreeMap<SessionId, Weak<Semaphore>>>,
}

impl AgentTreePermits {
    /// Allows `at_once` concurrent model calls for each tree; 0 = no limit.
    pub(super) fn new(at_once: usize) -> Self {
        Self { at_once, calls: Mutex::default() }
    }

    /// Waits, in order of arrival, for a model call permit of the tree with this root session. `None` if there is no
    /// limit.
    ///
    /// # Cancel safety
    /// A future dropped while it waits gives its turn to the next one.
    pub(super) async fn acquire_permit(&self, root: &SessionId) -> Option<OwnedSemaphorePermit> {
        if self.at_once == 0 {
            return None;
        }
        let tree = {
            let mut calls = lock(&self.calls);
            calls.retain(|_, tree| tree.strong_count() > 0);
            match calls.get(root).and_then(Weak::upgrade) {
                Some(tree) => tree,
                None => {
                    let tree = Arc::new(Semaphore::new(self.at_once));
                    calls.insert(root.clone(), Arc::downgrade(&tree));
                    tree
                }
            }
        };
        tree.acquire_owned().await.ok()
    }
}

impl Default for AgentTreePermits {
    /// Uses the default of [`RuntimeSettings`].
    fn default() -> Self {
        Self::new(RuntimeSettings::default().calls_in_tree)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn agent_trees_have_separate_permits_and_are_removed() {
        let (one, other) = (SessionId::new("ses_one"), SessionId::new("ses_other"));
        let trees = AgentTreePermits::new(2);
        let held = [trees.acquire_permit(&one).await, trees.acquire_permit(&one).await];
        assert!(trees.acquire_permit(&one).now_or_never().is_none(), "a third one waits");
        assert!(trees.acquire_permit(&other).now_or_never().is_some(), "another tree does not");
        drop(held);
        assert!(trees.acquire_permit(&one).now_or_never().is_some());
        trees.acquire_permit(&other).await;
        assert_eq!(lock(&trees.calls).len(), 1, "who calls no model is not known any more");
        assert!(AgentTreePermits::new(0).acquire_permit(&one).await.is_none(), "0 is no limit");
    }
}
