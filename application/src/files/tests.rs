use super::*;
use crate::texts::{Language, LocalizedTexts};

const LIMITS: FileSettings = FileSettings {
    max_bytes: 1_000_000,
    per_message: 20,
    megapixels: 50,
    model_image_side: 10_000,
    model_image_bytes: 1_000_000,
    pages: 100,
    request_bytes: 0,
    session_bytes: 0,
    unnamed_bytes: 0,
    keep_unnamed: entracte_domain::time::Millis(0),
};

fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], kind, data, b"sum!"].concat()
}

fn png(width: u32, height: u32, extra: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    [png::SIGNATURE, &chunk(b"IHDR", &header), extra, &chunk(b"IDAT", b"pixels"), &chunk(b"IEND", b"")]
        .concat()
}

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker][..], &length, data].concat()
}

/// A JPEG of 640 by 480 pixels with these segments before its frame.
fn jpeg(extra: &[u8]) -> Vec<u8> {
    let frame = segment(0xc0, &[8, 0x01, 0xe0, 0x02, 0x80, 1, 1, 0x11, 0]);
    let scan = [segment(0xda, &[1, 1, 0, 0, 63, 0]), vec![0x12, 0xff, 0x00, 0x34]].concat();
    [&[0xff, 0xd8][..], extra, &frame, &scan, &[0xff, 0xd9]].concat()
}

/// EXIF with an orientation and a position.
fn exif(orientation: u8) -> Vec<u8> {
    let mut data = b"Exif\0\0II\x2a\0\x08\0\0\0\x02\0".to_vec();
    data.extend_from_slice(&[0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    data.extend_from_slice(&[0x25, 0x88, 4, 0, 1, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0]);
    data.extend_from_slice(b"GPS 48.8584 N 2.2945 E");
    segment(0xe1, &data)
}

fn gif(extra: &[u8]) -> Vec<u8> {
    let frame = [0x2c, 0, 0, 0, 0, 4, 0, 2, 0, 0, 2, 1, 0x44, 0];
    [&b"GIF89a"[..], &[4, 0, 2, 0, 0, 0, 0], extra, &frame, &[0x3b]].concat()
}

fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (kind, data) in chunks {
        body.extend_from_slice(*kind);
        body.extend_from_slice(&u32::try_from(data.len()).unwrap().to_le_bytes());
        body.extend_from_slice(data);
        body.resize(body.len() + data.len() % 2, 0);
    }
    [&b"RIFF"[..], &u32::try_from(body.len()).unwrap().to_le_bytes(), &body].concat()
}

/// The beginning of the lossy pixels of a WebP of 640 by 480 pixels.
const LOSSY: [u8; 10] = [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01];

/// The header of an extended WebP of 640 by 480 pixels, with these flags.
fn vp8x(flags: u8) -> [u8; 10] {
    [flags, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0]
}

fn accept(bytes: Vec<u8>) -> Result<AcceptedFile, FileRefusal> {
    accept_file("some/folder/photo.bin", bytes, &LIMITS)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

const SIZE: Option<PixelDimensions> = Some(PixelDimensions { width: 640, height: 480 });

/// Input: files of each kind under one name; expected: the content decides, and the dimensions are those of the header.
#[test]
fn kind_is_decided_by_content() {
    let lossless: [u8; 5] = {
        let [a, b, c, d] = (639_u32 | (479 << 14)).to_le_bytes();
        [0x2f, a, b, c, d]
    };
    let images = [
        ("image/png", png(640, 480, b"")),
        ("image/jpeg", jpeg(b"")),
        ("image/webp", riff(&[(b"VP8X", &vp8x(0)[..]), (b"VP8 ", &LOSSY[..])])),
        ("image/webp", riff(&[(b"VP8L", &lossless[..])])),
        ("image/webp", riff(&[(b"VP8 ", &LOSSY[..])])),
    ];
    for (media_type, bytes) in images {
        let AcceptedFile { file, bytes: stored, .. } = accept(bytes.clone()).unwrap();
        assert_eq!((&*file.media_type, file.dimensions, file.pages), (media_type, SIZE, None));
        assert_eq!((stored == bytes, &*file.name), (true, "photo.bin"), "{media_type} has no metadata");
        assert_eq!((file.digest, file.bytes), (sha256(&bytes), bytes.len() as u64));
    }
    let small = accept(gif(b"")).unwrap().file;
    assert_eq!(small.dimensions, Some(PixelDimensions { width: 4, height: 2 }));
    for text in ["héllo\n", "<svg onload=\"x()\"/>", "<!doctype html><script>x()</script>"] {
        assert_eq!(accept(text.into()).unwrap().file.media_type, TEXT);
    }
}

/// Input: images that claim 100,000 by 100,000 pixels in a few bytes; expected: refused by the header alone.
#[test]
fn decompression_bomb_is_refused() {
    let huge = PixelDimensions { width: 100_000, height: 100_000 };
    let refused = accept(png(huge.width, huge.height, b"")).unwrap_err();
    assert_eq!(refused, FileRefusal::TooManyPixels { dimensions: huge, most: 50 });
    let said = refused.message("bomb.png").render(LocalizedTexts::for_language(Language::En));
    assert!(said.contains("bomb.png") && said.contains("files.megapixels"), "{said}");
    let whole = [&b"GIF89a"[..], &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x3b]].concat();
    assert!(matches!(accept(whole), Err(FileRefusal::TooManyPixels { .. })));
    // A frame that is larger than the whole.
    let mut frame = gif(b"");
    frame[18..22].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(accept(frame), Err(FileRefusal::Damaged("image/gif")));
    let large = [0, 0, 0, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f];
    let animated = |place: [u8; 12], bits: &[u8]| {
        let pixels = riff(&[(b"VP8 ", bits)]).split_off(12);
        riff(&[(b"VP8X", &vp8x(2)[..]), (b"ANMF", &[&place[..], &[0; 4], &pixels].concat()[..])])
    };
    let (all, beside) =
        ([0, 0, 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0], [1, 0, 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0]);
    assert!(accept(animated(all, &LOSSY)).is_ok());
    for hidden in [
        riff(&[(b"VP8X", &vp8x(0)[..]), (b"VP8 ", &large[..])]),
        animated(all, &large),
        animated(beside, &LOSSY),
    ] {
        assert_eq!(accept(hidden), Err(FileRefusal::Damaged("image/webp")));
    }
    let second = png(640, 480, &png(huge.width, huge.height, b"")[8..33]);
    assert_eq!(accept(second), Err(FileRefusal::Damaged("image/png")), "two headers");
    assert!(accept(png(10_000, 5_000, b"")).is_ok(), "just as many as the limit");
}

/// Input: images with a position, a camera and a comment, each in the way of its format; expected: the image is stored
/// without them, and keeps its orientation alone.
#[test]
fn exif_location_is_stripped() {
    let secret: &[u8] = b"48.8584 N 2.2945 E";
    let with_exif = jpeg(&[exif(6), segment(0xfe, secret), segment(0xed, secret)].concat());
    let trailing = [with_exif, b"second image with GPS 48.8584 N 2.2945 E".to_vec()].concat();
    let turned = accept(trailing).unwrap().bytes;
    assert!(!contains(&turned, secret) && !contains(&turned, b"GPS"));
    assert!(contains(&turned, &[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]), "it is turned as before");
    assert_eq!(accept(turned.clone()).unwrap().bytes, turned, "stripped once is stripped");
    assert_eq!(accept(jpeg(&exif(1))).unwrap().bytes, jpeg(b""), "upright needs no tag");

    // A camera's own segments, and a header with a thumbnail.
    let camera = [segment(0xe0, b"II\x1a\0\0\0HEAPCCDR GPS"), segment(0xee, secret), segment(0xf0, secret)];
    assert_eq!(accept(jpeg(&camera.concat())).unwrap().bytes, jpeg(b""));
    let header = segment(0xe0, b"JFIF\0\x01\x02\0\0\x48\0\x48\x01\x01RGB");
    let plain = segment(0xe0, b"JFIF\0\x01\x02\0\0\x48\0\x48\0\0");
    assert_eq!(accept(jpeg(&header)).unwrap().bytes, jpeg(&plain));

    let texts =
        [chunk(b"eXIf", secret), chunk(b"iTXt", secret), chunk(b"tEXt", secret), chunk(b"caBX", secret)]
            .concat();
    assert_eq!(accept(png(640, 480, &texts)).unwrap().bytes, png(640, 480, b""));
    let tiff = &exif(6)[10..];
    let on_side = accept(png(640, 480, &chunk(b"eXIf", tiff))).unwrap().bytes;
    assert!(!contains(&on_side, secret) && contains(&on_side, b"eXIfMM\0\x2a\0\0\0\x08\0\x01\x01\x12"));
    assert_eq!(accept(on_side.clone()).unwrap().bytes, on_side, "stripped once is stripped");
    let comment = [&[0x21, 0xfe, 18][..], secret, &[0]].concat();
    let application = [&[0x21, 0xff, 11][..], b"XMP DataXMP", &[18], secret, &[0]].concat();
    let looping = [&[0x21, 0xff, 11][..], b"NETSCAPE2.0", &[3, 1, 0, 0, 0]].concat();
    let kept = accept(gif(&[comment, application, looping.clone()].concat())).unwrap().bytes;
    assert_eq!(kept, gif(&looping));
    let (before, after, lossy) = (vp8x(0x1c), vp8x(0x10), &LOSSY[..]);
    let metadata: [(&[u8; 4], &[u8]); 3] = [(b"EXIF", secret), (b"XMP ", &secret[..5]), (b"note", secret)];
    let marked = [&[(b"VP8X", &before[..]), (b"VP8 ", lossy)][..], &metadata].concat();
    let kept = accept(riff(&marked)).unwrap().bytes;
    assert_eq!(kept, riff(&[(b"VP8X", &after[..]), (b"VP8 ", lossy)]));
    let on_side = accept(riff(&[(b"VP8X", &before[..]), (b"VP8 ", lossy), (b"EXIF", tiff)])).unwrap().bytes;
    assert!(!contains(&on_side, secret) && contains(&on_side, b"EXIF\x1a\0\0\0MM\0\x2a"));
    assert_eq!(on_side[20], 0x18, "the header announces it, and nothing else");
    assert_eq!(accept(on_side.clone()).unwrap().bytes, on_side, "stripped once is stripped");
}

/// Input: images that are upright and small, that lie on their side, that have several frames, and that are larger than models
/// get; expected: all but the first need a form for models, which is made within the bounds.
#[test]
fn image_that_models_do_not_get_needs_a_form() {
    let turned = |accepted: AcceptedFile| accepted.conversion.map(|conversion| conversion.orientation.exif());
    let tiff = &exif(6)[10..];
    let pixels = riff(&[(b"VP8 ", &LOSSY[..])]).split_off(12);
    let place = [0, 0, 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0, 0, 0, 0, 0];
    let frame = [&place[..], &pixels].concat();
    let frames = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let moving = gif(&gif(b"")[13..27]);
    for (bytes, orientation, is_animated) in [
        (png(640, 480, b""), None, false),
        (jpeg(b""), None, false),
        (gif(b""), None, false),
        (png(640, 480, &chunk(b"eXIf", tiff)), Some(6), false),
        (jpeg(&exif(8)), Some(8), false),
        (riff(&[(b"VP8X", &vp8x(8)[..]), (b"VP8 ", &LOSSY[..]), (b"EXIF", tiff)]), Some(6), false),
        (png(640, 480, &frames), Some(1), true),
        (moving, Some(1), true),
        (riff(&[(b"VP8X", &vp8x(2)[..]), (b"ANMF", &frame[..]), (b"ANMF", &frame[..])]), Some(1), true),
        (riff(&[(b"VP8X", &vp8x(2)[..]), (b"ANMF", &frame[..])]), None, false),
        (png(10_001, 1, b""), Some(1), false),
    ] {
        let accepted = accept(bytes).unwrap();
        let case = format!("{:?}", accepted.file);
        assert_eq!((accepted.is_animated, turned(accepted)), (is_animated, orientation), "{case}");
    }
    let small = FileSettings { model_image_bytes: 60, ..LIMITS };
    let conversion = accept_file("a", png(640, 480, b""), &small).unwrap().conversion.unwrap();
    let expected = ImageConversion {
        format: ImageFormat::Png,
        dimensions: PixelDimensions { width: 640, height: 480 },
        orientation: ExifOrientation::UPRIGHT,
        side: 10_000,
        bytes: 60,
    };
    assert_eq!(conversion, expected);
}

/// Input: PDFs with a page tree in clear text, with pages only, and with neither; expected: the pages, as far as they are
/// known, and a refusal beyond the limit.
#[test]
fn pages_are_counted_in_clear_text() {
    let pdf = |body: &str| format!("%PDF-1.7\n{body}\n%%EOF").into_bytes();
    let pages = |body: &str| accept(pdf(body)).map(|accepted| accepted.file.pages);
    let tree = "1 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 12 >>\nendobj";
    assert_eq!(pages(tree), Ok(Some(12)));
    let page = "2 0 obj <</Type/Page /Parent 1 0 R>> endobj\n";
    assert_eq!(pages(&page.repeat(3)), Ok(Some(3)));
    assert_eq!(pages("stream …"), Ok(None));
    let long = "1 0 obj << /Count 101 /Type /Pages >> endobj";
    assert_eq!(pages(long), Err(FileRefusal::TooManyPages { pages: 101, most: 100 }));
}

/// Input: files that are no conversation's; expected: each refusal says what is wrong, in both languages.
#[test]
fn refusals_name_file_limit_and_setting() {
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0".to_vec();
    let cases = [
        (Vec::new(), FileRefusal::Empty, ""),
        (
            vec![b'a'; 1_000_001],
            FileRefusal::TooLarge { bytes: 1_000_001, most: 1_000_000 },
            "files.max_bytes",
        ),
        (heic, FileRefusal::Heic, "JPEG"),
        (b"MZ\0\x01".to_vec(), FileRefusal::UnknownKind, "PNG"),
        (png(640, 480, b"")[..40].to_vec(), FileRefusal::Damaged("image/png"), "image/png"),
        (jpeg(b"")[..20].to_vec(), FileRefusal::Damaged("image/jpeg"), "image/jpeg"),
    ];
    for (bytes, expected, named) in cases {
        let refused = accept(bytes).unwrap_err();
        assert_eq!(refused, expected);
        for language in [Language::En, Language::Fr] {
            let said = refused.message("photo.bin").render(LocalizedTexts::for_language(language));
            assert!(said.contains("photo.bin") && said.contains(named), "{said}");
        }
    }
    let unnamed = FileRefusal::Empty.message(" ").to_string();
    assert!(unnamed.starts_with("a file without a name is empty"), "{unnamed}");
}

/// Input: images of all formats with data of cameras, and a PDF; expected: accepted again, each has the digest that it has
/// already, so that an import finds what an export wrote.
#[test]
fn accepted_files_are_accepted_unchanged() {
    let comment = [&[0x21, 0xfe, 5][..], b"hello", &[0]].concat();
    let webp = riff(&[(b"VP8X", &vp8x(0x08)), (b"VP8 ", &LOSSY), (b"EXIF", b"GPS")]);
    let text = chunk(b"tEXt", b"Author\0ann");
    let images = [png(640, 480, &text), jpeg(&exif(6)), jpeg(b""), gif(&comment), webp];
    for bytes in images.into_iter().chain([b"%PDF-1.7\n%%EOF".to_vec()]) {
        let once = accept(bytes).unwrap();
        let again = accept(once.bytes.clone()).unwrap();
        assert_eq!((again.file.digest, again.bytes), (once.file.digest, once.bytes));
    }
}

#[test]
fn name_is_one_line_without_folders() {
    assert_eq!(file_name("C:\\photos\\été 1.jpg", "image/jpeg"), "été 1.jpg");
    assert_eq!(file_name("../../etc/passwd", TEXT), "passwd");
    assert_eq!(file_name("a\nb]: [x.png", "image/png"), "ab: x.png");
    assert_eq!(file_name("", "image/png"), "file.png");
    assert_eq!(file_name("..", TEXT), "file.txt");
    let long = format!("{}.pdf", "a".repeat(300));
    assert_eq!(file_name(&long, "application/pdf"), format!("{}.pdf", "a".repeat(116)));
}
