//! What a tree of agents costs: in the sums of the store, and by whom and for what.

use entracte_application::ports::{CostFilter, CostInitiator, CostSumBy, CostSumKey};
use entracte_domain::id::SessionId;
use entracte_domain::session::Dialect;
use entracte_tests::cost_checks::{all_sums, check_all_sums};
use entracte_tests::runtime_fixture::envelope_line;
use serde_json::json;

use super::fixture::{AgentFixture, agent, calls, child, exit_line, start_chat};
use crate::copies::fixture::all_stores;

/// Input: a chat whose agent calls an agent; expected: the sum of each session has those below it, in the tree of an agent
/// nothing above it counts, all of it is of the person who wrote, and each reply counts for the command that it asked for;
/// on every store.
#[tokio::test(start_paused = true)]
async fn sums_of_sessions_include_agents() {
    for stores in all_stores() {
        let mut stage =
            AgentFixture::with_agents(vec![agent("Above", &["agents.Below"]), agent("Below", &[])]);
        stage.parts.stores = stores;
        stage.main([calls(&[("Above", "ask below")]), envelope_line("Done.")]);
        let above_lines = [calls(&[("Below", "say it")]), exit_line(&json!({ "ok": true }))];
        stage.push_agent_lines("Above", above_lines);
        stage.push_agent_lines("Below", [exit_line(&json!({ "ok": true }))]);
        let life = stage.start_runtime().await;
        let session = start_chat(&life, Dialect::Envelope, false).await;
        life.send_and_wait(&session, "go").await;
        let above = child(&life, &session, 0).await;
        let below = child(&life, &above, 0).await;

        let log = &life.services.log;
        check_all_sums(log, &life.workspace).await;
        let sums = async |filter: CostFilter| {
            let sums = all_sums(log, &filter).await;
            sums.into_iter().map(|sum| (sum.key, sum.attempts, sum.usage.input)).collect::<Vec<_>>()
        };
        let by = |by: CostSumBy| CostFilter::new(life.workspace.clone(), by, 9);
        // Every call reads 10 tokens: two of the chat, two of the agent, one of the agent below it.
        let of = |session: &SessionId, attempts: u64| {
            (CostSumKey::Session(session.clone()), attempts, attempts * 10)
        };
        let expected = [of(&session, 5), of(&above, 3), of(&below, 1)];
        assert_eq!(sums(by(CostSumBy::Session)).await, expected);
        let tree = CostFilter { tree: Some(above.clone()), ..by(CostSumBy::Session) };
        assert_eq!(sums(tree).await, [of(&above, 3), of(&below, 1)]);
        assert_eq!(sums(by(CostSumBy::Tree)).await, [(CostSumKey::Tree(session.clone()), 5, 50)]);
        let ann = CostSumKey::Initiator(CostInitiator::Person("ann".to_owned()));
        assert_eq!(sums(by(CostSumBy::Initiator)).await, [(ann, 5, 50)]);
        let commands =
            |names: &str, attempts: u64| (CostSumKey::CommandSet(names.to_owned()), attempts, attempts * 10);
        let expected = [commands("", 3), commands("agents.Above", 1), commands("agents.Below", 1)];
        assert_eq!(sums(by(CostSumBy::CommandSet)).await, expected);
    }
}
