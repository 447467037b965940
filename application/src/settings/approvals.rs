//! The approvers of a workspace, their quorum, and the escalation to others.

use std::collections::BTreeMap;

use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{Approver, ApproverRequirement, ApproverSeat, StandIn};
use serde::{Deserialize, Serialize};

use crate::duration_text::{span, written};
use crate::instant_text::iso;

/// The approvers and the quorum of every approval of a workspace. They make no call need approval. Without approvers and
/// with a quorum of 1, any one person may approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct ApprovalSettings {
    /// Who may approve; empty if everybody may (`approvers`).
    approvers: Vec<Approver>,
    /// How many different people must approve (`quorum`).
    quorum: u32,
    /// How long after a call was requested it escalates; 0 = never (`escalate_after`).
    escalate_after: Millis,
    /// Who may approve from then on, too (`escalate_to`).
    escalate_to: Vec<Approver>,
    /// The members of each role (`roles`).
    roles: BTreeMap<String, Vec<String>>,
    /// Who stands in for whom, until when (`away`).
    away: Vec<Absence>,
}

/// A person who is away, and who stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Absence {
    person: String,
    stand_in: String,
    until: Timestamp,
}

/// The text form of an empty list.
const NOBODY: &str = "none";
/// The text form of no escalation.
const NEVER: &str = "never";

impl ApprovalSettings {
    /// The keys of the settings.
    pub const KEYS: [&str; 6] = ["approvers", "quorum", "escalate_after", "escalate_to", "roles", "away"];

    /// The most roles, members of one, approvers and absences: each approval looks at all of them.
    pub const LIST_MAX: usize = 100;

    /// Nobody in particular must approve.
    pub const NONE: Self = Self {
        approvers: Vec::new(),
        quorum: 1,
        escalate_after: Millis(0),
        escalate_to: Vec::new(),
        roles: BTreeMap::new(),
        away: Vec::new(),
    };

    /// Whether all settings have their defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether named or several people must approve.
    pub fn requires_approvers(&self) -> bool {
        !self.approvers.is_empty() || self.quorum > 1
    }

    /// The demand of the workspace; `None` if it demands nobody in particular.
    pub fn requirement(&self) -> Option<ApproverRequirement> {
        self.requires_approvers().then(|| self.requirement_of(&self.approvers, self.quorum, None))
    }

    /// The demand for so many of these, with the people that they are and those to whom the workspace escalates.
    /// `escalate_after`: when, 0 = never; `None` if the workspace says it.
    pub fn requirement_of(
        &self,
        named: &[Approver],
        quorum: u32,
        escalate_after: Option<Millis>,
    ) -> ApproverRequirement {
        let mut seats = Vec::new();
        self.add_seats(&mut seats, named, Millis(0));
        let escalate_after = escalate_after.unwrap_or(self.escalate_after);
        if escalate_after.0 > 0 && !named.is_empty() {
            self.add_seats(&mut seats, &self.escalate_to, escalate_after);
        }
        ApproverRequirement { named: named.to_vec(), seats, quorum: quorum.max(1) }
    }

    /// Adds the people of these approvers who have no seat yet.
    fn add_seats(&self, seats: &mut Vec<ApproverSeat>, named: &[Approver], after: Millis) {
        let people = named.iter().flat_map(|approver| match approver {
            Approver::Person(person) => std::slice::from_ref(person),
            Approver::Role(role) => self.roles.get(role).map_or(&[][..], Vec::as_slice),
        });
        for person in people {
            if seats.iter().all(|seat| seat.person != *person) {
                let absences = self.away.iter().filter(|absence| absence.person == *person);
                let stand_ins = absences
                    .map(|absence| StandIn { person: absence.stand_in.clone(), until: absence.until });
                let stand_ins = stand_ins.collect();
                seats.push(ApproverSeat { person: person.clone(), stand_ins, after });
            }
        }
    }

    /// Parses when a call escalates, `4h` or `never`; 0 is never. `None` if the text is neither.
    pub fn parse_escalation(text: &str) -> Option<Millis> {
        match text.trim() {
            NEVER => Some(Millis(0)),
            text => span(text).filter(|after| after.0 > 0),
        }
    }

    /// The text form of the setting of this key; empty for an unknown key.
    pub(super) fn text(&self, key: &str) -> String {
        match key {
            "approvers" => approvers_text(&self.approvers),
            "quorum" => self.quorum.to_string(),
            "escalate_after" if self.escalate_after.0 == 0 => NEVER.to_owned(),
            "escalate_after" => written(self.escalate_after),
            "escalate_to" => approvers_text(&self.escalate_to),
            "roles" => {
                let role =
                    |(name, members): (&String, &Vec<String>)| format!("{name}: {}", members.join(", "));
                list_text(self.roles.iter().map(role), "; ")
            }
            "away" => {
                let absence = |absence: &Absence| {
                    format!("{}: {} until {}", absence.person, absence.stand_in, iso(absence.until))
                };
                list_text(self.away.iter().map(absence), "; ")
            }
            _ => String::new(),
        }
    }

    /// Changes the setting of this key; `None` if the value is invalid or the key unknown.
    pub(super) fn change(&mut self, key: &str, text: &str) -> Option<()> {
        match key {
            "approvers" => self.approvers = read_approvers(text)?,
            "quorum" => {
                self.quorum =
                    text.parse().ok().filter(|count| (1..=ApproverRequirement::QUORUM_MAX).contains(count))?
            }
            "escalate_after" => self.escalate_after = Self::parse_escalation(text)?,
            "escalate_to" => self.escalate_to = read_approvers(text)?,
            "roles" => self.roles = read_roles(text)?,
            "away" => self.away = read_list(text, ';', read_absence)?,
            _ => return None,
        }
        Some(())
    }
}

impl Default for ApprovalSettings {
    fn default() -> Self {
        Self::NONE
    }
}

impl TryFrom<BTreeMap<String, String>> for ApprovalSettings {
    type Error = String;

    fn try_from(stored: BTreeMap<String, String>) -> Result<Self, String> {
        let mut settings = Self::NONE;
        for (key, text) in stored {
            settings.change(&key, &text).ok_or_else(|| format!("{key} cannot be {text:?}"))?;
        }
        Ok(settings)
    }
}

/// Only the settings that differ from their defaults are stored.
impl From<ApprovalSettings> for BTreeMap<String, String> {
    fn from(settings: ApprovalSettings) -> Self {
        let texts = ApprovalSettings::KEYS.map(|key| (key.to_owned(), settings.text(key))).into_iter();
        texts.filter(|(key, text)| *text != ApprovalSettings::NONE.text(key)).collect()
    }
}

/// A list as text.
fn list_text(parts: impl Iterator<Item = String>, separator: &str) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { NOBODY.to_owned() } else { parts.join(separator) }
}

fn approvers_text(approvers: &[Approver]) -> String {
    list_text(approvers.iter().map(Approver::text), ", ")
}

/// Parses a list; `None` if a part is invalid, there is none, or there are too many.
fn read_list<T>(text: &str, separator: char, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    if text.trim() == NOBODY {
        return Some(Vec::new());
    }
    let list: Option<Vec<T>> = text.split(separator).map(|part| read(part.trim())).collect();
    list.filter(|list| list.len() <= ApprovalSettings::LIST_MAX)
}

fn read_approvers(text: &str) -> Option<Vec<Approver>> {
    read_list(text, ',', Approver::from_text)
}

/// Parses roles with their members: `finance: ann, bob; heads: eve`.
fn read_roles(text: &str) -> Option<BTreeMap<String, Vec<String>>> {
    let roles = read_list(text, ';', |part| {
        let (name, members) = part.split_once(':')?;
        let members = read_list(members, ',', name_of)?;
        Some((name_of(name.trim())?, members)).filter(|(_, members)| !members.is_empty())
    })?;
    let count = roles.len();
    let roles: BTreeMap<String, Vec<String>> = roles.into_iter().collect();
    // A role that is named twice has no clear members.
    (roles.len() == count).then_some(roles)
}

/// Parses an absence: `ann: bob until 2026-12-24T08:00:00Z`.
fn read_absence(text: &str) -> Option<Absence> {
    let (person, rest) = text.split_once(':')?;
    let (stand_in, until) = rest.rsplit_once(" until ")?;
    let until = until.trim().parse::<jiff::Timestamp>().ok()?;
    let (person, stand_in) = (name_of(person.trim())?, name_of(stand_in.trim())?);
    Some(Absence { person, stand_in, until: Timestamp(until.as_microsecond()) })
}

fn name_of(text: &str) -> Option<String> {
    let is_plain = |letter: char| !letter.is_control() && ![';', ':', ','].contains(&letter);
    (!text.is_empty() && text != NOBODY && text.chars().all(is_plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(changes: &[(&str, &str)]) -> ApprovalSettings {
        let mut settings = ApprovalSettings::NONE;
        for (key, text) in changes {
            settings.change(key, text).expect(text);
        }
        settings
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        for (key, text) in [
            ("approvers", "role:finance, person:ann"),
            ("quorum", "2"),
            ("escalate_after", "4h"),
            ("escalate_to", "role:heads"),
            ("roles", "finance: ann, bob; heads: eve"),
            ("away", "ann: bob until 2026-12-24T08:00:00Z"),
        ] {
            assert_eq!(settings(&[(key, text)]).text(key), text);
            let stored = serde_json::to_string(&settings(&[(key, text)])).unwrap();
            assert_eq!(serde_json::from_str::<ApprovalSettings>(&stored).unwrap(), settings(&[(key, text)]));
        }
        for (key, wrong) in [
            ("approvers", "finance"),
            ("quorum", "0"),
            ("escalate_after", "0h"),
            ("roles", "finance: ann; finance: bob"),
            ("roles", "finance:"),
            ("away", "ann: bob until tomorrow"),
        ] {
            assert_eq!(ApprovalSettings::NONE.clone().change(key, wrong), None, "{key} {wrong}");
        }
        assert_eq!(serde_json::to_string(&ApprovalSettings::NONE).unwrap(), "{}");
    }

    /// Input: roles, an absence and an escalation; expected: the people that a demand means.
    #[test]
    fn demand_has_the_people_of_its_roles() {
        assert_eq!(ApprovalSettings::NONE.requirement(), None);
        let demand = settings(&[
            ("approvers", "role:finance, person:ann"),
            ("roles", "finance: ann, bob; heads: eve, ann"),
            ("away", "bob: noe until 2026-12-24T08:00:00Z"),
            ("escalate_after", "4h"),
            ("escalate_to", "role:heads"),
        ]);
        let demand = demand.requirement().unwrap();
        let seats: Vec<(&str, usize, Millis)> = demand
            .seats
            .iter()
            .map(|seat| (seat.person.as_str(), seat.stand_ins.len(), seat.after))
            .collect();
        let (now, later) = (Millis(0), Millis::hours(4));
        assert_eq!(seats, [("ann", 0, now), ("bob", 1, now), ("eve", 0, later)]);
        assert_eq!(settings(&[("approvers", "role:nobody")]).requirement().unwrap().seats, []);
    }
}
