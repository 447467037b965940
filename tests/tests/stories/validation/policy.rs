//! The policy hook: it is asked before a person is, its answers only tighten, and without an answer a person is asked.

use std::sync::Arc;

use entracte_application::journal::JournalEntry;
use entracte_application::ports::{PolicyReply, PolicyVerdict};
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::{PolicyHookSettings, RuntimeSettings};
use entracte_application::use_cases::{ApprovalChoice, DecideApprovals, TurnView};
use entracte_domain::id::SessionId;
use entracte_domain::session::Input;
use entracte_domain::validation::{PolicyDecision, ValidationLevel};
use entracte_domain::value::JsonValue;
use entracte_tests::fakes::policy_hook::RecordingPolicyHook;
use entracte_tests::runtime_fixture::{RuntimeFixture, command_request_line, services};

use super::fixture::{ValidationFixture, ValidationWorkspace, always_choice, waiting_approvals};

/// The command that the tests ask about.
const UPDATE: &str = "tools.update";

/// A workspace whose calls this hook is asked about.
pub(super) async fn place_with(
    stage: &ValidationFixture,
    hook: &Arc<RecordingPolicyHook>,
) -> ValidationWorkspace {
    let services = RuntimeServices {
        policy_hook: Some(hook.clone()),
        ..RuntimeServices::clone(&services(&stage.parts))
    };
    ValidationWorkspace::over(stage, RuntimeFixture::start_runtime(Arc::new(services)).await).await
}

/// A model requests that the largest value becomes `max`; waits until the session rests.
async fn requests(
    stage: &ValidationFixture,
    place: &ValidationWorkspace,
    session: &SessionId,
    max: u32,
) -> TurnView {
    stage.model.push_lines([command_request_line("actions", &[place.config(max)])]);
    place.life.send_and_wait(session, "set it").await
}

/// The levels that the one waiting card shows.
fn levels(turn: &TurnView) -> Vec<ValidationLevel> {
    waiting_approvals(turn)[0].reasons.iter().map(|reason| reason.level).collect()
}

/// The answers of the hook in the journal of a session.
fn answers(entries: &[JournalEntry]) -> Vec<(PolicyDecision, Option<String>, Option<String>)> {
    let answers = entries.iter().filter_map(|entry| match &entry.input {
        Input::PolicyAnswered { answer, .. } => Some(answer),
        _ => None,
    });
    answers.map(|answer| (answer.decision, answer.reason.clone(), answer.version.clone())).collect()
}

/// Input: each verdict of a hook, for a call that needs an approval, one that needs none, and one that a rule covers;
/// expected: to allow takes away no approval, to ask adds one that no rule gives, and to deny refuses all of them.
#[tokio::test(start_paused = true)]
async fn policy_hook_only_tightens() {
    let cases = [
        (PolicyVerdict::Allow, "succeeded", Some(vec![ValidationLevel::App]), None),
        (
            PolicyVerdict::Ask,
            "waiting_decision",
            Some(vec![ValidationLevel::Policy, ValidationLevel::App]),
            Some(vec![ValidationLevel::Policy]),
        ),
        (PolicyVerdict::Deny, "forbidden", None, None),
    ];
    for (verdict, unguarded, guarded_levels, covered_levels) in cases {
        let stage = ValidationFixture::new([]);
        let hook = Arc::new(RecordingPolicyHook::for_command(UPDATE, verdict));
        let place = place_with(&stage, &hook).await;
        let status = async |session: &SessionId| place.life.calls(session).await[0].1.clone();

        let session = place.life.chat(false).await;
        requests(&stage, &place, &session, 210).await;
        assert_eq!(status(&session).await, unguarded, "{verdict:?} of a call that needs no approval");
        let journal = place.life.entries(&session).await;
        let answer = PolicyDecision::from_word(verdict.word()).unwrap();
        assert_eq!(answers(&journal), [(answer, Some("by the book".into()), Some("7".into()))]);
        place.life.verify(&session).await;

        place.set(&[("require_validation", Some("true"))]).await.unwrap();
        let session = place.life.chat(false).await;
        let turn = requests(&stage, &place, &session, 220).await;
        assert_eq!(turn.waiting.as_ref().map(|_| levels(&turn)), guarded_levels, "{verdict:?}");
        if turn.waiting.is_some() {
            place.life.decide_and_wait(&session, always_choice()).await;
            assert_eq!(place.max_of_the_tool().await, "220");
            let session = place.life.chat(false).await;
            let turn = requests(&stage, &place, &session, 230).await;
            let shown = turn.waiting.as_ref().map(|_| levels(&turn));
            let expected = covered_levels.map(|policy| [policy, vec![ValidationLevel::App]].concat());
            assert_eq!(shown, expected, "{verdict:?} of a call that a rule covers");
        } else {
            assert_eq!(status(&session).await, "forbidden");
            assert_eq!(place.max_of_the_tool().await, "200");
        }
    }
}

/// Input: a hook that never answers; expected: a person is asked, the card says why, and the journal has it.
#[tokio::test(start_paused = true)]
async fn policy_hook_timeout_asks() {
    let stage = ValidationFixture::new([]);
    let allow = || PolicyReply::new(PolicyVerdict::Allow);
    let hook =
        Arc::new(RecordingPolicyHook::new(move |question| (question.command.name != UPDATE).then(allow)));
    let place = place_with(&stage, &hook).await;
    let session = place.life.chat(false).await;
    let turn = requests(&stage, &place, &session, 210).await;
    let card = &waiting_approvals(&turn)[0];
    let reasons: Vec<(ValidationLevel, &str)> =
        card.reasons.iter().map(|reason| (reason.level, reason.text.as_str())).collect();
    let why = "the server’s policy gave no answer: it took longer than 2s (policy.timeout)";
    assert_eq!(reasons, [(ValidationLevel::Policy, why)]);
    assert!(card.always.is_none() && card.widths.is_empty(), "no rule would approve the next one");
    let journal = place.life.entries(&session).await;
    let why = Some("it took longer than 2s (policy.timeout)".to_owned());
    assert_eq!(answers(&journal), [(PolicyDecision::NoAnswer, why, None)]);
    assert_eq!(place.max_of_the_tool().await, "200");

    place.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(place.max_of_the_tool().await, "210");
    place.life.verify(&session).await;
}

/// Input: two calls of one reply, and a hook that answers neither, with turns for one question or for both; expected: each
/// question has its whole time from when it is asked, so one after the other takes twice as long.
#[tokio::test(start_paused = true)]
async fn questions_beyond_the_limit_wait_for_their_turn() {
    let seconds = async |at_once: usize| {
        let stage = ValidationFixture::new([]);
        let allow = || PolicyReply::new(PolicyVerdict::Allow);
        let hook =
            Arc::new(RecordingPolicyHook::new(move |question| (question.command.name != UPDATE).then(allow)));
        let services = RuntimeServices::clone(&services(&stage.parts));
        let policy_hook = PolicyHookSettings { at_once, ..PolicyHookSettings::default() };
        let settings = RuntimeSettings { policy_hook, ..services.settings.clone() };
        let services = RuntimeServices { policy_hook: Some(hook.clone()), settings, ..services };
        let life = RuntimeFixture::start_runtime(Arc::new(services)).await;
        let place = ValidationWorkspace::over(&stage, life).await;
        let session = place.life.chat(false).await;
        stage.model.push_lines([command_request_line("actions", &[place.config(210), place.config(220)])]);
        let begun = tokio::time::Instant::now();
        let turn = place.life.send_and_wait(&session, "set them").await;
        assert_eq!((waiting_approvals(&turn).len(), hook.questions_about(UPDATE).len()), (2, 2));
        begun.elapsed().as_secs()
    };
    assert!((4..6).contains(&seconds(1).await));
    assert!((2..4).contains(&seconds(2).await));
}

/// Input: a hook that refuses values above 250, and a person who edits a waiting call; expected: the hook is asked again
/// about the arguments that the person wrote, and its refusal holds against the approval.
#[tokio::test(start_paused = true)]
async fn policy_hook_is_asked_about_edited_arguments() {
    let stage = ValidationFixture::new([]);
    let hook = Arc::new(RecordingPolicyHook::new(|question| {
        let max = question.command.arguments.get("config").and_then(|config| config.get("max"));
        let is_large = max.and_then(JsonValue::as_i64).is_some_and(|max| max > 250);
        let verdict = if is_large { PolicyVerdict::Deny } else { PolicyVerdict::Allow };
        Some(PolicyReply::new(verdict))
    }));
    let place = place_with(&stage, &hook).await;
    place.set(&[("require_validation", Some("true"))]).await.unwrap();
    for (edited, expected) in [(300, "200"), (240, "240")] {
        let session = place.life.chat(false).await;
        requests(&stage, &place, &session, 210).await;
        let (_, arguments) = place.config(edited);
        let arguments = entracte_application::json_value::from_serde(&arguments);
        place.life.decide_and_wait(&session, ApprovalChoice::ApproveEdited(arguments.clone())).await;
        assert_eq!(place.max_of_the_tool().await, expected, "{edited}");
        let asked = hook.questions_about(UPDATE).pop().unwrap();
        assert_eq!((asked.command.arguments, asked.edited_by.as_deref()), (arguments, Some("ann")));
        place.life.verify(&session).await;
    }
}

/// Input: a call of a chat; expected: the hook reads who asks, with whose rights, what it is and what it needs anyway.
#[tokio::test(start_paused = true)]
async fn policy_hook_reads_who_asks_with_whose_rights() {
    let stage = ValidationFixture::new([]);
    let hook = Arc::new(RecordingPolicyHook::for_command(UPDATE, PolicyVerdict::Ask));
    let place = place_with(&stage, &hook).await;
    place.set(&[("require_validation", Some("true"))]).await.unwrap();
    let session = place.life.chat(false).await;
    requests(&stage, &place, &session, 210).await;
    let asked = hook.questions_about(UPDATE);
    assert_eq!(asked.len(), 1, "it is asked once, however often the card is checked");
    let asked = &asked[0];
    assert_eq!((asked.session.clone(), asked.asked_by.clone()), (session.clone(), vec!["ann".to_owned()]));
    assert_eq!((asked.acts_as.as_deref(), asked.edited_by.as_deref()), (Some("ann"), None));
    assert_eq!((asked.destructive, asked.egress), (false, false));
    assert_eq!(asked.approval, [ValidationLevel::App]);
    let decide = DecideApprovals::new(place.life.mail_sender.clone(), place.life.services.store.clone());
    decide
        .run_for_all(&place.life.workspace, &session, "bob".into(), &ApprovalChoice::Reject(None))
        .await
        .unwrap();
    assert_eq!(hook.questions_about(UPDATE).len(), 1);
}
