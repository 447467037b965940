//! Placement: who holds the slots of a workspace, who waits, who goes on next. Pure, and made anew after every
//! event of the workspace, so nothing races.
//!
//! It gives moves; each becomes a `StandingChanged` of its session, in the same commit.

use crate::id::SessionId;
use crate::session::{Phase, SessionFacts, SessionKind, Slot, needs_slot};
use crate::time::{Millis, Timestamp};

/// The settings of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRules {
    /// Sessions that may be active at once.
    pub slots: u32,
    /// A chat takes the slot of a run at once; else it waits, first in the queue.
    pub chat_preempts: bool,
    /// A chat that rests this long gives way to a waiting run.
    pub chat_eviction: Millis,
    /// A suspended run that waited this long goes before newer ones.
    pub ageing: Millis,
}

impl Default for SlotRules {
    fn default() -> Self {
        Self { slots: 1, chat_preempts: true, chat_eviction: Millis::minutes(5), ageing: Millis::minutes(30) }
    }
}

/// What placement sees of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The session.
    pub session: SessionId,
    /// Its kind.
    pub kind: SessionKind,
    /// The slot it has.
    pub slot: Slot,
    /// It has work that needs a slot.
    pub needs: bool,
    /// An action of it is under way: its slot cannot be taken before that ends.
    pub acting: bool,
    /// Last human act.
    pub last_human_at: Timestamp,
    /// Last input.
    pub last_event_at: Timestamp,
}

impl Seat {
    /// The seat of a session.
    pub fn of(facts: &SessionFacts, phase: &Phase) -> Self {
        let acting = match phase {
            Phase::ExecutingActions(batch) => batch.is_busy(),
            Phase::Idle
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
            slot: facts.slot,
            needs: needs_slot(facts.kind, phase),
            acting,
            last_human_at: facts.last_human_at,
            last_event_at: facts.last_event_at,
        }
    }

    /// Whether placement has to know of it: it holds, wants or waits for a slot.
    pub fn is_placed(&self) -> bool {
        self.needs || self.slot != Slot::None
    }

    fn is_run(&self) -> bool {
        match self.kind {
            SessionKind::Automation | SessionKind::Agent => true,
            SessionKind::Chat | SessionKind::Seed => false,
        }
    }

    fn waits_since(&self) -> Option<Timestamp> {
        match self.slot {
            Slot::Queued(since) | Slot::Suspended(since) => Some(since),
            Slot::None | Slot::Held => None,
        }
    }
}

/// A session's slot changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The session.
    pub session: SessionId,
    /// Its slot from now on.
    pub slot: Slot,
}

/// The moves that follow from who holds and who wants a slot. Applied to the seats they leave no further move.
pub fn place(seats: &[Seat], rules: &SlotRules, now: Timestamp) -> Vec<Move> {
    let mut table = Table { seats: seats.to_vec(), rules, now };
    table.release();
    table.line_up();
    while let Some(next) = table.next_waiting() {
        if !table.seat(next) {
            break;
        }
    }
    seats
        .iter()
        .zip(&table.seats)
        .filter(|(before, after)| before.slot != after.slot)
        .map(|(_, after)| Move { session: after.session.clone(), slot: after.slot })
        .collect()
}

struct Table<'a> {
    seats: Vec<Seat>,
    rules: &'a SlotRules,
    now: Timestamp,
}

impl Table<'_> {
    /// Runs that need no slot any more give it back; nobody waits for nothing.
    fn release(&mut self) {
        for seat in &mut self.seats {
            let keeps = match seat.slot {
                Slot::None => true,
                // A chat keeps its slot while it rests, until somebody wants it.
                Slot::Held => seat.needs || !seat.is_run(),
                Slot::Queued(_) | Slot::Suspended(_) => seat.needs,
            };
            if !keeps {
                seat.slot = Slot::None;
            }
        }
    }

    /// Who needs a slot and has none waits for one.
    fn line_up(&mut self) {
        for seat in &mut self.seats {
            if seat.needs && seat.slot == Slot::None {
                seat.slot = Slot::Queued(self.now);
            }
        }
    }

    /// The waiting session that goes first: chats (the latest asked by a person), then runs that waited too
    /// long, then by the time they began to wait.
    fn next_waiting(&self) -> Option<usize> {
        (0..self.seats.len()).filter(|&index| self.seats[index].waits_since().is_some()).min_by_key(
            |&index| {
                let seat = &self.seats[index];
                let since = seat.waits_since().unwrap_or(self.now);
                let aged = self.now.since(since) >= self.rules.ageing;
                if seat.is_run() {
                    (1, !aged, since, seat.session.clone())
                } else {
                    (0, false, Timestamp(-seat.last_human_at.0), seat.session.clone())
                }
            },
        )
    }

    /// Gives a slot to a waiting session, taking it from another where that is right; false when it must wait.
    fn seat(&mut self, index: usize) -> bool {
        let held = self.seats.iter().filter(|seat| seat.slot == Slot::Held).count();
        let free = held < usize::try_from(self.rules.slots.max(1)).unwrap_or(usize::MAX);
        if !free {
            let Some(giver) = self.giver_for(index) else { return false };
            let giver = &mut self.seats[giver];
            giver.slot = if giver.needs { Slot::Suspended(self.now) } else { Slot::None };
        }
        self.seats[index].slot = Slot::Held;
        true
    }

    /// Who gives its slot to this session: a resting chat first, then one at work whose slot may be taken.
    fn giver_for(&self, index: usize) -> Option<usize> {
        let wants = &self.seats[index];
        let holders = || (0..self.seats.len()).filter(|&other| self.seats[other].slot == Slot::Held);
        let resting = holders()
            .filter(|&other| !self.seats[other].needs && self.rests_enough(other, wants))
            .min_by_key(|&other| self.seats[other].last_human_at);
        resting.or_else(|| {
            holders()
                .filter(|&other| self.may_take(other, wants))
                .min_by_key(|&other| self.seats[other].last_human_at)
        })
    }

    /// A resting chat gives way to a chat at once, to a run after the eviction time.
    fn rests_enough(&self, holder: usize, wants: &Seat) -> bool {
        !wants.is_run() || self.now.since(self.seats[holder].last_event_at) >= self.rules.chat_eviction
    }

    /// A chat takes the slot of a run or of an older chat, unless an action is under way.
    fn may_take(&self, holder: usize, wants: &Seat) -> bool {
        let holder = &self.seats[holder];
        let allowed = if holder.is_run() {
            self.rules.chat_preempts
        } else {
            holder.last_human_at < wants.last_human_at
        };
        !wants.is_run() && !holder.acting && allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(10_000_000_000);

    fn seat(name: &str, kind: SessionKind, slot: Slot, needs: bool) -> Seat {
        Seat {
            session: SessionId::new(name),
            kind,
            slot,
            needs,
            acting: false,
            last_human_at: NOW,
            last_event_at: NOW,
        }
    }

    fn ago(minutes: i64) -> Timestamp {
        NOW.plus(Millis::minutes(-minutes))
    }

    /// Seats in, moves out; and the moves leave nothing to do.
    fn check(rules: SlotRules, seats: Vec<Seat>, expected: &[(&str, Slot)]) {
        let moves = place(&seats, &rules, NOW);
        let found: Vec<(&str, Slot)> = moves.iter().map(|step| (step.session.as_str(), step.slot)).collect();
        assert_eq!(found, expected);
        let mut after = seats;
        for step in &moves {
            for seat in after.iter_mut().filter(|seat| seat.session == step.session) {
                seat.slot = step.slot;
            }
        }
        assert_eq!(place(&after, &rules, NOW), [], "placement is at rest after its moves");
    }

    #[test]
    fn a_free_slot_goes_to_whoever_asks() {
        check(
            SlotRules::default(),
            vec![seat("chat", SessionKind::Chat, Slot::None, true)],
            &[("chat", Slot::Held)],
        );
        check(
            SlotRules::default(),
            vec![seat("run", SessionKind::Automation, Slot::None, true)],
            &[("run", Slot::Held)],
        );
    }

    #[test]
    fn a_chat_takes_the_slot_of_a_resting_chat_which_becomes_open() {
        let old = Seat { last_human_at: ago(1), ..seat("old", SessionKind::Chat, Slot::Held, false) };
        let new = seat("new", SessionKind::Chat, Slot::None, true);
        check(SlotRules::default(), vec![old, new], &[("old", Slot::None), ("new", Slot::Held)]);
    }

    #[test]
    fn a_chat_at_work_gives_way_to_a_newer_one_and_goes_on_alone() {
        let old = Seat { last_human_at: ago(1), ..seat("old", SessionKind::Chat, Slot::Held, true) };
        let new = seat("new", SessionKind::Chat, Slot::None, true);
        check(SlotRules::default(), vec![old, new], &[("old", Slot::Suspended(NOW)), ("new", Slot::Held)]);
    }

    #[test]
    fn a_chat_preempts_a_run_but_not_its_started_action() {
        let run = seat("run", SessionKind::Automation, Slot::Held, true);
        let chat = seat("chat", SessionKind::Chat, Slot::None, true);
        check(
            SlotRules::default(),
            vec![run.clone(), chat.clone()],
            &[("run", Slot::Suspended(NOW)), ("chat", Slot::Held)],
        );
        let acting = Seat { acting: true, ..run.clone() };
        check(SlotRules::default(), vec![acting, chat.clone()], &[("chat", Slot::Queued(NOW))]);
        let patient = SlotRules { chat_preempts: false, ..SlotRules::default() };
        check(patient, vec![run, chat], &[("chat", Slot::Queued(NOW))]);
    }

    #[test]
    fn an_idle_chat_gives_way_to_a_run_after_five_minutes() {
        let run = seat("run", SessionKind::Automation, Slot::None, true);
        let fresh = Seat { last_event_at: ago(4), ..seat("chat", SessionKind::Chat, Slot::Held, false) };
        check(SlotRules::default(), vec![fresh, run.clone()], &[("run", Slot::Queued(NOW))]);
        let idle = Seat { last_event_at: ago(5), ..seat("chat", SessionKind::Chat, Slot::Held, false) };
        check(SlotRules::default(), vec![idle, run], &[("chat", Slot::None), ("run", Slot::Held)]);
    }

    #[test]
    fn runs_wait_in_order_and_a_parked_run_holds_no_slot() {
        let parked = seat("parked", SessionKind::Automation, Slot::Held, false);
        let first = seat("first", SessionKind::Automation, Slot::Queued(ago(2)), true);
        let second = seat("second", SessionKind::Automation, Slot::Queued(ago(1)), true);
        check(
            SlotRules::default(),
            vec![second, parked, first],
            &[("parked", Slot::None), ("first", Slot::Held)],
        );
    }

    #[test]
    fn two_slots_hold_two_sessions() {
        let rules = SlotRules { slots: 2, ..SlotRules::default() };
        let run = seat("run", SessionKind::Automation, Slot::Held, true);
        let chat = seat("chat", SessionKind::Chat, Slot::None, true);
        check(rules, vec![run, chat], &[("chat", Slot::Held)]);
    }
}
