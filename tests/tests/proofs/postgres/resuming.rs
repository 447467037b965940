//! A server that is away for a while: the process stays up, and its sessions continue when the server is back.

use std::sync::Arc;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::SendMessage;
use entracte_domain::message::UserMessage;
use entracte_domain::time::Millis;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::postgres::{TestDatabase, stores_of_database};
use entracte_tests::runtime_fixture::{
    FixedNoonClock, RuntimeFixture, SequentialIds, ServicesFixtureParts, envelope_line, services,
};

use entracte_tests::postgres_proxy::PostgresFaultProxy;

async fn a_moment() {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_outage_resumes() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let options = DatabaseOptions {
        connect_timeout: Millis::seconds(1),
        commit_lookup: Millis(0),
        ownership_check: Millis(10),
        ..DatabaseOptions::default()
    };
    let database = Database::open(proxy.url(), options).unwrap();
    let model = Arc::new(GatedFakeModel::default());
    model.let_answer(1);
    model.model.push_lines([envelope_line("One."), envelope_line("Two."), envelope_line("Three.")]);
    let parts = ServicesFixtureParts {
        stores: stores_of_database(&database, Box::new(())),
        provider: model.clone(),
        executors: Vec::new(),
        rules: RuleBook::default(),
        clock: Arc::new(FixedNoonClock),
        ids: Arc::new(SequentialIds::default()),
    };
    let life = RuntimeFixture::start_runtime(services(&parts)).await;
    let session = life.chat(false).await;
    life.send_and_wait(&session, "one").await;

    // The model is called, and answers while the server is away.
    let after = life.follow().last_entry_number(&life.workspace, &session).await.unwrap();
    life.send_message(&session, "two").await;
    while model.asked() < 2 {
        a_moment().await;
    }
    proxy.go(true);
    made.close_all_connections();
    while database.is_owned_here() {
        a_moment().await;
    }
    model.let_answer(1);
    let send = SendMessage::new(life.mail_sender.clone());
    let told = send.run(&life.workspace, &session, "ann".into(), UserMessage::text("lost"), None).await;
    assert!(told.is_err(), "who asks meanwhile is told at once: {told:?}");

    proxy.go(false);
    while !database.is_owned_here() {
        a_moment().await;
    }
    life.follow().run_until_idle(&life.workspace, &session, after).await.unwrap();
    model.let_answer(1);
    life.send_and_wait(&session, "three").await;
    life.verify(&session).await;
    let said: Vec<String> =
        model.model.requests.lock().unwrap().iter().map(|asked| format!("{asked:?}")).collect();
    assert_eq!(said.len(), 3, "nothing is asked twice");
    assert!(said[2].contains("Two.") && said[2].contains("three"), "what came meanwhile was kept");
    assert!(!said[2].contains("lost"), "what was told as not taken is not there");
}
