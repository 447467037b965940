//! Writes one commit, prints the result, and shows that a second commit on the same version is refused.

use std::sync::Arc;

use custom_store::MapStore;
use entracte_application::ports::{ResourceChange, ResourceFilter, ResourceRow};
use entracte_application::ports::{ResourceReader, WorkspaceCommit, WorkspaceRow, WorkspaceStore};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(MapStore::default());
    let home = WorkspaceKey::new("ann:home");
    store.commit(first(&home, "Health")).await?;
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    for row in store.resources(&home, &zones).await? {
        println!("{} {}: {}", row.kind, row.id, row.name);
    }
    match store.commit(first(&home, "Work")).await {
        Err(conflict) => println!("{conflict}"),
        Ok(()) => println!("two commits on one version: this store is wrong"),
    }
    Ok(())
}

/// The first commit of a workspace: it creates one zone.
fn first(home: &WorkspaceKey, name: &str) -> WorkspaceCommit {
    let zone = ResourceRow {
        kind: "zone".to_owned(),
        id: name.to_lowercase(),
        parent: None,
        parent_kind: None,
        name: name.to_owned(),
        at: None,
        version: 1,
        body: "{}".to_owned(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let workspace =
        WorkspaceRow { key: home.clone(), seq: 0, body: Vec::new(), created_at: Timestamp(0), epoch: 0 };
    WorkspaceCommit {
        resources: vec![ResourceChange::Create(zone)],
        ..WorkspaceCommit::for_workspace(workspace)
    }
}
