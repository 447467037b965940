//! Four eyes: the authors of an exchange's messages cannot approve its actions by any means.

use entracte_application::mail::NewRuleRequest;
use entracte_application::use_cases::{
    AddApprovalRule, ApprovalChoice, AutomationParams, CreateAutomation, RunAutomation, SendMessage,
    TurnView, UseCaseError,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection, RunPolicy, UnattendedPolicy};
use entracte_domain::validation::{ArgumentCondition, RuleScope, UseLimits, ValidationLevel};
use entracte_domain::value::JsonValue;
use entracte_tests::runtime_fixture::command_request_line;
use serde_json::json;

use super::fixture::{ValidationFixture, ValidationWorkspace, always_choice, waiting_approvals};

/// A workspace in which every action needs approval, and four eyes.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn place(stage: &ValidationFixture) -> ValidationWorkspace {
    let place = ValidationWorkspace::new(stage).await;
    let on = Some("true");
    place.set(&[("require_validation", on), ("four_eyes", on)]).await.unwrap();
    place
}

#[expect(clippy::unwrap_used, reason = "helpers of tests")]
impl ValidationWorkspace {
    /// A person sends a message; waits until the session rests.
    async fn says(&self, author: &str, session: &SessionId, text: &str) -> TurnView {
        let after = self.life.follow().last_entry_number(&self.life.workspace, session).await.unwrap();
        let send = SendMessage::new(self.life.mail_sender.clone());
        let message = UserMessage::text(text);
        send.run(&self.life.workspace, session, author.into(), message, None).await.unwrap();
        self.life.follow().run_until_idle(&self.life.workspace, session, after).await.unwrap()
    }

    /// A person decides; waits until the session rests.
    async fn decided(
        &self,
        author: &str,
        session: &SessionId,
        call: &CallId,
        choice: &ApprovalChoice,
    ) -> TurnView {
        let after = self.life.follow().last_entry_number(&self.life.workspace, session).await.unwrap();
        self.decides(author, session, std::slice::from_ref(call), choice).await.unwrap();
        self.life.follow().run_until_idle(&self.life.workspace, session, after).await.unwrap()
    }

    /// Whether a person's approval is refused because of four eyes.
    async fn is_refused(
        &self,
        author: &str,
        session: &SessionId,
        call: &CallId,
        choice: &ApprovalChoice,
    ) -> bool {
        let answer = self.decides(author, session, std::slice::from_ref(call), choice).await;
        assert!(matches!(answer, Ok(()) | Err(UseCaseError::FourEyes(_))), "{answer:?}");
        answer.is_err()
    }
}

/// The one waiting call.
fn only_call(turn: &TurnView) -> CallId {
    waiting_approvals(turn)[0].call.id.clone()
}

#[tokio::test(start_paused = true)]
async fn requester_may_not_approve_under_four_eyes() {
    let stage = ValidationFixture::new([]);
    let place = place(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(210)])]);
    let turn = place.says("ann", &session, "set it").await;
    let (call, card) = (only_call(&turn), &waiting_approvals(&turn)[0]);
    let levels: Vec<ValidationLevel> = card.reasons.iter().map(|reason| reason.level).collect();
    assert_eq!(levels, [ValidationLevel::FourEyes, ValidationLevel::App], "the card says so");
    assert_eq!(card.call.asked_by.people, ["ann"]);

    let (_, other) = place.config(220);
    let edited = ApprovalChoice::ApproveEdited(entracte_application::json_value::from_serde(&other));
    for choice in [ApprovalChoice::Approve, always_choice(), edited.clone()] {
        assert!(place.is_refused("ann", &session, &call, &choice).await, "{choice:?}");
    }
    assert!(place.is_refused("bob", &session, &call, &edited).await, "nobody else has seen what would run");
    assert_eq!(place.max_of_the_tool().await, "200");
    assert_eq!(place.rules(true).await, []);

    place.decided("bob", &session, &call, &ApprovalChoice::Approve).await;
    assert_eq!(place.max_of_the_tool().await, "210");
    place.life.verify(&session).await;
}

/// Input: Bob approves Ann's request permanently, and Ann gives a standing approval by hand; expected: Bob's applies to
/// Ann, and neither applies to its own author.
#[tokio::test(start_paused = true)]
async fn standing_approval_excludes_its_own_author() {
    let stage = ValidationFixture::new([]);
    let place = place(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(210)])]);
    let call = only_call(&place.says("ann", &session, "set it").await);
    place.decided("bob", &session, &call, &always_choice()).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(220)])]);
    assert_eq!(place.says("ann", &session, "set it higher").await.waiting, None);
    assert_eq!(place.max_of_the_tool().await, "220");

    let other = place.life.chat(false).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(230)])]);
    let turn = place.says("bob", &other, "set it still higher").await;
    assert_eq!(waiting_approvals(&turn).len(), 1, "it is Bob's own approval");

    let by_hand = NewRuleRequest {
        command: "tools.update".into(),
        arguments: vec![
            ("tool_id".into(), ArgumentCondition::Is(JsonValue::from(place.tool.as_str()))),
            ("config".into(), ArgumentCondition::Any),
            ("name".into(), ArgumentCondition::Any),
        ],
        scope: RuleScope::Workspace,
        denies: None,
        limits: UseLimits::default(),
        agents: false,
        people: Vec::new(),
        lasts: None,
    };
    let third = place.life.chat(false).await;
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    add.run(&place.life.workspace, "eve".into(), by_hand).await.unwrap();
    let rename = json!({ "tool_id": place.tool, "name": "Mass" });
    stage.model.push_lines([command_request_line("actions", &[("UPDATE_TOOL", rename)])]);
    assert_eq!(
        waiting_approvals(&place.says("eve", &third, "call it Mass").await).len(),
        1,
        "it is Eve's own approval"
    );
}

/// Input: Bob rejects with an instruction, and the model follows it; expected: Bob may not approve the result.
#[tokio::test(start_paused = true)]
async fn rejecting_with_instruction_makes_requester() {
    let stage = ValidationFixture::new([]);
    let place = place(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(210)]),
        command_request_line("actions", &[place.config(230)]),
    ]);
    let call = only_call(&place.says("ann", &session, "set it").await);
    let instead = ApprovalChoice::Reject(Some("rather 230".into()));
    let call = only_call(&place.decided("bob", &session, &call, &instead).await);
    for author in ["ann", "bob"] {
        assert!(place.is_refused(author, &session, &call, &ApprovalChoice::Approve).await, "{author}");
    }
    place.decided("eve", &session, &call, &ApprovalChoice::Approve).await;
    assert_eq!(place.max_of_the_tool().await, "230");
}

/// Input: Bob writes while Ann's call waits, and starts a new exchange later; expected: the actions have both as
/// authors, also those that Bob alone requests, because the model still reads Ann's message.
#[tokio::test(start_paused = true)]
async fn exchange_authors_all_count_as_requesters() {
    let stage = ValidationFixture::new([]);
    let place = place(&stage).await;
    let session = place.life.chat(false).await;
    stage.model.push_lines([
        command_request_line("actions", &[place.config(210)]),
        command_request_line("actions", &[place.config(220)]),
    ]);
    place.says("ann", &session, "set it").await;
    let call = only_call(&place.says("bob", &session, "yes, do").await);
    for author in ["ann", "bob"] {
        assert!(place.is_refused(author, &session, &call, &ApprovalChoice::Approve).await, "{author}");
    }
    place.decided("ann", &session, &call, &ApprovalChoice::Reject(None)).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(230)])]);
    let call = only_call(&place.says("bob", &session, "set it to 230").await);
    for author in ["ann", "bob"] {
        assert!(place.is_refused(author, &session, &call, &ApprovalChoice::Approve).await, "{author}");
    }
    assert!(!place.is_refused("eve", &session, &call, &ApprovalChoice::Approve).await, "she said nothing");
    place.life.verify(&session).await;
}

/// Input: a run whose policy is to allow everything; expected: it waits for a person who did not write it.
#[tokio::test(start_paused = true)]
async fn a_policy_is_nobodys_second_pair_of_eyes() {
    let stage = ValidationFixture::new([]);
    let place = place(&stage).await;
    let plan = AutomationParams {
        name: "Nightly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies {
            run: RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() },
            ..AutomationPolicies::default()
        },
        enabled: true,
        message: UserMessage::text("set it"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let (life, workspace) = (&place.life, &place.life.workspace);
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let automation = create.run(workspace, "ann".into(), plan).await.unwrap();
    stage.model.push_lines([command_request_line("actions", &[place.config(210)])]);
    let run = RunAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let run = run.run(workspace, "bob".into(), &automation, None).await.unwrap();
    let session = run.session;
    let turn = life.follow().run_until_idle(workspace, &session, 0).await.unwrap();
    let call = only_call(&turn);
    assert_eq!(
        waiting_approvals(&turn)[0].call.asked_by.people,
        ["ann"],
        "who wrote the seed, not who pressed the button"
    );
    assert!(place.is_refused("ann", &session, &call, &ApprovalChoice::Approve).await);
    assert!(!place.is_refused("bob", &session, &call, &ApprovalChoice::Approve).await);
}
