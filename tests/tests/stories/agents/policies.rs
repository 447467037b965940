//! The policies of an automation also apply to the agents of its runs.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use entracte_application::use_cases::{AutomationParams, CreateAutomation, RunAutomation};
use entracte_domain::automation::{AutomationPolicies, RunPolicy, Trigger};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{CompletionCheck, Dialect, LimitProfile, ModelSelection, UnattendedPolicy};
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture, command_request_line};
use serde_json::json;

use super::fixture::{AgentFixture, agent, calls, child, exit_line, facts, results};

fn send() -> FakeModelLine {
    command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])
}

fn is_done() -> FakeModelLine {
    FakeModelLine::Says(json!({ "pre_text": "Done.", "completed": true }).to_string())
}

/// A run of an automation with these policies, at rest.
async fn run(life: &RuntimeFixture, run: RunPolicy) -> SessionId {
    let plan = AutomationParams {
        name: "Nightly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies { run, ..AutomationPolicies::default() },
        enabled: true,
        message: UserMessage::text("have it sent"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let automation = create.run(&life.workspace, "ann".into(), plan).await.unwrap();
    let begin = RunAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let run = begin.run(&life.workspace, "ann".into(), &automation, None).await.unwrap().session;
    life.follow().run_until_idle(&life.workspace, &run, 0).await.unwrap();
    run
}

/// Input: a run that refuses actions without an approver, confirms completion, and has the strict limits; expected: the
/// same for its agent, which is informed.
#[tokio::test(start_paused = true)]
async fn run_agent_inherits_automation_policies() {
    let stage = AgentFixture::with_agents(vec![agent("JobManager", &["outside.send"])]);
    stage.main([calls(&[("JobManager", "send it")]), is_done(), is_done()]);
    let done = || exit_line(&json!({ "sent": false }));
    stage.push_agent_lines("JobManager", [send(), done(), done()]);
    let life = stage.start_runtime().await;
    let policy = RunPolicy {
        profile: Some(LimitProfile::Strict),
        unattended: Some(UnattendedPolicy::Refuse),
        completion: Some(CompletionCheck::AskOnce),
        mode: None,
    };
    let run = run(&life, policy).await;
    let agent = child(&life, &run, 0).await;
    assert_eq!(facts(&life, &agent).await.policy, policy);
    assert_eq!(life.calls(&agent).await, [("outside.send".to_owned(), "rejected".to_owned())]);
    assert!(stage.outside.recorded_effects().is_empty());
    // It reported completion, was asked once, and confirmed.
    assert_eq!(stage.model_requests("JobManager").len(), 3);
    let asked = format!("{:?}", stage.model_requests("JobManager")[2].turns);
    assert!(asked.contains("Check it once more"), "{asked}");
    assert_eq!(results(&life, &run).await[0]["status"], "MISSION_COMPLETED");
    for session in [&run, &agent] {
        life.verify(session).await;
    }
}

/// Input: the last round of a mission ends it, and completion is confirmed once; expected: its result counts, because
/// no round is left for the confirmation.
#[tokio::test(start_paused = true)]
async fn a_result_in_the_last_round_is_taken() {
    let limits = entracte_application::agents::AgentLimitSettings { rounds: Some(1), ..Default::default() };
    let agents = vec![entracte_application::agents::AgentDeclaration { limits, ..agent("JobManager", &[]) }];
    let stage = AgentFixture::with_agents(agents);
    stage.main([calls(&[("JobManager", "count")]), is_done(), is_done()]);
    stage.push_agent_lines("JobManager", [exit_line(&json!({ "open": 3 }))]);
    let life = stage.start_runtime().await;
    let policy = RunPolicy { completion: Some(CompletionCheck::AskOnce), ..RunPolicy::default() };
    let run = run(&life, policy).await;
    assert_eq!(results(&life, &run).await[0]["result"]["open"], 3);
}

/// Input: a run that allows actions without an approver, and an agent of it that calls another; expected: allowed for
/// both, and for no agent of a chat.
#[tokio::test(start_paused = true)]
async fn run_agents_may_act_unattended_as_run() {
    let stage = AgentFixture::with_agents(vec![
        agent("Office", &["agents.JobManager", "outside.send"]),
        agent("JobManager", &["outside.send"]),
    ]);
    stage.main([calls(&[("Office", "send it")]), is_done(), is_done()]);
    stage.push_agent_lines("Office", [calls(&[("JobManager", "send it")]), exit_line(&json!({}))]);
    stage.push_agent_lines("JobManager", [send(), exit_line(&json!({ "sent": true }))]);
    let life = stage.start_runtime().await;
    let policy = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
    let run = run(&life, policy).await;
    let office = child(&life, &run, 0).await;
    let manager = child(&life, &office, 0).await;
    assert_eq!(facts(&life, &manager).await.policy.unattended, Some(UnattendedPolicy::Allow));
    assert_eq!(life.calls(&manager).await, [("outside.send".to_owned(), "succeeded".to_owned())]);
    assert_eq!(stage.outside.recorded_effects().len(), 1);
}
