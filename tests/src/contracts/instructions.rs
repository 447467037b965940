//! Contract of instructions.

use entracte_application::instructions::{InstructionScope, InstructionSource, InstructionVersion};
use entracte_application::ports::WorkspaceCommit;
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::automation_reader::automation;
use super::rows::{HOME, begun, first, key, next, session_id, workspace};
use super::store::{commit, conflict};

/// A sample version.
pub fn version(scope: &InstructionScope, version: u64) -> InstructionVersion {
    InstructionVersion {
        scope: scope.clone(),
        version,
        text: format!("You are Zoë, version {version}.\n\t<b>\u{1f9ea}"),
        digest: Digest::new(format!("d{version}")),
        author: "ann".to_owned(),
        source: InstructionSource::File("persona.md".to_owned()),
        at: Timestamp(7),
    }
}

/// A commit that writes these versions.
fn telling(keep: u32, rows: &[InstructionVersion]) -> WorkspaceCommit {
    WorkspaceCommit { instructions: rows.iter().map(|row| (row.clone(), keep)).collect(), ..next(HOME, 0) }
}

/// Each scope numbers its own versions; the oldest are removed, and a version that does not follow the latest is a
/// conflict.
pub async fn instructions_are_kept_in_versions(stores: StoreFixture) {
    let (home, everywhere) = (key(HOME), InstructionScope::Workspace);
    let own = InstructionScope::Session(session_id("a"));
    commit(&stores, first(HOME)).await;
    commit(&stores, telling(0, &[version(&everywhere, 1), version(&own, 1)])).await;
    commit(&stores, telling(0, &[version(&everywhere, 2), version(&everywhere, 3)])).await;
    let latest = |scopes: Vec<InstructionScope>| {
        let (log, home) = (stores.log.clone(), home.clone());
        async move { log.instructions(&home, &scopes).await.unwrap() }
    };
    assert_eq!(
        latest(vec![everywhere.clone(), InstructionScope::Session(session_id("b")), own.clone()]).await,
        [version(&everywhere, 3), version(&own, 1)]
    );
    assert_eq!(latest(Vec::new()).await, []);

    let versions = |before, limit| stores.log.versions_of_instructions(&home, &everywhere, before, limit);
    let all: Vec<InstructionVersion> = (1..=3).rev().map(|number| version(&everywhere, number)).collect();
    assert_eq!(versions(None, 9).await.unwrap(), all);
    assert_eq!(versions(Some(3), 1).await.unwrap(), [version(&everywhere, 2)]);
    assert_eq!(versions(Some(1), 9).await.unwrap(), []);

    for other in [1, 3, 5] {
        conflict(&stores, telling(2, &[version(&everywhere, other)])).await;
    }
    assert_eq!(versions(None, 9).await.unwrap(), all, "what is refused forgets nothing");
    commit(&stores, telling(2, &[version(&everywhere, 4)])).await;
    assert_eq!(versions(None, 9).await.unwrap(), [version(&everywhere, 4), version(&everywhere, 3)]);
    assert_eq!(latest(vec![own.clone()]).await, [version(&own, 1)], "another scope keeps its own");
}

/// Deleting a session or an automation deletes its instructions; a new one under the same id starts without any.
pub async fn instructions_go_with_what_they_are_about(stores: StoreFixture) {
    let (home, of) = (key(HOME), automation("a", 1).id);
    let (own, runs) = (InstructionScope::Session(session_id("a")), InstructionScope::Automation(of.clone()));
    let scopes = [own.clone(), runs.clone(), InstructionScope::Workspace];
    let all: Vec<InstructionVersion> = scopes.iter().map(|scope| version(scope, 1)).collect();
    let made = WorkspaceCommit {
        automations: vec![(automation("a", 1), None)],
        instructions: all.iter().map(|row| (row.clone(), 0)).collect(),
        ..begun(HOME, "a")
    };
    commit(&stores, made).await;
    assert_eq!(stores.log.instructions(&home, &scopes).await.unwrap(), all);

    let deletion = WorkspaceCommit {
        deleted: vec![(session_id("a"), 1)],
        deleted_automations: vec![(of, 1)],
        workspace: workspace(HOME, 1),
        expected_seq: Some(1),
        ..next(HOME, 1)
    };
    commit(&stores, deletion).await;
    assert_eq!(
        stores.log.instructions(&home, &scopes).await.unwrap(),
        [version(&InstructionScope::Workspace, 1)]
    );
    assert_eq!(stores.log.versions_of_instructions(&home, &own, None, 9).await.unwrap(), []);
    let again = WorkspaceCommit { instructions: vec![(version(&own, 1), 0)], ..next(HOME, 1) };
    commit(&stores, again).await;
}
