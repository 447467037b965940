//! What people are notified of besides a new approval.

use entracte_application::mail::NewRuleRequest;
use entracte_application::notify::{NotificationKind, TargetPreferences};
use entracte_application::ports::OutboxState;
use entracte_application::use_cases::{
    AddApprovalRule, ApprovalChoice, AutomationParams, CreateAutomation, InboxItem, InboxKind, MarkRead,
    MarkSeen, ReadInbox, RunAutomation,
};
use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, Trigger};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_domain::time::Millis;
use entracte_domain::validation::{ArgumentCondition, RuleScope, UseLimits};
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use serde_json::{Value, json};

use super::{NOBODY, NotificationFixture, databases};

/// Due once a day, an hour after the start of the test, without catch-up.
fn at_one() -> AutomationParams {
    AutomationParams {
        name: "Nightly".into(),
        trigger: Trigger::Cron { expression: "0 13 * * *".into(), zone: "UTC".into() },
        policies: AutomationPolicies {
            catch_up: CatchUpPolicy { window: Some(Millis::minutes(10)), latest_only: false },
            ..AutomationPolicies::default()
        },
        enabled: true,
        message: UserMessage::text("How was my day?"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
        require_validation: false,
        restriction: Restriction::Open,
    }
}

/// Input: a question, an action with an unknown outcome, a failed run, a skipped occurrence, and a standing approval
/// that ends soon; expected: each is notified once, with its own kind.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_person_may_want_to_know_is_told_once() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        let (life, sender) = (&scene.life, scene.life.mail_sender.clone());
        scene.target("phone", TargetPreferences::default()).await;
        let rule = NewRuleRequest {
            command: "CREATE_ZONE".into(),
            arguments: vec![("name".into(), ArgumentCondition::Any)],
            scope: RuleScope::Workspace,
            denies: None,
            lasts: Some(Millis::hours(48)),
            limits: UseLimits::default(),
            agents: false,
            people: Vec::new(),
        };
        AddApprovalRule::new(sender.clone()).run(&life.workspace, "ann".into(), rule).await.unwrap();

        let question = json!({ "pre_text": "", "question": { "type": "Validation", "message": "Shall I?" } });
        scene.model.push_lines([FakeModelLine::Says(question.to_string())]);
        life.send_and_wait(&life.chat(false).await, "ask me").await;
        scene.model.push_lines([
            command_request_line("actions", &[("SEND", json!({}))]),
            envelope_line("Nobody knows."),
        ]);
        life.send_and_wait(&life.chat(false).await, "write to bob").await;
        let create = CreateAutomation::new(sender.clone(), life.services.ids.clone());
        let automation = create.run(&life.workspace, "ann".into(), at_one()).await.unwrap();
        scene.model.push_lines([FakeModelLine::Fails(FailureClass::Misconfigured)]);
        let run = RunAutomation::new(sender, life.services.ids.clone());
        let run = run.run(&life.workspace, "ann".into(), &automation, None).await.unwrap().session;
        life.follow().run_until_idle(&life.workspace, &run, 0).await.unwrap();
        scene.step().await;
        let told = |kinds: &[&str]| -> Vec<(String, OutboxState)> {
            kinds.iter().map(|kind| ((*kind).to_owned(), OutboxState::Sent)).collect()
        };
        let states = async || {
            let mut states = scene.states().await;
            states.sort_by(|(one, _), (other, _)| one.cmp(other));
            states
        };
        assert_eq!(states().await, told(&["outcome.unknown", "question.asked", "run.ended"]));

        // The night passes without a process; the next request notices it.
        scene.clock.jump(Millis::minutes(24 * 60 + 30));
        life.chat(false).await;
        for _ in 0..3 {
            scene.step().await;
            scene.clock.jump(Millis::minutes(2));
        }
        let all = ["occurrence.missed", "outcome.unknown", "question.asked", "rule.expiring", "run.ended"];
        assert_eq!(states().await, told(&all));
        let bodies: String =
            scene.outside.received_notifications().into_iter().map(|told| told.body).collect();
        for says in ["Nightly", "zones.create", "outside.send", "too_late"] {
            assert!(bodies.contains(says), "{says}: {bodies}");
        }
    }
}

/// Input: a run that waits for an approval while the next occurrence of its automation is due; expected: the notification
/// of the skip names that run and what it waits for, and leads to it.
#[tokio::test(flavor = "multi_thread")]
async fn skip_is_notified_with_its_blocking_run() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        let life = &scene.life;
        let wants =
            TargetPreferences { kinds: vec![NotificationKind::Missed], ..TargetPreferences::default() };
        scene.target("phone", wants).await;
        let (sender, ids) = (life.mail_sender.clone(), life.services.ids.clone());
        let params = AutomationParams { require_validation: true, ..at_one() };
        let create = CreateAutomation::new(sender.clone(), ids.clone());
        let automation = create.run(&life.workspace, "ann".into(), params).await.unwrap();
        scene
            .model
            .push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
        let run = RunAutomation::new(sender, ids);
        let run = run.run(&life.workspace, "ann".into(), &automation, None).await.unwrap().session;
        life.follow().run_until_idle(&life.workspace, &run, 0).await.unwrap();

        scene.clock.jump(Millis::minutes(61));
        life.chat(false).await;
        for _ in 0..3 {
            scene.step().await;
            scene.clock.jump(Millis::minutes(2));
        }
        let told = scene.outside.received_notifications();
        assert_eq!(told.len(), 1, "{told:?}");
        let says = format!("the run before it, {run}, waits for an approval");
        assert!(told[0].text.contains(&says), "{}", told[0].text);
        assert_eq!(told[0].click, Some(format!("https://entracte.example/sessions/{run}")));
        let body: Value = serde_json::from_str(&told[0].body).unwrap();
        let expected = json!({ "session": run.as_str(), "waits_for": "approval" });
        assert_eq!(body["data"]["blocked_by"], expected);
    }
}

/// Input: an action that ann approves and that fails, in four chats, and one that nobody had to approve; expected: a line in
/// the inbox and a notification that name her and the command, until she marks it as seen, reads that far, or writes; what
/// bob reads changes nothing, and what nobody approved is not told. Every session replays to what is stored.
#[tokio::test(flavor = "multi_thread")]
async fn approver_is_notified_of_failure() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        let (life, workspace) = (&scene.life, &scene.life.workspace);
        let wants =
            TargetPreferences { kinds: vec![NotificationKind::Failure], ..TargetPreferences::default() };
        scene.target("phone", wants).await;
        let services = &life.services;
        let inbox = || {
            let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
            ReadInbox::new(store, log, rows, services.catalog.get(), services.clock.clone())
        };
        let failures = async || {
            let items = inbox().run(workspace).await.unwrap();
            let failure = |item: InboxItem| match item.kind {
                InboxKind::Failed { row, approver, code } => {
                    Some((item.session, row.command, approver, code.unwrap_or_default()))
                }
                _ => None,
            };
            items.into_iter().filter_map(failure).collect::<Vec<_>>()
        };
        let fails = async |approves: bool| {
            let session = life.chat(approves).await;
            scene.model.push_lines([
                command_request_line("actions", &[("SEND", json!({ "to": NOBODY }))]),
                envelope_line("It did not work."),
            ]);
            life.send_and_wait(&session, "write to them").await;
            if approves {
                life.decide_and_wait(&session, ApprovalChoice::Approve).await;
            }
            session
        };

        fails(false).await;
        assert_eq!(failures().await, [], "nobody approved it");
        let marked = fails(true).await;
        scene.step().await;
        let told = scene.outside.received_notifications();
        let body: Value = serde_json::from_str(&told[0].body).unwrap();
        assert_eq!((&body["type"], &body["data"]["approver"]), (&json!("call.failed"), &json!("ann")));
        assert!(told[0].text.contains("outside.send failed, which ann had approved"), "{}", told[0].text);
        let (read, written) = (fails(true).await, fails(true).await);
        let line = |session: &SessionId| {
            (session.clone(), "outside.send".to_owned(), "ann".to_owned(), "HTTP_404".to_owned())
        };
        let mut found = failures().await;
        found.sort();
        let mut expected = [&marked, &read, &written].map(line);
        expected.sort();
        assert_eq!(found, expected);
        scene.step().await;
        assert_eq!(scene.states().await, vec![("call.failed".to_owned(), OutboxState::Sent); 3]);

        MarkSeen::new(life.mail_sender.clone()).run(workspace, &marked, "bob".into()).await.unwrap();
        let mark = MarkRead::new(life.mail_sender.clone());
        let last = life.entries(&read).await.last().unwrap().sequence;
        mark.run(workspace, &read, "bob".into(), last).await.unwrap();
        assert_eq!(failures().await.len(), 2, "bob did not approve it");
        mark.run(workspace, &read, "ann".into(), last).await.unwrap();
        scene.model.push_lines([envelope_line("As you say.")]);
        life.send_and_wait(&written, "never mind").await;
        assert_eq!(failures().await, []);
        scene.step().await;
        assert_eq!(scene.states().await.len(), 3, "nothing is told twice");
        for session in [&marked, &read, &written] {
            life.verify(session).await;
        }
    }
}
