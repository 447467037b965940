//! Shapes of stream frames.

use entracte_application::journal::JournalEntry;
use entracte_application::stream::{PendingInteraction, SessionLevel, StreamFrame};
use entracte_domain::session::{JournalNote, LogAppend};
use serde_json::{Value, json};

use super::approved_plan::{PlanShape, PlanStepShape};
use super::iso;
use super::message::MessageShape;

/// The type of a frame, and its data, which includes the type.
pub fn shape(frame: &StreamFrame) -> (&'static str, Value) {
    match frame {
        StreamFrame::Hello { timeline, words } => {
            ("hello", json!({ "type": "hello", "timeline": timeline, "owner": "serve", "words": words }))
        }
        StreamFrame::Entry(told) => ("entry", entry(told)),
        StreamFrame::StreamStart { attempt, model_call, .. } => (
            "stream_start",
            json!({ "type": "stream_start", "attempt": attempt, "model_call": model_call.as_str() }),
        ),
        StreamFrame::StreamChunk { attempt, channel, offset, text } => (
            "stream_chunk",
            json!({
                "type": "stream_chunk",
                "attempt": attempt,
                "channel": channel.word(),
                "offset": offset,
                "text": text,
            }),
        ),
        StreamFrame::StreamComplete { attempt, bytes, digest, message } => (
            "stream_complete",
            json!({
                "type": "stream_complete",
                "attempt": attempt,
                "bytes": bytes,
                "sha256": digest.as_str(),
                "message": message.as_str(),
            }),
        ),
        StreamFrame::StreamSuperseded { attempt, reason } => (
            "stream_superseded",
            json!({ "type": "stream_superseded", "attempt": attempt, "reason": reason.word() }),
        ),
        StreamFrame::Changed(change) => (
            "changed",
            json!({
                "type": "changed",
                "seq": change.seq,
                "kind": change.kind.word(),
                "changed": change.id,
                "revision": change.revision,
                "gone": change.gone,
            }),
        ),
        StreamFrame::Session(level) => ("session", session(level)),
        StreamFrame::Resync(reason) => ("resync", json!({ "type": "resync", "reason": reason.word() })),
        // New frame types may be added. Readers ignore unknown types, and keep their cursor.
        _ => ("other", json!({ "type": "other" })),
    }
}

fn entry(entry: &JournalEntry) -> Value {
    let properties = entry.input.properties();
    let messages: Vec<MessageShape> = entry.messages().iter().map(MessageShape::from).collect();
    let notes = entry.appended.iter().filter_map(|appended| match appended {
        LogAppend::Note(told) => Some(note(told)),
        LogAppend::Message(_) => None,
    });
    json!({
        "type": "entry",
        "seq": entry.seq,
        "session": entry.session.as_str(),
        "sequence": entry.sequence,
        "at": iso(entry.at),
        "label": properties.kind.word(),
        "author": properties.author,
        "messages": messages,
        "notes": notes.collect::<Vec<_>>(),
        "plan": entry.appended.iter().filter_map(planned).collect::<Vec<_>>(),
    })
}

/// The plan information in an entry: the whole plan if one was approved, or the progress of a step.
fn planned(appended: &LogAppend) -> Option<Value> {
    match appended {
        LogAppend::Note(JournalNote::PlanApproved(plan)) => {
            Some(json!({ "approved": PlanShape::from(plan) }))
        }
        LogAppend::Note(JournalNote::PlanStepped { digest, step }) => {
            Some(json!({ "digest": digest.as_str(), "step": PlanStepShape::from(step) }))
        }
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    }
}

fn session(level: &SessionLevel) -> Value {
    let waiting = level.waiting.iter().map(|awaited| match awaited {
        PendingInteraction::Approval { id, digest } => {
            json!({ "approval": id.as_str(), "digest": digest.as_ref().map(|digest| digest.as_str()) })
        }
        PendingInteraction::Question { text } => json!({ "question": text }),
    });
    let calls = level.calls.iter().map(|call| {
        let progress = call.progress.as_ref();
        let progress = progress.map(|now| json!({ "text": now.text, "percent": now.percent }));
        json!({ "id": call.id.as_str(), "command": call.command, "state": call.state, "progress": progress })
    });
    json!({
        "type": "session",
        "session": level.session.as_str(),
        "phase": level.phase.word(),
        "standing": level.standing.word(),
        "place": level.place,
        "waiting": waiting.collect::<Vec<_>>(),
        "calls": calls.collect::<Vec<_>>(),
        "plan": level.plan.as_ref().map(PlanShape::from),
    })
}

/// The name of a journal note.
const fn note(note: &JournalNote) -> &'static str {
    match note {
        JournalNote::MessagesJoined(_) => "MessagesJoined",
        JournalNote::EnrichmentsExecuted => "EnrichmentsExecuted",
        JournalNote::RoundStarted { .. } => "RoundStarted",
        JournalNote::AttemptStarted { .. } => "AttemptStarted",
        JournalNote::AiResponseParsed => "AiResponseParsed",
        JournalNote::ParseErrorOccurred { .. } => "ParseErrorOccurred",
        JournalNote::DataQueriesExecuted => "DataQueriesExecuted",
        JournalNote::ActionsExecuted => "ActionsExecuted",
        JournalNote::ActionFailureOccurred => "ActionFailureOccurred",
        JournalNote::NetworkRetryScheduled { .. } => "NetworkRetryScheduled",
        JournalNote::RetryScheduled { .. } => "RetryScheduled",
        JournalNote::PassedThrough(_) => "PassedThrough",
        JournalNote::LimitReached(_) => "LimitReached",
        JournalNote::GenerationBegun(_) => "GenerationBegun",
        JournalNote::FellBack { .. } => "FellBack",
        JournalNote::ApprovedByPolicy { .. } => "ApprovedByPolicy",
        JournalNote::ApprovalAskedAgain { .. } => "ApprovalAskedAgain",
        JournalNote::ApprovedByRule { .. } => "ApprovedByRule",
        JournalNote::PlanApproved(_) => "PlanApproved",
        JournalNote::PlanStepped { .. } => "PlanStepped",
        JournalNote::WaitExpired => "WaitExpired",
        JournalNote::SessionSuspended => "SessionSuspended",
        JournalNote::SessionResumed => "SessionResumed",
        JournalNote::SessionParked => "SessionParked",
        JournalNote::ReplacedInQueue => "ReplacedInQueue",
        JournalNote::Quarantined => "Quarantined",
        JournalNote::ClosureDelayElapsed => "ClosureDelayElapsed",
        JournalNote::SessionCompleted { .. } => "SessionCompleted",
    }
}
