//! Streamed text equals stored text, for each session separately.

use std::time::Duration;

use entracte_application::stream::{Cursor, StreamFrame, StreamReadStart};

use super::fixture::{StreamFixture, StreamTestReader, StreamingModelStep, envelope, reader};

#[tokio::test(start_paused = true)]
async fn deltas_concatenate_to_the_stored_text() {
    let long = "A line of some length, é.\n".repeat(9_000);
    let texts = ["At nine.", "  spaces around  ", "Hé \"toi\" \\ 😀 \u{1}", "", long.as_str()];
    for text in texts {
        for cut in [1000, 7] {
            let scene = StreamFixture::new();
            scene.talker.push_steps([StreamingModelStep::All(envelope(text, cut * (1 + text.len() / 1000)))]);
            let life = scene.life().await;
            let session = life.chat(false).await;
            // One reads during the stream, one after everything is stored.
            let mut along = (
                StreamTestReader::default(),
                reader(&life, Some(&session), StreamReadStart::At(Cursor::default())).await,
            );
            along.0.read_all(&mut along.1).await;
            life.send_message(&session, "say it").await;
            while life.phase(&session).await != "IDLE" {
                along.1.wait_for_change().await;
                along.0.read_all(&mut along.1).await;
            }
            along.0.read_all(&mut along.1).await;
            let mut late = StreamTestReader::default();
            late.read_all(&mut reader(&life, Some(&session), StreamReadStart::At(Cursor::default())).await)
                .await;
            let stored = life.entries(&session).await;
            for client in [&along.0, &late] {
                client.verify(&stored);
                assert_eq!(client.attempts().pop_first().unwrap().1.0, text);
            }
            let chunks =
                along.0.edges.iter().filter(|told| matches!(told.frame, StreamFrame::StreamChunk { .. }));
            assert!(text.is_empty() || chunks.count() > 1, "words came while they were said");
        }
    }
}

/// The words of each session reach only its own readers.
#[tokio::test(start_paused = true)]
async fn two_sessions_at_once_have_two_cursors() {
    let scene = StreamFixture::new();
    scene.talker.push_steps([
        StreamingModelStep::All(envelope("One, one, one.", 3)),
        StreamingModelStep::All(envelope("Two, two, two.", 3)),
    ]);
    let life = scene.life().await;
    let (first, second) = (life.chat(false).await, life.chat(false).await);
    life.send_message(&first, "count").await;
    life.send_message(&second, "count").await;
    let mut clients = [StreamTestReader::default(), StreamTestReader::default(), StreamTestReader::default()];
    for _ in 0..60 {
        for (client, session) in clients.iter_mut().zip([Some(&first), Some(&second), None]) {
            // Interrupted after every batch.
            let mut reads = reader(&life, session, StreamReadStart::At(client.cursor)).await;
            reads.read_available(true).await.unwrap().into_iter().for_each(|told| client.apply_frame(told));
            reads.read_available(true).await.unwrap().into_iter().for_each(|told| client.apply_frame(told));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let [one, two, all] = clients;
    let (of_first, of_second) = (life.entries(&first).await, life.entries(&second).await);
    one.verify(&of_first);
    two.verify(&of_second);
    assert_eq!(one.attempts().pop_first().unwrap().1.0, "One, one, one.");
    assert_eq!(two.attempts().pop_first().unwrap().1.0, "Two, two, two.");
    assert_eq!(all.entries().len(), of_first.len() + of_second.len());
    assert!(all.entries().is_sorted() && all.attempts().is_empty());
}
