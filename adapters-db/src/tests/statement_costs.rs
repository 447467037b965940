//! Costs of commits and queries: numbers of statements, and their indexes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use diesel::connection::{Instrumentation, InstrumentationEvent, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use entracte_application::ports::{
    AttemptCostRow, CallRow, CostFilter, CostSumBy, ResourceFilter, SessionCursor, SessionFilter,
    SessionPageFilter, SessionPageOf, SessionPageOrder, WaitCondition, WorkspaceCommit,
};
use entracte_domain::command::CommandKind;
use entracte_domain::id::{CallId, Digest, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::PhaseLabel;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::{begun, input, open, place};
use crate::connection::{ConnectionRole, DbConnection};
use crate::copy::TABLES;
use crate::dialect::{self, sqlite};
use crate::prepared_statements;
use crate::queries::{
    automations, calls, census, cost_sums, libraries, log, mail, resources, session_pages, sessions, tasks,
    terms, workspaces,
};
use crate::writer::WriteJob;

/// The observed activity of a connection, as statement texts.
#[derive(Debug, Default)]
pub(crate) struct StatementTrace {
    /// Statements that ran.
    pub(crate) run: Vec<String>,
    /// Statements whose text was rendered to find the prepared one, because they have no name.
    pub(crate) nameless: Vec<String>,
    /// Statements that were prepared and cached.
    pub(crate) kept: Vec<String>,
}

/// The statements that `work` runs.
fn statements(conn: &mut DbConnection, work: impl FnOnce(&mut DbConnection)) -> Vec<String> {
    seen(conn, work).run
}

/// The activity of the connection during `work`.
fn seen(conn: &mut DbConnection, work: impl FnOnce(&mut DbConnection)) -> StatementTrace {
    let seen = Arc::new(Mutex::new(StatementTrace::default()));
    conn.set_instrumentation(recorder(Arc::clone(&seen)));
    work(conn);
    conn.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    let mut seen = seen.lock().expect("nobody panicked");
    std::mem::take(&mut *seen)
}

pub(crate) fn recorder(seen: Arc<Mutex<StatementTrace>>) -> impl Instrumentation {
    move |event: InstrumentationEvent<'_>| {
        let mut seen = seen.lock().expect("nobody panicked");
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                let looks = prepared_statements::LOOKS.get();
                let text = query.to_string();
                let text = text.split(" -- binds").next().unwrap_or_default().to_owned();
                if prepared_statements::LOOKS.get() == looks {
                    seen.nameless.push(text.clone());
                }
                seen.run.push(text);
            }
            InstrumentationEvent::CacheQuery { sql, .. } => seen.kept.push(sql.to_owned()),
            _ => {}
        }
    }
}

/// SQLite's query plan for the queries of `work`.
pub(super) fn plan(work: impl FnOnce(&mut DbConnection)) -> Vec<String> {
    #[derive(QueryableByName)]
    struct QueryPlanRow {
        #[diesel(sql_type = Text)]
        detail: String,
    }
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    begun("a").run(&mut conn).expect("it is written");
    let questions = statements(&mut conn, work);
    assert!(!questions.is_empty(), "nothing was asked");
    let DbConnection::Sqlite(conn) = &mut conn else { panic!("a file is of SQLite") };
    let explain = |sql: &String| sql_query(format!("EXPLAIN QUERY PLAN {sql}")).load::<QueryPlanRow>(conn);
    questions.iter().flat_map(explain).flatten().map(|step| step.detail).collect()
}

/// Working sessions: few, whatever the number of sessions.
const AT_WORK: &str = "USING INDEX sessions_working";

/// The keys of workspaces, on few pages.
const KEYS: &str = "USING COVERING INDEX sqlite_autoindex_workspaces_1";

/// Asserts that every step of the plan uses a key, and one of them `index`.
fn check(index: &str, work: impl FnOnce(&mut DbConnection)) {
    let plan = plan(work);
    let by_index = |step: &String| [index, AT_WORK, KEYS].iter().any(|index| step.contains(index));
    let slow = |step: &String| step.contains("TEMP B-TREE") || (step.starts_with("SCAN") && !by_index(step));
    assert!(!plan.iter().any(slow), "{plan:#?}");
    assert!(plan.iter().any(|step| step.contains(index)), "{index} is not used: {plan:#?}");
}

fn call(session: &SessionId) -> CallRow {
    CallRow {
        id: session.call_id(2, 0),
        session: session.clone(),
        sequence: 2,
        ordinal: 0,
        command: "tool_data.get".to_owned(),
        command_id: Digest::new("d"),
        kind: CommandKind::Query,
        state: LedgerState::Started,
        attempt: 1,
        exchange: 1,
        requested_at: Timestamp(1),
        finished_at: None,
        result_seq: None,
        body: vec![4],
    }
}

/// The commit that follows this one: the same rows with the next numbers.
fn next(commit: &WorkspaceCommit) -> WorkspaceCommit {
    let mut next = commit.clone();
    next.expected_seq = Some(next.workspace.seq);
    next.workspace.seq += 1;
    for (row, expected) in &mut next.sessions {
        *expected = Some(row.sequence);
        row.sequence += 1;
    }
    for row in &mut next.log {
        row.seq += 1;
        row.sequence += 1;
    }
    next
}

fn key() -> WorkspaceKey {
    WorkspaceKey::new("ann:a")
}

fn session() -> SessionId {
    SessionId::new("ses_a")
}

#[test]
fn commit_with_one_call_costs_six_statements() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    begun("a").run(&mut conn).expect("it is written");
    let mut commit = input("a");
    commit.calls = vec![call(&session())];
    let mut verbs = |commit: &WorkspaceCommit| -> Vec<String> {
        let seen = statements(&mut conn, |conn| commit.run(conn).expect("it is written"));
        seen.iter().map(|sql| sql.split(' ').take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    let each = [
        "SELECT `workspaces`.`workspace_id` FROM",
        "UPDATE `workspaces` SET",
        "SELECT `sessions`.`session_id`, `sessions`.`name`",
        "UPDATE `sessions` SET",
        "INSERT INTO `log`",
    ];
    assert_eq!(verbs(&commit), [&each[..], &["INSERT INTO `calls`"]].concat());
    assert_eq!(verbs(&next(&commit)), [&each[..], &["UPDATE `calls` SET"]].concat());
}

/// The commits of a round in a long session: the model's reply with a call that starts, then its result. `number`
/// counts the earlier commits.
fn half_a_round(number: u64) -> WorkspaceCommit {
    let (seq, is_answer) = (number + 2, number % 2 == 1);
    let mut commit = input("a");
    commit.workspace.seq = seq;
    commit.expected_seq = Some(seq - 1);
    let (row, expected) = &mut commit.sessions[0];
    (row.sequence, *expected) = (seq, Some(seq - 1));
    row.phase = if is_answer { PhaseLabel::CallingAi } else { PhaseLabel::ExecutingActions };
    row.last_activity = Timestamp(seq.cast_signed());
    row.wake_at = Some(Timestamp(seq.cast_signed() + 900));
    row.body = vec![b'x'; 2_000];
    commit.log[0].seq = seq;
    commit.log[0].sequence = seq;
    commit.log[0].body = vec![b'x'; 600];
    let asked_at = seq - u64::from(is_answer);
    let number = RoundAttempt { round: u32::try_from(number / 2).expect("few"), attempt: 1 };
    commit.costs = vec![AttemptCostRow {
        session: session(),
        number,
        at: Timestamp(seq.cast_signed()),
        automation: None,
        provider: "claude".to_owned(),
        model: "claude-opus-4-8".to_owned(),
        person: "ann".to_owned(),
        commands: String::new(),
        usage: Usage { input: 9_000, output: seq, ..Usage::default() },
        reservation: None,
    }];
    commit.calls = vec![CallRow {
        id: session().call_id(asked_at, 0),
        sequence: asked_at,
        state: if is_answer { LedgerState::Succeeded } else { LedgerState::Started },
        body: vec![b'x'; 300],
        ..call(&session())
    }];
    commit
}

/// Preparing a statement costs more than running it; so does rendering its text to find the prepared one.
#[test]
fn no_statement_of_a_commit_is_prepared_twice() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let write = |conn: &mut DbConnection, number| {
        dialect::begin(conn).expect("it begins");
        half_a_round(number).run(conn).expect("it is written");
        dialect::commit(conn).expect("it is committed");
    };
    let first = seen(&mut conn, |conn| {
        begun("a").run(conn).expect("it is written");
        (0..2).for_each(|number| write(conn, number));
    });
    let later = seen(&mut conn, |conn| (2..20).for_each(|number| write(conn, number)));
    let anew: Vec<&String> = later.run.iter().filter(|text| !first.kept.contains(text)).collect();
    assert_eq!((anew, &later.kept), (vec![], &vec![]), "they are prepared once, and kept");
    assert_eq!(later.nameless, Vec::<String>::new(), "they are found by their names");
}

/// A document has hundreds of terms, each counted by its own statement.
#[test]
fn document_terms_are_counted_by_cached_statements() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let library = libraries::begin_revision(&mut conn, &key()).expect("it is made").0;
    let count = |conn: &mut DbConnection, number: i64| {
        let words = BTreeMap::from([("harbour".to_owned(), 1), (format!("ship{number}"), 2)]);
        dialect::count_terms(conn, library, &words).expect("they are counted");
    };
    let first = seen(&mut conn, |conn| count(conn, 0));
    let later = seen(&mut conn, |conn| (1..5).for_each(|number| count(conn, number)));
    let anew: Vec<&String> = later.run.iter().filter(|text| !first.kept.contains(text)).collect();
    assert_eq!((anew, &later.kept), (vec![], &vec![]), "they are prepared once, and kept");
    let asked = ["harbour".to_owned(), "ship4".to_owned()];
    let found = terms::frequencies(&mut conn, &key(), &asked).expect("they are read");
    assert_eq!(found.iter().map(|(_, chunks)| *chunks).collect::<Vec<_>>(), [5, 2]);
}

/// SQLite builds an in-memory table to return changed rows, and to search a value in a list.
#[test]
fn commit_statements_build_no_table_in_memory() {
    #[derive(QueryableByName)]
    struct OpcodeRow {
        #[diesel(sql_type = Text)]
        opcode: String,
    }
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    begun("a").run(&mut conn).expect("it is written");
    let round = |conn: &mut DbConnection| {
        (0..2).for_each(|number| half_a_round(number).run(conn).expect("it is written"));
    };
    let statements = statements(&mut conn, round);
    let DbConnection::Sqlite(conn) = &mut conn else { panic!("a file is of SQLite") };
    for statement in statements {
        let explain = sql_query(format!("EXPLAIN {statement}"));
        let operations = explain.load::<OpcodeRow>(conn).expect("it is explained");
        assert!(!operations.iter().any(|operation| operation.opcode == "OpenEphemeral"), "{statement}");
    }
}

/// Number of pages in a file's log, each with a header of 24 bytes, after a file header of 32 bytes.
fn pages_in_log(path: &std::path::Path) -> u64 {
    let log = format!("{}-wal", path.display());
    (std::fs::metadata(log).expect("it is there").len() - 32) / (4096 + 24)
}

/// Pages that a commit syncs: six for its rows (workspace, session, entry with its index, call, attempt), and more
/// because pages fill up. A file that gives space back has a map of its pages, of which a new page changes one.
#[test]
fn pages_per_commit() {
    const COMMITS: u64 = 400;
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    conn.batch_execute("PRAGMA wal_autocheckpoint = 0").expect("nothing is put into the file meanwhile");
    begun("a").run(&mut conn).expect("it is written");
    let before = pages_in_log(&path);
    for number in 0..COMMITS {
        dialect::begin(&mut conn).expect("it begins");
        half_a_round(number).run(&mut conn).expect("it is written");
        dialect::commit(&mut conn).expect("it is committed");
    }
    let pages = pages_in_log(&path) - before;
    assert!(10 * pages <= 71 * COMMITS, "{:.2} pages a commit", pages as f64 / COMMITS as f64);
}

#[test]
fn the_lists_of_sessions_are_served_by_indexes() {
    let of_home = SessionFilter { workspace: Some(key()), ..SessionFilter::default() };
    let ask = |filter: SessionFilter| {
        move |conn: &mut DbConnection| drop(sessions::list(conn, &filter).expect("it is read"))
    };
    check("sessions_list", ask(of_home.clone()));
    check("sessions_list", ask(SessionFilter { open: true, limit: 5, ..of_home.clone() }));
    check("sessions_", ask(SessionFilter { waiting: true, ..of_home.clone() }));
    let lines = |conn: &mut DbConnection| drop(sessions::lines(conn, &of_home).expect("it is read"));
    check("sessions_list", lines);
}

/// Input: one waiting session, among many workspaces and among few; expected: it is listed with its own workspace's
/// key. Among many, keys are looked up one by one.
#[test]
fn a_line_has_the_key_of_its_workspace() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let mut write = |commit: WorkspaceCommit| commit.run(&mut conn).expect("it is written");
    for number in 0..40 {
        let mut commit = begun(&format!("w{number}"));
        let (row, _) = &mut commit.sessions[0];
        (row.working, row.waiting) = (false, number == 7);
        write(commit);
    }
    let mut listed = |filter: SessionFilter, looks_up: bool| -> Vec<(String, String)> {
        let mut found = Vec::new();
        let seen = statements(&mut conn, |conn| found = sessions::lines(conn, &filter).expect("it is read"));
        assert_eq!(seen.last().is_some_and(|last| last.contains(" IN (")), looks_up, "{seen:#?}");
        found.iter().map(|line| (line.id.to_string(), line.workspace.to_string())).collect()
    };
    let expected = ("ses_w7".to_owned(), "ann:w7".to_owned());
    let waiting = SessionFilter { waiting: true, ..SessionFilter::default() };
    assert_eq!(listed(waiting.clone(), true), std::slice::from_ref(&expected));
    let workspace = Some(WorkspaceKey::new("ann:w7"));
    assert_eq!(
        listed(SessionFilter { workspace, ..waiting.clone() }, false),
        std::slice::from_ref(&expected)
    );
    let nowhere = Some(WorkspaceKey::new("bob:w7"));
    assert_eq!(listed(SessionFilter { workspace: nowhere, ..waiting }, false), []);
    let open = listed(SessionFilter { open: true, ..SessionFilter::default() }, false);
    assert_eq!((open.len(), open.contains(&expected)), (40, true));
    assert!(open.iter().all(|(id, key)| id.strip_prefix("ses_") == key.strip_prefix("ann:")), "{open:?}");
}

#[test]
fn waiting_and_open_lists_use_covering_index() {
    let waiting = SessionFilter { waiting: true, ..SessionFilter::default() };
    let open = SessionFilter { open: true, ..SessionFilter::default() };
    let first_of = |filter: &SessionFilter| SessionFilter { limit: 5, ..filter.clone() };
    for filter in [first_of(&waiting), first_of(&open), waiting, open] {
        check("COVERING INDEX sessions_open", |conn| {
            sessions::lines(conn, &filter).expect("it is read");
        });
    }
}

#[test]
fn global_inbox_uses_its_partial_index() {
    let plan = plan(|conn| {
        let filter = SessionFilter { waiting: true, ..SessionFilter::default() };
        sessions::list(conn, &filter).expect("it is read");
    });
    assert!(plan.iter().any(|step| step.contains("sessions_open")), "{plan:#?}");
}

#[test]
fn startup_queries_use_partial_indexes() {
    let due = |conn: &mut DbConnection| drop(sessions::due(conn, Timestamp(5)).expect("it is read"));
    let steps = plan(due);
    assert!(steps.iter().any(|step| step.contains("sessions_working")), "{steps:#?}");
    assert!(steps.iter().any(|step| step.contains("sessions_due")), "{steps:#?}");
    let waiting =
        |conn: &mut DbConnection| drop(sessions::waiting(conn, WaitCondition::Slot).expect("it is read"));
    let steps = plan(waiting);
    assert!(steps.iter().any(|step| step.contains("sessions_placed")), "{steps:#?}");
}

#[test]
fn workspace_queries_use_workspace_indexes() {
    check("sessions_placed", |conn| drop(sessions::placed(conn, &key()).expect("it is read")));
    check("sessions_wake", |conn| {
        sessions::next_wake(conn, &key()).expect("it is read");
    });
    let due_in = |conn: &mut DbConnection| drop(sessions::due_in(conn, &key(), Timestamp(5)).expect("read"));
    check("sessions_wake (workspace_id=? AND wake_at>?)", due_in);
    check("sessions_working (workspace_id=?)", due_in);
}

#[test]
fn the_timer_reads_only_what_is_due() {
    let agenda = |conn: &mut DbConnection| drop(sessions::agenda(conn, Timestamp(5)).expect("it is read"));
    let scheduled =
        |conn: &mut DbConnection| drop(automations::due_agenda(conn, Timestamp(5)).expect("read"));
    let of_tasks = |conn: &mut DbConnection| drop(tasks::agenda(conn, Timestamp(5)).expect("read"));
    let plans = [
        (plan(agenda), "sessions_due (wake_at"),
        (plan(scheduled), "automations_due (next_at"),
        (plan(of_tasks), "tasks_due (wake_at"),
    ];
    for (steps, index) in plans {
        let searches = |sign: &str| {
            steps.iter().any(|step| step.starts_with("SEARCH") && step.contains(&format!("{index}{sign}?)")))
        };
        assert!(searches("<") && searches(">"), "what is due, and what is next: {steps:#?}");
        let scans = |step: &String| step.starts_with("SCAN") && !step.contains(AT_WORK);
        assert!(!steps.iter().any(scans), "{steps:#?}");
    }
}

#[test]
fn entries_are_served_by_indexes() {
    let behind = |after| {
        move |conn: &mut DbConnection| {
            drop(log::entries(conn, &key(), &session(), after, 9).expect("it is read"));
        }
    };
    check("log_sequence (session_id=? AND sequence>?)", behind(0));
    // An entry of the session, found by its number; and a number of another session's entry.
    check("USING INTEGER PRIMARY KEY (rowid=?)", behind(1));
    check("COVERING INDEX log_sequence (session_id=?)", behind(7));
    check("log_sequence", |conn| drop(log::since(conn, &key(), &session(), 0, 9).expect("it is read")));
    check("log_client_key", |conn| {
        drop(log::by_client_key(conn, &key(), &session(), "k").expect("it is read"))
    });
    check("USING INTEGER PRIMARY KEY (rowid=?)", |conn| {
        drop(log::entry(conn, &key(), 1).expect("it is read"))
    });
    check("USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", |conn| {
        drop(log::list_all_sessions(conn, &key(), 1, 9).expect("it is read"));
    });
}

#[test]
fn calls_are_served_by_indexes() {
    check("USING PRIMARY KEY", |conn| {
        drop(calls::list_for_session(conn, &key(), &session()).expect("it is read"))
    });
    check("calls_unknown", |conn| drop(calls::unsettled(conn, &key()).expect("it is read")));
    let twins = |conn: &mut DbConnection| {
        drop(calls::identical_calls(conn, &key(), &session(), &Digest::new("d"), 1))
    };
    check("USING PRIMARY KEY", twins);
}

#[test]
fn call_lookup_uses_its_key() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let mut commit = begun("a");
    commit.calls = vec![call(&session())];
    commit.run(&mut conn).expect("it is written");
    let id: CallId = session().call_id(2, 0);
    let seen = statements(&mut conn, |conn| drop(calls::find(conn, &key(), &id).expect("it is read")));
    assert_eq!(seen.len(), 1, "{seen:#?}");
}

/// Constant, whatever the number of sessions, because a monitoring system asks every few seconds. Rows are read for
/// working sessions only.
#[test]
fn a_census_is_five_statements_over_indexes() {
    let key = key();
    for (of, more) in [(None, 0), (Some(&key), 1)] {
        let ask = |conn: &mut DbConnection| drop(census::load_census(conn, of).expect("it is read"));
        let (_directory, path) = place();
        let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
        begun("a").run(&mut conn).expect("it is written");
        assert_eq!(statements(&mut conn, ask).len(), 5 + more, "{of:?}");
        let steps = plan(ask);
        for index in ["sessions_list", "calls_undecided", "calls_unknown"] {
            assert!(steps.iter().any(|step| step.contains(index)), "{index} is not used: {steps:#?}");
        }
        // A waiting call leads to its session by key; all other data is in indexes.
        let goes_by = ["USING COVERING INDEX", "USING INTEGER PRIMARY KEY", AT_WORK];
        let slow = |step: &String| {
            let reads = step.starts_with("SCAN") || step.starts_with("SEARCH");
            reads && !goes_by.iter().any(|by| step.contains(by))
        };
        assert!(!steps.iter().any(slow), "{steps:#?}");
    }
}

/// A case without a search of names, and with one that is too short for the index of names.
fn with_and_without_search<T: Copy>(case: T) -> [(T, Option<String>); 2] {
    [(case, None), (case, Some("wo".to_owned()))]
}

/// Each part of a page is a range of an index, in its order and up to its limit: no row beyond the page is read but those
/// of sessions at work. A search reads the same ranges.
#[test]
fn page_query_reads_only_its_rows() {
    let parts = [
        (SessionPageOf::All, "sessions_list (workspace_id=? AND rank=?", 3),
        (SessionPageOf::Open, "sessions_asking (workspace_id=?", 1),
        (SessionPageOf::Waiting, "sessions_list (workspace_id=? AND rank=?", 1),
        (SessionPageOf::Asking, "sessions_asking (workspace_id=?", 1),
        (SessionPageOf::Unseen, "sessions_unseen (workspace_id=?", 1),
    ];
    for order in [SessionPageOrder::LatestFirst, SessionPageOrder::EarliestFirst] {
        for after in [None, Some(SessionCursor("9 9".to_owned()))] {
            for ((of, index, times), sought) in parts.into_iter().flat_map(with_and_without_search) {
                let (is_range, after) = (after.is_some(), after.clone());
                let filter = SessionPageFilter { workspace: key(), of, order, after, limit: 9, sought };
                let steps = plan(|conn| drop(session_pages::page(conn, &filter).expect("it is read")));
                let used: Vec<_> = steps.iter().filter(|step| step.contains(index)).collect();
                assert_eq!(used.len(), times, "{of:?} {order:?}: {steps:#?}");
                let begins = |step: &&String| step.contains("AND last_activity");
                assert!(!is_range || used.iter().all(begins), "{of:?} {order:?}: {steps:#?}");
                let slow = |step: &String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
                assert!(!steps.iter().any(slow), "{of:?} {order:?}: {steps:#?}");
            }
        }
    }
}

/// Costs of a workspace, or of a session, are a range of their key. Sums of attempts and of rounds need no sorting.
#[test]
fn costs_are_served_by_their_key() {
    let read = |by: CostSumBy, of: Option<i64>| {
        let filter = CostFilter::new(key(), by, 9);
        plan(move |conn| {
            drop(
                cost_sums::sums(conn, cost_sums::CostRowsOf { workspace_id: 1, session_id: of }, &filter)
                    .expect("they are read"),
            )
        })
    };
    for by in [CostSumBy::Attempt, CostSumBy::Round, CostSumBy::Session, CostSumBy::Tree, CostSumBy::Model] {
        for (of, range) in [(None, "(workspace_id=?)"), (Some(1), "(workspace_id=? AND session_id=?)")] {
            let steps = read(by, of);
            let range = format!("SEARCH costs USING PRIMARY KEY {range}");
            assert!(steps.contains(&range), "{by:?}: {steps:#?}");
            let is_sorted = steps.iter().any(|step| step.contains("TEMP B-TREE FOR GROUP BY"));
            let is_by_key = matches!(by, CostSumBy::Attempt | CostSumBy::Round);
            assert!(!is_by_key || !is_sorted, "{by:?}: {steps:#?}");
        }
    }
}

#[test]
fn resources_and_mail_are_served_by_indexes() {
    let of_tool = ResourceFilter {
        kind: "entry".to_owned(),
        parent: Some("t1".to_owned()),
        from: Some(Timestamp(1)),
        ..ResourceFilter::default()
    };
    check("resources_list", |conn| drop(resources::list(conn, &key(), &of_tool).expect("it is read")));
    check("mail_unanswered", |conn| drop(mail::unanswered(conn).expect("it is read")));
}

#[test]
fn every_schema_column_exists_in_the_tables() {
    use crate::schema;
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Reader).expect("it opens");
    macro_rules! select {
        ($($table:ident),*) => { $( schema::$table::table.count().get_result::<i64>(&mut conn).expect("it is there");
            let seen = statements(&mut conn, |conn| {
                let nothing = schema::$table::table.select(schema::$table::all_columns).limit(0);
                nothing.execute(conn).expect("every column is there");
            });
            assert_eq!(seen.len(), 1); )* };
    }
    select!(workspaces, sessions, log, calls, blobs, resources, automations, occurrences, mail, owner);
    select!(libraries, documents, document_reads, chunks, terms, costs, uncounted_sessions, prefix_uses);
    select!(inbox_items, inbox_snoozes, inbox_assignments, files, file_uses, workers);
    let copied: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    let DbConnection::Sqlite(inner) = &mut conn else { panic!("a file is of SQLite") };
    let there = sqlite::tables(inner).expect("they are listed");
    let ours: Vec<&str> = there
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("_") && !name.starts_with("sqlite_"))
        // Every writer of a chunk or a name creates them again.
        .filter(|name| !name.starts_with("chunk_index") && !name.starts_with("session_name_index"))
        .collect();
    assert_eq!(ours.len(), copied.len(), "every table is copied with its database: {ours:?}, {copied:?}");
    assert!(ours.iter().all(|table| copied.contains(table)), "{ours:?}, {copied:?}");
    assert_eq!(workspaces::all(&mut conn).expect("it is read"), vec![]);
}
