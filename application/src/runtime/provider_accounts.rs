//! The state of the provider accounts of a process, shared by all sessions: concurrent calls, requested backoff
//! and reachability.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::agent_trees::AgentTreePermits;
use super::lock::lock;
use crate::ports::{ModelReply, ProviderFailure};

/// The provider accounts of a process, by entry name.
pub struct ProviderAccounts {
    /// Maximum concurrent calls of each account; 0 = no limit.
    at_once: usize,
    accounts: Mutex<BTreeMap<String, ProviderAccountState>>,
    trees: AgentTreePermits,
    news: Mutex<BTreeSet<ProviderAccountChange>>,
    changed: Notify,
}

/// The permits of one model call, held until dropped.
pub(super) struct ModelCallPermits {
    _tree: Option<OwnedSemaphorePermit>,
    _account: Option<OwnedSemaphorePermit>,
}

#[derive(Default)]
struct ProviderAccountState {
    closed_until: Option<Timestamp>,
    is_unreachable: bool,
    calls: Option<Arc<Semaphore>>,
}

/// A change in the reachability of an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProviderAccountChange {
    /// The account is reachable again.
    Back(String),
    /// The account is no longer reachable.
    Gone(String),
}

impl ProviderAccounts {
    /// Allows `at_once` concurrent calls for each account; 0 = no limit.
    pub fn new(at_once: usize) -> Self {
        let (trees, changed) = (AgentTreePermits::default(), Notify::new());
        Self { at_once, accounts: Mutex::default(), trees, news: Mutex::default(), changed }
    }

    /// Limits the concurrent calls of the agents of one tree; 0 = no limit.
    #[must_use]
    pub fn with_tree_limit(self, at_once: usize) -> Self {
        Self { trees: AgentTreePermits::new(at_once), ..self }
    }

    /// Waits for a permit of the account, and before it for one of the agent tree with this root session, so that a
    /// call waiting for its tree blocks no account permit.
    pub(super) async fn acquire_permits(&self, provider: &str, tree: Option<&SessionId>) -> ModelCallPermits {
        let tree = match tree {
            Some(root) => self.trees.acquire_permit(root).await,
            None => None,
        };
        ModelCallPermits { _tree: tree, _account: self.acquire_account_permit(provider).await }
    }

    /// Waits for a permit of an account; `None` if there is no limit.
    async fn acquire_account_permit(&self, provider: &str) -> Option<OwnedSemaphorePermit> {
        if self.at_once == 0 {
            return None;
        }
        let calls = {
            let mut accounts = lock(&self.accounts);
            let account = accounts.entry(provider.to_owned()).or_default();
            account.calls.get_or_insert_with(|| Arc::new(Semaphore::new(self.at_once))).clone()
        };
        calls.acquire_owned().await.ok()
    }

    /// How long the account still requests no calls; `None` if it accepts calls.
    pub(super) fn remaining_backoff(&self, provider: &str, now: Timestamp) -> Option<Millis> {
        let until = lock(&self.accounts).get(provider)?.closed_until?;
        // Rounded up, so that no call is a moment too early.
        (until > now).then(|| Millis((until.0 - now.0 + 999) / 1000))
    }

    /// Records the result of a call.
    pub(super) fn record_result(
        &self,
        provider: &str,
        result: &Result<ModelReply, ProviderFailure>,
        now: Timestamp,
    ) {
        let mut accounts = lock(&self.accounts);
        let account = accounts.entry(provider.to_owned()).or_default();
        let unreachable = matches!(result, Err(failure) if failure.class == FailureClass::Unreachable);
        if let Err(failure) = result
            && matches!(failure.class, FailureClass::Throttled | FailureClass::Overloaded)
            && let Some(span) = failure.retry_after
        {
            let until = now.plus(span);
            account.closed_until = account.closed_until.max(Some(until));
        }
        if std::mem::replace(&mut account.is_unreachable, unreachable) != unreachable {
            drop(accounts);
            let name = provider.to_owned();
            self.notify_change(if unreachable {
                ProviderAccountChange::Gone(name)
            } else {
                ProviderAccountChange::Back(name)
            });
        }
    }

    /// Records that the account is reachable again.
    pub(super) fn mark_reachable(&self, provider: &str) {
        let known = lock(&self.accounts)
            .get_mut(provider)
            .is_some_and(|account| std::mem::replace(&mut account.is_unreachable, false));
        if known {
            self.notify_change(ProviderAccountChange::Back(provider.to_owned()));
        }
    }

    /// Waits for the next change.
    pub(super) async fn next_change(&self) -> ProviderAccountChange {
        loop {
            let changed = self.changed.notified();
            if let Some(news) = lock(&self.news).pop_first() {
                return news;
            }
            changed.await;
        }
    }

    fn notify_change(&self, news: ProviderAccountChange) {
        lock(&self.news).insert(news);
        self.changed.notify_one();
    }
}

impl Default for ProviderAccounts {
    /// Uses the default number of concurrent calls.
    fn default() -> Self {
        Self::new(AT_ONCE)
    }
}

/// Default for the concurrent calls of each account.
const AT_ONCE: usize = 16;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const NOON: Timestamp = Timestamp(43_200_000_000);

    fn fails(class: FailureClass, retry_after: Option<Millis>) -> Result<ModelReply, ProviderFailure> {
        Err(ProviderFailure { class, message: String::new(), retry_after, usage: None })
    }

    #[test]
    fn account_backoff_applies_to_all_its_sessions() {
        let accounts = ProviderAccounts::default();
        assert_eq!(accounts.remaining_backoff("claude", NOON), None);
        accounts.record_result("claude", &fails(FailureClass::Throttled, Some(Millis::seconds(30))), NOON);
        accounts.record_result("claude", &fails(FailureClass::Throttled, Some(Millis::seconds(10))), NOON);
        assert_eq!(accounts.remaining_backoff("claude", NOON), Some(Millis::seconds(30)));
        assert_eq!(accounts.remaining_backoff("other", NOON), None);
        assert_eq!(accounts.remaining_backoff("claude", NOON.plus(Millis::seconds(30))), None);
    }

    #[tokio::test]
    async fn reachability_changes_are_reported_once() {
        let accounts = ProviderAccounts::default();
        for _ in 0..2 {
            accounts.record_result("claude", &fails(FailureClass::Unreachable, None), NOON);
        }
        assert_eq!(accounts.next_change().await, ProviderAccountChange::Gone("claude".into()));
        accounts.record_result("claude", &fails(FailureClass::Throttled, None), NOON);
        assert_eq!(accounts.next_change().await, ProviderAccountChange::Back("claude".into()));
        accounts.mark_reachable("claude");
        assert!(lock(&accounts.news).is_empty(), "it was there already");
    }

    #[tokio::test]
    async fn calls_beyond_account_limit_wait_for_permit() {
        let accounts = ProviderAccounts::new(1);
        let first = accounts.acquire_account_permit("claude").await;
        assert!(accounts.acquire_account_permit("other").await.is_some());
        assert!(accounts.acquire_account_permit("claude").now_or_never().is_none());
        drop(first);
        assert!(accounts.acquire_account_permit("claude").await.is_some());
        assert!(ProviderAccounts::new(0).acquire_account_permit("claude").await.is_none());
    }
}
