//! Occurrences: each is decided once.

use entracte_application::mail::{
    AutomationChangeRequest, CreateAutomationRequest, DeleteAutomationRequest, EditAutomationRequest,
    MailAnswer, MailRequest, ResumeSessionRequest, StopSessionRequest,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{LoadedWorkspace, WorkspaceInput};
use entracte_domain::automation::{OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::message::{Enrichment, EnrichmentKind, Segment, UserMessage};
use entracte_domain::session::{EndReason, ParkReason};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;

use entracte_tests::runtime_fixture::command_request_line;
use serde_json::json;

use super::fixture::{AutomationFixture, AutomationSpec, completed_line, lines, minute};

#[tokio::test]
async fn every_occurrence_has_a_row() {
    let mut scene = AutomationFixture::new(lines(completed_line, 9)).await;
    let automation = scene.automation("a", AutomationSpec::every_minute()).await;
    scene.world.advance_time(Millis::minutes(3)).await;
    assert_eq!(scene.history(&automation).await, [(1, "ran".into()), (2, "ran".into()), (3, "ran".into())]);
    scene.world.advance_time(Millis::seconds(20)).await;
    // A laptop that slept: one check decides all missed occurrences, and the latest of them runs.
    scene.world.clock.set(minute(7));
    scene.world.advance_time(Millis::seconds(30)).await;
    let missed = ["superseded", "superseded", "superseded", "ran"];
    let history: Vec<String> =
        scene.history(&automation).await.into_iter().map(|(_, became)| became).collect();
    assert_eq!(history[3..], missed);
    // A clock that was set back repeats nothing.
    scene.world.clock.set(minute(2));
    scene.world.advance_time(Millis::minutes(4)).await;
    assert_eq!(scene.history(&automation).await.len(), 7);
    scene.world.verify().await;
}

/// Input: automations whose occurrences are due while another run has the slot, and a person's acts on them; expected:
/// a row for each due occurrence, with the reason.
#[tokio::test]
async fn every_due_occurrence_has_a_row() {
    let mut scene = AutomationFixture::new([]).await;
    let long = scene.automation("long", AutomationSpec::new(Trigger::Manual)).await;
    scene.run(&long, "ses_long").await;
    let once = || AutomationSpec::new(Trigger::Once { at: minute(1) });
    let mut made = Vec::new();
    for name in ["off", "gone", "other"] {
        made.push(scene.automation(name, once()).await);
    }
    let missed = AutomationSpec::every_minute().catching_up(None, false).overlapping(OverlapPolicy::Queue);
    made.push(scene.automation("missed", missed).await);
    for number in 1..=3 {
        scene.world.clock.set(minute(number).plus(Millis::seconds(1)));
        scene.world.wake().await;
    }
    let (off, on) = (switched(false), switched(true));
    let other = AutomationChangeRequest {
        trigger: Some(Trigger::Cron { expression: "0 9 * * *".into(), zone: "UTC".into() }),
        ..AutomationChangeRequest::default()
    };
    change(&mut scene, &made[0], off.clone()).await;
    let delete =
        MailRequest::workspace(DeleteAutomationRequest { author: "ann".into(), automation: made[1].clone() });
    assert_eq!(scene.world.post(delete).await, MailAnswer::Done);
    change(&mut scene, &made[2], other).await;
    // Off, and on again while missed occurrences wait.
    change(&mut scene, &made[3], off).await;
    change(&mut scene, &made[3], on.clone()).await;
    let row = |minute, why: &str| (minute, why.to_owned());
    assert_eq!(scene.history(&made[0]).await, [row(1, "switched_off")]);
    assert_eq!(scene.history(&made[1]).await, [row(1, "deleted")]);
    assert_eq!(scene.history(&made[2]).await, [row(1, "rescheduled")]);
    let missed: Vec<_> = (1..=3).map(|minute| row(minute, "switched_off")).collect();
    assert_eq!(scene.history(&made[3]).await, missed);

    // The single instant of the first has passed; it can still be switched on again, and makes no second row.
    change(&mut scene, &made[0], on).await;
    scene.model.push_lines(lines(completed_line, 9));
    scene.world.advance_time(Millis::minutes(2)).await;
    assert_eq!(scene.history(&made[0]).await, [row(1, "switched_off")]);
    assert_eq!(scene.history(&made[3]).await[3..], [row(4, "ran"), row(5, "ran")]);
    scene.world.verify().await;
}

fn switched(enabled: bool) -> AutomationChangeRequest {
    AutomationChangeRequest { enabled: Some(enabled), ..AutomationChangeRequest::default() }
}

async fn change(scene: &mut AutomationFixture, automation: &AutomationId, change: AutomationChangeRequest) {
    let request = MailRequest::workspace(EditAutomationRequest {
        author: "ann".into(),
        automation: automation.clone(),
        change,
    });
    assert_eq!(scene.world.post(request).await, MailAnswer::Done);
}

/// Input: a run whose process crashes twice in one model call; expected: it continues. A third crash in the same call
/// is one too many: a person checks it and resumes it.
#[tokio::test]
async fn run_survives_two_crashes_in_one_call() {
    for (deaths, expected) in [(2, "COMPLETED"), (3, "IDLE")] {
        let mut scene = AutomationFixture::new([]).await;
        let automation = scene.automation("a", AutomationSpec::new(Trigger::Manual)).await;
        let (run, _) = scene.run(&automation, "ses_run").await;
        for _ in 0..deaths {
            assert_eq!(scene.world.effects_under_way().len(), 1, "the model is asked");
            scene.world.crash();
            scene.world.clock.set(scene.world.now().plus(Millis::seconds(1)));
            scene.world.start().await;
        }
        scene.model.push_lines(lines(completed_line, 2));
        scene.world.advance_time(Millis::minutes(1)).await;
        let (facts, phase) = scene.world.session(&run).await;
        match expected {
            "COMPLETED" => assert_eq!(phase.end_reason(), Some(EndReason::Completed)),
            _ => assert_eq!(phase.park_reason(), Some(&ParkReason::Quarantined), "{deaths} deaths"),
        }
        assert_eq!(facts.usage.unknown_attempts, deaths, "each may have been billed");
        scene.world.verify().await;
    }
}

#[tokio::test]
async fn catch_up_after_outage_keeps_order_and_limits() {
    // Input: twelve hours without a process; expected: the runs of all occurrences within the window, in order, one at
    // a time, and a row for each older one.
    let hourly = || AutomationSpec::new(Trigger::Cron { expression: "0 * * * *".into(), zone: "UTC".into() });
    let mut scene = AutomationFixture::new(lines(completed_line, 40)).await;
    let all = scene.automation("all", hourly().catching_up(None, false)).await;
    let recent = scene.automation("recent", hourly().catching_up(Some(Millis::minutes(190)), false)).await;
    let latest = scene.automation("latest", hourly()).await;
    scene.world.crash();
    scene.world.clock.set(minute(12 * 60));
    scene.world.start().await;
    scene.world.advance_time(Millis::minutes(30)).await;

    let expected = |late: i64, superseded: i64| -> Vec<(i64, String)> {
        let became = |hour: i64| match hour {
            hour if hour <= late => "too_late",
            hour if hour <= superseded => "superseded",
            _ => "ran",
        };
        (1..=12).map(|hour| (hour * 60, became(hour).to_owned())).collect()
    };
    assert_eq!(scene.history(&all).await, expected(0, 0));
    assert_eq!(scene.history(&recent).await, expected(8, 0));
    assert_eq!(scene.history(&latest).await, expected(0, 11));
    let mut began = Vec::new();
    for automation in [&all, &recent, &latest] {
        for run in scene.world.runs(automation).await {
            let (facts, phase) = scene.world.session(&run).await;
            assert!(phase.end_reason().is_some(), "{run} has ended");
            began.push((facts.created_at, facts.scheduled_at.unwrap()));
        }
    }
    began.sort();
    assert!(
        began.is_sorted_by_key(|(_, occurrence)| *occurrence),
        "the oldest occurrence runs first: {began:?}"
    );
    assert_eq!(began.len(), 12 + 4 + 1);
    scene.world.verify().await;
}

#[tokio::test]
async fn an_occurrence_that_overlaps_is_skipped_or_waits() {
    for (overlap, expected) in [
        (OverlapPolicy::Skip, vec!["ran", "overlap", "overlap", "ran"]),
        (OverlapPolicy::Queue, vec!["ran", "ran"]),
    ] {
        let mut scene = AutomationFixture::new([]).await;
        let plan = AutomationSpec::every_minute().catching_up(None, false).overlapping(overlap);
        let automation = scene.automation("a", plan).await;
        // The first run gets no answer.
        for number in 1..=3 {
            scene.world.clock.set(minute(number));
            scene.world.wake().await;
        }
        scene.model.push_lines(lines(completed_line, 9));
        scene.world.clock.set(minute(3).plus(Millis::seconds(10)));
        scene.world.finish_all_effects().await;
        scene.world.advance_time(Millis::seconds(15)).await;
        if overlap == OverlapPolicy::Skip {
            scene.world.advance_time(Millis::seconds(40)).await;
        }
        let history: Vec<String> =
            scene.history(&automation).await.into_iter().map(|(_, became)| became).collect();
        assert_eq!(history, expected, "{overlap:?}");
        scene.world.verify().await;
    }
}

#[tokio::test]
async fn two_schedulers_one_run() {
    let mut scene = AutomationFixture::new(lines(completed_line, 9)).await;
    let automation = scene.automation("a", AutomationSpec::every_minute()).await;
    let services = AutomationFixture::services(
        &scene.world.store,
        &scene.model,
        &scene.outside,
        &scene.world.clock,
        RuleBook::default(),
    );
    let mut other =
        LoadedWorkspace::open(services, scene.world.owner(), WorkspaceKey::new("ann:home")).await.unwrap();
    // Both check at the same moment; the second one finds the row and creates no other.
    scene.world.clock.set(minute(1));
    scene.world.wake().await;
    other.handle(&mut vec![WorkspaceInput::Wake]).await.unwrap();
    assert_eq!(scene.history(&automation).await, [(1, "ran".into())]);
    assert_eq!(scene.world.runs(&automation).await.len(), 1);
    assert_eq!(scene.world.sessions().await.len(), 2, "the seed and one run");
}

#[tokio::test]
async fn relative_period_uses_the_occurrence() {
    let use_tool = |id: &str| Enrichment {
        kind: EnrichmentKind::Use,
        config: JsonValue::Object(vec![
            ("id".into(), JsonValue::Text(id.into())),
            ("period".into(), JsonValue::Text("0_DAY".into())),
        ]),
        summary: String::new(),
    };
    let zone = command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))]);
    let mut scene = AutomationFixture::new([zone]).await;
    let chat = scene.chat("ses_chat").await;
    scene.world.finish_all_effects().await;
    let zone = scene.first("zone").await;
    let diary = json!({ "zone_id": zone, "name": "Diary", "tool_type": "journal", "config": {} });
    let schema = ("SCHEMA", json!({ "tool_type": "journal" }));
    scene.model.push_lines([
        command_request_line("queries", &[schema]),
        command_request_line("actions", &[("CREATE_TOOL", diary)]),
    ]);
    scene.say(&chat, "and a diary").await;
    scene.world.finish_all_effects().await;
    let tool = scene.first("tool").await;
    let stop = MailRequest::session(chat.clone(), StopSessionRequest { author: "ann".into(), end: true });
    scene.world.post(stop).await;

    let daily = Trigger::Cron { expression: "0 18 * * *".into(), zone: "UTC".into() };
    let message =
        UserMessage { segments: vec![Segment::Text("Sum up ".into()), Segment::Enrichment(use_tool(&tool))] };
    let plan = AutomationSpec { message, ..AutomationSpec::new(daily) }.catching_up(None, false);
    let automation = scene.automation("daily", plan).await;
    scene.model.push_lines(lines(completed_line, 9));
    // Two days late: each run reads its own day, and not today.
    scene.world.clock.set(minute(60 * 24 * 2));
    scene.world.advance_time(Millis::minutes(1)).await;
    let runs = scene.world.runs(&automation).await;
    assert_eq!(runs.len(), 2);
    for (run, day) in runs.iter().zip(["2026-11-20", "2026-11-21"]) {
        let calls =
            scene.world.services.log.calls(&entracte_tests::virtual_workspace::home(), run).await.unwrap();
        let bodies: Vec<String> =
            calls.iter().map(|row| String::from_utf8_lossy(&row.body).into_owned()).collect();
        let data = bodies.join("\n");
        assert!(data.contains(&format!("{day}T00:00:00Z")), "{run}: {data}");
    }
    scene.world.verify().await;
}

#[tokio::test]
async fn seed_session_never_runs() {
    let mut scene = AutomationFixture::new(lines(completed_line, 9)).await;
    scene.automation("a", AutomationSpec::every_minute()).await;
    let seed = SessionId::new("ses_seeda");
    assert_eq!(scene.standing_and_phase(&seed).await, ("template", "IDLE"));
    let resumed = scene
        .world
        .post(MailRequest::session(seed.clone(), ResumeSessionRequest { author: "ann".into() }))
        .await;
    assert!(matches!(resumed, MailAnswer::Refused { .. }), "{resumed:?}");
    scene.world.advance_time(Millis::minutes(2)).await;
    assert_eq!(scene.standing_and_phase(&seed).await, ("template", "IDLE"));
    assert_eq!(scene.world.session(&seed).await.0.counters.rounds_total, 0);
}

#[tokio::test]
async fn uncomputable_trigger_is_refused_with_remedy() {
    let mut scene = AutomationFixture::new([]).await;
    let cases = [
        (
            Trigger::Cron { expression: "61 * * * *".into(), zone: "UTC".into() },
            "“61 * * * *” is not a valid cron expression",
        ),
        (Trigger::Cron { expression: "0 0 30 2 *".into(), zone: "UTC".into() }, "“0 0 30 2 *” never occurs"),
        (
            Trigger::Cron { expression: "0 0 * * *".into(), zone: "Paris".into() },
            "“Paris” is not a valid IANA time zone",
        ),
        (Trigger::Every { interval: Millis(10), anchor: minute(0) }, "an interval of 10 ms is too short"),
        (Trigger::Once { at: minute(-1) }, "the automation's time has already passed"),
    ];
    for (trigger, expected) in cases {
        let new = entracte_application::mail::NewAutomationRequest {
            id: entracte_domain::id::AutomationId::new("aut_bad"),
            name: "bad".into(),
            trigger,
            policies: entracte_domain::automation::AutomationPolicies::default(),
            enabled: true,
            seed: entracte_application::mail::NewSeedRequest {
                id: SessionId::new("ses_bad"),
                message: UserMessage::text("x"),
                voice: super::fixture::voice(),
                require_validation: false,
                restriction: entracte_domain::restriction::Restriction::Open,
            },
        };
        let answer = scene
            .world
            .post(MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new }))
            .await;
        let MailAnswer::Refused { text, .. } = &answer else { unreachable!("{answer:?}") };
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(scene.world.sessions().await.len(), 0, "nothing is left of what was refused");
}

#[tokio::test]
async fn restarted_automation_repeats_nothing_after_clock_change() {
    let mut scene = AutomationFixture::new(lines(completed_line, 9)).await;
    let automation = scene.automation("a", AutomationSpec::every_minute()).await;
    scene.world.advance_time(Millis::minutes(3)).await;
    scene.world.advance_time(Millis::seconds(30)).await;
    scene.world.clock.set(minute(0));
    for enabled in [false, true] {
        let change = entracte_application::mail::AutomationChangeRequest {
            enabled: Some(enabled),
            ..entracte_application::mail::AutomationChangeRequest::default()
        };
        let automation = automation.clone();
        let request =
            MailRequest::workspace(EditAutomationRequest { author: "ann".into(), automation, change });
        assert_eq!(scene.world.post(request).await, MailAnswer::Done);
    }
    scene.world.advance_time(Millis::minutes(4)).await;
    let ran = |minute| (minute, "ran".to_owned());
    assert_eq!(scene.history(&automation).await, [ran(1), ran(2), ran(3), ran(4)]);
}
