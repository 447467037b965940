//! What is sought in the inbox, the order of its items, and how many there are. Pure.

use std::collections::BTreeSet;

use entracte_application::duration_text::span;
use entracte_application::ports::{InboxRow, InboxRowKind};
use entracte_application::system::sha256;
use entracte_application::texts::saying;
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::pagination::{PageQuery, read_cursor_key};
use crate::problem::Problem;
use crate::routes::inbox::ME;
use crate::routes::inbox::item_facts::{ItemFacts, arguments_of};
use crate::routes::instant_of;
use crate::shapes::card::InboxShape;
use crate::shapes::{instant, iso};

/// Which items, in which order.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxQuery {
    /// Words, all of which stand in what an item says, its command, its arguments, its session or its people.
    pub(crate) q: Option<String>,
    /// Only items of this kind, such as `approval`, `question` or `unsettled`.
    kind: Option<String>,
    /// Only items of this command.
    command: Option<String>,
    /// Only items whose arguments contain this text.
    argument: Option<String>,
    /// Only items of this session: its id, or a part of its name.
    session: Option<String>,
    /// Only items of this automation.
    automation: Option<String>,
    /// Only items that this person asked for, or whose rights they have.
    person: Option<String>,
    /// Only items that wait for at least this long, such as `90m`, `24h` or `3d`.
    age: Option<String>,
    /// Only items that wait since before this instant, as RFC 3339.
    asked_before: Option<String>,
    /// Only items that are assigned to this person; `me`: to who asks, `nobody`: to no one.
    assigned: Option<String>,
    /// Items that who asks snoozes, in place of all others; false unless given.
    snoozed: Option<bool>,
    /// What is first: `age` (unless given), `session` or `automation`.
    order: Option<String>,
    /// Of what is sought, only items that wait in this session are sent; `total` and `waiting` count as without it.
    only_session: Option<String>,
    /// Of what is sought, only the item of this id is sent; `total` and `waiting` count as without it.
    only_item: Option<String>,
    /// Only `marks` are sent, and no items: to learn which of them changed; false unless given.
    brief: Option<bool>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// A page of the inbox, and how much there is beyond it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InboxPageShape {
    /// Its items; none if only their marks were asked for.
    pub(crate) items: Vec<InboxShape>,
    /// A mark for each item of the page, in its order.
    pub(crate) marks: Vec<InboxMarkShape>,
    /// Where the next page begins: `?after=`; null after the last.
    pub(crate) next: Option<String>,
    /// How many items are sought. An approval that stands on the card of its server is not counted.
    pub(crate) total: usize,
    /// How many items there are, whatever is sought, without those that who asks snoozes.
    pub(crate) waiting: usize,
    /// How many items who asks snoozes, whatever is sought.
    pub(crate) snoozed: usize,
}

/// Tells whether an item is as it was when it was read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InboxMarkShape {
    /// The item.
    id: String,
    /// Another one when anything of the item changed, but for when it was read.
    version: String,
}

impl InboxMarkShape {
    fn new(item: &InboxShape) -> Self {
        let mut shown = item.clone();
        if let InboxShape::Approval(card) = &mut shown {
            card.read_at.clear();
        }
        let text = serde_json::to_vec(&shown).unwrap_or_default();
        let version = sha256(&text).as_str().chars().take(VERSION_LENGTH).collect();
        Self { id: item.id().to_owned(), version }
    }
}

/// Hexadecimal characters of a version.
const VERSION_LENGTH: usize = 12;

/// The order of the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InboxOrder {
    /// What has to be done first, then the oldest.
    Age,
    /// By the names of sessions.
    Session,
    /// By automations; items of none come last.
    Automation,
}

/// A query that was parsed.
#[derive(Clone, Debug)]
pub(crate) struct InboxSearch {
    query: InboxQuery,
    words: Vec<String>,
    /// The name of who asks.
    reader: String,
    asked_before: Option<Timestamp>,
    /// The latest `asked_at` that satisfies `age`.
    asked_until: Option<Timestamp>,
    /// When the first page was read.
    begun: Timestamp,
    /// The order of the items.
    pub(crate) order: InboxOrder,
}

impl InboxQuery {
    /// Parses the query at this time.
    ///
    /// # Errors
    /// If the instant, the age or the order cannot be read.
    pub(crate) fn parse(self, now: Timestamp) -> Result<InboxSearch, Problem> {
        let order = match self.order.as_deref() {
            None | Some("age") => InboxOrder::Age,
            Some("session") => InboxOrder::Session,
            Some("automation") => InboxOrder::Automation,
            Some(_) => {
                return Err(Problem::invalid_field("order", saying!("refusal-inbox-order")));
            }
        };
        let asked_before = instant_of("asked_before", self.asked_before.clone())?;
        let age = self.age.as_deref().map(age_of).transpose()?;
        let asked_until = age.map(|Millis(age)| now.plus(Millis(-age)));
        let words = self.q.as_deref().unwrap_or_default().to_lowercase();
        let words = words.split_whitespace().map(str::to_owned).collect();
        let reader = String::new();
        Ok(InboxSearch { words, reader, asked_before, asked_until, begun: now, order, query: self })
    }
}

/// An approval with less time left than this is to be decided first.
const SOON: Millis = Millis::hours(24);

/// The name of nobody in the filter of assignments.
const NOBODY: &str = "nobody";

/// How long an item waits at least.
fn age_of(text: &str) -> Result<Millis, Problem> {
    span(text).ok_or_else(|| Problem::invalid_field("age", saying!("refusal-inbox-age")))
}

impl InboxSearch {
    /// Which page.
    pub(crate) fn page(&self) -> PageQuery {
        PageQuery { limit: self.query.limit, after: self.query.after.clone() }
    }

    /// The search as of the first page of this list: what expires soon and what is old enough stay so on all pages, so that
    /// none skips an item that changed its place meanwhile.
    ///
    /// # Errors
    /// If the cursor belongs to another list.
    pub(crate) fn at_first_page(self, list: &str) -> Result<Self, Problem> {
        let Some(place) = read_cursor_key(list, &self.page())? else { return Ok(self) };
        let begun = place.split_once(' ').and_then(|(begun, _)| begun.parse().ok());
        self.query.parse(Timestamp(begun.unwrap_or(self.begun.0)))
    }

    /// The search of the person of this name.
    pub(crate) fn of_reader(self, reader: &str) -> Self {
        Self { reader: reader.to_owned(), ..self }
    }

    /// Whether it is for items that who asks snoozes.
    pub(crate) fn is_for_snoozed(&self) -> bool {
        self.query.snoozed == Some(true)
    }

    /// The items of a page that are sent, and the marks of all of them.
    pub(crate) fn split(&self, items: Vec<InboxShape>) -> (Vec<InboxShape>, Vec<InboxMarkShape>) {
        let marks = items.iter().map(InboxMarkShape::new).collect();
        (if self.query.brief == Some(true) { Vec::new() } else { items }, marks)
    }

    /// All that decides which list a cursor belongs to.
    pub(crate) fn name(&self) -> String {
        let InboxSearch { query, .. } = self;
        format!("{:?}", InboxQuery { limit: None, after: None, brief: None, ..query.clone() })
    }

    /// Whether an item is sought.
    pub(crate) fn matches(&self, item: &InboxShape) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let facts = ItemFacts::new(item);
        let query = &self.query;
        let is_of_session = query.session.as_deref().is_none_or(|wanted| {
            facts.session == wanted || facts.session_name.to_lowercase().contains(&wanted.to_lowercase())
        });
        let is_asked = |fits: &dyn Fn(Timestamp) -> bool| instant(item.asked_at()).is_some_and(fits);
        let is_old = self.asked_before.is_none_or(|until| is_asked(&|asked_at| asked_at < until))
            && self.asked_until.is_none_or(|until| is_asked(&|asked_at| asked_at <= until));
        let has_argument = query.argument.as_deref().is_none_or(|wanted| {
            arguments_of(item).is_some_and(|text| text.to_lowercase().contains(&wanted.to_lowercase()))
        });
        is(&query.kind, Some(facts.kind))
            && is(&query.command, facts.command)
            && is(&query.automation, facts.automation)
            && is_of_session
            && query.person.as_deref().is_none_or(|person| facts.people.contains(&person))
            && is_old
            && has_argument
            && self.has_assignee(item)
            && facts.have_words(&self.words)
    }

    fn has_assignee(&self, item: &InboxShape) -> bool {
        let assigned = item.triage().and_then(|triage| triage.assigned.as_ref());
        let person = assigned.map(|assigned| assigned.person.as_str());
        match self.query.assigned.as_deref() {
            None => true,
            Some(NOBODY) => person.is_none(),
            Some(ME) => person == Some(self.reader.as_str()),
            Some(name) => person == Some(name),
        }
    }

    /// Whether an item is in the part of the inbox that is sought: what who asks snoozes, or everything else.
    pub(crate) fn is_in_part(&self, item: &InboxShape) -> bool {
        item.is_snoozed() == self.is_for_snoozed()
    }

    /// Whether a sought item is sent. One that is asked for by its id is, in whichever part it is.
    pub(crate) fn sends(&self, item: &InboxShape) -> bool {
        let query = &self.query;
        let session = ItemFacts::new(item).session;
        let is_named = query.only_item.as_deref().map(|wanted| item.id() == wanted);
        query.only_session.as_deref().is_none_or(|wanted| session == wanted)
            && is_named.unwrap_or_else(|| self.is_in_part(item))
    }

    /// The place of an item in the order, which is that of the terminal and of the console: unknown outcomes first, then
    /// what somebody has to answer, what expires soon, all else that has to be decided, what is only to be seen, and what
    /// is off. When the first page was read stands before it, and is the same for all items.
    pub(crate) fn place(&self, item: &InboxShape) -> String {
        let (facts, soon) = (ItemFacts::new(item), self.begun.plus(SOON));
        let rank = match item {
            InboxShape::Unsettled { .. } => 0,
            InboxShape::Question { .. } | InboxShape::Tools { .. } => 1,
            InboxShape::Task { question: Some(_), .. } => 1,
            InboxShape::Approval(card) if instant(&card.expires_at).is_some_and(|at| at < soon) => 2,
            InboxShape::Approval(_) | InboxShape::Parked { .. } => 3,
            InboxShape::Ended { .. }
            | InboxShape::Failed { .. }
            | InboxShape::Task { .. }
            | InboxShape::Ungranted { .. } => 4,
            InboxShape::Off { .. } => 5,
        };
        let group = match self.order {
            InboxOrder::Age => String::new(),
            InboxOrder::Session => format!("{} {} ", facts.session_name, facts.session),
            // A character that sorts behind every id.
            InboxOrder::Automation => format!("{} ", facts.automation.unwrap_or("~")),
        };
        self.place_of(&group, rank, item.asked_at(), item.id())
    }

    /// The place in the order by age of an item that is known by its row.
    pub(super) fn place_of_row(&self, row: &InboxRow) -> String {
        let rank = match row.kind {
            InboxRowKind::Question => 1,
            InboxRowKind::Approval if row.due_at.is_some_and(|at| at < self.begun.plus(SOON)) => 2,
            InboxRowKind::Approval | InboxRowKind::Parked => 3,
            InboxRowKind::Ended | InboxRowKind::Failed => 4,
        };
        self.place_of("", rank, &iso(row.asked_at), &row.item)
    }

    fn place_of(&self, group: &str, rank: u8, asked_at: &str, id: &str) -> String {
        format!("{} {group}{rank} {asked_at} {id}", self.begun.0)
    }

    /// Whether the rows of the store tell which items are sought, and their order, without what the items say.
    pub(super) fn is_of_rows(&self) -> bool {
        let InboxQuery { q, kind, command, argument, session, automation, person, .. } = &self.query;
        let InboxQuery { age, asked_before, assigned, .. } = &self.query;
        let filters = [q, kind, command, argument, session, automation, person, age, asked_before, assigned];
        let is_filtered = filters.iter().any(|filter| filter.is_some());
        self.order == InboxOrder::Age && !self.is_for_snoozed() && !is_filtered
    }

    /// Whether an item that is known by its row is sent.
    pub(super) fn sends_row(&self, row: &InboxRow) -> bool {
        let query = &self.query;
        query.only_session.as_deref().is_none_or(|wanted| row.session.as_str() == wanted)
            && query.only_item.as_deref().is_none_or(|wanted| row.item == wanted)
    }
}

/// How many items there are, without approvals that stand on the card of their server.
pub(crate) fn count_items<'a>(
    items: impl IntoIterator<Item = &'a InboxShape>,
    folded: &BTreeSet<String>,
) -> usize {
    items.into_iter().filter(|item| !folded.contains(item.id())).count()
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::{ExactJson, parse};

    use super::*;
    use crate::pagination::page_of_list;
    use crate::shapes::card::{PlaceShape, QuestionShape};
    use crate::shapes::inbox_filter::InboxFilterName;
    use crate::shapes::triage::{AssignmentShape, ItemTriageShape};

    /// 27 November 2026, 08:00 UTC.
    const NOW: Timestamp = Timestamp(1_795_766_400_000_000);

    fn place(id: &str, session: &str, asked_at: &str) -> PlaceShape {
        PlaceShape {
            id: id.to_owned(),
            session: session.to_owned(),
            session_name: format!("Quote of {session}"),
            requester: Some("ann".to_owned()),
            automation: None,
            chain: Vec::new(),
            asked_at: format!("2026-11-2{asked_at}T08:00:00Z"),
            triage: None,
        }
    }

    fn items() -> Vec<InboxShape> {
        let text = "Which wood for the Stairs?".to_owned();
        let question = QuestionShape { shape: "open".into(), text, options: Vec::new(), allow_other: true };
        vec![
            InboxShape::Parked {
                place: place("parked:a", "ses_a", "1"),
                why: "interrupted".into(),
                says: String::new(),
                spending: None,
            },
            InboxShape::Question { place: place("question:b", "ses_b", "5"), question },
            InboxShape::Unsettled {
                place: place("unknown:c", "ses_c", "6"),
                call: "cal_c".to_owned(),
                command: "invoices.send".to_owned(),
                arguments: parse(r#"{"to":"Ms Larribe","amount":2480.50}"#).ok().map(ExactJson),
            },
        ]
    }

    fn sought(query: InboxQuery) -> Vec<String> {
        let search = query.parse(NOW).unwrap();
        let mut found: Vec<InboxShape> = items().into_iter().filter(|item| search.matches(item)).collect();
        found.sort_by_cached_key(|item| search.place(item));
        found.iter().filter(|item| search.sends(item)).map(|item| item.id().to_owned()).collect()
    }

    #[test]
    fn unknown_outcomes_and_questions_are_first() {
        assert_eq!(sought(InboxQuery::default()), ["unknown:c", "question:b", "parked:a"]);
        let order = Some("session".to_owned());
        assert_eq!(
            sought(InboxQuery { order, ..InboxQuery::default() }),
            ["parked:a", "question:b", "unknown:c"]
        );
        assert!(InboxQuery { order: Some("size".into()), ..InboxQuery::default() }.parse(NOW).is_err());
    }

    #[test]
    fn every_filter_narrows_the_list() {
        let some = |text: &str| Some(text.to_owned());
        let all = InboxQuery::default;
        let cases = [
            (InboxQuery { q: some("wood stairs"), ..all() }, vec!["question:b"]),
            (InboxQuery { q: some("wood invoices"), ..all() }, vec![]),
            (InboxQuery { kind: some("parked"), ..all() }, vec!["parked:a"]),
            (InboxQuery { command: some("invoices.send"), ..all() }, vec!["unknown:c"]),
            (InboxQuery { session: some("of SES_B"), ..all() }, vec!["question:b"]),
            (InboxQuery { session: some("ses_a"), ..all() }, vec!["parked:a"]),
            (InboxQuery { person: some("noe"), ..all() }, vec![]),
            (InboxQuery { automation: some("aut_1"), ..all() }, vec![]),
            (InboxQuery { asked_before: some("2026-11-23T00:00:00Z"), ..all() }, vec!["parked:a"]),
            (InboxQuery { argument: some("larribe"), ..all() }, vec!["unknown:c"]),
            (InboxQuery { argument: some("2480.50"), ..all() }, vec!["unknown:c"]),
            (InboxQuery { age: some("2d"), ..all() }, vec!["question:b", "parked:a"]),
            (InboxQuery { age: some("49h"), ..all() }, vec!["parked:a"]),
            (InboxQuery { only_session: some("ses_c"), ..all() }, vec!["unknown:c"]),
            (InboxQuery { only_item: some("question:b"), ..all() }, vec!["question:b"]),
        ];
        for (query, expected) in cases {
            let told = format!("{query:?}");
            assert_eq!(sought(query), expected, "{told}");
        }
    }

    /// Input: each name that a filter has elsewhere; expected: the query knows it, and it narrows the list.
    #[test]
    fn every_filter_name_is_in_the_query() {
        for name in InboxFilterName::ALL {
            let value = match name {
                InboxFilterName::Age => "1000d",
                InboxFilterName::AskedBefore => "2020-01-01T00:00:00Z",
                _ => "nothing like it",
            };
            let query = serde_json::from_value(serde_json::json!({ name.word(): value })).unwrap();
            assert_eq!(sought(query), Vec::<String>::new(), "{}", name.word());
        }
        assert!(InboxQuery { age: Some("long".into()), ..InboxQuery::default() }.parse(NOW).is_err());
    }

    /// An approval that was asked for on this day of November 2026, and expires at this hour of the 28th.
    fn approval(id: &str, day: &str, hour: &str) -> InboxShape {
        let card = serde_json::json!({
            "kind": "approval", "id": id, "digest": id, "changed": false, "session": "ses_a",
            "session_name": "Stairs", "call": "cal_a", "effect": "local", "destructive": false,
            "egress": false, "irreversible": false, "says": "Make it", "command": "zones.create",
            "target": null, "arguments": {}, "arguments_text": "{}", "before": {}, "after": {},
            "read_at": "", "marks": [], "warnings": [], "reasons": [], "levels": [], "waits_for": [],
            "then": [], "asked_by": [], "four_eyes": false, "chain": [],
            "asked_at": format!("2026-11-{day}T08:00:00Z"), "expires_at": format!("2026-11-28T{hour}:00:00Z"),
        });
        serde_json::from_value(card).unwrap()
    }

    /// Input: three approvals that expire in more than 24 hours when the first page is read, and in less when the next ones
    /// are; expected: each is on one page.
    #[test]
    fn pages_keep_the_instant_of_the_first() {
        let page = |now, after| {
            let query = InboxQuery { limit: Some(1), after, ..InboxQuery::default() };
            let search = query.parse(now).unwrap().at_first_page("inbox").unwrap();
            let items = [("apr_1", "24"), ("apr_2", "25"), ("apr_3", "26")];
            let items = items.map(|(id, day)| approval(id, day, "09")).to_vec();
            page_of_list(items, "inbox", &search.page(), |item| search.place(item)).unwrap()
        };
        let mut told = Vec::new();
        let (mut now, mut after) = (NOW, None);
        loop {
            let next = page(now, after);
            told.extend(next.items.iter().map(|item| item.id().to_owned()));
            (now, after) = (now.plus(Millis::hours(2)), next.next);
            if after.is_none() {
                break;
            }
        }
        assert_eq!(told, ["apr_1", "apr_2", "apr_3"]);
    }

    /// Input: an item that is assigned to ann and snoozed, and others; expected: the filters tell them apart, and the item is
    /// found by its id.
    #[test]
    fn snoozed_and_assigned_items_are_told_apart() {
        let assigned = AssignmentShape { person: "ann".into(), author: "bob".into(), at: String::new() };
        let noted =
            ItemTriageShape { snoozed_until: Some("2026-11-28T08:00:00Z".into()), assigned: Some(assigned) };
        let mut all = items();
        let snoozed = all.remove(0).with_triage(Some(noted));
        all.push(snoozed);
        let found = |query: InboxQuery| {
            let search = query.parse(NOW).unwrap().of_reader("ann");
            let sought = all.iter().filter(|item| search.matches(item) && search.sends(item));
            sought.map(InboxShape::id).collect::<Vec<_>>()
        };
        let of = |assigned: &str| InboxQuery {
            assigned: Some(assigned.to_owned()),
            snoozed: Some(assigned != "nobody"),
            ..InboxQuery::default()
        };
        assert_eq!(found(InboxQuery::default()), ["question:b", "unknown:c"]);
        assert_eq!(found(of("me")), ["parked:a"]);
        assert_eq!(found(of("ann")), ["parked:a"]);
        assert_eq!(found(of("bob")), Vec::<&str>::new());
        assert_eq!(found(of("nobody")), ["question:b", "unknown:c"]);
        let by_id = InboxQuery { only_item: Some("parked:a".into()), ..InboxQuery::default() };
        assert_eq!(found(by_id), ["parked:a"]);
    }

    #[test]
    fn mark_changes_with_its_item() {
        let brief = InboxQuery { brief: Some(true), ..InboxQuery::default() }.parse(NOW).unwrap();
        let versions = |items| {
            let (sent, marks) = brief.split(items);
            assert!(sent.is_empty());
            marks.into_iter().map(|mark| mark.version).collect::<Vec<_>>()
        };
        let before = versions(items());
        let mut next = items();
        next[0] = InboxShape::Parked {
            place: place("parked:a", "ses_a", "1"),
            why: "exhausted".into(),
            says: String::new(),
            spending: None,
        };
        let after = versions(next);
        assert!(before[0] != after[0] && before[1..] == after[1..]);
        let (sent, marks) = InboxQuery::default().parse(NOW).unwrap().split(items());
        assert_eq!((sent.len(), marks.len()), (3, 3));
    }

    #[test]
    fn approvals_on_a_server_card_are_counted_once() {
        let all = items();
        let folded = BTreeSet::from(["parked:a".to_owned()]);
        assert_eq!((count_items(&all, &BTreeSet::new()), count_items(&all, &folded)), (3, 2));
    }
}
