//! Prints the words of a model as they stream, while another future runs.

use std::pin::pin;

use entracte_application::stream::{ReplyChannel, StreamFrame};
use entracte_application::use_cases::{EventReader, UseCaseError};

/// Shows the streamed text until the future `until` ends, and returns its output. A reader may be dropped at any time;
/// it resumes at its last position.
pub(crate) async fn listen<T>(
    mut reader: EventReader,
    until: impl Future<Output = T>,
    mut show: impl FnMut(&str),
) -> Result<T, UseCaseError> {
    let (mut until, mut done) = (pin!(until), None);
    loop {
        let told = match done {
            Some(_) => reader.read_available(true).await?, // The last frames.
            None => tokio::select! {
                told = reader.wait_for_frames() => told?,
                end = &mut until => {
                    done = Some(end);
                    continue;
                }
            },
        };
        if let Some(end) = done.take_if(|_| told.is_empty()) {
            return Ok(end);
        }
        for told in told {
            if let StreamFrame::StreamChunk { channel: ReplyChannel::Text, text, .. } = told.frame {
                show(&text);
            }
        }
    }
}
