//! The automations of a workspace in memory, as committed, and when each is examined next.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entracte_domain::automation::Automation;
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::{Phase, SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

/// An automation and the revision of its row; `None` if the automation is new.
#[derive(Clone, Debug)]
pub(super) struct ScheduledAutomation {
    pub(super) automation: Automation,
    pub(super) revision: Option<u64>,
}

/// The automations of a workspace, with indexes derived from them, so that a turn costs nothing if no automation
/// is due.
#[derive(Clone, Debug, Default)]
pub(super) struct AutomationSchedule {
    kept: BTreeMap<AutomationId, ScheduledAutomation>,
    /// When each automation is judged: at its next occurrence or, if that occurrence waits, when its verdict may
    /// change without an event.
    looks: BTreeSet<(Timestamp, AutomationId)>,
    look_of: HashMap<AutomationId, Timestamp>,
    /// Occurrences that are due and may run, oldest first.
    waiting: BTreeSet<(Timestamp, AutomationId)>,
    waiting_of: HashMap<AutomationId, Timestamp>,
    /// Runs that have not ended, each with its creation time.
    runs: HashMap<AutomationId, BTreeMap<SessionId, Timestamp>>,
    /// At least one automation could not be read.
    is_partial: bool,
}

impl AutomationSchedule {
    pub(super) fn find(&self, id: &AutomationId) -> Option<&ScheduledAutomation> {
        self.kept.get(id)
    }

    /// Stores an automation as committed; it is judged when its next occurrence is due.
    pub(super) fn put(&mut self, kept: ScheduledAutomation) {
        let id = kept.automation.id.clone();
        self.unlist(&id);
        if let Some(at) = kept.automation.next_undecided_occurrence() {
            self.look_at(&id, at);
        }
        self.kept.insert(id, kept);
    }

    pub(super) fn remove(&mut self, id: &AutomationId) {
        self.unlist(id);
        self.kept.remove(id);
    }

    /// Records that an existing automation cannot be read.
    pub(super) fn mark_partial(&mut self) {
        self.is_partial = true;
    }

    /// Whether an existing automation is missing from this schedule.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Marks the next occurrence as waiting for a slot, or for a running run to end; it is judged again at `look`.
    pub(super) fn set_waiting(&mut self, id: &AutomationId, at: Timestamp, look: Option<Timestamp>) {
        self.unlist(id);
        self.waiting.insert((at, id.clone()));
        self.waiting_of.insert(id.clone(), at);
        if let Some(look) = look {
            self.look_at(id, look);
        }
    }

    /// At most `most` automations to judge now.
    pub(super) fn due_automations(&self, now: Timestamp, most: usize) -> Vec<AutomationId> {
        self.looks.iter().take_while(|(at, _)| *at <= now).take(most).map(|(_, id)| id.clone()).collect()
    }

    /// The next time at which an automation is judged.
    pub(super) fn next_look(&self) -> Option<Timestamp> {
        self.looks.first().map(|(at, _)| *at)
    }

    /// The waiting occurrences with their automations, oldest first.
    pub(super) fn waiting_since(&self) -> impl Iterator<Item = (Timestamp, &AutomationId)> {
        self.waiting.iter().map(|(at, id)| (*at, id))
    }

    /// The automations whose occurrences wait, oldest occurrence first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &AutomationId> {
        self.waiting.iter().map(|(_, id)| id)
    }

    /// The runs of an automation that have not ended, with their creation times.
    pub(super) fn runs(&self, id: &AutomationId) -> impl Iterator<Item = (&SessionId, Timestamp)> {
        self.runs.get(id).into_iter().flatten().map(|(session, made)| (session, *made))
    }

    /// Records a run that has not ended and removes one that has; ignores sessions that are not runs.
    pub(super) fn note_run(&mut self, facts: &SessionFacts, phase: &Phase) {
        let Some(id) = run_of(facts) else { return };
        if phase.end_reason().is_none() {
            self.runs.entry(id).or_default().insert(facts.id.clone(), facts.created_at);
        } else {
            self.forget_run(&id, &facts.id);
        }
    }

    /// Removes a deleted session.
    pub(super) fn forget_session(&mut self, session: &SessionId) {
        let with = self.runs.iter().find(|(_, runs)| runs.contains_key(session));
        if let Some(id) = with.map(|(id, _)| id.clone()) {
            self.forget_run(&id, session);
        }
    }

    fn forget_run(&mut self, id: &AutomationId, session: &SessionId) {
        if let Some(runs) = self.runs.get_mut(id) {
            runs.remove(session);
            if runs.is_empty() {
                self.runs.remove(id);
            }
        }
    }

    fn look_at(&mut self, id: &AutomationId, at: Timestamp) {
        self.looks.insert((at, id.clone()));
        self.look_of.insert(id.clone(), at);
    }

    fn unlist(&mut self, id: &AutomationId) {
        if let Some(at) = self.look_of.remove(id) {
            self.looks.remove(&(at, id.clone()));
        }
        if let Some(at) = self.waiting_of.remove(id) {
            self.waiting.remove(&(at, id.clone()));
        }
    }
}

/// The automation whose run the session is; `None` for any other session.
pub(super) fn run_of(facts: &SessionFacts) -> Option<AutomationId> {
    match facts.kind {
        SessionKind::Automation => facts.automation.as_deref().map(AutomationId::new),
        SessionKind::Chat | SessionKind::Seed | SessionKind::Agent => None,
    }
}
