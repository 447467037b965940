//! Streams the events of a run until the session rests or waits for a person.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use entracte_application::stream::CursorFrame;
use entracte_application::texts::{ReaderLanguage, saying};
use entracte_domain::id::{SessionId, WorkspaceKey};
use futures_util::stream::unfold;

use super::{interrupt_values, open_interrupts};
use crate::agui::{AguiActivity, AguiEventWriter};
use crate::problem::Problem;
use crate::server_state::ServerState;
use crate::stream::{LogStream, StreamSignal, end_reason_of_error, event_stream_response};

/// A run with its event writer and log stream.
pub(super) struct AguiRunStream {
    pub(super) state: Arc<ServerState>,
    pub(super) workspace: WorkspaceKey,
    pub(super) session: SessionId,
    pub(super) reader: ReaderLanguage,
    pub(super) telling: LogStream,
    pub(super) writer: AguiEventWriter,
    pub(super) is_over: bool,
}

/// The streaming response of a run.
pub(super) fn run_response(run: AguiRunStream) -> Response {
    let told = unfold(run, |mut run| async move {
        let text = run.next().await?;
        Some((Ok::<Bytes, Infallible>(Bytes::from(text)), run))
    });
    event_stream_response(Body::from_stream(told))
}

/// The response of a run that was refused.
pub(super) fn run_refusal_response(mut writer: AguiEventWriter, problem: &Problem) -> Response {
    let current = problem.current().and_then(|current| serde_json::from_str(current.get()).ok());
    writer.fail(problem.code().word(), problem.detail(), current);
    event_stream_response(Body::from(writer.take_output()))
}

impl AguiRunStream {
    async fn next(&mut self) -> Option<String> {
        loop {
            let written = self.writer.take_output();
            if !written.is_empty() {
                return Some(written);
            }
            if self.is_over {
                return None;
            }
            match self.telling.next_signal().await {
                Some(StreamSignal::Told(told)) => self.tell(&told),
                // A session stream has no such lists.
                Some(StreamSignal::Changed(_)) => {}
                Some(StreamSignal::Beat) => self.writer.write_heartbeat(),
                Some(StreamSignal::Goodbye(reason, _)) => self.fail_on_stream_end(reason),
                None => self.is_over = true,
            }
            if !self.is_over && self.writer.session_activity() != AguiActivity::Works {
                self.finish_if_idle().await;
            }
        }
    }

    fn tell(&mut self, told: &[CursorFrame]) {
        told.iter().for_each(|told| self.writer.write_frame(&told.frame));
    }

    /// Ends the run if its session is idle. The session is read after the frames so far, and frames in between are
    /// written first.
    async fn finish_if_idle(&mut self) {
        loop {
            match self.telling.read_available().await {
                Ok(told) if told.is_empty() => break,
                Ok(told) => self.tell(&told),
                Err(error) => return self.fail_on_stream_end(end_reason_of_error(&error).0),
            }
        }
        match self.writer.session_activity() {
            AguiActivity::Works => {}
            AguiActivity::Rests => {
                let outcome = self.writer.outcome();
                self.writer.finish(&outcome);
                self.is_over = true;
            }
            AguiActivity::Waits => {
                match open_interrupts(&self.state, &self.workspace, &self.session, self.reader).await {
                    // A decision came in between; the next frames show the new state.
                    Ok(open) if open.is_empty() => {}
                    Ok(open) => {
                        self.writer.interrupt(interrupt_values(open));
                        self.is_over = true;
                    }
                    Err(problem) => {
                        self.writer.fail(problem.code().word(), problem.detail(), None);
                        self.is_over = true;
                    }
                }
            }
        }
    }

    /// Ends the run with an error because the stream ends first. The session continues: the next run sends what was
    /// missed.
    fn fail_on_stream_end(&mut self, reason: &str) {
        let text = saying!("refusal-stream-ends", why = reason);
        self.writer.fail(reason, &text.into(), None);
        self.is_over = true;
    }
}
