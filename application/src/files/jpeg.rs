//! JPEG: dimensions, and removal of EXIF, comments, thumbnails and trailing data. The orientation stays: without it a
//! picture of a phone would lie on its side.

use std::borrow::Cow;

use entracte_domain::file::PixelDimensions;

use super::byte_reader::ByteReader;
use super::{StrippedImage, exif};
use crate::ports::ExifOrientation;

/// The first bytes of every JPEG.
pub(super) const SIGNATURE: &[u8] = b"\xff\xd8\xff";

const START: [u8; 2] = [0xff, 0xd8];
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const EXIF: u8 = 0xe1;

/// Reads the dimensions and removes what is not the image; `None` if the segments are damaged.
pub(super) fn strip(bytes: &[u8]) -> Option<StrippedImage> {
    let mut reader = ByteReader::new(bytes.strip_prefix(&START)?);
    let mut kept = START.to_vec();
    let (mut dimensions, mut orientation) = (None, None);
    loop {
        let marker = marker(&mut reader)?;
        if marker == END {
            kept.extend_from_slice(&[0xff, END]);
            let orientation = orientation.unwrap_or(ExifOrientation::UPRIGHT);
            return Some(StrippedImage {
                dimensions: dimensions?,
                orientation,
                is_animated: false,
                bytes: kept,
            });
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
            EXIF if orientation.is_none() => {
                orientation = data.strip_prefix(exif::HEADER).and_then(exif::orientation);
                kept.extend(orientation.map(orientation_segment).unwrap_or_default());
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

/// An EXIF segment with nothing but an orientation.
fn orientation_segment(orientation: ExifOrientation) -> Vec<u8> {
    let mut segment = vec![0xff, EXIF, 0, 34];
    segment.extend_from_slice(exif::HEADER);
    segment.extend_from_slice(&exif::orientation_alone(orientation));
    segment
}
