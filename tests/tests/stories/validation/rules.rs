//! Standing approvals.

use std::sync::Arc;

use entracte_application::codec::WorkspaceBody;
use entracte_application::mail::NewRuleRequest;
use entracte_application::use_cases::{
    AddApprovalRule, ApprovalChoice, DeleteSession, ExportSession, ImportSession, ReadCalls,
    RevokeApprovalRule, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, Input, JournalNote};
use entracte_domain::time::Millis;
use entracte_domain::validation::{
    ArgumentCondition, RuleScope, StandingApprovalRule, UseLimits, ValidationLevel,
};
use entracte_tests::runtime_fixture::{
    FakeModelLine, RuntimeFixture, TokioClock, command_request_line, envelope_line, services,
};
use serde_json::json;

use super::fixture::{
    ValidationFixture, ValidationWorkspace, always_choice, last_resource_id, notes, refusal,
    waiting_approvals,
};

#[tokio::test(start_paused = true)]
async fn standing_approval_covers_only_matching_calls() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (first, second) = (place.life.chat(true).await, place.life.chat(true).await);
    stage.model.push_lines([command_request_line("actions", &[place.config(250)])]);
    let turn = place.life.send_and_wait(&first, "raise it").await;
    let call = waiting_approvals(&turn)[0].call.id.clone();
    place.decides("ann", &first, &[call], &always_choice()).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &first, 0).await.unwrap();
    let rules = place.rules(false).await;
    assert_eq!((rules.len(), rules[0].author.as_str()), (1, "ann"));
    let decided = place.life.entries(&first).await.into_iter().find_map(|entry| match entry.input {
        Input::ValidationReceived { decisions, .. } => decisions[0].rule.clone(),
        _ => None,
    });
    assert_eq!(decided.as_ref(), Some(&rules[0].id), "the decision names the rule it made");

    // In another session, with another number: covered.
    stage.model.push_lines([command_request_line("actions", &[place.config(300)])]);
    assert!(place.life.send_and_wait(&second, "more").await.waiting.is_none());
    assert_eq!(place.max_of_the_tool().await, "300");
    let entries = place.life.entries(&second).await;
    assert!(
        notes(&entries)
            .any(|note| matches!(note, JournalNote::ApprovedByRule { rule, .. } if *rule == rules[0].id))
    );
    let views = ReadCalls::new(place.life.services.store.clone(), place.life.services.log.clone())
        .run(&place.life.workspace, &second)
        .await
        .unwrap();
    assert_eq!(views[0].decided.as_ref().unwrap().rule.as_ref(), Some(&rules[0].id));

    // An argument that the rule does not contain; and a call for which the model itself requests an approval.
    let unknown = json!({ "tool_id": place.tool, "config": { "max": 310 }, "require_validation": false });
    stage.model.push_lines([command_request_line("actions", &[("UPDATE_TOOL", unknown)])]);
    assert_eq!(waiting_approvals(&place.life.send_and_wait(&second, "more").await).len(), 1);
    place.life.decide_and_wait(&second, ApprovalChoice::Reject(None)).await;
    let (word, params) = place.config(320);
    let reply = json!({
        "pre_text": "May I?", "actions": [{ "type": word, "params": params }], "validation_request": true,
    });
    stage.model.push_lines([FakeModelLine::Says(reply.to_string())]);
    let turn = place.life.send_and_wait(&second, "more").await;
    let levels: Vec<ValidationLevel> =
        waiting_approvals(&turn)[0].reasons.iter().map(|reason| reason.level).collect();
    assert_eq!(levels, [ValidationLevel::AiRequest, ValidationLevel::Session]);
    place.life.verify(&second).await;
}

/// A standing approval by hand for this many changes of a tool's configuration.
fn raises(times: u32) -> NewRuleRequest {
    NewRuleRequest {
        command: "UPDATE_TOOL".into(),
        arguments: vec![
            ("tool_id".into(), ArgumentCondition::Any),
            ("config".into(), ArgumentCondition::Any),
        ],
        scope: RuleScope::Workspace,
        denies: None,
        lasts: None,
        limits: UseLimits::calls_in_all(times),
        agents: false,
        people: Vec::new(),
    }
}

/// Input: a standing approval by hand for two calls, and a reply with three of them; expected: the first two run, the
/// third waits, the count is stored in the workspace, and the approved calls are not checked again when the rules
/// change.
#[tokio::test(start_paused = true)]
async fn a_counted_rule_is_taken_off_call_by_call() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    let new = raises(2);
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), new.clone()).await.unwrap();
    let actions = [place.config(210), place.config(220), place.config(230), place.config(210)];
    stage.model.push_lines([command_request_line("actions", &actions)]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let open = waiting_approvals(&turn);
    assert_eq!(open.len(), 1, "the third; the last one is the first again");
    let uses = || async { place.rules(true).await[0].uses.clone().unwrap() };
    assert_eq!((uses().await.total.calls, uses().await.latest.len()), (2, 2));
    assert_eq!(place.rules(false).await, [], "used up");
    // A change of another rule causes a new check of waiting calls.
    let other = NewRuleRequest {
        command: "DELETE_ZONE".into(),
        arguments: vec![],
        denies: Some("no".into()),
        limits: UseLimits::default(),
        agents: false,
        ..new.clone()
    };
    add.run(&place.life.workspace, "ann".into(), other).await.unwrap();
    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(place.max_of_the_tool().await, "230");
    let states: Vec<String> = place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["succeeded", "succeeded", "succeeded", "duplicate"]);
    place.life.verify(&session).await;
    // Zero, more than the maximum, and a denial with a count are impossible.
    for (times, denies) in [(0, None), (UseLimits::CALLS_MAX + 1, None), (1, Some("no".to_owned()))] {
        let wrong = NewRuleRequest { limits: UseLimits::calls_in_all(times), denies, ..new.clone() };
        let refused = add.run(&place.life.workspace, "ann".into(), wrong).await;
        assert!(matches!(refused, Err(UseCaseError::Invalid(_))), "{times}: {refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn always_rule_never_covers_destructive() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage
        .model
        .push_lines([command_request_line("actions", &[("DELETE_TOOL", json!({ "tool_id": place.tool }))])]);
    let turn = place.life.send_and_wait(&session, "away with it").await;
    let call = waiting_approvals(&turn)[0].call.clone();
    let refused = place.decides("ann", &session, std::slice::from_ref(&call.id), &always_choice()).await;
    assert!(matches!(refused, Err(UseCaseError::Invalid(_))), "{refused:?}");
    let text = refusal(refused);
    assert!(
        text.contains("tools.delete cannot be undone") && text.ends_with("approve only this call"),
        "{text}"
    );
    assert_eq!(place.rules(true).await, []);
    assert_eq!(place.life.calls(&session).await[0].1, "waiting_decision", "it is still open");

    // A rule that is in the database nevertheless approves nothing.
    let rule = StandingApprovalRule {
        id: "rul_forged".into(),
        command: "tools.delete".into(),
        version: call.terms.as_ref().unwrap().version.clone(),
        arguments: entracte_domain::validation::conditions_from_arguments(&call.command.arguments, false),
        scope: RuleScope::Workspace,
        author: "ann".into(),
        expires: entracte_domain::time::Deadline::after(place.life.services.clock.now(), Millis::hours(1)),
        revoked: None,
        denies: None,
        uses: None,
        agents: false,
        people: None,
    };
    let (workspace, body) =
        (place.life.workspace.clone(), WorkspaceBody { rules: vec![rule], ..place.body().await });
    let row = stage.parts.stores.store.workspace(&workspace).await.unwrap().unwrap();
    drop(place);
    commit_body(&stage, row, &body).await;
    let life = stage.life().await;
    let other = life.chat(true).await;
    let tool = last_resource_id(&life, "tool").await;
    stage.model.push_lines([command_request_line("actions", &[("DELETE_TOOL", json!({ "tool_id": tool }))])]);
    assert_eq!(waiting_approvals(&life.send_and_wait(&other, "away with it").await).len(), 1);
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn commit_body(
    stage: &ValidationFixture,
    row: entracte_application::ports::WorkspaceRow,
    body: &WorkspaceBody,
) {
    let commit = entracte_application::ports::WorkspaceCommit {
        expected_seq: Some(row.seq),
        ..entracte_application::ports::WorkspaceCommit::for_workspace(
            entracte_application::ports::WorkspaceRow { body: body.encode().unwrap(), ..row },
        )
    };
    stage.parts.stores.store.commit(commit).await.unwrap();
}

/// Creates a rule for the tool's configuration with a decision in a session of its own.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn given(
    stage: &ValidationFixture,
    place: &ValidationWorkspace,
    choice: ApprovalChoice,
) -> (SessionId, StandingApprovalRule) {
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(210)])]);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    place.decides("ann", &session, &[waiting_approvals(&turn)[0].call.id.clone()], &choice).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    (session, place.rules(false).await.remove(0))
}

#[tokio::test(start_paused = true)]
async fn rule_for_session_applies_to_no_other() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (session, rule) = given(
        &stage,
        &place,
        ApprovalChoice::Always { in_session: true, lasts: None, agents: false, width: None },
    )
    .await;
    assert_eq!(rule.scope, RuleScope::Session(session.clone()));
    stage.model.push_lines([command_request_line("actions", &[place.config(220)])]);
    assert!(place.life.send_and_wait(&session, "more").await.waiting.is_none());
    let other = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(230)])]);
    assert_eq!(waiting_approvals(&place.life.send_and_wait(&other, "more").await).len(), 1);
    let nowhere = NewRuleRequest { scope: RuleScope::Session(SessionId::new("ses_none")), ..raises(1) };
    let refused = AddApprovalRule::new(place.life.mail_sender.clone());
    let refused = refused.run(&place.life.workspace, "ann".into(), nowhere).await;
    assert!(matches!(refused, Err(UseCaseError::NotFound(_))), "it would count nowhere: {refused:?}");
}

/// The remaining count of the counted rule.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn left(place: &ValidationWorkspace) -> u32 {
    let rules = place.rules(true).await;
    let uses = rules.iter().find_map(|rule| rule.uses.as_ref()).unwrap();
    uses.limits.total.calls.unwrap() - uses.total.calls
}

/// Input: two waiting calls, a standing approval for two such calls, and an approval of both cards; expected: the first
/// runs on its approval, and the second, which would now overwrite another value than its card said, is requested
/// again. The count stays: an approved call is the one shown, and only a call that the rule approves is counted.
#[tokio::test(start_paused = true)]
async fn a_yes_to_another_card_is_not_made_good_by_a_rule_with_a_count() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(250), place.config(300)])]);
    assert_eq!(waiting_approvals(&place.life.send_and_wait(&session, "raise it").await).len(), 2);
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), raises(2)).await.unwrap();
    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!((place.max_of_the_tool().await.as_str(), left(&place).await), ("250", 2));
    assert_eq!(place.inbox().await.len(), 1, "it says another value than it did");
    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!((place.max_of_the_tool().await.as_str(), left(&place).await), ("300", 2));
    // A later call is covered by the rule, and counted.
    stage.model.push_lines([command_request_line("actions", &[place.config(310)])]);
    assert!(place.life.send_and_wait(&session, "more").await.waiting.is_none());
    assert_eq!((place.max_of_the_tool().await.as_str(), left(&place).await), ("310", 1));
    place.life.verify(&session).await;
}

/// Input: a standing approval for one new zone, and an action on the workspace's own data that fails; expected: nothing was
/// written, so the use is given back; the next zone takes it, and the one after it waits.
#[tokio::test(start_paused = true)]
async fn failed_action_gives_its_use_back() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    let arguments = vec![("name".into(), ArgumentCondition::Any)];
    let zones = NewRuleRequest { command: "CREATE_ZONE".into(), arguments, ..raises(1) };
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), zones).await.unwrap();
    let create = |name: &str| command_request_line("actions", &[("CREATE_ZONE", json!({ "name": name }))]);
    stage.model.push_lines([create("Health"), envelope_line("It is there.")]);
    place.life.send_and_wait(&session, "a zone").await;
    assert_eq!(place.life.calls(&session).await[0].1, "failed", "there is one of this name");
    assert_eq!(left(&place).await, 1);
    stage.model.push_lines([create("Home")]);
    assert!(place.life.send_and_wait(&session, "another").await.waiting.is_none());
    assert_eq!(left(&place).await, 0);
    stage.model.push_lines([create("Garden")]);
    assert_eq!(waiting_approvals(&place.life.send_and_wait(&session, "one more").await).len(), 1);
    place.life.verify(&session).await;
}

/// Input: a rule whose argument can be anything, and values that deceive whoever reads them; expected: each waits for a
/// person, and an ordinary one does not.
#[tokio::test(start_paused = true)]
async fn deceptive_value_is_never_covered() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    let arguments = vec![("name".into(), ArgumentCondition::Any)];
    let limits = UseLimits::default();
    let zones = NewRuleRequest { command: "CREATE_ZONE".into(), arguments, limits, ..raises(1) };
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), zones).await.unwrap();
    for (name, waits) in [("Home", false), ("He\u{430}lth", true), ("Ga\u{200b}rden", true), ("Work", false)]
    {
        let create = command_request_line("actions", &[("CREATE_ZONE", json!({ "name": name }))]);
        stage.model.push_lines([create]);
        let turn = place.life.send_and_wait(&session, "a zone").await;
        assert_eq!(turn.waiting.is_some(), waits, "{name:?}");
        if waits {
            place.life.decide_and_wait(&session, ApprovalChoice::Reject(None)).await;
        }
    }
}

/// Input: a call that waits for the one before it and is covered by a rule; then a second rule with a count, and the
/// first one is revoked; expected: the call needs an approval, because no count was spent for it.
#[tokio::test(start_paused = true)]
async fn counted_rule_covers_only_counted_calls() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (_, rule) = given(&stage, &place, always_choice()).await;
    let session = place.life.chat(true).await;
    let zone = ("UPDATE_ZONE", json!({ "zone_id": place.zone, "name": "Body" }));
    stage.model.push_lines([command_request_line("actions", &[zone, place.config(260)])]);
    assert_eq!(
        waiting_approvals(&place.life.send_and_wait(&session, "both").await).len(),
        1,
        "the rule covers the second"
    );
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), raises(2)).await.unwrap();
    let revoke = RevokeApprovalRule::new(place.life.mail_sender.clone());
    revoke.run(&place.life.workspace, "bob".into(), rule.id).await.unwrap();
    assert_eq!(place.inbox().await.len(), 2, "both ask");
    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!((place.max_of_the_tool().await.as_str(), left(&place).await), ("260", 2));
    place.life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn ended_rule_requests_approval_of_unstarted_calls() {
    for revoked in [true, false] {
        let stage = ValidationFixture::new([]);
        let place = ValidationWorkspace::new(&stage).await;
        let lasts = Some(Millis::hours(5));
        let (_, rule) = given(
            &stage,
            &place,
            ApprovalChoice::Always { in_session: false, lasts, agents: false, width: None },
        )
        .await;
        // Two actions: the first waits for approval, and the second, which the rule covers, for the first.
        let session = place.life.chat(true).await;
        let zone = ("UPDATE_ZONE", json!({ "zone_id": place.zone, "name": "Body" }));
        stage.model.push_lines([command_request_line("actions", &[zone, place.config(260)])]);
        let turn = place.life.send_and_wait(&session, "both").await;
        assert_eq!(waiting_approvals(&turn).len(), 1, "the rule covers the second");
        let second = waiting_approvals(&turn)[0].call.id.clone();
        if revoked {
            let revoke = RevokeApprovalRule::new(place.life.mail_sender.clone());
            revoke.run(&place.life.workspace, "bob".into(), rule.id.clone()).await.unwrap();
            assert_eq!(place.inbox().await.len(), 2, "both ask at once");
            let kept = place.rules(true).await;
            assert_eq!(kept[0].revoked.as_ref().map(|(who, _)| who.as_str()), Some("bob"));
            revoke.run(&place.life.workspace, "eve".into(), rule.id.clone()).await.unwrap();
            assert_eq!(place.rules(true).await, kept, "who took it back first stays");
        } else {
            place.life.services.clock.sleep(Millis::hours(6)).await;
        }
        place.decides("ann", &session, &[second], &ApprovalChoice::Approve).await.unwrap();
        assert_eq!(place.max_of_the_tool().await, "210", "it has not run (revoked: {revoked})");
        assert_eq!(place.inbox().await.len(), 1);
        place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
        assert_eq!(place.max_of_the_tool().await, "260");
        place.life.verify(&session).await;
    }
}

/// The model requests the same twice, and an approval of the first only. A person who edits the first did not approve
/// its original.
#[tokio::test(start_paused = true)]
async fn what_a_person_changed_does_not_run_as_the_duplicate_of_it() {
    for revoked in [true, false] {
        let stage = ValidationFixture::new([]);
        let place = ValidationWorkspace::new(&stage).await;
        let (_, rule) = given(&stage, &place, always_choice()).await;
        let session = place.life.chat_in(Dialect::Tools).await;
        let (name, raised) = ("tools_update", place.config(220).1);
        let mut wished = raised.clone();
        wished["request_validation"] = true.into();
        stage
            .model
            .push_lines([FakeModelLine::Calls(vec![(name.into(), wished), (name.into(), raised.clone())])]);
        let turn = place.life.send_and_wait(&session, "raise it").await;
        assert_eq!(waiting_approvals(&turn).len(), 1, "the rule covers the second");
        let first = waiting_approvals(&turn)[0].call.id.clone();
        if revoked {
            let revoke = RevokeApprovalRule::new(place.life.mail_sender.clone());
            revoke.run(&place.life.workspace, "bob".into(), rule.id.clone()).await.unwrap();
        }
        let corrected =
            ApprovalChoice::ApproveEdited(entracte_application::json_value::from_serde(&place.config(230).1));
        place.decides("ann", &session, std::slice::from_ref(&first), &corrected).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
        assert_eq!(place.max_of_the_tool().await, "230", "revoked: {revoked}");
        let open = place.inbox().await;
        assert_eq!(open.len(), 1, "the second is asked about (revoked: {revoked})");
        assert_ne!(open[0].call.id, first);
        let states: Vec<String> =
            place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, ["succeeded", "waiting_decision"], "revoked: {revoked}");
        place.life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn rule_limit_is_freed_by_revoking() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (zone, tool) = (place.zone.clone(), place.tool.clone());
    let mut small = Arc::into_inner(services(&stage.parts)).unwrap();
    small.settings.always_max = 1;
    drop(place.life);
    let place =
        ValidationWorkspace { life: RuntimeFixture::start_runtime(Arc::new(small)).await, zone, tool };
    let (_, first) = given(&stage, &place, always_choice()).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line(
        "actions",
        &[("UPDATE_ZONE", json!({ "zone_id": place.zone, "name": "Body" }))],
    )]);
    let turn = place.life.send_and_wait(&session, "rename").await;
    let calls = [waiting_approvals(&turn)[0].call.id.clone()];
    let text = refusal(place.decides("ann", &session, &calls, &always_choice()).await);
    assert!(text.contains("already has one standing approval") && text.ends_with("; revoke one"), "{text}");
    let revoke = RevokeApprovalRule::new(place.life.mail_sender.clone());
    revoke.run(&place.life.workspace, "ann".into(), first.id.clone()).await.unwrap();
    let lasts = Some(Millis(0));
    let none = ApprovalChoice::Always { in_session: false, lasts, agents: false, width: None };
    let text = refusal(place.decides("ann", &session, &calls, &none).await);
    assert!(text.contains("cannot expire at once"), "{text}");
    place.decides("ann", &session, &calls, &always_choice()).await.unwrap();
    let rules = place.rules(true).await;
    assert_eq!(rules.len(), 1, "of those that were taken back, none is kept beyond the limit");
    assert_ne!(rules[0].id, first.id);
}

#[tokio::test(start_paused = true)]
async fn decision_on_similar_calls_creates_one_rule() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = place.life.chat(true).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(250), place.config(300)])]);
    place.life.send_and_wait(&session, "raise it").await;
    place.life.decide_and_wait(&session, always_choice()).await;
    assert_eq!(place.max_of_the_tool().await, "300");
    assert_eq!(place.rules(true).await.len(), 1);
}

/// Exports the session, deletes it, and imports it again.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn comes_back(place: &ValidationWorkspace, session: &SessionId) -> SessionId {
    let (life, services) = (&place.life, &place.life.services);
    let export = ExportSession::new(services.store.clone(), services.log.clone());
    let file = export.run(&life.workspace, session).await.unwrap().encode().unwrap();
    let delete = DeleteSession::new(life.mail_sender.clone());
    delete.run(&life.workspace, session, "ann".into()).await.unwrap();
    let import = ImportSession::new(life.mail_sender.clone(), services.ids.clone());
    import.run(&life.workspace, "bob".into(), file, false).await.unwrap().session
}

/// Input: a standing approval for one session, or one that has counted a call of it; the session is deleted and
/// imported from its file; expected: the first approval was deleted with the session, and with counted calls the
/// session gets another id, under which each call is counted anew.
#[tokio::test(start_paused = true)]
async fn imported_session_inherits_no_approvals_of_its_id() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let (session, rule) = given(
        &stage,
        &place,
        ApprovalChoice::Always { in_session: true, lasts: None, agents: false, width: None },
    )
    .await;
    let copy = comes_back(&place, &session).await;
    assert_eq!(copy, session, "it is the same to whoever looks for it");
    stage.model.push_lines([command_request_line("actions", &[place.config(220)])]);
    assert_eq!(waiting_approvals(&place.life.send_and_wait(&copy, "more").await).len(), 1);
    assert!(place.rules(true).await.iter().all(|known| known.id != rule.id), "it went with its session");
    place.life.decide_and_wait(&copy, ApprovalChoice::Reject(None)).await;

    let counted = place.life.chat(true).await;
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "ann".into(), raises(1)).await.unwrap();
    stage.model.push_lines([command_request_line("actions", &[place.config(230)])]);
    assert!(place.life.send_and_wait(&counted, "more").await.waiting.is_none());
    assert_ne!(comes_back(&place, &counted).await, counted);
}

/// Input: a denial, a clock that is set back before its creation, and another rule created then; expected: the denial
/// still applies. A standing approval would not, because its age is unknown.
#[tokio::test(start_paused = true)]
async fn clock_set_back_keeps_denial() {
    let mut stage = ValidationFixture::new([]);
    let clock = Arc::new(TokioClock::default());
    stage.parts.clock = clock.clone();
    let place = ValidationWorkspace::new(&stage).await;
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    let never = NewRuleRequest { denies: Some("no".into()), limits: UseLimits::default(), ..raises(1) };
    add.run(&place.life.workspace, "ann".into(), never.clone()).await.unwrap();
    clock.jump(Millis::hours(-1));
    let another = NewRuleRequest { command: "DELETE_ZONE".into(), arguments: vec![], ..never };
    add.run(&place.life.workspace, "ann".into(), another).await.unwrap();
    let session = place.life.chat(false).await;
    stage
        .model
        .push_lines([command_request_line("actions", &[place.config(220)]), envelope_line("It may not.")]);
    place.life.send_and_wait(&session, "raise it").await;
    assert_eq!(place.life.calls(&session).await, [("tools.update".to_owned(), "forbidden".to_owned())]);
    assert_eq!((place.max_of_the_tool().await.as_str(), place.rules(false).await.len()), ("200", 2));
}
