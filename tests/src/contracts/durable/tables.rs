//! Commits that touch every table, and the number of them in each table: an atomic store has the same number in all.

use std::collections::BTreeMap;

use entracte_application::instructions::InstructionScope;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    AssignmentRow, AttemptCostRow, AutomationRow, ChangeKind, CommitError, ContentBlob, CostFilter,
    CostSumBy, DeletionRow, MailId, OccurrenceRow, ReceiptRow, ResourceChange, ResourceChangeRow,
    ResourceFilter, SnoozeRow, TaskFilter, TriageChange, WorkspaceCommit,
};
use entracte_domain::id::{AutomationId, Digest, RoundAttempt, SessionId};
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::super::StoreFixture;
use super::super::inbox_triage::{assignment, snooze};
use super::super::instructions::version;
use super::super::rows::{HOME, call, entry, key, next, resource, session, session_id, workspace};
use super::super::task_reader::{arrival, task};

/// Posts the mail of a commit, and commits.
///
/// # Errors
/// The error of the commit.
pub async fn commit_numbered(stores: &StoreFixture, number: u64) -> Result<(), CommitError> {
    let commit = commit_number(stores, number).await;
    stores.store.commit(commit).await
}

/// The commit with this number, counted from 1, on top of those before it. Posts its mail, and takes back mail that was
/// posted for a commit that was never written.
pub async fn commit_number(stores: &StoreFixture, number: u64) -> WorkspaceCommit {
    for row in stores.mail.unanswered().await.expect("mail is read") {
        stores.mail.withdraw(&row.workspace, row.id).await.expect("it leaves the list");
    }
    let posted = stores.mail.post(&key(HOME), mail_body(number), Timestamp(1)).await;
    every_table(number, posted.unwrap_or_else(|error| panic!("mail is posted: {error}")))
}

/// A commit that writes to every table and takes in the mail.
pub fn every_table(number: u64, mail: MailId) -> WorkspaceCommit {
    let (before, at) = (number - 1, Timestamp(number.cast_signed()));
    let seq = before * 2;
    let session_row = session(HOME, "a", number);
    let going = (before > 0).then(|| (session_id(&format!("gone{before}")), 1));
    let automation = AutomationRow {
        id: automation(number),
        workspace: key(HOME),
        seed: session_id("seed"),
        name: format!("Automation {number}"),
        next_at: Some(at),
        revision: 1,
        body: format!("automation {number}").into_bytes(),
    };
    let occurrence = OccurrenceRow {
        automation: automation.id.clone(),
        workspace: key(HOME),
        at,
        outcome: "ran".to_owned(),
        session: None,
        decided_at: at,
        body: b"occurrence".to_vec(),
    };
    WorkspaceCommit {
        workspace: workspace(HOME, seq + 2),
        expected_seq: (before > 0).then_some(seq),
        sessions: vec![
            (session_row, (before > 0).then_some(before)),
            (session(HOME, &format!("gone{number}"), 1), None),
        ],
        log: vec![entry("a", seq + 1, number)],
        calls: vec![call("a", number, 0)],
        resources: vec![ResourceChange::Create(resource("zone", &format!("z{number}")))],
        blobs: vec![ContentBlob { digest: blob(number), bytes: number.to_le_bytes().to_vec() }],
        prefixes: vec![(session_id("a"), blob(number))],
        answers: vec![(mail, b"done".to_vec())],
        deleted: going.into_iter().collect(),
        automations: vec![(automation, None)],
        occurrences: vec![occurrence],
        deleted_automations: (before > 0).then(|| (self::automation(before), 1)).into_iter().collect(),
        deletions: vec![(deletion(number), 0)],
        receipts: vec![(receipt(number), Timestamp(0))],
        changes: vec![(change(seq + 2), 0)],
        instructions: vec![(version(&InstructionScope::Workspace, number), 0)],
        tasks: vec![task(&format!("tsk_{number}"), TaskState::Running, None)],
        arrivals: vec![arrival(&format!("tsk_{number}"), "msg_1", 1)],
        costs: vec![attempt_cost(number)],
        triage: notes(number),
        ..next(HOME, seq)
    }
}

/// The number of commits if all tables agree.
///
/// # Errors
/// The number in each table, as text, if they differ.
pub async fn is_whole(stores: &StoreFixture) -> Result<u64, String> {
    let counts = counts(stores).await;
    let number = counts.values().copied().max().unwrap_or_default();
    match counts.values().all(|count| *count == number) {
        true => Ok(number),
        false => {
            Err(counts.iter().map(|(table, count)| format!("{table} {count}")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The number of commits in each table.
async fn counts(stores: &StoreFixture) -> BTreeMap<&'static str, u64> {
    let (home, a) = (key(HOME), session_id("a"));
    let most = u32::MAX;
    let row = stores.store.workspace(&home).await.expect("the workspace is read");
    let main = stores.store.session(&home, &a).await.expect("the session is read");
    let number = main.as_ref().map_or(0, |row| row.sequence);
    let entries = stores.log.entries(&home, &a, 0, most).await.expect("entries are read");
    let changes = stores.log.changes(&home, 0, most).await.expect("changes are read");
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    let resources = stores.resources.resources(&home, &zones).await.expect("resources are read");
    let automations = stores.automations.automations(&home).await.expect("automations are read");
    let deletions = stores.log.deletions(&home, most).await.expect("deletions are read");
    let keys: Vec<ReceiptKey> = (1..=number + 1).map(|number| receipt(number).key).collect();
    let receipts = stores.store.receipts(&home, &keys).await.expect("receipts are read");
    let scope = InstructionScope::Workspace;
    let instructions = stores.log.versions_of_instructions(&home, &scope, None, most).await;
    let mut counts = BTreeMap::from([
        ("workspaces", row.map_or(0, |row| row.seq / 2)),
        ("sessions", number),
        ("log", entries.len() as u64),
        ("calls", stores.log.calls(&home, &a).await.expect("calls are read").len() as u64),
        ("changes", changes.len() as u64),
        ("resources", resources.len() as u64),
        ("automations", automations.iter().map(|row| row.next_at.map_or(0, |at| at.0.unsigned_abs())).sum()),
        ("deletions", deletions.len() as u64),
        ("receipts", receipts.len() as u64),
        ("instructions", instructions.expect("instructions are read").len() as u64),
        ("costs", count_costs(stores).await),
    ]);
    for (table, found) in
        [("blobs", blobs(stores, number).await), ("occurrences", count_occurrences(stores, number).await)]
    {
        counts.insert(table, found);
    }
    counts.insert("deleted sessions", last_deleted_session(stores, number).await);
    counts.insert("answers", answered(stores, number).await);
    let tasks = stores.tasks.tasks(&home, TaskFilter::default()).await.expect("tasks are read");
    let mut told = 0;
    for row in &tasks {
        told += stores.tasks.arrivals(&home, &row.id).await.expect("arrivals are read").len() as u64;
    }
    let notes = stores.log.inbox_triage(&home).await.expect("notes are read");
    counts.insert("inbox_snoozes", notes.snoozes.len() as u64);
    counts.insert("inbox_assignments", notes.assignments.len() as u64);
    counts.insert("tasks", tasks.len() as u64);
    counts.insert("task_arrivals", told);
    counts
}

/// Reads one beyond the expected number, so that a surplus is found too.
async fn blobs(stores: &StoreFixture, number: u64) -> u64 {
    let mut found = 0;
    for number in 1..=number + 1 {
        let here = stores.log.blob(&key(HOME), &session_id("a"), &blob(number)).await;
        found += u64::from(here.expect("blobs are read").is_some());
    }
    found
}

async fn count_costs(stores: &StoreFixture) -> u64 {
    let all = CostFilter::new(key(HOME), CostSumBy::Everything, 9);
    let page = stores.log.cost_sums(&all).await.expect("costs are read");
    page.sums.first().map_or(0, |sum| sum.attempts)
}

async fn count_occurrences(stores: &StoreFixture, number: u64) -> u64 {
    let mut found = 0;
    for number in 1..=number + 1 {
        let here = stores.automations.occurrences(&key(HOME), &automation(number), None, 9).await;
        found += here.expect("occurrences are read").len() as u64;
    }
    found
}

/// The number of the one session that the next commit deletes.
async fn last_deleted_session(stores: &StoreFixture, number: u64) -> u64 {
    let mut last = 0;
    for number in 1..=number + 1 {
        let here = stores.store.session_id_exists(&session_id(&format!("gone{number}"))).await;
        last += if here.expect("sessions are read") { number } else { 0 };
    }
    last
}

/// Mail is answered by the commit that took it in, so that of the last one waits only when nothing of it is there.
async fn answered(stores: &StoreFixture, number: u64) -> u64 {
    let waiting = stores.mail.unanswered().await.expect("mail is read");
    let late = (1..=number).filter(|number| waiting.iter().any(|row| row.body == mail_body(*number)));
    number - late.count() as u64
}

/// Everything of the workspace, as text.
pub async fn shown(stores: &StoreFixture) -> String {
    let (home, a) = (key(HOME), session_id("a"));
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    let number = stores.store.session(&home, &a).await.ok().flatten().map_or(0, |row| row.sequence);
    let keys: Vec<ReceiptKey> = (1..=number).map(|number| receipt(number).key).collect();
    let parts = [
        format!("{:?}", stores.store.workspaces().await),
        format!("{:?}", stores.store.session(&home, &a).await),
        format!("{:?}", stores.store.due(Timestamp(i64::MAX)).await),
        format!("{:?}", stores.log.entries(&home, &a, 0, u32::MAX).await),
        format!("{:?}", stores.log.calls(&home, &a).await),
        format!("{:?}", stores.log.changes(&home, 0, u32::MAX).await),
        format!("{:?}", stores.log.deletions(&home, u32::MAX).await),
        format!("{:?}", stores.resources.resources(&home, &zones).await),
        format!("{:?}", stores.automations.automations(&home).await),
        format!("{:?}", stores.automations.occurrences(&home, &automation(number), None, 9).await),
        format!("{:?}", stores.store.receipts(&home, &keys).await),
        format!("{:?}", stores.mail.unanswered().await),
        format!("{:?}", is_whole(stores).await),
    ];
    super::super::readable::readable(&parts.join("\n"))
}

fn mail_body(number: u64) -> Vec<u8> {
    format!("mail {number}").into_bytes()
}

fn automation(number: u64) -> AutomationId {
    AutomationId::new(format!("aut_{number}"))
}

fn blob(number: u64) -> Digest {
    Digest::new(format!("blob-{number}"))
}

fn receipt(number: u64) -> ReceiptRow {
    ReceiptRow {
        key: ReceiptKey { person: "per_ann".to_owned(), key: format!("k{number}") },
        fingerprint: Digest::new("f"),
        answer: b"answer".to_vec(),
        created_at: Timestamp(number.cast_signed()),
    }
}

/// The attempt of the round with this number.
fn attempt_cost(number: u64) -> AttemptCostRow {
    AttemptCostRow {
        session: session_id("a"),
        number: RoundAttempt { round: u32::try_from(number).unwrap_or(u32::MAX), attempt: 1 },
        at: Timestamp(number.cast_signed()),
        automation: None,
        provider: "clerk".to_owned(),
        model: "clerk-1".to_owned(),
        person: "ann".to_owned(),
        commands: "zones.list".to_owned(),
        usage: Usage { input: number, ..Usage::default() },
        reservation: None,
    }
}

/// A snooze and an assignment of the item with this number.
fn notes(number: u64) -> Vec<TriageChange> {
    let item = format!("question:{number}");
    vec![
        TriageChange::Snooze(SnoozeRow { item: item.clone(), ..snooze("a", "ann", 10) }),
        TriageChange::Assign(AssignmentRow { item, ..assignment("a", "bob") }),
    ]
}

fn deletion(number: u64) -> DeletionRow {
    DeletionRow {
        session: SessionId::new(format!("ses_deleted{number}")),
        at: Timestamp(number.cast_signed()),
        author: "ann".to_owned(),
        body: b"record".to_vec(),
    }
}

fn change(seq: u64) -> ResourceChangeRow {
    ResourceChangeRow {
        seq,
        kind: ChangeKind::Resource("zone".to_owned()),
        id: "z".to_owned(),
        revision: None,
        gone: false,
    }
}
