//! A clock that a test may pause, and an executor that never finishes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_domain::call::CallOutcome;
use entracte_domain::time::{Millis, Timestamp};

use super::NOON;
use crate::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, Clock, CommandExecutor,
    CommandSpec, ResourceReader, StoreError,
};

/// The clock of tokio, which a test pauses: time passes only while every task waits.
pub(crate) struct PausedClock {
    start: tokio::time::Instant,
}

impl Default for PausedClock {
    fn default() -> Self {
        Self { start: tokio::time::Instant::now() }
    }
}

#[async_trait]
impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        Timestamp(NOON.0 + i64::try_from(self.start.elapsed().as_micros()).unwrap())
    }

    fn monotonic(&self) -> Millis {
        Millis(i64::try_from(self.start.elapsed().as_millis()).unwrap())
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(std::time::Duration::from_millis(span.0.max(0).unsigned_abs())).await;
    }
}

/// An executor that never answers, and counts dropped calls.
pub(crate) struct HangingExecutor {
    specs: Vec<CommandSpec>,
    /// The numbers of calls begun and dropped.
    pub(crate) begun: Arc<AtomicU32>,
    pub(crate) dropped: Arc<AtomicU32>,
}

impl HangingExecutor {
    pub(crate) fn new(specs: Vec<CommandSpec>) -> Self {
        Self { specs, begun: Arc::default(), dropped: Arc::default() }
    }

    async fn hang<T>(&self) -> T {
        struct WorkDropCounter(Arc<AtomicU32>);

        impl Drop for WorkDropCounter {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }

        self.begun.fetch_add(1, Ordering::SeqCst);
        let _work = WorkDropCounter(self.dropped.clone());
        std::future::pending().await
    }
}

#[async_trait]
impl CommandExecutor for HangingExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.specs.clone()
    }

    async fn run(&self, _: CallRequest) -> CallOutcome {
        self.hang().await
    }

    async fn probe_outcome(&self, _: CallRequest) -> CallOutcome {
        self.hang().await
    }

    async fn plan(&self, _: CallRequest, _: Arc<dyn ResourceReader>) -> Result<ActionPlan, ActionPlanError> {
        self.hang().await
    }

    async fn describe(
        &self,
        _: CallRequest,
        _: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.hang().await
    }

    async fn target(&self, _: CallRequest, _: Arc<dyn ResourceReader>) -> Result<ActionTarget, StoreError> {
        self.hang().await
    }
}
