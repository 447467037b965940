//! Runs yield to people, and resume by themselves.

use std::sync::Arc;

use entracte_application::instructions::InstructionScope;
use entracte_application::mail::{
    ChangeSettingsRequest, DecideCallsRequest, DeleteAutomationRequest, EditAutomationRequest,
    HoldRetentionRequest, MailAnswer, MailDecision, MailRequest, MailVerdict, OpenSessionRequest,
    RefusalCode, ReleaseRetentionRequest, ResumeSessionRequest,
};
use entracte_application::ports::IdGenerator;
use entracte_application::runtime::WorkspaceInput;
use entracte_domain::automation::{AutomationPolicies, RunPolicy, Trigger};
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Effect, EndReason, Phase, UnattendedPolicy};
use entracte_domain::time::Millis;
use entracte_domain::workspace::ActivationResult;
use entracte_tests::runtime_fixture::{command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{AutomationFixture, AutomationSpec, LEASE, completed_line, lines, minute};

fn by_hand() -> AutomationSpec {
    AutomationSpec::new(Trigger::Manual)
}

#[tokio::test]
async fn chat_preempts_at_a_safe_point() {
    let send = || command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::new([send()]).await;
    let policies = AutomationPolicies {
        run: RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() },
        ..AutomationPolicies::default()
    };
    let automation = scene.automation("a", AutomationSpec { policies, ..by_hand() }).await;
    let (run, asked) = scene.run(&automation, "ses_run").await;
    assert_eq!(asked, Some(ActivationResult::Activated));
    // The model requests an external action; it is in progress when a person arrives.
    let (_, call) = scene.world.effects_under_way().remove(0);
    scene.world.finish(&run, &call).await;
    assert!(matches!(scene.world.effects_under_way()[..], [(_, Effect::RunCall { .. })]));
    let chat = scene.chat("ses_chat").await;
    assert_eq!(scene.standing_and_phase(&chat).await.0, "queued", "a started action delays the slot");
    let (_, action) = scene.world.effects_under_way().remove(0);
    scene.world.finish(&run, &action).await;
    assert_eq!(scene.standing_and_phase(&run).await, ("suspended", "CALLING_AI"));
    assert_eq!(scene.standing_and_phase(&chat).await.0, "active");
    assert_eq!(
        scene.outside.recorded_effects().len(),
        1,
        "what was under way ended, and its outcome is kept"
    );
    scene.world.verify().await;
}

#[tokio::test]
async fn suspended_run_resumes_alone() {
    let mut scene = AutomationFixture::new([]).await;
    let automation = scene.automation("a", by_hand()).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let chat = scene.chat("ses_chat").await;
    scene.open(&chat, false).await;
    assert_eq!(scene.standing_and_phase(&run).await.0, "suspended");
    assert_eq!(
        scene.world.effects_under_way().len(),
        2,
        "what is in flight may end, and its outcome is kept"
    );
    scene.model.push_lines([
        envelope_line("Hello."),
        command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
        completed_line(),
    ]);
    scene.world.advance_time(Millis::minutes(4)).await;
    assert_eq!(scene.standing_and_phase(&chat).await, ("active", "IDLE"));
    assert_eq!(scene.standing_and_phase(&run).await.0, "suspended", "the chat is still in use");
    scene.world.advance_time(Millis::minutes(2)).await;
    assert_eq!(scene.standing_and_phase(&chat).await, ("open", "IDLE"));
    assert_eq!(scene.standing_and_phase(&run).await, ("ended", "COMPLETED"));
    scene.world.verify().await;
}

#[tokio::test]
async fn idle_chat_frees_slot_for_schedule() {
    let mut scene =
        AutomationFixture::new([envelope_line("Hello."), completed_line(), completed_line()]).await;
    let chat = scene.chat("ses_chat").await;
    scene.open(&chat, false).await;
    scene.world.finish_all_effects().await;
    let automation = scene.automation("a", AutomationSpec::every_minute()).await;
    // The chat was used within five minutes: nothing is created meanwhile, and due occurrences wait.
    scene.world.advance_time(Millis::seconds(299)).await;
    assert_eq!(scene.world.runs(&automation).await.len(), 0);
    assert_eq!(scene.world.sessions().await.len(), 2, "the chat and the seed");
    scene.world.advance_time(Millis::seconds(1)).await;
    assert_eq!(scene.standing_and_phase(&chat).await.0, "open");
    let history = scene.history(&automation).await;
    assert_eq!(history.last().unwrap(), &(5, "ran".into()), "{history:?}");
    assert_eq!(history.len(), 5, "the older ones were superseded, each with its row");
}

#[tokio::test]
async fn parked_run_frees_its_slot() {
    let send = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::new([send, completed_line(), completed_line()]).await;
    let careful = scene.automation("careful", AutomationSpec { require_validation: true, ..by_hand() }).await;
    let other = scene.automation("other", by_hand()).await;
    let (parked, _) = scene.run(&careful, "ses_careful").await;
    let (second, asked) = scene.run(&other, "ses_other").await;
    assert_eq!(asked, Some(ActivationResult::Queued { position: 1 }));
    scene.world.finish_all_effects().await;
    assert_eq!(scene.standing_and_phase(&parked).await, ("parked", "WAITING_VALIDATION"));
    assert_eq!(scene.standing_and_phase(&second).await.0, "active");
    // It is first in the queue when the answer arrives: first of the automations.
    let (third, asked) = scene.run(&other, "ses_third").await;
    assert_eq!(asked, Some(ActivationResult::Queued { position: 1 }));
    let (_, phase) = scene.world.session(&parked).await;
    let Phase::WaitingValidation { batch, .. } = phase else { unreachable!("{phase:?}") };
    let (call, card) = (batch.calls[0].id.clone(), batch.calls[0].card.clone());
    let decisions = vec![MailDecision { call, card, verdict: MailVerdict::Approve }];
    let decided = scene
        .world
        .post(MailRequest::session(
            parked.clone(),
            DecideCallsRequest { author: "ann".into(), decisions, link: None },
        ))
        .await;
    let MailAnswer::Accepted { activation, .. } = decided else { unreachable!("{decided:?}") };
    assert_eq!(activation, Some(ActivationResult::Queued { position: 1 }));
    scene.model.push_lines([completed_line()]);
    scene.world.advance_time(Millis::seconds(60)).await;
    for run in [&parked, &second, &third] {
        assert_eq!(scene.standing_and_phase(run).await.0, "ended", "{run}");
    }
    assert_eq!(scene.outside.recorded_effects().len(), 1);
    scene.world.verify().await;
}

#[tokio::test]
async fn watchdog_spares_parked_and_tasks() {
    // Input: a day without a person; expected: items that wait for a person are still there.
    let send = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::new([send]).await;
    let careful = scene.automation("careful", AutomationSpec { require_validation: true, ..by_hand() }).await;
    let (parked, _) = scene.run(&careful, "ses_run").await;
    scene.world.finish_all_effects().await;
    scene.world.advance_time(Millis::hours(23)).await;
    assert_eq!(scene.standing_and_phase(&parked).await, ("parked", "WAITING_VALIDATION"));
    // A run that waits for its network has a recurring deadline of its own.
    let unreachable = || entracte_tests::runtime_fixture::FakeModelLine::Fails(FailureClass::Unreachable);
    let mut scene = AutomationFixture::new(lines(unreachable, 200)).await;
    let automation = scene.automation("a", by_hand()).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(Millis::hours(1)).await;
    assert_eq!(scene.standing_and_phase(&run).await, ("active", "WAITING_NETWORK_RETRY"));
}

#[tokio::test]
async fn watchdog_ends_a_run_that_ignores_everything() {
    // Input: a run whose model call never returns, whatever its limits are; expected: ten minutes after the last commit
    // it is closed with a message. Only its own wake-up is needed for that.
    let mut scene = AutomationFixture::new([]).await;
    let automation = scene.automation("a", by_hand()).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let (_, call) = scene.world.effects_under_way().remove(0);
    assert_eq!(scene.world.wakes_at(), Some(minute(10)));
    scene.world.clock.set(minute(10));
    scene.world.wake().await;
    assert_eq!(scene.standing_and_phase(&run).await, ("active", "AWAITING_SESSION_CLOSURE"));
    assert_eq!(scene.world.effects_under_way(), [], "the call is dropped");
    scene.world.advance_time(Millis::seconds(5)).await;
    assert_eq!(scene.world.session(&run).await.1.end_reason(), Some(EndReason::Timeout));
    scene.world.verify().await;

    // Input: the same with an action in progress; expected: its outcome is unknown, and a person is informed.
    let policies = AutomationPolicies {
        run: RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() },
        ..AutomationPolicies::default()
    };
    let send = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::new([send]).await;
    let automation = scene.automation("a", AutomationSpec { policies, ..by_hand() }).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.finish(&run, &call).await;
    assert!(matches!(scene.world.effects_under_way()[..], [(_, Effect::RunCall { .. })]));
    scene.world.clock.set(minute(10));
    scene.world.wake().await;
    let (facts, phase) = scene.world.session(&run).await;
    assert_eq!((phase.end_reason(), facts.unsettled.len()), (Some(EndReason::Timeout), 1));
    scene.world.verify().await;
}

#[tokio::test]
async fn disabled_automation_has_no_occurrences() {
    let mut scene = AutomationFixture::new(lines(completed_line, 9)).await;
    let automation = scene.automation("a", AutomationSpec::every_minute()).await;
    let set = |enabled| {
        MailRequest::workspace(EditAutomationRequest {
            author: "ann".into(),
            automation: entracte_domain::id::AutomationId::new("aut_a"),
            change: entracte_application::mail::AutomationChangeRequest {
                enabled: Some(enabled),
                ..entracte_application::mail::AutomationChangeRequest::default()
            },
        })
    };
    scene.world.advance_time(Millis::minutes(1)).await;
    assert_eq!(scene.world.post(set(false)).await, MailAnswer::Done);
    scene.world.advance_time(Millis::minutes(5)).await;
    assert_eq!(scene.world.post(set(true)).await, MailAnswer::Done);
    scene.world.advance_time(Millis::minutes(1)).await;
    assert_eq!(scene.history(&automation).await, [(1, "ran".into()), (7, "ran".into())]);
    let deleted = MailRequest::workspace(DeleteAutomationRequest {
        author: "ann".into(),
        automation: automation.clone(),
    });
    assert_eq!(scene.world.post(deleted).await, MailAnswer::Done);
    scene.world.advance_time(Millis::minutes(5)).await;
    assert_eq!(scene.history(&automation).await.len(), 2, "its history stays");
    assert_eq!(scene.world.sessions().await.len(), 2, "and its runs; the seed is gone");
}

/// Input: holds on the workspace, on an automation and on its template, one after the other; expected: the automation is
/// not deleted while one of them is there.
#[tokio::test]
async fn held_automation_is_not_deleted() {
    let mut scene = AutomationFixture::new([]).await;
    let automation = scene.automation("a", by_hand()).await;
    let scopes = [
        InstructionScope::Workspace,
        InstructionScope::Automation(automation.clone()),
        InstructionScope::Session(SessionId::new("ses_seeda")),
    ];
    let delete = DeleteAutomationRequest { author: "bob".into(), automation };
    for scope in scopes {
        let (author, reason) = ("ann".to_owned(), "Audit.".to_owned());
        let hold = HoldRetentionRequest { author: author.clone(), scope: scope.clone(), reason };
        assert_eq!(scene.world.post(MailRequest::workspace(hold)).await, MailAnswer::Done);
        let refused = scene.world.post(MailRequest::workspace(delete.clone())).await;
        let MailAnswer::Refused { code: RefusalCode::Conflict, text, .. } = refused else {
            unreachable!("{scope:?}: {refused:?}")
        };
        assert!(text.ends_with("is held by ann: Audit."), "{text}");
        let release = ReleaseRetentionRequest { author, scope };
        assert_eq!(scene.world.post(MailRequest::workspace(release)).await, MailAnswer::Done);
    }
    assert_eq!(scene.world.post(MailRequest::workspace(delete)).await, MailAnswer::Done);
}

/// Random values that differ, as real ones do.
#[derive(Default)]
struct JitteredIds(entracte_tests::runtime_fixture::SequentialIds, std::sync::atomic::AtomicI64);

impl IdGenerator for JitteredIds {
    fn session(&self) -> SessionId {
        self.0.session()
    }
    fn key(&self) -> String {
        self.0.key()
    }
    fn jitter(&self, most: Millis) -> Millis {
        let step = self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        Millis::seconds(2 * step % (most.0 / 1000))
    }
}

#[tokio::test]
async fn network_back_resumes_all_with_jitter() {
    let unreachable = || entracte_tests::runtime_fixture::FakeModelLine::Fails(FailureClass::Unreachable);
    let mut scene =
        AutomationFixture::with_ids(Arc::new(JitteredIds::default()), lines(unreachable, 3)).await;
    let slots = vec![("slots".to_owned(), Some("3".to_owned()))];
    scene
        .world
        .post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes: slots }))
        .await;
    let automation = scene.automation("a", by_hand()).await;
    let mut runs = Vec::new();
    for name in ["ses_1", "ses_2", "ses_3"] {
        runs.push(scene.run(&automation, name).await.0);
    }
    scene.world.finish_all_effects().await;
    for run in &runs {
        assert_eq!(scene.standing_and_phase(run).await.1, "WAITING_NETWORK_RETRY");
    }
    scene.model.push_lines(lines(completed_line, 3));
    let back = |provider: &str| vec![WorkspaceInput::NetworkBack { provider: provider.into() }];
    scene.world.handle_incoming(back("another")).await;
    assert_eq!(scene.world.effects_under_way().len(), 0, "another provider is nothing to them");
    let began = scene.world.now();
    scene.world.handle_incoming(back("fake")).await;
    let mut came = Vec::new();
    for second in 1..=10 {
        scene.world.clock.set(began.plus(Millis::seconds(second)));
        scene.world.wake().await;
        came.extend(scene.world.effects_under_way().iter().map(|_| second));
        scene.world.finish_all_effects().await;
    }
    assert_eq!(came.len(), 3, "all go on: {came:?}");
    assert!(came.windows(2).all(|two| two[0] < two[1]), "not all at once: {came:?}");
    scene.world.verify().await;
}

#[tokio::test]
async fn throttled_account_is_paused_for_all_sessions() {
    let throttled = entracte_tests::runtime_fixture::FakeModelLine::Throttled(Millis::seconds(40));
    let mut scene = AutomationFixture::new([throttled, completed_line(), completed_line()]).await;
    let slots = vec![("slots".to_owned(), Some("2".to_owned()))];
    scene
        .world
        .post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes: slots }))
        .await;
    let automation = scene.automation("a", by_hand()).await;
    let (first, _) = scene.run(&automation, "ses_1").await;
    let (second, _) = scene.run(&automation, "ses_2").await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.model.requests.lock().unwrap().len(), 1, "the second was not sent at all");
    for run in [&first, &second] {
        assert_eq!(scene.standing_and_phase(run).await.1, "WAITING_NETWORK_RETRY");
    }
    scene.world.advance_time(Millis::seconds(60)).await;
    for run in [&first, &second] {
        assert_eq!(scene.standing_and_phase(run).await.0, "ended");
    }
}

#[tokio::test]
async fn patient_chat_queues_first_and_yields_by_setting() {
    let mut scene = AutomationFixture::new([]).await;
    let set = [("chat_preempts", "false"), ("chat_eviction", "1")];
    let changes = set.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).to_vec();
    scene.world.post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes })).await;
    let automation = scene.automation("a", by_hand()).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let chat = scene.chat("ses_chat").await;
    scene.open(&chat, false).await;
    assert_eq!(scene.standing_and_phase(&chat).await.0, "queued");
    scene.model.push_lines([completed_line(), envelope_line("Hello."), completed_line()]);
    scene.world.advance_time(Millis::seconds(20)).await;
    assert_eq!(
        (scene.standing_and_phase(&run).await.0, scene.standing_and_phase(&chat).await.0),
        ("ended", "active")
    );
    let (second, asked) = scene.run(&automation, "ses_second").await;
    assert_eq!(asked, Some(ActivationResult::Queued { position: 1 }));
    scene.world.advance_time(Millis::minutes(1)).await;
    assert_eq!(
        scene.standing_and_phase(&second).await.0,
        "ended",
        "a chat that rests for a minute gives way"
    );
}

#[tokio::test]
async fn closed_chat_yields_immediately_or_after_lease() {
    let mut scene =
        AutomationFixture::new([envelope_line("Hello."), completed_line(), completed_line()]).await;
    let automation = scene.automation("a", by_hand()).await;
    let chat = scene.chat("ses_chat").await;
    scene.open(&chat, false).await;
    scene.world.finish_all_effects().await;
    let (run, asked) = scene.run(&automation, "ses_run").await;
    assert_eq!(asked, Some(ActivationResult::Queued { position: 1 }), "somebody has it open");
    scene.detach_client(&chat).await;
    assert_eq!(scene.standing_and_phase(&run).await.0, "active");
    assert_eq!(scene.standing_and_phase(&chat).await.0, "open");
    scene.world.advance_time(Millis::seconds(30)).await;
    // Opened again without any further sign: the five minutes of rest are not over when the lease is.
    let set = vec![("chat_eviction".to_owned(), Some("60".to_owned()))];
    scene
        .world
        .post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes: set }))
        .await;
    assert_eq!(scene.open(&chat, true).await, Some(ActivationResult::Activated));
    let (second, asked) = scene.run(&automation, "ses_second").await;
    assert_eq!(asked, Some(ActivationResult::Queued { position: 1 }));
    scene.world.advance_time(Millis::seconds(LEASE.0 / 1000 - 1)).await;
    assert_eq!(scene.standing_and_phase(&second).await.0, "queued");
    scene.world.advance_time(Millis::seconds(30)).await;
    assert_eq!(scene.standing_and_phase(&second).await.0, "ended");
    scene.world.verify().await;
}

#[tokio::test]
async fn chat_requests_slot_without_model_call() {
    let mut scene = AutomationFixture::new([envelope_line("Hello.")]).await;
    let chat = scene.chat("ses_chat").await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.open(&chat, true).await, Some(ActivationResult::AlreadyActive));
    let automation = scene.automation("a", by_hand()).await;
    scene.detach_client(&chat).await;
    let (run, asked) = scene.run(&automation, "ses_run").await;
    assert_eq!(asked, Some(ActivationResult::Activated));
    let requests = scene.model.requests.lock().unwrap().len();
    assert_eq!(scene.open(&chat, true).await, Some(ActivationResult::Activated));
    assert_eq!(scene.standing_and_phase(&run).await.0, "suspended");
    assert_eq!(scene.model.requests.lock().unwrap().len(), requests, "no model was asked");
    // A run takes its slot by itself.
    let request = MailRequest::session(
        run.clone(),
        OpenSessionRequest { author: "ann".into(), attachment: "phone".into(), asks_slot: true },
    );
    let refused = scene.world.post(request).await;
    assert!(
        matches!(refused, MailAnswer::Refused { ref code, .. } if code.word() == "not_applicable"),
        "{refused:?}"
    );
    scene.world.verify().await;
}

#[tokio::test]
async fn later_chat_replaces_queued_chat() {
    let mut scene = AutomationFixture::new([]).await;
    let set = vec![("chat_preempts".to_owned(), Some("false".to_owned()))];
    scene
        .world
        .post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes: set }))
        .await;
    let automation = scene.automation("a", by_hand()).await;
    scene.run(&automation, "ses_run").await;
    let first = scene.chat("ses_first").await;
    assert_eq!(scene.standing_and_phase(&first).await, ("queued", "CALLING_AI"));
    scene.world.clock.set(minute(1));
    let second = scene.chat("ses_second").await;
    assert_eq!(scene.standing_and_phase(&second).await, ("queued", "CALLING_AI"));
    assert_eq!(scene.standing_and_phase(&first).await, ("open", "IDLE"));
    assert!(scene.world.session(&first).await.0.owes_round, "its message waits");
    // The message is answered with the next round.
    scene.model.push_lines([completed_line(), envelope_line("Hello."), envelope_line("Hello too.")]);
    scene.world.advance_time(Millis::minutes(1)).await;
    scene
        .world
        .post(MailRequest::session(first.clone(), ResumeSessionRequest { author: "ann".into() }))
        .await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.standing_and_phase(&first).await, ("active", "IDLE"));
    assert!(!scene.world.session(&first).await.0.owes_round);
    scene.world.verify().await;
}
