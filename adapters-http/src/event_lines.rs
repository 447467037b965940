//! Reads server-sent events line by line, whatever pieces their bytes come in.

/// Longest line of a stream (16 MiB); an entry with the largest result is shorter.
const LINE_MAX: usize = 16 * 1024 * 1024;

/// Why a stream cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineFault {
    /// A line is not UTF-8.
    #[error("a line is not UTF-8")]
    NotText,
    /// A line is longer than any of Entracte.
    #[error("a line has no end")]
    Endless,
}

/// Splits bytes into complete lines.
#[derive(Default)]
pub(crate) struct LineBuffer {
    begun: Vec<u8>,
}

impl LineBuffer {
    /// Takes more bytes, and returns the lines that are complete now, without their ends.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LineFault> {
        let mut whole = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = String::from_utf8(std::mem::take(&mut self.begun));
            whole.push(line.map_err(|_| LineFault::NotText)?);
        }
        self.begun.extend_from_slice(rest);
        if self.begun.len() > LINE_MAX {
            return Err(LineFault::Endless);
        }
        Ok(whole)
    }
}
