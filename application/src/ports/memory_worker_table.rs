use std::collections::BTreeMap;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::{
    WorkerHeartbeat, WorkerProcessDescription, WorkerProcessId, WorkerProcessRecord, WorkspaceClaim,
};

/// The worker processes of a store in memory, and the workspaces they have
/// ([`WorkspaceOwnership`](super::WorkspaceOwnership)). Decides everything but the fencing of commits: the store writes
/// the epoch of an acquisition to the workspace's row.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorkerTable {
    entered: i64,
    departures: u64,
    processes: BTreeMap<WorkerProcessId, MemoryWorkerProcess>,
    rights: BTreeMap<WorkspaceKey, MemoryWorkspaceRight>,
}

#[derive(Clone, Debug)]
struct MemoryWorkerProcess {
    record: WorkerProcessRecord,
    /// The end of its lease.
    until: Timestamp,
}

#[derive(Clone, Copy, Debug)]
struct MemoryWorkspaceRight {
    process: WorkerProcessId,
    epoch: u64,
}

impl MemoryWorkerTable {
    /// Adds a process with its first heartbeat.
    pub fn enter(
        &mut self,
        description: WorkerProcessDescription,
        lease: Millis,
        now: Timestamp,
    ) -> WorkerProcessId {
        self.entered += 1;
        let id = WorkerProcessId(self.entered);
        let record = WorkerProcessRecord { id, description, since: now, beats: 0 };
        self.processes.insert(id, MemoryWorkerProcess { record, until: now.plus(lease) });
        id
    }

    /// Keeps the workspaces of a process for another lease; `None` if it has left or was removed.
    pub fn beat(&mut self, id: WorkerProcessId, lease: Millis, now: Timestamp) -> Option<WorkerHeartbeat> {
        let process = self.processes.get_mut(&id)?;
        process.until = now.plus(lease);
        process.record.beats += 1;
        Some(WorkerHeartbeat { is_first: self.processes.keys().next() == Some(&id) })
    }

    /// Removes a process.
    pub fn leave(&mut self, id: WorkerProcessId) {
        self.departures += u64::from(self.processes.remove(&id).is_some());
    }

    /// Acquires a workspace whose row has the epoch `stored`, or has no row.
    pub fn acquire(
        &mut self,
        id: WorkerProcessId,
        workspace: &WorkspaceKey,
        stored: Option<u64>,
    ) -> WorkspaceClaim {
        if !self.processes.contains_key(&id) {
            return WorkspaceClaim::Removed;
        }
        let Some(stored) = stored else { return WorkspaceClaim::Absent };
        let right = self.rights.get(workspace);
        if right.is_some_and(|right| right.process != id && self.processes.contains_key(&right.process)) {
            return WorkspaceClaim::Owned;
        }
        let epoch = right.map_or(0, |right| right.epoch).max(stored) + 1;
        self.rights.insert(workspace.clone(), MemoryWorkspaceRight { process: id, epoch });
        WorkspaceClaim::Acquired { epoch }
    }

    /// Releases a workspace that the process has under this epoch.
    pub fn release(&mut self, id: WorkerProcessId, workspace: &WorkspaceKey, epoch: u64) {
        let is_this = |right: &MemoryWorkspaceRight| right.process == id && right.epoch == epoch;
        if self.rights.get(workspace).is_some_and(is_this) {
            self.rights.remove(workspace);
        }
    }

    /// The process that has a workspace.
    pub fn holder(&self, workspace: &WorkspaceKey) -> Option<WorkerProcessRecord> {
        let right = self.rights.get(workspace)?;
        self.processes.get(&right.process).map(|process| process.record.clone())
    }

    /// Those of these workspaces that no other process has.
    pub fn available(&self, id: WorkerProcessId, mut workspaces: Vec<WorkspaceKey>) -> Vec<WorkspaceKey> {
        workspaces.retain(|key| self.holder(key).is_none_or(|holder| holder.id == id));
        workspaces
    }

    /// All processes, in the order in which they entered.
    pub fn processes(&self) -> Vec<WorkerProcessRecord> {
        self.processes.values().map(|process| process.record.clone()).collect()
    }

    /// Removes the processes whose lease has ended, but for the one that looks; returns how many have left or were
    /// removed so far.
    pub fn count_departures(&mut self, looking: Option<WorkerProcessId>, now: Timestamp) -> u64 {
        let before = self.processes.len();
        self.processes.retain(|id, process| now < process.until || Some(*id) == looking);
        self.departures += (before - self.processes.len()) as u64;
        self.departures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Millis = Millis::seconds(10);

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000)
    }

    fn key() -> WorkspaceKey {
        WorkspaceKey::new("ann:home")
    }

    /// Input: one process that beats and one that does not; expected: the silent one is removed at the end of its lease,
    /// not before, and its workspace is free.
    #[test]
    fn silent_process_is_removed_after_its_lease() {
        let mut table = MemoryWorkerTable::default();
        let silent = table.enter(WorkerProcessDescription::default(), LEASE, at(0));
        let other = table.enter(WorkerProcessDescription::default(), LEASE, at(0));
        assert_eq!(table.acquire(silent, &key(), Some(0)), WorkspaceClaim::Acquired { epoch: 1 });
        assert_eq!(table.beat(other, LEASE, at(9)), Some(WorkerHeartbeat { is_first: false }));

        let cases = [(9, 0, WorkspaceClaim::Owned), (10, 1, WorkspaceClaim::Acquired { epoch: 2 })];
        for (second, departures, expected) in cases {
            assert_eq!(table.count_departures(Some(other), at(second)), departures, "{second}");
            assert_eq!(table.acquire(other, &key(), Some(1)), expected, "{second}");
        }
        assert_eq!(table.beat(silent, LEASE, at(10)), None);
        assert_eq!(table.acquire(silent, &key(), Some(2)), WorkspaceClaim::Removed);
        assert_eq!(table.beat(other, LEASE, at(11)), Some(WorkerHeartbeat { is_first: true }));
    }

    /// Input: a workspace that its process acquires again; expected: a release under the earlier epoch does nothing.
    #[test]
    fn release_of_an_earlier_epoch_does_nothing() {
        let mut table = MemoryWorkerTable::default();
        let (one, two) = {
            let mut enter = || table.enter(WorkerProcessDescription::default(), LEASE, at(0));
            (enter(), enter())
        };
        assert_eq!(table.acquire(one, &key(), Some(4)), WorkspaceClaim::Acquired { epoch: 5 });
        assert_eq!(table.acquire(one, &key(), Some(5)), WorkspaceClaim::Acquired { epoch: 6 });
        table.release(one, &key(), 5);
        assert_eq!(table.acquire(two, &key(), Some(6)), WorkspaceClaim::Owned);
        table.release(one, &key(), 6);
        assert_eq!(table.acquire(two, &key(), Some(6)), WorkspaceClaim::Acquired { epoch: 7 });
    }
}
