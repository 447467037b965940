//! The number of concurrent model calls within an agent tree.

use std::sync::Arc;

use entracte_application::runtime::{ProviderAccounts, RuntimeServices};
use entracte_domain::session::Dialect;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::runtime_fixture::{RuntimeFixture, services};
use serde_json::json;

use super::fixture::{AgentFixture, agent, calls, exit_line, start_chat};

/// Waits until this many calls have started, and a while longer in which more could start.
async fn asked(model: &GatedFakeModel) -> usize {
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    model.asked()
}

/// Input: eight agents of one reply, whose model answers none of them. Expected: four are called, and another one after
/// each answer; with the limit 0 all are called at once.
#[tokio::test(start_paused = true)]
async fn four_agents_of_tree_call_models_concurrently() {
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    for (limit, at_once) in [(4, 4), (0, 8)] {
        let model = Arc::new(GatedFakeModel::default());
        let mut stage = AgentFixture::with_agents(names.iter().map(|name| agent(name, &[])).collect());
        stage.parts.provider = model.clone();
        let missions: Vec<(&str, &str)> = names.iter().map(|name| (*name, "go")).collect();
        model.model.push_lines([calls(&missions)]);
        model.model.push_lines(names.iter().map(|name| exit_line(&json!({ "name": name }))));
        let accounts = Arc::new(ProviderAccounts::default().with_tree_limit(limit));
        let parts = services(&stage.parts);
        let life =
            RuntimeFixture::start_runtime(Arc::new(RuntimeServices { accounts, ..(*parts).clone() })).await;
        let session = start_chat(&life, Dialect::Envelope, false).await;
        life.send_message(&session, "ask them all").await;
        model.let_answer(1);
        assert_eq!(asked(&model).await, 1 + at_once);
        model.let_answer(1);
        assert_eq!(asked(&model).await, 1 + (at_once + 1).min(names.len()));
    }
}
