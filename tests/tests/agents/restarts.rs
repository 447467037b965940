//! A process that dies leaves its agents where they were: none begins again, none is lost, and each result goes up once.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, Input};
use entracte_tests::stage::{Life, Line, asks, says};
use serde_json::json;

use crate::cast::{Stage, agent, asks_principal, calls, chat, child, continues, exits, results};

async fn made(life: &Life, session: &SessionId) -> usize {
    let entries = life.entries(session).await;
    entries.iter().filter(|entry| matches!(entry.input, Input::SessionCreated(_))).count()
}

/// Input: a chat with eight agents, of which one is at each place where a process may die: before its model answered, in
/// the middle of a query, at rest with a question, ended. Expected: the next process goes on with each.
#[tokio::test(start_paused = true)]
async fn child_resumes_after_crash() {
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let stage = Stage::new(names.iter().map(|name| agent(name, &["outside.look"])).collect());
    let missions: Vec<(&str, &str)> = names.iter().map(|name| (*name, "look")).collect();
    stage.main([calls(&missions)]);
    let look = |at: &str| asks("queries", &[("LOOK", json!({ "at": at }))]);
    for (place, name) in names.iter().enumerate() {
        match place % 4 {
            0 => stage.plays(name, [Line::Hangs]),
            1 => stage.plays(name, [look("a"), Line::Hangs]),
            2 => stage.plays(name, [asks_principal("Which?", "agent")]),
            _ => stage.plays(name, [exits(&json!({ "name": name }))]),
        }
    }
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send(&session, "go").await;
    // Four hang, two asked, two ended: eight first calls, and two more after the queries.
    let asked = || names.iter().map(|name| stage.asked(name).len()).sum::<usize>();
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
            stage.plays(name, [exits(&json!({ "name": name }))]);
        }
    }
    stage.main([continues(&agents[2], "this"), continues(&agents[6], "that"), says("All is done.")]);
    for name in ["C", "G"] {
        stage.plays(name, [exits(&json!({ "name": name }))]);
    }
    let next = stage.life().await;
    next.follow().until_rest(&next.workspace, &session, 0).await.unwrap();
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
