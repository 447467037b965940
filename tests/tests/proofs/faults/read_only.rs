//! A database that may be read but not written. A file is checked when it is opened (see the tests of the command line:
//! an open file cannot be taken away); a server may revoke the write permission at any time.

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::StoreOutageKind;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::runtime_fixture::envelope_line;

use super::fixture::{DatabaseFaultFixture, check_survives_fault};

/// The URL of the same database for a role of its own, which may do everything in it.
fn as_role(made: &TestDatabase, role: &str) -> String {
    made.run(&format!("CREATE ROLE {role} LOGIN; GRANT ALL ON SCHEMA public TO {role}"));
    made.url().replacen("postgres://entracte@", &format!("postgres://{role}@"), 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_write_permission_is_reported_and_awaited() {
    let Some(made) = TestDatabase::make() else { return };
    let role = format!("writer_{}", std::process::id());
    let database = Database::open(&as_role(&made, &role), DatabaseOptions::default()).unwrap();
    let rights = |verb: &str, to: &str| {
        made.run(&format!("{verb} INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public {to} {role}"));
    };
    check_survives_fault(
        &database,
        StoreOutageKind::Grants,
        || rights("REVOKE", "FROM"),
        || rights("GRANT", "TO"),
    )
    .await;
    drop(database);
    made.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_default_server_is_written() {
    let Some(made) = TestDatabase::make() else { return };
    drop(made.open());
    made.run(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',
         current_database()); END $$",
    );
    let database = made.open();
    let scene = DatabaseFaultFixture::begin(&database, [envelope_line("Two.")]).await;
    scene.model.let_answer(1);
    scene.life.send_and_wait(&scene.session, "two").await;
    scene.life.verify(&scene.session).await;
}
