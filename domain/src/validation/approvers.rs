//! Who may approve a call, and how many of them must.

use std::collections::BTreeSet;

use super::author_identity::named_person;
use super::share_identity;
use crate::localizable_text::{LocalizableText, sentences};
use crate::time::{Millis, Timestamp};

/// Who may approve, as people write it: `role:finance` or `person:ann`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Approver {
    /// The members of a role.
    Role(String),
    /// One person.
    Person(String),
}

impl Approver {
    /// Parses the written form; `None` if it is another one or names nobody.
    pub fn from_text(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once(':')?;
        let name = Some(name.trim()).filter(|name| !name.is_empty())?.to_owned();
        match kind.trim() {
            "role" => Some(Self::Role(name)),
            "person" => Some(Self::Person(name)),
            _ => None,
        }
    }

    /// The written form.
    pub fn text(&self) -> String {
        match self {
            Self::Role(name) => format!("role:{name}"),
            Self::Person(name) => format!("person:{name}"),
        }
    }
}

/// A person who approves in place of another one for a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StandIn {
    /// The person.
    pub person: String,
    /// Until when, exclusive.
    pub until: Timestamp,
}

/// One of the people who may approve. A seat counts once, whoever of its people approves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApproverSeat {
    /// The person.
    pub person: String,
    /// The people who approve in the person's place.
    pub stand_ins: Vec<StandIn>,
    /// How long after the call was requested the seat counts; 0 = at once. Longer for those to whom it escalates.
    pub after: Millis,
}

/// So many different people of these must approve a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApproverRequirement {
    /// Who may approve, as written; empty if everybody may.
    pub named: Vec<Approver>,
    /// The people that these are; empty if everybody may approve, or a named role has no member.
    pub seats: Vec<ApproverSeat>,
    /// How many different people must approve, from 1.
    pub quorum: u32,
}

/// An approval that a person gave to a call that needs named or several approvers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenApproval {
    /// The person.
    pub author: String,
    /// When it was given.
    pub at: Timestamp,
}

impl ApproverSeat {
    /// Whether this approval may take the seat.
    fn admits(&self, given: &GivenApproval, requested_at: Timestamp) -> bool {
        let is_early = self.after.0 > 0 && given.at.since(requested_at) < self.after;
        // Whoever made a token for somebody else is not asked by its use.
        let person = named_person(&given.author);
        let is_own = self.person == person;
        let stands_in = |other: &StandIn| given.at < other.until && other.person == person;
        !is_early && (is_own || self.stand_ins.iter().any(stands_in))
    }

    /// The people who stand in at this instant.
    fn present_stand_ins(&self, now: Timestamp) -> impl Iterator<Item = &str> {
        self.stand_ins.iter().filter(move |other| now < other.until).map(|other| other.person.as_str())
    }

    /// The person, and whoever stands in at this instant.
    fn people_at(&self, now: Timestamp) -> impl Iterator<Item = &str> {
        std::iter::once(self.person.as_str()).chain(self.present_stand_ins(now))
    }
}

impl ApproverRequirement {
    /// The largest quorum.
    pub const QUORUM_MAX: u32 = 20;

    /// The requirement as a sentence of a card.
    pub fn text(&self) -> LocalizableText {
        if self.named.is_empty() {
            return sentences::approval_quorum(self.quorum);
        }
        let named = self.named.iter().map(Approver::text).collect::<Vec<_>>().join(", ");
        sentences::approval_approvers(self.quorum, &named)
    }

    /// The people who may approve from this time after the request on, and not before, with whoever stands in for them now.
    /// `None` if everybody may.
    pub fn people_from(&self, after: Millis, now: Timestamp) -> Option<Vec<&str>> {
        if self.named.is_empty() {
            return None;
        }
        let seats = self.seats.iter().filter(|seat| seat.after == after);
        Some(seats.flat_map(|seat| seat.people_at(now)).collect())
    }

    /// How long after the request it escalates; `None` if it does not.
    pub fn escalates_after(&self) -> Option<Millis> {
        self.seats.iter().map(|seat| seat.after).filter(|after| after.0 > 0).min()
    }

    /// Whether this person may approve at all, at this instant.
    pub fn admits(&self, given: &GivenApproval, requested_at: Timestamp) -> bool {
        self.named.is_empty() || self.seats.iter().any(|seat| seat.admits(given, requested_at))
    }

    /// How many of the required approvals these are. Each person counts once, and so does each seat: a person and whoever
    /// stands in for them are one.
    pub fn count(&self, given: &[GivenApproval], requested_at: Timestamp) -> usize {
        let people = different_people(given);
        if self.named.is_empty() {
            return people.len();
        }
        let open = |given: &&GivenApproval| self.seats_where(|seat| seat.admits(given, requested_at));
        fill_seats(&people.iter().map(open).collect::<Vec<_>>())
    }

    /// The positions of the seats that are so.
    fn seats_where(&self, is_so: impl Fn(&ApproverSeat) -> bool) -> Vec<usize> {
        let open = self.seats.iter().enumerate().filter(|(_, seat)| is_so(seat));
        open.map(|(position, _)| position).collect()
    }

    /// The most approvals that the named people can ever give; `None` if everybody may approve.
    pub fn most_approvals(&self) -> Option<usize> {
        (!self.named.is_empty()).then_some(self.seats.len())
    }

    /// How many of the required approvals there are if everybody approves who is not away at this instant and `may`, beside
    /// these, which were given. Those to whom it escalates count, because they may later. `None` if everybody may approve.
    pub fn attainable(
        &self,
        given: &[GivenApproval],
        requested_at: Timestamp,
        now: Timestamp,
        may: impl Fn(&str) -> bool,
    ) -> Option<usize> {
        if self.named.is_empty() {
            return None;
        }
        let given = different_people(given);
        let is_away = |person: &str| {
            self.seats
                .iter()
                .any(|seat| seat.person == person && seat.present_stand_ins(now).next().is_some())
        };
        let has_given = |person: &str| given.iter().any(|known| share_identity(&known.author, person));
        let people: BTreeSet<&str> = self.seats.iter().flat_map(|seat| seat.people_at(now)).collect();
        let others =
            people.into_iter().filter(|&person| !is_away(person) && !has_given(person) && may(person));
        let of_given = given.iter().map(|known| self.seats_where(|seat| seat.admits(known, requested_at)));
        let of_others =
            others.map(|person| self.seats_where(|seat| seat.people_at(now).any(|other| other == person)));
        Some(fill_seats(&of_given.chain(of_others).collect::<Vec<_>>()))
    }

    /// Whether these approvals suffice.
    pub fn is_met(&self, given: &[GivenApproval], requested_at: Timestamp) -> bool {
        let needed = usize::try_from(self.quorum.max(1)).unwrap_or(usize::MAX);
        self.count(given, requested_at) >= needed
    }
}

/// The approvals, one of each person. A token that a person made counts as that person.
fn different_people(given: &[GivenApproval]) -> Vec<&GivenApproval> {
    let mut people: Vec<&GivenApproval> = Vec::new();
    for approval in given {
        if !people.iter().any(|known| share_identity(&known.author, &approval.author)) {
            people.push(approval);
        }
    }
    people
}

/// How many people can have a seat of their own at the same time; `options` are the seats that each may take.
fn fill_seats(options: &[Vec<usize>]) -> usize {
    let seats = options.iter().flatten().max().map_or(0, |last| last + 1);
    let mut taken: Vec<Option<usize>> = vec![None; seats];
    (0..options.len())
        .filter(|person| find_seat(*person, options, &mut taken, &mut vec![false; options.len()]))
        .count()
}

/// Finds a seat for a person, moving others to other seats of theirs where that makes room: a person who may take several
/// seats must not take the only one of another. `asked`: the people who were asked to move already.
fn find_seat(person: usize, options: &[Vec<usize>], taken: &mut [Option<usize>], asked: &mut [bool]) -> bool {
    if std::mem::replace(&mut asked[person], true) {
        return false;
    }
    for seat in &options[person] {
        let is_free = match taken[*seat] {
            None => true,
            Some(other) => find_seat(other, options, taken, asked),
        };
        if is_free {
            taken[*seat] = Some(person);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Timestamp = Timestamp(0);
    /// An hour after it was asked.
    const HOUR: Timestamp = Timestamp(3_600_000_000);

    fn seat(person: &str) -> ApproverSeat {
        ApproverSeat { person: person.into(), stand_ins: Vec::new(), after: Millis(0) }
    }

    fn finance(seats: Vec<ApproverSeat>) -> ApproverRequirement {
        ApproverRequirement { named: vec![Approver::Role("finance".into())], seats, quorum: 2 }
    }

    fn by(people: &[&str]) -> Vec<GivenApproval> {
        people.iter().map(|person| GivenApproval { author: (*person).into(), at: HOUR }).collect()
    }

    #[test]
    fn approver_is_read_as_it_is_written() {
        for text in ["role:finance", "person:ann"] {
            assert_eq!(Approver::from_text(text).map(|approver| approver.text()).as_deref(), Some(text));
        }
        for wrong in ["finance", "role:", "team:finance", ""] {
            assert_eq!(Approver::from_text(wrong), None, "{wrong}");
        }
    }

    /// Input: approvals, and who may give them; expected: how many count, each person and each seat once.
    #[test]
    fn quorum_counts_different_people() {
        let anybody = ApproverRequirement { named: Vec::new(), seats: Vec::new(), quorum: 2 };
        assert_eq!(anybody.count(&by(&["ann", "ann", "phone (by ann)"]), ASKED), 1);
        assert!(anybody.is_met(&by(&["ann", "bob"]), ASKED));
        let named = finance(vec![seat("ann"), seat("bob")]);
        assert!(!named.is_met(&by(&["ann", "eve"]), ASKED), "Eve is not of finance");
        assert!(!named.is_met(&by(&["ann", "eve (by bob)"]), ASKED), "not with a token of Bob's either");
        assert!(named.is_met(&by(&["bob", "ann"]), ASKED));
        let nobody = finance(Vec::new());
        assert!(!nobody.is_met(&by(&["ann", "bob", "eve"]), ASKED), "a role without members");
    }

    /// Input: Bob stands in for Ann for a time, and is of finance himself or not; expected: the two of them fill her seat once.
    #[test]
    fn stand_in_takes_the_seat_of_the_person() {
        let until = Timestamp(2 * HOUR.0);
        let away =
            || ApproverSeat { stand_ins: vec![StandIn { person: "bob".into(), until }], ..seat("ann") };
        let outside = finance(vec![away(), seat("eve")]);
        assert_eq!(outside.count(&by(&["ann", "bob"]), ASKED), 1);
        assert!(outside.is_met(&by(&["bob", "eve"]), ASKED));
        let inside = finance(vec![away(), seat("bob")]);
        assert!(inside.is_met(&by(&["bob", "ann"]), ASKED), "Bob moves to his own seat");
        let late = [GivenApproval { author: "bob".into(), at: until }];
        assert!(!outside.admits(&late[0], ASKED), "Ann is back");
    }

    #[test]
    fn escalation_counts_after_its_time() {
        let head = ApproverSeat { after: Millis::hours(4), ..seat("eve") };
        let requirement = ApproverRequirement { quorum: 1, ..finance(vec![seat("ann"), head]) };
        let at = |hours: i64| GivenApproval { author: "eve".into(), at: Timestamp(hours * HOUR.0) };
        assert!(!requirement.admits(&at(3), ASKED));
        assert_eq!(requirement.escalates_after(), Some(Millis::hours(4)));
        assert_eq!(requirement.people_from(Millis(0), HOUR), Some(vec!["ann"]));
        assert_eq!(requirement.people_from(Millis::hours(4), HOUR), Some(vec!["eve"]));
        assert!(requirement.is_met(&[at(4)], ASKED));
    }

    /// Input: who is named, away, or asked for the call; expected: how many approvals there can be now, and ever.
    #[test]
    fn attainable_approvals_are_counted() {
        let until = Timestamp(2 * HOUR.0);
        let away = |person: &str, stand_in: &str| ApproverSeat {
            stand_ins: vec![StandIn { person: stand_in.into(), until }],
            ..seat(person)
        };
        let now = |seats: Vec<ApproverSeat>, given: &[GivenApproval], not: &str| {
            let requirement = finance(seats);
            let ever = requirement.most_approvals();
            (requirement.attainable(given, ASKED, HOUR, |person| person != not), ever)
        };
        assert_eq!(now(vec![], &[], ""), (Some(0), Some(0)), "a role without members");
        assert_eq!(now(vec![seat("ann"), seat("bob")], &[], ""), (Some(2), Some(2)));
        assert_eq!(now(vec![seat("ann"), seat("bob")], &[], "ann"), (Some(1), Some(2)), "Ann asked for it");
        let bob_twice = || vec![away("ann", "bob"), seat("bob")];
        assert_eq!(now(bob_twice(), &[], ""), (Some(1), Some(2)), "Bob stands in for Ann");
        assert_eq!(now(bob_twice(), &by(&["ann"]), ""), (Some(2), Some(2)), "Ann approved before she left");
        assert_eq!(now(vec![away("ann", "eve"), seat("bob")], &[], ""), (Some(2), Some(2)));
        let later = ApproverSeat { after: Millis::hours(4), ..seat("eve") };
        assert_eq!(now(vec![seat("ann"), later], &[], ""), (Some(2), Some(2)), "it escalates to Eve");
        let anybody = ApproverRequirement { named: Vec::new(), ..finance(Vec::new()) };
        assert_eq!((anybody.attainable(&[], ASKED, HOUR, |_| true), anybody.most_approvals()), (None, None));
    }
}
