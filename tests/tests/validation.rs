//! Validation end to end: why leave is asked, edits, leave in advance, settings; on the real application with the
//! workspace's own commands.

use std::sync::Arc;

use entracte_application::codec::{Entry, WorkspaceBody};
use entracte_application::ports::CommandExecutor;
use entracte_application::settings::{Language, RuleBook};
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{
    AnswerApprovals, Approval, ChangeSettings, Choice, Inbox, InboxKind, ReadCalls, ReadRules, RevokeRule,
    ShowSession, TurnView, UseCaseError, Waiting,
};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Appended, Input, Note, Profile, SessionKind, Slot};
use entracte_domain::time::Millis;
use entracte_domain::validation::{AlwaysRule, Level};
use entracte_tests::contracts::Stores;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::stage::{CountingIds, FakeModel, Life, Line, Parts, TokioClock, asks, house, says};
use serde_json::json;

struct Stage {
    parts: Parts,
    model: Arc<FakeModel>,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
impl Stage {
    fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = Stores {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory,
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        model.will(lines);
        let resources = entracte_adapters_commands::ResourcesExecutor::new(stores.resources.clone());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(resources)];
        let parts = Parts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(CountingIds::default()),
        };
        Self { parts, model }
    }

    async fn life(&self) -> Life {
        Life::begin(house(&self.parts)).await
    }
}

/// A workspace with the zone Health and the tool Weight in it, and their ids.
struct Place {
    life: Life,
    tool: String,
    zone: String,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
impl Place {
    async fn new(stage: &Stage) -> Self {
        let life = stage.life().await;
        let setup = life.chat(false).await;
        stage.model.will([asks("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
        life.turn(&setup, "a zone").await;
        let zone = only(&life, "zone").await;
        let tool = json!({
            "zone_id": zone, "tool_type": "tracking", "name": "Weight",
            "config": { "kind": "numeric", "min": 30, "max": 200 },
        });
        stage.model.will([asks("actions", &[("CREATE_TOOL", tool)])]);
        life.turn(&setup, "a tool").await;
        let tool = only(&life, "tool").await;
        Self { life, tool, zone }
    }

    /// Runs these actions by themselves in a session of their own; none may need leave.
    async fn does(&self, stage: &Stage, actions: &[(&str, serde_json::Value)]) {
        for action in actions {
            let session = self.life.chat(false).await;
            stage.model.will([asks("actions", std::slice::from_ref(action))]);
            let turn = self.life.turn(&session, "do it").await;
            assert!(turn.waiting.is_none(), "{action:?} needs leave");
            assert_eq!(self.life.calls(&session).await.last().unwrap().1, "succeeded", "{action:?}");
        }
    }

    async fn set(&self, changes: &[(&str, Option<&str>)]) -> Result<(), UseCaseError> {
        let changes = changes.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned)));
        let change = ChangeSettings::new(self.life.postbox.clone());
        change.run(&self.life.workspace, "ann".into(), changes.collect()).await
    }

    fn config(&self, max: u32) -> (&'static str, serde_json::Value) {
        ("UPDATE_TOOL", json!({ "tool_id": self.tool, "config": { "max": max } }))
    }

    async fn inbox(&self) -> Vec<Approval> {
        let house = &self.life.house;
        let inbox = Inbox::new(
            house.store.clone(),
            house.log.clone(),
            house.rows.clone(),
            house.catalog.clone(),
            house.clock.clone(),
        );
        let items = inbox.run(&self.life.workspace).await.unwrap();
        let approvals = items.into_iter().map(|item| match item.kind {
            InboxKind::Approval(approval) => *approval,
            other => panic!("{other:?}"),
        });
        approvals.collect()
    }

    async fn body(&self) -> WorkspaceBody {
        WorkspaceBody::load(&*self.life.house.store, &self.life.workspace).await.unwrap()
    }

    async fn rules(&self, all: bool) -> Vec<AlwaysRule> {
        let house = &self.life.house;
        let read = ReadRules::new(house.store.clone(), house.log.clone(), house.clock.clone());
        read.run(&self.life.workspace, all).await.unwrap()
    }

    async fn decides(
        &self,
        author: &str,
        session: &SessionId,
        calls: &[CallId],
        choice: &Choice,
    ) -> Result<(), UseCaseError> {
        let decide = AnswerApprovals::new(self.life.postbox.clone(), self.life.house.store.clone());
        decide.run(&self.life.workspace, session, author.into(), calls, choice).await.map(|_| ())
    }

    async fn max_of_the_tool(&self) -> String {
        let row = self.life.house.rows.resource(&self.life.workspace, "tool", &self.tool).await.unwrap();
        let body: serde_json::Value = serde_json::from_str(&row.unwrap().body).unwrap();
        body["config"]["max"].to_string()
    }
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn only(life: &Life, kind: &str) -> String {
    let filter = entracte_application::ports::ResourceFilter { kind: kind.into(), ..Default::default() };
    life.house.rows.resources(&life.workspace, &filter).await.unwrap().last().unwrap().id.clone()
}

/// The approvals of a turn that waits for leave.
#[expect(clippy::panic, reason = "a helper of tests")]
fn asked(turn: &TurnView) -> &[Approval] {
    match &turn.waiting {
        Some(Waiting::Validation(approvals)) => approvals,
        other => panic!("the turn does not wait for leave: {other:?}"),
    }
}

fn notes(entries: &[Entry]) -> impl Iterator<Item = &Note> {
    entries.iter().flat_map(|entry| &entry.appended).filter_map(|appended| match appended {
        Appended::Note(note) => Some(note),
        Appended::Message(_) => None,
    })
}

fn always() -> Choice {
    Choice::Always { in_session: false, lasts: None }
}

fn refusal(result: Result<(), UseCaseError>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

/// What is asked for: some of the five levels, and the catalog.
const LEVELS: [Level; 6] = Level::ALL;

#[tokio::test(start_paused = true)]
async fn validation_levels_or_with_reasons() {
    for bits in 0..1_u32 << LEVELS.len() {
        let wanted: Vec<Level> =
            LEVELS.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, l)| *l).collect();
        let on = |level: Level| wanted.contains(&level);
        let stage = Stage::new([]);
        let place = Place::new(&stage).await;
        if on(Level::Tool) {
            let flag = json!({ "tool_id": place.tool, "require_validation": true });
            place.does(&stage, &[("UPDATE_TOOL", flag)]).await;
        }
        if on(Level::Zone) {
            let flag = json!({ "zone_id": place.zone, "require_validation": true });
            place.does(&stage, &[("UPDATE_ZONE", flag)]).await;
        }
        if on(Level::App) {
            place.set(&[("require_validation", Some("true"))]).await.unwrap();
        }
        let session = place.life.chat(on(Level::Session)).await;
        let action = if on(Level::Catalog) {
            json!({ "type": "DELETE_TOOL", "params": { "tool_id": place.tool } })
        } else {
            json!({ "type": "UPDATE_TOOL", "params": { "tool_id": place.tool, "name": "Mass" } })
        };
        let reply = json!({
            "pre_text": "One moment.", "actions": [action], "validation_request": on(Level::AiRequest),
        });
        stage.model.will([Line::Says(reply.to_string())]);
        let turn = place.life.turn(&session, "do it").await;
        if wanted.is_empty() {
            assert!(turn.waiting.is_none());
            assert_eq!(place.life.calls(&session).await[0].1, "succeeded");
            continue;
        }
        assert_eq!(place.life.calls(&session).await[0].1, "waiting_decision", "{wanted:?}");
        let inbox = place.inbox().await;
        let reasons: Vec<(Level, &str)> =
            inbox[0].reasons.iter().map(|reason| (reason.level, reason.text.as_str())).collect();
        let expected: Vec<(Level, &str)> = wanted.iter().map(|level| (*level, sentence(*level))).collect();
        assert_eq!(reasons, expected);
        place.life.verify(&session).await;
    }
}

fn sentence(level: Level) -> &'static str {
    match level {
        Level::App => "the workspace asks for leave before every action",
        Level::Zone => "the zone “Health” asks for leave before every action",
        Level::Tool => "the tool “Weight” asks for leave before every action",
        Level::Session => "this session asks for leave before every action",
        Level::AiRequest => "the model asked for your leave",
        Level::Catalog => "this cannot be undone",
    }
}

#[tokio::test(start_paused = true)]
async fn edited_arguments_are_checked_again() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250)])]);
    let turn = place.life.turn(&session, "raise it").await;
    let call = asked(&turn)[0].call.id.clone();
    let edit = |arguments: serde_json::Value| {
        Choice::ApproveEdited(entracte_application::json::parse(&arguments.to_string()).unwrap())
    };
    let before = place.life.entries(&session).await.len();
    let tool = &place.tool;
    let wrong = [
        (json!({ "tool_id": tool, "config": 3 }), "/config"),
        (json!({ "tool_id": tool, "colour": "red" }), "colour"),
        (json!({ "config": { "max": 250 } }), "tool_id"),
        // Right for the schema of the command, and wrong for the tool.
        (json!({ "tool_id": tool, "config": { "max": "much" } }), "/config/max"),
        (json!({ "tool_id": "tool_none", "config": { "max": 250 } }), "/tool_id"),
    ];
    for (arguments, path) in wrong {
        let refused = place.decides("ann", &session, std::slice::from_ref(&call), &edit(arguments)).await;
        let text = refusal(refused);
        assert!(text.contains(path), "{path}: {text}");
        assert!(text.ends_with(": entracte command show tools.update"), "{text}");
    }
    assert_eq!(place.life.entries(&session).await.len(), before, "nothing changed");
    assert_eq!(place.max_of_the_tool().await, "200");

    stage.model.will([says("So it is.")]);
    let right = json!({ "tool_id": tool, "config": { "max": 220 } });
    place.decides("ann", &session, std::slice::from_ref(&call), &edit(right.clone())).await.unwrap();
    place.life.follow().until_rest(&session, before as u64).await.unwrap();
    assert_eq!(place.max_of_the_tool().await, "220", "what was decided ran");
    let views = ReadCalls::new(place.life.house.store.clone(), place.life.house.log.clone())
        .run(&session)
        .await
        .unwrap();
    let view = &views[0];
    assert!(view.call.command.arguments.to_json().contains("250"), "what was proposed is kept");
    assert_eq!(
        json!(right),
        serde_json::from_str::<serde_json::Value>(&view.call.effective().arguments.to_json()).unwrap()
    );
    let decided = view.decided.as_ref().unwrap();
    assert_eq!((decided.what, decided.by.as_deref()), ("edited", Some("ann")));
    place.life.verify(&session).await;

    let told = place.life.turn(&session, "and now?").await;
    assert!(told.waiting.is_none());
    let request = format!("{:?}", stage.model.requests.lock().unwrap().last().unwrap());
    assert!(request.contains("220"), "the model is told what ran: {request}");
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_makes_two_calls_the_same_runs_them_once() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250), place.config(300)]), says("Done.")]);
    let turn = place.life.turn(&session, "raise it").await;
    let calls: Vec<CallId> = asked(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    let same = asked(&turn)[0].call.command.arguments.clone();
    place.decides("ann", &session, &calls[1..], &Choice::ApproveEdited(same)).await.unwrap();
    place.decides("ann", &session, &calls[..1], &Choice::Approve).await.unwrap();
    place.life.follow().until_rest(&session, 0).await.unwrap();
    let states: Vec<String> = place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["succeeded", "duplicate"]);
    assert_eq!(place.max_of_the_tool().await, "250");
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_decision_is_told_who_decided_first_and_what() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250), place.config(300)]), says("Done.")]);
    let turn = place.life.turn(&session, "raise it").await;
    let calls: Vec<CallId> = asked(&turn).iter().map(|approval| approval.call.id.clone()).collect();
    let one = &calls[..1];
    place.decides("bob", &session, one, &Choice::Approve).await.unwrap();
    // The other one is still open: the session waits, and the first decision stands.
    place.decides("ann", &session, one, &Choice::Approve).await.unwrap();
    let late = place.decides("ann", &session, one, &Choice::Reject(None)).await;
    assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{late:?}");
    let text = refusal(late);
    assert!(text.contains("decided by bob (leave given) and is approved"), "{text}");
    let late = refusal(place.decides("ann", &session, one, &always()).await);
    assert!(late.contains("decided by bob"), "{late}");
    assert_eq!(place.rules(true).await, [], "a refused decision makes no rule");

    place.decides("eve", &session, &calls[1..], &Choice::Reject(Some("no".into()))).await.unwrap();
    place.life.follow().until_rest(&session, 0).await.unwrap();
    let late = refusal(place.decides("ann", &session, &calls[1..], &Choice::Approve).await);
    assert!(late.contains("decided by eve (refused)"), "{late}");
    let late = refusal(place.decides("ann", &session, one, &Choice::Reject(None)).await);
    assert!(late.contains("decided by bob (leave given) and is succeeded"), "{late}");
}

#[tokio::test(start_paused = true)]
async fn leave_that_nobody_gives_expires_and_leaves_its_trace() {
    let mut stage = Stage::new([]);
    stage.parts.rules.change(|_, rules| rules.validation_expires = Millis::hours(1));
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250)]), says("Nobody answered.")]);
    let turn = place.life.turn(&session, "raise it").await;
    let call = asked(&turn)[0].call.id.clone();
    place.life.house.clock.sleep(Millis::hours(2)).await;
    place.life.follow().until_rest(&session, 0).await.unwrap();
    assert_eq!(place.life.calls(&session).await[0].1, "expired");
    assert!(place.inbox().await.is_empty());
    assert_eq!(place.max_of_the_tool().await, "200");
    let late = refusal(place.decides("ann", &session, &[call], &Choice::Approve).await);
    assert!(late.contains("no longer open: it is expired"), "{late}");
    assert!(notes(&place.life.entries(&session).await).any(|note| matches!(note, Note::WaitExpired)));
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn leave_in_advance_covers_calls_like_it_and_no_others() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let (first, second) = (place.life.chat(true).await, place.life.chat(true).await);
    stage.model.will([asks("actions", &[place.config(250)])]);
    let turn = place.life.turn(&first, "raise it").await;
    let call = asked(&turn)[0].call.id.clone();
    place.decides("ann", &first, &[call], &always()).await.unwrap();
    place.life.follow().until_rest(&first, 0).await.unwrap();
    let rules = place.rules(false).await;
    assert_eq!((rules.len(), rules[0].author.as_str()), (1, "ann"));
    let decided = place.life.entries(&first).await.into_iter().find_map(|entry| match entry.input {
        Input::ValidationReceived { decisions, .. } => decisions[0].rule.clone(),
        _ => None,
    });
    assert_eq!(decided.as_ref(), Some(&rules[0].id), "the decision names the rule it made");

    // In another session, with another number: covered.
    stage.model.will([asks("actions", &[place.config(300)])]);
    assert!(place.life.turn(&second, "more").await.waiting.is_none());
    assert_eq!(place.max_of_the_tool().await, "300");
    let entries = place.life.entries(&second).await;
    assert!(
        notes(&entries).any(|note| matches!(note, Note::ApprovedByRule { rule, .. } if *rule == rules[0].id))
    );
    let views = ReadCalls::new(place.life.house.store.clone(), place.life.house.log.clone())
        .run(&second)
        .await
        .unwrap();
    assert_eq!(views[0].decided.as_ref().unwrap().rule.as_ref(), Some(&rules[0].id));

    // An argument that the rule does not know; and what the model itself wants a person to see.
    let unknown = json!({ "tool_id": place.tool, "config": { "max": 310 }, "require_validation": false });
    stage.model.will([asks("actions", &[("UPDATE_TOOL", unknown)])]);
    assert_eq!(asked(&place.life.turn(&second, "more").await).len(), 1);
    place.life.decide(&second, Choice::Reject(None)).await;
    let (word, params) = place.config(320);
    let reply = json!({
        "pre_text": "May I?", "actions": [{ "type": word, "params": params }], "validation_request": true,
    });
    stage.model.will([Line::Says(reply.to_string())]);
    let turn = place.life.turn(&second, "more").await;
    let levels: Vec<Level> = asked(&turn)[0].reasons.iter().map(|reason| reason.level).collect();
    assert_eq!(levels, [Level::Session, Level::AiRequest]);
    place.life.verify(&second).await;
}

#[tokio::test(start_paused = true)]
async fn always_rule_never_covers_destructive() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[("DELETE_TOOL", json!({ "tool_id": place.tool }))])]);
    let turn = place.life.turn(&session, "away with it").await;
    let call = asked(&turn)[0].call.clone();
    let refused = place.decides("ann", &session, std::slice::from_ref(&call.id), &always()).await;
    assert!(matches!(refused, Err(UseCaseError::Invalid(_))), "{refused:?}");
    let text = refusal(refused);
    assert!(text.contains("tools.delete cannot be undone") && text.ends_with("without --always"), "{text}");
    assert_eq!(place.rules(true).await, []);
    assert_eq!(place.life.calls(&session).await[0].1, "waiting_decision", "it is still open");

    // A rule that came into the database all the same gives no leave.
    let rule = AlwaysRule {
        id: "rul_forged".into(),
        command: "tools.delete".into(),
        version: call.terms.as_ref().unwrap().version.clone(),
        arguments: entracte_domain::validation::conditions_of(&call.command.arguments, false),
        scope: entracte_domain::validation::Scope::Workspace,
        author: "ann".into(),
        expires: entracte_domain::time::Deadline::after(place.life.house.clock.now(), Millis::hours(1)),
        revoked: None,
    };
    let (workspace, body) =
        (place.life.workspace.clone(), WorkspaceBody { rules: vec![rule], ..place.body().await });
    let row = stage.parts.stores.store.workspace(&workspace).await.unwrap().unwrap();
    drop(place);
    commit_body(&stage, row, &body).await;
    let life = stage.life().await;
    let other = life.chat(true).await;
    let tool = only(&life, "tool").await;
    stage.model.will([asks("actions", &[("DELETE_TOOL", json!({ "tool_id": tool }))])]);
    assert_eq!(asked(&life.turn(&other, "away with it").await).len(), 1);
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn commit_body(stage: &Stage, row: entracte_application::ports::WorkspaceRow, body: &WorkspaceBody) {
    let commit = entracte_application::ports::Commit {
        expected_seq: Some(row.seq),
        workspace: entracte_application::ports::WorkspaceRow { body: body.encode().unwrap(), ..row },
        sessions: Vec::new(),
        log: Vec::new(),
        calls: Vec::new(),
        resources: Vec::new(),
        blobs: Vec::new(),
        answers: Vec::new(),
        deleted: Vec::new(),
    };
    stage.parts.stores.store.commit(commit).await.unwrap();
}

/// A rule for the tool's configuration, given in a session of its own.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn given(stage: &Stage, place: &Place, choice: Choice) -> (SessionId, AlwaysRule) {
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(210)])]);
    let turn = place.life.turn(&session, "raise it").await;
    place.decides("ann", &session, &[asked(&turn)[0].call.id.clone()], &choice).await.unwrap();
    place.life.follow().until_rest(&session, 0).await.unwrap();
    (session, place.rules(false).await.remove(0))
}

#[tokio::test(start_paused = true)]
async fn a_rule_for_one_session_counts_in_no_other() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let (session, rule) = given(&stage, &place, Choice::Always { in_session: true, lasts: None }).await;
    assert_eq!(rule.scope, entracte_domain::validation::Scope::Session(session.clone()));
    stage.model.will([asks("actions", &[place.config(220)])]);
    assert!(place.life.turn(&session, "more").await.waiting.is_none());
    let other = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(230)])]);
    assert_eq!(asked(&place.life.turn(&other, "more").await).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_was_revoked_or_expired_asks_again_also_for_calls_that_had_not_started() {
    for revoked in [true, false] {
        let stage = Stage::new([]);
        let place = Place::new(&stage).await;
        let lasts = Some(Millis::hours(5));
        let (_, rule) = given(&stage, &place, Choice::Always { in_session: false, lasts }).await;
        // Two actions: the rule covers the first, the second waits for leave and holds both back.
        let session = place.life.chat(true).await;
        let zone = ("UPDATE_ZONE", json!({ "zone_id": place.zone, "name": "Body" }));
        stage.model.will([asks("actions", &[place.config(260), zone])]);
        let turn = place.life.turn(&session, "both").await;
        assert_eq!(asked(&turn).len(), 1, "the rule covers the first");
        let second = asked(&turn)[0].call.id.clone();
        if revoked {
            let revoke = RevokeRule::new(place.life.postbox.clone());
            revoke.run(&place.life.workspace, "bob".into(), rule.id.clone()).await.unwrap();
            assert_eq!(place.inbox().await.len(), 2, "both ask at once");
            let kept = place.rules(true).await;
            assert_eq!(kept[0].revoked.as_ref().map(|(who, _)| who.as_str()), Some("bob"));
            revoke.run(&place.life.workspace, "eve".into(), rule.id.clone()).await.unwrap();
            assert_eq!(place.rules(true).await, kept, "who took it back first stays");
        } else {
            place.life.house.clock.sleep(Millis::hours(6)).await;
        }
        place.decides("ann", &session, &[second], &Choice::Approve).await.unwrap();
        assert_eq!(place.max_of_the_tool().await, "210", "it has not run (revoked: {revoked})");
        assert_eq!(place.inbox().await.len(), 1);
        place.life.decide(&session, Choice::Approve).await;
        assert_eq!(place.max_of_the_tool().await, "260");
        place.life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn rules_have_a_limit_and_revoking_one_makes_room() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let (zone, tool) = (place.zone.clone(), place.tool.clone());
    let mut small = Arc::into_inner(house(&stage.parts)).unwrap();
    small.settings.always_max = 1;
    drop(place.life);
    let place = Place { life: Life::begin(Arc::new(small)).await, zone, tool };
    let (_, first) = given(&stage, &place, always()).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[("UPDATE_ZONE", json!({ "zone_id": place.zone, "name": "Body" }))])]);
    let turn = place.life.turn(&session, "rename").await;
    let calls = [asked(&turn)[0].call.id.clone()];
    let text = refusal(place.decides("ann", &session, &calls, &always()).await);
    assert!(text.contains("keeps one rule already") && text.ends_with(": entracte rule list"), "{text}");
    let revoke = RevokeRule::new(place.life.postbox.clone());
    revoke.run(&place.life.workspace, "ann".into(), first.id.clone()).await.unwrap();
    let lasts = Some(Millis(0));
    let none = Choice::Always { in_session: false, lasts };
    let text = refusal(place.decides("ann", &session, &calls, &none).await);
    assert!(text.contains("must last longer than nothing"), "{text}");
    place.decides("ann", &session, &calls, &always()).await.unwrap();
    let rules = place.rules(true).await;
    assert_eq!(rules.len(), 1, "of those that were taken back, none is kept beyond the limit");
    assert_ne!(rules[0].id, first.id);
}

#[tokio::test(start_paused = true)]
async fn one_decision_on_calls_of_one_kind_makes_one_rule() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250), place.config(300)])]);
    place.life.turn(&session, "raise it").await;
    place.life.decide(&session, always()).await;
    assert_eq!(place.max_of_the_tool().await, "300");
    assert_eq!(place.rules(true).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_settings_is_all_or_nothing_and_makes_a_workspace() {
    let stage = Stage::new([]);
    let life = stage.life().await;
    let place = Place { life, tool: String::new(), zone: String::new() };
    let store = place.life.house.store.clone();
    assert!(store.workspace(&place.life.workspace).await.unwrap().is_none());
    place.set(&[]).await.unwrap();
    assert!(store.workspace(&place.life.workspace).await.unwrap().is_some(), "no change makes it, too");

    let wrong = place.set(&[("zone", Some("Europe/Paris")), ("slots", Some("many"))]).await;
    assert!(matches!(wrong, Err(UseCaseError::Invalid(_))), "{wrong:?}");
    assert_eq!(refusal(wrong), "“many” is no value of slots: it takes a whole number from 1 to 1000");
    let unknown = place.set(&[("zone", Some("Europe/Paris")), ("colour", Some("red"))]).await;
    assert!(matches!(unknown, Err(UseCaseError::NotFound(_))), "{unknown:?}");
    assert_eq!(place.body().await.settings.zone, "UTC", "nothing was changed");

    place.set(&[("zone", Some("Europe/Paris")), ("language", Some("fr"))]).await.unwrap();
    let french = refusal(place.set(&[("slots", Some("0"))]).await);
    assert_eq!(french, "« 0 » n’est pas une valeur de slots ; il faut un nombre entier de 1 à 1000");
    place.set(&[("zone", None), ("language", None)]).await.unwrap();
    assert_eq!(place.body().await.settings, Default::default());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_gets_the_reason_of_a_setting_at_once() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.will([asks("actions", &[place.config(250)])]);
    place.life.turn(&session, "raise it").await;
    place.set(&[("require_validation", Some("true"))]).await.unwrap();
    let levels = |approvals: &[Approval]| -> Vec<Level> {
        approvals[0].reasons.iter().map(|reason| reason.level).collect()
    };
    assert_eq!(levels(&place.inbox().await), [Level::App, Level::Session]);
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn the_limits_profile_counts_at_once_and_is_told_at_the_next_message() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.will([says("Hello."), says("Hello again.")]);
    place.life.turn(&session, "hello").await;
    let prompt = |stage: &Stage| format!("{:?}", stage.model.requests.lock().unwrap().last().unwrap());
    let free = prompt(&stage);
    place.set(&[("limits_profile", Some("strict"))]).await.unwrap();
    place.life.turn(&session, "hello").await;
    let strict = prompt(&stage);
    let strict_rules = RuleBook::new(Profile::Strict).of(SessionKind::Chat).clone();
    let line = say!(Texts::of(Language::En), "prompt-limit-query-rounds", most = strict_rules.query_rounds);
    assert_ne!(RuleBook::default().of(SessionKind::Chat).query_rounds, strict_rules.query_rounds);
    assert!(strict.contains(&line) && !free.contains(&line), "{line}");
    let changed = place.life.entries(&session).await.into_iter().any(|entry| match entry.input {
        Input::RulesChanged(change) => change.prefix.is_some(),
        _ => false,
    });
    assert!(changed, "a generation begins with the next message");
    let view = place.life.entries(&session).await;
    assert!(notes(&view).any(|note| matches!(note, Note::GenerationBegun(2))));
}

#[tokio::test(start_paused = true)]
async fn another_slot_is_given_to_who_waits_for_one_at_once() {
    let stage = Stage::new([]);
    let place = Place::new(&stage).await;
    let (first, second) = (place.life.chat(false).await, place.life.chat(false).await);
    stage.model.will([Line::Hangs, Line::Hangs]);
    let a_second = std::time::Duration::from_secs(1);
    place.life.send(&first, "take your time").await;
    tokio::time::sleep(a_second).await;
    place.life.send(&second, "take yours").await;
    tokio::time::sleep(a_second).await;
    let held = async |session: &SessionId| {
        let view = ShowSession::new(place.life.house.store.clone()).run(session).await.unwrap();
        view.facts.slot == Slot::Held
    };
    assert!(!held(&first).await && held(&second).await, "a chat gives way to a chat");
    place.set(&[("slots", Some("2"))]).await.unwrap();
    assert!(held(&first).await && held(&second).await, "there is room for both");
}
