//! Bounds the size of one event of a stream, so that an event without an end cannot exhaust the memory.

use std::io::Error;

/// Counts the bytes since the last blank line, which ends an event.
#[derive(Debug)]
pub(super) struct EventSizeLimit {
    most: usize,
    bytes: usize,
    /// Whether the line that is being read is empty so far.
    is_line_empty: bool,
}

impl EventSizeLimit {
    /// At most `most` bytes an event.
    pub(super) fn new(most: usize) -> Self {
        Self { most, bytes: 0, is_line_empty: true }
    }

    /// Fails if an event in the next bytes is too large.
    pub(super) fn check(&mut self, chunk: &[u8]) -> Result<(), Error> {
        for byte in chunk {
            self.bytes += 1;
            match byte {
                b'\n' if self.is_line_empty => self.bytes = 0,
                b'\n' => self.is_line_empty = true,
                b'\r' => {}
                _ => self.is_line_empty = false,
            }
            if self.bytes > self.most {
                return Err(Error::other(format!("an event is larger than {} bytes", self.most)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_bounded_alone() {
        let mut limit = EventSizeLimit::new(10);
        for chunk in ["data: a\r", "\n\r\ndata: b\n\n", "data: c\n", "\ndata: d"] {
            limit.check(chunk.as_bytes()).unwrap();
        }
        assert!(limit.check(b"eeee").is_err());
    }
}
