use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{SessionKind, Slot, Standing};
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::{PlacementCandidate, waiting_queue};

use super::{SessionView, UseCaseError, settings_of};
use crate::ports::{Clock, WorkspaceStore};
use crate::protocol::relay;

use_case! {
    /// Reads the queue for the slots of a workspace.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let waiting = || SessionFacts { slot: Slot::Queued(samples::NOON), ..samples::facts() };
    /// let mut store = samples::store();
    /// store.expect_sessions_with_slot_demand().returning(move |_| Ok(samples::row(waiting()).into_iter().collect()));
    /// let queue = ReadQueue::new(Arc::new(store), Arc::new(SystemClock));
    /// assert_eq!(queue.run(&samples::workspace()).await?, [samples::session()]);
    /// # Ok(()) });
    /// ```
    pub struct ReadQueue reads (store: dyn WorkspaceStore, clock: dyn Clock)
}

impl ReadQueue {
    /// The waiting sessions in starting order: queued ones first, then suspended ones. Unreadable sessions are
    /// omitted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionId>, UseCaseError> {
        let (_, queue) = self.read(workspace).await?;
        Ok(queue)
    }

    /// The position of this session in the queue; `None` if it waits for no slot.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn place(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Option<QueuePosition>, UseCaseError> {
        let (views, queue) = self.read(workspace).await?;
        let Some(position) = queue.iter().position(|waiting| waiting == session) else { return Ok(None) };
        let view = |id: &SessionId| views.iter().find(|view| view.facts.id == *id);
        let Some(since) = view(session).and_then(|view| waits_since(view.facts.slot)) else {
            return Ok(None);
        };
        let holders = views.iter().filter(|view| view.facts.slot == Slot::Held);
        let earlier = queue.iter().take(position).filter_map(view);
        let ahead = holders.chain(earlier).map(QueuePredecessor::of).collect();
        Ok(Some(QueuePosition { session: session.clone(), position: position + 1, since, ahead }))
    }

    async fn read(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<(Vec<SessionView>, Vec<SessionId>), UseCaseError> {
        let rules = settings_of(&*self.store, workspace).await?.slot_rules();
        let placed = self.store.sessions_with_slot_demand(workspace).await?;
        let views: Vec<SessionView> =
            placed.iter().filter_map(|row| SessionView::from_row(row).ok()).collect();
        let seats: Vec<PlacementCandidate> =
            views.iter().map(|view| relay::seat(&view.facts, &view.phase)).collect();
        let queue = waiting_queue(&seats, &rules, self.clock.now());
        Ok((views, queue))
    }
}

/// The position of a session in the slot queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuePosition {
    /// The waiting session.
    pub session: SessionId,
    /// Its position, from 1.
    pub position: usize,
    /// Since when it waits.
    pub since: Timestamp,
    /// The sessions before it: those that hold the slots, then those that wait and start first.
    pub ahead: Vec<QueuePredecessor>,
}

/// A session that is before another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuePredecessor {
    /// Unique id of the session.
    pub session: SessionId,
    /// Display name.
    pub name: String,
    /// The session kind.
    pub kind: SessionKind,
    /// Whether it holds a slot or waits for one, too.
    pub standing: Standing,
    /// Since when it waits; for a slot holder the time of its last event.
    pub since: Timestamp,
}

impl QueuePredecessor {
    fn of(view: &SessionView) -> Self {
        let facts = &view.facts;
        Self {
            session: facts.id.clone(),
            name: facts.name.clone(),
            kind: facts.kind,
            standing: view.standing,
            since: waits_since(facts.slot).unwrap_or(facts.last_event_at),
        }
    }
}

fn waits_since(slot: Slot) -> Option<Timestamp> {
    match slot {
        Slot::Queued(since) | Slot::Suspended(since) => Some(since),
        Slot::None | Slot::Held => None,
    }
}
