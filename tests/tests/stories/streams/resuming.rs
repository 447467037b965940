//! A client that is interrupted gets the same frames as one that reads on, whatever is killed.

use std::time::Duration;

use entracte_application::stream::{Cursor, ResyncReason, StreamFrame, StreamReadStart};
use entracte_domain::session::failure::FailureClass;
use entracte_tests::test_scale;

use super::fixture::{StreamFixture, StreamTestReader, StreamingModelStep, envelope, reader};

/// Reproducible pseudo-random numbers.
struct StreamCutRng(u64);

impl StreamCutRng {
    /// A number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn size(&mut self, most: u64) -> usize {
        usize::try_from(self.below(most)).unwrap_or_default()
    }

    fn says(&mut self) -> StreamingModelStep {
        let texts =
            ["At nine.", "Hé « toi » 😀\n\t\"quoted\"", "", "A longer answer, of several words, and an end."];
        let pieces = envelope(texts[self.size(4)], 1 + self.size(9));
        let some = pieces[..self.size(pieces.len() as u64)].to_vec();
        match self.below(6) {
            0 => StreamingModelStep::Fails(some, FailureClass::Lost),
            1 => StreamingModelStep::Stalls(some),
            2 => StreamingModelStep::All(vec!["no envelope".into()]),
            _ => StreamingModelStep::All(pieces),
        }
    }
}

/// One random history: messages, a model that streams, fails and stalls, a client that is interrupted anywhere, a
/// process that is killed anywhere. In the end the client has everything stored, and so has a client that starts then.
async fn play(seed: u64) {
    let (scene, mut draws) = (StreamFixture::new(), StreamCutRng(seed));
    scene.talker.push_steps((0..12).map(|_| draws.says()));
    let mut life = scene.life().await;
    let session = life.chat(false).await;
    let (mut client, mut sent) = (StreamTestReader::default(), 0);
    for _ in 0..24 {
        match draws.below(8) {
            0 | 1 if sent < 4 => {
                life.send_message(&session, "and now?").await;
                sent += 1;
            }
            2 => {
                drop(life);
                life = scene.life().await;
            }
            3 | 4 => tokio::time::sleep(Duration::from_millis(draws.below(60))).await,
            _ => {
                // Reads for a while, and is interrupted between any two frames.
                let mut reads = reader(&life, Some(&session), StreamReadStart::At(client.cursor)).await;
                let mut left = 1 + draws.size(12);
                while left > 0 {
                    let told = reads.read_available(true).await.unwrap();
                    let count = told.len().max(1).min(left);
                    left -= count;
                    told.into_iter().take(count).for_each(|told| client.apply_frame(told));
                    tokio::time::sleep(Duration::from_millis(draws.below(15))).await;
                }
            }
        }
    }
    // A stalled stream is cut.
    scene.talker.push_steps((0..20).map(|_| StreamingModelStep::All(envelope("The end.", 3))));
    let interrupt = entracte_application::use_cases::InterruptRound::new(life.mail_sender.clone());
    while life.phase(&session).await != "IDLE" {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let _nothing_to_interrupt = interrupt.run(&life.workspace, &session, "ann".into()).await;
    }
    let mut reads = reader(&life, Some(&session), StreamReadStart::At(client.cursor)).await;
    client.read_all(&mut reads).await;
    let stored = life.entries(&session).await;
    client.verify(&stored);
    let mut late = StreamTestReader::default();
    late.read_all(&mut reader(&life, Some(&session), StreamReadStart::At(Cursor::default())).await).await;
    late.verify(&stored);
    let ends = |client: &StreamTestReader| -> Vec<_> {
        client.attempts().into_iter().map(|(attempt, (_, ended))| (attempt, ended)).collect()
    };
    assert_eq!(ends(&client), ends(&late));
}

/// 30 histories; 500 with `ENTRACTE_LONG=1`.
#[tokio::test(start_paused = true)]
async fn stream_resumes_without_gap_or_repeat() {
    for seed in 1..=test_scale::scaled(30, 500) {
        println!("story {seed}");
        play(seed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn superseded_attempt_is_marked_after_kill() {
    let scene = StreamFixture::new();
    scene.talker.push_steps([
        StreamingModelStep::Stalls(vec![r#"{"pre_text": "At ni"#.into()]),
        StreamingModelStep::All(envelope("At nine.", 50)),
    ]);
    let life = scene.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "when?").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut client = StreamTestReader::default();
    client.read_all(&mut reader(&life, Some(&session), StreamReadStart::At(client.cursor)).await).await;
    let (attempt, (said, ended)) = client.attempts().pop_first().unwrap();
    assert_eq!((said.as_str(), ended), ("At ni", None));
    assert_eq!(client.cursor.spoken.unwrap().attempt, attempt);

    drop(life);
    let life = scene.life().await;
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    client.read_all(&mut reader(&life, Some(&session), StreamReadStart::At(client.cursor)).await).await;
    let attempts: Vec<_> = client.attempts().into_values().collect();
    let lost = entracte_application::stream::SupersessionReason::Lost;
    assert_eq!(attempts, [("At ni".into(), Some(Err(lost))), ("At nine.".into(), Some(Ok(())))]);
    client.verify(&life.entries(&session).await);
}

/// `Now` is the current position of the workspace; an attempt in progress is streamed from its beginning.
#[tokio::test(start_paused = true)]
async fn late_reader_gets_whole_current_attempt() {
    let scene = StreamFixture::new();
    scene.talker.push_steps([StreamingModelStep::All(envelope("At nine, as every day.", 4))]);
    let life = scene.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "when?").await;
    tokio::time::sleep(Duration::from_millis(35)).await;
    let mut client = StreamTestReader::default();
    let mut reads = reader(&life, Some(&session), StreamReadStart::Now).await;
    client.read_all(&mut reads).await;
    assert_eq!(client.entries(), Vec::<u64>::new());
    let (_, (said, _)) = client.attempts().pop_first().unwrap();
    assert!(!said.is_empty() && "At nine, as every day.".starts_with(&said), "{said}");
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    client.read_all(&mut reads).await;
    assert_eq!(client.attempts().pop_first().unwrap().1, ("At nine, as every day.".into(), Some(Ok(()))));
}

#[tokio::test(start_paused = true)]
async fn foreign_cursor_restarts_stream() {
    let scene = StreamFixture::new();
    let life = scene.life().await;
    let session = life.chat(false).await;
    let last = life.follow().last_entry_number(&life.workspace, &session).await.unwrap();
    let cases = [
        (format!("{}", last + 1), ResyncReason::Ahead),
        // No attempt started there.
        (format!("{last}.1.0"), ResyncReason::Timeline),
    ];
    for (cursor, why) in cases {
        let mut reads = reader(&life, Some(&session), cursor.parse().unwrap()).await;
        let told = reads.read_available(true).await.unwrap();
        assert!(matches!(told[0].frame, StreamFrame::Hello { .. }));
        assert_eq!(
            (told[1].at, &told[1].frame),
            (Some(Cursor { seq: last, spoken: None }), &StreamFrame::Resync(why))
        );
    }
}
