//! The ends of runs, and their continuation after failures.

use std::collections::BTreeSet;

use entracte_application::codec::decode_entry;
use entracte_application::mail::{
    AnswerSpendingRequest, ChangeSettingsRequest, ForkSessionRequest, MailAnswer, MailRequest,
    MarkEndSeenRequest, RejectCompletionRequest, StopSessionRequest,
};
use entracte_application::ports::LogReader;
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{InboxKind, ReadInbox};
use entracte_domain::automation::{AutomationPolicies, RunPolicy, Trigger};
use entracte_domain::id::SessionId;
use entracte_domain::message::MessageBody;
use entracte_domain::message::SystemKind;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    CompletionCheck, EndReason, Input, LimitProfile, LogAppend, NetworkPolicy, ParkReason, Phase,
    TextOnlyEndPolicy, UnattendedPolicy, UnknownOutcomePolicy, UnseenEndReason,
};
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use entracte_tests::virtual_workspace::home;
use serde_json::json;

use super::fixture::{AutomationFixture, AutomationSpec, completed_line, lines};

fn by_hand(run: RunPolicy) -> AutomationSpec {
    AutomationSpec {
        policies: AutomationPolicies { run, ..AutomationPolicies::default() },
        ..AutomationSpec::new(Trigger::Manual)
    }
}

fn strict() -> RunPolicy {
    RunPolicy { profile: Some(LimitProfile::Strict), ..RunPolicy::default() }
}

/// One run of one automation to its end; returns its end reason.
async fn end_of(
    rules: RuleBook,
    policy: RunPolicy,
    says: Vec<FakeModelLine>,
    lasts: Millis,
) -> Option<EndReason> {
    let mut scene = AutomationFixture::with_rules(rules, says).await;
    let automation = scene.automation("a", by_hand(policy)).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(lasts).await;
    scene.world.verify().await;
    scene.world.session(&run).await.1.end_reason()
}

fn look() -> FakeModelLine {
    command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))])
}

/// A run without an end of its own: its name, and the model's reply each time.
type EndlessRunCase = (&'static str, fn() -> FakeModelLine);

#[tokio::test]
async fn limit_closes_on_every_path() {
    // Input: a model that never ends its work, each time in another form; expected: the limit ends the run.
    let refused = || command_request_line("actions", &[("SEND", json!("no object"))]);
    let paths: [EndlessRunCase; 3] = [
        ("queries", look),
        ("format errors", || FakeModelLine::Says("no envelope".into())),
        ("questions", || {
            FakeModelLine::Says(
                r#"{"pre_text":"","question":{"type":"Validation","message":"Shall I?"}}"#.into(),
            )
        }),
    ];
    for (name, line) in paths {
        for policy in [RunPolicy::default(), strict()] {
            let end = end_of(RuleBook::default(), policy, lines(line, 60), Millis::minutes(5)).await;
            assert_eq!(end, Some(EndReason::LimitReached), "{name} {policy:?}");
        }
    }
    let end =
        end_of(RuleBook::default(), strict(), (0..60).map(|_| refused()).collect(), Millis::minutes(5)).await;
    assert_eq!(end, Some(EndReason::LimitReached), "failing actions");
}

#[tokio::test]
async fn run_reports_at_its_limit() {
    // Input: a run that reaches its round limit; expected: its model is called once more, without commands, is told to say
    // what was done, and the run ends with that report.
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.rounds = 2);
    let said = vec![look(), look(), envelope_line("I looked twice, and weighed nothing.")];
    let mut scene = AutomationFixture::with_rules(rules, said).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(Millis::minutes(5)).await;
    assert_eq!(scene.world.session(&run).await.1.end_reason(), Some(EndReason::LimitReached));
    assert_eq!(scene.model.requests.lock().unwrap().len(), 3);
    let asked = format!("{:?}", scene.model.requests.lock().unwrap().last().unwrap());
    assert!(asked.contains("Report now what was done"), "{asked}");
    scene.world.verify().await;
}

#[tokio::test]
async fn run_ends_at_its_limit_without_a_report() {
    // Input: a run at its round limit, whose provider has no credit left for the report; expected: it ends at the limit, and
    // does not wait for a person who could only end it.
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.rounds = 2);
    let said = vec![look(), look(), FakeModelLine::Fails(FailureClass::Exhausted)];
    let mut scene = AutomationFixture::with_rules(rules, said).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(Millis::minutes(5)).await;
    assert_eq!(scene.world.session(&run).await.1.end_reason(), Some(EndReason::LimitReached));
    assert_eq!(scene.model.requests.lock().unwrap().len(), 3);
    scene.world.verify().await;
}

#[tokio::test]
async fn one_answer_lets_all_runs_at_a_soft_line_go_on() {
    // Input: runs of two automations that rest at the soft line of the day; expected: one answer lets both do their work.
    let mut scene = AutomationFixture::new([completed_line(), completed_line()]).await;
    // Nothing limits the answer of this model, so a call reserves the whole window.
    let caps = [("budget.workspace_day", "2000000 tokens"), ("budget.soft_line", "1")];
    let changes = caps.map(|(key, value)| (key.to_owned(), Some(value.to_owned()))).to_vec();
    scene.world.post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes })).await;
    let mut runs = Vec::new();
    for (name, run) in [("a", "ses_one"), ("b", "ses_two")] {
        let automation = scene.automation(name, by_hand(RunPolicy::default())).await;
        runs.push(scene.run(&automation, run).await.0);
        scene.world.finish_all_effects().await;
    }
    for run in &runs {
        let phase = scene.world.session(run).await.1;
        assert!(matches!(phase, Phase::Parked(ParkReason::Spending(_))), "{phase:?}");
    }
    assert!(scene.model.requests.lock().unwrap().is_empty());
    let answer = AnswerSpendingRequest { author: "ann".into(), goes_on: true, extra: None };
    scene.world.post(MailRequest::session(runs[0].clone(), answer)).await;
    scene.world.advance_time(Millis::minutes(1)).await;
    for run in &runs {
        assert_eq!(scene.world.session(run).await.1.end_reason(), Some(EndReason::Completed));
    }
    scene.world.verify().await;
}

#[tokio::test]
async fn words_end_a_run() {
    // Input: a model that works and then reports completion in text, never by `completed`; expected: it is asked once,
    // and its second text reply completes the run.
    let mut scene = AutomationFixture::new([
        look(),
        envelope_line("All weights are there."),
        envelope_line("Yes, I am done."),
    ])
    .await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.standing_and_phase(&run).await.1, "WAITING_COMPLETION_CONFIRMATION");
    let asked = format!("{:?}", scene.model.requests.lock().unwrap().last().unwrap());
    assert!(asked.contains("If the work is complete, say so once more"), "{asked}");
    scene.world.advance_time(Millis::seconds(11)).await;
    assert_eq!(scene.world.session(&run).await.1.end_reason(), Some(EndReason::Completed));
    assert_eq!(scene.model.requests.lock().unwrap().len(), 3);
    scene.world.verify().await;
    // Input: the same text under rules by which it ends nothing; expected: the run continues to its limit.
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.words_end_run = TextOnlyEndPolicy::Never);
    let talk = lines(|| envelope_line("I think."), 60);
    let end = end_of(rules, RunPolicy::default(), talk, Millis::minutes(5)).await;
    assert_eq!(end, Some(EndReason::LimitReached));
}

#[tokio::test]
async fn strict_profile_counters_reset_as_in_the_seed() {
    // Seed B: five consecutive rounds of queries are allowed; a failed action resets the count, and so does a
    // successful one. Input: queries with an action between them; expected: no limit before the rounds are used up.
    let fails = || command_request_line("actions", &[("DELETE_ZONE", json!({ "zone_id": "zon_none" }))]);
    let mixed = || [look(), look(), look(), look(), fails()];
    let mut said: Vec<FakeModelLine> = mixed().into_iter().chain(mixed()).chain(mixed()).collect();
    said.push(completed_line());
    let distinct = |said: Vec<FakeModelLine>| -> Vec<FakeModelLine> {
        // Equal queries make no progress; each of these differs.
        said.into_iter()
            .enumerate()
            .map(|(number, line)| match line {
                FakeModelLine::Says(text) => FakeModelLine::Says(
                    text.replace("weight", &format!("weight {number}"))
                        .replace("zon_none", &format!("zon_{number}")),
                ),
                other => other,
            })
            .collect()
    };
    let policy = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..strict() };
    let end = end_of(RuleBook::default(), policy, distinct(said), Millis::minutes(2)).await;
    assert_eq!(end, Some(EndReason::Completed));
    let end =
        end_of(RuleBook::default(), policy, distinct((0..7).map(|_| look()).collect()), Millis::minutes(2))
            .await;
    assert_eq!(end, Some(EndReason::LimitReached), "the sixth round of queries in a row");
}

#[tokio::test]
async fn completion_rejected_by_person() {
    let mut scene = AutomationFixture::new([completed_line(), completed_line(), completed_line()]).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.finish_all_effects().await;
    assert_eq!(scene.standing_and_phase(&run).await.1, "WAITING_COMPLETION_CONFIRMATION");
    let reject = || {
        MailRequest::session(
            run.clone(),
            RejectCompletionRequest { author: "ann".into(), reason: Some("the total is missing".into()) },
        )
    };
    let answer = scene.world.post(reject()).await;
    assert!(matches!(answer, MailAnswer::Accepted { .. }), "{answer:?}");
    scene.world.finish_all_effects().await;
    let requests = format!("{:?}", scene.model.requests.lock().unwrap().last().unwrap());
    assert!(requests.contains("the total is missing"), "{requests}");
    // Also while it closes.
    scene.world.advance_time(Millis::seconds(6)).await;
    assert_eq!(scene.standing_and_phase(&run).await.1, "AWAITING_SESSION_CLOSURE");
    scene.world.post(reject()).await;
    scene.world.advance_time(Millis::seconds(11)).await;
    assert_eq!(scene.world.session(&run).await.1.end_reason(), Some(EndReason::Completed));
    assert_eq!(scene.world.session(&run).await.0.counters.rounds_total, 3);
}

#[tokio::test]
async fn completion_is_confirmed_if_policy_says_so() {
    let policy = RunPolicy { completion: Some(CompletionCheck::AskOnce), ..RunPolicy::default() };
    let mut scene = AutomationFixture::new([completed_line(), completed_line()]).await;
    let automation = scene.automation("a", by_hand(policy)).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(Millis::seconds(20)).await;
    let (facts, phase) = scene.world.session(&run).await;
    assert_eq!((phase.end_reason(), facts.counters.rounds_total), (Some(EndReason::Completed), 2));
}

#[tokio::test]
async fn backoff_5_15_30_then_requeued() {
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.network = NetworkPolicy::Backoff);
    let unreachable = || FakeModelLine::Fails(FailureClass::Unreachable);
    let mut scene = AutomationFixture::with_rules(rules, lines(unreachable, 4)).await;
    let first = scene.automation("first", by_hand(RunPolicy::default())).await;
    let other = scene.automation("other", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&first, "ses_first").await;
    let (second, _) = scene.run(&other, "ses_second").await;
    let began = scene.world.now();
    let mut waits = Vec::new();
    scene.world.finish_all_effects().await;
    for wait in [5, 15, 30] {
        assert_eq!(scene.standing_and_phase(&run).await, ("active", "WAITING_NETWORK_RETRY"));
        let (_, phase) = scene.world.session(&run).await;
        let entracte_domain::session::Phase::WaitingNetworkRetry { retry, .. } = phase else {
            unreachable!()
        };
        waits.push(retry.due_at.since(scene.world.now()));
        if wait == 30 {
            scene.model.push_lines([completed_line(), completed_line()]);
        }
        scene.world.advance_time(Millis::seconds(wait)).await;
    }
    assert_eq!(waits, [5, 15, 30].map(Millis::seconds));
    assert_eq!(scene.world.now().since(began), Millis::seconds(50));
    // The network is back for the other run, which had its turn.
    assert_eq!(scene.standing_and_phase(&run).await.0, "queued");
    scene.world.advance_time(Millis::seconds(30)).await;
    for run in [&run, &second] {
        assert_eq!(scene.standing_and_phase(run).await.0, "ended", "{run}");
    }
    scene.world.verify().await;
}

#[tokio::test]
async fn every_end_reason_is_reached() {
    let mut reached = BTreeSet::new();
    let mut note = |end: Option<EndReason>| reached.insert(end.unwrap().word());
    let usual = RunPolicy::default;
    note(end_of(RuleBook::default(), usual(), vec![completed_line()], Millis::minutes(1)).await);
    note(end_of(RuleBook::default(), usual(), lines(look, 60), Millis::minutes(1)).await);
    let misconfigured = vec![FakeModelLine::Fails(FailureClass::Misconfigured)];
    note(end_of(RuleBook::default(), usual(), misconfigured, Millis::minutes(1)).await);
    let mut short = RuleBook::default();
    short.change(|_, rules| rules.run_duration = Millis(1));
    note(timeout(short).await);
    note(stopped().await);
    note(interrupted().await);
    let all: BTreeSet<&str> = EndReason::ALL.into_iter().map(EndReason::word).collect();
    assert_eq!(reached, all);
}

/// A model that does not answer, and a run that may be active for a millisecond.
async fn timeout(rules: RuleBook) -> Option<EndReason> {
    let mut scene = AutomationFixture::with_rules(rules, []).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let later = scene.world.now().plus(Millis(5));
    scene.world.clock.set(later);
    scene.world.wake().await;
    let said = told(&scene, &run).await;
    assert!(said.contains(&SystemKind::SessionTimeout), "{said:?}");
    scene.world.session(&run).await.1.end_reason()
}

/// Input: a working run without an end of its own, and a stricter profile for its workspace; expected: the end of the
/// new profile, though no row of the run is written meanwhile.
#[tokio::test]
async fn running_run_ends_by_current_profile() {
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.watchdog = Millis(0));
    let mut scene = AutomationFixture::with_rules(rules, []).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let changes = vec![("limits_profile".to_owned(), Some("strict".to_owned()))];
    scene.world.post(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes })).await;
    for (minutes, expected) in [(9, None), (2, Some(EndReason::Timeout))] {
        let later = scene.world.now().plus(Millis::minutes(minutes));
        scene.world.clock.set(later);
        scene.world.wake().await;
        assert_eq!(scene.world.session(&run).await.1.end_reason(), expected, "{minutes} minutes later");
    }
    scene.world.verify().await;
}

/// A person stops the run.
async fn stopped() -> Option<EndReason> {
    let mut scene = AutomationFixture::new([]).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene
        .world
        .post(MailRequest::session(run.clone(), StopSessionRequest { author: "ann".into(), end: true }))
        .await;
    scene.world.session(&run).await.1.end_reason()
}

/// The process crashes in the middle of an action, and the policy says stop.
async fn interrupted() -> Option<EndReason> {
    let mut rules = RuleBook::default();
    rules.change(|_, rules| rules.on_unknown = UnknownOutcomePolicy::Stop);
    let send = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::with_rules(rules, [send]).await;
    let policy = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
    let automation = scene.automation("a", by_hand(policy)).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    let (session, call) = scene.world.effects_under_way().remove(0);
    scene.world.finish(&session, &call).await;
    scene.world.crash();
    scene.world.start().await;
    scene.world.advance_time(Millis::minutes(1)).await;
    scene.world.session(&run).await.1.end_reason()
}

/// The system messages of a session.
async fn told(scene: &AutomationFixture, session: &SessionId) -> Vec<SystemKind> {
    let log = entracte_application::use_cases::ReadLog::new(scene.world.services.log.clone());
    let entries = log.entries(&entracte_tests::virtual_workspace::home(), session, 0).await.unwrap();
    let kind = |appended: &LogAppend| match appended {
        LogAppend::Message(message) => match &message.body {
            MessageBody::System(system) => Some(system.kind),
            _ => None,
        },
        LogAppend::Note(_) => None,
    };
    entries.iter().flat_map(|entry| entry.appended.iter().filter_map(kind)).collect()
}

async fn inbox(scene: &AutomationFixture) -> Vec<(SessionId, InboxKind)> {
    let services = scene.world.services.clone();
    let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
    let inbox = ReadInbox::new(store, log, rows, services.catalog.get(), services.clock.clone());
    let items = inbox.run(&home()).await.unwrap();
    items.into_iter().map(|item| (item.session, item.kind)).collect()
}

fn ended(why: UnseenEndReason, reason: EndReason) -> InboxKind {
    InboxKind::Ended { why, reason, expired: Vec::new() }
}

fn seen(run: &SessionId, author: &str) -> MailRequest {
    MailRequest::session(run.clone(), MarkEndSeenRequest { author: author.into() })
}

#[tokio::test]
async fn a_run_that_came_to_nothing_is_in_the_inbox_until_somebody_has_seen_it() {
    let refused = || FakeModelLine::Fails(FailureClass::Refused);
    let mut scene = AutomationFixture::new([refused()]).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    assert_eq!(inbox(&scene).await, [], "it goes on");
    let early = scene.world.post(seen(&run, "bob")).await;
    assert!(
        matches!(&early, MailAnswer::Refused { code, .. } if code.word() == "not_applicable"),
        "{early:?}"
    );
    scene.world.advance_time(Millis::minutes(1)).await;
    assert_eq!(inbox(&scene).await, [(run.clone(), ended(UnseenEndReason::Failed, EndReason::Error))]);

    // Bob marks it as seen first: that is journaled under his name, once, and it disappears for all.
    for author in ["bob", "ann"] {
        let answer = scene.world.post(seen(&run, author)).await;
        assert!(matches!(answer, MailAnswer::Accepted { .. }), "{answer:?}");
    }
    assert_eq!(inbox(&scene).await, []);
    let rows = scene.world.store.entries(&home(), &run, 0, 99).await.unwrap();
    let inputs: Vec<Input> = rows.iter().map(|row| decode_entry(row).unwrap().input).collect();
    let marks: Vec<&Input> = inputs.iter().filter(|input| matches!(input, Input::EndSeen { .. })).collect();
    assert_eq!(marks, [&Input::EndSeen { author: "bob".into() }]);

    // It is repeated in a copy, which fails again: that is a new item.
    let (facts, _) = scene.world.session(&run).await;
    let again = SessionId::new("ses_again");
    let fork = MailRequest::session(
        run.clone(),
        ForkSessionRequest {
            author: "ann".into(),
            id: again.clone(),
            name: "again".into(),
            at: facts.sequence,
        },
    );
    scene.world.post(fork).await;
    assert_eq!(inbox(&scene).await.iter().filter(|(id, _)| *id == run).count(), 0);
    scene.model.push_lines([refused()]);
    scene.say(&again, "Try again.").await;
    scene.world.advance_time(Millis::minutes(1)).await;
    assert_eq!(inbox(&scene).await, [(again, ended(UnseenEndReason::Failed, EndReason::Error))]);
    scene.world.verify().await;
}

#[tokio::test]
async fn run_limits_and_expired_approvals_reach_inbox() {
    let limited = {
        let mut scene = AutomationFixture::new(lines(look, 60)).await;
        let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
        scene.run(&automation, "ses_run").await;
        scene.world.advance_time(Millis::minutes(5)).await;
        inbox(&scene).await
    };
    assert_eq!(limited[0].1, ended(UnseenEndReason::Limited, EndReason::LimitReached));

    // Input: a run whose action gets no approval for three days, and which then reports completion.
    let send = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let mut scene = AutomationFixture::new([send, completed_line()]).await;
    let careful = AutomationSpec { require_validation: true, ..by_hand(RunPolicy::default()) };
    let automation = scene.automation("a", careful).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene.world.advance_time(Millis::hours(73)).await;
    let (_, phase) = scene.world.session(&run).await;
    assert_eq!(phase.end_reason(), Some(EndReason::Completed));
    let expired = vec!["outside.send".to_owned()];
    let item = InboxKind::Ended { why: UnseenEndReason::Expired, reason: EndReason::Completed, expired };
    assert_eq!(inbox(&scene).await, [(run.clone(), item)]);
    scene.world.post(seen(&run, "ann")).await;
    assert_eq!(inbox(&scene).await, []);
    scene.world.verify().await;

    // A run that a person stopped is no inbox item.
    let mut scene = AutomationFixture::new([]).await;
    let automation = scene.automation("a", by_hand(RunPolicy::default())).await;
    let (run, _) = scene.run(&automation, "ses_run").await;
    scene
        .world
        .post(MailRequest::session(run.clone(), StopSessionRequest { author: "ann".into(), end: true }))
        .await;
    assert_eq!(scene.standing_and_phase(&run).await.0, "ended");
    assert_eq!(inbox(&scene).await, []);
}
