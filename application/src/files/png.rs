//! PNG: dimensions, and removal of texts, EXIF and whatever else a picture is shown without. Of EXIF the orientation stays.

use entracte_domain::file::PixelDimensions;

use super::byte_reader::ByteReader;
use super::{StrippedImage, exif};
use crate::ports::ExifOrientation;

/// The first bytes of every PNG.
pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Chunks that are the image: its header, pixels, colours, density and animation.
const KEPT: [&[u8]; 18] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP",
    b"mDCV", b"cLLI", b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT",
];
const EXIF: &[u8] = b"eXIf";
/// Length, type and checksum of a chunk.
const CHUNK_FRAME: usize = 12;

/// Reads the dimensions and removes what is not the image; `None` if the chunks are damaged or one is unknown without
/// which the image cannot be shown.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut reader = ByteReader::new(bytes.strip_prefix(SIGNATURE)?);
    let mut kept = SIGNATURE.to_vec();
    let (mut dimensions, mut orientation, mut frames) = (None, None, 1);
    loop {
        let rest = reader.rest();
        let length = usize::try_from(reader.u32_be()?).ok()?;
        let kind = reader.take(4)?;
        let data = reader.take(length)?;
        reader.take(4)?;
        let is_header = kind == b"IHDR";
        // The header is the first chunk, and no other is one: decoders differ about which of two counts.
        if is_header == dimensions.is_some() {
            return None;
        }
        if is_header {
            dimensions = Some(header(data)?);
        }
        if kind == b"acTL" {
            frames = ByteReader::new(data).u32_be()?;
        }
        if kind == EXIF && orientation.is_none() {
            orientation = exif::orientation(data);
            kept.extend(orientation.map(orientation_chunk).unwrap_or_default());
        }
        if KEPT.contains(&kind) {
            kept.extend_from_slice(rest.get(..length.checked_add(CHUNK_FRAME)?)?);
        } else if kind.first().is_some_and(u8::is_ascii_uppercase) {
            return None;
        }
        if kind == b"IEND" {
            return Some(StrippedImage {
                dimensions: dimensions?,
                orientation: orientation.unwrap_or(ExifOrientation::UPRIGHT),
                is_animated: frames > 1,
                bytes: kept,
            });
        }
    }
}

fn header(data: &[u8]) -> Option<PixelDimensions> {
    let mut data = ByteReader::new(data);
    Some(PixelDimensions { width: data.u32_be()?, height: data.u32_be()? })
}

/// A chunk of EXIF with nothing but an orientation.
fn orientation_chunk(orientation: ExifOrientation) -> Vec<u8> {
    let content = [EXIF, &exif::orientation_alone(orientation)].concat();
    // The four bytes of the type do not count.
    let length = u32::try_from(content.len() - EXIF.len()).unwrap_or_default();
    [&length.to_be_bytes()[..], &content, &checksum(&content).to_be_bytes()].concat()
}

/// The CRC-32 of the type and the data of a chunk.
fn checksum(content: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !content.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}
