//! The rights of an agent are at most those of its caller, whatever it requests: attempts that need the whole
//! application. Attempts that pure functions cover are in the domain
//! (`workspace/parent_child/tests/rights_escalation.rs`).

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use entracte_application::mail::NewRuleRequest;
use entracte_application::use_cases::{
    AddApprovalRule, ApprovalChoice, ChangeSession, DecideApprovals, DeleteSession, NewChat, SessionUpdate,
    StartChat,
};
use entracte_domain::id::SessionId;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_domain::validation::{ArgumentCondition, RuleScope, UseLimits};
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{
    AgentFixture, agent, asks_principal, calls, child, continues, exit_line, results, start_chat,
};

fn send() -> FakeModelLine {
    command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])
}

async fn restricted(life: &RuntimeFixture, patterns: &[&str]) -> SessionId {
    let chat = NewChat {
        dialect: Dialect::Envelope,
        model: "fake-1".into(),
        restriction: Restriction::parse(patterns.iter().copied()).unwrap(),
        ..NewChat::new("Home", "fake")
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

/// Input: an agent that requests forbidden commands; expected: refused, journaled in its own log, and nothing sent.
#[tokio::test(start_paused = true)]
async fn child_rights_only_shrink() {
    // A command it was not declared with; one that its caller may not use, though it was declared; and `*`.
    let cases: [(&[&str], &[&str]); 3] = [
        (&["outside.look"], &["*"]),
        (&["outside.send"], &["agents.*", "outside.look"]),
        (&["*"], &["agents.*", "outside.look"]),
    ];
    for (declared, callers) in cases {
        let stage = AgentFixture::with_agents(vec![agent("JobManager", declared)]);
        stage.main([calls(&[("JobManager", "send it; Ann approved it")]), envelope_line("It may not.")]);
        stage.push_agent_lines("JobManager", [send(), exit_line(&json!({ "sent": false }))]);
        let life = stage.start_runtime().await;
        let session = restricted(&life, callers).await;
        let turn = life.send_and_wait(&session, "go").await;
        assert!(turn.waiting.is_none(), "{declared:?} under {callers:?}");
        let agent = child(&life, &session, 0).await;
        assert_eq!(
            life.calls(&agent).await,
            [("outside.send".to_owned(), "forbidden".to_owned())],
            "{declared:?} under {callers:?}"
        );
        assert!(stage.outside.recorded_effects().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_agent_loses_rights_of_its_caller() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["outside.*"])]);
    stage.main([calls(&[("JobManager", "send it")]), envelope_line("It may not any more.")]);
    stage.push_agent_lines("JobManager", [send(), exit_line(&json!({ "sent": false }))]);
    let life = stage.start_runtime().await;
    let session = restricted(&life, &["*"]).await;
    life.send_and_wait(&session, "go").await;
    let agent = child(&life, &session, 0).await;
    let change = SessionUpdate {
        restriction: Some(Restriction::parse(["agents.*", "outside.look"]).unwrap()),
        ..SessionUpdate::default()
    };
    let changes = ChangeSession::new(life.mail_sender.clone(), life.services.store.clone());
    changes.run(&life.workspace, &session, "ann".into(), change).await.unwrap();
    let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
    let decided = decide.run_for_all(&life.workspace, &agent, "ann".into(), &ApprovalChoice::Approve).await;
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert!(stage.outside.recorded_effects().is_empty(), "{decided:?}");
    assert_eq!(life.calls(&agent).await, [("outside.send".to_owned(), "forbidden".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn agent_actions_need_approvals_of_its_caller() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["zones.*"])]);
    stage.main([calls(&[("JobManager", "make a zone")]), envelope_line("Done.")]);
    let zone = command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Garden" }))]);
    stage.push_agent_lines("JobManager", [zone, exit_line(&json!({}))]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, true).await;
    life.send_and_wait(&session, "go").await;
    // The call to the agent is an action, too.
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    let agent = child(&life, &session, 0).await;
    assert_eq!(life.phase(&agent).await, "WAITING_VALIDATION");
    assert_eq!(life.calls(&agent).await[0].1, "waiting_decision");
}

/// Input: a person denies an action to a chat; expected: it is denied to the chat's agents, too.
#[tokio::test(start_paused = true)]
async fn denied_command_is_denied_to_agents() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["zones.*"])]);
    stage.main([calls(&[("JobManager", "make a zone")]), envelope_line("It may not.")]);
    let zone = command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Garden" }))]);
    stage.push_agent_lines("JobManager", [zone, exit_line(&json!({}))]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    let refusal = NewRuleRequest {
        command: "zones.create".into(),
        arguments: Vec::new(),
        scope: RuleScope::Session(session.clone()),
        denies: Some("no zones in this chat".into()),
        lasts: None,
        limits: UseLimits::default(),
        agents: false,
        people: Vec::new(),
    };
    AddApprovalRule::new(life.mail_sender.clone()).run(&life.workspace, "ann".into(), refusal).await.unwrap();
    life.send_and_wait(&session, "go").await;
    let agent = child(&life, &session, 0).await;
    assert_eq!(life.calls(&agent).await, [("zones.create".to_owned(), "forbidden".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn agent_of_other_session_cannot_be_answered() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
    stage.main([calls(&[("JobManager", "count")]), envelope_line("It asked.")]);
    stage.push_agent_lines("JobManager", [asks_principal("Which?", "agent")]);
    let life = stage.start_runtime().await;
    let owner = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&owner, "go").await;
    let agent = child(&life, &owner, 0).await;

    let stranger = start_chat(&life, Dialect::Envelope, false).await;
    stage.main([continues(&agent, "October"), envelope_line("It is not mine.")]);
    life.send_and_wait(&stranger, "answer it").await;
    assert_eq!(life.calls(&stranger).await, [("agent.continue".to_owned(), "forbidden".to_owned())]);
    assert_eq!(life.phase(&agent).await, "IDLE");
    assert_eq!(stage.model_requests("JobManager").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn agents_go_with_the_session_that_called_them() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
    stage.main([calls(&[("JobManager", "count"), ("JobManager", "count again")]), envelope_line("Done.")]);
    stage.push_agent_lines("JobManager", [exit_line(&json!({ "n": 1 })), asks_principal("Which?", "agent")]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    assert_eq!(results(&life, &session).await.len(), 2);
    let agents = [child(&life, &session, 0).await, child(&life, &session, 1).await];
    DeleteSession::new(life.mail_sender.clone()).run(&life.workspace, &session, "ann".into()).await.unwrap();
    for agent in agents {
        let found = life.services.store.session(&life.workspace, &agent).await.unwrap();
        assert!(found.is_none(), "{agent}");
    }
}

#[tokio::test(start_paused = true)]
async fn ordinary_session_neither_exits_nor_asks_upwards() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &[])]);
    stage.main([exit_line(&json!({})), envelope_line("Sorry.")]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    let told = format!("{:?}", stage.model_requests("")[1].turns);
    assert!(told.contains("for agents"), "{told}");
    assert_eq!(life.phase(&session).await, "IDLE");
}

/// Input: a person approves zones in advance: for all but agents, for the session that calls one, and for agents too;
/// expected: only an approval for agents covers an agent's request.
#[tokio::test(start_paused = true)]
async fn standing_approval_covers_agents_only_explicitly() {
    let cases =
        [(false, false, "waiting_decision"), (true, false, "waiting_decision"), (false, true, "succeeded")];
    for (in_session, agents, expected) in cases {
        let stage = AgentFixture::with_agents(vec![agent("JobManager", &["zones.*"])]);
        stage.main([calls(&[("JobManager", "make a zone")]), envelope_line("Done.")]);
        let zone = command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Garden" }))]);
        stage.push_agent_lines("JobManager", [zone, exit_line(&json!({}))]);
        let life = stage.start_runtime().await;
        let session = start_chat(&life, Dialect::Envelope, true).await;
        let rule = |command: &str, argument: &str| NewRuleRequest {
            command: command.into(),
            arguments: vec![(argument.to_owned(), ArgumentCondition::Any)],
            scope: RuleScope::Workspace,
            denies: None,
            lasts: None,
            limits: UseLimits::default(),
            agents: false,
            people: Vec::new(),
        };
        let zones = NewRuleRequest {
            scope: if in_session { RuleScope::Session(session.clone()) } else { RuleScope::Workspace },
            agents,
            ..rule("zones.create", "name")
        };
        let add = AddApprovalRule::new(life.mail_sender.clone());
        for new in [rule("agents.JobManager", "query"), zones] {
            add.run(&life.workspace, "ann".into(), new).await.unwrap();
        }
        life.send_and_wait(&session, "go").await;
        let agent = child(&life, &session, 0).await;
        let calls = life.calls(&agent).await;
        assert_eq!(calls, [("zones.create".to_owned(), expected.to_owned())], "{in_session} {agents}");
    }
}

/// Input: a rule for agents that is limited to one session, or that denies; expected: it is not created, and the error
/// says why.
#[tokio::test(start_paused = true)]
async fn rule_for_agents_covers_whole_workspace() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["zones.*"])]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, true).await;
    let scopes = [
        (RuleScope::Session(session), None),
        (RuleScope::Agent("JobManager".into()), None),
        (RuleScope::Workspace, Some("no zones".to_owned())),
    ];
    for (scope, denies) in scopes {
        let new = NewRuleRequest {
            command: "zones.create".into(),
            arguments: vec![("name".into(), ArgumentCondition::Any)],
            scope,
            denies,
            lasts: None,
            limits: UseLimits::default(),
            agents: true,
            people: Vec::new(),
        };
        let refused =
            AddApprovalRule::new(life.mail_sender.clone()).run(&life.workspace, "ann".into(), new).await;
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("only in the whole workspace"), "{why}");
    }
}
