//! Named approvers, quorum, absences and escalation: who may approve, and how many different people must.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{
    CallRequest, CommandApprovers, CommandExecutor, CommandSpec, PolicyReply, PolicyVerdict,
};
use entracte_application::system::sha256;
use entracte_application::use_cases::{ApprovalChoice, UseCaseError};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::validation::{Approver, ValidationLevel};
use entracte_tests::fakes::policy_hook::RecordingPolicyHook;
use entracte_tests::runtime_fixture::command_request_line;
use serde_json::json;

use super::fixture::{ValidationFixture, ValidationWorkspace, always_choice, waiting_approvals};
use super::policy::place_with;

/// A session in which Ann asked for a value, and the call that waits.
async fn requested(
    stage: &ValidationFixture,
    place: &ValidationWorkspace,
    max: u32,
) -> (SessionId, CallId, Vec<ValidationLevel>) {
    let session = place.life.chat(false).await;
    stage.model.push_lines([command_request_line("actions", &[place.config(max)])]);
    let turn = place.life.send_and_wait(&session, "set it").await;
    let card = &waiting_approvals(&turn)[0];
    let levels = card.reasons.iter().map(|reason| reason.level).collect();
    (session, card.call.id.clone(), levels)
}

/// Whether a person's approval is taken; it may still need others.
#[expect(clippy::panic, reason = "a helper of tests")]
async fn takes(place: &ValidationWorkspace, author: &str, session: &SessionId, call: &CallId) -> bool {
    match place.decides(author, session, std::slice::from_ref(call), &ApprovalChoice::Approve).await {
        Ok(()) => true,
        Err(UseCaseError::FourEyes(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Waits until the session rests, and returns the value that was set.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn value(place: &ValidationWorkspace, session: &SessionId) -> String {
    let life = &place.life;
    life.follow().run_until_idle(&life.workspace, session, 0).await.unwrap();
    life.verify(session).await;
    place.max_of_the_tool().await
}

/// Input: two of finance must approve, and Ann, who is not of it, Bob, twice, and Eve decide; expected: the call runs once two
/// different people of finance approved it, and no earlier.
#[tokio::test(start_paused = true)]
async fn quorum_counts_different_people() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let settings = [
        ("require_validation", Some("true")),
        ("roles", Some("finance: bob, eve")),
        ("approvers", Some("role:finance")),
        ("quorum", Some("2")),
    ];
    place.set(&settings).await.unwrap();
    let (session, call, levels) = requested(&stage, &place, 210).await;
    assert_eq!(levels, [ValidationLevel::Approvers, ValidationLevel::App], "the card says so");
    assert!(!takes(&place, "ann", &session, &call).await, "Ann is not of finance");
    assert!(!takes(&place, "noe (by bob)", &session, &call).await, "nor is who has a token of Bob's");
    for _ in 0..2 {
        assert!(takes(&place, "bob", &session, &call).await);
        assert_eq!(value(&place, &session).await, "200", "Bob counts once");
    }
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(value(&place, &session).await, "210");

    let (session, call, _) = requested(&stage, &place, 220).await;
    assert!(takes(&place, "bob", &session, &call).await);
    let no = ApprovalChoice::Reject(Some("too much".into()));
    place.decides("ann", &session, std::slice::from_ref(&call), &no).await.unwrap();
    assert_eq!(value(&place, &session).await, "210", "anybody may refuse");
}

/// Input: a quorum of two, and approvals with tokens that Bob made; expected: they count as Bob, and whoever gives the second one
/// is told so.
#[tokio::test(start_paused = true)]
async fn second_name_of_a_person_is_refused() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    place.set(&[("require_validation", Some("true")), ("quorum", Some("2"))]).await.unwrap();
    let (session, call, _) = requested(&stage, &place, 210).await;
    assert!(takes(&place, "bob", &session, &call).await);
    for choice in [ApprovalChoice::Approve, always_choice()] {
        let again = place.decides("noe (by bob)", &session, std::slice::from_ref(&call), &choice).await;
        assert!(matches!(again, Err(UseCaseError::Conflict(_))), "{again:?}");
    }
    assert_eq!(value(&place, &session).await, "200");
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(value(&place, &session).await, "210");
}

/// Input: a permanent approval by one of those who must approve; expected: it approves nothing in their place.
#[tokio::test(start_paused = true)]
async fn rule_replaces_no_named_approver() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let settings = [("require_validation", Some("true")), ("approvers", Some("person:bob"))];
    place.set(&settings).await.unwrap();
    let (session, call, _) = requested(&stage, &place, 210).await;
    place.decides("bob", &session, std::slice::from_ref(&call), &always_choice()).await.unwrap();
    assert_eq!(value(&place, &session).await, "210");
    let (_, _, levels) = requested(&stage, &place, 220).await;
    assert_eq!(levels, [ValidationLevel::Approvers, ValidationLevel::App]);
}

/// Input: a quorum of two, and a permanent approval by the first and by the second of them; expected: a rule is made only with the
/// approval that suffices, and the first one is told so.
#[tokio::test(start_paused = true)]
async fn rule_waits_for_the_quorum() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    place.set(&[("require_validation", Some("true")), ("quorum", Some("2"))]).await.unwrap();
    let (session, call, _) = requested(&stage, &place, 210).await;
    let early = place.decides("bob", &session, std::slice::from_ref(&call), &always_choice()).await;
    assert!(matches!(early, Err(UseCaseError::Conflict(_))), "{early:?}");
    assert!(takes(&place, "bob", &session, &call).await);
    assert_eq!(place.body().await.rules, []);
    place.decides("eve", &session, std::slice::from_ref(&call), &always_choice()).await.unwrap();
    assert_eq!(value(&place, &session).await, "210");
    let rules = place.body().await.rules;
    assert_eq!(rules.iter().map(|rule| rule.author.as_str()).collect::<Vec<_>>(), ["eve"]);
}

/// Input: approvals that were given, and other approvers since; expected: they count no more, and the card is asked again.
#[tokio::test(start_paused = true)]
async fn other_approvers_are_asked_anew() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let settings = [("require_validation", Some("true")), ("quorum", Some("2"))];
    place.set(&settings).await.unwrap();
    let (session, call, _) = requested(&stage, &place, 210).await;
    assert!(takes(&place, "bob", &session, &call).await);
    place.set(&[("approvers", Some("person:bob, person:eve"))]).await.unwrap();
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(value(&place, &session).await, "200", "Bob approved another card");
    assert!(takes(&place, "bob", &session, &call).await);
    assert_eq!(value(&place, &session).await, "210");
}

/// Input: Bob is away and Noe stands in, and after four hours Eve may approve, too; expected: each of them from and until then.
#[tokio::test(start_paused = true)]
async fn absence_and_escalation_count_in_their_time() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let settings = [
        ("require_validation", Some("true")),
        ("approvers", Some("person:bob")),
        ("away", Some("bob: noe until 2026-11-20T15:00:00Z")),
        ("escalate_to", Some("person:eve")),
        ("escalate_after", Some("4h")),
    ];
    place.set(&settings).await.unwrap();
    let (session, call, _) = requested(&stage, &place, 210).await;
    assert!(takes(&place, "noe", &session, &call).await, "Noe stands in");
    assert_eq!(value(&place, &session).await, "210");

    let (session, call, _) = requested(&stage, &place, 220).await;
    assert!(!takes(&place, "eve", &session, &call).await, "it has not escalated");
    tokio::time::advance(Duration::from_secs(4 * 3600)).await;
    assert!(!takes(&place, "noe", &session, &call).await, "Bob is back");
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(value(&place, &session).await, "220");
}

/// Input: a policy that asks for two of a role; expected: it is the role of the workspace, and two of it must approve.
#[tokio::test(start_paused = true)]
async fn policy_names_whom_to_ask() {
    let stage = ValidationFixture::new([]);
    let hook = RecordingPolicyHook::new(|question| {
        let approvers = vec![Approver::Role("finance".into())];
        let ask = PolicyReply { approvers, quorum: 2, ..PolicyReply::new(PolicyVerdict::Ask) };
        let is_it = question.command.name == "tools.update";
        Some(if is_it { ask } else { PolicyReply::new(PolicyVerdict::Allow) })
    });
    let place = place_with(&stage, &hook.into()).await;
    place.set(&[("roles", Some("finance: bob, eve"))]).await.unwrap();
    let (session, call, levels) = requested(&stage, &place, 210).await;
    assert_eq!(levels, [ValidationLevel::Policy]);
    assert!(!takes(&place, "ann", &session, &call).await);
    assert!(takes(&place, "bob", &session, &call).await);
    assert_eq!(value(&place, &session).await, "200");
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(value(&place, &session).await, "210");
}

/// Input: more people than a role has must approve; expected: the setting is refused, whichever of the three makes it so, and
/// all of them may change together.
#[tokio::test(start_paused = true)]
async fn quorum_beyond_its_people_is_refused() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let unknown = place.set(&[("approvers", Some("role:finance"))]).await;
    assert!(matches!(&unknown, Err(UseCaseError::Invalid(_))), "{unknown:?}");
    let both = [("roles", Some("finance: bob")), ("approvers", Some("role:finance"))];
    place.set(&both).await.unwrap();
    for change in [("quorum", Some("2")), ("roles", None)] {
        let refused = place.set(&[change]).await;
        assert!(matches!(&refused, Err(UseCaseError::Invalid(_))), "{change:?}: {refused:?}");
    }
    place.set(&[("roles", Some("finance: bob, eve")), ("quorum", Some("2"))]).await.unwrap();
}

/// Input: two of finance must approve, and one of them is away, with the other in their place, or asked for it under four
/// eyes; expected: the card says that nobody else can.
#[tokio::test(start_paused = true)]
async fn card_says_that_its_quorum_cannot_be_reached() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let settings = [
        ("require_validation", Some("true")),
        ("roles", Some("finance: ann, bob")),
        ("approvers", Some("role:finance")),
        ("quorum", Some("2")),
    ];
    place.set(&settings).await.unwrap();
    let (session, _, _) = requested(&stage, &place, 210).await;
    let expected = "2 people must approve, and only 1 of role:finance can now";
    let warns = async || {
        let cards = place.inbox().await;
        cards[0].description.warnings.iter().any(|warning| warning.starts_with(expected))
    };
    assert!(!warns().await);
    place.set(&[("away", Some("ann: bob until 2026-11-20T15:00:00Z"))]).await.unwrap();
    assert!(warns().await);
    place.set(&[("away", None)]).await.unwrap();
    assert!(!warns().await);
    place.set(&[("four_eyes", Some("true"))]).await.unwrap();
    assert!(warns().await);
    place.life.verify(&session).await;
}

/// A tool of which one of finance must approve every call.
struct GuardedExecutor;

#[async_trait]
impl CommandExecutor for GuardedExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({ "type": "object", "additionalProperties": false });
        let named = vec![Approver::Role("finance".into())];
        let approvers = CommandApprovers { named, quorum: 1, escalate_after: None };
        vec![CommandSpec {
            approvers: Some(Box::new(approvers)),
            ..CommandSpec::action("PAY", "bills.pay", "Pays the bill.", EffectClass::Once, schema)
        }]
    }

    async fn run(&self, _: CallRequest) -> CallOutcome {
        CallOutcome::Succeeded { digest: sha256(b"paid"), content: "paid".to_owned(), files: Vec::new() }
    }
}

/// Input: a tool that names finance, in a workspace that asks for nothing, or for two people; expected: its calls need finance
/// whatever the workspace says, and both demands where there are two.
#[tokio::test(start_paused = true)]
async fn tool_names_its_own_approvers() {
    let mut stage = ValidationFixture::new([]);
    stage.parts.executors.push(Arc::new(GuardedExecutor));
    let place = ValidationWorkspace::new(&stage).await;
    place.set(&[("roles", Some("finance: bob"))]).await.unwrap();
    let pays = async || {
        let session = place.life.chat(false).await;
        stage.model.push_lines([command_request_line("actions", &[("PAY", json!({}))])]);
        let turn = place.life.send_and_wait(&session, "pay it").await;
        let card = &waiting_approvals(&turn)[0];
        let said: Vec<String> = card.reasons.iter().map(|reason| reason.text.clone()).collect();
        (session, card.call.id.clone(), said)
    };
    let status = async |session: &SessionId| {
        place.life.follow().run_until_idle(&place.life.workspace, session, 0).await.unwrap();
        place.life.calls(session).await[0].1.clone()
    };
    let (session, call, said) = pays().await;
    assert_eq!(said, ["one of role:finance must approve"]);
    assert!(!takes(&place, "eve", &session, &call).await);
    assert!(takes(&place, "bob", &session, &call).await);
    assert_eq!(status(&session).await, "succeeded");

    place.set(&[("quorum", Some("2"))]).await.unwrap();
    let (session, call, said) = pays().await;
    assert_eq!(said, ["one of role:finance must approve", "2 different people must approve"]);
    assert!(takes(&place, "bob", &session, &call).await);
    assert_eq!(status(&session).await, "waiting_decision", "one of two");
    assert!(takes(&place, "eve", &session, &call).await);
    assert_eq!(status(&session).await, "succeeded");
    place.life.verify(&session).await;
}
