//! The contract suite of [`WorkspaceOwnership`]: each workspace is handled by one process at a time.

use std::any::Any;
use std::sync::Arc;

use entracte_application::ports::{
    CommitError, OwnerDescription, Ownership, OwnershipError, WorkerHeartbeat, WorkerProcessDescription,
    WorkerProcessId, WorkspaceClaim, WorkspaceCommit, WorkspaceOwnership, WorkspaceStore,
};
use entracte_domain::time::{Millis, Timestamp};

use super::rows::{HOME, first, key, next};

const OTHER: &str = "eve:other";
const NOW: Timestamp = Timestamp(7_000_000);

/// So long that no lease ends during a test.
const LONG: Millis = Millis::hours(1);
/// A lease that has ended already.
const ENDED: Millis = Millis(0);

/// The store under test, and the resources it needs.
pub struct WorkspaceOwnershipFixture {
    /// The rights of the processes.
    pub rights: Arc<dyn WorkspaceOwnership>,
    /// The right to the whole store.
    pub ownership: Arc<dyn Ownership>,
    /// Writes commits to the same data.
    pub commits: Arc<dyn WorkspaceStore>,
    /// A temporary directory or a server that must outlive the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

impl WorkspaceOwnershipFixture {
    async fn enter(&self, lease: Millis) -> WorkerProcessId {
        self.rights.enter(&description("one"), lease, NOW).await.unwrap()
    }

    async fn claim(&self, process: WorkerProcessId, workspace: &str) -> WorkspaceClaim {
        self.rights.acquire(process, &key(workspace)).await.unwrap()
    }

    /// Acquires a workspace that is free; returns the epoch.
    async fn acquire(&self, process: WorkerProcessId, workspace: &str) -> u64 {
        match self.claim(process, workspace).await {
            WorkspaceClaim::Acquired { epoch } => epoch,
            claim => panic!("{workspace} is not free: {claim:?}"),
        }
    }

    async fn commit(&self, epoch: u64, mut commit: WorkspaceCommit) -> Result<(), CommitError> {
        commit.workspace.epoch = epoch;
        self.commits.commit(commit).await
    }

    async fn create(&self, workspace: &str) {
        self.commit(0, first(workspace)).await.unwrap();
    }

    async fn holder(&self, workspace: &str) -> Option<WorkerProcessId> {
        self.rights.holder(&key(workspace)).await.unwrap().map(|record| record.id)
    }
}

fn description(name: &str) -> WorkerProcessDescription {
    WorkerProcessDescription {
        owner: OwnerDescription {
            kind: "serve".to_owned(),
            host: Some(name.to_owned()),
            url: Some(format!("http://{name}")),
        },
        pid: Some(812),
        version: "1.2.3".to_owned(),
        configuration: "c0ffee".to_owned(),
    }
}

/// Input: two processes and two workspaces; expected: each workspace is acquired by who asks first, and found with it.
pub async fn a_workspace_is_acquired_by_one_process(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(LONG).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    stores.create(OTHER).await;
    stores.acquire(one, HOME).await;
    assert_eq!(stores.claim(two, HOME).await, WorkspaceClaim::Owned);
    assert_eq!((stores.holder(HOME).await, stores.holder(OTHER).await), (Some(one), None));

    let keys = || vec![key(HOME), key(OTHER), key("ann:new")];
    assert_eq!(stores.rights.available(one, keys()).await.unwrap(), keys());
    assert_eq!(stores.rights.available(two, keys()).await.unwrap(), [key(OTHER), key("ann:new")]);
    stores.acquire(two, OTHER).await;
    assert_eq!(stores.holder(OTHER).await, Some(two));
}

/// Input: a workspace without a row; expected: nobody has it before a commit creates it.
pub async fn an_absent_workspace_is_acquired_by_nobody(stores: WorkspaceOwnershipFixture) {
    let one = stores.enter(LONG).await;
    assert_eq!(stores.claim(one, HOME).await, WorkspaceClaim::Absent);
    assert_eq!(stores.holder(HOME).await, None);
    stores.create(HOME).await;
    stores.acquire(one, HOME).await;
}

/// Input: a workspace that goes from one process to another, and a commit of each with the right `seq`; expected: from
/// the acquisition on, the commit of the first is refused, also before the second has written anything.
pub async fn an_acquisition_refuses_earlier_commits(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(LONG).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    let before = stores.acquire(one, HOME).await;
    stores.commit(before, next(HOME, 0)).await.unwrap();
    stores.rights.release(one, &key(HOME), before).await.unwrap();
    let after = stores.acquire(two, HOME).await;
    assert!(after > before, "{after} follows {before}");
    let refused = stores.commit(before, next(HOME, 0)).await.unwrap_err();
    assert!(matches!(refused, CommitError::NotOwner(_)), "{refused}");
    stores.commit(after, next(HOME, 0)).await.unwrap();
}

/// Input: a workspace that a program without ownership wrote under an epoch of its own; expected: an acquisition follows
/// it.
pub async fn an_acquisition_follows_the_stored_epoch(stores: WorkspaceOwnershipFixture) {
    let one = stores.enter(LONG).await;
    stores.commit(9, first(HOME)).await.unwrap();
    let epoch = stores.acquire(one, HOME).await;
    assert!(epoch > 9, "{epoch} follows 9");
    stores.commit(epoch, next(HOME, 0)).await.unwrap();
}

/// Input: a process that acquires its own workspace again, and a late release of the first acquisition; expected: it
/// still has the workspace.
pub async fn a_release_of_an_earlier_epoch_does_nothing(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(LONG).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    let before = stores.acquire(one, HOME).await;
    let after = stores.acquire(one, HOME).await;
    assert!(after > before, "{after} follows {before}");
    for epoch in [before, after] {
        stores.rights.release(two, &key(HOME), epoch).await.unwrap();
    }
    stores.rights.release(one, &key(HOME), before).await.unwrap();
    assert_eq!(stores.claim(two, HOME).await, WorkspaceClaim::Owned);
    stores.rights.release(one, &key(HOME), after).await.unwrap();
    stores.acquire(two, HOME).await;
}

/// Input: a process that leaves; expected: its workspace is free immediately, its departure is counted once, and it
/// acquires nothing any more.
pub async fn a_process_that_left_has_nothing(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(LONG).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    stores.acquire(one, HOME).await;
    let before = stores.rights.count_departures(two, NOW).await.unwrap();
    for _ in 0..2 {
        stores.rights.leave(one).await.unwrap();
    }
    assert_eq!(stores.rights.count_departures(two, NOW).await.unwrap(), before + 1);
    assert_eq!(stores.holder(HOME).await, None);
    assert_eq!(stores.claim(one, HOME).await, WorkspaceClaim::Removed);
    assert_eq!(stores.rights.beat(one, LONG, NOW).await.unwrap(), None);
    stores.acquire(two, HOME).await;
}

/// Input: a process whose lease has ended; expected: it keeps its workspace until somebody looks, and then never returns.
pub async fn a_process_is_removed_after_its_lease(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(ENDED).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    stores.acquire(one, HOME).await;
    assert_eq!(stores.claim(two, HOME).await, WorkspaceClaim::Owned);
    assert_eq!(stores.rights.count_departures(one, NOW).await.unwrap(), 0, "it does not remove itself");
    assert_eq!(stores.rights.count_departures(two, NOW).await.unwrap(), 1);
    assert_eq!(stores.rights.beat(one, LONG, NOW).await.unwrap(), None);
    assert_eq!(stores.claim(one, HOME).await, WorkspaceClaim::Removed);
    stores.acquire(two, HOME).await;
    assert_eq!(stores.rights.count_departures(two, NOW).await.unwrap(), 1);
}

/// Input: a process that beats before anybody looks; expected: it is not removed.
pub async fn a_process_that_beats_stays(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(ENDED).await, stores.enter(LONG).await);
    stores.create(HOME).await;
    stores.acquire(one, HOME).await;
    assert!(stores.rights.beat(one, LONG, NOW).await.unwrap().is_some());
    assert_eq!(stores.rights.count_departures(two, NOW).await.unwrap(), 0);
    assert_eq!(stores.holder(HOME).await, Some(one));
}

/// Input: two processes, of which the first leaves; expected: the second is the first one from then on.
pub async fn the_first_process_is_told_so(stores: WorkspaceOwnershipFixture) {
    let (one, two) = (stores.enter(LONG).await, stores.enter(LONG).await);
    let beat = async |process| stores.rights.beat(process, LONG, NOW).await.unwrap();
    assert_eq!(beat(one).await, Some(WorkerHeartbeat { is_first: true }));
    assert_eq!(beat(two).await, Some(WorkerHeartbeat { is_first: false }));
    stores.rights.leave(one).await.unwrap();
    assert_eq!(beat(two).await, Some(WorkerHeartbeat { is_first: true }));
}

/// Input: two processes with descriptions; expected: they are told as given, with the number of heartbeats.
pub async fn processes_are_told_as_they_entered(stores: WorkspaceOwnershipFixture) {
    let one = stores.rights.enter(&description("one"), LONG, NOW).await.unwrap();
    let two = stores.rights.enter(&WorkerProcessDescription::default(), LONG, NOW).await.unwrap();
    stores.rights.beat(one, LONG, NOW).await.unwrap();
    let found = stores.rights.processes().await.unwrap();
    let ids: Vec<WorkerProcessId> = found.iter().map(|record| record.id).collect();
    assert_eq!(ids, [one, two]);
    assert_eq!((&found[0].description, found[0].since, found[0].beats), (&description("one"), NOW, 1));
    assert_eq!((&found[1].description, found[1].beats), (&WorkerProcessDescription::default(), 0));
}

/// Input: an owner of the whole store and a process, each before the other; expected: who comes second is refused, and
/// each follows the other's epochs.
pub async fn a_store_has_one_owner_or_processes(stores: WorkspaceOwnershipFixture) {
    let process = stores.enter(LONG).await;
    stores.create(HOME).await;
    let by_process = stores.acquire(process, HOME).await;
    let refused = stores.ownership.acquire(NOW).await.unwrap_err();
    assert!(matches!(refused, OwnershipError::Owned { .. }), "{refused}");
    stores.rights.leave(process).await.unwrap();

    let by_owner = stores.ownership.acquire(NOW).await.unwrap();
    assert!(by_owner > by_process, "{by_owner} follows {by_process}");
    stores.commit(by_owner, next(HOME, 0)).await.unwrap();
    let refused = stores.rights.enter(&description("two"), LONG, NOW).await.unwrap_err();
    assert!(matches!(refused, OwnershipError::Owned { .. }), "{refused}");
    stores.ownership.release(by_owner);

    let process = stores.enter(LONG).await;
    let epoch = stores.acquire(process, HOME).await;
    assert!(epoch > by_owner, "{epoch} follows {by_owner}");
}
