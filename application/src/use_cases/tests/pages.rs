//! Pages read what they show, however much there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{ParkReason, Phase};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use jiff::tz::TimeZone;

use crate::codec::WorkspaceBody;
use crate::kit::{MachineSessionFixture, NOON, catalog, workspace};
use crate::ports::*;
use crate::rule_book::RuleBook;
use crate::use_cases::*;

/// Sessions of a large workspace.
const SESSIONS: usize = 5_000;

/// The most rows that a request may have in memory at once.
const ROWS: usize = 500;

/// The list of a large workspace, in which all wait for a person.
fn lines() -> Vec<SessionListRow> {
    let line = SessionListRow::from(MachineSessionFixture::chat().row());
    let number = |number: usize| SessionListRow {
        id: SessionId::new(format!("ses_{number:05}")),
        name: format!("Chat {number}"),
        last_activity: Timestamp(i64::try_from(number).unwrap()),
        waiting: true,
        ..line.clone()
    };
    (0..SESSIONS).map(number).collect()
}

/// A reader of this list that notes the largest number of rows it returned at once.
fn reader(largest: Arc<AtomicUsize>) -> MockLogReader {
    let mut log = MockLogReader::new();
    let all = lines();
    let most = largest.clone();
    log.expect_session_page().returning(move |filter| {
        let page = filter.select_page(all.clone())?;
        most.fetch_max(page.lines.len(), Ordering::Relaxed);
        Ok(page)
    });
    // A quarter of an hour for each attempt, for years.
    log.expect_cost_sums().returning(move |filter| {
        let first = filter.after.as_ref().map_or(0, |cursor| cursor.0.parse::<i64>().unwrap());
        let limit = i64::from(filter.limit);
        let sum = |index: i64| CostSum {
            key: CostSumKey::QuarterHour(Timestamp(NOON.0 + index * QUARTER_HOUR.0 * 1000)),
            name: None,
            attempts: 1,
            usage: Usage::default(),
            reservations: ReservationSums::default(),
        };
        largest.fetch_max(filter.limit as usize, Ordering::Relaxed);
        let next = CostCursor((first + limit).to_string());
        Ok(CostPage { sums: (first..first + limit).map(sum).collect(), next: Some(next) })
    });
    log.expect_calls_with_unknown_outcome().returning(|_| Ok(vec![]));
    log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
    log
}

/// Input: a workspace with thousands of sessions and years of costs: a search that finds one session, a page of an inbox
/// where all wait, and a page of days; expected: no request has more than some hundred rows in memory.
#[tokio::test]
async fn request_memory_is_bounded() {
    let largest = Arc::new(AtomicUsize::new(0));
    let log = Arc::new(reader(largest.clone()));
    let query = SessionPageQuery {
        of: SessionPageOf::All,
        search: SessionSearch { kind: None, text: "chat 17".into() },
        standing: None,
        phase: None,
        since: None,
        after: None,
        limit: 200,
    };
    let sessions = ListSessions::new(log.clone());
    let found = sessions.page(&workspace(), &query).await.unwrap();
    assert_eq!((found.lines.len(), found.next), (111, None), "17, 170 to 179, 1700 to 1799");

    let days = CostReportQuery {
        by: CostReportGrouping::Day,
        session: None,
        since: None,
        until: None,
        zone: TimeZone::UTC,
        after: None,
        limit: 200,
    };
    let report = ReportCosts::new(log.clone()).run(&workspace(), &days).await.unwrap();
    assert_eq!(report.rows.len(), 200);
    assert!(report.next.is_some());

    inbox_page(log, 50).await;
    assert!(largest.load(Ordering::Relaxed) <= ROWS, "{largest:?} rows at once");
}

/// Input: a search among thousands of sessions; expected: the store gives those that match, and no others.
#[tokio::test]
async fn search_reads_the_sessions_that_match() {
    let given = Arc::new(AtomicUsize::new(0));
    let (all, count) = (lines(), given.clone());
    let mut log = MockLogReader::new();
    log.expect_session_page().returning(move |filter| {
        let page = filter.select_page(all.clone())?;
        count.fetch_add(page.lines.len(), Ordering::Relaxed);
        Ok(page)
    });
    let query = SessionPageQuery {
        of: SessionPageOf::All,
        search: SessionSearch { kind: None, text: "chat 17".into() },
        standing: None,
        phase: None,
        since: None,
        after: None,
        limit: 200,
    };
    let found = ListSessions::new(Arc::new(log)).page(&workspace(), &query).await.unwrap();
    assert_eq!((found.lines.len(), given.load(Ordering::Relaxed)), (111, 111));
}

/// Input: two answers that asked for two commands, and one that asked for one of them; expected: a page for each command,
/// whose costs are all of it.
#[tokio::test]
async fn costs_of_commands_are_shared_and_paged() {
    let dollars = |text: &str| -> Dollars { text.parse().unwrap() };
    let mut log = MockLogReader::new();
    log.expect_cost_sums().returning(move |filter| {
        assert_eq!(filter.by, CostSumBy::CommandSet);
        let sum = |names: &str, attempts: u64, cost: &str| CostSum {
            key: CostSumKey::CommandSet(names.to_owned()),
            name: None,
            attempts,
            usage: Usage { input: 3, ..Usage::default() }.with_cost(dollars(cost)),
            reservations: ReservationSums::default(),
        };
        Ok(CostPage { sums: vec![sum("a\nb", 2, "0.000000000003"), sum("b", 1, "0.1")], next: None })
    });
    let costs = ReportCosts::new(Arc::new(log));
    let mut query = CostReportQuery {
        by: CostReportGrouping::Command,
        session: None,
        since: None,
        until: None,
        zone: TimeZone::UTC,
        after: None,
        limit: 1,
    };
    let mut told = Vec::new();
    loop {
        let page = costs.run(&workspace(), &query).await.unwrap();
        let rows =
            page.rows.into_iter().map(|row| (row.key.unwrap(), row.attempts, row.usage.cost.to_string()));
        told.extend(rows);
        assert!(told.len() <= 2);
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let row = |key: &str, attempts: u64, cost: &str| (key.to_owned(), attempts, cost.to_owned());
    assert_eq!(told, [row("a", 2, "0.000000000002"), row("b", 3, "0.100000000001")]);
}

/// A parked session.
fn parked(id: &SessionId) -> MachineSessionFixture {
    let mut story = MachineSessionFixture::chat();
    story.phase = Phase::Parked(ParkReason::Exhausted("the credit is used up".into()));
    story.facts.id = id.clone();
    story
}

/// An inbox of parked sessions, and the number of sessions that it has read.
fn counting_inbox(log: Arc<MockLogReader>) -> (ReadInbox, Arc<AtomicUsize>) {
    let read = Arc::new(AtomicUsize::new(0));
    let mut store = MockWorkspaceStore::new();
    let count = read.clone();
    store.expect_session().returning(move |_, id| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Some(parked(id).row()))
    });
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    let rows = Arc::new(MockResourceReader::new());
    (ReadInbox::new(Arc::new(store), log, rows, catalog(), Arc::new(clock)), read)
}

/// Reads a page of the inbox; returns it with the number of sessions that were read for it.
async fn inbox_page(log: Arc<MockLogReader>, limit: usize) -> (InboxPage, usize) {
    let (inbox, read) = counting_inbox(log);
    let page = inbox.page(&workspace(), None, limit).await.unwrap();
    (page, read.load(Ordering::Relaxed))
}

/// Input: an inbox with thousands of waiting sessions; expected: a page reads the sessions of its own items, and one
/// more that shows that others follow.
#[tokio::test]
async fn inbox_page_reads_its_own_sessions() {
    let log = Arc::new(reader(Arc::default()));
    let (page, read) = inbox_page(log, 50).await;
    assert_eq!((page.items.len(), page.is_more), (50, true));
    assert_eq!(read, 51);
}

/// Input: an inbox with thousands of waiting sessions, known by their rows, and an approval that has expired; expected: the
/// rows are read without a session, and items of two sessions with those two.
#[tokio::test]
async fn inbox_rows_read_no_session() {
    let mut log = MockLogReader::new();
    log.expect_inbox_rows().returning(|_| {
        let waits = |line: SessionListRow| {
            let story = parked(&line.id);
            InboxRow::of_session(&story.facts, &story.phase)
        };
        let mut rows: Vec<InboxRow> = lines().into_iter().flat_map(waits).collect();
        let (kind, due_at) = (InboxRowKind::Approval, Some(NOON));
        rows.push(InboxRow { item: "apr_1".into(), kind, due_at, ..rows[0].clone() });
        Ok(Some(rows))
    });
    log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
    let (inbox, read) = counting_inbox(Arc::new(log));
    let rows = inbox.rows(&workspace()).await.unwrap().unwrap();
    assert_eq!((rows.len(), read.load(Ordering::Relaxed)), (SESSIONS, 0));

    let sessions = rows[..2].iter().map(|row| row.session.clone()).collect();
    let items = inbox.items_of_sessions(&workspace(), &sessions).await.unwrap();
    assert_eq!(read.load(Ordering::Relaxed), 2);
    let ids: Vec<String> = items.iter().map(InboxItem::id).collect();
    assert_eq!(ids, [rows[0].item.clone(), rows[1].item.clone()]);
}

/// Input: ids of two items of thousands of waiting sessions, and one of an approval that is gone; expected: the two items,
/// and only their sessions are read.
#[tokio::test]
async fn items_near_ids_read_their_sessions_only() {
    let mut log = MockLogReader::new();
    log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
    log.expect_call().returning(|_, _| Ok(None));
    let (inbox, read) = counting_inbox(Arc::new(log));
    let parked = lines().into_iter().take(2).map(|line| InboxRowKind::Parked.item_id(line.id.as_str()));
    let ids: Vec<String> = parked.chain(["apr_gone_1_0".to_owned()]).collect();
    let items = inbox.items_near_ids(&workspace(), &ids).await.unwrap();
    let found: Vec<String> = items.iter().map(InboxItem::id).collect();
    assert_eq!((found.as_slice(), read.load(Ordering::Relaxed)), (&ids[..2], 2));
}

/// Input: an inbox with thousands of waiting sessions, of which some changed since an instant; expected: their items, and
/// only they are read.
#[tokio::test]
async fn latest_items_read_the_sessions_that_changed() {
    const CHANGED: usize = 120;
    let (inbox, read) = counting_inbox(Arc::new(reader(Arc::default())));
    let since = Timestamp(i64::try_from(SESSIONS - CHANGED).unwrap());
    let items = inbox.items_since(&workspace(), since).await.unwrap();
    assert_eq!((items.len(), read.load(Ordering::Relaxed)), (CHANGED, CHANGED));
}

/// Input: an empty workspace and one with thousands of open sessions, one of which cannot be read; expected: all are
/// examined, that one is reported, and the list is read page by page.
#[tokio::test]
async fn all_open_sessions_are_examined_page_by_page() {
    let largest = Arc::new(AtomicUsize::new(0));
    let (all, most) = (lines(), largest.clone());
    let mut log = MockLogReader::new();
    log.expect_session_page().returning(move |filter| {
        let page =
            filter.select_page(if filter.workspace == workspace() { all.clone() } else { Vec::new() })?;
        most.fetch_max(page.lines.len(), Ordering::Relaxed);
        Ok(page)
    });
    let (mut store, mut providers) = (MockWorkspaceStore::new(), MockProviderRegistry::new());
    store.expect_workspaces().returning(|| {
        let row = |key| WorkspaceRow { key, seq: 9, body: Vec::new(), created_at: NOON, epoch: 0 };
        Ok(vec![row(WorkspaceKey::new("ann:empty")), row(workspace())])
    });
    let (row, damaged) = (MachineSessionFixture::chat().row(), lines()[17].id.clone());
    let broken = damaged.clone();
    store.expect_session().returning(move |_, id| match *id == broken {
        true => Err(StoreError::Inconsistent("sessions, phase".into())),
        false => Ok(Some(SessionRow { id: id.clone(), ..row.clone() })),
    });
    providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
    let examine = ExamineSessions::new(Arc::new(log), catalog(), Arc::new(providers));
    let (count, findings) = examine.run_all(&store).await.unwrap();
    let ailment = SessionDefect::Unreadable("sessions, phase".into());
    assert_eq!((count, findings), (SESSIONS, vec![SessionFinding { session: damaged, ailment }]));
    assert!(largest.load(Ordering::Relaxed) <= ROWS, "{largest:?} rows at once");
}

/// Input: a workspace with hundreds of open sessions, before an upgrade; expected: each is examined once, and the list is
/// read page by page.
#[tokio::test]
async fn forecast_reads_a_page_of_sessions_at_a_time() {
    const OPEN: usize = 350;
    let largest = Arc::new(AtomicUsize::new(0));
    let (all, most) = (lines()[..OPEN].to_vec(), largest.clone());
    let mut log = MockLogReader::new();
    log.expect_session_page().returning(move |filter| {
        let page = filter.select_page(all.clone())?;
        most.fetch_max(page.lines.len(), Ordering::Relaxed);
        Ok(page)
    });
    log.expect_entries().returning(|_, _, _, _| Ok(vec![]));
    let (mut store, mut providers) = (MockWorkspaceStore::new(), MockProviderRegistry::new());
    store.expect_workspaces().returning(|| {
        let body = WorkspaceBody::default().encode().unwrap();
        Ok(vec![WorkspaceRow { key: workspace(), seq: 9, body, created_at: NOON, epoch: 0 }])
    });
    let row = MachineSessionFixture::chat().row();
    store.expect_session().returning(move |_, id| Ok(Some(SessionRow { id: id.clone(), ..row.clone() })));
    providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    let rows = Arc::new(MockResourceReader::new());
    let (store, log, providers) = (Arc::new(store), Arc::new(log), Arc::new(providers));
    let look = ForecastSessions::new(store, log, rows, catalog(), providers, Arc::new(clock));
    let mut examined = Vec::new();
    let take = |sight: SessionForecast| {
        examined.push(sight.session.to_string());
        Ok::<(), UseCaseError>(())
    };
    look.run(&RuleBook::default(), take).await.unwrap();
    examined.sort_unstable();
    assert_eq!(examined, (0..OPEN).map(|number| format!("ses_{number:05}")).collect::<Vec<_>>());
    assert!(largest.load(Ordering::Relaxed) <= 100, "{largest:?} rows at once");
}

/// Input: pages of three sessions of the same list, in both orders; expected: together they have each session once.
#[tokio::test]
async fn pages_of_sessions_have_each_session_once() {
    let log = Arc::new(reader(Arc::default()));
    let mut query = SessionPageQuery {
        of: SessionPageOf::Open,
        search: SessionSearch::default(),
        standing: None,
        phase: None,
        since: Some(Timestamp(4_990)),
        after: None,
        limit: 3,
    };
    let sessions = ListSessions::new(log);
    let mut found = Vec::new();
    loop {
        let page = sessions.page(&workspace(), &query).await.unwrap();
        found.extend(page.lines.into_iter().map(|line| line.last_activity.0));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    assert_eq!(found, (4_990..5_000).rev().collect::<Vec<i64>>());
}
