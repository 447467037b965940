//! Use cases that put inbox items in order for people: snooze, wake, assign.

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};

use super::snooze_end::find_snooze_end;
use super::{InboxItem, ReadInbox, UseCaseError, expect_done};
use crate::calendar::Calendar;
use crate::codec::WorkspaceBody;
use crate::duration_text::written;
use crate::mail::{
    AssignItemsRequest, ItemSnooze, Mail, MailRequest, SnoozeItemsRequest, TriageItem, WakeItemsRequest,
};
use crate::ports::{
    AccessReach, AccessStore, AssignmentRow, Clock, LogReader, MailSender, SnoozeRow, TriageRows,
    WorkspaceStore,
};
use crate::settings::{InboxSettings, WorkspaceLocale};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// What people noted about the items of an inbox, as it is for one person.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// # let mut log = MockLogReader::new();
/// # log.expect_inbox_triage().returning(|_| Ok(TriageRows::default()));
/// # let read = ReadInboxTriage::new(Arc::new(log), Arc::new(samples::clock()));
/// let triage: InboxTriage = read.run(&samples::workspace(), "ann".into()).await?;
/// assert_eq!(triage.notes_of_id("apr_1"), (None, None));
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxTriage {
    rows: TriageRows,
    /// The author name of the person.
    person: String,
    now: Timestamp,
}

impl InboxTriage {
    /// Until when the person snoozes an item; `None` if it is awake. An item is awake when its snooze is over, and before
    /// that when something changed on it: it asks something else, or a person wrote in its session. (An assignment by
    /// another person ends the snooze itself.)
    pub fn snoozed_until(&self, item: &InboxItem) -> Option<Timestamp> {
        let row = self.rows.snooze(&item.session, &item.id(), &self.person)?;
        let is_noted = item.noted_at.is_some_and(|at| at > row.at);
        let sleeps = self.now < row.until && row.version == item.version() && !is_noted;
        sleeps.then_some(row.until)
    }

    /// The sessions with items that the person may still snooze.
    pub fn snoozed_sessions(&self) -> BTreeSet<SessionId> {
        let is_snooze = |row: &&SnoozeRow| row.person == self.person && self.now < row.until;
        self.rows.snoozes.iter().filter(is_snooze).map(|row| row.session.clone()).collect()
    }

    /// What is noted about the item of this id, whether it still waits or not: until when the person snoozes it, and to whom
    /// it is assigned.
    pub fn notes_of_id(&self, id: &str) -> (Option<Timestamp>, Option<&AssignmentRow>) {
        let TriageRows { snoozes, assignments } = &self.rows;
        let is_snooze =
            |row: &&SnoozeRow| row.item == id && row.person == self.person && self.now < row.until;
        let until = snoozes.iter().find(is_snooze).map(|row| row.until);
        (until, assignments.iter().find(|row| row.item == id))
    }

    /// To whom an item is assigned.
    pub fn assignment(&self, item: &InboxItem) -> Option<&AssignmentRow> {
        self.rows.assignment(&item.session, &item.id())
    }
}

use_case! {
    /// Reads what people noted about the items of an inbox.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_inbox_triage().returning(|_| Ok(TriageRows::default()));
    /// let read = ReadInboxTriage::new(Arc::new(log), Arc::new(samples::clock()));
    /// read.run(&samples::workspace(), "ann".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct ReadInboxTriage reads (log: dyn LogReader, clock: dyn Clock)
}

impl ReadInboxTriage {
    /// What this person snoozes, and what is assigned to whom.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey, person: String) -> Result<InboxTriage, UseCaseError> {
        let rows = self.log.inbox_triage(workspace).await?;
        Ok(InboxTriage { rows, person, now: self.clock.now() })
    }
}

/// The items of the inbox with these ids.
async fn find_items(
    inbox: &ReadInbox,
    workspace: &WorkspaceKey,
    ids: &[String],
    most: usize,
) -> Result<Vec<InboxItem>, UseCaseError> {
    if ids.is_empty() || ids.len() > most {
        let text = saying!("request-items-number", most = most, given = ids.len());
        return Err(UseCaseError::Invalid(text.into()));
    }
    let near = inbox.items_near_ids(workspace, ids).await?;
    let find = |id: &String| {
        let found = near.iter().find(|item| item.id() == *id).cloned();
        found.ok_or_else(|| UseCaseError::NotFound(saying!("request-item-gone", item = one_line(id)).into()))
    };
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(find).collect()
}

fn triage_item(item: &InboxItem) -> TriageItem {
    TriageItem { session: item.session.clone(), item: item.id() }
}

use_case! {
    /// Snoozes items of a person's inbox: they leave it until then, or until something changes on them. Nobody else's inbox
    /// changes.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     matches!(request, MailRequest::Workspace(WorkspaceRequest::SnoozeItems(snooze)) if snooze.items.len() == 1)
    /// });
    /// let parked = || samples::row_in(samples::facts(), Phase::Parked(ParkReason::Interrupted));
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_session().returning(move |_, _| Ok(parked().ok()));
    /// store.expect_workspace().returning(|_| Ok(None));
    /// let mut log = MockLogReader::new();
    /// log.expect_session_list().returning(move |_| Ok(vec![parked().unwrap().into()]));
    /// log.expect_calls_with_unknown_outcome().returning(|_| Ok(vec![]));
    /// log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
    /// let (store, clock) = (Arc::new(store), Arc::new(samples::clock()));
    /// let catalog = Arc::new(Catalog::new(&[]).unwrap());
    /// let rows = Arc::new(MockResourceReader::new());
    /// let inbox = ReadInbox::new(store.clone(), Arc::new(log), rows, catalog, clock.clone());
    /// let item = inbox.run(&samples::workspace()).await?[0].id();
    /// let snooze = SnoozeItems::new(Arc::new(mail_sender), store, clock, inbox, InboxSettings::default());
    /// snooze.run(&samples::workspace(), "ann".into(), &[item], "tomorrow").await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts one request ([what a drop leaves](crate::use_cases#cancel-safety)).
    /// Asked again it snoozes them again, until an end that is counted from then.
    pub struct SnoozeItems over (mail_sender: dyn MailSender, store: dyn WorkspaceStore, clock: dyn Clock)
        with (
            /// The inbox finds the items.
            inbox: ReadInbox,
            settings: InboxSettings
        )
}

impl SnoozeItems {
    /// Snoozes the items with these ids, all or none, until an end in the words of a person ([`super::SnoozeEnd`], a
    /// duration, a date or an instant). An item with a deadline comes back before it (`inbox.wake_before`).
    ///
    /// # Errors
    /// When an item does not wait, or is due too soon; when the end cannot be read, is over, or too far away; when the
    /// person snoozes too many items. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        ids: &[String],
        until: &str,
    ) -> Result<(), UseCaseError> {
        let now = self.clock.now();
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        let locale = body.settings.locale();
        let end = self.read_end(until, now, &locale)?;
        let mut items = Vec::with_capacity(ids.len());
        for item in find_items(&self.inbox, workspace, ids, self.settings.items_at_once).await? {
            let latest = item.deadline.map(|deadline| deadline.plus(Millis(-self.settings.wake_before.0)));
            let until = latest.map_or(end, |latest| latest.min(end));
            if until <= now {
                let expires = item.deadline.unwrap_or(until);
                let expires = Calendar::from_locale(&locale).format_for_people(expires);
                let text = saying!("request-snooze-due", item = item.id(), expires = expires);
                return Err(UseCaseError::Conflict(text.into()));
            }
            let TriageItem { session, item: id } = triage_item(&item);
            items.push(ItemSnooze { session, item: id, version: item.version(), until });
        }
        let request = MailRequest::workspace(SnoozeItemsRequest { author, items });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }

    fn read_end(
        &self,
        text: &str,
        now: Timestamp,
        locale: &WorkspaceLocale,
    ) -> Result<Timestamp, UseCaseError> {
        let given = one_line(text);
        let most = self.settings.snooze_max;
        let refused = match find_snooze_end(text, now, locale, &self.settings) {
            None => saying!("request-snooze-end", given = given),
            Some(end) if end <= now => saying!("request-snooze-past", given = given),
            Some(end) if end > now.plus(most) => saying!("request-snooze-long", most = written(most)),
            Some(end) => return Ok(end),
        };
        Err(UseCaseError::Invalid(refused.into()))
    }
}

use_case! {
    /// Ends a person's snoozes of items.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_inbox_triage().returning(|_| Ok(TriageRows::default()));
    /// let wake = WakeItems::new(Arc::new(MockMailSender::new()), Arc::new(log), InboxSettings::default());
    /// let none = wake.run(&samples::workspace(), "ann".into(), &["question:ses_1".to_owned()]).await;
    /// assert!(matches!(none, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts one request ([what a drop leaves](crate::use_cases#cancel-safety)).
    /// Asked again it is refused, because they are not snoozed any more.
    pub struct WakeItems over (mail_sender: dyn MailSender, log: dyn LogReader)
        with (settings: InboxSettings)
}

impl WakeItems {
    /// Ends the snoozes of the items with these ids, all or none.
    ///
    /// # Errors
    /// When this person snoozes no item with such an id, or too many are named. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        ids: &[String],
    ) -> Result<(), UseCaseError> {
        let most = self.settings.items_at_once;
        if ids.is_empty() || ids.len() > most {
            let text = saying!("request-items-number", most = most, given = ids.len());
            return Err(UseCaseError::Invalid(text.into()));
        }
        let rows = self.log.inbox_triage(workspace).await?;
        let mut items = Vec::with_capacity(ids.len());
        for id in ids {
            let row = rows.snoozes.iter().find(|row| row.item == *id && row.person == author);
            let Some(row) = row else {
                let text = saying!("request-item-not-snoozed", item = one_line(id));
                return Err(UseCaseError::NotFound(text.into()));
            };
            items.push(TriageItem { session: row.session.clone(), item: row.item.clone() });
        }
        let request = MailRequest::workspace(WakeItemsRequest { author, items });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}

use_case! {
    /// Assigns items of the inbox to a person, or to nobody. It gives no permission: whoever may decide on an item still
    /// may.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_people().returning(|_| Ok(vec![]));
    /// let inbox = ReadInbox::new(
    ///     Arc::new(samples::store()),
    ///     Arc::new(MockLogReader::new()),
    ///     Arc::new(MockResourceReader::new()),
    ///     Arc::new(Catalog::new(&[]).unwrap()),
    ///     Arc::new(samples::clock()),
    /// );
    /// let (mail_sender, access) = (Arc::new(MockMailSender::new()), Arc::new(access));
    /// let assign = AssignItems::new(mail_sender, access, inbox, InboxSettings::default());
    /// let nobody = assign.run(&samples::workspace(), "ann", &["question:ses_1".to_owned()], Some("zoe")).await;
    /// assert!(matches!(nobody, Err(UseCaseError::Invalid(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts one request ([what a drop leaves](crate::use_cases#cancel-safety)).
    /// Asked again it changes nothing: who assigned them, and when, stays.
    pub struct AssignItems over (mail_sender: dyn MailSender, access: dyn AccessStore)
        with (
            /// The inbox finds the items.
            inbox: ReadInbox,
            settings: InboxSettings
        )
}

impl AssignItems {
    /// Assigns the items with these ids, all or none. `person` is the name of a person of the workspace or of the server, or
    /// of `author`; `None` assigns them to nobody.
    ///
    /// # Errors
    /// When an item does not wait, or nobody has that name. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: &str,
        ids: &[String],
        person: Option<&str>,
    ) -> Result<(), UseCaseError> {
        if let Some(person) = person {
            self.require_person(workspace, author, person).await?;
        }
        let items = find_items(&self.inbox, workspace, ids, self.settings.items_at_once).await?;
        let request = MailRequest::workspace(AssignItemsRequest {
            author: author.to_owned(),
            person: person.map(str::to_owned),
            items: items.iter().map(triage_item).collect(),
        });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }

    async fn require_person(
        &self,
        workspace: &WorkspaceKey,
        author: &str,
        name: &str,
    ) -> Result<(), UseCaseError> {
        if name == author {
            return Ok(());
        }
        for reach in [AccessReach::Workspace(workspace.clone()), AccessReach::Everywhere] {
            let people = self.access.people(&reach).await?;
            if people.iter().any(|person| person.name == name && person.removed_at.is_none()) {
                return Ok(());
            }
        }
        Err(UseCaseError::Invalid(saying!("request-no-assignee", person = one_line(name)).into()))
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::AutomationId;
    use entracte_domain::session::SessionKind;

    use super::*;
    use crate::ports::TriageChange;
    use crate::samples;
    use crate::use_cases::InboxKind;

    const ASKED: Timestamp = Timestamp(1_000);
    const SNOOZED: Timestamp = Timestamp(2_000);
    const END: Timestamp = Timestamp(9_000);

    fn item() -> InboxItem {
        InboxItem {
            session: samples::session(),
            name: "Every Monday".to_owned(),
            session_kind: SessionKind::Seed,
            is_by_hand: false,
            asked_at: ASKED,
            requester: None,
            automation: None,
            chain: Vec::new(),
            noted_at: Some(ASKED),
            deadline: None,
            kind: InboxKind::Ungranted { automation: AutomationId::new("aut_1") },
        }
    }

    /// What ann noted at this time: she snoozed the item.
    fn triage(now: i64) -> InboxTriage {
        let mut rows = TriageRows::default();
        rows.apply(TriageChange::Snooze(SnoozeRow {
            session: samples::session(),
            item: item().id(),
            person: "ann".to_owned(),
            version: item().version(),
            until: END,
            at: SNOOZED,
        }));
        InboxTriage { rows, person: "ann".to_owned(), now: Timestamp(now) }
    }

    /// Input: an item that ann snoozed, and what happens then; expected: it sleeps for her until its end, and wakes before
    /// it when something changes on it.
    #[test]
    fn changed_item_is_awake() {
        let noted = |at| InboxItem { noted_at: Some(Timestamp(at)), ..item() };
        let asked_again = InboxItem { asked_at: Timestamp(3_000), ..item() };
        let due_sooner = InboxItem { deadline: Some(Timestamp(6_000)), ..item() };
        for (what, now, item, expected) in [
            ("before its end", 8_999, item(), Some(END)),
            ("at its end", 9_000, item(), None),
            ("something else is asked", 5_000, asked_again, None),
            ("its deadline moved", 5_000, due_sooner, None),
            ("somebody wrote before", 5_000, noted(2_000), Some(END)),
            ("somebody wrote since", 5_000, noted(2_001), None),
        ] {
            assert_eq!(triage(now).snoozed_until(&item), expected, "{what}");
        }
    }

    #[test]
    fn snooze_of_another_person_is_not_seen() {
        let of_bob = InboxTriage { person: "bob".to_owned(), ..triage(5_000) };
        assert_eq!(of_bob.snoozed_until(&item()), None);
    }
}
