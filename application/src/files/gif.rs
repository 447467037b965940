//! GIF: dimensions, and removal of comments and of the data of applications.

use entracte_domain::file::PixelDimensions;

use super::StrippedImage;
use super::byte_reader::ByteReader;
use crate::ports::ExifOrientation;

/// The first bytes of a GIF, in its two versions.
pub(super) const SIGNATURES: [&[u8]; 2] = [b"GIF87a", b"GIF89a"];

const EXTENSION: u8 = 0x21;
const IMAGE: u8 = 0x2c;
const TRAILER: u8 = 0x3b;
const APPLICATION: u8 = 0xff;
const COMMENT: u8 = 0xfe;
/// Applications whose data say how often an animation repeats.
const LOOPS: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];

/// Reads the dimensions and removes what is not the image; `None` if the blocks are damaged or a frame is larger than
/// the whole.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut reader = ByteReader::new(bytes);
    reader.take(6)?;
    let dimensions = PixelDimensions { width: reader.u16_le()?.into(), height: reader.u16_le()?.into() };
    let flags = reader.u8()?;
    reader.take(2)?;
    reader.take(color_table(flags))?;
    let mut kept = bytes.get(..bytes.len() - reader.rest().len())?.to_vec();
    let mut frames = 0_u32;
    loop {
        let block = reader.rest();
        let is_kept = match reader.u8()? {
            IMAGE => {
                frame(&mut reader, dimensions)?;
                frames = frames.saturating_add(1);
                true
            }
            EXTENSION => extension(&mut reader)?,
            TRAILER => {
                kept.push(TRAILER);
                let orientation = ExifOrientation::UPRIGHT;
                return Some(StrippedImage { dimensions, orientation, is_animated: frames > 1, bytes: kept });
            }
            _ => return None,
        };
        if is_kept {
            kept.extend_from_slice(block.get(..block.len() - reader.rest().len())?);
        }
    }
}

/// The size of the colour table that these flags declare, in bytes.
fn color_table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 0x07) + 1) }
}

/// Reads past a frame; `None` if it does not fit into the whole.
fn frame(reader: &mut ByteReader<'_>, whole: PixelDimensions) -> Option<()> {
    let (left, top) = (reader.u16_le()?, reader.u16_le()?);
    let (own_width, own_height) = (reader.u16_le()?, reader.u16_le()?);
    let flags = reader.u8()?;
    reader.take(color_table(flags))?;
    reader.take(1)?;
    sub_blocks(reader)?;
    let (right, bottom) = (left.checked_add(own_width)?, top.checked_add(own_height)?);
    let fits = u32::from(right) <= whole.width && u32::from(bottom) <= whole.height;
    fits.then_some(())
}

/// Reads past an extension; returns whether it belongs to the image.
fn extension(reader: &mut ByteReader<'_>) -> Option<bool> {
    let label = reader.u8()?;
    let first = reader.rest();
    sub_blocks(reader)?;
    Some(match label {
        COMMENT => false,
        APPLICATION => LOOPS.iter().any(|name| first.get(1..=name.len()) == Some(*name)),
        _ => true,
    })
}

/// Reads past blocks of data up to the empty one.
fn sub_blocks(reader: &mut ByteReader<'_>) -> Option<()> {
    loop {
        match reader.u8()? {
            0 => return Some(()),
            length => reader.take(usize::from(length))?,
        };
    }
}
