//! The contract suite of [`LogReader`](entracte_application::ports::LogReader).

use entracte_application::ports::{
    CallRow, ContentBlob, SessionFilter, SessionListRow, SessionRow, SessionStatistics,
};
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{EndReason, PhaseLabel, Standing};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, begun, call, entry, first, input, key, next, session, session_id};
use super::store::commit;

/// Entries of one session, strictly after the number.
pub async fn entries_come_in_order_after_a_number_up_to_a_limit(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let mut other = input(HOME, "b", 1, 0);
    other.sessions[0].1 = None;
    commit(&stores, other).await;
    commit(&stores, input(HOME, "a", 2, 1)).await;
    commit(&stores, input(HOME, "a", 3, 2)).await;

    let a = session_id("a");
    let all = vec![entry("a", 1, 1), entry("a", 3, 2), entry("a", 4, 3)];
    assert_eq!(stores.log.entries(&key(HOME), &a, 0, 9).await.unwrap(), all);
    assert_eq!(stores.log.entries(&key(HOME), &a, 1, 9).await.unwrap(), all[1..]);
    assert_eq!(stores.log.entries(&key(HOME), &a, 0, 2).await.unwrap(), all[..2]);
    assert_eq!(stores.log.entries(&key(HOME), &a, 4, 9).await.unwrap(), vec![]);
    assert_eq!(stores.log.entries(&key(HOME), &a, 0, 0).await.unwrap(), vec![]);
}

/// The sequence counts within the session, independent of other sessions in the workspace's log.
pub async fn entries_come_after_a_sequence_of_their_session(stores: StoreFixture) {
    commit(&stores, begun(HOME, "b")).await;
    let mut begins = input(HOME, "a", 1, 0);
    begins.sessions[0].1 = None;
    commit(&stores, begins).await;
    commit(&stores, input(HOME, "b", 2, 1)).await;
    commit(&stores, input(HOME, "a", 3, 1)).await;
    commit(&stores, input(HOME, "a", 4, 2)).await;

    let a = session_id("a");
    let all = vec![entry("a", 2, 1), entry("a", 4, 2), entry("a", 5, 3)];
    assert_eq!(stores.log.entries_since(&key(HOME), &a, 0, 9).await.unwrap(), all);
    assert_eq!(stores.log.entries_since(&key(HOME), &a, 1, 9).await.unwrap(), all[1..]);
    assert_eq!(stores.log.entries_since(&key(HOME), &a, 1, 1).await.unwrap(), all[1..2]);
    assert_eq!(stores.log.entries_since(&key(HOME), &a, 3, 9).await.unwrap(), vec![]);
    assert_eq!(stores.log.entries_since(&key(HOME), &a, 0, 0).await.unwrap(), vec![]);
    assert_eq!(stores.log.entries_since(&key(HOME), &session_id("c"), 0, 9).await.unwrap(), vec![]);
}

/// Entries of all sessions of one workspace, and of no other workspace.
pub async fn entries_of_all_sessions_come_in_order_after_a_number(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, begun("bob:work", "c")).await;
    let mut other = input(HOME, "b", 1, 0);
    other.sessions[0].1 = None;
    commit(&stores, other).await;
    commit(&stores, input(HOME, "a", 2, 1)).await;

    let all = vec![entry("a", 1, 1), entry("b", 2, 1), entry("a", 3, 2)];
    assert_eq!(stores.log.entries_of_all(&key(HOME), 0, 9).await.unwrap(), all);
    assert_eq!(stores.log.entries_of_all(&key(HOME), 1, 9).await.unwrap(), all[1..]);
    assert_eq!(stores.log.entries_of_all(&key(HOME), 1, 1).await.unwrap(), all[1..2]);
    assert_eq!(stores.log.entries_of_all(&key(HOME), 3, 9).await.unwrap(), vec![]);
    assert_eq!(stores.log.entries_of_all(&key(HOME), 0, 0).await.unwrap(), vec![]);
    assert_eq!(stores.log.entries_of_all(&key("eve:none"), 0, 9).await.unwrap(), vec![]);
}

/// Within its workspace.
pub async fn an_entry_is_found_by_its_number(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, begun("bob:work", "b")).await;
    assert_eq!(stores.log.entry(&key("bob:work"), 1).await.unwrap(), Some(entry("b", 1, 1)));
    assert_eq!(stores.log.entry(&key(HOME), 2).await.unwrap(), None);
    assert_eq!(stores.log.entry(&key("eve:none"), 1).await.unwrap(), None);
}

/// Within its session.
pub async fn an_entry_is_found_by_its_client_key(stores: StoreFixture) {
    let mut keyed = begun(HOME, "a");
    keyed.log[0].client_key = Some("k1".to_owned());
    commit(&stores, keyed.clone()).await;
    let found = stores.log.entry_by_client_key(&key(HOME), &session_id("a"), "k1").await.unwrap();
    assert_eq!(found, Some(keyed.log[0].clone()));
    assert_eq!(stores.log.entry_by_client_key(&key(HOME), &session_id("a"), "k2").await.unwrap(), None);
    assert_eq!(stores.log.entry_by_client_key(&key(HOME), &session_id("b"), "k1").await.unwrap(), None);
}

/// Ordered by input, then by position in the reply, as numbers and not as text.
pub async fn calls_come_in_the_order_they_were_asked_for(stores: StoreFixture) {
    let mut asked = begun(HOME, "a");
    asked.calls = vec![call("a", 10, 2), call("a", 2, 0), call("a", 10, 10)];
    commit(&stores, asked).await;
    let found = stores.log.calls(&key(HOME), &session_id("a")).await.unwrap();
    assert_eq!(found, vec![call("a", 2, 0), call("a", 10, 2), call("a", 10, 10)]);
}

/// Ids are derived from session, sequence and ordinal; a stem may contain an underscore.
pub async fn a_call_is_found_by_its_id(stores: StoreFixture) {
    let mut asked = begun(HOME, "a_b");
    asked.calls = vec![call("a_b", 1, 0), call("a_b", 1, 1)];
    commit(&stores, asked).await;
    let found = stores.log.call(&key(HOME), &session_id("a_b").call_id(1, 1)).await.unwrap();
    assert_eq!(found, Some(call("a_b", 1, 1)));
    assert_eq!(stores.log.call(&key(HOME), &session_id("a_b").call_id(1, 2)).await.unwrap(), None);
}

/// An id that was not derived is found too.
pub async fn a_call_with_an_id_of_another_form_is_found(stores: StoreFixture) {
    let mut asked = begun(HOME, "a");
    asked.calls = vec![call("a", 1, 0)];
    asked.calls[0].id = CallId::new("by-hand");
    commit(&stores, asked.clone()).await;
    assert_eq!(
        stores.log.call(&key(HOME), &CallId::new("by-hand")).await.unwrap(),
        Some(asked.calls[0].clone())
    );
}

/// Calls of another command, exchange or session are not twins.
pub async fn twins_are_of_the_same_command_and_exchange_latest_first(stores: StoreFixture) {
    let mut asked = begun(HOME, "a");
    asked.sessions.push((session(HOME, "b", 1), None));
    asked.calls = vec![
        call("a", 2, 0),
        call("a", 2, 1),
        call("a", 3, 0),
        call("a", 4, 0),
        call("a", 5, 0),
        call("b", 2, 0),
    ];
    asked.calls[1].command_id = Digest::new("other");
    asked.calls[3].exchange = 4;
    commit(&stores, asked).await;
    let found =
        stores.log.calls_with_command_id(&key(HOME), &session_id("a"), &Digest::new("d1"), 1).await.unwrap();
    assert_eq!(found, vec![call("a", 5, 0), call("a", 3, 0), call("a", 2, 0)]);
}

/// Waiting, then open, then ended sessions; within each group the latest activity first.
pub async fn sessions_that_wait_come_first_then_open_ones_then_those_that_ended(stores: StoreFixture) {
    commit(&stores, lists()).await;
    let found = stores.log.sessions(&SessionFilter::default()).await.unwrap().rows;
    assert_eq!(
        stems(&found),
        ["waits-late", "waits-early", "unseen", "works-late", "open-early", "ended-late", "ended-early"]
    );
    let of_home = SessionFilter { workspace: Some(key(HOME)), ..SessionFilter::default() };
    assert_eq!(stores.log.sessions(&of_home).await.unwrap().rows, found);
}

/// The same sessions in the same order, without their encoded state.
pub async fn lines_are_the_sessions_that_the_filter_lets_through(stores: StoreFixture) {
    let mut made = lists();
    made.sessions[0].0.wake_at = Some(Timestamp(7));
    commit(&stores, made).await;
    commit(&stores, begun("bob:work", "elsewhere")).await;
    let home = SessionFilter { workspace: Some(key(HOME)), ..SessionFilter::default() };
    for filter in [
        SessionFilter::default(),
        SessionFilter { waiting: true, ..SessionFilter::default() },
        SessionFilter { waiting: true, ..home.clone() },
        SessionFilter { open: true, ..home.clone() },
        SessionFilter { limit: 3, ..home },
    ] {
        let rows = stores.log.sessions(&filter).await.unwrap().rows;
        assert!(!rows.is_empty(), "{filter:?}");
        let expected: Vec<SessionListRow> = rows.into_iter().map(SessionListRow::from).collect();
        assert_eq!(stores.log.session_list(&filter).await.unwrap(), expected, "{filter:?}");
    }
}

/// Each part of the filter alone, and combinations.
pub async fn the_filter_of_sessions_lets_through_what_it_says(stores: StoreFixture) {
    commit(&stores, lists()).await;
    commit(&stores, begun("bob:work", "elsewhere")).await;
    let home = SessionFilter { workspace: Some(key(HOME)), ..SessionFilter::default() };
    let list = async |filter: SessionFilter| stems(&stores.log.sessions(&filter).await.unwrap().rows);

    let waiting = SessionFilter { waiting: true, ..SessionFilter::default() };
    assert_eq!(list(waiting.clone()).await, ["waits-late", "waits-early", "unseen"]);
    let at_home = list(SessionFilter { waiting: true, ..home.clone() }).await;
    assert_eq!(at_home, ["waits-late", "waits-early", "unseen"]);
    assert_eq!(list(SessionFilter { limit: 1, ..waiting }).await, ["waits-late"]);
    let open = list(SessionFilter { open: true, ..home.clone() }).await;
    assert_eq!(open, ["waits-late", "waits-early", "works-late", "open-early"]);
    let elsewhere = SessionFilter { workspace: Some(key("bob:work")), ..SessionFilter::default() };
    assert_eq!(list(elsewhere).await, ["elsewhere"]);
    assert_eq!(list(SessionFilter { workspace: Some(key("eve:none")), ..home }).await, Vec::<String>::new());
}

/// Ordered by id, at most ten.
pub async fn a_prefix_finds_at_most_ten_sessions_by_id(stores: StoreFixture) {
    let mut made = first(HOME);
    made.sessions = (0..12).rev().map(|n| (session(HOME, &format!("a{n:02}"), 1), None)).collect();
    made.sessions.push((session(HOME, "b", 1), None));
    commit(&stores, made).await;
    let ten: Vec<SessionId> = (0..10).map(|n| session_id(&format!("a{n:02}"))).collect();
    assert_eq!(stores.log.sessions_by_prefix(&key(HOME), "ses_a").await.unwrap(), ten);
    assert_eq!(stores.log.sessions_by_prefix(&key(HOME), "ses_a11").await.unwrap(), vec![session_id("a11")]);
    assert_eq!(stores.log.sessions_by_prefix(&key(HOME), "ses_c").await.unwrap(), vec![]);
    assert_eq!(stores.log.sessions_by_prefix(&key(HOME), "").await.unwrap(), ten);
}

/// Case is significant, and no character is a wildcard.
pub async fn a_prefix_is_taken_literally(stores: StoreFixture) {
    commit(&stores, begun(HOME, "abc")).await;
    for prefix in ["SES_A", "ses%", "ses_a_", "sesXa", "*"] {
        assert_eq!(stores.log.sessions_by_prefix(&key(HOME), prefix).await.unwrap(), vec![], "{prefix}");
    }
}

/// Of all sessions of the workspace, and of no other workspace.
pub async fn unsettled_calls_are_the_unknown_ones_of_the_workspace_latest_first(stores: StoreFixture) {
    let mut home = begun(HOME, "a");
    home.sessions.push((session(HOME, "b", 1), None));
    home.calls = vec![call("a", 1, 0), call("a", 1, 1), call("b", 1, 0), call("b", 2, 0)];
    for (place, at) in [(0, 5), (2, 9), (3, 7)] {
        home.calls[place].state = LedgerState::Unknown;
        home.calls[place].requested_at = Timestamp(at);
    }
    let expected = vec![home.calls[2].clone(), home.calls[3].clone(), home.calls[0].clone()];
    let mut work = begun("bob:work", "c");
    work.calls = vec![call("c", 1, 0)];
    work.calls[0].state = LedgerState::Unknown;
    commit(&stores, home).await;
    commit(&stores, work).await;
    assert_eq!(stores.log.calls_with_unknown_outcome(&key(HOME)).await.unwrap(), expected);

    let mut settled = next(HOME, 1);
    settled.calls = vec![expected[0].clone()];
    settled.calls[0].state = LedgerState::Succeeded;
    commit(&stores, settled).await;
    assert_eq!(stores.log.calls_with_unknown_outcome(&key(HOME)).await.unwrap(), expected[1..]);
}

/// The bytes stored under a hash never change.
pub async fn a_blob_is_kept_as_it_was_first_given(stores: StoreFixture) {
    let (digest, a) = (Digest::new("b1"), session_id("a"));
    for (seq, bytes) in [(0, vec![1]), (1, vec![2])] {
        let mut kept = if seq == 0 { begun(HOME, "a") } else { next(HOME, seq) };
        kept.blobs = vec![ContentBlob { digest: digest.clone(), bytes }];
        commit(&stores, kept).await;
    }
    assert_eq!(stores.log.blob(&key(HOME), &a, &digest).await.unwrap(), Some(vec![1]));
    assert_eq!(stores.log.blob(&key(HOME), &a, &Digest::new("b2")).await.unwrap(), None);
}

/// The blob of a prefix goes with the last session that names it at the earliest, and no other blob goes with a session.
pub async fn a_prefix_stays_while_a_session_names_it(stores: StoreFixture) {
    let (prefix, other) = (Digest::new("p1"), Digest::new("b1"));
    let blob = |digest: &Digest, bytes: &[u8]| ContentBlob { digest: digest.clone(), bytes: bytes.to_vec() };
    let mut made = begun(HOME, "a");
    made.sessions.push((session(HOME, "b", 1), None));
    made.blobs = vec![blob(&prefix, b"prefix"), blob(&other, b"other")];
    made.prefixes = ["a", "b"].map(|stem| (session_id(stem), prefix.clone())).to_vec();
    commit(&stores, made).await;
    let mut deletion = next(HOME, 1);
    deletion.deleted = vec![(session_id("a"), 1)];
    commit(&stores, deletion).await;
    for (digest, bytes) in [(&prefix, b"prefix".to_vec()), (&other, b"other".to_vec())] {
        let found = stores.log.blob(&key(HOME), &session_id("b"), digest).await.unwrap();
        assert_eq!(found, Some(bytes), "{digest}");
    }
}

fn lists() -> entracte_application::ports::WorkspaceCommit {
    let mut made = first(HOME);
    for (stem, waiting, standing, last_activity) in [
        ("ended-early", false, Standing::Ended, 1),
        // The end of the session is not marked as seen yet.
        ("unseen", true, Standing::Ended, 0),
        ("waits-early", true, Standing::Parked, 2),
        ("open-early", false, Standing::Open, 3),
        ("ended-late", false, Standing::Ended, 9),
        ("works-late", false, Standing::Active, 8),
        ("waits-late", true, Standing::Active, 4),
    ] {
        let mut row = session(HOME, stem, 1);
        row.waiting = waiting;
        row.working = standing == Standing::Active && !waiting;
        row.standing = standing;
        row.end_reason = (standing == Standing::Ended).then_some(EndReason::Completed);
        row.last_activity = Timestamp(last_activity);
        made.sessions.push((row, None));
    }
    made
}

fn stems(rows: &[SessionRow]) -> Vec<String> {
    rows.iter().map(|row| row.id.stem().to_owned()).collect()
}

/// Of one workspace or of all: sessions by phase, and how much of them waits for a person.
pub async fn a_census_counts_phases_and_what_waits(stores: StoreFixture) {
    let of =
        |workspace: Option<&str>| SessionFilter { workspace: workspace.map(key), ..SessionFilter::default() };
    assert_eq!(stores.log.session_statistics(&of(None)).await.unwrap(), SessionStatistics::default());
    let mut waits = begun(HOME, "a");
    (waits.sessions[0].0.waiting, waits.sessions[0].0.phase) = (true, PhaseLabel::WaitingValidation);
    let asked = CallRow { state: LedgerState::WaitingDecision, ..call("a", 1, 0) };
    let lost = CallRow { state: LedgerState::Unknown, ..call("a", 1, 1) };
    waits.calls = vec![asked, lost, call("a", 1, 2)];
    let since = waits.sessions[0].0.last_activity;
    commit(&stores, waits).await;
    commit(&stores, begun("bob:work", "b")).await;

    let here = stores.log.session_statistics(&of(Some(HOME))).await.unwrap();
    assert_eq!(here.phases, [("WAITING_VALIDATION".to_owned(), 1)].into());
    assert_eq!((here.waits_since, here.approvals_open, here.unknown_outcomes), (Some(since), 1, 1));
    let there = stores.log.session_statistics(&of(Some("bob:work"))).await.unwrap();
    assert_eq!((there.waits_since, there.approvals_open, there.unknown_outcomes), (None, 0, 0));
    let all = stores.log.session_statistics(&of(None)).await.unwrap();
    assert_eq!((all.phases.values().sum::<u64>(), all.approvals_open), (2, 1));
    assert_eq!(
        stores.log.session_statistics(&of(Some("eve:none"))).await.unwrap(),
        SessionStatistics::default()
    );
}
