//! Replies that a person stops while the model writes them.

use entracte_application::use_cases::{InterruptRound, StopSession};
use entracte_domain::session::{Dialect, Input};
use entracte_tests::runtime_fixture::{FakeModelLine, envelope_line};

use super::RoundFixture;

/// Input: an answer of which three words are on the screen when its reader stops it, by an interruption and by a stop, in
/// both dialects; expected: the words stay as a message of the model, marked as stopped by this person, the next request
/// has both, and the session replays.
#[tokio::test(start_paused = true)]
async fn stop_keeps_partial_answer() {
    for (dialect, is_stop) in [
        (Dialect::Envelope, false),
        (Dialect::Envelope, true),
        (Dialect::Tools, false),
        (Dialect::Tools, true),
    ] {
        let (begun, next) = match dialect {
            Dialect::Envelope => (r#"{"pre_text": "The first night"#, envelope_line("Where was I?")),
            Dialect::Tools => ("The first night", FakeModelLine::Says("Where was I?".into())),
        };
        let stage = RoundFixture::new([FakeModelLine::Stalls(begun.into()), next]);
        let life = stage.life().await;
        let session = life.chat_in(dialect).await;
        life.send_message(&session, "Tell me a tale.").await;
        while stage.model.requests.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        let sender = life.mail_sender.clone();
        if is_stop {
            StopSession::new(sender).run(&life.workspace, &session, "ann".into()).await.unwrap();
        } else {
            InterruptRound::new(sender).run(&life.workspace, &session, "ann".into()).await.unwrap();
        }
        let entries = life.entries(&session).await;
        let stopped = entries
            .iter()
            .find(|entry| matches!(entry.input, Input::StopRequested { .. } | Input::RoundInterrupted { .. }))
            .unwrap();
        let messages: Vec<String> = stopped.messages().iter().map(|message| format!("{message:?}")).collect();
        assert!(messages[0].contains("The first night") && messages[0].contains("Model"), "{messages:?}");
        assert!(messages[1].contains("ann stopped this reply here"), "{messages:?}");
        life.send_and_wait(&session, "Go on.").await;
        let request = format!("{:?}", stage.model.requests.lock().unwrap()[1].turns);
        assert!(request.contains("The first night"), "{dialect:?}: {request}");
        assert!(request.contains("ann stopped this reply here"), "{dialect:?}: {request}");
        life.verify(&session).await;
    }
}

/// Input: a stop before the model has shown anything; expected: no message of the model.
#[tokio::test(start_paused = true)]
async fn stop_before_first_word_leaves_no_message() {
    let stage = RoundFixture::new([FakeModelLine::Hangs]);
    let life = stage.life().await;
    let session = life.chat_in(Dialect::Tools).await;
    life.send_message(&session, "Tell me a tale.").await;
    while stage.model.requests.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let interrupt = InterruptRound::new(life.mail_sender.clone());
    interrupt.run(&life.workspace, &session, "ann".into()).await.unwrap();
    let entries = life.entries(&session).await;
    let stopped = entries.iter().find(|entry| matches!(entry.input, Input::RoundInterrupted { .. })).unwrap();
    assert_eq!(stopped.messages(), [], "{stopped:?}");
}
