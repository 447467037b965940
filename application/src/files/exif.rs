//! The orientation in EXIF: all that stays of it. Without it a picture of a phone would lie on its side.

use super::byte_reader::ByteReader;
use crate::ports::ExifOrientation;

/// What begins EXIF in a JPEG, and in a WebP of some writers; the directories of a TIFF follow.
pub(super) const HEADER: &[u8] = b"Exif\0\0";

/// The tag of the orientation in the first directory.
const ORIENTATION: u16 = 0x0112;

/// The orientation in a TIFF, if it is another than upright.
pub(super) fn orientation(tiff: &[u8]) -> Option<ExifOrientation> {
    let is_little = match tiff.get(..2)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let u16_of = |reader: &mut ByteReader<'_>| if is_little { reader.u16_le() } else { reader.u16_be() };
    let u32_of = |reader: &mut ByteReader<'_>| if is_little { reader.u32_le() } else { reader.u32_be() };
    let mut head = ByteReader::new(tiff.get(4..)?);
    let directory = usize::try_from(u32_of(&mut head)?).ok()?;
    let mut entries = ByteReader::new(tiff.get(directory..)?);
    let count = u16_of(&mut entries)?;
    for _ in 0..count {
        let mut entry = ByteReader::new(entries.take(12)?);
        let (tag, kind, _number) = (u16_of(&mut entry)?, u16_of(&mut entry)?, u32_of(&mut entry)?);
        if tag == ORIENTATION && kind == 3 {
            let value = u8::try_from(u16_of(&mut entry)?).ok()?;
            return ExifOrientation::from_exif(value).filter(|found| *found != ExifOrientation::UPRIGHT);
        }
    }
    None
}

/// A TIFF with nothing but an orientation: big-endian, with one directory at 8, of one entry.
pub(super) fn orientation_alone(orientation: ExifOrientation) -> Vec<u8> {
    let mut tiff = b"MM\0\x2a\0\0\0\x08\0\x01".to_vec();
    tiff.extend_from_slice(&[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.exif(), 0, 0]);
    tiff.extend_from_slice(&[0, 0, 0, 0]);
    tiff
}
