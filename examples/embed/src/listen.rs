//! The words of a model while they come, beside whatever else is waited for.

use std::pin::pin;

use entracte_application::stream::{Channel, Frame};
use entracte_application::use_cases::{EventReader, UseCaseError};

/// Shows what is said until something else is done; gives what came of that. A reader may be broken off at any time and
/// goes on where it was.
pub(crate) async fn listen<T>(
    mut reader: EventReader,
    until: impl Future<Output = T>,
    mut show: impl FnMut(&str),
) -> Result<T, UseCaseError> {
    let (mut until, mut done) = (pin!(until), None);
    loop {
        let told = match done {
            Some(_) => reader.next(true).await?, // What was said last.
            None => tokio::select! {
                told = reader.more() => told?,
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
            if let Frame::StreamChunk { channel: Channel::Text, text, .. } = told.frame {
                show(&text);
            }
        }
    }
}
