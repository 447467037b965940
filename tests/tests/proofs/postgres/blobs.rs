//! Blobs on a server, which many sessions share.

use entracte_application::ports::{ContentBlob, WorkspaceCommit};
use entracte_application::system::sha256;
use entracte_tests::postgres::TestDatabase;

use super::begun;

/// Refuses every statement that inserts blobs, also one that inserts none.
const REFUSE_INSERTS: &str = "
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON blobs FOR EACH STATEMENT EXECUTE FUNCTION refuse()";

/// Input: a blob that is stored already, in the commit of another workspace, and one that is not; expected: no statement
/// carries the bytes of the first one.
#[tokio::test]
async fn stored_blob_is_not_sent_again() {
    let Some(made) = TestDatabase::make() else { return };
    let store = made.open().store();
    let with_blob = |stem: &str, bytes: &[u8]| {
        let blob = ContentBlob { digest: sha256(bytes), bytes: bytes.to_vec() };
        WorkspaceCommit { blobs: vec![blob], ..begun(stem) }
    };
    store.commit(with_blob("a", b"prefix")).await.unwrap();
    made.run(REFUSE_INSERTS);
    store.commit(with_blob("b", b"prefix")).await.unwrap();
    assert!(store.commit(with_blob("c", b"another prefix")).await.is_err());
}
