//! Converts images into the form that models get. Pure, and without a time limit.

use std::io::Cursor;

use entracte_application::ports::{
    ConvertedImage, DocumentConversionError, ImageConversion, ImageConversionError, ImageFormat,
};
use entracte_application::settings::ReaderSettings;
use entracte_domain::file::PixelDimensions;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageEncoder, ImageError, ImageReader, Limits, Rgb, RgbImage, Rgba};

/// The JPEG quality, of at most 100. At this one the loss is not visible.
const JPEG_QUALITY: u8 = 85;

/// The most bytes of a colour profile that a form keeps.
const PROFILE_MAX_BYTES: usize = 64 * 1024;

/// Converts an image: its first frame, upright and within the bounds. It is a PNG where the image has sharp edges or is
/// transparent, as long as that is small enough, and a JPEG otherwise.
pub(super) fn convert(
    conversion: ImageConversion,
    bytes: Vec<u8>,
    bounds: ReaderSettings,
) -> Result<ConvertedImage, ImageConversionError> {
    let failed = |error: ImageError| conversion_error(&error, bounds);
    let (decoded, profile) = decode(conversion, bytes, bounds)?;
    let mut image = in_eight_bits(scaled(decoded, conversion.side));
    let orientation = Orientation::from_exif(conversion.orientation.exif());
    image.apply_orientation(orientation.unwrap_or(Orientation::NoTransforms));
    let has_sharp_edges = matches!(conversion.format, ImageFormat::Png | ImageFormat::Gif);
    let mut format = if has_sharp_edges || image.has_alpha() { ImageFormat::Png } else { ImageFormat::Jpeg };
    loop {
        let form = match format {
            ImageFormat::Png => png(&image, profile.as_deref()),
            _ => jpeg(&image, profile.as_deref()),
        };
        let (form, dimensions) = (form.map_err(failed)?, dimensions_of(&image));
        if form.len() as u64 <= conversion.bytes {
            return Ok(ConvertedImage { format, dimensions, bytes: form });
        }
        let longest = dimensions.width.max(dimensions.height);
        image = match format {
            ImageFormat::Png => on_white(image),
            _ if longest > 1 => scaled(image, longest.saturating_mul(3) / 4),
            _ => {
                let why = format!("not even one pixel of it has room in {} bytes", conversion.bytes);
                return Err(ImageConversionError::Undecodable(why));
            }
        };
        format = ImageFormat::Jpeg;
    }
}

/// The first frame, and the colour profile if it is one of its colours.
fn decode(
    conversion: ImageConversion,
    bytes: Vec<u8>,
    bounds: ReaderSettings,
) -> Result<(DynamicImage, Option<Vec<u8>>), ImageConversionError> {
    let failed = |error: ImageError| conversion_error(&error, bounds);
    let mut limits = Limits::default();
    limits.max_alloc = Some(bounds.memory);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), library_format(conversion.format));
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(failed)?;
    let (width, height) = decoder.dimensions();
    if conversion.dimensions != (PixelDimensions { width, height }) {
        return Err(ImageConversionError::Undecodable("it has another size than its header says".to_owned()));
    }
    if decoder.total_bytes() > bounds.memory {
        return Err(DocumentConversionError::Memory(bounds.memory).into());
    }
    let profile = decoder.icc_profile().ok().flatten();
    let is_of_rgb =
        |profile: &Vec<u8>| profile.get(16..20) == Some(b"RGB ") && profile.len() <= PROFILE_MAX_BYTES;
    Ok((DynamicImage::from_decoder(decoder).map_err(failed)?, profile.filter(is_of_rgb)))
}

const fn library_format(format: ImageFormat) -> image::ImageFormat {
    match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Gif => image::ImageFormat::Gif,
        ImageFormat::WebP => image::ImageFormat::WebP,
    }
}

fn conversion_error(error: &ImageError, bounds: ReaderSettings) -> ImageConversionError {
    match error {
        ImageError::Limits(_) => DocumentConversionError::Memory(bounds.memory).into(),
        other => ImageConversionError::Undecodable(other.to_string()),
    }
}

fn dimensions_of(image: &DynamicImage) -> PixelDimensions {
    PixelDimensions { width: image.width(), height: image.height() }
}

/// The image with a longer side of at most this many pixels.
fn scaled(image: DynamicImage, side: u32) -> DynamicImage {
    let PixelDimensions { width, height } = dimensions_of(&image);
    let (longest, side) = (width.max(height), side.max(1));
    if longest <= side {
        return image;
    }
    let part = |pixels: u32| {
        let part = u64::from(pixels) * u64::from(side) / u64::from(longest);
        u32::try_from(part).unwrap_or(side).max(1)
    };
    image.thumbnail_exact(part(width), part(height))
}

/// The image in eight bits a channel, with transparency only where there is some.
fn in_eight_bits(image: DynamicImage) -> DynamicImage {
    if !image.has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let pixels = image.into_rgba8();
    let is_opaque = pixels.pixels().all(|Rgba([.., alpha])| *alpha == u8::MAX);
    let whole = DynamicImage::ImageRgba8(pixels);
    if is_opaque { DynamicImage::ImageRgb8(whole.into_rgb8()) } else { whole }
}

/// The image without transparency, on a white ground.
fn on_white(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageRgba8(pixels) => {
            let on_ground = |Rgba([red, green, blue, alpha]): Rgba<u8>| {
                let blend = |channel: u8| {
                    let (channel, alpha) = (u16::from(channel), u16::from(alpha));
                    u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
                };
                Rgb([blend(red), blend(green), blend(blue)])
            };
            let (width, height) = pixels.dimensions();
            let opaque = RgbImage::from_fn(width, height, |x, y| on_ground(*pixels.get_pixel(x, y)));
            DynamicImage::ImageRgb8(opaque)
        }
        opaque => opaque,
    }
}

fn png(image: &DynamicImage, profile: Option<&[u8]>) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    image.write_with_encoder(with_profile(encoder, profile))?;
    Ok(bytes)
}

fn jpeg(image: &DynamicImage, profile: Option<&[u8]>) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    image.write_with_encoder(with_profile(encoder, profile))?;
    Ok(bytes)
}

/// The encoder with a colour profile. Both formats have one.
fn with_profile<E: ImageEncoder>(mut encoder: E, profile: Option<&[u8]>) -> E {
    if let Some(profile) = profile {
        drop(encoder.set_icc_profile(profile.to_vec()));
    }
    encoder
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::ExifOrientation;
    use image::codecs::gif::GifEncoder;
    use image::{Delay, Frame, RgbaImage};

    use super::*;

    const RED: Rgba<u8> = Rgba([255, 0, 0, 255]);
    const BLUE: Rgba<u8> = Rgba([0, 0, 255, 255]);
    const CLEAR: Rgba<u8> = Rgba([0, 0, 0, 0]);

    /// A PNG of 4 by 2 pixels whose left half has one colour and whose right half another.
    fn halves(left: Rgba<u8>, right: Rgba<u8>) -> Vec<u8> {
        let pixels = RgbaImage::from_fn(4, 2, |x, _| if x < 2 { left } else { right });
        png(&DynamicImage::ImageRgba8(pixels), None).unwrap()
    }

    fn conversion(format: ImageFormat, (width, height): (u32, u32)) -> ImageConversion {
        ImageConversion {
            format,
            dimensions: PixelDimensions { width, height },
            orientation: ExifOrientation::UPRIGHT,
            side: 2_000,
            bytes: 1_000_000,
        }
    }

    fn converted(
        conversion: ImageConversion,
        bytes: Vec<u8>,
    ) -> Result<ConvertedImage, ImageConversionError> {
        convert(conversion, bytes, ReaderSettings::default())
    }

    fn pixels(form: &ConvertedImage) -> RgbaImage {
        let pixels = image::load_from_memory(&form.bytes).unwrap().into_rgba8();
        let PixelDimensions { width, height } = form.dimensions;
        assert_eq!(pixels.dimensions(), (width, height));
        pixels
    }

    /// Input: an image whose left half is red, in each of the eight orientations of EXIF; expected: the red half is where the
    /// orientation says that the left is.
    #[test]
    fn image_is_turned_as_its_orientation_says() {
        let red_at = [(0, 0), (3, 0), (3, 1), (0, 1), (0, 0), (0, 0), (0, 3), (0, 3)];
        for (number, (x, y)) in (1..).zip(red_at) {
            let orientation = ExifOrientation::from_exif(number).unwrap();
            let turn = ImageConversion { orientation, ..conversion(ImageFormat::Png, (4, 2)) };
            let form = converted(turn, halves(RED, BLUE)).unwrap();
            let (width, height) = if number < 5 { (4, 2) } else { (2, 4) };
            assert_eq!(form.dimensions, PixelDimensions { width, height }, "{number}");
            assert_eq!(*pixels(&form).get_pixel(x, y), RED, "{number}");
        }
    }

    /// Input: a GIF with a red frame and a blue one; expected: a PNG of the first.
    #[test]
    fn first_frame_of_animation_is_taken() {
        let mut gif = Vec::new();
        let mut encoder = GifEncoder::new(&mut gif);
        for color in [RED, BLUE] {
            let frame = RgbaImage::from_pixel(4, 2, color);
            encoder.encode_frame(Frame::from_parts(frame, 0, 0, Delay::from_numer_denom_ms(100, 1))).unwrap();
        }
        drop(encoder);
        let form = converted(conversion(ImageFormat::Gif, (4, 2)), gif).unwrap();
        assert_eq!(form.format, ImageFormat::Png);
        assert!(pixels(&form).pixels().all(|pixel| *pixel == RED));
    }

    /// Input: an image that is too long; expected: the longer side has just as many pixels as it may have, and its colours stay.
    #[test]
    fn large_image_is_scaled_to_the_side() {
        let small = ImageConversion { side: 2, ..conversion(ImageFormat::Png, (4, 2)) };
        let form = converted(small, halves(RED, CLEAR)).unwrap();
        assert_eq!(
            (form.format, form.dimensions),
            (ImageFormat::Png, PixelDimensions { width: 2, height: 1 })
        );
        let seen = pixels(&form);
        assert_eq!((*seen.get_pixel(0, 0), seen.get_pixel(1, 0).0[3]), (RED, 0));
    }

    /// Input: an image of noise with room for less than its PNG, and for less than a JPEG of it; expected: a JPEG of the same
    /// size, and a smaller one, each with room; twice the same bytes.
    #[test]
    fn image_with_too_many_bytes_becomes_smaller() {
        let noise = RgbImage::from_fn(64, 64, |x, y| {
            Rgb([1, 2, 3].map(|channel: u32| {
                let mixed = (x + 64 * y + 4_096 * channel).wrapping_mul(2_654_435_761);
                (mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_519).to_be_bytes()[0]
            }))
        });
        let bytes = png(&DynamicImage::ImageRgb8(noise), None).unwrap();
        let within = |bytes_most: u64| {
            let bound = ImageConversion { bytes: bytes_most, ..conversion(ImageFormat::Png, (64, 64)) };
            converted(bound, bytes.clone()).unwrap()
        };
        let lossless = within(1_000_000);
        assert_eq!(lossless.format, ImageFormat::Png);
        let lossy = within(lossless.bytes.len() as u64 - 1);
        assert_eq!((lossy.format, lossy.dimensions.width), (ImageFormat::Jpeg, 64));
        let smaller = within(lossy.bytes.len() as u64 - 1);
        assert_eq!((smaller.format, smaller.dimensions.width), (ImageFormat::Jpeg, 48));
        assert_eq!(within(lossy.bytes.len() as u64 - 1), smaller);
    }

    /// Input: images whose header claims another size or more memory than there is, and bytes that are no image; expected:
    /// each is refused before its pixels are decoded.
    #[test]
    fn image_that_claims_too_much_is_refused() {
        for claimed in [(4, 3), (2, 1)] {
            let other = converted(conversion(ImageFormat::Png, claimed), halves(RED, BLUE));
            assert!(matches!(other, Err(ImageConversionError::Undecodable(_))), "{other:?}");
        }
        let small = ReaderSettings { memory: 8, ..ReaderSettings::default() };
        let large = convert(conversion(ImageFormat::Png, (4, 2)), halves(RED, BLUE), small);
        assert_eq!(large, Err(DocumentConversionError::Memory(8).into()));
        let damaged = converted(conversion(ImageFormat::Jpeg, (4, 2)), b"\xff\xd8\xff".to_vec());
        assert!(matches!(damaged, Err(ImageConversionError::Undecodable(_))), "{damaged:?}");
    }
}
