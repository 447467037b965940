//! Recurring hashes are stored once, invisibly to readers.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use entracte_application::codec::insert_recurring_hashes;
use entracte_application::ports::StoreError;
use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{begun, input, open, place};
use crate::connection::ConnectionRole;
use crate::schema::{hashes, log};

/// A compact body with two hashes before the given shape.
fn body(shape: u8) -> Vec<u8> {
    insert_recurring_hashes(&[2, 0, shape], &[[7; 32], [9; 32]])
}

fn whose() -> (WorkspaceKey, SessionId) {
    (WorkspaceKey::new("ann:a"), SessionId::new("ses_a"))
}

/// Input: two entries with the same two hashes; expected: two stored hashes, contained whole in the first body only,
/// and every reader, also of another process, gets the original bodies.
#[tokio::test]
async fn recurring_hashes_are_stored_once_and_round_trip() {
    let (_directory, path) = place();
    let database = open(&path);
    let (mut first, mut second) = (begun("a"), input("a"));
    first.log[0].body = body(0x90);
    second.log[0].body = body(0xa0);
    database.store().commit(first).await.expect("it is written");
    database.store().commit(second).await.expect("it is written");

    let mut conn = database.connect(ConnectionRole::Reader).expect("it opens");
    let stored: Vec<Vec<u8>> =
        log::table.order(log::place).select(log::body).load(&mut conn).expect("it is read");
    assert_eq!(stored, [body(0x90), vec![0xec, 2, 1, 2, 2, 0, 0xa0]], "the first brings them");
    assert_eq!(hashes::table.count().get_result(&mut conn), Ok(2));

    let (key, session) = whose();
    for database in [database, open(&path)] {
        let found = database.log_reader().entries(&key, &session, 0, 9).await.expect("they are read");
        let bodies: Vec<_> = found.into_iter().map(|row| row.body).collect();
        assert_eq!(bodies, [body(0x90), body(0xa0)]);
    }
}

/// Input: a body that refers to a missing hash; expected: the row is reported as damaged, with the number.
#[tokio::test]
async fn missing_hash_is_reported_as_damage() {
    let (_directory, path) = place();
    let (mut first, mut second) = (begun("a"), input("a"));
    first.log[0].body = body(0x90);
    second.log[0].body = body(0xa0);
    for commit in [first, second] {
        open(&path).store().commit(commit).await.expect("it is written");
    }
    let database = open(&path);
    let mut conn = database.connect(ConnectionRole::Writer).expect("it opens");
    conn.batch_execute("DELETE FROM hashes WHERE hash_id = 2").expect("it is taken out");

    let (key, session) = whose();
    let found = database.log_reader().entries(&key, &session, 0, 9).await;
    assert!(
        matches!(&found, Err(StoreError::Inconsistent(text)) if text.contains("hashes, 2: missing")),
        "{found:?}"
    );
}

/// Input: hashes and other texts, including texts that resemble stored ones; expected: each is read unchanged.
#[test]
fn command_hashes_and_other_texts_round_trip() {
    use crate::queries::calls::{digest, stored_digest};
    use entracte_domain::id::Digest;
    let hash = Digest::new("0f".repeat(32));
    assert_eq!(stored_digest(&hash), [0x0f; 32]);
    let texts = [
        "",
        "00",
        "=",
        "~",
        "0F0F",
        "a hash",
        &"x".repeat(31),
        &"=".repeat(31),
        &"~".repeat(32),
        &"F".repeat(64),
    ];
    for digest_of in texts.into_iter().map(Digest::new).chain([hash]) {
        let stored = stored_digest(&digest_of);
        assert_eq!(digest(&stored), Some(digest_of), "{stored:x?}");
    }
}
