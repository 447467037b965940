//! People and agents: a request shows its whole delegation chain to a person, and the decision reaches the requesting
//! agent.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use entracte_application::json_value::from_serde;
use entracte_application::ports::SessionFilter;
use entracte_application::use_cases::{
    AnswerQuestion, ApprovalChoice, CancelQuestion, DecideApprovals, DelegationStep, InboxItem, InboxKind,
    ListSessions, PendingDecision, ReadAgentTree, ReadInbox, SendMessage, SessionSearch, UseCaseError,
};
use entracte_domain::agent::MissionStatus;
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Dialect, Input, SessionKind};
use entracte_tests::runtime_fixture::{RuntimeFixture, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{
    AgentFixture, agent, asks_principal, calls, child, continues, exit_line, results, start_chat,
};

async fn inbox(life: &RuntimeFixture) -> Vec<InboxItem> {
    let services = &life.services;
    let inbox = ReadInbox::new(
        services.store.clone(),
        services.log.clone(),
        services.rows.clone(),
        services.catalog.get(),
        services.clock.clone(),
    );
    inbox.run(&life.workspace).await.unwrap()
}

/// The chain in words: the session's name, then each agent with its mission.
fn format_chain(chain: &[DelegationStep]) -> Vec<String> {
    let step = |step: &DelegationStep| match (&step.agent, &step.mission) {
        (Some(agent), Some(mission)) => format!("{agent}: {mission}"),
        _ => step.name.clone(),
    };
    chain.iter().map(step).collect()
}

/// A chat whose agent called another one, which plays these lines.
async fn start_two_level_agents(
    stage: &AgentFixture,
    line: entracte_tests::runtime_fixture::FakeModelLine,
) -> (RuntimeFixture, SessionId, SessionId) {
    stage.main([calls(&[("Above", "close the month")]), envelope_line("All is done.")]);
    stage.push_agent_lines(
        "Above",
        [calls(&[("Below", "send the letter")]), exit_line(&json!({ "ok": true }))],
    );
    stage.push_agent_lines("Below", [line, exit_line(&json!({ "sent": true }))]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    let turn = life.send_and_wait(&session, "go").await;
    assert!(turn.waiting.is_some(), "the chat says what its agents wait for");
    let above = child(&life, &session, 0).await;
    let below = child(&life, &above, 0).await;
    let way: Vec<&SessionId> = turn.waits_in.iter().map(|step| &step.session).collect();
    assert_eq!(way, [&session, &above, &below]);
    (life, session, below)
}

fn stage() -> AgentFixture {
    AgentFixture::with_agents(vec![
        agent("Above", &["agents.Below", "outside.*"]),
        agent("Below", &["outside.*"]),
    ])
}

const CHAIN: [&str; 3] = ["Home", "Above: close the month", "Below: send the letter"];

#[tokio::test(start_paused = true)]
async fn child_question_reaches_the_user() {
    let stage = stage();
    let (life, session, below) = start_two_level_agents(&stage, asks_principal("To whom?", "user")).await;
    let items = inbox(&life).await;
    assert_eq!(items.len(), 1);
    assert!(matches!(&items[0].kind, InboxKind::Question(question) if question.text() == "To whom?"));
    assert_eq!(items[0].session, below);
    assert_eq!(format_chain(&items[0].chain), CHAIN);
    // The sessions above it wait with it, in lists, too.
    let waiting = SessionFilter { waiting: true, ..SessionFilter::default() };
    let every = SessionFilter::default();
    for (filter, sought) in
        [(&waiting, SessionKind::Chat), (&every, SessionKind::Chat), (&waiting, SessionKind::Agent)]
    {
        let sought = SessionSearch { kind: Some(sought), text: String::new() };
        let lines = ListSessions::new(life.services.log.clone()).lines(filter, &sought).await.unwrap();
        let named = lines.iter().filter(|line| line.id.is_in_tree_of(&session)).count();
        assert_eq!((named, lines.iter().all(|line| line.waiting)), (lines.len(), true), "{lines:?}");
        assert_eq!(lines.len(), if sought.kind == Some(SessionKind::Chat) { 1 } else { 2 });
    }

    let answer = AnswerQuestion::new(life.mail_sender.clone());
    let empty = answer.run(&life.workspace, &below, "ann".into(), "  ".into(), None).await;
    assert!(empty.is_err(), "an answer says something");
    answer.run(&life.workspace, &below, "ann".into(), "To Bob.".into(), None).await.unwrap();
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(results(&life, &session).await[0]["status"], "MISSION_COMPLETED");
    let told = format!("{:?}", stage.model_requests("Below")[1].turns);
    assert!(told.contains("To Bob."), "{told}");
    assert!(inbox(&life).await.is_empty());
}

/// The message of the latest reply of a session, which asks its open question.
async fn asking_message(life: &RuntimeFixture, session: &SessionId) -> MessageId {
    let entries = life.entries(session).await;
    let reply = entries.iter().rfind(|entry| matches!(entry.input, Input::AiResponseReceived(_)));
    session.message_id(reply.unwrap().sequence, 0)
}

/// Input: an agent's question, whose answer comes twice, while its second question is open; expected: the second answer
/// is refused, since it names the first question. So is the wish to give the first question up.
#[tokio::test(start_paused = true)]
async fn answer_is_bound_to_its_question() {
    let stage = AgentFixture::with_agents(vec![agent("Below", &["outside.*"])]);
    stage.main([calls(&[("Below", "send the letter")]), envelope_line("All is done.")]);
    let asks = |question: &str| asks_principal(question, "user");
    stage.push_agent_lines("Below", [asks("To whom?"), asks("Today?"), exit_line(&json!({ "sent": true }))]);
    let life = stage.start_runtime().await;
    let (workspace, answer) = (&life.workspace, AnswerQuestion::new(life.mail_sender.clone()));
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    let below = child(&life, &session, 0).await;
    let first = asking_message(&life, &below).await;
    let answers = |question: &MessageId, text: &str| {
        answer.run(workspace, &below, "ann".into(), text.into(), Some(question.clone()))
    };
    for other in [&session.message_id(1, 0), &below.message_id(1, 0), &below.message_id(99, 0)] {
        let refused = answers(other, "To Bob.").await;
        assert!(matches!(refused, Err(UseCaseError::NotApplicable(_))), "{refused:?}");
    }
    answers(&first, "To Bob.").await.unwrap();
    life.follow().run_until_idle(workspace, &session, 0).await.unwrap();

    let second = asking_message(&life, &below).await;
    assert_ne!(first, second);
    let late = answers(&first, "To Eve.").await;
    assert!(
        matches!(&late, Err(UseCaseError::NotApplicable(says)) if says.to_string().contains("another question"))
    );
    let cancel = CancelQuestion::new(life.mail_sender.clone());
    let late = cancel.run(workspace, &below, "ann".into(), first).await;
    assert!(matches!(late, Err(UseCaseError::NotApplicable(_))), "{late:?}");
    assert_eq!(inbox(&life).await.len(), 1, "the second question is open");

    // Given up, the agent ends, and its caller goes on.
    cancel.run(workspace, &below, "ann".into(), second).await.unwrap();
    life.follow().run_until_idle(workspace, &session, 0).await.unwrap();
    assert!(inbox(&life).await.is_empty());
    assert_eq!(results(&life, &session).await.len(), 1, "the call of the agent has its result");
    for session in [&session, &below] {
        life.verify(session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nested_approval_shows_the_chain() {
    let stage = stage();
    let sends = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let (life, session, below) = start_two_level_agents(&stage, sends).await;
    let items = inbox(&life).await;
    let InboxKind::Approval(approval) = &items[0].kind else { panic!("{items:?}") };
    assert_eq!((items.len(), &items[0].session), (1, &below));
    assert_eq!(format_chain(&items[0].chain), CHAIN);
    assert_eq!(format_chain(&approval.chain), CHAIN);
    assert_eq!(approval.call.asked_by.people, ["ann"], "whose words led to it");
    assert!(!approval.is_changed && approval.digest.is_some());
    assert_eq!(stage.outside.recorded_effects().len(), 0, "nothing is sent before a person said yes");

    // The decision goes directly to the agent's own call.
    let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
    decide.run_for_all(&life.workspace, &below, "ann".into(), &ApprovalChoice::Approve).await.unwrap();
    let turn = life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert!(turn.waiting.is_none());
    assert_eq!(stage.outside.recorded_effects().len(), 1, "once");
    assert_eq!(results(&life, &session).await[0]["status"], "MISSION_COMPLETED");
    for session in [&session, &turn_child(&life, &session).await, &below] {
        life.verify(session).await;
    }
}

async fn turn_child(life: &RuntimeFixture, session: &SessionId) -> SessionId {
    child(life, session, 0).await
}

#[tokio::test(start_paused = true)]
async fn two_waiting_agents_get_separate_decisions() {
    let stage = AgentFixture::with_agents(vec![agent("One", &["outside.*"]), agent("Two", &["outside.*"])]);
    stage.main([calls(&[("One", "send a"), ("Two", "send b")]), envelope_line("Done.")]);
    for (agent, to) in [("One", "a"), ("Two", "b")] {
        stage.push_agent_lines(
            agent,
            [command_request_line("actions", &[("SEND", json!({ "to": to }))]), exit_line(&json!({}))],
        );
    }
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    let turn = life.send_and_wait(&session, "go").await;
    assert!(matches!(turn.waiting, Some(PendingDecision::Validation(_))));
    assert_eq!(inbox(&life).await.len(), 2);
    let (one, two) = (child(&life, &session, 0).await, child(&life, &session, 1).await);
    let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
    let reject = ApprovalChoice::Reject(None);
    decide.run_for_all(&life.workspace, &two, "ann".into(), &reject).await.unwrap();
    decide.run_for_all(&life.workspace, &one, "ann".into(), &ApprovalChoice::Approve).await.unwrap();
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(life.calls(&one).await, [("outside.send".to_owned(), "succeeded".to_owned())]);
    assert_eq!(life.calls(&two).await, [("outside.send".to_owned(), "rejected".to_owned())]);
    assert_eq!(stage.outside.recorded_effects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn agents_below_session_are_listed_as_tree() {
    let stage = stage();
    let (life, session, below) = start_two_level_agents(&stage, asks_principal("To whom?", "user")).await;
    let read = ReadAgentTree::new(life.services.store.clone(), life.services.log.clone());
    let nodes = read.run(&life.workspace, &session).await.unwrap();
    let listed: Vec<(&str, usize, Option<MissionStatus>)> =
        nodes.iter().map(|node| (node.agent.as_str(), node.depth, node.status)).collect();
    assert_eq!(listed, [("Above", 1, None), ("Below", 2, None)]);
    assert_eq!((&nodes[1].session, nodes[1].mission.as_str()), (&below, "send the letter"));
}

/// A person sends a message, and the session comes to rest.
async fn writes(life: &RuntimeFixture, author: &str, session: &SessionId, text: &str) {
    let after = life.follow().last_entry_number(&life.workspace, session).await.unwrap();
    let send = SendMessage::new(life.mail_sender.clone());
    send.run(&life.workspace, session, author.into(), UserMessage::text(text), None).await.unwrap();
    life.follow().run_until_idle(&life.workspace, session, after).await.unwrap();
}

/// Input: an agent that works for Ann asks back, Bob answers in the chat, and then Ann does; expected: no message of
/// that chat reaches the agent any more, because the chat's model has read Bob's message. It acts with Ann's rights and
/// for Ann.
#[tokio::test(start_paused = true)]
async fn agent_ignores_other_principals() {
    let stage = AgentFixture::with_agents(vec![agent("Below", &["outside.*"])]);
    stage.main([calls(&[("Below", "send the letter")]), envelope_line("To whom?")]);
    stage.push_agent_lines("Below", [asks_principal("To whom?", "agent")]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    writes(&life, "ann", &session, "go").await;
    let below = child(&life, &session, 0).await;

    stage.main([continues(&below, "To Eve."), envelope_line("I cannot tell it that.")]);
    writes(&life, "bob", &session, "to Eve").await;
    assert_eq!(life.calls(&session).await[1], ("agent.continue".to_owned(), "forbidden".to_owned()));
    assert_eq!(stage.model_requests("Below").len(), 1, "it was not asked again");
    let told = format!("{:?}", stage.model_requests("").last().unwrap().turns.last().unwrap());
    assert!(told.contains("works for other people") && told.contains("a new mission"), "{told}");

    stage.main([continues(&below, "To Bob."), envelope_line("Done.")]);
    writes(&life, "ann", &session, "to Bob").await;
    assert_eq!(life.calls(&session).await[2], ("agent.continue".to_owned(), "forbidden".to_owned()));
    assert_eq!(stage.model_requests("Below").len(), 1);
    life.verify(&session).await;
}

/// Input: Bob changes the mission that Ann requested, and then a message to the agent; expected: the agent's actions
/// are requested by both and have the rights of neither, and Bob's message to an agent of Ann's alone is refused.
#[tokio::test(start_paused = true)]
async fn changing_agent_messages_adds_principal() {
    let stage =
        AgentFixture::with_agents(vec![agent("Below", &["outside.*"]), agent("Asker", &["outside.*"])]);
    stage.main([calls(&[("Below", "send the letter")])]);
    stage.push_agent_lines("Below", [command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, true).await;
    let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
    let edits = |mission: serde_json::Value| ApprovalChoice::ApproveEdited(from_serde(&mission));
    writes(&life, "ann", &session, "go").await;
    let mission = edits(json!({ "query": "send it to Eve" }));
    decide.run_for_all(&life.workspace, &session, "bob".into(), &mission).await.unwrap();
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    let InboxKind::Approval(card) = inbox(&life).await.remove(0).kind else { panic!("an approval waits") };
    let asked_by = &card.call.asked_by;
    assert_eq!((asked_by.people.join(", ").as_str(), &asked_by.acts_as), ("ann, bob", &None));

    let other = start_chat(&life, Dialect::Envelope, true).await;
    stage.main([calls(&[("Asker", "ask back")]), envelope_line("To whom?")]);
    stage.push_agent_lines("Asker", [asks_principal("To whom?", "agent")]);
    writes(&life, "ann", &other, "go").await;
    life.decide_and_wait(&other, ApprovalChoice::Approve).await;
    let asker = child(&life, &other, 0).await;
    stage.main([continues(&asker, "To Bob.")]);
    writes(&life, "ann", &other, "to Bob").await;
    let answer = edits(json!({ "child": asker.as_str(), "answer": "To Eve." }));
    let refused = decide.run_for_all(&life.workspace, &other, "bob".into(), &answer).await;
    assert!(matches!(refused, Err(UseCaseError::Invalid(_))), "{refused:?}");
    assert_eq!(stage.model_requests("Asker").len(), 1);
    life.verify(&session).await;
}
