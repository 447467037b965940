//! PNG: dimensions, and removal of texts and EXIF.

use entracte_domain::file::PixelDimensions;

use super::StrippedImage;
use super::byte_reader::ByteReader;

/// The first bytes of every PNG.
pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Chunks that say where, when, by whom or with what an image was made.
const REMOVED: [&[u8]; 5] = [b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"];
/// Length, type and checksum of a chunk.
const CHUNK_FRAME: usize = 12;

/// Reads the dimensions and removes what is not the image; `None` if the chunks are damaged.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut reader = ByteReader::new(bytes.strip_prefix(SIGNATURE)?);
    let mut kept = SIGNATURE.to_vec();
    let mut dimensions = None;
    loop {
        let rest = reader.rest();
        let length = usize::try_from(reader.u32_be()?).ok()?;
        let kind = reader.take(4)?;
        let data = reader.take(length)?;
        reader.take(4)?;
        if dimensions.is_none() {
            dimensions = Some(header(kind, data)?);
        }
        if !REMOVED.contains(&kind) {
            kept.extend_from_slice(rest.get(..length.checked_add(CHUNK_FRAME)?)?);
        }
        if kind == b"IEND" {
            return Some(StrippedImage { dimensions: dimensions?, bytes: kept });
        }
    }
}

/// The dimensions in the first chunk.
fn header(kind: &[u8], data: &[u8]) -> Option<PixelDimensions> {
    let mut data = ByteReader::new(data);
    let (width, height) = (data.u32_be()?, data.u32_be()?);
    (kind == b"IHDR").then_some(PixelDimensions { width, height })
}
