//! Decoder of server-sent events: bytes in, frames out.
//!
//! Pure. Accepts any chunking, even in the middle of a character or of a CR LF pair. A frame is returned once its
//! closing blank line arrives. Some servers leave out the last one: at the end of a stream
//! [`SseDecoder::take_unterminated_frame`] returns the rest, and the caller finds out whether it is complete. Bytes
//! that are not UTF-8 are an error and are never replaced. The content of frames is not interpreted.

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseFrame {
    /// The event name, if the server sent one.
    pub event: Option<String>,
    /// The data; several lines are joined by a line feed.
    pub data: String,
}

/// Error in the framing of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseFrameFault {
    /// A frame is larger than the limit: the server sends something other than events.
    TooLarge {
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// A line is not UTF-8: it was damaged in transit.
    NotText,
}

/// Collects bytes until frames are complete.
#[derive(Debug)]
pub struct SseDecoder {
    line: Vec<u8>,
    frame: SseFrame,
    has_data: bool,
    frame_bytes: usize,
    limit_bytes: usize,
    after_carriage_return: bool,
    at_start: bool,
}

impl SseDecoder {
    /// A decoder whose frames may have `limit_bytes` each.
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            line: Vec::new(),
            frame: SseFrame::default(),
            has_data: false,
            frame_bytes: 0,
            limit_bytes,
            after_carriage_return: false,
            at_start: true,
        }
    }

    /// Takes the next bytes and returns the frames that they complete.
    ///
    /// # Errors
    /// [`SseFrameFault`] if the bytes cannot be framed; nothing that follows can be decoded then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseFrame>, SseFrameFault> {
        let mut frames = Vec::new();
        let mut bytes = bytes;
        if self.after_carriage_return && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_carriage_return = false;
        }
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.keep(line)?;
            if end.is_some() {
                frames.extend(self.end_line()?);
            }
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => rest,
            };
            self.after_carriage_return = bytes.is_empty() && rest.ends_with(b"\r");
        }
        Ok(frames)
    }

    /// The last frame of a stream that ended without a blank line, if any. It may be cut.
    ///
    /// # Errors
    /// [`SseFrameFault`] if its last line is not UTF-8.
    pub fn take_unterminated_frame(&mut self) -> Result<Option<SseFrame>, SseFrameFault> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        Ok(self.end_frame())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseFrameFault> {
        self.frame_bytes += bytes.len();
        if self.frame_bytes > self.limit_bytes {
            return Err(SseFrameFault::TooLarge { limit_bytes: self.limit_bytes });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<SseFrame>, SseFrameFault> {
        let mut kept = std::mem::take(&mut self.line);
        let mut line = kept.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.end_frame());
        }
        let line = std::str::from_utf8(line).map_err(|_| SseFrameFault::NotText)?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        self.field(field, value.strip_prefix(' ').unwrap_or(value));
        // The allocation is reused for the next line.
        kept.clear();
        self.line = kept;
        Ok(None)
    }

    fn field(&mut self, field: &str, value: &str) {
        match field {
            "event" => self.frame.event = Some(value.to_owned()),
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            // Comments (an empty field name), `id` and `retry` are not used.
            _ => {}
        }
    }

    fn end_frame(&mut self) -> Option<SseFrame> {
        self.frame_bytes = 0;
        let frame = std::mem::take(&mut self.frame);
        std::mem::take(&mut self.has_data).then_some(frame)
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frames(chunks: &[&[u8]]) -> Vec<SseFrame> {
        let mut decoder = SseDecoder::new(1024);
        chunks.iter().flat_map(|chunk| decoder.push(chunk).unwrap()).collect()
    }

    fn frame(event: &str, data: &str) -> SseFrame {
        SseFrame { event: Some(event.to_owned()), data: data.to_owned() }
    }

    #[test]
    fn every_line_end_closes_a_line() {
        for text in ["event: a\ndata: 1\n\n", "event: a\r\ndata: 1\r\n\r\n", "event: a\rdata: 1\r\r"] {
            assert_eq!(frames(&[text.as_bytes()]), vec![frame("a", "1")], "{text:?}");
        }
    }

    #[test]
    fn comments_ids_and_empty_events_yield_nothing() {
        assert_eq!(frames(&[b": ping\n\nid: 1\nretry: 5\n\nevent: x\n\n"]), vec![]);
    }

    #[test]
    fn data_lines_are_joined_without_leading_space() {
        let got = frames(&[b"\xef\xbb\xbfdata:  a\ndata:b\ndata\n\n"]);
        assert_eq!(got, vec![SseFrame { event: None, data: " a\nb\n".to_owned() }]);
    }

    #[test]
    fn unterminated_frame_is_not_returned() {
        assert_eq!(frames(&[b"data: [DONE]\n"]), vec![]);
    }

    #[test]
    fn rest_is_the_unterminated_frame() {
        for (text, expected) in [
            ("data: 1\n\ndata: 2\n", Some("2")),
            ("data: 1\n\ndata: 2", Some("2")),
            ("data: 1\n\nevent: x\n", None),
            ("data: 1\n\n", None),
            ("", None),
        ] {
            let mut decoder = SseDecoder::new(1024);
            decoder.push(text.as_bytes()).unwrap();
            let rest = decoder.take_unterminated_frame().unwrap();
            assert_eq!(rest.as_ref().map(|frame| frame.data.as_str()), expected, "{text:?}");
            assert_eq!(decoder.take_unterminated_frame(), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn only_single_frames_count_against_limit() {
        let mut decoder = SseDecoder::new(8);
        for _ in 0..100 {
            assert_eq!(decoder.push(b"data: a\n\n").unwrap().len(), 1);
        }
        assert_eq!(decoder.push(b"data: abc"), Err(SseFrameFault::TooLarge { limit_bytes: 8 }));
    }

    #[test]
    fn invalid_utf_8_is_an_error() {
        for damaged in [&b"data: a\xff\n\n"[..], b"dat\xc3a: 1\n\n", b"data: \xed\xa0\x80\n\n"] {
            assert_eq!(SseDecoder::new(64).push(damaged), Err(SseFrameFault::NotText), "{damaged:?}");
        }
    }

    proptest! {
        #[test]
        fn chunking_changes_nothing(cuts in proptest::collection::vec(0usize..70, 0..8)) {
            let text = "event: é\r\ndata: naïve 漢字 🎉\r\n\r\n: c\rdata: 2\r\r\ndata: 3\n\n".as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(frames(&chunks), frames(&[text]));
        }

        #[test]
        fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = SseDecoder::new(64).push(&bytes);
        }
    }
}
