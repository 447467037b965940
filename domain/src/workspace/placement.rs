//! Placement: who holds the slots of a workspace, who is queued, who is next. Pure, and computed again after every
//! input of the workspace, so that there are no races.
//!
//! Its result is a list of slot changes; each becomes a `StandingChanged` of its session in the same commit.

mod agent_tree;

use crate::id::SessionId;
use crate::session::{Phase, SessionFacts, SessionKind, Slot, needs_slot};
use crate::time::{Deadline, Millis, Timestamp};

use agent_tree::{collapse_trees, expand_to_children};

/// The settings of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRules {
    /// Number of sessions that may be active at once.
    pub slots: u32,
    /// True if a chat takes the slot of a run at once; otherwise it is queued first.
    pub chat_preempts: bool,
    /// Rest time after which an attached chat yields to a waiting run; chats without attachment yield at once.
    pub chat_eviction: Millis,
    /// Waiting time after which a suspended run precedes newer ones.
    pub ageing: Millis,
}

impl Default for SlotRules {
    fn default() -> Self {
        Self { slots: 1, chat_preempts: true, chat_eviction: Millis::minutes(5), ageing: Millis::minutes(30) }
    }
}

impl SlotRules {
    fn most(&self) -> usize {
        usize::try_from(self.slots.max(1)).unwrap_or(usize::MAX)
    }
}

/// The data of a session that placement needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementCandidate {
    /// Id of the session.
    pub session: SessionId,
    /// Kind of the session.
    pub kind: SessionKind,
    /// The root of its agent tree, if it is an agent. A tree has one slot, which the root holds.
    pub root: Option<SessionId>,
    /// The session that calls it, if it is an agent.
    pub from: Option<SessionId>,
    /// True if agents work or rest for it.
    pub has_children: bool,
    /// True if it has no conversation, only manually requested calls: it is queued in order, replaces no queued
    /// session, and cannot be replaced.
    pub is_of_calls: bool,
    /// Slot state of the session.
    pub slot: Slot,
    /// True if it has work that needs a slot.
    pub needs: bool,
    /// True if one of its actions runs: its slot cannot be taken before that ends.
    pub acting: bool,
    /// Deadline of a person's request for a slot without work, if any.
    pub asks: Option<Deadline>,
    /// Latest lease of its attachments; `None` without attachments.
    pub open: Option<Deadline>,
    /// True if resting now loses nothing: its model call has not begun, or it has no work.
    pub may_rest: bool,
    /// True if it has called its model: it was parked or waited for the network, and continues.
    pub begun: bool,
    /// Workspace log number of the last human act.
    pub acted: u64,
    /// Workspace log number of the entry that queued it.
    pub lined_up: u64,
    /// Time of the last human act: orders acts without log numbers.
    pub last_human_at: Timestamp,
    /// Time of the last input.
    pub last_event_at: Timestamp,
}

impl PlacementCandidate {
    /// The candidate data of a session.
    pub fn from_session(facts: &SessionFacts, phase: &Phase) -> Self {
        let acting = match phase {
            // Actions of its agents belong to their own candidates.
            Phase::ExecutingActions(batch) => batch.has_own_work_under_way(),
            Phase::ExecutingDataQueries(batch) => batch.has_own_action_under_way(),
            Phase::Idle
            | Phase::Parked(_)
            | Phase::ExecutingEnrichments(_)
            | Phase::CallingAi(_)
            | Phase::WaitingValidation { .. }
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::WaitingNetworkRetry { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask
            | Phase::CompactingContext { .. } => false,
        };
        Self {
            session: facts.id.clone(),
            kind: facts.kind,
            root: facts.agent.as_ref().map(|agent| agent.root.clone()),
            from: facts.agent.as_ref().map(|agent| agent.from.clone()),
            has_children: !facts.children.is_empty(),
            is_of_calls: false,
            slot: facts.slot,
            needs: needs_slot(facts.kind, phase),
            acting,
            asks: facts.asks_slot,
            open: facts.latest_lease(),
            may_rest: may_rest(phase),
            begun: has_begun(facts, phase),
            acted: facts.acted,
            lined_up: facts.lined_up,
            last_human_at: facts.last_human_at,
            last_event_at: facts.last_event_at,
        }
    }

    /// Whether placement must consider it: it holds, wants or waits for a slot, or belongs to a tree.
    pub fn is_placed(&self) -> bool {
        let is_of_tree = self.root.is_some() || self.has_children;
        self.needs || self.asks.is_some() || self.slot != Slot::None || is_of_tree
    }

    /// Whether it wants a slot that it does not have.
    fn wants_slot(&self, now: Timestamp) -> bool {
        let asks = self.asks.is_some_and(|asks| !asks.is_due(now));
        match self.slot {
            Slot::Held => self.needs,
            Slot::None | Slot::Queued(_) | Slot::Suspended(_) => self.needs || asks,
        }
    }

    fn is_run(&self) -> bool {
        self.kind.is_run()
    }

    /// Position in the queue: chats (latest human act first), then runs that waited too long, then the queue (runs that
    /// had begun, then first come), then suspended runs.
    fn queue_order(&self, rules: &SlotRules, now: Timestamp) -> Option<PlacementOrder> {
        let (since, row) = match self.slot {
            Slot::Queued(since) => (since, if self.begun { QueueClass::Again } else { QueueClass::New }),
            Slot::Suspended(since) => (since, QueueClass::Suspended),
            Slot::None | Slot::Held => return None,
        };
        let came = (i128::from(self.lined_up), since.0);
        let (row, order) = if !self.is_run() {
            let (acted, at) = self.last_act();
            (QueueClass::Chat, (-i128::from(acted), at.0.saturating_neg()))
        } else if now.since(since) >= rules.ageing {
            (QueueClass::Aged, came)
        } else {
            (row, came)
        };
        Some((row, order, self.session.clone()))
    }

    /// Order of the last human act: log numbers, which are immune to clock changes, then time.
    fn last_act(&self) -> (u64, Timestamp) {
        (self.acted, self.last_human_at)
    }

    /// Whether it is a chat that rests in a slot.
    fn rests(&self) -> bool {
        self.slot == Slot::Held && !self.needs && !self.is_run()
    }

    /// When a run may take this session's slot: a resting chat yields at once without attachment, otherwise after its
    /// rest time or the end of its leases.
    fn yields_to_run_at(&self, rules: &SlotRules) -> Option<Timestamp> {
        let rested = self.last_event_at.plus(rules.chat_eviction);
        let at = self.open.map_or(self.last_event_at, |lease| lease.due_at.min(rested));
        self.rests().then_some(at)
    }

    /// Whether a run may take its slot now. If the clock was set back, a run waits at most twice the rest time.
    fn yields_to_run(&self, rules: &SlotRules, now: Timestamp) -> bool {
        let rested = Deadline::after(self.last_event_at, rules.chat_eviction).has_lapsed(now);
        self.rests() && (rested || self.open.is_none_or(|lease| lease.has_lapsed(now)))
    }
}

/// Whether a session got beyond its first model call.
fn has_begun(facts: &SessionFacts, phase: &Phase) -> bool {
    let asks_first = phase.round().is_some_and(|round| round.number <= 1);
    facts.counters.rounds_total > 0 && !asks_first
}

/// Whether a session waiting in this phase could rest without a loss.
fn may_rest(phase: &Phase) -> bool {
    match phase {
        Phase::CallingAi(round) => round.started_at.is_none(),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => true,
        Phase::ExecutingEnrichments(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::CompactingContext { .. } => false,
    }
}

/// Classes of the queue, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum QueueClass {
    Chat,
    Aged,
    Again,
    New,
    Suspended,
}

/// Class, order within the class, and the id as tie-breaker.
type PlacementOrder = (QueueClass, (i128, i64), SessionId);

/// A change of a session's slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotChange {
    /// Id of the session.
    pub session: SessionId,
    /// New slot state.
    pub slot: Slot,
}

/// The slot changes that follow from current slots and needs. Idempotent: applied to the candidates they lead to no
/// further change.
pub fn assign_slots(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> Vec<SlotChange> {
    let trees = collapse_trees(seats);
    let moves = place_trees(&trees, rules, now);
    expand_to_children(seats, &trees, moves)
}

fn place_trees(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> Vec<SlotChange> {
    let mut table = SlotAllocator { seats: seats.to_vec(), rules, now };
    table.release();
    table.enqueue_waiting();
    while let Some(next) = table.next_waiting() {
        if !table.assign_slot(next) {
            break;
        }
    }
    table.replace_older_chats(seats);
    seats
        .iter()
        .zip(&table.seats)
        .filter(|(before, after)| before.slot != after.slot)
        .map(|(_, after)| SlotChange { session: after.session.clone(), slot: after.slot })
        .collect()
}

/// The slot changes of a stopping process: no session gets a slot and every holder returns it, so that nothing new
/// starts. Running work may finish; the next process assigns slots again and all sessions continue where they stopped.
pub fn release_all_slots(seats: &[PlacementCandidate], now: Timestamp) -> Vec<SlotChange> {
    let trees = collapse_trees(seats);
    let moves = vacate_trees(&trees, now);
    expand_to_children(seats, &trees, moves)
}

fn vacate_trees(seats: &[PlacementCandidate], now: Timestamp) -> Vec<SlotChange> {
    let given_back = |seat: &PlacementCandidate| match seat.slot {
        Slot::Held if seat.needs => Slot::Suspended(now),
        Slot::Held => Slot::None,
        Slot::None if seat.wants_slot(now) => Slot::Queued(now),
        kept @ (Slot::None | Slot::Queued(_) | Slot::Suspended(_)) => kept,
    };
    let moves = seats.iter().map(|seat| SlotChange { session: seat.session.clone(), slot: given_back(seat) });
    moves.zip(seats).filter(|(step, seat)| step.slot != seat.slot).map(|(step, _)| step).collect()
}

/// The sessions that wait for a slot, in queue order.
pub fn waiting_queue(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> Vec<SessionId> {
    let mut turns: Vec<PlacementOrder> =
        collapse_trees(seats).iter().filter_map(|seat| seat.queue_order(rules, now)).collect();
    turns.sort();
    turns.into_iter().map(|(_, _, session)| session).collect()
}

/// Whether a due run may be created now: no session is queued, and a slot is free or held by a chat that may be
/// evicted.
pub fn has_room_for_run(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> bool {
    let seats = collapse_trees(seats);
    if seats.iter().any(|seat| seat.queue_order(rules, now).is_some()) {
        return false;
    }
    let held = seats.iter().filter(|seat| seat.slot == Slot::Held).count();
    held < rules.most() || seats.iter().any(|seat| seat.yields_to_run(rules, now))
}

/// When the first resting slot holder may be evicted by a run.
pub fn next_eviction_at<'a>(
    seats: impl IntoIterator<Item = &'a PlacementCandidate>,
    rules: &SlotRules,
) -> Option<Timestamp> {
    let seats: Vec<PlacementCandidate> = seats.into_iter().cloned().collect();
    collapse_trees(&seats).iter().filter_map(|seat| seat.yields_to_run_at(rules)).min()
}

/// The result of a request for activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivationResult {
    /// The session holds a slot now.
    Activated,
    /// The session held a slot before.
    AlreadyActive,
    /// The session is queued for a slot.
    Queued {
        /// Position in the queue, from 1.
        position: u32,
    },
}

impl ActivationResult {
    /// The stable keyword in JSON and on screens.
    pub const fn word(self) -> &'static str {
        match self {
            ActivationResult::Activated => "ACTIVATED",
            ActivationResult::AlreadyActive => "ALREADY_ACTIVE",
            ActivationResult::Queued { .. } => "QUEUED",
        }
    }
}

/// The result of an activation request, given the slot state `before`; `None` if the session wants no slot now.
pub fn activation_result(
    before: Slot,
    session: &SessionId,
    seats: &[PlacementCandidate],
    rules: &SlotRules,
    now: Timestamp,
) -> Option<ActivationResult> {
    let own = seats.iter().find(|seat| seat.session == *session)?;
    // An agent waits through the root of its tree.
    let session = own.root.as_ref().unwrap_or(session);
    let seat = seats.iter().find(|seat| seat.session == *session)?;
    match (before, seat.slot) {
        (Slot::Held, Slot::Held) => Some(ActivationResult::AlreadyActive),
        (Slot::None | Slot::Queued(_) | Slot::Suspended(_), Slot::Held) => Some(ActivationResult::Activated),
        (
            Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_),
            Slot::Queued(_) | Slot::Suspended(_),
        ) => {
            let position = waiting_queue(seats, rules, now).iter().position(|waiting| waiting == session)?;
            Some(ActivationResult::Queued {
                position: u32::try_from(position).unwrap_or(u32::MAX).saturating_add(1),
            })
        }
        (Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_), Slot::None) => None,
    }
}

struct SlotAllocator<'a> {
    seats: Vec<PlacementCandidate>,
    rules: &'a SlotRules,
    now: Timestamp,
}

impl SlotAllocator<'_> {
    /// Releases the slots of runs that need none, and removes sessions without work from the queue.
    fn release(&mut self) {
        for seat in &mut self.seats {
            let keeps = match seat.slot {
                Slot::None => true,
                // A chat keeps its slot while it rests, until another session needs it.
                Slot::Held => seat.needs || !seat.is_run(),
                Slot::Queued(_) | Slot::Suspended(_) => seat.wants_slot(self.now),
            };
            if !keeps {
                seat.slot = Slot::None;
            }
        }
    }

    /// Queues sessions that need a slot and have none.
    fn enqueue_waiting(&mut self) {
        for seat in &mut self.seats {
            if seat.slot == Slot::None && seat.wants_slot(self.now) {
                seat.slot = Slot::Queued(self.now);
                // The entry that records this change will have the next numbers.
                seat.lined_up = u64::MAX;
            }
        }
    }

    /// Keeps at most one chat in the queue: a later one replaces it. A replaced chat that loses nothing leaves the
    /// queue, any other is suspended and resumes when a slot is free; sessions of manual calls are unaffected. A chat
    /// that only now joined the queue is recorded as queued first.
    fn replace_older_chats(&mut self, before: &[PlacementCandidate]) {
        let converses = |seat: &PlacementCandidate| !seat.is_run() && !seat.is_of_calls;
        let is_queued = |seat: &PlacementCandidate| converses(seat) && matches!(seat.slot, Slot::Queued(_));
        let latest = self
            .seats
            .iter()
            .filter(|seat| is_queued(seat))
            .filter_map(|seat| seat.queue_order(self.rules, self.now));
        let Some((_, _, latest)) = latest.min() else { return };
        for (seat, before) in self.seats.iter_mut().zip(before) {
            if let (true, Slot::Queued(since)) = (is_queued(seat) && seat.session != latest, before.slot) {
                seat.slot = if seat.may_rest { Slot::None } else { Slot::Suspended(since) };
            }
        }
    }

    /// The first session in the queue.
    fn next_waiting(&self) -> Option<usize> {
        (0..self.seats.len())
            .filter_map(|index| Some((self.seats[index].queue_order(self.rules, self.now)?, index)))
            .min()
            .map(|(_, index)| index)
    }

    /// Gives a slot to a queued session, evicting a holder if allowed; false if the session must wait.
    fn assign_slot(&mut self, index: usize) -> bool {
        let held = self.seats.iter().filter(|seat| seat.slot == Slot::Held).count();
        let free = held < self.rules.most();
        if !free {
            let Some(giver) = self.find_evictable_holder(index) else { return false };
            let giver = &mut self.seats[giver];
            giver.slot = if giver.needs { Slot::Suspended(self.now) } else { Slot::None };
        }
        self.seats[index].slot = Slot::Held;
        true
    }

    /// The holder that gives its slot to this session: an idle chat first, then a working session that may be
    /// preempted.
    fn find_evictable_holder(&self, index: usize) -> Option<usize> {
        let wants = &self.seats[index];
        let holders = || (0..self.seats.len()).filter(|&other| self.seats[other].slot == Slot::Held);
        let resting = holders()
            .filter(|&other| !self.seats[other].needs && self.can_evict_idle(other, wants))
            .min_by_key(|&other| self.seats[other].last_act());
        resting.or_else(|| {
            holders()
                .filter(|&other| self.can_preempt(other, wants))
                .min_by_key(|&other| self.seats[other].last_act())
        })
    }

    /// Whether an idle chat can be evicted: by a chat at once, by a run only if no attachment protects it.
    fn can_evict_idle(&self, holder: usize, wants: &PlacementCandidate) -> bool {
        !wants.is_run() || self.seats[holder].yields_to_run(self.rules, self.now)
    }

    /// Whether a chat may preempt a run or an older chat, unless one of its actions runs.
    fn can_preempt(&self, holder: usize, wants: &PlacementCandidate) -> bool {
        let holder = &self.seats[holder];
        let allowed =
            if holder.is_run() { self.rules.chat_preempts } else { holder.last_act() < wants.last_act() };
        !wants.is_run() && !holder.acting && allowed
    }
}

#[cfg(test)]
mod tests;
