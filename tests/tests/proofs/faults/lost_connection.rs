//! A connection that is cut during a COMMIT: the outcome is looked up, and the session continues from it.

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::WorkspaceStore;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::postgres_proxy::{CommitCutPoint, PostgresFaultProxy};

use super::fixture::{DatabaseFaultFixture, a_moment, story};

/// The COMMIT of the reply with its action is cut.
async fn goes_on_after(cut: CommitCutPoint) {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    let scene = DatabaseFaultFixture::begin(&database, story()).await;
    let after = scene.life.follow().last_entry_number(&scene.life.workspace, &scene.session).await.unwrap();
    scene.ask("two").await;
    proxy.cut_next_commit(cut);
    scene.model.let_answer(2);
    scene.life.follow().run_until_idle(&scene.life.workspace, &scene.session, after).await.unwrap();
    assert!(proxy.was_cut());
    assert_eq!(scene.outside.recorded_effects().len(), 1, "{cut:?}: what was asked for happened once");
    assert_eq!(scene.model.asked(), 3, "{cut:?}: nothing is asked twice");
    scene.life.verify(&scene.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_continues_once_after_landed_commit() {
    goes_on_after(CommitCutPoint::After).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_continues_once_after_lost_commit() {
    goes_on_after(CommitCutPoint::Before).await;
}

/// The server ends the backend during its commit, where a trigger holds it.
#[tokio::test(flavor = "multi_thread")]
async fn commit_ended_by_server_is_not_done() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let scene = DatabaseFaultFixture::begin(&database, story()).await;
    made.run(
        "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
         CREATE CONSTRAINT TRIGGER held AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION hold()",
    );
    let store = database.store();
    let before = seq(&*store).await;
    let told = {
        let refused = tokio::spawn({
            let (life, session) = (scene.life.mail_sender.clone(), scene.session.clone());
            let workspace = scene.life.workspace.clone();
            async move {
                let send = entracte_application::use_cases::SendMessage::new(life);
                let message = entracte_domain::message::UserMessage::text("lost");
                send.run(&workspace, &session, "ann".into(), message, None).await
            }
        });
        while !made.close_sleeping_connections() {
            a_moment().await;
        }
        // The retry must not be held by the trigger.
        made.run("DROP TRIGGER held ON log");
        refused.await.unwrap()
    };
    assert!(told.is_err(), "it was undone, and that is what is said: {told:?}");
    assert_eq!(seq(&*store).await, before, "nothing of it is there");
    scene.model.let_answer(2);
    scene.life.send_and_wait(&scene.session, "two").await;
    assert_eq!(scene.outside.recorded_effects().len(), 1);
    assert!(!scene.model.heard("lost"));
    scene.life.verify(&scene.session).await;
}

async fn seq(store: &dyn WorkspaceStore) -> u64 {
    store.workspace(&WorkspaceKey::new("ann:home")).await.unwrap().unwrap().seq
}

/// Ownership is lost with its connection, and another process acquires it meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn process_without_ownership_starts_nothing_until_reacquired() {
    let Some(made) = TestDatabase::make() else { return };
    let options = DatabaseOptions { ownership_check: Millis(500), ..DatabaseOptions::default() };
    let database = Database::open(&made.url(), options).unwrap();
    let scene = DatabaseFaultFixture::begin(&database, story()).await;
    let after = scene.life.follow().last_entry_number(&scene.life.workspace, &scene.session).await.unwrap();
    scene.ask("two").await;
    let taken = made.take_lock();
    // It may be checking the server at this moment.
    while scene.is_owner() {
        a_moment().await;
    }
    scene.model.let_answer(1);
    scene.refusal("lost").await;
    for _ in 0..20 {
        a_moment().await;
    }
    assert_eq!(
        scene.outside.recorded_effects(),
        [],
        "nothing starts while another process may own the database"
    );

    drop(taken);
    while !scene.is_owner() {
        a_moment().await;
    }
    scene.model.let_answer(1);
    scene.life.follow().run_until_idle(&scene.life.workspace, &scene.session, after).await.unwrap();
    assert_eq!(scene.outside.recorded_effects().len(), 1);
    assert_eq!(scene.model.asked(), 3, "nothing is asked twice");
    scene.life.verify(&scene.session).await;
}
