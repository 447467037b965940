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
    /// How many sessions may be active at once.
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

impl SlotRules {
    fn most(&self) -> usize {
        usize::try_from(self.slots.max(1)).unwrap_or(usize::MAX)
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
    /// It has called its model: it was parked or waited for the network, and goes on.
    pub begun: bool,
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
            begun: facts.counters.rounds_total > 1,
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

    /// The turn of a session that waits: chats (the latest asked by a person), then runs that waited too long, then
    /// the queue (one that had begun, then in the order they came), then suspended runs.
    fn turn(&self, rules: &SlotRules, now: Timestamp) -> Option<Turn> {
        let (since, row) = match self.slot {
            Slot::Queued(since) => (since, if self.begun { Row::Again } else { Row::New }),
            Slot::Suspended(since) => (since, Row::Suspended),
            Slot::None | Slot::Held => return None,
        };
        let (row, order) = if !self.is_run() {
            (Row::Chat, -self.last_human_at.0)
        } else if now.since(since) >= rules.ageing {
            (Row::Aged, since.0)
        } else {
            (row, since.0)
        };
        Some((row, order, self.session.clone()))
    }

    /// Whether a run may take this session's slot: a chat that has rested long enough.
    fn yields_to_run_at(&self, rules: &SlotRules) -> Option<Timestamp> {
        let rests = self.slot == Slot::Held && !self.needs && !self.is_run();
        rests.then(|| self.last_event_at.plus(rules.chat_eviction))
    }
}

/// Rows of the queue, the first of which goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Chat,
    Aged,
    Again,
    New,
    Suspended,
}

/// Row, order in the row, and the id, so that the order is always the same.
type Turn = (Row, i64, SessionId);

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

/// The sessions that wait for a slot, the one that goes first first.
pub fn queue(seats: &[Seat], rules: &SlotRules, now: Timestamp) -> Vec<SessionId> {
    let mut turns: Vec<Turn> = seats.iter().filter_map(|seat| seat.turn(rules, now)).collect();
    turns.sort();
    turns.into_iter().map(|(_, _, session)| session).collect()
}

/// Whether a run that is due may be made now: nobody waits, and a slot is free or held by a chat that has rested long
/// enough.
pub fn has_room_for_run(seats: &[Seat], rules: &SlotRules, now: Timestamp) -> bool {
    if seats.iter().any(|seat| seat.turn(rules, now).is_some()) {
        return false;
    }
    let held = seats.iter().filter(|seat| seat.slot == Slot::Held).count();
    held < rules.most() || gives_way_at(seats, rules).is_some_and(|at| at <= now)
}

/// When the first of the chats that rest in a slot gives way to a run.
pub fn gives_way_at<'a>(seats: impl IntoIterator<Item = &'a Seat>, rules: &SlotRules) -> Option<Timestamp> {
    seats.into_iter().filter_map(|seat| seat.yields_to_run_at(rules)).min()
}

/// What came of asking for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
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

impl Activation {
    /// The word in JSON and on screens.
    pub const fn word(self) -> &'static str {
        match self {
            Activation::Activated => "ACTIVATED",
            Activation::AlreadyActive => "ALREADY_ACTIVE",
            Activation::Queued { .. } => "QUEUED",
        }
    }
}

/// What came of asking for a session that had this slot `before`; none when it wants none now.
pub fn activation(
    before: Slot,
    session: &SessionId,
    seats: &[Seat],
    rules: &SlotRules,
    now: Timestamp,
) -> Option<Activation> {
    let seat = seats.iter().find(|seat| seat.session == *session)?;
    match (before, seat.slot) {
        (Slot::Held, Slot::Held) => Some(Activation::AlreadyActive),
        (Slot::None | Slot::Queued(_) | Slot::Suspended(_), Slot::Held) => Some(Activation::Activated),
        (
            Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_),
            Slot::Queued(_) | Slot::Suspended(_),
        ) => {
            let position = queue(seats, rules, now).iter().position(|waiting| waiting == session)?;
            Some(Activation::Queued {
                position: u32::try_from(position).unwrap_or(u32::MAX).saturating_add(1),
            })
        }
        (Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_), Slot::None) => None,
    }
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

    /// The waiting session that goes first.
    fn next_waiting(&self) -> Option<usize> {
        (0..self.seats.len())
            .filter_map(|index| Some((self.seats[index].turn(self.rules, self.now)?, index)))
            .min()
            .map(|(_, index)| index)
    }

    /// Gives a slot to a waiting session, taking it from another where that is right; false when it must wait.
    fn seat(&mut self, index: usize) -> bool {
        let held = self.seats.iter().filter(|seat| seat.slot == Slot::Held).count();
        let free = held < self.rules.most();
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
        !wants.is_run() || self.seats[holder].yields_to_run_at(self.rules).is_some_and(|at| at <= self.now)
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
            begun: false,
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
    fn a_run_that_goes_on_is_first_of_the_queue_and_a_suspended_one_last_until_it_has_aged() {
        let rules = SlotRules::default();
        let run = |name, slot| seat(name, SessionKind::Automation, slot, true);
        let new = run("new", Slot::Queued(ago(9)));
        let again = Seat { begun: true, ..run("again", Slot::Queued(ago(1))) };
        let suspended = run("suspended", Slot::Suspended(ago(29)));
        let aged = run("aged", Slot::Suspended(ago(30)));
        let chat = seat("chat", SessionKind::Chat, Slot::Queued(ago(1)), true);
        let order: Vec<String> = queue(&[suspended, new, aged, again, chat], &rules, NOW)
            .iter()
            .map(|session| session.as_str().to_owned())
            .collect();
        assert_eq!(order, ["chat", "aged", "again", "new", "suspended"]);
    }

    #[test]
    fn a_due_run_is_made_only_where_there_is_room() {
        let rules = SlotRules::default();
        let run = |slot| seat("run", SessionKind::Automation, slot, true);
        let chat = |minutes| Seat {
            last_event_at: ago(minutes),
            ..seat("chat", SessionKind::Chat, Slot::Held, false)
        };
        let cases = [
            (vec![], true),
            (vec![run(Slot::Held)], false),
            (vec![run(Slot::Queued(NOW))], false),
            (vec![chat(4)], false),
            (vec![chat(5)], true),
            (vec![chat(5), run(Slot::Suspended(NOW))], false),
        ];
        for (seats, expected) in cases {
            assert_eq!(has_room_for_run(&seats, &rules, NOW), expected, "{seats:?}");
        }
        assert_eq!(gives_way_at(&[chat(4)], &rules), Some(ago(-1)));
    }

    /// Input: the slot before, the seats after; expected: what the asker is told.
    #[test]
    fn activation_results_table() {
        let rules = SlotRules::default();
        let own = |slot| seat("own", SessionKind::Automation, slot, true);
        let older = seat("older", SessionKind::Automation, Slot::Queued(ago(1)), true);
        let cases = [
            (Slot::None, vec![own(Slot::Held)], Some(Activation::Activated)),
            (Slot::Suspended(ago(1)), vec![own(Slot::Held)], Some(Activation::Activated)),
            (Slot::Held, vec![own(Slot::Held)], Some(Activation::AlreadyActive)),
            (Slot::None, vec![own(Slot::Queued(NOW))], Some(Activation::Queued { position: 1 })),
            (Slot::None, vec![older, own(Slot::Queued(NOW))], Some(Activation::Queued { position: 2 })),
            (Slot::Held, vec![own(Slot::None)], None),
            (Slot::None, vec![], None),
        ];
        for (before, seats, expected) in cases {
            assert_eq!(
                activation(before, &SessionId::new("own"), &seats, &rules, NOW),
                expected,
                "{seats:?}"
            );
        }
    }

    #[test]
    fn two_slots_hold_two_sessions() {
        let rules = SlotRules { slots: 2, ..SlotRules::default() };
        let run = seat("run", SessionKind::Automation, Slot::Held, true);
        let chat = seat("chat", SessionKind::Chat, Slot::None, true);
        check(rules, vec![run, chat], &[("chat", Slot::Held)]);
    }
}
