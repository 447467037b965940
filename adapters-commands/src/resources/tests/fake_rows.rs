//! Rows in memory: a [`ResourceReader`] to which plans are applied, with the store's conflict rules.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use entracte_application::ports::{ResourceChange, ResourceFilter, ResourceReader, ResourceRow, StoreError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

/// The rows of the single workspace `user:main`.
#[derive(Default)]
pub(super) struct FakeRows {
    rows: Mutex<Vec<ResourceRow>>,
    broken: Mutex<bool>,
    told: Mutex<Option<u64>>,
    /// How many rows lists have had.
    listed: AtomicUsize,
}

impl FakeRows {
    /// Applies all of `changes`, or returns the conflict.
    pub(super) fn apply(&self, changes: &[ResourceChange]) -> Result<(), String> {
        let mut rows = self.rows.lock().unwrap();
        let mut next = rows.clone();
        for change in changes {
            apply(&mut next, change)?;
        }
        *rows = next;
        Ok(())
    }

    /// Makes every later read fail.
    pub(super) fn break_down(&self) {
        *self.broken.lock().unwrap() = true;
    }

    /// Makes every later count return `count`.
    pub(super) fn say_there_are(&self, count: u64) {
        *self.told.lock().unwrap() = Some(count);
    }

    /// How many rows lists have had.
    pub(super) fn listed(&self) -> usize {
        self.listed.load(Ordering::SeqCst)
    }

    /// The instant of a row.
    pub(super) fn at(&self, id: &str) -> Option<Timestamp> {
        self.rows.lock().unwrap().iter().find(|row| row.id == id).and_then(|row| row.at)
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.lock().unwrap().len()
    }

    /// The body of a row.
    pub(super) fn body(&self, id: &str) -> String {
        let rows = self.rows.lock().unwrap();
        rows.iter().find(|row| row.id == id).map(|row| row.body.clone()).unwrap_or_default()
    }

    /// Replaces the body of a row.
    pub(super) fn set_body(&self, id: &str, body: &str) {
        let mut rows = self.rows.lock().unwrap();
        rows.iter_mut().find(|row| row.id == id).unwrap().body = body.into();
    }

    fn matching(&self, filter: &ResourceFilter) -> Result<Vec<ResourceRow>, StoreError> {
        if *self.broken.lock().unwrap() {
            return Err(StoreError::Unavailable("the disk is gone".into()));
        }
        let within = |row: &&ResourceRow| {
            row.kind == filter.kind
                && filter.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent))
                && filter.from.is_none_or(|from| row.at.is_some_and(|at| at >= from))
                && filter.until.is_none_or(|until| row.at.is_some_and(|at| at < until))
        };
        let mut rows: Vec<ResourceRow> = self.rows.lock().unwrap().iter().filter(within).cloned().collect();
        rows.sort_by(|a, b| (a.at, &a.name, &a.id).cmp(&(b.at, &b.name, &b.id)));
        Ok(rows)
    }
}

fn apply(rows: &mut Vec<ResourceRow>, change: &ResourceChange) -> Result<(), String> {
    let place = |rows: &[ResourceRow], kind: &str, id: &str, expected: u64| {
        let found = rows.iter().position(|row| row.kind == kind && row.id == id && row.version == expected);
        found.ok_or_else(|| format!("{kind} {id} has no version {expected}"))
    };
    match change {
        ResourceChange::Create(row) => {
            if rows.iter().any(|known| known.kind == row.kind && known.id == row.id) {
                return Err(format!("{} {} is there already", row.kind, row.id));
            }
            rows.push(row.clone());
        }
        ResourceChange::Update { row, expected } => {
            let index = place(rows, &row.kind, &row.id, *expected)?;
            rows[index] = row.clone();
        }
        ResourceChange::Delete { kind, id, expected } => {
            rows.remove(place(rows, kind, id, *expected)?);
            delete_inside(rows, id);
        }
    }
    Ok(())
}

fn delete_inside(rows: &mut Vec<ResourceRow>, parent: &str) {
    let inside: Vec<String> =
        rows.iter().filter(|row| row.parent.as_deref() == Some(parent)).map(|row| row.id.clone()).collect();
    rows.retain(|row| row.parent.as_deref() != Some(parent));
    for id in inside {
        delete_inside(rows, &id);
    }
}

#[async_trait]
impl ResourceReader for FakeRows {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let filter = ResourceFilter { kind: kind.into(), ..ResourceFilter::default() };
        assert_eq!(workspace.as_str(), "user:main");
        Ok(self.matching(&filter)?.into_iter().find(|row| row.id == id))
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        assert_eq!(workspace.as_str(), "user:main");
        let rows = self.matching(filter)?.into_iter().skip(filter.offset as usize);
        let rows: Vec<_> = rows.take(filter.limit.map_or(usize::MAX, |limit| limit as usize)).collect();
        self.listed.fetch_add(rows.len(), Ordering::SeqCst);
        Ok(rows)
    }

    async fn resources_named(
        &self,
        _workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        name: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        Ok(self.matching(filter)?.into_iter().filter(|row| row.has_name(name)).collect())
    }

    async fn count(&self, _workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        let told = *self.told.lock().unwrap();
        Ok(told.unwrap_or(self.matching(filter)?.len() as u64))
    }
}
