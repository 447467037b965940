//! WebP: dimensions, and removal of EXIF, XMP and unknown chunks. Of EXIF the orientation stays.

use entracte_domain::file::PixelDimensions;

use super::byte_reader::ByteReader;
use super::{StrippedImage, exif};
use crate::ports::ExifOrientation;

/// Whether these are the first bytes of a WebP.
pub(super) fn is_webp(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")
}

/// Bits of the extended header that announce EXIF and XMP.
const ANNOUNCED: u8 = HAS_EXIF | 0x04;
/// The bit of the extended header that announces EXIF.
const HAS_EXIF: u8 = 0x08;
/// Where the flags of an extended header are behind the form type: it is the first chunk.
const FLAGS_AT: usize = 12;
/// Chunks that are the image.
const KEPT: [&[u8]; 7] = [b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"];

/// A chunk; one of odd length has a byte of padding.
struct RiffChunk<'a> {
    kind: &'a [u8],
    data: &'a [u8],
}

impl<'a> RiffChunk<'a> {
    fn read(reader: &mut ByteReader<'a>) -> Option<Self> {
        let kind = reader.take(4)?;
        let length = usize::try_from(reader.u32_le()?).ok()?;
        let data = reader.take(length)?;
        // Some writers leave the padding out at the end.
        reader.take((length % 2).min(reader.rest().len()))?;
        Some(Self { kind, data })
    }

    fn write(&self, kept: &mut Vec<u8>) -> Option<()> {
        kept.extend_from_slice(self.kind);
        kept.extend_from_slice(&u32::try_from(self.data.len()).ok()?.to_le_bytes());
        match (self.kind, self.data) {
            (b"VP8X", [flags, rest @ ..]) => {
                kept.push(flags & !ANNOUNCED);
                kept.extend_from_slice(rest);
            }
            _ => kept.extend_from_slice(self.data),
        }
        kept.resize(kept.len() + self.data.len() % 2, 0);
        Some(())
    }

    /// The size that the chunk claims, if it is one with pixels or the header of the whole.
    fn dimensions(&self) -> Option<PixelDimensions> {
        let mut data = ByteReader::new(self.data);
        let (width, height) = match self.kind {
            b"VP8X" => {
                data.take(4)?;
                (data.u24_le()? + 1, data.u24_le()? + 1)
            }
            b"VP8L" => {
                let is_lossless = data.u8()? == 0x2f;
                let bits = data.u32_le().filter(|_| is_lossless)?;
                ((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
            }
            b"VP8 " => {
                data.take(3)?;
                let is_key_frame = data.take(3)? == [0x9d, 0x01, 0x2a];
                let (width, height) = (data.u16_le()?, data.u16_le().filter(|_| is_key_frame)?);
                (u32::from(width & 0x3fff), u32::from(height & 0x3fff))
            }
            _ => return None,
        };
        Some(PixelDimensions { width, height })
    }

    /// Whether what the chunk shows fits into the whole. A frame of an animation has a place and chunks of its own.
    fn fits(&self, whole: PixelDimensions) -> Option<bool> {
        match self.kind {
            b"VP8 " | b"VP8L" => Some(is_within(self.dimensions()?, whole)),
            b"ANMF" => {
                let mut data = ByteReader::new(self.data);
                let (left, top) = (data.u24_le()? * 2, data.u24_le()? * 2);
                let frame = PixelDimensions { width: data.u24_le()? + 1, height: data.u24_le()? + 1 };
                let end = PixelDimensions { width: left + frame.width, height: top + frame.height };
                let mut fits = is_within(end, whole);
                data.take(4)?;
                while !data.rest().is_empty() {
                    let inner = RiffChunk::read(&mut data)?;
                    fits &= inner.dimensions().is_none_or(|inner| is_within(inner, frame));
                }
                Some(fits)
            }
            _ => Some(true),
        }
    }
}

const fn is_within(inner: PixelDimensions, outer: PixelDimensions) -> bool {
    inner.width <= outer.width && inner.height <= outer.height
}

/// Reads the dimensions and removes what is not the image; `None` if the chunks are damaged or one claims more pixels
/// than the whole.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut head = ByteReader::new(bytes.get(4..)?);
    let size = usize::try_from(head.u32_le()?).ok()?;
    let mut reader = ByteReader::new(bytes.get(12..size.checked_add(8)?)?);
    let mut kept = b"WEBP".to_vec();
    let (mut dimensions, mut orientation, mut frames) = (None, None, 0_u32);
    while !reader.rest().is_empty() {
        let chunk = RiffChunk::read(&mut reader)?;
        // The first chunk of the three kinds has the size of the whole.
        let whole = match dimensions {
            Some(whole) => whole,
            None => chunk.dimensions()?,
        };
        dimensions = Some(whole);
        if !chunk.fits(whole)? {
            return None;
        }
        if KEPT.contains(&chunk.kind) {
            chunk.write(&mut kept)?;
        }
        frames = frames.saturating_add(u32::from(chunk.kind == b"ANMF"));
        let is_extended = kept.get(4..8) == Some(b"VP8X");
        if chunk.kind == b"EXIF" && is_extended && orientation.is_none() {
            orientation = exif::orientation(chunk.data.strip_prefix(exif::HEADER).unwrap_or(chunk.data));
            if let Some(orientation) = orientation {
                *kept.get_mut(FLAGS_AT)? |= HAS_EXIF;
                RiffChunk { kind: b"EXIF", data: &exif::orientation_alone(orientation) }.write(&mut kept)?;
            }
        }
    }
    let mut whole = b"RIFF".to_vec();
    whole.extend_from_slice(&u32::try_from(kept.len()).ok()?.to_le_bytes());
    whole.append(&mut kept);
    let orientation = orientation.unwrap_or(ExifOrientation::UPRIGHT);
    Some(StrippedImage { dimensions: dimensions?, orientation, is_animated: frames > 1, bytes: whole })
}
