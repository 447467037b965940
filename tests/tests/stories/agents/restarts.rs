//! A crashed process leaves its agents in place: none is created again, none is lost, and each result is reported once.

use entracte_application::use_cases::{ExportSession, ImportSession};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, Input};
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{
    AgentFixture, agent, asks_principal, calls, child, continues, exit_line, facts, results, start_chat,
};

async fn made(life: &RuntimeFixture, session: &SessionId) -> usize {
    let entries = life.entries(session).await;
    entries.iter().filter(|entry| matches!(entry.input, Input::SessionCreated(_))).count()
}

/// Input: a chat with eight agents, one at each point where a process may crash: before its model answered, in the
/// middle of a query, at rest with a question, ended. Expected: the next process resumes each.
#[tokio::test(start_paused = true)]
async fn child_resumes_after_crash() {
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let stage = AgentFixture::with_agents(names.iter().map(|name| agent(name, &["outside.look"])).collect());
    let missions: Vec<(&str, &str)> = names.iter().map(|name| (*name, "look")).collect();
    stage.main([calls(&missions)]);
    let look = |at: &str| command_request_line("queries", &[("LOOK", json!({ "at": at }))]);
    for (place, name) in names.iter().enumerate() {
        match place % 4 {
            0 => stage.push_agent_lines(name, [FakeModelLine::Hangs]),
            1 => stage.push_agent_lines(name, [look("a"), FakeModelLine::Hangs]),
            2 => stage.push_agent_lines(name, [asks_principal("Which?", "agent")]),
            _ => stage.push_agent_lines(name, [exit_line(&json!({ "name": name }))]),
        }
    }
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "go").await;
    // Four hang, two asked, two ended: eight first calls, and two more after the queries.
    let asked = || names.iter().map(|name| stage.model_requests(name).len()).sum::<usize>();
    while asked() < 10 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut agents = Vec::new();
    for number in 0..names.len() {
        agents.push(child(&life, &session, number).await);
    }
    drop(life);

    for (place, name) in names.iter().enumerate() {
        if place % 4 < 2 {
            stage.push_agent_lines(name, [exit_line(&json!({ "name": name }))]);
        }
    }
    stage.main([continues(&agents[2], "this"), continues(&agents[6], "that"), envelope_line("All is done.")]);
    for name in ["C", "G"] {
        stage.push_agent_lines(name, [exit_line(&json!({ "name": name }))]);
    }
    let next = stage.start_runtime().await;
    next.follow().run_until_idle(&next.workspace, &session, 0).await.unwrap();
    let results = results(&next, &session).await;
    assert_eq!(results.len(), 10, "eight calls and two answers: {results:?}");
    let completed = results.iter().filter(|result| result["status"] == "MISSION_COMPLETED");
    let mut named: Vec<&str> = completed.filter_map(|result| result["result"]["name"].as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, names, "each result once");
    for agent in &agents {
        assert_eq!((made(&next, agent).await, next.phase(agent).await), (1, "COMPLETED"));
        next.verify(agent).await;
    }
    next.verify(&session).await;
}

/// Input: a file whose session has the id that the agent of a chat will get, imported before the chat calls it;
/// expected: the import is a session of its own, the agent is created as usual, and neither changes the other.
#[tokio::test(start_paused = true)]
async fn import_with_future_agent_id_stays_separate() {
    let story = || {
        let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
        stage.main([calls(&[("JobManager", "count")]), envelope_line("Three.")]);
        stage.push_agent_lines("JobManager", [exit_line(&json!({ "open": 3 }))]);
        stage
    };
    // The same history gives the same ids, so the agent of the first chat has the id that the second one's will have.
    let first = story();
    let life = first.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    let future = child(&life, &session, 0).await;
    let export = ExportSession::new(life.services.store.clone(), life.services.log.clone());
    let file = export.run(&life.workspace, &future).await.unwrap().encode().unwrap();

    let second = story();
    let life = second.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    let import = ImportSession::new(life.mail_sender.clone(), life.services.ids.clone());
    let imported = import.run(&life.workspace, "bob".into(), file, false).await.unwrap().session;
    assert_ne!(imported, future);
    let before = facts(&life, &imported).await;

    life.send_and_wait(&session, "go").await;
    assert_eq!(child(&life, &session, 0).await, future, "the same id as in the file");
    assert_eq!(results(&life, &session).await[0]["status"], "MISSION_COMPLETED");
    assert_eq!(facts(&life, &future).await.agent.unwrap().from, session);
    assert_eq!(facts(&life, &imported).await, before, "it is no agent of anybody");
    for session in [&session, &future, &imported] {
        life.verify(session).await;
    }
}
