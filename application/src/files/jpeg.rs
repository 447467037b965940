//! JPEG: dimensions, and removal of EXIF, comments, thumbnails and trailing data. The orientation stays: without it a
//! picture of a phone would lie on its side.

use std::borrow::Cow;

use entracte_domain::file::PixelDimensions;

use super::StrippedImage;
use super::byte_reader::ByteReader;

/// The first bytes of every JPEG.
pub(super) const SIGNATURE: &[u8] = b"\xff\xd8\xff";

const START: [u8; 2] = [0xff, 0xd8];
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const EXIF: u8 = 0xe1;
const EXIF_HEADER: &[u8] = b"Exif\0\0";
/// The tag of the orientation in the first directory of EXIF.
const ORIENTATION: u16 = 0x0112;

/// Reads the dimensions and removes what is not the image; `None` if the segments are damaged.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut reader = ByteReader::new(bytes.strip_prefix(&START)?);
    let mut kept = START.to_vec();
    let (mut dimensions, mut has_orientation) = (None, false);
    loop {
        let marker = marker(&mut reader)?;
        if marker == END {
            kept.extend_from_slice(&[0xff, END]);
            return Some(StrippedImage { dimensions: dimensions?, bytes: kept });
        }
        let length = reader.u16_be()?;
        let data = reader.take(usize::from(length).checked_sub(2)?)?;
        if is_frame(marker) {
            // Decoders differ about which of two frames is the image.
            if dimensions.is_some() {
                return None;
            }
            dimensions = Some(frame_dimensions(data)?);
        }
        match marker {
            EXIF if !has_orientation => {
                if let Some(orientation) = orientation(data) {
                    has_orientation = true;
                    kept.extend_from_slice(&orientation_segment(orientation));
                }
            }
            _ => {
                if let Some(data) = kept_data(marker, data) {
                    kept.extend_from_slice(&[0xff, marker]);
                    kept.extend_from_slice(&u16::try_from(data.len() + 2).ok()?.to_be_bytes());
                    kept.extend_from_slice(&data);
                }
            }
        }
        if marker == SCAN {
            kept.extend_from_slice(entropy_coded(&mut reader)?);
        }
    }
}

/// The next marker; any number of fill bytes may stand before it.
fn marker(reader: &mut ByteReader<'_>) -> Option<u8> {
    if reader.u8()? != 0xff {
        return None;
    }
    loop {
        match reader.u8()? {
            0xff => {}
            0x00 => return None,
            marker => return Some(marker),
        }
    }
}

/// Whether a marker begins a frame, which has the dimensions.
const fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc)
}

fn frame_dimensions(data: &[u8]) -> Option<PixelDimensions> {
    let mut data = ByteReader::new(data);
    data.take(1)?;
    let (height, width) = (data.u16_be()?, data.u16_be()?);
    Some(PixelDimensions { width: width.into(), height: height.into() })
}

/// What stays of the data of a segment, if it belongs to the image: frames, tables and scans, and of the application
/// segments the JFIF header, the colour profile and Adobe's colour transform. Cameras write into the same segments, and
/// the thumbnail of a header may show what was cut away.
fn kept_data(marker: u8, data: &[u8]) -> Option<Cow<'_, [u8]>> {
    match marker {
        0xc0..=0xcf | 0xda..=0xdf => Some(data.into()),
        0xe0 if data.starts_with(b"JFIF\0") => Some([data.get(..12)?, &[0, 0]].concat().into()),
        0xe2 if data.starts_with(b"ICC_PROFILE\0") => Some(data.into()),
        0xee if data.starts_with(b"Adobe") => Some(data.get(..12)?.into()),
        _ => None,
    }
}

/// The data of a scan up to the next marker, which stays to be read.
fn entropy_coded<'a>(reader: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let rest = reader.rest();
    let is_end = |pair: &[u8]| matches!(pair, [0xff, code] if !matches!(code, 0x00 | 0xd0..=0xd7 | 0xff));
    let end = rest.windows(2).position(is_end)?;
    reader.take(end)
}

/// The orientation in an EXIF segment, if it is another than upright.
fn orientation(data: &[u8]) -> Option<u8> {
    let tiff = data.strip_prefix(EXIF_HEADER)?;
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
            let value = u16_of(&mut entry)?;
            return u8::try_from(value).ok().filter(|value| (2..=8).contains(value));
        }
    }
    None
}

/// An EXIF segment with nothing but an orientation.
fn orientation_segment(orientation: u8) -> Vec<u8> {
    let mut segment = vec![0xff, EXIF, 0, 34];
    segment.extend_from_slice(EXIF_HEADER);
    // Big-endian TIFF, whose directory follows at 8 and has one entry: a short, and no directory after it.
    segment.extend_from_slice(b"MM\0\x2a\0\0\0\x08\0\x01");
    segment.extend_from_slice(&[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
    segment.extend_from_slice(&[0, 0, 0, 0]);
    segment
}
