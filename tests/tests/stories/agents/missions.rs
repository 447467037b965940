//! Missions: the prompt of an agent, the ends of a mission, and the report to the caller.

use entracte_application::agents::AgentLimitSettings;
use entracte_domain::session::Dialect;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{
    AgentFixture, agent, asks_principal, calls, child, continues, exit_line, facts, results, start_chat,
};

#[tokio::test(start_paused = true)]
async fn agent_completes_mission_and_reports_result() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["outside.look"])]);
    stage.main([calls(&[("JobManager", "Which jobs are open?")]), envelope_line("Three jobs are open.")]);
    stage.push_agent_lines(
        "JobManager",
        [
            command_request_line("queries", &[("LOOK", json!({ "at": "jobs" }))]),
            exit_line(&json!({ "open": 3 })),
        ],
    );
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    let turn = life.send_and_wait(&session, "how many jobs are open?").await;
    assert_eq!(turn.rounds, 2);

    let result = &results(&life, &session).await[0];
    let child = child(&life, &session, 0).await;
    assert_eq!(
        [&result["status"], &result["agent"], &result["child"], &result["result"], &result["conclusion"]],
        [
            &json!("MISSION_COMPLETED"),
            &json!("JobManager"),
            &json!(child.as_str()),
            &json!({ "open": 3 }),
            &json!("It is done."),
        ]
    );
    assert_eq!(result["rounds"], 2);

    // The agent reads its role and its mission, and nothing of the conversation above it.
    let request = &stage.model_requests("JobManager")[0];
    let told = format!("{:?} {:?}", request.system, request.turns);
    assert!(told.contains("Which jobs are open?") && !told.contains("how many jobs"), "{told}");
    assert!(told.contains("EXIT_WITH_RESULT") && !told.contains("`completed`"), "{told}");
    assert_eq!(request.output_tokens, Some(1024));
    // The parent's prompt contains only the result.
    let above = format!("{:?}", stage.model_requests("")[1].turns);
    assert!(above.contains("MISSION_COMPLETED") && !above.contains("LOOK"), "{above}");
    for session in [&session, &child] {
        life.verify(session).await;
    }
    assert_eq!((life.phase(&session).await, life.phase(&child).await), ("IDLE", "COMPLETED"));
}

#[tokio::test(start_paused = true)]
async fn parallel_agents_report_in_call_order() {
    let stage = AgentFixture::with_agents(vec![agent("Slow", &["outside.look"]), agent("Quick", &[])]);
    stage.main([calls(&[("Slow", "first"), ("Quick", "second")]), envelope_line("Both are done.")]);
    let look = command_request_line("queries", &[("LOOK", json!({ "at": "a" }))]);
    stage.push_agent_lines("Slow", [look, exit_line(&json!({ "n": 1 }))]);
    stage.push_agent_lines("Quick", [exit_line(&json!({ "n": 2 }))]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "ask both").await;
    let results = results(&life, &session).await;
    assert_eq!([&results[0]["agent"], &results[1]["agent"]], [&json!("Slow"), &json!("Quick")]);
    let told = format!("{:?}", stage.model_requests("")[1].turns);
    let (first, second) = (told.find(r#"\"n\":1"#), told.find(r#"\"n\":2"#));
    assert!(first.is_some() && first < second, "{told}");
}

#[tokio::test(start_paused = true)]
async fn text_only_reply_is_question_to_caller() {
    for line in
        [envelope_line("Which month do you mean?"), asks_principal("Which month do you mean?", "agent")]
    {
        let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
        stage.main([calls(&[("JobManager", "count the jobs")]), envelope_line("I have to think.")]);
        stage.push_agent_lines("JobManager", [line]);
        let life = stage.start_runtime().await;
        let session = start_chat(&life, Dialect::Envelope, false).await;
        life.send_and_wait(&session, "count").await;
        let result = &results(&life, &session).await[0];
        assert_eq!(result["status"], "TEXT_OUTPUT");
        assert_eq!(result["question"], "Which month do you mean?");
        let child = child(&life, &session, 0).await;
        assert_eq!(life.phase(&child).await, "IDLE");

        stage.main([continues(&child, "October"), envelope_line("Seven.")]);
        stage.push_agent_lines("JobManager", [exit_line(&json!({ "count": 7 }))]);
        life.send_and_wait(&session, "go on").await;
        let results = results(&life, &session).await;
        assert_eq!((results.len(), &results[1]["result"]["count"]), (2, &json!(7)));
        let told = format!("{:?}", stage.model_requests("JobManager")[1].turns);
        assert!(told.contains("October"), "{told}");
        life.verify(&child).await;
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn agent_at_round_limit_reports_its_state() {
    let limits = AgentLimitSettings { rounds: Some(2), ..AgentLimitSettings::default() };
    let stage = AgentFixture::with_agents(vec![entracte_application::agents::AgentDeclaration {
        limits,
        ..agent("JobManager", &["outside.look"])
    }]);
    let look = |at: &str| command_request_line("queries", &[("LOOK", json!({ "at": at }))]);
    stage.main([calls(&[("JobManager", "look everywhere")]), envelope_line("It did not finish.")]);
    stage.push_agent_lines("JobManager", [look("a"), look("b"), look("c"), look("d"), look("e")]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "look").await;
    let result = &results(&life, &session).await[0];
    assert_eq!(result["status"], "MAX_TURNS_REACHED", "{result}");
    assert!(result["result"]["last_results"].as_array().is_some_and(|last| !last.is_empty()), "{result}");
    assert_eq!((&result["reason"], &result["conclusion"]), (&json!("ROUNDS"), &json!("One moment.")));
    assert_eq!(result["explanation"], "Limit reached: 2 rounds (limits.rounds = 2).", "{result}");
}

/// Input: the model of an agent refuses, in both dialects; expected: the caller reads a reason and an explanation beside
/// an empty conclusion, none of the provider's words, and both journals replay.
#[tokio::test(start_paused = true)]
async fn failed_agent_gives_its_caller_a_reason() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
        let call = match dialect {
            Dialect::Envelope => calls(&[("JobManager", "count")]),
            Dialect::Tools => {
                FakeModelLine::Calls(vec![("agents.JobManager".into(), json!({ "query": "count" }))])
            }
        };
        let words = match dialect {
            Dialect::Envelope => envelope_line("It failed."),
            Dialect::Tools => FakeModelLine::Says("It failed.".into()),
        };
        stage.main([call, words]);
        stage.push_agent_lines("JobManager", [FakeModelLine::Fails(FailureClass::Refused)]);
        let life = stage.start_runtime().await;
        let session = start_chat(&life, dialect, false).await;
        life.send_and_wait(&session, "count").await;
        let result = &results(&life, &session).await[0];
        let told = [&result["status"], &result["reason"], &result["conclusion"], &result["explanation"]];
        let expected = ["ERROR", "REFUSED", "", "Its model refuses this content."].map(|word| json!(word));
        assert_eq!(told, [&expected[0], &expected[1], &expected[2], &expected[3]], "{result}");
        let child = child(&life, &session, 0).await;
        let read = format!("{:?}", stage.model_requests("").last().map(|request| request.turns.clone()));
        assert!(read.contains("REFUSED"), "{read}");
        life.verify(&child).await;
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn result_violating_schema_is_requested_again() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["open"],
        "properties": { "open": { "type": "integer" } },
    });
    let stage = AgentFixture::with_agents(vec![entracte_application::agents::AgentDeclaration {
        result_schema: Some(schema),
        ..agent("JobManager", &[])
    }]);
    stage.main([calls(&[("JobManager", "count")]), envelope_line("Three.")]);
    stage.push_agent_lines(
        "JobManager",
        [exit_line(&json!({ "open": "three" })), exit_line(&json!({ "open": 3 }))],
    );
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "count").await;
    assert_eq!(results(&life, &session).await[0]["result"], json!({ "open": 3 }));
    let told = format!("{:?}", stage.model_requests("JobManager")[1].turns);
    assert!(told.contains("does not fit its schema") && told.contains("/open"), "{told}");
    assert!(format!("{:?}", stage.model_requests("JobManager")[0].system).contains("additionalProperties"));
}

#[tokio::test(start_paused = true)]
async fn an_exit_beside_commands_ends_nothing() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["outside.look"])]);
    let both = json!({
        "pre_text": "", "queries": [{ "type": "LOOK", "params": { "at": "jobs" } }],
        "EXIT_WITH_RESULT": { "reason": "done", "result": {}, "conclusion": "done" },
    });
    stage.main([calls(&[("JobManager", "count")]), envelope_line("Four.")]);
    stage.push_agent_lines(
        "JobManager",
        [FakeModelLine::Says(both.to_string()), exit_line(&json!({ "open": 4 }))],
    );
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "count").await;
    assert_eq!(results(&life, &session).await[0]["result"], json!({ "open": 4 }));
    let told = format!("{:?}", stage.model_requests("JobManager")[1].turns);
    assert!(told.contains("EXIT_ALONE"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn usage_counts_up_the_tree() {
    let stage = AgentFixture::with_agents(vec![agent("Above", &["agents.Below"]), agent("Below", &[])]);
    stage.main([calls(&[("Above", "ask below")]), envelope_line("Done.")]);
    stage.push_agent_lines("Above", [calls(&[("Below", "say it")]), exit_line(&json!({ "ok": true }))]);
    stage.push_agent_lines("Below", [exit_line(&json!({ "ok": true }))]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    let result = &results(&life, &session).await[0];
    // The upper agent called its model twice and the lower one once: 10 input and 5 output tokens each time.
    assert_eq!([&result["usage"]["input"], &result["usage"]["output"]], [&json!(30), &json!(15)]);
    let facts = facts(&life, &session).await;
    assert_eq!((facts.usage.input, facts.below.usage.input), (20, 30));
}

#[tokio::test(start_paused = true)]
async fn native_calls_carry_missions_too() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["outside.look"])]);
    let query = json!({ "query": "Which jobs are open?" });
    let exit = json!({ "reason": "done", "result": { "open": 3 }, "conclusion": "Three." });
    stage.main([
        FakeModelLine::Calls(vec![("agents.JobManager".into(), query)]),
        FakeModelLine::Says("Three.".into()),
    ]);
    stage.push_agent_lines(
        "JobManager",
        [
            FakeModelLine::Calls(vec![
                ("outside.look".into(), json!({ "at": "jobs" })),
                ("EXIT_WITH_RESULT".into(), exit.clone()),
            ]),
            FakeModelLine::Calls(vec![("EXIT_WITH_RESULT".into(), exit)]),
        ],
    );
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&session, "count").await;
    assert_eq!(results(&life, &session).await[0]["result"], json!({ "open": 3 }));
    let request = &stage.model_requests("JobManager")[1];
    assert!(format!("{:?}", request.turns).contains("EXIT_ALONE"), "{:?}", request.turns);
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"EXIT_WITH_RESULT") && !names.contains(&"complete"), "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn stopping_session_stops_its_agents_first() {
    use entracte_application::use_cases::StopSession;
    let stage = AgentFixture::with_agents(vec![agent("Above", &["agents.Below"]), agent("Below", &[])]);
    stage.main([calls(&[("Above", "ask below")])]);
    stage.push_agent_lines("Above", [calls(&[("Below", "take your time")])]);
    stage.push_agent_lines("Below", [FakeModelLine::Hangs]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "go").await;
    while stage.model_requests("Below").is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let above = child(&life, &session, 0).await;
    let below = child(&life, &above, 0).await;
    StopSession::new(life.mail_sender.clone()).run(&life.workspace, &session, "ann".into()).await.unwrap();
    for agent in [&above, &below] {
        assert_eq!(life.phase(agent).await, "COMPLETED");
        life.verify(agent).await;
    }
    assert_eq!(life.phase(&session).await, "IDLE");
    life.verify(&session).await;
}
