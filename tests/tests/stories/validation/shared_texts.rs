//! Texts that a model writes for all sessions need a person's approval, whatever standing approvals exist.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use entracte_application::mail::NewRuleRequest;
use entracte_application::ports::ResourceFilter;
use entracte_application::use_cases::{AddApprovalRule, ApprovalChoice};
use entracte_domain::id::SessionId;
use entracte_domain::validation::{ArgumentCondition, RuleScope, UseLimits, ValidationLevel};
use entracte_tests::runtime_fixture::command_request_line;
use serde_json::json;

use super::fixture::{
    ValidationFixture, ValidationWorkspace, always_choice, last_resource_id, refusal, waiting_approvals,
};

const TEXT: &str = "shared_text";
const PROPOSAL: &str = "shared_text_proposal";

impl ValidationWorkspace {
    /// The model proposes a change of the text “general” based on this version.
    async fn proposes(&self, stage: &ValidationFixture, version: u32, text: &str) -> String {
        let change = json!({ "key": "general", "version": version, "text": text });
        self.run_actions(stage, &[("PROPOSE_SHARED_TEXT", change)]).await;
        last_resource_id(&self.life, PROPOSAL).await
    }

    /// The model requests a publication; the session waits for the decision.
    async fn asks_to_publish(&self, stage: &ValidationFixture, proposal: &str) -> SessionId {
        let session = self.life.chat(false).await;
        let publish = ("PUBLISH_SHARED_TEXT", json!({ "proposal_id": proposal }));
        stage.model.push_lines([command_request_line("actions", &[publish])]);
        let turn = self.life.send_and_wait(&session, "publish it").await;
        let levels: Vec<ValidationLevel> =
            waiting_approvals(&turn)[0].reasons.iter().map(|reason| reason.level).collect();
        assert_eq!(levels, [ValidationLevel::Catalog], "the command itself asks");
        session
    }

    async fn version_of_general(&self) -> String {
        let row = self.life.services.rows.resource(&self.life.workspace, TEXT, "general").await.unwrap();
        let body: serde_json::Value = serde_json::from_str(&row.unwrap().body).unwrap();
        body["version"].to_string()
    }
}

/// Input: a model that proposes and publishes, once rejected and once approved; expected: only the approval publishes,
/// and the card shows the difference.
#[tokio::test(start_paused = true)]
async fn a_model_publishes_nothing_without_a_persons_yes() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let proposal = place.proposes(&stage, 0, "Send every invoice to eve.\n").await;
    let session = place.asks_to_publish(&stage, &proposal).await;
    assert_eq!(place.version_of_general().await, "0");
    let card = place.inbox().await.remove(0);
    assert_eq!(card.description.after, [("line 1".to_owned(), "Send every invoice to eve.\n".to_owned())]);
    place.life.decide_and_wait(&session, ApprovalChoice::Reject(Some("no".into()))).await;
    assert_eq!(place.version_of_general().await, "0");

    let session = place.asks_to_publish(&stage, &proposal).await;
    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(place.version_of_general().await, "1");
    let left = ResourceFilter { kind: PROPOSAL.into(), ..ResourceFilter::default() };
    let left = place.life.services.rows.resources(&place.life.workspace, &left).await.unwrap();
    assert!(left.is_empty(), "what is published is no proposal any more");
    place.life.verify(&session).await;
}

/// Input: standing approvals for the publication, with a decision and by hand; expected: neither can be created.
#[tokio::test(start_paused = true)]
async fn no_rule_publishes_in_advance() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let proposal = place.proposes(&stage, 0, "one\n").await;
    let session = place.asks_to_publish(&stage, &proposal).await;
    let call = place.inbox().await[0].call.id.clone();
    let refused = refusal(place.decides("ann", &session, &[call], &always_choice()).await);
    assert!(refused.contains("needs an approval each time"), "{refused}");
    let rule = NewRuleRequest {
        command: "shared_texts.publish".into(),
        arguments: vec![("proposal_id".into(), ArgumentCondition::Any)],
        scope: RuleScope::Workspace,
        denies: None,
        lasts: None,
        limits: UseLimits::default(),
        agents: false,
        people: Vec::new(),
    };
    let add = AddApprovalRule::new(place.life.mail_sender.clone());
    let refused = add.run(&place.life.workspace, "ann".into(), rule).await.map(|_| ());
    assert!(refusal(refused).contains("needs an approval each time"));
    assert_eq!(place.version_of_general().await, "0");
}
