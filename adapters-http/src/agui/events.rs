//! Translates stream frames into the events of an AG-UI run.

use entracte_application::json_value::{ExactJson, to_text};
use entracte_application::stream::{ReplyChannel, SessionLevel, StreamFrame};
use entracte_application::texts::{LocalizedTexts, RefusalText, saying};
use entracte_domain::id::SessionId;
use entracte_domain::plan::Plan;
use entracte_domain::session::{PhaseLabel, Standing};
use entracte_domain::value::JsonValue;
use serde_json::{Value, json};

use super::transcript::{
    AguiRunOutcome, AguiTranscript, TranscriptItem, TranscriptReply, items, outcome, reply_id,
};
use super::{PROTOCOL, with_member};
use crate::shapes::approved_plan::PlanShape;
use crate::shapes::frame::SessionLevelShape;

/// Whether a session continues without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AguiActivity {
    /// The session is working.
    Works,
    /// The session waits for a person.
    Waits,
    /// The session rests.
    Rests,
}

/// Writes the events of one run.
pub(crate) struct AguiEventWriter {
    thread: String,
    run: String,
    /// The texts in the language of the client.
    texts: &'static LocalizedTexts,
    session: SessionId,
    /// The conversation already sent, by this run or before.
    transcript: AguiTranscript,
    /// The plan in the latest state event.
    plan: Option<Plan>,
    /// The round of the current step.
    step: Option<u32>,
    /// Message id of the model call that is streaming.
    speaks: String,
    /// Whether any text of that call was sent.
    spoke: bool,
    text_is_open: bool,
    thoughts_are_open: bool,
    outcome: AguiRunOutcome,
    /// The answers of the client that came late, with what became of their interrupts.
    late: Vec<Value>,
    rest: AguiActivity,
    out: String,
}

impl AguiEventWriter {
    /// A writer for a run of a thread, given the transcript that its client knows.
    pub(crate) fn new(
        thread: &str,
        run: &str,
        session: SessionId,
        transcript: AguiTranscript,
        texts: &'static LocalizedTexts,
    ) -> Self {
        let mut writer = Self {
            thread: thread.to_owned(),
            run: run.to_owned(),
            texts,
            session,
            transcript,
            plan: None,
            step: None,
            speaks: String::new(),
            spoke: false,
            text_is_open: false,
            thoughts_are_open: false,
            outcome: AguiRunOutcome::Done,
            late: Vec::new(),
            rest: AguiActivity::Works,
            out: String::new(),
        };
        let (thread, run) = (writer.thread.clone(), writer.run.clone());
        writer.event(json!({
            "type": "RUN_STARTED", "threadId": thread, "runId": run, "protocolVersion": PROTOCOL,
        }));
        writer
    }

    /// Returns the server-sent events written since the last call.
    pub(crate) fn take_output(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// The session's activity according to the latest level frame.
    pub(crate) fn session_activity(&self) -> AguiActivity {
        self.rest
    }

    /// The outcome of the run according to the frames so far.
    pub(crate) fn outcome(&self) -> AguiRunOutcome {
        self.outcome.clone()
    }

    /// Reports these answers in the result of the run: somebody else was faster.
    pub(crate) fn report_late_answers(&mut self, late: Vec<Value>) {
        self.late = late;
    }

    /// Sends the whole conversation; the client then discards everything else.
    pub(crate) fn snapshot(&mut self) {
        let messages = self.transcript.messages().to_vec();
        self.event(json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages }));
    }

    /// Writes a heartbeat comment.
    pub(crate) fn write_heartbeat(&mut self) {
        self.out.push_str(": beat\n\n");
    }

    /// Writes the events of a frame.
    pub(crate) fn write_frame(&mut self, frame: &StreamFrame) {
        match frame {
            StreamFrame::Hello { .. } | StreamFrame::Changed(_) => {}
            StreamFrame::StreamStart { number, .. } => {
                self.begin_step(number.round);
                self.speaks = reply_id(&self.session, *number);
                self.spoke = false;
            }
            StreamFrame::StreamChunk { channel: ReplyChannel::Text, text, .. } => self.text(text),
            StreamFrame::StreamChunk { channel: ReplyChannel::Reasoning, text, .. } => self.thoughts(text),
            StreamFrame::Entry(entry) => {
                self.outcome = outcome(entry).unwrap_or_else(|| self.outcome());
                items(entry).iter().for_each(|item| self.item(item));
            }
            StreamFrame::StreamComplete { .. } => self.close(),
            StreamFrame::StreamSuperseded { .. } => {
                self.close();
                // The superseded text is void: the snapshot removes it from the client.
                if self.spoke {
                    self.snapshot();
                }
            }
            StreamFrame::Session(level) => self.level(level),
            StreamFrame::Resync(why) => {
                self.outcome = AguiRunOutcome::Failed {
                    code: "resync".to_owned(),
                    text: saying!("refusal-stream-resync", why = why.word()).into(),
                };
                self.rest = AguiActivity::Rests;
            }
            // New frame types may be added; unknown ones have no AG-UI event.
            _ => {}
        }
    }

    /// Ends the run: done, cancelled or failed.
    pub(crate) fn finish(&mut self, outcome: &AguiRunOutcome) {
        match outcome {
            AguiRunOutcome::Done => self.finished("success", None),
            AguiRunOutcome::Cancelled => self.finished("cancelled", None),
            AguiRunOutcome::Failed { code, text } => self.fail(code, text, None),
        }
    }

    /// Ends the run because it waits for a person. The facts to decide by are already sent.
    pub(crate) fn interrupt(&mut self, interrupts: Vec<ExactJson>) {
        self.close();
        self.snapshot();
        let interrupts = interrupts.into_iter().map(|interrupt| interrupt.0).collect();
        self.finished("interrupt", Some(JsonValue::List(interrupts)));
    }

    /// Ends the run with an error; `current` is the current state.
    pub(crate) fn fail(&mut self, code: &str, text: &RefusalText, current: Option<ExactJson>) {
        self.close();
        let text = text.render(self.texts);
        let event = json!({ "type": "RUN_ERROR", "message": text, "code": code });
        let Some(ExactJson(current)) = current else { return self.event(event) };
        let metadata = JsonValue::from([("entracte", JsonValue::from([("current", current)]))]);
        self.exact_event(&with_member(&event, "metadata", metadata));
    }

    /// Ends the run; `interrupts` are those of an interrupted one.
    fn finished(&mut self, kind: &str, interrupts: Option<JsonValue>) {
        self.close();
        self.end_step();
        let (thread, run) = (self.thread.clone(), self.run.clone());
        let mut event = json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": run });
        if !self.late.is_empty() {
            event["result"] = json!({ "lateAnswers": std::mem::take(&mut self.late) });
        }
        let kind = JsonValue::from(kind);
        let outcome = match interrupts {
            Some(interrupts) => JsonValue::from([("interrupts", interrupts), ("type", kind)]),
            None => JsonValue::from([("type", kind)]),
        };
        self.exact_event(&with_member(&event, "outcome", outcome));
    }

    fn item(&mut self, item: &TranscriptItem) {
        match item {
            TranscriptItem::Said { id, role, text } => {
                // The client already has its own message, under the id that it chose.
                if !self.transcript.has(id) {
                    self.message(id, role, text);
                }
            }
            TranscriptItem::Replied(reply) => self.reply(reply),
            TranscriptItem::Result { id, call, command, content } => {
                if !self.transcript.has_call(call) {
                    self.call(call, command, "{}", None);
                }
                self.event(json!({
                    "type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": content, "role": "tool",
                }));
            }
        }
        self.transcript.push(item);
    }

    fn reply(&mut self, reply: &TranscriptReply) {
        self.close();
        for call in &reply.calls {
            self.call(&call.id, &call.command, &call.arguments, Some(&reply.id));
        }
        if !reply.plan.is_empty() {
            let id = format!("plan_{}", self.session.stem());
            let content = json!({ "steps": reply.plan });
            self.event(json!({
                "type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": "PLAN", "content": content,
                "replace": true,
            }));
        }
    }

    fn call(&mut self, id: &str, command: &str, arguments: &str, of: Option<&str>) {
        let mut start = json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": command });
        if let Some(of) = of {
            start["parentMessageId"] = Value::from(of);
        }
        self.event(start);
        self.event(json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments }));
        self.event(json!({ "type": "TOOL_CALL_END", "toolCallId": id }));
    }

    fn message(&mut self, id: &str, role: &str, text: &str) {
        self.event(json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": role }));
        self.event(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }));
        self.event(json!({ "type": "TEXT_MESSAGE_END", "messageId": id }));
    }

    fn text(&mut self, text: &str) {
        let id = self.speaks.clone();
        self.spoke = true;
        if !std::mem::replace(&mut self.text_is_open, true) {
            self.event(json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" }));
        }
        self.event(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }));
    }

    fn thoughts(&mut self, text: &str) {
        let id = self.thoughts_id();
        if !std::mem::replace(&mut self.thoughts_are_open, true) {
            self.event(json!({ "type": "REASONING_START", "messageId": id }));
            self.event(json!({ "type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning" }));
        }
        self.event(json!({ "type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": text }));
    }

    /// Ends the open text and reasoning messages.
    fn close(&mut self) {
        if std::mem::take(&mut self.text_is_open) {
            let id = self.speaks.clone();
            self.event(json!({ "type": "TEXT_MESSAGE_END", "messageId": id }));
        }
        if std::mem::take(&mut self.thoughts_are_open) {
            let id = self.thoughts_id();
            self.event(json!({ "type": "REASONING_MESSAGE_END", "messageId": id }));
            self.event(json!({ "type": "REASONING_END", "messageId": id }));
        }
    }

    fn thoughts_id(&self) -> String {
        format!("{}.reasoning", self.speaks)
    }

    fn begin_step(&mut self, round: u32) {
        if self.step == Some(round) {
            return;
        }
        self.end_step();
        self.step = Some(round);
        self.event(json!({ "type": "STEP_STARTED", "stepName": format!("round {round}") }));
    }

    fn end_step(&mut self) {
        if let Some(round) = self.step.take() {
            self.event(json!({ "type": "STEP_FINISHED", "stepName": format!("round {round}") }));
        }
    }

    fn level(&mut self, level: &SessionLevel) {
        self.rest = activity_of_level(level);
        if level.standing == Standing::Parked {
            let text = saying!("refusal-session-parked").into();
            self.outcome = AguiRunOutcome::Failed { code: "parked".to_owned(), text };
        }
        let snapshot = SessionLevelShape::from(level);
        self.event(json!({ "type": "STATE_SNAPSHOT", "snapshot": snapshot }));
        self.progress(level);
    }

    /// Sends the approved plan and its progress, if they changed.
    fn progress(&mut self, level: &SessionLevel) {
        if self.plan == level.plan {
            return;
        }
        self.plan.clone_from(&level.plan);
        let Some(plan) = &level.plan else { return };
        let id = format!("approved_plan_{}", self.session.stem());
        let content = json!(PlanShape::from(plan));
        self.event(json!({
            "type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": "PLAN_PROGRESS", "content": content,
            "replace": true,
        }));
    }

    fn event(&mut self, event: Value) {
        // Serialized JSON contains no line breaks.
        self.out.push_str(&format!("data: {event}\n\n"));
    }

    /// Writes an event whose numbers keep their digits.
    fn exact_event(&mut self, event: &JsonValue) {
        self.out.push_str(&format!("data: {}\n\n", to_text(event)));
    }
}

/// The activity of a session in this level. It waits as soon as an agent below it does, whatever else runs: a person is
/// asked at once.
fn activity_of_level(level: &SessionLevel) -> AguiActivity {
    match level.standing {
        Standing::Parked | Standing::Ended | Standing::Template => return AguiActivity::Rests,
        Standing::Open | Standing::Active | Standing::Queued | Standing::Suspended => {}
    }
    if !level.waiting.is_empty() {
        return AguiActivity::Waits;
    }
    match level.phase {
        PhaseLabel::WaitingValidation | PhaseLabel::WaitingCommunicationResponse => AguiActivity::Waits,
        PhaseLabel::Idle
        | PhaseLabel::Completed
        | PhaseLabel::WaitingTask
        | PhaseLabel::WaitingCompletionConfirmation
        | PhaseLabel::AwaitingSessionClosure => AguiActivity::Rests,
        PhaseLabel::ExecutingEnrichments
        | PhaseLabel::CallingAi
        | PhaseLabel::ParsingAiResponse
        | PhaseLabel::ExecutingDataQueries
        | PhaseLabel::ExecutingActions
        | PhaseLabel::WaitingNetworkRetry
        | PhaseLabel::RetryingAfterFormatError
        | PhaseLabel::RetryingAfterActionFailure
        | PhaseLabel::CompactingContext => AguiActivity::Works,
    }
}
