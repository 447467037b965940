//! WebP: dimensions, and removal of EXIF and XMP.

use entracte_domain::file::PixelDimensions;

use super::StrippedImage;
use super::byte_reader::ByteReader;

/// Whether these are the first bytes of a WebP.
pub(super) fn is_webp(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")
}

/// Bits of the extended header that announce EXIF and XMP.
const ANNOUNCED: u8 = 0x08 | 0x04;

/// Reads the dimensions and removes what is not the image; `None` if the chunks are damaged.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut head = ByteReader::new(bytes.get(4..)?);
    let size = usize::try_from(head.u32_le()?).ok()?;
    let mut reader = ByteReader::new(bytes.get(12..size.checked_add(8)?)?);
    let mut kept = b"WEBP".to_vec();
    let mut dimensions = None;
    while !reader.rest().is_empty() {
        let kind = reader.take(4)?;
        let length = usize::try_from(reader.u32_le()?).ok()?;
        let data = reader.take(length)?;
        // A chunk of odd length has a byte of padding, which some writers leave out at the end.
        let padding = length % 2;
        reader.take(padding.min(reader.rest().len()))?;
        // The first chunk of the three kinds has the size of the whole.
        if dimensions.is_none() {
            dimensions = Some(header(kind, data)?);
        }
        if matches!(kind, b"EXIF" | b"XMP ") {
            continue;
        }
        kept.extend_from_slice(kind);
        kept.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
        match (kind, data) {
            (b"VP8X", [flags, rest @ ..]) => {
                kept.push(flags & !ANNOUNCED);
                kept.extend_from_slice(rest);
            }
            _ => kept.extend_from_slice(data),
        }
        kept.resize(kept.len() + padding, 0);
    }
    let mut whole = b"RIFF".to_vec();
    whole.extend_from_slice(&u32::try_from(kept.len()).ok()?.to_le_bytes());
    whole.append(&mut kept);
    Some(StrippedImage { dimensions: dimensions?, bytes: whole })
}

/// The dimensions in the first chunk.
fn header(kind: &[u8], data: &[u8]) -> Option<PixelDimensions> {
    let mut data = ByteReader::new(data);
    let (width, height) = match kind {
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
