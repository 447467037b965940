//! PDFs whose pages are pictures: it is said that their words are not read, and a configured program reads them (OCR).

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli_fixture::{CliFixture, command_output};
use crate::untrusted_documents::pdf_of;

/// A picture as an object of a PDF.
struct PagePicture {
    width: usize,
    height: usize,
    /// A byte for each pixel, from black to white.
    gray: Vec<u8>,
}

impl PagePicture {
    fn blank() -> Self {
        Self { width: 1, height: 1, gray: vec![255] }
    }

    fn object(&self) -> Vec<u8> {
        let head = format!(
            "<</Type/XObject/Subtype/Image/Width {}/Height {}/BitsPerComponent 8/ColorSpace/DeviceGray/Length {}>>stream\n",
            self.width,
            self.height,
            self.gray.len()
        );
        [head.as_bytes(), &self.gray, b"\nendstream"].concat()
    }
}

/// A PDF with a page for each content, which may show a picture (`/I1`) and text (`/F1`).
fn pdf_with(contents: &[&str], picture: &PagePicture) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), contents.len()).into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
        picture.object(),
    ];
    for (page, content) in contents.iter().enumerate() {
        let stream = 6 + 2 * page;
        let page = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {stream} 0 R\
             /Resources<</Font<</F1 3 0 R>>/XObject<</I1 4 0 R>>>>>>"
        );
        objects.push(page.into_bytes());
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()).into_bytes());
    }
    pdf_of(&objects)
}

const SCANNED: &str = "q 612 0 0 792 0 0 cm /I1 Do Q";
const WRITTEN: &str = "BT /F1 20 Tf 72 700 Td (Second class is reimbursed) Tj ET";

/// A command line whose program of OCR is a script, with a scan and a PDF of which one page is scanned.
fn with_ocr(script: &str, settings: &str) -> CliFixture {
    let stage = CliFixture::with_config("");
    let folder = stage.folder.path();
    let program = folder.join("read-pictures");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("text.pdf"), pdf_with(&[WRITTEN], &PagePicture::blank())).unwrap();
    let config = format!("[reader]\nocr = \"{}\"\n{settings}\n", program.display());
    stage.write("entracte.toml", &config.replace("FOLDER", &folder.display().to_string()));
    write_scans(&stage);
    stage
}

fn write_scans(stage: &CliFixture) {
    let folder = stage.folder.path();
    std::fs::write(folder.join("scan.pdf"), pdf_with(&[SCANNED, SCANNED], &PagePicture::blank())).unwrap();
    std::fs::write(folder.join("mixed.pdf"), pdf_with(&[WRITTEN, SCANNED], &PagePicture::blank())).unwrap();
}

fn shown(stage: &CliFixture, name: &str) -> Value {
    stage.run(&["--json", "knowledge", "show", name]).expect(0).json()
}

/// Inputs: a scan and a mixed PDF without a program of OCR; expected: the scan is refused and the scanned page is told,
/// both with the reason that words in pictures are not recognised.
#[test]
fn scan_says_that_ocr_was_not_done() {
    let stage = CliFixture::with_config("");
    write_scans(&stage);
    let refused = stage.run(&["knowledge", "add", "scan.pdf"]).expect(2).err;
    assert!(
        refused.contains("its pages are pictures") && refused.contains("not recognised (OCR)"),
        "{refused}"
    );
    assert!(refused.contains("reader.ocr"), "{refused}");
    let added = stage.run(&["knowledge", "add", "mixed.pdf"]).expect(0).err;
    assert!(added.contains("page 2 is a picture") && added.contains("not recognised (OCR)"), "{added}");
    assert_eq!(shown(&stage, "mixed.pdf")["ocr_program"], Value::Null);
}

/// Inputs: a scan and a mixed PDF, and a program that answers text; expected: the program gets the file, its arguments
/// and nothing of the environment; its words are found on their pages, and the answers say that OCR read them.
#[test]
fn configured_program_reads_a_scan() {
    let script = "test \"$(head -c 5)\" = %PDF- || exit 9\n\
                  printf 'A ticket of %s\\n\\fThe taxi at night\\n' \"$2\"; env | sed 's/=.*//' | grep -v '^_$\\|PWD\\|SHLVL' | sort; printf '\\f'";
    let stage = with_ocr(script, "ocr_arguments = [\"--from\", \"Lyon; exit 8\"]");
    for name in ["scan.pdf", "mixed.pdf"] {
        let added = stage.run(&["knowledge", "add", name]).expect(0).err;
        assert!(added.contains("read by OCR (read-pictures)"), "{added}");
    }
    let scan = shown(&stage, "scan.pdf");
    assert_eq!(scan["ocr_program"], "read-pictures");
    let text = "# Page 1\n\nA ticket of Lyon; exit 8\n\n# Page 2\n\nThe taxi at night\nLC_ALL\nPATH\n\n";
    assert_eq!(scan["text"], text);
    let mixed = shown(&stage, "mixed.pdf");
    let text = mixed["text"].as_str().unwrap();
    assert!(
        text.starts_with("# Page 1\n\nSecond class is reimbursed\n\n# Page 2\n\nThe taxi at night\n"),
        "{text}"
    );
    assert_eq!(mixed["picture_pages"], serde_json::json!([]));
    assert!(stage.run(&["knowledge", "search", "taxi"]).expect(0).out.contains("The taxi at night"));
}

/// Input: a program that answers a PDF with text, as `ocrmypdf` does; expected: that PDF is read.
#[test]
fn pdf_with_recognised_text_is_read() {
    let stage = with_ocr("cat > /dev/null; cat \"$1\"", "ocr_arguments = [\"FOLDER/text.pdf\"]");
    stage.run(&["knowledge", "add", "scan.pdf"]).expect(0);
    let scan = shown(&stage, "scan.pdf");
    assert_eq!(scan["text"], "# Page 1\n\nSecond class is reimbursed\n\n");
    assert_eq!(scan["ocr_program"], "read-pictures");
}

/// Inputs: programs that fail, find nothing, take too much processor time or memory, or do not exist; expected: a scan is
/// refused with the name of the program and the reason, and a mixed PDF is read without its picture.
#[cfg(target_os = "linux")]
#[test]
fn failed_ocr_is_told() {
    let cases = [
        ("echo 'no language eng' >&2; exit 3", "", "exit status: 3: no language eng"),
        ("cat > /dev/null", "", "it found no words"),
        ("while :; do :; done", "ocr_cpu = \"1s\"", "SIGXCPU"),
        ("x=0123456789abcdef; while :; do x=$x$x; done", "ocr_memory = 33554432", "it ended with"),
        ("head -c 2000000 /dev/zero", "output = 1000000", "more than 1 MiB"),
    ];
    for (script, settings, why) in cases {
        let stage = with_ocr(script, settings);
        let refused = stage.run(&["knowledge", "add", "scan.pdf"]).expect(2).err;
        assert!(refused.contains("read-pictures did not recognise their words (OCR)"), "{refused}");
        assert!(refused.contains(why), "{why}: {refused}");
        stage.run(&["knowledge", "add", "mixed.pdf"]).expect(0);
        let mixed = shown(&stage, "mixed.pdf");
        assert_eq!(mixed["picture_pages"], serde_json::json!([2]), "{why}");
    }
    let stage = CliFixture::with_config("[reader]\nocr = \"no-such-program\"\n");
    write_scans(&stage);
    let mut command = stage.command(&["knowledge", "add", "scan.pdf"]);
    let refused = command_output(command.env("LANG", "fr_FR.UTF-8").output().unwrap()).expect(2).err;
    assert!(refused.contains("no-such-program n’en a pas reconnu les mots (OCR)"), "{refused}");
    assert!(refused.contains("No such file"), "{refused}");
}

/// The picture of a page with text, as `pdftoppm` draws it; `None` if it is not installed.
fn drawn_page() -> Option<PagePicture> {
    let folder = tempfile::tempdir().unwrap();
    let (page, picture) = (folder.path().join("page.pdf"), folder.path().join("page"));
    std::fs::write(&page, pdf_with(&[WRITTEN], &PagePicture::blank())).unwrap();
    let mut draw = Command::new("pdftoppm");
    draw.args(["-r", "200", "-gray", "-singlefile"]).arg(&page).arg(&picture);
    draw.stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()
        .filter(std::process::ExitStatus::success)?;
    let drawn = std::fs::read(picture.with_extension("pgm")).unwrap();
    // `P5`, width, height, the most of a byte; then the bytes.
    let mut parts = drawn.splitn(4, u8::is_ascii_whitespace);
    let mut next = || String::from_utf8(parts.next()?.to_vec()).ok();
    let (_, width, height) = (next()?, next()?.parse().ok()?, next()?.parse().ok()?);
    let gray = parts.next()?.splitn(2, u8::is_ascii_whitespace).nth(1)?.to_vec();
    Some(PagePicture { width, height, gray })
}

/// Input: a drawn page, and `ocrmypdf` of Debian with its `tesseract`; expected: its words are found. Without them the
/// test is skipped with a message.
#[test]
fn ocrmypdf_reads_a_scan() {
    let version =
        Command::new("ocrmypdf").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let picture = drawn_page().filter(|_| version.is_ok_and(|status| status.success()));
    let Some(picture) = picture else {
        eprintln!("ocrmypdf_reads_a_scan is skipped: it needs ocrmypdf and poppler-utils");
        return;
    };
    let config =
        "[reader]\nocr = \"ocrmypdf\"\nocr_arguments = [\"--skip-text\", \"--quiet\", \"-\", \"-\"]\n";
    let stage = CliFixture::with_config(config);
    let scan = pdf_with(&[SCANNED, WRITTEN], &picture);
    std::fs::write(stage.folder.path().join("scan.pdf"), scan).unwrap();
    let added = stage.run(&["knowledge", "add", "scan.pdf"]).expect(0).err;
    assert!(added.contains("read by OCR (ocrmypdf)"), "{added}");
    let scan = shown(&stage, "scan.pdf");
    let text = scan["text"].as_str().unwrap();
    assert_eq!(text.matches("Second class is reimbursed").count(), 2, "{text}");
}
