//! Reasons for approval, and decisions of a person.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec};
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, DecideApprovals, ReadCalls, UseCaseError,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::id::{CallId, Digest};
use entracte_domain::session::JournalNote;
use entracte_domain::time::Millis;
use entracte_domain::validation::ValidationLevel;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{
    ValidationFixture, ValidationWorkspace, always_choice, notes, refusal, waiting_approvals,
};

/// The levels under test: combinations of five levels, and the catalog. Four eyes restricts who may approve; it
/// requires no approval.
const LEVELS: [ValidationLevel; 6] = [
    ValidationLevel::App,
    ValidationLevel::Container,
    ValidationLevel::Contained,
    ValidationLevel::Session,
    ValidationLevel::AiRequest,
    ValidationLevel::Catalog,
];

#[tokio::test(start_paused = true)]
async fn validation_levels_or_with_reasons() {
    for bits in 0..1_u32 << LEVELS.len() {
        let wanted: Vec<ValidationLevel> =
            LEVELS.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, l)| *l).collect();
        let on = |level: ValidationLevel| wanted.contains(&level);
        let stage = ValidationFixture::new([]);
        let place = ValidationWorkspace::new(&stage).await;
        if on(ValidationLevel::Contained) {
            let flag = json!({ "tool_id": place.tool, "require_validation": true });
            place.run_actions(&stage, &[("UPDATE_TOOL", flag)]).await;
        }
        if on(ValidationLevel::Container) {
            let flag = json!({ "zone_id": place.zone, "require_validation": true });
            place.run_actions(&stage, &[("UPDATE_ZONE", flag)]).await;
        }
        if on(ValidationLevel::App) {
            place.set(&[("require_validation", Some("true"))]).await.unwrap();
        }
        let session = place.life.chat(on(ValidationLevel::Session)).await;
        let action = if on(ValidationLevel::Catalog) {
            json!({ "type": "DELETE_TOOL", "params": { "tool_id": place.tool } })
        } else {
            json!({ "type": "UPDATE_TOOL", "params": { "tool_id": place.tool, "name": "Mass" } })
        };
        let reply = json!({
            "pre_text": "One moment.", "actions": [action], "validation_request": on(ValidationLevel::AiRequest),
        });
        stage.model.push_lines([FakeModelLine::Says(reply.to_string())]);
        let turn = place.life.send_and_wait(&session, "do it").await;
        if wanted.is_empty() {
            assert!(turn.waiting.is_none());
            assert_eq!(place.life.calls(&session).await[0].1, "succeeded");
            continue;
        }
        assert_eq!(place.life.calls(&session).await[0].1, "waiting_decision", "{wanted:?}");
        let inbox = place.inbox().await;
        let reasons: Vec<(ValidationLevel, &str)> =
            inbox[0].reasons.iter().map(|reason| (reason.level, reason.text.as_str())).collect();
        let mut expected: Vec<(ValidationLevel, &str)> =
            wanted.iter().map(|level| (*level, sentence(*level))).collect();
        expected.sort_by_key(|(level, _)| level.card_position());
        assert_eq!(reasons, expected);
        place.life.verify(&session).await;
    }
}

fn sentence(level: ValidationLevel) -> &'static str {
    match level {
        ValidationLevel::App => "the workspace requires approval for every action",
        ValidationLevel::Container => "the zone “Health” requires approval for every action",
        ValidationLevel::Contained => "the tool “Weight” requires approval for every action",
        ValidationLevel::Session => "this session requires approval for every action",
        ValidationLevel::AiRequest => "the model asked for your approval",
        ValidationLevel::Catalog => "this cannot be undone",
        ValidationLevel::Policy => "the server’s policy asks for the approval of a person",
        ValidationLevel::FourEyes => "four eyes: somebody else must approve",
        ValidationLevel::Approvers => "2 different people must approve",
    }
}

#[tokio::test(start_paused = true)]
async fn edited_arguments_are_checked_again() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(250)])]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let call = waiting_approvals(&turn)[0].call.id.clone();
    let edit = |arguments: serde_json::Value| {
        ApprovalChoice::ApproveEdited(
            entracte_application::json_value::parse(&arguments.to_string()).unwrap(),
        )
    };
    let before = place.life.entries(&session).await.len();
    let tool = &place.tool;
    let wrong = [
        (json!({ "tool_id": tool, "config": 3 }), "/config"),
        (json!({ "tool_id": tool, "colour": "red" }), "colour"),
        (json!({ "config": { "max": 250 } }), "tool_id"),
        // Valid for the schema of the command, but not for the tool.
        (json!({ "tool_id": tool, "config": { "max": "much" } }), "/config/max"),
        (json!({ "tool_id": "tool_none", "config": { "max": 250 } }), "/tool_id"),
    ];
    for (arguments, path) in wrong {
        let refused = place.decides("ann", &session, std::slice::from_ref(&call), &edit(arguments)).await;
        let text = refusal(refused);
        assert!(text.contains(path), "{path}: {text}");
        assert!(text.starts_with("the new arguments of tools.update are not valid: "), "{text}");
    }
    assert_eq!(place.life.entries(&session).await.len(), before, "nothing changed");
    assert_eq!(place.max_of_the_tool().await, "200");

    stage.model.push_lines([envelope_line("So it is.")]);
    let right = json!({ "tool_id": tool, "config": { "max": 220 } });
    place.decides("ann", &session, std::slice::from_ref(&call), &edit(right.clone())).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &session, before as u64).await.unwrap();
    assert_eq!(place.max_of_the_tool().await, "220", "what was decided ran");
    let views = ReadCalls::new(place.life.services.store.clone(), place.life.services.log.clone())
        .run(&place.life.workspace, &session)
        .await
        .unwrap();
    let view = &views[0];
    assert!(view.call.command.arguments.to_json().contains("250"), "what was proposed is kept");
    assert_eq!(
        json!(right),
        serde_json::from_str::<serde_json::Value>(&view.call.effective_command().arguments.to_json())
            .unwrap()
    );
    let decided = view.decided.as_ref().unwrap();
    assert_eq!((decided.what, decided.by.as_deref()), ("edited", Some("ann")));
    place.life.verify(&session).await;

    let told = place.life.send_and_wait(&session, "and now?").await;
    assert!(told.waiting.is_none());
    let request = format!("{:?}", stage.model.requests.lock().unwrap().last().unwrap());
    assert!(request.contains("220"), "the model is told what ran: {request}");
}

#[tokio::test(start_paused = true)]
async fn edit_to_equal_calls_runs_once() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(250), place.config(300)]),
        envelope_line("Done."),
    ]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let calls: Vec<CallId> =
        waiting_approvals(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    let same = waiting_approvals(&turn)[0].call.command.arguments.clone();
    place.decides("ann", &session, &calls[1..], &ApprovalChoice::ApproveEdited(same)).await.unwrap();
    place.decides("ann", &session, &calls[..1], &ApprovalChoice::Approve).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    let states: Vec<String> = place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["succeeded", "duplicate"]);
    assert_eq!(place.max_of_the_tool().await, "250");
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn second_decision_names_first_decision() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(250), place.config(300)]),
        envelope_line("Done."),
    ]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let calls: Vec<CallId> =
        waiting_approvals(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    let one = &calls[..1];
    place.decides("bob", &session, one, &ApprovalChoice::Approve).await.unwrap();
    // The other one is still open: the session waits, and the first decision stands.
    place.decides("ann", &session, one, &ApprovalChoice::Approve).await.unwrap();
    let late = place.decides("ann", &session, one, &ApprovalChoice::Reject(None)).await;
    assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{late:?}");
    let text = refusal(late);
    assert!(text.contains("decided by bob (approved), and its state is "), "{text}");
    let late = refusal(place.decides("ann", &session, one, &always_choice()).await);
    assert!(late.contains("decided by bob"), "{late}");
    assert_eq!(place.rules(true).await, [], "a refused decision makes no rule");

    place.decides("eve", &session, &calls[1..], &ApprovalChoice::Reject(Some("no".into()))).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    let late = refusal(place.decides("ann", &session, &calls[1..], &ApprovalChoice::Approve).await);
    assert!(late.contains("decided by eve (rejected)"), "{late}");
    let late = refusal(place.decides("ann", &session, one, &ApprovalChoice::Reject(None)).await);
    assert!(late.contains("decided by bob (approved), and its state is succeeded"), "{late}");
}

/// Input: reasons of people who decide on a call that bob has approved, in different ways; expected: each reason is
/// stored once, with its author, and no model reads it.
#[tokio::test(start_paused = true)]
async fn later_reason_is_stored_as_comment() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(250), place.config(300)]),
        envelope_line("Done."),
    ]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let calls: Vec<CallId> =
        waiting_approvals(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    let (first, second) = (&calls[..1], &calls[1..]);
    let rejects = |reason: &str| ApprovalChoice::Reject(Some(reason.into()));
    place.decides("bob", &session, first, &ApprovalChoice::Approve).await.unwrap();

    // While the other call waits, and twice, since the answer may be lost.
    for _ in 0..2 {
        let late = refusal(place.decides("ann", &session, first, &rejects("too much")).await);
        assert!(
            late.contains("decided by bob (approved)") && late.contains("your reason is stored"),
            "{late}"
        );
    }
    // Nothing was said, or of another card.
    let late = refusal(place.decides("ann", &session, first, &ApprovalChoice::Reject(None)).await);
    assert!(!late.contains("your reason is stored"), "{late}");
    let other = ApprovalSelection { call: calls[0].clone(), card: Some(Digest::new("another card")) };
    let decide = DecideApprovals::new(place.life.mail_sender.clone(), place.life.services.store.clone());
    let workspace = &place.life.workspace;
    let late = decide.run_for_selection(workspace, &session, "ann".into(), &[other], &rejects("wrong")).await;
    let late = refusal(late.map(drop));
    assert!(!late.contains("your reason is stored"), "{late}");

    // The same answer again, by another person and by the same one with another reason.
    place.decides("eve", &session, second, &rejects("no")).await.unwrap();
    place.life.follow().run_until_idle(workspace, &session, 0).await.unwrap();
    place.decides("ann", &session, second, &rejects("no budget")).await.unwrap();
    place.decides("eve", &session, second, &rejects("no")).await.unwrap();
    place.decides("eve", &session, second, &rejects("nor later")).await.unwrap();

    let views = ReadCalls::new(place.life.services.store.clone(), place.life.services.log.clone())
        .run(workspace, &session)
        .await
        .unwrap();
    let comments: Vec<Vec<String>> = views
        .iter()
        .map(|view| {
            let all = &view.decided.as_ref().unwrap().comments;
            all.iter().map(|comment| format!("{}: {}", comment.by, comment.text)).collect()
        })
        .collect();
    assert_eq!(comments, [vec!["ann: too much"], vec!["ann: no budget", "eve: nor later"]]);
    assert_eq!(views[0].decided.as_ref().unwrap().by.as_deref(), Some("bob"), "the decision stands");
    place.life.verify(&session).await;

    stage.model.push_lines([envelope_line("Yes.")]);
    place.life.send_and_wait(&session, "and now?").await;
    let request = format!("{:?}", stage.model.requests.lock().unwrap().last().unwrap());
    assert!(!request.contains("too much") && !request.contains("no budget"), "{request}");
}

#[tokio::test(start_paused = true)]
async fn undecided_approval_expires_with_trace() {
    let mut stage = ValidationFixture::new([]);
    stage.parts.rules.change(|_, rules| rules.validation_expires = Millis::hours(1));
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(250)]),
        envelope_line("Nobody answered."),
    ]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let call = waiting_approvals(&turn)[0].call.id.clone();
    place.life.services.clock.sleep(Millis::hours(2)).await;
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    assert_eq!(place.life.calls(&session).await[0].1, "expired");
    assert!(place.inbox().await.is_empty());
    assert_eq!(place.max_of_the_tool().await, "200");
    let late = refusal(place.decides("ann", &session, &[call], &ApprovalChoice::Approve).await);
    assert!(late.contains("no longer open: its state is expired"), "{late}");
    assert!(notes(&place.life.entries(&session).await).any(|note| matches!(note, JournalNote::WaitExpired)));
    place.life.verify(&session).await;
}

/// An external action that takes days.
struct SlowLetterExecutor;

#[async_trait]
impl CommandExecutor for SlowLetterExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({ "type": "object" });
        let send = CommandSpec::action("SEND", "letters.send", "Sends a letter.", EffectClass::Once, schema);
        vec![CommandSpec { independent: true, timeout: Some(Millis::hours(100)), ..send }]
    }

    async fn run(&self, _request: CallRequest) -> CallOutcome {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_expires_also_while_another_action_is_under_way() {
    let mut stage = ValidationFixture::new([]);
    stage.parts.rules.change(|_, rules| rules.validation_expires = Millis::hours(1));
    stage.parts.executors.push(Arc::new(SlowLetterExecutor));
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    let letter = |to: &str| ("SEND", json!({ "to": to }));
    stage
        .model
        .push_lines([command_request_line("actions", &[letter("ann"), letter("bob"), place.config(250)])]);
    let turn = place.life.send_and_wait(&session, "write").await;
    let calls: Vec<CallId> =
        waiting_approvals(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    place.decides("ann", &session, &calls[..1], &ApprovalChoice::Approve).await.unwrap();
    assert_eq!(place.inbox().await.len(), 2, "the others are asked about while the first is under way");

    place.life.services.clock.sleep(Millis::hours(2)).await;
    assert!(place.inbox().await.is_empty());
    let late = refusal(place.decides("ann", &session, &calls[1..2], &ApprovalChoice::Approve).await);
    assert!(late.contains("no longer open: its state is expired"), "{late}");
    let states: Vec<String> = place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["started", "expired", "expired"]);
    assert!(notes(&place.life.entries(&session).await).any(|note| matches!(note, JournalNote::WaitExpired)));
    place.life.verify(&session).await;
}
