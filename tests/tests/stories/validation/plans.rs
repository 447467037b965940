//! Mode `plan`, end to end: nothing runs before a person approved a plan, for any requester and any kind of call.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are the helpers of tests")]

use std::sync::Arc;

use entracte_application::mail::{Mail, MailAnswer, MailRequest, ManualCallRequest, RefusalCode};
use entracte_application::ports::ResourceFilter;
use entracte_application::protocol::relay;
use entracte_application::use_cases::{
    ApprovalChoice, AutomationParams, ChangeSession, CreateAutomation, ExternalCaller, ManualActionOutcome,
    ManualActionPorts, NewChat, RunExternalCall, RunManualAction, SendMessage, SessionUpdate, ShowSession,
    StartChat, TurnView, UseCaseError,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::command::Command;
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::plan::{Plan, PlanMode, PlanStepState};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{Dialect, JournalNote, ModelSelection};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use entracte_tests::runtime_fixture::{FakeModelLine, envelope_line};
use serde_json::json;

use super::fixture::{ValidationFixture, ValidationWorkspace, always_choice, notes, waiting_approvals};

/// A command: its type in the envelope, its name, and its arguments.
type PlanCommandCase = (&'static str, &'static str, serde_json::Value);

/// The reply of a model of this dialect that requests these actions with this text.
fn asks(dialect: Dialect, words: &str, actions: &[PlanCommandCase]) -> FakeModelLine {
    match dialect {
        Dialect::Envelope => {
            let actions: Vec<serde_json::Value> =
                actions.iter().map(|(word, _, params)| json!({ "type": word, "params": params })).collect();
            let reply = json!({ "pre_text": words, "actions": actions, "keep_control": true });
            FakeModelLine::Says(reply.to_string())
        }
        Dialect::Tools => FakeModelLine::Calls(
            actions.iter().map(|(_, name, params)| ((*name).to_owned(), params.clone())).collect(),
        ),
    }
}

fn completed_line(dialect: Dialect) -> FakeModelLine {
    match dialect {
        Dialect::Envelope => envelope_line("So it is."),
        Dialect::Tools => FakeModelLine::Says("So it is.".into()),
    }
}

fn propose(title: &str) -> PlanCommandCase {
    let steps = json!([{ "id": "1", "text": "Raise the most" }, { "id": "2", "text": "Add a zone" }]);
    ("PROPOSE_PLAN", "plan.propose", json!({ "title": title, "steps": steps }))
}

fn step(id: &str, state: &str) -> PlanCommandCase {
    ("PLAN_STEP", "plan.step", json!({ "id": id, "state": state, "note": "ready at noon" }))
}

fn raise_max_command(place: &ValidationWorkspace, max: u32) -> PlanCommandCase {
    ("UPDATE_TOOL", "tools.update", json!({ "tool_id": place.tool, "config": { "max": max } }))
}

fn zone(name: &str) -> PlanCommandCase {
    ("CREATE_ZONE", "zones.create", json!({ "name": name }))
}

async fn chat(
    place: &ValidationWorkspace,
    dialect: Dialect,
    mode: Option<PlanMode>,
    require_validation: bool,
) -> SessionId {
    let chat =
        NewChat { dialect, mode, require_validation, model: "fake-1".into(), ..NewChat::new("plan", "fake") };
    let start = StartChat::new(place.life.mail_sender.clone(), place.life.services.ids.clone());
    start.run(&place.life.workspace, chat).await.unwrap().session
}

async fn plan(place: &ValidationWorkspace, session: &SessionId) -> Option<Plan> {
    let show = ShowSession::new(place.life.services.store.clone());
    show.run(&place.life.workspace, session).await.unwrap().facts.plan
}

/// Sends a message that the model answers with these lines; returns command and state of the requested calls.
async fn turn(
    stage: &ValidationFixture,
    place: &ValidationWorkspace,
    session: &SessionId,
    lines: Vec<FakeModelLine>,
) -> (TurnView, Vec<String>) {
    let before = place.life.calls(session).await.len();
    stage.model.push_lines(lines);
    let turn = place.life.send_and_wait(session, "go on; my plan was approved by the boss").await;
    let calls = place.life.calls(session).await;
    (turn, calls.into_iter().skip(before).map(|(name, state)| format!("{name} {state}")).collect())
}

async fn zones(place: &ValidationWorkspace) -> u64 {
    let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
    place.life.services.rows.count(&place.life.workspace, &filter).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_the_plan_is_approved() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let stage = ValidationFixture::new([]);
        let place = ValidationWorkspace::new(&stage).await;
        // A standing approval for a later request.
        let free = chat(&place, dialect, None, true).await;
        stage.model.push_lines([
            asks(dialect, "One moment.", &[raise_max_command(&place, 210)]),
            completed_line(dialect),
        ]);
        let waiting = place.life.send_and_wait(&free, "raise it").await;
        let call = waiting_approvals(&waiting)[0].call.id.clone();
        place.decides("ann", &free, &[call], &always_choice()).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &free, 0).await.unwrap();
        assert_eq!(place.max_of_the_tool().await, "210");

        place.set(&[("mode", Some("plan"))]).await.unwrap();
        let session = chat(&place, dialect, None, true).await;
        let entry = json!({ "tool_id": place.tool, "entries": [{ "data": { "value": 72 } }] });
        let attempts: Vec<(Vec<PlanCommandCase>, Vec<&str>)> = vec![
            (vec![raise_max_command(&place, 220)], vec!["tools.update plan_first"]),
            (vec![zone("Garden")], vec!["zones.create plan_first"]),
            (
                vec![("DELETE_TOOL", "tools.delete", json!({ "tool_id": place.tool }))],
                vec!["tools.delete plan_first"],
            ),
            (vec![step("1", "done")], vec!["plan.step plan_first"]),
            // A write whose schema the model was not shown is refused for that reason, also here.
            (
                vec![("CREATE_DATA", "tool_data.batch_create", entry)],
                vec!["tool_data.batch_create schema_required"],
            ),
        ];
        for (actions, expected) in attempts {
            let words = "The user approved my plan, so I begin.";
            let lines = vec![asks(dialect, words, &actions), completed_line(dialect)];
            let (after, calls) = turn(&stage, &place, &session, lines).await;
            assert!(after.waiting.is_none(), "nobody is asked: {calls:?}");
            assert_eq!(calls, expected);
        }
        assert_eq!((place.max_of_the_tool().await.as_str(), zones(&place).await), ("210", 1));

        // A proposal beside an action requests approval of the plan alone, and a later message voids its card.
        let lines = vec![asks(dialect, "", &[zone("Garden"), propose("First")])];
        let (first, calls) = turn(&stage, &place, &session, lines).await;
        assert_eq!(calls, ["zones.create plan_first", "plan.propose waiting_decision"]);
        let card = &waiting_approvals(&first)[0];
        assert_eq!(
            card.reasons.first().map(|reason| reason.text.as_str()),
            Some("a plan always needs the approval of a person")
        );
        assert_eq!(card.description.says, "Plan with 2 steps: “First”");
        assert_eq!(card.description.after[1], ("2".to_owned(), "Add a zone".to_owned()));
        assert!(card.always.is_none(), "no rule approves plans");
        let void = card.call.id.clone();
        let (second, _) = turn(&stage, &place, &session, vec![asks(dialect, "", &[propose("Second")])]).await;
        let refused = place.decides("ann", &session, &[void], &ApprovalChoice::Approve).await;
        assert!(refused.is_err(), "its card is void");
        let why = ApprovalChoice::Reject(Some("ask Bob first".into()));
        stage.model.push_lines([asks(dialect, "", &[propose("Third")])]);
        let call = waiting_approvals(&second)[0].call.id.clone();
        place.decides("ann", &session, &[call], &why).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
        assert_eq!(plan(&place, &session).await, None);
        let third = place.inbox().await;
        assert_eq!(third.len(), 1, "one card at a time");

        // A person edits the plan and approves it: the edited text is the plan, and its actions still need their own
        // approvals.
        let edited = json!({ "title": "Ours", "steps": [{ "id": "1", "text": "Raise" }, { "id": "2", "text": "Add" }] });
        let edited = entracte_application::json_value::parse(&edited.to_string()).unwrap();
        let last =
            vec![asks(dialect, "", &[raise_max_command(&place, 230), step("1", "done"), zone("Garden")])];
        stage.model.push_lines(last);
        let call = third[0].call.id.clone();
        place.decides("ann", &session, &[call], &ApprovalChoice::ApproveEdited(edited)).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
        let ours = plan(&place, &session).await.unwrap();
        assert_eq!((ours.title.as_str(), ours.approved_by.as_deref()), ("Ours", Some("ann")));
        assert_eq!(place.max_of_the_tool().await, "230", "the standing approval covers it");
        assert_eq!(ours.steps[0].state, PlanStepState::Done);
        assert_eq!(ours.steps[0].note.as_deref(), Some("ready at noon"));
        assert_eq!(zones(&place).await, 1, "an approved plan approves no action");
        stage.model.push_lines([asks(dialect, "", &[step("2", "done")]), completed_line(dialect)]);
        let call = place.inbox().await[0].call.id.clone();
        place.decides("ann", &session, &[call], &ApprovalChoice::Approve).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
        assert_eq!(zones(&place).await, 2);

        // The plan is over: the next action needs another one.
        let lines = vec![asks(dialect, "", &[raise_max_command(&place, 240)]), completed_line(dialect)];
        let (_, calls) = turn(&stage, &place, &session, lines).await;
        assert_eq!(calls, ["tools.update plan_first"]);
        let entries = place.life.entries(&session).await;
        let stepped = notes(&entries).filter(|note| matches!(note, JournalNote::PlanStepped { .. })).count();
        assert_eq!(stepped, 2, "each is in the journal");
        place.life.verify(&session).await;
    }
}

fn ann(place: &ValidationWorkspace) -> ExternalCaller {
    let workspace = place.life.workspace.clone();
    ExternalCaller { workspace, name: "ann".into(), seat: 1, restriction: Restriction::Open }
}

fn new_zone(name: &str) -> Command {
    Command { name: "zones.create".into(), arguments: JsonValue::from([("name", JsonValue::from(name))]) }
}

fn manual_action(place: &ValidationWorkspace) -> RunManualAction {
    let services = &place.life.services;
    let ports = ManualActionPorts {
        mail_sender: place.life.mail_sender.clone(),
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        catalog: services.catalog.get(),
        clock: services.clock.clone(),
        live: place.life.live.clone(),
    };
    RunManualAction::new(ports, Arc::default())
}

/// Ann adds a zone by hand; returns the session of the call.
async fn by_hand(place: &ValidationWorkspace, name: &str) -> SessionId {
    let done = manual_action(place).run(&ann(place), &new_zone(name), Millis::seconds(20)).await.unwrap();
    let ManualActionOutcome::Done { session, .. } = done else { panic!("{done:?}") };
    session
}

/// Input: a message to the session of ann's manual calls, an attempt to make it an ordinary one, and a chat and an
/// automation whose text would become calls; expected: each is refused, nothing runs, and ann continues by hand as
/// before.
#[tokio::test(start_paused = true)]
async fn no_words_become_calls_by_hand() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    place.set(&[("mode", Some("plan"))]).await.unwrap();
    let session = by_hand(&place, "By hand").await;
    let before = zones(&place).await;
    let (mail_sender, store) = (place.life.mail_sender.clone(), place.life.services.store.clone());
    let workspace = place.life.workspace.clone();
    for author in ["eve", "ann"] {
        let forged = UserMessage::text(relay::relay_message(&new_zone("Forged")));
        let send = SendMessage::new(mail_sender.clone());
        let sent = send.run(&workspace, &session, author.into(), forged, None).await;
        assert!(matches!(sent, Err(UseCaseError::Conflict(_))), "{author}: {sent:?}");
    }
    let change = |session: SessionId, change: SessionUpdate| {
        let (verb, workspace) = (ChangeSession::new(mail_sender.clone(), store.clone()), workspace.clone());
        async move { verb.run(&workspace, &session, "eve".into(), change).await }
    };
    for wanted in [
        SessionUpdate { model: Some("another".into()), ..SessionUpdate::default() },
        SessionUpdate { mode: Some(PlanMode::Plan), ..SessionUpdate::default() },
        SessionUpdate {
            restriction: Some(Restriction::Only(vec![CommandPattern::from_text("zones.list")])),
            ..SessionUpdate::default()
        },
    ] {
        let changed = change(session.clone(), wanted.clone()).await;
        assert!(matches!(changed, Err(UseCaseError::Conflict(_))), "{wanted:?}: {changed:?}");
    }
    // An ordinary chat cannot become such a session, or start as one.
    let own = chat(&place, Dialect::Envelope, Some(PlanMode::Free), false).await;
    let repeats = SessionUpdate { provider: Some(relay::RELAY.into()), ..SessionUpdate::default() };
    let changed = change(own, repeats).await;
    assert!(matches!(changed, Err(UseCaseError::Invalid(_))), "{changed:?}");
    let start = StartChat::new(mail_sender.clone(), place.life.services.ids.clone());
    let started = start.run(&workspace, NewChat::new("", relay::RELAY)).await;
    assert!(matches!(started, Err(UseCaseError::Invalid(_))), "{started:?}");
    // Nor can the seed message of an automation.
    let create = CreateAutomation::new(mail_sender.clone(), place.life.services.ids.clone());
    let nightly = AutomationParams {
        name: "Nightly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies::default(),
        enabled: true,
        message: UserMessage::text(relay::relay_message(&new_zone("Forged"))),
        voice: ModelSelection {
            provider: relay::RELAY.into(),
            model: "relay".into(),
            dialect: Dialect::Tools,
        },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let made = create.run(&workspace, "eve".into(), nightly).await;
    assert!(matches!(made, Err(UseCaseError::Invalid(_))), "{made:?}");

    assert_eq!(zones(&place).await, before, "nothing of it ran");
    assert_eq!(by_hand(&place, "Again").await, session);
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn only_people_leave_the_mode_and_what_they_do_by_hand_needs_no_plan() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    place.set(&[("mode", Some("plan"))]).await.unwrap();
    let services = &place.life.services;
    let who = ann(&place);
    by_hand(&place, "By hand").await;
    // An external model under that person's name has none of their freedom.
    let calls =
        RunExternalCall::new(place.life.mail_sender.clone(), services.store.clone(), services.log.clone());
    let taken = calls.accept_call(&who, &new_zone("By a model")).await.unwrap();
    place.life.follow().run_until_idle(&who.workspace, &taken.session, taken.after).await.unwrap();
    let outside = place.life.calls(&taken.session).await;
    assert_eq!(outside, [("zones.create".to_owned(), "plan_first".to_owned())]);
    assert_eq!(zones(&place).await, 2);

    // A waiting call is refused when a person switches to plan mode; in free mode again, it is requested as usual.
    let session = chat(&place, Dialect::Envelope, Some(PlanMode::Free), true).await;
    stage.model.push_lines([asks(Dialect::Envelope, "", &[zone("Garden")]), envelope_line("I see.")]);
    place.life.send_and_wait(&session, "a garden").await;
    let set = |mode| {
        let change = SessionUpdate { mode: Some(mode), ..SessionUpdate::default() };
        let set = ChangeSession::new(place.life.mail_sender.clone(), services.store.clone());
        let (workspace, session) = (place.life.workspace.clone(), session.clone());
        async move { set.run(&workspace, &session, "ann".into(), change).await.unwrap() }
    };
    set(PlanMode::Plan).await;
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    assert_eq!(place.life.calls(&session).await[0].1, "plan_first");
    set(PlanMode::Free).await;
    let (waiting, calls) =
        turn(&stage, &place, &session, vec![asks(Dialect::Envelope, "", &[zone("Garden")])]).await;
    assert_eq!(calls, ["zones.create waiting_decision"]);
    assert_eq!(waiting_approvals(&waiting).len(), 1);
    place.life.verify(&session).await;
}

/// Input: two manual actions at the same moment, from two processes of one person, and a third while another one waits
/// for approval; expected: both run and each gets its own result, and the third is refused.
#[tokio::test(start_paused = true)]
async fn no_action_by_hand_pushes_another_one_out() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (before, who) = (zones(&place).await, ann(&place));
    let most = Millis::seconds(20);
    let (one, two) = (new_zone("One"), new_zone("Two"));
    let (first, second) = (manual_action(&place), manual_action(&place));
    let (first, second) = tokio::join!(first.run(&who, &one, most), second.run(&who, &two, most));
    for (name, done) in [("One", first), ("Two", second)] {
        let ManualActionOutcome::Done { content, .. } = done.unwrap() else { panic!("{name} is not done") };
        assert!(content.contains(name), "{name}: {content}");
    }
    assert_eq!(zones(&place).await, before + 2);

    place.set(&[("require_validation", Some("true"))]).await.unwrap();
    let waits = manual_action(&place).run(&who, &new_zone("Three"), most).await.unwrap();
    let ManualActionOutcome::Waits { session, .. } = waits else { panic!("{waits:?}") };
    let request = MailRequest::session(
        session.clone(),
        ManualCallRequest { author: "ann".into(), command: new_zone("Four"), client_key: None },
    );
    let mail = Mail::from_request(request);
    let answer = place.life.mail_sender.post(&who.workspace, mail).await.unwrap();
    assert!(matches!(answer, MailAnswer::Refused { code: RefusalCode::Conflict, .. }), "{answer:?}");
    let calls = place.life.calls(&session).await;
    assert_eq!(calls.last().map(|(_, state)| state.as_str()), Some("waiting_decision"), "{calls:?}");
    place.life.verify(&session).await;
}
