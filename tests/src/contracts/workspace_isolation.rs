//! Workspace isolation: rows that no store port may find, and no commit may change, from another workspace.

use entracte_application::instructions::InstructionScope;
use entracte_application::ports::ChangeKind;
use entracte_application::ports::{
    CommitError, ContentBlob, DeletionRow, ResourceChange, ResourceChangeRow, ResourceFilter, ResourceRow,
    SessionFilter, StoreError,
};
use entracte_domain::id::{CallId, Digest, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::automation_reader::{automation, occurrence};
use super::instructions::version;
use super::rows::{HOME, begun, call, entry, key, next, resource, session, session_id};
use super::store::{commit, conflict, receipt, refused};

const OTHER: &str = "eve:other";

/// A home workspace with one of everything that has an id, and another workspace with a session of its own.
async fn two_workspaces(stores: &StoreFixture) {
    let mut home = begun(HOME, "a");
    home.log[0].client_key = Some("k1".to_owned());
    home.calls = vec![call("a", 1, 0), call("a", 1, 1)];
    home.calls[0].state = LedgerState::Unknown;
    home.calls[1].id = CallId::new("by-hand");
    home.blobs = vec![ContentBlob { digest: Digest::new("b1"), bytes: vec![1] }];
    home.resources = vec![ResourceChange::Create(resource("zone", "z1"))];
    let (author, body) = ("ann".to_owned(), b"gone".to_vec());
    home.deletions = vec![(DeletionRow { session: session_id("gone"), at: Timestamp(3), author, body }, 9)];
    home.automations = vec![(automation("a", 1), None)];
    home.instructions = scopes().iter().map(|scope| (version(scope, 1), 0)).collect();
    home.occurrences = vec![occurrence("a", 5, None)];
    home.receipts = vec![(receipt("k1", 5), Timestamp(0))];
    let zone = ("zone".to_owned(), "z1".to_owned());
    home.changes = vec![(
        ResourceChangeRow {
            seq: 2,
            kind: ChangeKind::Resource(zone.0),
            id: zone.1,
            revision: Some(1),
            gone: false,
        },
        9,
    )];
    home.workspace.seq = 2;
    commit(stores, home).await;
    commit(stores, begun(OTHER, "b")).await;
}

/// The instruction scopes of the home workspace.
fn scopes() -> [InstructionScope; 3] {
    [
        InstructionScope::Workspace,
        InstructionScope::Automation(automation("a", 1).id),
        InstructionScope::Session(session_id("a")),
    ]
}

/// Everything a workspace finds under the ids of the home workspace.
async fn found(stores: &StoreFixture, from: &WorkspaceKey) -> Vec<String> {
    let (a, log) = (session_id("a"), &stores.log);
    let aut = automation("a", 1).id;
    let mut found = Vec::new();
    let mut note = |what: &str, is_there: bool| found.extend(is_there.then(|| what.to_owned()));
    note("session", stores.store.session(from, &a).await.unwrap().is_some());
    note("entries", !log.entries(from, &a, 0, 9).await.unwrap().is_empty());
    let of_all = log.entries_of_all(from, 0, 9).await.unwrap();
    note("entries of all", of_all.iter().any(|row| row.session == a));
    note("entries since", !log.entries_since(from, &a, 0, 9).await.unwrap().is_empty());
    note("client key", log.entry_by_client_key(from, &a, "k1").await.unwrap().is_some());
    note("calls", !log.calls(from, &a).await.unwrap().is_empty());
    note("call", log.call(from, &a.call_id(1, 0)).await.unwrap().is_some());
    note("call by hand", log.call(from, &CallId::new("by-hand")).await.unwrap().is_some());
    note("twins", !log.calls_with_command_id(from, &a, &Digest::new("d1"), 1).await.unwrap().is_empty());
    note("prefix", log.sessions_by_prefix(from, "ses_").await.unwrap().contains(&a));
    note("whole prefix", !log.sessions_by_prefix(from, "ses_a").await.unwrap().is_empty());
    note("unsettled", !log.calls_with_unknown_outcome(from).await.unwrap().is_empty());
    note("blob", log.blob(from, &a, &Digest::new("b1")).await.unwrap().is_some());
    let here = SessionFilter { workspace: Some(from.clone()), ..SessionFilter::default() };
    note("list", log.sessions(&here).await.unwrap().rows.iter().any(|row| row.id == a));
    note("lines", log.session_list(&here).await.unwrap().iter().any(|line| line.id == a));
    note("resource", stores.resources.resource(from, "zone", "z1").await.unwrap().is_some());
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    note("resources", !stores.resources.resources(from, &zones).await.unwrap().is_empty());
    note("count of resources", stores.resources.count(from, &zones).await.unwrap() > 0);
    note("versions of resources", !stores.resources.versions(from, &zones).await.unwrap().is_empty());
    note("automation", stores.automations.automation(from, &aut).await.unwrap().is_some());
    note("automations", !stores.automations.automations(from).await.unwrap().is_empty());
    note("receipt", !stores.store.receipts(from, &[receipt("k1", 5).key]).await.unwrap().is_empty());
    note("changes", !log.changes(from, 0, 9).await.unwrap().is_empty());
    note("deletions", !log.deletions(from, 9).await.unwrap().is_empty());
    note("instructions", !log.instructions(from, &scopes()).await.unwrap().is_empty());
    for scope in scopes() {
        let versions = log.versions_of_instructions(from, &scope, None, 9).await.unwrap();
        note("versions of instructions", !versions.is_empty());
    }
    note("occurrences", !stores.automations.occurrences(from, &aut, None, 9).await.unwrap().is_empty());
    found
}

/// By complete ids and by prefixes; within its own workspace each is found.
pub async fn what_another_workspace_has_is_not_found(stores: StoreFixture) {
    two_workspaces(&stores).await;
    assert_eq!(found(&stores, &key(HOME)).await.len(), 29);
    for from in [OTHER, "eve:never-committed-to"] {
        assert_eq!(found(&stores, &key(from)).await, Vec::<String>::new(), "{from}");
    }
}

/// An id belongs to one session in the whole store, and nothing else about it is revealed.
pub async fn an_id_is_taken_for_all_workspaces(stores: StoreFixture) {
    two_workspaces(&stores).await;
    assert!(stores.store.session_id_exists(&session_id("a")).await.unwrap());
    assert!(!stores.store.session_id_exists(&session_id("c")).await.unwrap());
    let mut second = next(OTHER, 1);
    second.sessions = vec![(session(OTHER, "a", 1), None)];
    conflict(&stores, second).await;
    assert_eq!(stores.store.session(&key(OTHER), &session_id("a")).await.unwrap(), None);
}

/// The refusal does not reveal the versions of the other workspace's rows.
pub async fn a_commit_changes_nothing_of_another_workspace(stores: StoreFixture) {
    two_workspaces(&stores).await;
    let before = (
        stores.store.session(&key(HOME), &session_id("a")).await.unwrap(),
        stores.automations.automations(&key(HOME)).await.unwrap(),
    );

    let mut changes = next(OTHER, 1);
    changes.sessions = vec![(session(OTHER, "a", 2), Some(1))];
    conflict(&stores, changes).await;
    let mut deletes = next(OTHER, 1);
    deletes.deleted = vec![(session_id("a"), 1)];
    conflict(&stores, deletes).await;
    let mut changes = next(OTHER, 1);
    let row = automation("a", 2);
    changes.automations =
        vec![(entracte_application::ports::AutomationRow { workspace: key(OTHER), ..row }, Some(1))];
    conflict(&stores, changes).await;
    let mut deletes = next(OTHER, 1);
    deletes.deleted_automations = vec![(automation("a", 1).id, 1)];
    conflict(&stores, deletes).await;

    let mut says = next(OTHER, 1);
    says.workspace.seq = 2;
    says.log = vec![entry("a", 2, 2)];
    refused(&stores, says).await;
    let mut asks = next(OTHER, 1);
    asks.calls = vec![call("a", 1, 0)];
    refused(&stores, asks).await;
    let mut updates = next(OTHER, 1);
    let row = ResourceRow { version: 2, ..resource("zone", "z1") };
    updates.resources = vec![ResourceChange::Update { row, expected: 1 }];
    conflict(&stores, updates).await;

    let after = (
        stores.store.session(&key(HOME), &session_id("a")).await.unwrap(),
        stores.automations.automations(&key(HOME)).await.unwrap(),
    );
    assert_eq!(after, before);
    assert_eq!(found(&stores, &key(HOME)).await.len(), 29);
}

/// A number is valid only in the workspace for which the mail was posted.
pub async fn mail_of_another_workspace_is_neither_answered_nor_taken_back(stores: StoreFixture) {
    two_workspaces(&stores).await;
    let (mail, other) = (&stores.mail, &key(OTHER));
    let id = mail.post(&key(HOME), b"approve".to_vec(), Timestamp(1)).await.unwrap();
    mail.answer_refused(other, id, b"no".to_vec()).await.unwrap();
    mail.withdraw(other, id).await.unwrap();
    let mut answers = next(OTHER, 1);
    answers.answers = vec![(id, b"done".to_vec())];
    let answered = stores.store.commit(answers).await;
    assert!(matches!(
        answered,
        Err(CommitError::Conflict(_) | CommitError::Store(StoreError::Inconsistent(_)))
    ));
    assert_eq!(mail.unanswered().await.unwrap().len(), 1);

    mail.answer_refused(&key(HOME), id, b"yes".to_vec()).await.unwrap();
    assert_eq!(mail.answer(&key(HOME), id).await.unwrap(), Some(b"yes".to_vec()));
    assert_eq!(mail.answer(other, id).await.unwrap(), None);
}
