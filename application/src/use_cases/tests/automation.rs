use std::sync::Arc;

use entracte_domain::automation::{
    Automation, AutomationPolicies, OverlapPolicy, RunCause, SkipReason, Trigger,
};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Dialect, LimitProfile, ModelSelection, Standing};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::workspace::ActivationResult;
use mockall::predicate::eq;

use crate::codec::*;
use crate::journal::{Occurrence, OccurrenceOutcome};
use crate::kit::{NOON, unavailable, workspace};
use crate::mail::{
    AutomationChangeRequest, CreateAutomationRequest, DeleteAutomationRequest, EditAutomationRequest, Mail,
    MailAnswer, MailRequest, NewAutomationRequest, NewSeedRequest, RefusalCode, RunAutomationRequest,
};
use crate::ports::{
    AutomationRow, MockAutomationReader, MockClock, MockIdGenerator, MockLogReader, MockMailSender,
    MockScheduleCalculator, MockWorkspaceStore, OccurrenceRow, ScheduleError, WorkspaceStore,
};
use crate::samples;
use crate::use_cases::*;

/// A mail sender that accepts exactly this request, once.
fn takes(request: MailRequest, answer: MailAnswer) -> Arc<MockMailSender> {
    let mut mail_sender = MockMailSender::new();
    let mail = Mail::from_request(request);
    mail_sender.expect_post().with(eq(workspace()), eq(mail)).once().return_once(|_, _| Ok(answer));
    Arc::new(mail_sender)
}

fn refuses(code: RefusalCode) -> Arc<MockMailSender> {
    let mut mail_sender = MockMailSender::new();
    let answer = MailAnswer::Refused { code, text: "no".into(), topic: None };
    mail_sender.expect_post().return_once(|_, _| Ok(answer));
    Arc::new(mail_sender)
}

fn ids() -> Arc<MockIdGenerator> {
    let mut ids = MockIdGenerator::new();
    ids.expect_automation().returning(|| AutomationId::new("aut_new"));
    ids.expect_session().returning(|| SessionId::new("ses_new"));
    Arc::new(ids)
}

fn ann() -> String {
    "ann".into()
}

fn plan() -> AutomationParams {
    AutomationParams {
        name: "Weekly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies::default(),
        enabled: true,
        message: UserMessage::text("How was my week?"),
        voice: samples::voice(),
        require_validation: true,
        restriction: entracte_domain::restriction::Restriction::Open,
    }
}

#[tokio::test]
async fn automation_is_posted_with_seed_and_generated_ids() {
    let seed = NewSeedRequest {
        id: SessionId::new("ses_new"),
        message: UserMessage::text("How was my week?"),
        voice: samples::voice(),
        require_validation: true,
        restriction: entracte_domain::restriction::Restriction::Open,
    };
    let new = NewAutomationRequest {
        id: AutomationId::new("aut_new"),
        name: "Weekly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies::default(),
        enabled: true,
        seed,
    };
    let mail_sender =
        takes(MailRequest::workspace(CreateAutomationRequest { author: ann(), new }), MailAnswer::Done);
    let made = CreateAutomation::new(mail_sender, ids()).run(&workspace(), ann(), plan()).await.unwrap();
    assert_eq!(made, AutomationId::new("aut_new"));
    let error = CreateAutomation::new(refuses(RefusalCode::Invalid), ids())
        .run(&workspace(), ann(), plan())
        .await
        .unwrap_err();
    assert!(matches!(error, UseCaseError::Invalid(_)), "{error:?}");
}

/// Posts this edit of the sample automation, whose seed says “How was my week?”; expects this change.
async fn edits(edit: AutomationUpdate, expected: AutomationChangeRequest) {
    let automation = samples::automation();
    let request = MailRequest::workspace(EditAutomationRequest {
        author: ann(),
        automation: automation.id.clone(),
        change: expected,
    });
    let (mut store, mut log) = (MockWorkspaceStore::new(), MockLogReader::new());
    store.expect_session().with(eq(workspace()), eq(automation.seed.clone())).returning(|_, _| {
        let facts = samples::facts();
        let ModelSelection { provider, model, dialect } = samples::voice();
        Ok(samples::row(entracte_domain::session::SessionFacts { provider, model, dialect, ..facts }).ok())
    });
    log.expect_entries().returning(|_, _, after, _| {
        Ok((after == 0).then(|| samples::user_message_row("How was my week?").unwrap()).into_iter().collect())
    });
    let edited = EditAutomation::new(takes(request, MailAnswer::Done), ids(), Arc::new(store), Arc::new(log));
    edited.run(&workspace(), ann(), &automation, edit).await.unwrap();
}

#[tokio::test]
async fn absent_fields_stay_unchanged() {
    edits(AutomationUpdate::default(), AutomationChangeRequest::default()).await;
    let edit = AutomationUpdate { name: Some("Monthly".into()), ..AutomationUpdate::default() };
    edits(
        edit,
        AutomationChangeRequest { name: Some("Monthly".into()), ..AutomationChangeRequest::default() },
    )
    .await;
}

#[tokio::test]
async fn one_policy_changes_others_stay() {
    let policies = PolicyUpdate {
        window: Some(None),
        overlap: Some(OverlapPolicy::Queue),
        profile: Some(Some(LimitProfile::Strict)),
        ..PolicyUpdate::default()
    };
    let mut expected = AutomationPolicies::default();
    expected.catch_up.window = None;
    expected.overlap = OverlapPolicy::Queue;
    expected.run.profile = Some(LimitProfile::Strict);
    let change =
        AutomationChangeRequest { policies: Some(expected.clone()), ..AutomationChangeRequest::default() };
    edits(AutomationUpdate { policies, ..AutomationUpdate::default() }, change).await;
    let back = PolicyUpdate { profile: Some(None), ..PolicyUpdate::default() };
    assert_eq!(back.apply_to(&expected).run.profile, None, "that of the workspace again");
}

#[tokio::test]
async fn change_of_seed_part_creates_new_seed() {
    let old = || NewSeedRequest {
        id: SessionId::new("ses_new"),
        message: UserMessage::text("How was my week?"),
        voice: samples::voice(),
        require_validation: false,
        restriction: entracte_domain::restriction::Restriction::Open,
    };
    let other = || UserMessage::text("How was my month?");
    let cases = [
        (
            SeedUpdate { message: Some(other()), ..SeedUpdate::default() },
            NewSeedRequest { message: other(), ..old() },
        ),
        (
            SeedUpdate {
                model: Some("small".into()),
                dialect: Some(Dialect::Tools),
                ..SeedUpdate::default()
            },
            NewSeedRequest {
                voice: ModelSelection { model: "small".into(), dialect: Dialect::Tools, ..samples::voice() },
                ..old()
            },
        ),
        (
            SeedUpdate { require_validation: Some(true), ..SeedUpdate::default() },
            NewSeedRequest { require_validation: true, ..old() },
        ),
    ];
    for (seed, expected) in cases {
        let change = AutomationChangeRequest { seed: Some(expected), ..AutomationChangeRequest::default() };
        edits(AutomationUpdate { seed, ..AutomationUpdate::default() }, change).await;
    }
}

#[tokio::test]
async fn deletion_is_posted_and_refusal_becomes_error() {
    let id = samples::automation().id;
    let request = MailRequest::workspace(DeleteAutomationRequest { author: ann(), automation: id.clone() });
    DeleteAutomation::new(takes(request, MailAnswer::Done)).run(&workspace(), ann(), &id).await.unwrap();
    let error = DeleteAutomation::new(refuses(RefusalCode::NotFound))
        .run(&workspace(), ann(), &id)
        .await
        .unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn run_is_posted_with_event_and_activation() {
    let (id, session) = (samples::automation().id, SessionId::new("ses_new"));
    let event = Some("{\"invoice\":7}".to_owned());
    let request = MailRequest::workspace(RunAutomationRequest {
        author: ann(),
        automation: id.clone(),
        session: session.clone(),
        event: event.clone(),
    });
    let queued = Some(ActivationResult::Queued { position: 2 });
    let answer = MailAnswer::Accepted { message: None, session: session.clone(), activation: queued };
    let run = RunAutomation::new(takes(request, answer), ids());
    let accepted = run.run(&workspace(), ann(), &id, event).await.unwrap();
    assert_eq!(accepted, AcceptedRequest { session, message: None, activation: queued });
}

fn row(id: &str, name: &str) -> AutomationRow {
    let automation = Automation { id: AutomationId::new(id), name: name.into(), ..samples::automation() };
    encode_automation(&workspace(), &automation, 1).unwrap()
}

fn reader(rows: Vec<AutomationRow>, occurrences: Vec<OccurrenceRow>) -> MockAutomationReader {
    let mut reader = MockAutomationReader::new();
    reader.expect_automations().with(eq(workspace())).returning(move |_| Ok(rows.clone()));
    reader.expect_occurrences().returning(move |key, id, _, limit| {
        assert_eq!(*key, workspace());
        let of = occurrences.iter().filter(|row| row.automation == *id).take(limit as usize);
        Ok(of.cloned().collect())
    });
    reader
}

fn settled_store() -> Arc<dyn WorkspaceStore> {
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    Arc::new(store)
}

#[tokio::test]
async fn automation_is_found_by_id_name_or_prefix() {
    let rows =
        vec![row("aut_ab", "Weekly"), row("aut_abc", "Daily"), row("aut_x", "Daily"), row("aut_y", "x")];
    let find = FindAutomation::new(settled_store(), Arc::new(reader(rows, Vec::new())));
    let cases = [
        ("aut_abc", Ok("aut_abc")),
        // An id that is a prefix of another one still matches itself.
        ("ab", Ok("aut_ab")),
        ("Weekly", Ok("aut_ab")),
        // An id has precedence over a name.
        ("x", Ok("aut_x")),
        ("y", Ok("aut_y")),
        ("Daily", Err("Daily matches several automations: aut_abc, aut_x; write more of the id")),
        ("a", Err("a matches several automations: aut_ab, aut_abc; write more of the id")),
        ("q", Err("there is no automation q")),
        ("", Err("there is no automation ")),
    ];
    for (named, expected) in cases {
        let found = find.run(&workspace(), named).await;
        let told = found.map(|automation| automation.id.as_str().to_owned());
        let told = told.map_err(|error| error.to_string());
        assert_eq!(told, expected.map(str::to_owned).map_err(str::to_owned), "{named}");
    }
}

fn occurrence(automation: &str, at: Timestamp, outcome: OccurrenceOutcome) -> OccurrenceRow {
    let automation = AutomationId::new(automation);
    let cause = RunCause::Scheduled;
    let occurrence =
        Occurrence { automation, at, cause, version: 1, decided_at: at, outcome, blocked_by: None };
    encode_occurrence(&workspace(), &occurrence).unwrap()
}

#[tokio::test]
async fn deleted_automation_history_requires_full_id() {
    let past = vec![occurrence("aut_gone", NOON, OccurrenceOutcome::Skipped(SkipReason::Overlap))];
    let find = FindAutomation::new(settled_store(), Arc::new(reader(vec![row("aut_ab", "Weekly")], past)));
    assert_eq!(find.find_deleted(&workspace(), "aut_gone").await.unwrap(), AutomationId::new("aut_gone"));
    assert_eq!(find.find_deleted(&workspace(), "ab").await.unwrap(), AutomationId::new("aut_ab"));
    let error = find.find_deleted(&workspace(), "aut_g").await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn automations_needing_attention_are_listed_first() {
    let broken = Automation {
        id: AutomationId::new("aut_b"),
        attention: Some("the zone is gone".into()),
        ..samples::automation()
    };
    let rows = vec![row("aut_a", "a"), encode_automation(&workspace(), &broken, 1).unwrap()];
    let past = vec![occurrence("aut_a", NOON, OccurrenceOutcome::Skipped(SkipReason::TooLate))];
    let list = ListAutomations::new(Arc::new(reader(rows, past))).run(&workspace()).await.unwrap();
    let ids: Vec<&str> = list.views.iter().map(|view| view.automation.id.as_str()).collect();
    assert_eq!(ids, ["aut_b", "aut_a"]);
    assert_eq!(list.views[1].last.as_ref().unwrap().outcome, OccurrenceOutcome::Skipped(SkipReason::TooLate));
    let mut failing = MockAutomationReader::new();
    failing.expect_automations().returning(|_| Err(unavailable()));
    let error = ListAutomations::new(Arc::new(failing)).run(&workspace()).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(_)), "{error:?}");
}

#[tokio::test]
async fn unreadable_automation_hides_no_other() {
    let newer = AutomationRow { body: br#"{"v":99}"#.to_vec(), ..row("aut_b", "b") };
    let odd = OccurrenceRow {
        body: b"?".to_vec(),
        ..occurrence("aut_c", NOON, OccurrenceOutcome::Skipped(SkipReason::TooLate))
    };
    let rows = vec![row("aut_a", "a"), newer, row("aut_c", "c")];
    let list = ListAutomations::new(Arc::new(reader(rows, vec![odd]))).run(&workspace()).await.unwrap();
    assert_eq!(list.views.iter().map(|view| view.automation.id.as_str()).collect::<Vec<_>>(), ["aut_a"]);
    let damaged: Vec<(&str, &str)> =
        list.damaged.iter().map(|one| (one.id.as_str(), one.why.as_str())).collect();
    assert_eq!(damaged[0].0, "aut_b");
    assert!(damaged[0].1.contains("version 99"), "{damaged:?}");
    assert_eq!(damaged[1].0, "aut_c");
}

#[tokio::test]
async fn history_joins_runs_with_existing_sessions() {
    let past = vec![
        occurrence("aut_a", NOON.plus(Millis(2)), OccurrenceOutcome::Run(samples::session())),
        occurrence("aut_a", NOON.plus(Millis(1)), OccurrenceOutcome::Run(SessionId::new("ses_deleted"))),
        occurrence("aut_a", NOON, OccurrenceOutcome::Skipped(SkipReason::Superseded)),
    ];
    let mut store = MockWorkspaceStore::new();
    store
        .expect_session()
        .returning(|_, id| Ok((*id == samples::session()).then(|| samples::row(samples::facts()).unwrap())));
    let history = ReadAutomationHistory::new(Arc::new(store), Arc::new(reader(Vec::new(), past)));
    let past = history.run(&workspace(), &AutomationId::new("aut_a"), None, 10).await.unwrap();
    let standings: Vec<Option<Standing>> =
        past.iter().map(|past| past.run.as_ref().map(|run| run.standing)).collect();
    assert_eq!(standings, [Some(Standing::Open), None, None]);
    assert_eq!(history.run(&workspace(), &AutomationId::new("aut_a"), None, 1).await.unwrap().len(), 1);
}

/// The upcoming instants in minutes after noon, from a calculator with `known` instants, one per minute.
fn coming(automation: &Automation, count: usize, known: i64) -> (Vec<i64>, Option<ScheduleError>) {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    let mut calculator = MockScheduleCalculator::new();
    calculator.expect_next().returning(move |_, after| {
        let at = after.plus(Millis::minutes(1));
        let is_known = at <= NOON.plus(Millis::minutes(known));
        is_known.then_some(Some(at)).ok_or(ScheduleError::Interval { milliseconds: 0 })
    });
    let coming = PreviewNextOccurrences::new(Arc::new(calculator), Arc::new(clock)).run(automation, count);
    (coming.instants.iter().map(|at| (at.0 - NOON.0) / 60_000_000).collect(), coming.fault)
}

#[test]
fn coming_instants_have_not_passed() {
    let fault = Some(ScheduleError::Interval { milliseconds: 0 });
    let at =
        |minute| Automation { next_at: Some(NOON.plus(Millis::minutes(minute))), ..samples::automation() };
    // An occurrence that is due and waits for a slot is in the past.
    assert_eq!(coming(&at(-5), 3, 99), (vec![1, 2, 3], None));
    assert_eq!(coming(&at(7), 2, 99), (vec![7, 8], None));
    assert_eq!(coming(&at(7), 5, 8), (vec![7, 8], fault.clone()));
    assert_eq!(coming(&at(7), 0, 99), (vec![], None));
    let off = Automation { enabled: false, ..at(7) };
    assert_eq!(coming(&off, 2, 99), (vec![1, 2], None), "as if it were switched on now");
    let broken = Automation { attention: Some("why".into()), ..at(7) };
    assert_eq!(coming(&broken, 2, 0), (vec![], fault));
}
