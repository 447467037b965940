use std::sync::Arc;

use entracte_domain::id::RoundAttempt;
use entracte_domain::session::Input;

use super::*;
use crate::journal::JournalEntry;
use crate::kit::{MachineSessionFixture, session, workspace};
use crate::ports::{EventFeed, FeedEvent};
use crate::settings::LiveTextBounds;

/// A chat with a question: its last entry begins an attempt.
fn asked() -> MachineSessionFixture {
    MachineSessionFixture::chat().with_model_called()
}

fn publish(live: &LiveText, entry: &JournalEntry) {
    let entry = Arc::new(entry.clone());
    live.publish(FeedEvent::Committed { workspace: workspace(), session: session(), entry });
}

fn says(live: &LiveText, attempt: u32, text: &str) {
    let (workspace, session) = (workspace(), session());
    live.publish(FeedEvent::Said { workspace, session, round: 1, attempt, text: text.into() });
}

fn heard(live: &LiveText, attempt: u64, from: u64) -> Option<String> {
    live.text_delta(&workspace(), &session(), AttemptOffset { attempt, text: from, thoughts: 0 })
        .map(|fresh| fresh.text)
}

/// A live text that follows the chat, and the number of the entry that began its attempt.
fn speaking(bounds: LiveTextBounds) -> (LiveText, u64) {
    let live = LiveText::new(bounds);
    let story = asked();
    let last = story.entries.last().unwrap();
    assert_eq!(started_attempt(last), Some(RoundAttempt { round: 1, attempt: 1 }));
    publish(&live, last);
    (live, last.seq)
}

#[test]
fn live_text_lasts_from_attempt_start_to_end() {
    let (live, attempt) = speaking(LiveTextBounds::default());
    says(&live, 1, "At ");
    says(&live, 2, "of another attempt");
    says(&live, 1, "nine.");
    assert_eq!(heard(&live, attempt, 0).unwrap(), "At nine.");
    assert_eq!(heard(&live, attempt, 3).unwrap(), "nine.");
    assert_eq!(heard(&live, attempt, 99).unwrap(), "", "nothing more, and no failure");
    assert_eq!(heard(&live, attempt + 1, 0), None);
    let story = asked().with_text_reply("At nine.");
    publish(&live, story.entries.last().unwrap());
    assert_eq!(heard(&live, attempt, 0), None);
    // Aborted work sends more text.
    says(&live, 1, "too late");
    assert_eq!(heard(&live, attempt, 0), None);
    assert!(!live.is_corrected(&workspace(), attempt));
}

#[test]
fn live_text_is_bounded_without_gaps() {
    let (live, attempt) = speaking(LiveTextBounds { text: 5, thoughts: 5, total: 9 });
    says(&live, 1, "At é");
    says(&live, 1, "é!");
    says(&live, 1, "!");
    // The second é would be cut in two; all text after it is dropped.
    assert_eq!(heard(&live, attempt, 0).unwrap(), "At é");
    let (live, attempt) = speaking(LiveTextBounds { text: 100, thoughts: 100, total: 6 });
    says(&live, 1, "At nine.");
    assert_eq!(heard(&live, attempt, 0).unwrap(), "At nin");
    let story =
        asked().with_input(Input::RoundInterrupted { author: "ann".into(), reply: None }).with_user_message();
    story.entries.iter().skip(2).for_each(|entry| publish(&live, entry));
    let last = story.entries.last().unwrap();
    let (workspace, session, text) = (workspace(), session(), "At ten.".to_owned());
    live.publish(FeedEvent::Said { workspace, session, round: 2, attempt: 1, text });
    assert_eq!(heard(&live, last.seq, 0).unwrap(), "At ten", "the room of the first is free again");
}

#[test]
fn stored_text_is_sent_whatever_was_streamed() {
    for (said, corrected) in [("At ni", false), ("At ten", true)] {
        let (live, attempt) = speaking(LiveTextBounds::default());
        says(&live, 1, said);
        let mut place = StreamPosition::in_session(attempt - 1, None);
        let begins = asked().entries.pop().unwrap();
        assert_eq!(
            place.entry_frames(Arc::new(begins), false).len(),
            2,
            "the entry, and the attempt that it begins"
        );
        let start = AttemptOffset { attempt, text: 0, thoughts: 0 };
        place.text_frames(&live.text_delta(&workspace(), &session(), start).unwrap());
        let ends = asked().with_text_reply("At nine.").entries.pop().unwrap();
        publish(&live, &ends);
        assert_eq!(live.is_corrected(&workspace(), attempt), corrected);
        let seq = ends.seq;
        let told = place.entry_frames(Arc::new(ends), corrected);
        let frames: Vec<(String, &StreamFrame)> =
            told.iter().map(|told| (told.at.unwrap().to_string(), &told.frame)).collect();
        match corrected {
            false => {
                let [(rest, StreamFrame::StreamChunk { offset: 5, text, .. }), (entry, _), (end, last)] =
                    frames.as_slice()
                else {
                    panic!("{frames:?}")
                };
                assert_eq!(text, "ne.");
                assert_eq!(*rest, format!("{attempt}.{attempt}.8"));
                assert_eq!((entry.as_str(), end), (format!("{seq}.{attempt}.8").as_str(), &seq.to_string()));
                assert!(matches!(last, StreamFrame::StreamComplete { bytes: 8, .. }));
            }
            true => {
                let [(entry, StreamFrame::Entry(_)), (end, last)] = frames.as_slice() else {
                    panic!("{frames:?}")
                };
                assert_eq!((entry.as_str(), end), (format!("{seq}.{attempt}.6").as_str(), &seq.to_string()));
                let reason = SupersessionReason::Corrected;
                assert_eq!(**last, StreamFrame::StreamSuperseded { attempt, reason });
            }
        }
    }
}

#[test]
fn long_text_is_split_at_character_boundaries() {
    let (live, attempt) = speaking(LiveTextBounds::default());
    let text = format!("x{}", "é".repeat(CHUNK_MAX));
    says(&live, 1, &text);
    let mut place = StreamPosition::in_session(attempt - 1, None);
    place.entry_frames(Arc::new(asked().entries.pop().unwrap()), false);
    let mut said = String::new();
    loop {
        let (text, thoughts) = place.speech().unwrap().told.unwrap();
        let from = AttemptOffset { attempt, text, thoughts };
        let told = place.text_frames(&live.text_delta(&workspace(), &session(), from).unwrap());
        if told.is_empty() {
            break;
        }
        for told in told {
            let StreamFrame::StreamChunk { offset, text, .. } = told.frame else { panic!("{told:?}") };
            assert!(offset == said.len() as u64 && text.len() <= CHUNK_MAX);
            said.push_str(&text);
        }
    }
    assert!(said == text);
}

#[tokio::test]
async fn subscriptions_are_signalled_for_their_own_scope() {
    let (live, _) = speaking(LiveTextBounds::default());
    let (mut of_session, mut of_all) =
        (live.subscribe(&workspace(), Some(&session())), live.subscribe(&workspace(), None));
    says(&live, 1, "At ");
    of_session.wait_for_change().await;
    assert_eq!(of_session.version(), LiveVersion { said: 1, ..LiveVersion::default() });
    assert_eq!(of_all.version(), LiveVersion::default(), "words are of a session");
    live.publish(FeedEvent::Changed { workspace: workspace(), deleted: vec![session()] });
    of_session.wait_for_change().await;
    of_all.wait_for_change().await;
    assert_eq!(of_all.version(), LiveVersion { committed: 1, ..LiveVersion::default() });
}
