//! Contract of what a store works out of its rows: sums of costs, pages and ages of sessions, the extent of a log, the
//! end of a list; and of what leaves all rows as they are.

use entracte_application::ports::{
    AttemptCostRow, AttemptReservation, CostCursor, CostFilter, CostInitiator, CostSumBy, CostSumKey,
    LatestEndedQuery, ReclaimExtent, ResourceChange, ResourceFilter, ResourceRow, RestingSessionFilter,
    RestingState, SessionCursor, SessionListRow, SessionPageFilter, SessionPageOf, SessionPageOrder,
    StoreError, WorkspaceCommit, session_has_text,
};
use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::{EndReason, SessionKind, Standing};
use entracte_domain::spending::SpendingAmount;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::StoreFixture;
use super::durable::tables::{commit_numbered, shown};
use super::rows::{HOME, begun, first, input, key, next, resource, session, session_id};
use super::store::{commit, conflict};

/// The attempt of a round of `ses_a` that used so many tokens.
fn attempt(round: u32, tokens: u64) -> AttemptCostRow {
    AttemptCostRow {
        session: session_id("a"),
        number: RoundAttempt { round, attempt: 1 },
        at: Timestamp(5_000_000),
        automation: None,
        provider: "clerk".to_owned(),
        model: "clerk-1".to_owned(),
        person: "ada".to_owned(),
        commands: "zones.list".to_owned(),
        usage: Usage { input: tokens, ..Usage::default() },
        reservation: None,
    }
}

/// The number of attempts of a workspace and their tokens.
async fn sum(stores: &StoreFixture, workspace: &str) -> Option<(u64, u64)> {
    let filter = CostFilter::new(key(workspace), CostSumBy::Everything, 9);
    let page = stores.log.cost_sums(&filter).await.expect("sums are read");
    page.sums.first().map(|sum| (sum.attempts, sum.usage.input))
}

/// Each attempt counts once, with its latest usage and commands; a withdrawn one, and those of a deleted session, no more.
pub async fn costs_are_added_up_once(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, begun("bob:work", "b")).await;
    assert_eq!(sum(&stores, HOME).await, None);
    let costs = |costs: Vec<AttemptCostRow>| WorkspaceCommit { costs, ..next(HOME, 1) };
    commit(&stores, costs(vec![attempt(1, 11), attempt(2, 7)])).await;
    assert_eq!(sum(&stores, HOME).await, Some((2, 18)));
    let renamed = AttemptCostRow {
        provider: "another".to_owned(),
        person: "bob".to_owned(),
        commands: "zones.create".to_owned(),
        ..attempt(1, 5)
    };
    commit(&stores, costs(vec![renamed])).await;
    assert_eq!(sum(&stores, HOME).await, Some((2, 12)));
    for (by, expected) in [(CostSumBy::Provider, 1), (CostSumBy::Initiator, 1), (CostSumBy::CommandSet, 2)] {
        let page = stores.log.cost_sums(&CostFilter::new(key(HOME), by, 9)).await.unwrap();
        let says = "a stored attempt takes over what its reply brought alone";
        assert_eq!(page.sums.len(), expected, "{says}: {by:?}: {page:?}");
    }

    commit(&stores, costs(vec![AttemptCostRow { commands: String::new(), ..attempt(1, 5) }])).await;
    let page = stores.log.cost_sums(&CostFilter::new(key(HOME), CostSumBy::CommandSet, 9)).await.unwrap();
    let sets: Vec<CostSumKey> = page.sums.into_iter().map(|sum| sum.key).collect();
    let expected = ["zones.create", "zones.list"].map(|names| CostSumKey::CommandSet(names.to_owned()));
    assert_eq!(sets, expected, "usage that is stated later leaves the commands");

    let one = CostFilter::new(key(HOME), CostSumBy::Attempt, 1);
    let page = stores.log.cost_sums(&one).await.unwrap();
    let rest = stores.log.cost_sums(&CostFilter { after: page.next.clone(), ..one.clone() }).await.unwrap();
    let tokens = |page: &entracte_application::ports::CostPage| page.sums[0].usage.input;
    assert_eq!((page.sums.len(), tokens(&page), rest.sums.len(), tokens(&rest)), (1, 5, 1, 7));
    assert!(page.next.is_some() && rest.next.is_none());
    let foreign = CostFilter { after: Some(CostCursor("of nobody".to_owned())), ..one };
    let refused = stores.log.cost_sums(&foreign).await;
    assert!(matches!(refused, Err(StoreError::Inconsistent(_))), "{refused:?}");

    let number = |round: u32| (session_id("a"), RoundAttempt { round, attempt: 1 });
    let withdrawn = WorkspaceCommit { withdrawn_costs: vec![number(2), number(9)], ..next(HOME, 1) };
    commit(&stores, withdrawn).await;
    assert_eq!(sum(&stores, HOME).await, Some((1, 5)));
    assert_eq!(sum(&stores, "bob:work").await, None);
    commit(&stores, WorkspaceCommit { deleted: vec![(session_id("a"), 1)], ..next(HOME, 1) }).await;
    assert_eq!(sum(&stores, HOME).await, None);
}

/// An attempt of a round that reserves 100 tokens and 0.5 dollars.
fn reserving(round: u32) -> AttemptCostRow {
    let amount = SpendingAmount { tokens: 100, cost: "0.5".parse().expect("it is an amount") };
    let usage = Usage { unknown_attempts: 1, ..Usage::default() };
    AttemptCostRow { reservation: Some(AttemptReservation::new(amount)), usage, ..attempt(round, 0) }
}

/// The sums of the reservations of a filter, each as its tokens and dollars.
async fn reservations(stores: &StoreFixture, filter: &CostFilter) -> [(u64, String); 3] {
    let page = stores.log.cost_sums(filter).await.expect("sums are read");
    let sums = page.sums.first().map(|sum| sum.reservations).unwrap_or_default();
    [sums.reserved, sums.uncertain, sums.overrun].map(|amount| (amount.tokens, amount.cost.to_string()))
}

/// A reservation stands until its attempt ends, stays where the usage is unknown, and is settled by a known one, whose
/// surplus is the overrun; the amount is that of the start. The usage of one cause is found by its cause.
pub async fn reservations_are_settled_by_usage(stores: StoreFixture) {
    let amounts = |all: [(u64, &str); 3]| all.map(|(tokens, cost)| (tokens, cost.to_owned()));
    let all = CostFilter::new(key(HOME), CostSumBy::Everything, 9);
    commit(&stores, begun(HOME, "a")).await;
    let costs = |costs: Vec<AttemptCostRow>| WorkspaceCommit { costs, ..next(HOME, 1) };
    commit(&stores, costs(vec![reserving(1), reserving(2), reserving(3)])).await;
    assert_eq!(reservations(&stores, &all).await, amounts([(300, "1.5"), (0, "0"), (0, "0")]));

    let usage = Usage { input: 20, output: 10, ..Usage::default() }.with_cost("0.1".parse().unwrap());
    let lost = |output: u64| Usage { output, unknown_attempts: 1, ..Usage::default() };
    let ended = |round: u32, usage: Usage| AttemptCostRow { usage, ..attempt(round, 0) };
    commit(&stores, costs(vec![ended(1, usage), ended(2, lost(30))])).await;
    let expected = amounts([(100, "0.5"), (70, "0.5"), (0, "0")]);
    assert_eq!(reservations(&stores, &all).await, expected, "the tokens that were told are not uncertain");

    let more = Usage { input: 130, ..Usage::default() }.with_cost("1.000000000001".parse().unwrap());
    commit(&stores, costs(vec![ended(3, more), attempt(4, 5)])).await;
    let expected = amounts([(0, "0"), (70, "0.5"), (30, "0.500000000001")]);
    assert_eq!(reservations(&stores, &all).await, expected);
    commit(&stores, costs(vec![reserving(5)])).await;
    commit(&stores, costs(vec![ended(5, lost(104))])).await;
    let expected = amounts([(0, "0"), (70, "1"), (34, "0.500000000001")]);
    assert_eq!(reservations(&stores, &all).await, expected, "more tokens were told than reserved");
    commit(&stores, costs(vec![reserving(6)])).await;
    commit(&stores, costs(vec![ended(6, Usage { input: 10, ..Usage::default() })])).await;
    let expected = amounts([(0, "0"), (70, "1.5"), (34, "0.500000000001")]);
    assert_eq!(reservations(&stores, &all).await, expected, "tokens without a known price are not free");
    for by in [CostSumBy::Session, CostSumBy::Tree, CostSumBy::Initiator] {
        let filter = CostFilter { by, ..all.clone() };
        assert_eq!(reservations(&stores, &filter).await, expected, "{by:?}");
    }
    for (initiator, is_found) in [
        (CostInitiator::Person("ada".to_owned()), true),
        (CostInitiator::Person("bob".to_owned()), false),
        (CostInitiator::Automation("ada".to_owned()), false),
        (CostInitiator::Unknown, false),
    ] {
        let filter = CostFilter { initiator: Some(initiator.clone()), ..all.clone() };
        let page = stores.log.cost_sums(&filter).await.unwrap();
        assert_eq!(page.sums.len(), usize::from(is_found), "{initiator:?}");
    }
}

/// Sessions of the home workspace, each with whether it ended and its last activity.
async fn aged(stores: &StoreFixture, sessions: &[(&str, bool, i64)]) {
    let mut made = first(HOME);
    for (stem, has_ended, at) in sessions {
        let mut row = session(HOME, stem, 1);
        row.last_activity = Timestamp(*at);
        if *has_ended {
            row.standing = Standing::Ended;
            row.end_reason = Some(EndReason::Completed);
        }
        made.sessions.push((row, None));
    }
    commit(stores, made).await;
    commit(stores, begun("bob:work", "elsewhere")).await;
}

/// Pages join without gap or overlap, and a place of another list is refused.
pub async fn pages_of_sessions_join(stores: StoreFixture) {
    aged(&stores, &[("a", false, 10), ("b", false, 30), ("c", true, 20), ("d", false, 40)]).await;
    let filter = |order: SessionPageOrder, after: Option<SessionCursor>| SessionPageFilter {
        workspace: key(HOME),
        of: SessionPageOf::All,
        order,
        after,
        limit: 3,
        sought: None,
    };
    for (order, expected) in [
        (SessionPageOrder::LatestFirst, ["d", "b", "c", "a"]),
        (SessionPageOrder::EarliestFirst, ["a", "c", "b", "d"]),
    ] {
        let page = stores.log.session_page(&filter(order, None)).await.unwrap();
        assert!(page.lines.len() == 3 && page.is_more, "{page:?}");
        let after = page.lines.last().map(|(_, cursor)| cursor.clone());
        let rest = stores.log.session_page(&filter(order, after)).await.unwrap();
        assert!(!rest.is_more, "{rest:?}");
        let found = page.lines.iter().chain(&rest.lines).map(|(line, _)| line.id.clone());
        assert_eq!(found.collect::<Vec<_>>(), expected.map(session_id));
    }
    let open = SessionPageFilter { of: SessionPageOf::Open, ..filter(SessionPageOrder::LatestFirst, None) };
    let page = stores.log.session_page(&open).await.unwrap();
    assert!(page.lines.len() == 3 && !page.is_more, "{page:?}");
    let foreign = filter(SessionPageOrder::LatestFirst, Some(SessionCursor("of nobody".to_owned())));
    let refused = stores.log.session_page(&foreign).await;
    assert!(matches!(refused, Err(StoreError::Inconsistent(_))), "{refused:?}");
}

/// The sessions of the home workspace that a search for this text finds.
async fn found_by_text(stores: &StoreFixture, text: &str) -> Vec<SessionId> {
    let filter = SessionPageFilter {
        workspace: key(HOME),
        of: SessionPageOf::All,
        order: SessionPageOrder::LatestFirst,
        after: None,
        limit: 9,
        sought: Some(text.to_owned()),
    };
    let page = stores.log.session_page(&filter).await.expect("a page is read");
    let lines = page.lines.into_iter().map(|(line, _)| line);
    let has_text = |line: &SessionListRow| session_has_text(&line.name, &line.id, text);
    let mut ids: Vec<SessionId> = lines.filter(has_text).map(|line| line.id).collect();
    ids.sort();
    ids
}

/// The ids of sessions with these stems.
fn ids(stems: &[&str]) -> Vec<SessionId> {
    stems.iter().map(|stem| session_id(stem)).collect()
}

/// A session is found by the name that it has now, in its workspace, until it is deleted.
pub async fn a_search_knows_the_present_name(stores: StoreFixture) {
    let mut made = first(HOME);
    for (stem, name) in [("a", "Chat"), ("b", "Stairs of stone")] {
        let mut row = session(HOME, stem, 1);
        row.name = name.to_owned();
        made.sessions.push((row, None));
    }
    commit(&stores, made).await;
    commit(&stores, begun("bob:work", "elsewhere")).await;

    let mut named = input(HOME, "a", 0, 1);
    named.sessions[0].0.name = "Stairs of wood".to_owned();
    commit(&stores, named).await;
    assert_eq!(found_by_text(&stores, "stairs").await, ids(&["a", "b"]));
    assert_eq!(found_by_text(&stores, "chat").await, ids(&[]));

    let gone = WorkspaceCommit { deleted: vec![(session_id("b"), 1)], ..next(HOME, 1) };
    commit(&stores, gone).await;
    assert_eq!(found_by_text(&stores, "stairs").await, ids(&["a"]));
}

/// Whatever the case of a name's letters, in every alphabet, and with signs that databases have meanings for.
pub async fn a_search_leaves_no_match_out(stores: StoreFixture) {
    let names = [
        ("a", "Wood for the stairs"),
        ("b", "WOOD"),
        ("c", "Été à la mer"),
        ("d", "50 %_ 'wood' \"{a, b}\""),
        ("e", "Nothing"),
        ("f", "AL\u{130} baba"),
        ("g", "At 5 \u{212a}elvin"),
    ];
    let mut made = first(HOME);
    for (stem, name) in names {
        let mut row = session(HOME, stem, 1);
        row.name = name.to_owned();
        made.sessions.push((row, None));
    }
    commit(&stores, made).await;
    let found = async |text: &str| found_by_text(&stores, text).await;
    assert_eq!(found("wOOd").await, ids(&["a", "b", "d"]));
    assert_eq!(found("éTÉ").await, ids(&["c"]));
    assert_eq!(found("À LA MER").await, ids(&["c"]));
    assert_eq!(found("%_ '").await, ids(&["d"]));
    assert_eq!(found("\"{A, b}\"").await, ids(&["d"]));
    assert_eq!(found("ali").await, ids(&["f"]), "a letter whose lower case is two characters");
    assert_eq!(found("kelvin").await, ids(&["g"]), "a sign whose lower case is a letter");
    assert_eq!(found(session_id("e").as_str()).await, ids(&["e"]));
    assert!(found("no such name").await.is_empty());
    assert!(found("wo\0od").await.is_empty(), "a character that no database finds in them");
}

/// Oldest first, before an instant; and the age of the ended one at a place.
pub async fn sessions_rest_by_age(stores: StoreFixture) {
    aged(&stores, &[("a", true, 30), ("b", true, 10), ("c", false, 20), ("d", true, 40)]).await;
    let resting = async |state: RestingState, before: i64, limit: u32| {
        let filter = RestingSessionFilter {
            workspace: key(HOME),
            state,
            without: None,
            before: Timestamp(before),
            after: None,
            limit,
        };
        let rows = stores.log.resting_sessions(&filter).await.expect("sessions are read");
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(resting(RestingState::Ended, 40, 9).await, ["b", "a"].map(session_id));
    assert_eq!(resting(RestingState::Ended, 99, 2).await, ["b", "a"].map(session_id));
    assert_eq!(resting(RestingState::Open, 99, 9).await, ["c"].map(session_id));
    let ended = async |place: u32| {
        let query = LatestEndedQuery { workspace: key(HOME), kind: SessionKind::Chat, place };
        stores.log.latest_ended(&query).await.expect("sessions are read")
    };
    assert_eq!(
        (ended(1).await, ended(3).await, ended(4).await),
        (Some(Timestamp(40)), Some(Timestamp(10)), None)
    );
}

/// From its first entry to its last; a session without entries has none.
pub async fn the_extent_of_a_log_is_that_of_its_entries(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, input(HOME, "a", 1, 1)).await;
    commit(&stores, input(HOME, "a", 2, 2)).await;
    let extent = stores.log.log_extent(&key(HOME), &session_id("a")).await.unwrap();
    assert_eq!((extent.first, extent.last, extent.bytes > 0), (1, 3, true));
    let none = stores.log.log_extent(&key(HOME), &session_id("b")).await.unwrap();
    assert_eq!((none.first, none.last, none.bytes), (0, 0, 0));
}

/// The last rows in the order of the list, whatever page of it the filter asks for.
pub async fn the_end_of_a_list_is_its_last_rows(stores: StoreFixture) {
    let rows = (1..=5).map(|n| ResourceChange::Create(resource("zone", &format!("z{n}"))));
    commit(&stores, WorkspaceCommit { resources: rows.collect(), ..first(HOME) }).await;
    let page =
        ResourceFilter { kind: "zone".to_owned(), limit: Some(1), offset: 1, ..ResourceFilter::default() };
    for (most, expected) in [(2, vec!["z4", "z5"]), (9, vec!["z1", "z2", "z3", "z4", "z5"])] {
        let found = stores.resources.last_resources(&key(HOME), &page, most).await.unwrap();
        assert_eq!(found.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), expected);
    }
}

/// Whatever the case of its letters, in every alphabet; within the filter, whatever page of it is asked for.
pub async fn a_name_finds_its_rows_whatever_its_case(stores: StoreFixture) {
    let row = |id: &str, name: &str| ResourceRow { name: name.to_owned(), ..resource("zone", id) };
    // The last but one is the sign of Kelvin, which is a k in lower case.
    let zones = [
        row("z1", "Health"),
        row("z2", "health"),
        row("z3", "Health "),
        row("z4", "Été"),
        row("z5", "ÉTÉ"),
        row("z6", "\u{212A}elvin"),
        row("z7", "KELVIN"),
    ];
    let tool = ResourceRow { name: "Health".to_owned(), ..resource("tool", "t1") };
    let rows = zones.into_iter().chain([tool]).map(ResourceChange::Create);
    commit(&stores, WorkspaceCommit { resources: rows.collect(), ..first(HOME) }).await;
    let page =
        ResourceFilter { kind: "zone".to_owned(), limit: Some(1), offset: 1, ..ResourceFilter::default() };
    let named = async |place: &str, name: &str| {
        let found = stores.resources.resources_named(&key(place), &page, name).await.unwrap();
        found.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(named(HOME, "hEALTH").await, ["z1", "z2"]);
    assert_eq!(named(HOME, "été").await, ["z5", "z4"]);
    assert_eq!(named(HOME, "kelvin").await, ["z7", "z6"]);
    assert_eq!(named(HOME, "\u{212A}ELVIN").await, ["z7", "z6"]);
    assert_eq!(named(HOME, "ete").await, Vec::<String>::new());
    assert_eq!(named(HOME, "Hea\0lth").await, Vec::<String>::new(), "and with what no database finds");
    assert_eq!(named("eve:none", "health").await, Vec::<String>::new());
}

/// The second of two equal commits is a conflict, so a commit whose result is unknown may be repeated.
pub async fn a_repeated_commit_is_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, input(HOME, "a", 1, 1)).await;
    conflict(&stores, input(HOME, "a", 1, 1)).await;
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 9).await.unwrap().len(), 2);
}

/// Tests of whether a commit could be written, and giving space back, change no row.
pub async fn maintenance_changes_no_row(stores: StoreFixture) {
    for number in 1..=2 {
        commit_numbered(&stores, number).await.unwrap_or_else(|error| panic!("commit {number}: {error}"));
    }
    let before = shown(&stores).await;
    stores.store.check_writable().await.unwrap_or_else(|error| panic!("it can be written: {error}"));
    assert!(!stores.store.is_stalled(), "nothing is being written");
    for extent in [ReclaimExtent::Part, ReclaimExtent::Everything] {
        let reclaimed = stores.store.reclaim_space(extent).await;
        reclaimed.unwrap_or_else(|error| panic!("space is given back: {error}"));
    }
    let after = shown(&stores).await;
    assert!(after == before, "it was:\n{before}\nand is:\n{after}");
}
