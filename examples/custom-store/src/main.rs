//! Writes one commit, shows that it is there, and that a second one on the same version is not taken.

use std::sync::Arc;

use custom_store::Shelf;
use entracte_application::ports::{Commit, ResourceReader, Store, WorkspaceRow};
use entracte_application::ports::{Resource, ResourceChange, ResourceFilter};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(Shelf::default());
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

/// The first commit of a workspace: it makes one zone.
fn first(home: &WorkspaceKey, name: &str) -> Commit {
    let zone = Resource {
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
    Commit { resources: vec![ResourceChange::Create(zone)], ..Commit::of(workspace) }
}
