/// Reads numbers and slices from the start of bytes; `None` at their end.
#[derive(Clone, Copy)]
pub(super) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16_be(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32_be(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Three bytes, lowest first.
    pub(super) fn u24_le(&mut self) -> Option<u32> {
        let [low, middle, high] = self.array()?;
        Some(u32::from_le_bytes([low, middle, high, 0]))
    }
}
