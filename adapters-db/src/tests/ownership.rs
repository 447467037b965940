//! Which processes can own a database.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use entracte_application::ports::{self, OwnerDescription};
use entracte_domain::time::Timestamp;

use super::{open, place};
use crate::DatabaseOwnershipError;

#[test]
fn second_owner_is_refused_with_owner_named() {
    let (_directory, path) = place();
    let (one, two) = (open(&path), open(&path));
    let owned = one.try_own().expect("nobody owns it");
    let error = two.try_own().expect_err("it is owned");
    assert!(
        matches!(error, DatabaseOwnershipError::Owned { pid: Some(pid), .. } if pid == std::process::id())
    );
    drop(owned);
    two.try_own().expect("it was given back");
}

#[test]
fn owned_database_stays_readable_and_writable_for_others() {
    let (_directory, path) = place();
    let one = open(&path);
    let _owned = one.try_own().expect("nobody owns it");
    assert_eq!(open(&path).check().expect("it is read"), Vec::<String>::new());
}

#[tokio::test]
async fn removed_lock_file_is_retaken_or_lost() {
    let (_directory, path) = place();
    let (one, two) = (open(&path), open(&path));
    let lock = format!("{}.lock", path.display());
    let epoch = one.ownership().acquire(Timestamp(1)).await.expect("no process owns it");
    std::fs::remove_file(&lock).expect("it is removed");
    one.ownership().renew(epoch).await.expect("it is taken again");
    assert!(two.ownership().acquire(Timestamp(2)).await.is_err(), "it is held again");

    std::fs::remove_file(&lock).expect("it is removed");
    two.ownership().acquire(Timestamp(3)).await.expect("the other process was faster");
    let lost = one.ownership().renew(epoch).await.expect_err("it was replaced");
    assert!(matches!(lost, ports::OwnershipError::Lost { .. }), "{lost}");
    assert!(!one.is_owned_here() && two.is_owned_here(), "the right is that of the later epoch");
}

/// Input: a database without an owner, with one, and after its release; expected: the lock's holder is reported each
/// time, and reporting takes no lock.
#[tokio::test]
async fn looking_for_the_holder_takes_nothing() {
    let (_directory, path) = place();
    let (one, two) = (open(&path), open(&path));
    assert_eq!(two.lock_holder().await.expect("it is looked at"), None);
    let epoch = one.ownership().acquire(Timestamp(1)).await.expect("no process owns it");
    let holder = two.lock_holder().await.expect("it is looked at").expect("one has it");
    assert_eq!((holder.pid, holder.host), (Some(std::process::id()), None));
    one.ownership().release(epoch);
    assert_eq!(two.lock_holder().await.expect("it is looked at"), None);
}

#[tokio::test]
async fn owner_describes_itself_and_reads_release_requests() {
    let (_directory, path) = place();
    let (one, two) = (open(&path), open(&path));
    assert_eq!(two.ownership().holder().await.expect("it is read"), None);
    let chat = OwnerDescription { kind: "chat".into(), host: Some("lab".into()), url: None };
    let epoch = one.ownership_as(chat.clone()).acquire(Timestamp(7)).await.expect("no process owns it");
    let holder = ports::OwnershipRecord {
        epoch,
        kind: chat,
        pid: Some(std::process::id()),
        since: Timestamp(7),
        wanted_by: None,
    };
    assert_eq!(two.ownership().holder().await.expect("it is read"), Some(holder.clone()));
    two.ownership().request_release("serve, process 4").await.expect("it is asked");
    let wanted = ports::OwnershipRecord { wanted_by: Some("serve, process 4".into()), ..holder };
    assert_eq!(one.ownership().holder().await.expect("it is read"), Some(wanted));
    one.ownership().release(epoch);
    two.ownership().acquire(Timestamp(8)).await.expect("it was given back");
    let next = two.ownership().holder().await.expect("it is read").expect("there is one");
    assert_eq!(
        (next.wanted_by, next.kind),
        (None, OwnerDescription::default()),
        "the next owner has no pending request"
    );
}

#[test]
fn an_owner_killed_owns_nothing() {
    let (_directory, path) = place();
    let database = open(&path);
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "--nocapture", "tests::ownership::own_until_killed"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    writeln!(child.stdin.as_mut().expect("its input"), "{}", path.display()).expect("it is told the path");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    assert!(lines.any(|line| line.expect("a line").contains("owned")), "the child owns it");

    let error = database.try_own().expect_err("the child owns it");
    assert!(matches!(error, DatabaseOwnershipError::Owned { pid: Some(pid), .. } if pid == child.id()));
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    database.try_own().expect("nobody owns it");
}

#[test]
#[ignore = "started by another test, as a process of its own"]
fn own_until_killed() {
    let mut path = String::new();
    std::io::stdin().read_line(&mut path).expect("the path comes");
    let _owned = open(path.trim().as_ref()).try_own().expect("nobody owns it");
    println!("owned");
    std::io::stdin().read_line(&mut path).expect("nothing comes");
}
