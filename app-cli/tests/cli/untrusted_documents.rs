//! Untrusted documents: reading them stays within its bounds, and reports the exceeded bound.

use std::io::Write as _;
use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::json;

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::{end, send_request, serve, token};

/// A stream object with a repeated piece, compressed.
pub(crate) fn zlib(piece: &[u8], times: usize) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..times {
        packed.write_all(piece).unwrap();
    }
    let packed = packed.finish().unwrap();
    let head = format!("<</Length {}/Filter/FlateDecode>>stream\n", packed.len());
    [head.as_bytes(), &packed, b"\nendstream"].concat()
}

/// A PDF with one page, whose content is this many zero bytes, compressed.
fn packed_pdf(zeros: usize) -> Vec<u8> {
    let piece = vec![0; 1 << 20];
    let content = zlib(&piece, zeros / piece.len());
    pdf_of(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>".to_vec(),
        content,
    ])
}

/// A PDF of these objects, the first of which is its catalog.
pub(crate) fn pdf_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj", index + 1).bytes());
        file.extend(object);
        file.extend(b"endobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let end = format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.extend(end.bytes());
    file
}

/// Whether this test has a process of its own, as nextest gives it. In the process that `cargo test` shares among tests,
/// the memory of children includes the children of other tests.
fn is_alone() -> bool {
    std::env::var_os("NEXTEST").is_some()
}

/// The maximum memory of any process of this test so far, in MiB.
fn most_memory() -> i64 {
    let kilobytes = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    if cfg!(target_os = "macos") { kilobytes >> 20 } else { kilobytes >> 10 }
}

/// Inputs: for each format a small document that expands to hundreds of MiB, and bounds of 64 MiB; expected: each is
/// refused with the exceeded bound, in both languages, no process used much more than that, and later documents are
/// read as usual.
#[cfg(target_os = "linux")]
#[test]
fn every_reader_is_bounded() {
    let stage = CliFixture::with_config("[reader]\nmemory = 67108864\noutput = 8388608\n");
    let names = "n".repeat(200_000);
    let documents: [(&str, Vec<u8>, [&str; 2]); 7] = [
        ("zeros.pdf", packed_pdf(400 << 20), ["more than 64 MiB of memory", "plus de 64 Mio de mémoire"]),
        (
            "deep.html",
            "<div>".repeat(200_000).into_bytes(),
            ["its elements are more than 500 deep in one another"; 2],
        ),
        (
            "quotes.html",
            ("<blockquote>".repeat(200) + &"<p>a".repeat(12_000)).into_bytes(),
            ["more than 8 MiB of text", "plus de 8 Mio de texte"],
        ),
        (
            "names.csv",
            format!("{names},{}\n{}", "b", "1,2\n".repeat(100_000)).into_bytes(),
            ["more than 64 MiB of memory", "plus de 64 Mio de mémoire"],
        ),
        (
            "many.json",
            format!("[{}0]", "{\"\":0},".repeat(500_000)).into_bytes(),
            ["more than 64 MiB of memory", "plus de 64 Mio de mémoire"],
        ),
        (
            "names.json",
            format!("{{\"{names}\": [{}0]}}", "1,".repeat(100_000)).into_bytes(),
            ["more than 8 MiB of text", "plus de 8 Mio de texte"],
        ),
        ("deep.json", "[".repeat(1_000_000).into_bytes(), ["cannot be read as json"; 2]),
    ];
    for (name, bytes, [english, french]) in documents {
        std::fs::write(stage.folder.path().join(name), bytes).unwrap();
        let refused = stage.run(&["knowledge", "add", name]).expect(2).err;
        assert!(refused.contains(name) && refused.contains(english), "{name}: {refused}");
        let mut command = stage.command(&["knowledge", "add", name]);
        let refused = command_output(command.env("LANG", "fr_FR.UTF-8").output().unwrap()).expect(2).err;
        assert!(french == english || refused.contains(french), "{name}: {refused}");
    }
    // The same over HTTP.
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let mut served = serve(&stage);
    let file = BASE64.encode(packed_pdf(400 << 20));
    let path = "/v1/workspaces/local:main/documents/zeros.pdf/pdf";
    let (status, refused) = send_request(&served, "PUT", path, &ann, "", &json!({ "pdf": file }));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("more than 64 MiB of memory"), "{refused}");
    let path = "/v1/workspaces/local:main/documents/deep.html";
    let page = json!({ "format": "html", "text": "<div>".repeat(100_000) });
    let (status, refused) = send_request(&served, "PUT", path, &ann, "", &page);
    assert_eq!(status, 422, "{refused}");
    assert_eq!(end(&mut served), 0);
    // The program itself, and the bound of one document.
    if is_alone() {
        assert!(most_memory() < 64 + 128, "{} MiB", most_memory());
    }
    stage.write_untrusted("page.html", "<title>Meals</title><p>Lunch costs 15 euros.</p>");
    stage.run(&["knowledge", "add", "page.html"]).expect(0);
    assert!(stage.run(&["knowledge", "search", "lunch"]).expect(0).out.contains("15 euros"));
}

/// Input: a document that exceeds the bound of processor time; expected: it is refused with that bound, and not with
/// the elapsed time, which depends on the load of the machine.
#[cfg(target_os = "linux")]
#[test]
fn reader_at_its_processor_time_is_ended() {
    let stage = CliFixture::with_config(
        "[reader]\ncpu = \"1s\"\nmemory = 2147483648\n[knowledge]\ndocument_bytes = 67108864\n",
    );
    stage.write_untrusted("slow.html", &"< ".repeat(20_000_000));
    let refused = stage.run(&["knowledge", "add", "slow.html"]).expect(2).err;
    assert!(refused.contains("more than 1 s of a processor to be read (reader.cpu)"), "{refused}");
}

/// A black PNG of this many pixels a side.
fn blank_png(side: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let content = [&kind[..], data].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&content);
        [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], &content, &sum.sum().to_be_bytes()].concat()
    };
    let header = [&side.to_be_bytes()[..], &side.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..side {
        packed.write_all(&vec![0; 1 + side as usize]).unwrap();
    }
    let pixels = packed.finish().unwrap();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &header), &chunk(b"IDAT", &pixels), &chunk(b"IEND", b"")]
        .concat()
}

/// Input: an image of nine million pixels in a few bytes, for a reader with room for it, for one without, and under a header
/// that claimed a hundredth; expected: it is scaled down, the bound of memory is said, and it is not decoded at all.
#[cfg(target_os = "linux")]
#[test]
fn reader_of_images_is_bounded() {
    let stage = CliFixture::with_config("");
    let image = blank_png(3_000);
    let convert = |memory: &str, side: &str| {
        let mut command =
            stage.command(&["__convert-image", "image/png", memory, "20", side, side, "1", "300", "100000"]);
        // As the program itself starts it: the allocator reserves nothing ahead.
        command.env("MIMALLOC_DISALLOW_ARENA_ALLOC", "1").env("MIMALLOC_EAGER_COMMIT_DELAY", "0");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut stdin, bytes) = (child.stdin.take().unwrap(), image.clone());
        let writer = std::thread::spawn(move || stdin.write_all(&bytes));
        let output = child.wait_with_output().unwrap();
        drop(writer.join().unwrap());
        let head = output.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8(head.to_vec()).unwrap()
    };
    assert_eq!(convert("536870912", "3000"), "image image/png 300 300");
    assert_eq!(convert("1048576", "3000"), "memory");
    assert_eq!(convert("536870912", "300"), "undecodable");
}

/// Input: the hidden command of a reader with an invalid command line, and with a valid one; expected: an exit code
/// without output, and the text of the document.
#[test]
fn reader_that_is_started_wrongly_ends() {
    let stage = CliFixture::with_config("");
    for arguments in [&["__read"][..], &["__read", "pdf"], &["__read", "doc", "1", "1", "1", "whole"]] {
        let ended = stage.run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{arguments:?}");
    }
    let read = stage.run_with(&["__read", "text", "4294967296", "1", "1000", "whole"], "a\n").expect(0).out;
    assert_eq!(read, "plain\na\n");
    for arguments in
        [&["__convert-image"][..], &["__convert-image", "image/bmp", "1", "1", "1", "1", "1", "1", "1"]]
    {
        let ended = stage.run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{arguments:?}");
    }
    let damaged = ["__convert-image", "image/png", "4294967296", "1", "4", "2", "1", "2000", "1000"];
    let refused = stage.run_with(&damaged, "no image").expect(0).out;
    assert!(refused.starts_with("undecodable\n"), "{refused}");
    for arguments in [&["__limited"][..], &["__limited", "1", "x", "true"], &["__limited", "1", "1"]] {
        assert_eq!(stage.run(arguments).code, 2, "{arguments:?}");
    }
}
