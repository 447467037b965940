//! How many model calls of one tree of agents are under way at once: a tree is one slot, and must not take the account of
//! its provider for itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use entracte_domain::id::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::lock::lock;
use crate::settings::RuntimeSettings;

/// The trees of a process, by the sessions where they begin.
pub(super) struct AgentTreePermits {
    /// Model calls of one tree that may be under way at once; 0 = no limit.
    at_once: usize,
    /// Those of which a call is under way, or waits.
    calls: Mutex<BTreeMap<SessionId, Weak<Semaphore>>>,
}

impl AgentTreePermits {
    /// With so many model calls at once for each tree; 0 = no limit.
    pub(super) fn new(at_once: usize) -> Self {
        Self { at_once, calls: Mutex::default() }
    }

    /// Waits for a place among the model calls of the agents below this session, in the order in which they came; none
    /// where there is no limit.
    ///
    /// # Cancel safety
    /// Who is dropped while it waits leaves its turn to the next one.
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
    /// With the usual number of calls at once.
    fn default() -> Self {
        Self::new(RuntimeSettings::default().calls_in_tree)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn each_tree_has_its_own_places_and_leaves_nothing_behind() {
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
