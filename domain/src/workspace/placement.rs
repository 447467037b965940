//! Placement: who holds the slots of a workspace, who waits, who goes on next. Pure, and made anew after every
//! event of the workspace, so nothing races.
//!
//! It gives moves; each becomes a `StandingChanged` of its session, in the same commit.

mod agent_tree;

use crate::id::SessionId;
use crate::session::{Phase, SessionFacts, SessionKind, Slot, needs_slot};
use crate::time::{Deadline, Millis, Timestamp};

use agent_tree::{collapse_trees, expand_to_children};

/// The settings of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRules {
    /// How many sessions may be active at once.
    pub slots: u32,
    /// A chat takes the slot of a run at once; else it waits, first in the queue.
    pub chat_preempts: bool,
    /// A chat that somebody has open gives way to a waiting run when it rested this long; any other one at once.
    pub chat_eviction: Millis,
    /// A suspended run that waited this long goes before newer ones.
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

/// What placement sees of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementCandidate {
    /// The session.
    pub session: SessionId,
    /// Its kind.
    pub kind: SessionKind,
    /// The session where its tree begins, where it is an agent. A tree has one slot, which that session holds.
    pub root: Option<SessionId>,
    /// The session that calls it, where it is an agent.
    pub from: Option<SessionId>,
    /// Agents work, or rest, for it.
    pub has_children: bool,
    /// Nobody converses in it, only calls are asked for: it waits its turn, takes the place of nobody who waits, and nobody takes
    /// its own.
    pub is_of_calls: bool,
    /// The slot it has.
    pub slot: Slot,
    /// It has work that needs a slot.
    pub needs: bool,
    /// An action of it is under way: its slot cannot be taken before that ends.
    pub acting: bool,
    /// A person asked for its slot without giving it work: until when that counts.
    pub asks: Option<Deadline>,
    /// The lease that ends last, of those that have it open; none when nobody has.
    pub open: Option<Deadline>,
    /// Nothing of it is lost when it rests now: a model call that has not begun, or no work at all.
    pub may_rest: bool,
    /// It has called its model: it was parked or waited for the network, and goes on.
    pub begun: bool,
    /// Number of the last human act in the log of the workspace.
    pub acted: u64,
    /// Number of the entry that gave it its place among those that wait.
    pub lined_up: u64,
    /// Last human act: says who acted before whom where neither act has a number.
    pub last_human_at: Timestamp,
    /// Last input.
    pub last_event_at: Timestamp,
}

impl PlacementCandidate {
    /// The seat of a session.
    pub fn from_session(facts: &SessionFacts, phase: &Phase) -> Self {
        let acting = match phase {
            // What its agents do, they do in seats of their own.
            Phase::ExecutingActions(batch) => batch.has_own_work_under_way(),
            Phase::Idle
            | Phase::Parked(_)
            | Phase::ExecutingEnrichments(_)
            | Phase::CallingAi(_)
            | Phase::WaitingValidation { .. }
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::ExecutingDataQueries(_)
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

    /// Whether placement has to know of it: it holds, wants or waits for a slot, or is one of a tree.
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

    /// The turn of a session that waits: chats (the latest asked by a person), then runs that waited too long, then
    /// the queue (one that had begun, then in the order they came), then suspended runs.
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

    /// What says who acted before whom: the numbers of the log, which no clock turns back.
    fn last_act(&self) -> (u64, Timestamp) {
        (self.acted, self.last_human_at)
    }

    /// Whether a chat rests in a slot.
    fn rests(&self) -> bool {
        self.slot == Slot::Held && !self.needs && !self.is_run()
    }

    /// When a run may take this session's slot: a chat that rests gives way at once where nobody has it open, else when
    /// it has rested long enough, or whoever had it open is gone.
    fn yields_to_run_at(&self, rules: &SlotRules) -> Option<Timestamp> {
        let rested = self.last_event_at.plus(rules.chat_eviction);
        let at = self.open.map_or(self.last_event_at, |lease| lease.due_at.min(rested));
        self.rests().then_some(at)
    }

    /// Whether a run may take its slot now. That the clock was set back keeps nobody waiting for longer than twice.
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

/// Whether nothing is lost when a session that waits in this phase rests instead.
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

/// Rows of the queue, the first of which goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum QueueClass {
    Chat,
    Aged,
    Again,
    New,
    Suspended,
}

/// Row, order in the row, and the id, so that the order is always the same.
type PlacementOrder = (QueueClass, (i128, i64), SessionId);

/// A session's slot changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotChange {
    /// The session.
    pub session: SessionId,
    /// Its slot from now on.
    pub slot: Slot,
}

/// The moves that follow from who holds and who wants a slot. Applied to the seats they leave no further move.
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

/// The moves of a process that stops: nobody gets a slot, and who has one gives it back, so that nothing new starts. What is
/// under way may come to its end; the next process gives the slots again, and everything goes on where it stood.
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

/// The sessions that wait for a slot, the one that goes first first.
pub fn waiting_queue(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> Vec<SessionId> {
    let mut turns: Vec<PlacementOrder> =
        collapse_trees(seats).iter().filter_map(|seat| seat.queue_order(rules, now)).collect();
    turns.sort();
    turns.into_iter().map(|(_, _, session)| session).collect()
}

/// Whether a run that is due may be made now: nobody waits, and a slot is free or held by a chat that has rested long
/// enough.
pub fn has_room_for_run(seats: &[PlacementCandidate], rules: &SlotRules, now: Timestamp) -> bool {
    let seats = collapse_trees(seats);
    if seats.iter().any(|seat| seat.queue_order(rules, now).is_some()) {
        return false;
    }
    let held = seats.iter().filter(|seat| seat.slot == Slot::Held).count();
    held < rules.most() || seats.iter().any(|seat| seat.yields_to_run(rules, now))
}

/// When the first of the chats that rest in a slot gives way to a run.
pub fn next_eviction_at<'a>(
    seats: impl IntoIterator<Item = &'a PlacementCandidate>,
    rules: &SlotRules,
) -> Option<Timestamp> {
    let seats: Vec<PlacementCandidate> = seats.into_iter().cloned().collect();
    collapse_trees(&seats).iter().filter_map(|seat| seat.yields_to_run_at(rules)).min()
}

/// What came of asking for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivationResult {
    /// It holds a slot now.
    Activated,
    /// It held one before.
    AlreadyActive,
    /// It waits for one.
    Queued {
        /// Its place, from 1.
        position: u32,
    },
}

impl ActivationResult {
    /// The word in JSON and on screens.
    pub const fn word(self) -> &'static str {
        match self {
            ActivationResult::Activated => "ACTIVATED",
            ActivationResult::AlreadyActive => "ALREADY_ACTIVE",
            ActivationResult::Queued { .. } => "QUEUED",
        }
    }
}

/// What came of asking for a session that had this slot `before`; none when it wants none now.
pub fn activation_result(
    before: Slot,
    session: &SessionId,
    seats: &[PlacementCandidate],
    rules: &SlotRules,
    now: Timestamp,
) -> Option<ActivationResult> {
    let own = seats.iter().find(|seat| seat.session == *session)?;
    // An agent waits where its tree waits.
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
    /// Runs that need no slot any more give it back; nobody waits for nothing.
    fn release(&mut self) {
        for seat in &mut self.seats {
            let keeps = match seat.slot {
                Slot::None => true,
                // A chat keeps its slot while it rests, until somebody wants it.
                Slot::Held => seat.needs || !seat.is_run(),
                Slot::Queued(_) | Slot::Suspended(_) => seat.wants_slot(self.now),
            };
            if !keeps {
                seat.slot = Slot::None;
            }
        }
    }

    /// Who needs a slot and has none waits for one.
    fn enqueue_waiting(&mut self) {
        for seat in &mut self.seats {
            if seat.slot == Slot::None && seat.wants_slot(self.now) {
                seat.slot = Slot::Queued(self.now);
                // The entry that says so will have the next numbers.
                seat.lined_up = u64::MAX;
            }
        }
    }

    /// At most one chat is in the queue: one that came later takes its place; sessions of calls stay where they are. What rests without a loss leaves the queue;
    /// anything else goes on alone when a slot is free. One that has only now joined the queue is noted as such first.
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

    /// The waiting session that goes first.
    fn next_waiting(&self) -> Option<usize> {
        (0..self.seats.len())
            .filter_map(|index| Some((self.seats[index].queue_order(self.rules, self.now)?, index)))
            .min()
            .map(|(_, index)| index)
    }

    /// Gives a slot to a waiting session, taking it from another where that is right; false when it must wait.
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

    /// Who gives its slot to this session: a resting chat first, then one at work whose slot may be taken.
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

    /// A resting chat gives way to a chat at once, and to a run too, unless somebody has it open.
    fn can_evict_idle(&self, holder: usize, wants: &PlacementCandidate) -> bool {
        !wants.is_run() || self.seats[holder].yields_to_run(self.rules, self.now)
    }

    /// A chat takes the slot of a run or of an older chat, unless an action is under way.
    fn can_preempt(&self, holder: usize, wants: &PlacementCandidate) -> bool {
        let holder = &self.seats[holder];
        let allowed =
            if holder.is_run() { self.rules.chat_preempts } else { holder.last_act() < wants.last_act() };
        !wants.is_run() && !holder.acting && allowed
    }
}

#[cfg(test)]
mod tests;
