//! The contract suite of [`ResourceReader`](entracte_application::ports::ResourceReader), and of how a commit changes
//! the rows it reads.

use entracte_application::ports::{ResourceChange, ResourceFilter, ResourceRow, WorkspaceCommit};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, child, first, key, next, resource};
use super::store::{commit, conflict};

/// With every field.
pub async fn a_resource_is_read_back_as_it_was_written(stores: StoreFixture) {
    let zone = resource("zone", "z1");
    let mut tool = child("tool", "t1", &zone);
    tool.at = Some(Timestamp(-5));
    tool.version = 3;
    made(&stores, &[&zone, &tool]).await;
    assert_eq!(find(&stores, "zone", "z1").await, Some(zone));
    assert_eq!(find(&stores, "tool", "t1").await, Some(tool));
    assert_eq!(find(&stores, "zone", "t1").await, None);
    assert_eq!(stores.resources.resource(&key("eve:none"), "zone", "z1").await.unwrap(), None);
}

/// A row of the same kind and id.
pub async fn a_resource_that_is_there_is_a_conflict(stores: StoreFixture) {
    let zone = resource("zone", "z1");
    made(&stores, &[&zone]).await;
    conflict(&stores, changed([ResourceChange::Create(zone)])).await;
    // Another kind has ids of its own.
    commit(&stores, changed([ResourceChange::Create(resource("tool", "z1"))])).await;
}

/// Created in the parent, or moved into it.
pub async fn a_resource_in_a_parent_that_is_not_there_is_a_conflict(stores: StoreFixture) {
    let zone = resource("zone", "z1");
    made(&stores, &[&zone]).await;
    let gone = resource("zone", "gone");
    conflict(&stores, changed([ResourceChange::Create(child("tool", "t1", &gone))])).await;
    let moved = ResourceRow { version: 2, ..child("zone", "z1", &gone) };
    conflict(&stores, changed([ResourceChange::Update { row: moved, expected: 1 }])).await;
    assert_eq!(find(&stores, "zone", "z1").await, Some(zone));
}

/// The error says which version was expected and which is stored.
pub async fn an_update_of_another_version_is_a_conflict(stores: StoreFixture) {
    let zone = resource("zone", "z1");
    made(&stores, &[&zone]).await;
    let row = ResourceRow { version: 5, ..zone.clone() };
    conflict(&stores, changed([ResourceChange::Update { row, expected: 4 }])).await;
    assert_eq!(find(&stores, "zone", "z1").await, Some(zone));
}

/// The row never existed, or was deleted meanwhile.
pub async fn an_update_of_what_is_gone_is_a_conflict(stores: StoreFixture) {
    made(&stores, &[]).await;
    let row = ResourceRow { version: 2, ..resource("zone", "z1") };
    conflict(&stores, changed([ResourceChange::Update { row, expected: 1 }])).await;
}

/// A row that changed since it was read is not deleted.
pub async fn a_deletion_of_another_version_is_a_conflict(stores: StoreFixture) {
    let zone = resource("zone", "z1");
    made(&stores, &[&zone]).await;
    conflict(&stores, changed([deletion("zone", "z1", 2)])).await;
    conflict(&stores, changed([deletion("zone", "z2", 1)])).await;
    assert_eq!(find(&stores, "zone", "z1").await, Some(zone));
}

/// Every field is that of the new row.
pub async fn an_update_replaces_the_row_and_its_parent(stores: StoreFixture) {
    let (here, there) = (resource("zone", "z1"), resource("zone", "z2"));
    let mut tool = child("tool", "t1", &here);
    tool.at = Some(Timestamp(5));
    made(&stores, &[&here, &there, &tool]).await;
    let moved = ResourceRow {
        name: "Moved".to_owned(),
        version: 2,
        body: "{}".to_owned(),
        updated_at: Timestamp(9),
        ..child("tool", "t1", &there)
    };
    commit(&stores, changed([ResourceChange::Update { row: moved.clone(), expected: 1 }])).await;
    assert_eq!(find(&stores, "tool", "t1").await, Some(moved));
    commit(&stores, changed([deletion("zone", "z1", 1)])).await;
    assert!(find(&stores, "tool", "t1").await.is_some());
}

/// At every depth, within its own workspace only.
pub async fn a_deletion_takes_all_that_lives_in_it(stores: StoreFixture) {
    let (zone, other) = (resource("zone", "z1"), resource("zone", "z2"));
    let (tool, kept) = (child("tool", "t1", &zone), child("tool", "t2", &other));
    let (entry, kept_entry) = (child("entry", "e1", &tool), child("entry", "e2", &kept));
    made(&stores, &[&zone, &other, &tool, &kept, &entry, &kept_entry]).await;
    let mut elsewhere = first("bob:work");
    elsewhere.resources = [&zone, &tool].map(|row| ResourceChange::Create(row.clone())).to_vec();
    commit(&stores, elsewhere).await;

    commit(&stores, changed([deletion("zone", "z1", 1)])).await;
    for (kind, id) in [("zone", "z1"), ("tool", "t1"), ("entry", "e1")] {
        assert_eq!(find(&stores, kind, id).await, None, "{kind} {id}");
    }
    assert_eq!(find(&stores, "entry", "e2").await, Some(kept_entry));
    let far = stores.resources.resource(&key("bob:work"), "tool", "t1").await.unwrap();
    assert_eq!(far, Some(tool));
}

/// Ids are unique per workspace.
pub async fn one_id_in_two_workspaces_is_two_rows(stores: StoreFixture) {
    made(&stores, &[&resource("zone", "z1")]).await;
    let mine = ResourceRow { name: "Mine".to_owned(), ..resource("zone", "z1") };
    let mut work = first("bob:work");
    work.resources = vec![ResourceChange::Create(mine.clone())];
    commit(&stores, work).await;
    assert_eq!(find(&stores, "zone", "z1").await, Some(resource("zone", "z1")));
    assert_eq!(stores.resources.resource(&key("bob:work"), "zone", "z1").await.unwrap(), Some(mine));
}

/// Rows without an instant come first; upper case precedes lower case, in byte order.
pub async fn resources_come_by_instant_then_name_then_id(stores: StoreFixture) {
    let row = |id: &str, at: Option<i64>, name: &str| ResourceRow {
        at: at.map(Timestamp),
        name: name.to_owned(),
        ..resource("entry", id)
    };
    let rows = [
        row("5", Some(7), "b"),
        row("2", None, "a"),
        row("4", Some(7), "a"),
        row("1", None, "Z"),
        row("6", Some(7), "b"),
        row("3", Some(-7), "z"),
    ];
    made(&stores, &rows.iter().collect::<Vec<_>>()).await;
    let filter = ResourceFilter { kind: "entry".to_owned(), ..ResourceFilter::default() };
    assert_eq!(list(&stores, &filter).await, ["1", "2", "3", "4", "5", "6"]);
}

/// Each part of the filter; the period is half open, and rows without an instant are in no period.
pub async fn the_filter_of_resources_lets_through_what_it_says(stores: StoreFixture) {
    let (here, there) = (resource("tool", "t1"), resource("tool", "t2"));
    let mut rows =
        vec![here.clone(), there.clone(), child("entry", "none", &here), child("entry", "far", &there)];
    for at in 1..=4 {
        rows.push(ResourceRow { at: Some(Timestamp(at)), ..child("entry", &format!("e{at}"), &here) });
    }
    made(&stores, &rows.iter().collect::<Vec<_>>()).await;
    let of_kind = |kind: &str| ResourceFilter { kind: kind.to_owned(), ..ResourceFilter::default() };
    let here = ResourceFilter { parent: Some("t1".to_owned()), ..of_kind("entry") };
    let check = async |filter: ResourceFilter, expected: &[&str]| {
        assert_eq!(list(&stores, &filter).await, expected, "{filter:?}");
        let count = stores.resources.count(&key(HOME), &filter).await.unwrap();
        assert_eq!(count, expected.len() as u64, "{filter:?}");
    };
    check(of_kind("tool"), &["t1", "t2"]).await;
    check(of_kind("nothing"), &[]).await;
    check(here.clone(), &["none", "e1", "e2", "e3", "e4"]).await;
    check(ResourceFilter { from: Some(Timestamp(2)), ..here.clone() }, &["e2", "e3", "e4"]).await;
    check(ResourceFilter { until: Some(Timestamp(3)), ..here.clone() }, &["e1", "e2"]).await;
    let (from, until) = (Some(Timestamp(2)), Some(Timestamp(4)));
    check(ResourceFilter { from, until, ..here }, &["e2", "e3"]).await;
    assert_eq!(stores.resources.count(&key("eve:none"), &of_kind("tool")).await.unwrap(), 0);
}

/// Id and version of each row of that parent only; limit and offset do not apply.
pub async fn versions_are_those_of_the_rows_that_the_filter_lets_through(stores: StoreFixture) {
    let (here, there) = (resource("tool", "t1"), resource("tool", "t2"));
    let (one, two, far) =
        (child("entry", "e1", &here), child("entry", "e2", &here), child("entry", "e3", &there));
    made(&stores, &[&here, &there, &one, &two, &far]).await;
    let filter = ResourceFilter {
        kind: "entry".to_owned(),
        parent: Some("t1".to_owned()),
        limit: Some(1),
        offset: 1,
        ..ResourceFilter::default()
    };
    let versions = async || {
        let mut versions = stores.resources.versions(&key(HOME), &filter).await.expect("they can be read");
        versions.sort();
        versions
    };
    let of = |id: &str, version: u64| (id.to_owned(), version);
    assert_eq!(versions().await, [of("e1", 1), of("e2", 1)]);
    let row = ResourceRow { version: 2, ..one };
    commit(&stores, changed([ResourceChange::Update { row, expected: 1 }, deletion("entry", "e2", 1)])).await;
    assert_eq!(versions().await, [of("e1", 2)]);
    assert!(stores.resources.versions(&key("eve:none"), &filter).await.unwrap().is_empty());
}

/// Limit and offset select a page of the list; the count covers the whole list.
pub async fn limit_and_offset_cut_the_list_and_not_the_count(stores: StoreFixture) {
    let rows: Vec<ResourceRow> = (1..=5).map(|n| resource("zone", &format!("z{n}"))).collect();
    made(&stores, &rows.iter().collect::<Vec<_>>()).await;
    let all = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    let page = ResourceFilter { limit: Some(2), offset: 1, ..all.clone() };
    assert_eq!(list(&stores, &page).await, ["z2", "z3"]);
    assert_eq!(stores.resources.count(&key(HOME), &page).await.unwrap(), 5);
    assert_eq!(list(&stores, &ResourceFilter { offset: 3, ..all.clone() }).await, ["z4", "z5"]);
    assert_eq!(list(&stores, &ResourceFilter { limit: Some(0), ..all }).await, Vec::<String>::new());
}

async fn made(stores: &StoreFixture, rows: &[&ResourceRow]) {
    let mut made = first(HOME);
    made.resources = rows.iter().map(|row| ResourceChange::Create((*row).clone())).collect();
    commit(stores, made).await;
}

fn changed<const N: usize>(changes: [ResourceChange; N]) -> WorkspaceCommit {
    WorkspaceCommit { resources: changes.to_vec(), ..next(HOME, 0) }
}

fn deletion(kind: &str, id: &str, expected: u64) -> ResourceChange {
    ResourceChange::Delete { kind: kind.to_owned(), id: id.to_owned(), expected }
}

async fn find(stores: &StoreFixture, kind: &str, id: &str) -> Option<ResourceRow> {
    stores.resources.resource(&key(HOME), kind, id).await.expect("the row can be read")
}

async fn list(stores: &StoreFixture, filter: &ResourceFilter) -> Vec<String> {
    let rows = stores.resources.resources(&key(HOME), filter).await.expect("the rows can be read");
    rows.into_iter().map(|row| row.id).collect()
}
