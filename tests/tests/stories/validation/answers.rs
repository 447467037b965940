//! Words in place of a decision: the calls are rejected, and the model reads the words at once.

use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, DecideApprovals, NewChat, StartChat,
};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Dialect, Input, UserMessageSent};
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};

use super::fixture::{ValidationFixture, ValidationWorkspace, refusal, waiting_approvals};

/// A chat whose every action needs approval.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn chat(place: &ValidationWorkspace, dialect: Dialect) -> SessionId {
    let new = NewChat::new("weights", "fake");
    let chat = NewChat { dialect, model: "fake-1".into(), require_validation: true, ..new };
    let start = StartChat::new(place.life.mail_sender.clone(), place.life.services.ids.clone());
    start.run(&place.life.workspace, chat).await.unwrap().session
}

/// A model that proposes two changes, and then says something.
fn push_proposal(stage: &ValidationFixture, place: &ValidationWorkspace, dialect: Dialect) {
    let (first, second) = (place.config(250), place.config(300));
    stage.model.push_lines(match dialect {
        Dialect::Envelope => {
            [command_request_line("actions", &[first, second]), envelope_line("As you like.")]
        }
        Dialect::Tools => {
            let native = |(_, arguments)| ("tools.update".to_owned(), arguments);
            let calls = FakeModelLine::Calls(vec![native(first), native(second)]);
            [calls, FakeModelLine::Says("As you like.".to_owned())]
        }
    });
}

async fn waiting_calls(place: &ValidationWorkspace, session: &SessionId) -> Vec<CallId> {
    let turn = place.life.send_and_wait(session, "raise it").await;
    waiting_approvals(&turn).iter().map(|waiting| waiting.call.id.clone()).collect()
}

/// Input: two changes that a model of each dialect proposes, and words of a person about the first; expected: one entry
/// rejects it and has the words, the other one is cancelled, the next request to the model has the words, and whoever
/// decides or answers later is told who did.
#[tokio::test(start_paused = true)]
async fn answer_instead_reaches_the_model() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let stage = ValidationFixture::new([]);
        let place = ValidationWorkspace::new(&stage).await;
        let session = chat(&place, dialect).await;
        push_proposal(&stage, &place, dialect);
        let calls = waiting_calls(&place, &session).await;
        assert_eq!(calls.len(), 2, "{dialect:?}");
        let before = place.life.entries(&session).await.len();
        let asked = stage.model.requests.lock().unwrap().len();

        let words = ApprovalChoice::Answer(" Not so much: 220, please.\n".to_owned());
        place.decides("bob", &session, &calls[..1], &words).await.unwrap();
        place.life.follow().run_until_idle(&place.life.workspace, &session, before as u64).await.unwrap();

        let entries = place.life.entries(&session).await;
        let of_people: Vec<&Input> = entries[before..]
            .iter()
            .map(|entry| &entry.input)
            .filter(|input| matches!(input, Input::UserMessageSent(_) | Input::ValidationReceived { .. }))
            .collect();
        let [Input::UserMessageSent(UserMessageSent { author, message, instead_of, .. })] = of_people[..]
        else {
            panic!("one entry has both: {of_people:?}");
        };
        assert_eq!((author.as_str(), instead_of.as_slice()), ("bob", &calls[..1]));
        assert_eq!(message.linear_text(), "Not so much: 220, please.");
        let states: Vec<String> =
            place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, ["rejected", "cancelled"], "{dialect:?}");
        let read: Vec<String> = stage.model.requests.lock().unwrap()[asked..]
            .iter()
            .map(|request| format!("{request:?}"))
            .collect();
        assert_eq!(read.len(), 1, "{dialect:?}: the model is asked once");
        assert!(read[0].contains("Not so much: 220, please."), "{dialect:?}: {}", read[0]);

        let late = refusal(place.decides("ann", &session, &calls[..1], &ApprovalChoice::Approve).await);
        assert!(late.contains("decided by bob (rejected)"), "{late}");
        let again = refusal(place.decides("bob", &session, &calls[..1], &words).await);
        assert!(again.contains("decided by bob (rejected)"), "{again}");
        assert_eq!(place.max_of_the_tool().await, "200", "nothing ran");
        place.life.verify(&session).await;
    }
}

/// Input: words about both calls, the same for each; expected: one message rejects both.
#[tokio::test(start_paused = true)]
async fn answer_to_several_calls_is_one_message() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = chat(&place, Dialect::Tools).await;
    push_proposal(&stage, &place, Dialect::Tools);
    let calls = waiting_calls(&place, &session).await;
    let words = ApprovalChoice::Answer("Leave it at 200.".to_owned());
    place.decides("ann", &session, &calls, &words).await.unwrap();
    place.life.follow().run_until_idle(&place.life.workspace, &session, 0).await.unwrap();
    let states: Vec<String> = place.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["rejected", "rejected"]);
    let entries = place.life.entries(&session).await;
    let said = entries.iter().filter_map(|entry| match &entry.input {
        Input::UserMessageSent(sent) => Some(sent.message.linear_text()),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), ["raise it", "Leave it at 200."]);
    place.life.verify(&session).await;
}

/// Input: words beside a decision on another call, and no words at all; expected: both are refused, and nothing is decided.
#[tokio::test(start_paused = true)]
async fn answer_is_sent_alone_and_has_words() {
    let stage = ValidationFixture::new([]);
    let place = ValidationWorkspace::new(&stage).await;
    let session = chat(&place, Dialect::Tools).await;
    push_proposal(&stage, &place, Dialect::Tools);
    let turn = place.life.send_and_wait(&session, "raise it").await;
    let shown: Vec<ApprovalSelection> =
        waiting_approvals(&turn).iter().map(ApprovalSelection::from_approval).collect();
    let before = place.life.entries(&session).await.len();
    let answer = |text: &str| ApprovalChoice::Answer(text.to_owned());
    let decide = DecideApprovals::new(place.life.mail_sender.clone(), place.life.services.store.clone());
    for (choices, says) in [
        ([answer("220, please"), ApprovalChoice::Approve], "sent alone"),
        ([answer("220, please"), answer("  ")], "the message is empty"),
    ] {
        let each: Vec<_> = shown.iter().cloned().zip(choices).collect();
        let refused = decide.run_for_each(&place.life.workspace, &session, "ann".into(), &each).await;
        let refused = refusal(refused.map(|_| ()));
        assert!(refused.contains(says), "{refused}");
    }
    assert_eq!(place.life.entries(&session).await.len(), before);
    assert_eq!(place.inbox().await.len(), 2);
}
