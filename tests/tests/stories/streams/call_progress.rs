//! Calls that say how far they are while they run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{CallProgress, CallRequest, CommandExecutor, CommandSpec};
use entracte_application::stream::{SessionLevel, StreamFrame, StreamReadStart};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use serde_json::json;

use super::fixture::{StreamFixture, StreamingModelStep, envelope, reader};

/// The pause between two reports.
const STEP: Duration = Duration::from_secs(1);

/// Reads three pages, and says so.
struct PageReader;

#[async_trait]
impl CommandExecutor for PageReader {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({"type": "object", "additionalProperties": false});
        vec![CommandSpec::query("READ_PAGES", "pages.read", "Reads pages.", schema)]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        for (text, percent) in [("Page 1", Some(0)), ("Page\n2", Some(150)), ("Page 3", None)] {
            request.progress.report(CallProgress { text: text.to_owned(), percent });
            tokio::time::sleep(STEP).await;
        }
        CallOutcome::Succeeded { content: "read".into(), digest: sha256(b"read"), files: Vec::new() }
    }
}

fn shown(level: &SessionLevel) -> Option<String> {
    let [call] = level.calls.as_slice() else { return None };
    let progress = call.progress.as_ref().map(|now| format!("{} {:?}", now.text, now.percent));
    Some(format!("{} {}", call.state, progress.unwrap_or_default()))
}

/// Input: a call that reports its progress three times; expected: a reader gets the status of the session with each
/// report, one that begins in between gets the latest, and none is left once the call has ended.
#[tokio::test(start_paused = true)]
async fn progress_of_a_running_call_reaches_readers() {
    let scene = StreamFixture::with_executors(vec![Arc::new(PageReader)]);
    let asks = json!({"pre_text": "I read.", "queries": [{"type": "READ_PAGES", "params": {}}]}).to_string();
    scene
        .talker
        .push_steps([StreamingModelStep::All(vec![asks]), StreamingModelStep::All(envelope("Done.", 5))]);
    let life = scene.life().await;
    let session = life.chat(false).await;
    let mut reads = reader(&life, Some(&session), StreamReadStart::Now).await;
    life.send_message(&session, "Read them.").await;
    let (mut told, mut late) = (Vec::new(), None);
    while !told.contains(&"idle".to_owned()) {
        for frame in reads.wait_for_frames().await.unwrap() {
            let StreamFrame::Session(level) = frame.frame else { continue };
            told.extend(shown(&level));
            if level.phase.word() == "IDLE" && told.len() > 1 {
                told.push("idle".to_owned());
            }
        }
        if told.len() == 2 && late.is_none() {
            let mut second = reader(&life, Some(&session), StreamReadStart::Now).await;
            let mut frames = second.read_available(true).await.unwrap();
            frames.extend(second.read_available(true).await.unwrap());
            late = frames.into_iter().find_map(|frame| match frame.frame {
                StreamFrame::Session(level) => shown(&level),
                _ => None,
            });
        }
    }
    told.dedup();
    assert_eq!(
        told,
        ["started Page 1 Some(0)", "started Page ↵ 2 Some(100)", "started Page 3 None", "idle"],
        "the texts are on one line, and no part exceeds the whole"
    );
    assert_eq!(late.as_deref(), Some("started Page ↵ 2 Some(100)"));
    assert!(life.live.call_progress(&life.workspace, &session).is_empty());
}
