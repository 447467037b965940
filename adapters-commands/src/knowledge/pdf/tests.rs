use std::process::{Command, Stdio};

use entracte_application::ports::DocumentContent;

use super::{PdfTextError, read};

/// A simple font: Helvetica, or one whose codes from 65 on are the glyphs of these names, each 600 wide.
fn simple_font(names: &str) -> String {
    if names.is_empty() {
        return "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned();
    }
    let widths = "600 ".repeat(26);
    format!(
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/LastChar 90/Widths[{widths}]\
         /Encoding<</Type/Encoding/Differences[65 {names}]>>>>"
    )
}

/// A PDF of one page for each content, with one font for all of them. An object may follow.
fn pdf_with(contents: &[&str], font: &str, extra: &[&str]) -> Vec<u8> {
    let first_page = 4 + extra.len();
    let pages = contents.len();
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", first_page + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{}]/Count {pages}>>", kids.join(" ")),
        font.to_owned(),
    ];
    objects.extend(extra.iter().map(|object| (*object).to_owned()));
    for (page, content) in contents.iter().enumerate() {
        let stream = first_page + 2 * page + 1;
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {stream} 0 R\
             /Resources<</Font<</F1 3 0 R>>/XObject<</I1 4 0 R>>>>>>"
        ));
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    file_of(&objects)
}

/// A PDF file of these objects, of which the first is its catalog.
fn file_of(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj{object}endobj\n", index + 1).bytes());
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let trailer = format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.bytes());
    file
}

/// The text of a PDF, with the pages it lacks.
fn read_pages(bytes: Vec<u8>) -> (String, String) {
    match read(bytes) {
        Ok(DocumentContent::Extracted { text, gaps }) => (text, gaps.to_string()),
        Ok(other) => panic!("{other:?}"),
        Err(PdfTextError::Scanned) => panic!("it is scanned"),
        Err(PdfTextError::Unreadable(why)) => panic!("{why}"),
    }
}

/// The text of a page with this content, without its heading.
fn text_of(content: &str, font: &str) -> String {
    let (text, _) = read_pages(pdf_with(&[content], font, &[]));
    text.strip_prefix("# Page 1\n\n").expect("a heading").trim().to_owned()
}

#[test]
fn gaps_decide_spaces_and_cells() {
    let helvetica = simple_font("");
    let kerned = "BT /F1 10 Tf 50 700 Td [(Se) 30 (cond) -300 (cl) -40 (ass)] TJ ET";
    assert_eq!(text_of(kerned, &helvetica), "Second class");
    // Each glyph is placed by itself, as some printers of web pages do.
    let placed = "BT /F1 10 Tf 50 700 Td (L) Tj 5.6 0 Td (y) Tj 5 0 Td (o) Tj 5.6 0 Td (n) Tj ET";
    assert_eq!(text_of(placed, &helvetica), "Lyon");
    let spaced = "BT /F1 10 Tf 4 Tc 50 700 Td (CHAPTER) Tj ET";
    assert_eq!(text_of(spaced, &helvetica), "CHAPTER");
    let row = "BT /F1 10 Tf 50 700 Td (Lyon) Tj 150 0 Td (90) Tj -150 -12 Td (Paris) Tj 150 0 Td (120) Tj ET";
    assert_eq!(text_of(row, &helvetica), "Lyon\t90\nParis\t120");
}

#[test]
fn columns_are_read_one_after_another() {
    let columns = "BT /F1 10 Tf 50 700 Td (first of) Tj 0 -12 Td (left) Tj 200 12 Td (first of) Tj 0 -12 Td (right) Tj ET";
    assert_eq!(text_of(columns, &simple_font("")), "first of\nleft\n\nfirst of\nright");
}

#[test]
fn text_drawn_out_of_order_keeps_words() {
    let bold_later = "BT /F1 10 Tf 50 700 Td (pay) Tj 0 -20 Td (other) Tj 16.1 20 Td (ment) Tj ET";
    assert_eq!(text_of(bold_later, &simple_font("")), "payment\n\nother");
    let bold_twice = "BT /F1 10 Tf 50 700 Td (twice) Tj 0.3 0 Td (twice) Tj ET";
    assert_eq!(text_of(bold_twice, &simple_font("")), "twice");
}

#[test]
fn divided_words_are_joined() {
    let divided =
        "BT /F1 10 Tf 50 700 Td (the pay-) Tj 0 -12 Td (ment of Jean-) Tj 0 -12 Td (Marc \\255) Tj ET";
    assert_eq!(text_of(divided, &simple_font("")), "the payment of Jean-\nMarc");
}

#[test]
fn ligatures_and_accents_become_letters() {
    let font = simple_font("/fi /fl /dotlessi /acute /e /n /a /l");
    let ligatures = "BT /F1 10 Tf 50 700 Td (AFGH) Tj ET";
    assert_eq!(text_of(ligatures, &font), "final");
    let accent = "BT /F1 10 Tf 50 700 Td (D) Tj 0 0 Td (E) Tj 6 0 Td (F) Tj ET";
    assert_eq!(text_of(accent, &font), "\u{e9}n");
}

#[test]
fn right_to_left_text_is_logical() {
    // Drawn from left to right: 12, a space, then the letters of a word from its last to its first.
    let font = simple_font("/afii57676 /afii57675 /afii57669 /one /two /space");
    assert_eq!(text_of("BT /F1 10 Tf 50 700 Td (DEFBCA) Tj ET", &font), "\u{5dc}\u{5d5}\u{5db} 12");
}

/// Inputs: a letter and its mark in the order of reading and in that of the page; expected: the mark is on its letter,
/// and no word ends at it.
#[test]
fn marks_stand_on_their_letters() {
    // Lam, alef, meem, hamza above; the mark has no width.
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 65/LastChar 68/Widths[600 600 600 0]\
                /Encoding<</Type/Encoding/Differences[65 /afii57444 /afii57415 /afii57445 /uni0654]>>>>";
    let wanted = "\u{645}\u{623}\u{644}";
    let as_read = "BT /F1 10 Tf 70 700 Td (C) Tj -6 0 Td (B) Tj -2 0 Td (D) Tj -4 0 Td (A) Tj ET";
    assert_eq!(text_of(as_read, font), wanted);
    let as_shown = "BT /F1 10 Tf 58 700 Td (A) Tj 4.5 0 Td (D) Tj 1.5 0 Td (B) Tj 6 0 Td (C) Tj ET";
    assert_eq!(text_of(as_shown, font), wanted);
}

/// A page with a title above it, a number below, and two lines of text between.
fn numbered_page(number: u32, lines: [&str; 2]) -> String {
    let [first, second] = lines;
    format!(
        "BT /F1 8 Tf 50 770 Td (Travel policy, page {number} of 4) Tj ET BT /F1 10 Tf 50 700 Td ({first}) Tj \
         0 -12 Td ({second}) Tj ET BT /F1 8 Tf 300 20 Td ({number}) Tj ET"
    )
}

/// Input: four pages, of which two end within a sentence, one of them within a word; expected: each sentence is whole
/// where it begins, and headers and footers are there, after the text of their page.
#[test]
fn sentences_over_pages_are_whole() {
    let pages = [
        numbered_page(1, ["Rule 1.", "Second class is paid to every em-"]),
        numbered_page(2, ["ployee of Lyon. Taxis", "are paid at night,"]),
        numbered_page(3, ["when no bus runs.", "Rule 2."]),
        numbered_page(4, ["end of the rules", "without a sentence"]),
    ];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let (text, _) = read_pages(pdf_with(&pages, &simple_font(""), &[]));
    let expected = "# Page 1\n\nRule 1.\nSecond class is paid to every employee of Lyon.\n\n\
                    Travel policy, page 1 of 4\n\n1\n\n\
                    # Page 2\n\nTaxis\nare paid at night,\nwhen no bus runs.\n\n\
                    Travel policy, page 2 of 4\n\n2\n\n\
                    # Page 3\n\nRule 2.\n\nTravel policy, page 3 of 4\n\n3\n\n\
                    # Page 4\n\nend of the rules\nwithout a sentence\n\nTravel policy, page 4 of 4\n\n4\n\n";
    assert_eq!(text, expected);
}

/// Inputs: titles that are larger than the text, lines that come again within the text, and two pages only; expected:
/// none is taken for a header.
#[test]
fn repeated_lines_of_the_text_stay() {
    let slide = |text: &str| {
        format!(
            "BT /F1 24 Tf 50 700 Td (Results) Tj /F1 10 Tf 0 -40 Td ({text} is the text of a page) Tj 0 -12 Td (Sum: 1) Tj ET"
        )
    };
    let pages = ["one", "two", "three"].map(slide);
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let (text, _) = read_pages(pdf_with(&pages, &simple_font(""), &[]));
    assert!(text.contains("# Page 2\n\nResults\n\ntwo is the text of a page\n"), "{text}");
    let inner = |text: &str| {
        format!(
            "BT /F1 10 Tf 50 700 Td ({text} begins) Tj 0 -12 Td (Total) Tj 0 -12 Td ({text} goes on) Tj 0 -12 Td ({text} ends) Tj ET"
        )
    };
    let pages = ["A", "B", "C"].map(inner);
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let (text, _) = read_pages(pdf_with(&pages, &simple_font(""), &[]));
    assert!(text.contains("# Page 2\n\nB begins\nTotal\nB goes on\nB ends\n"), "{text}");
    let two = [numbered_page(1, ["A", "B"]), numbered_page(2, ["C", "D"])];
    let (text, _) = read_pages(pdf_with(&[&two[0], &two[1]], &simple_font(""), &[]));
    assert!(text.starts_with("# Page 1\n\nTravel policy"), "{text}");
}

#[test]
fn predefined_cmap_gives_unicode() {
    let descendant = "<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/DW 1000\
                      /CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>";
    let font = "<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light-H/Encoding/H/DescendantFonts[4 0 R]>>";
    let content = "BT /F1 10 Tf 50 700 Td <467c4b5c386c> Tj ET";
    let (text, _) = read_pages(pdf_with(&[content], font, &[descendant]));
    assert!(text.contains("\u{65e5}\u{672c}\u{8a9e}"), "{text}");
}

#[test]
fn actual_text_replaces_glyphs() {
    let marked = "BT /F1 10 Tf 50 700 Td (a) Tj /Span<</ActualText(b c)>>BDC (xyz) Tj EMC (d) Tj ET";
    assert_eq!(text_of(marked, &simple_font("")), "ab cd");
    let ligature = "BT /F1 10 Tf 50 700 Td /Span<</ActualText<FEFFFB01>>>BDC (x) Tj EMC (nal) Tj ET";
    assert_eq!(text_of(ligature, &simple_font("")), "final");
}

#[test]
fn empty_password_opens_document() {
    let (text, _) = read_pages(include_bytes!("fixtures/empty_password.pdf").to_vec());
    assert!(text.contains("Expenses are paid within 30 days"), "{text}");
    let locked = read(include_bytes!("fixtures/locked.pdf").to_vec());
    assert!(matches!(&locked, Err(PdfTextError::Unreadable(why)) if why.contains("password")));
}

/// Input: a page of text, one with a font that does not exist, a picture, and text again.
#[test]
fn lost_pages_are_numbered() {
    let image = "<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>\
                 stream\nx\nendstream";
    let good = "BT /F1 10 Tf 50 700 Td (Second class) Tj ET";
    let no_font = "BT /F9 10 Tf 50 700 Td (Second class) Tj ET";
    let picture = "q 500 0 0 500 0 0 cm /I1 Do Q";
    let file = pdf_with(&[good, no_font, picture, good, ""], &simple_font(""), &[image]);
    let (text, gaps) = read_pages(file.clone());
    assert_eq!(gaps, "2/3/0");
    assert!(text.contains("# Page 1\n") && text.contains("# Page 4\n"), "{text}");
    // The content of the second page of text does not exist.
    let damaged = String::from_utf8_lossy(&file).replacen("/Contents 12 0 R", "/Contents 99 0 R", 1);
    assert_eq!(read_pages(damaged.into_bytes()).1, "2,4/3/0");
    let scan = read(pdf_with(&[picture, picture], &simple_font(""), &[image]));
    assert!(matches!(scan, Err(PdfTextError::Scanned)));
    let broken = read(pdf_with(&[no_font, picture], &simple_font(""), &[image]));
    assert!(matches!(&broken, Err(PdfTextError::Unreadable(why)) if why == "its pages are damaged: 1"));
    let empty = read_pages(pdf_with(&["", "0 0 m 9 9 l S"], &simple_font(""), &[image]));
    assert_eq!(empty, (String::new(), "//0".to_owned()), "a page without pictures is empty, not scanned");
}

/// The browser that `.ci/browser` installs, or the one of `CHROMIUM`.
#[expect(clippy::disallowed_methods, reason = "the script that installs the software says where it is")]
fn browser() -> Option<String> {
    let names =
        [std::env::var("CHROMIUM").ok(), Some("chromium".to_owned()), Some("chromium-browser".to_owned())];
    let runs = |name: &String| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    names.into_iter().flatten().find(runs)
}

const PRINTED: &str =
    "Second class journeys are reimbursed within thirty days of arrival, office financing included.";

/// A page that Chromium prints, which places each glyph by itself; `None` without a browser.
fn printed_by_browser() -> Option<Vec<u8>> {
    let browser = browser()?;
    let folder = tempfile::tempdir().expect("a folder");
    let (page, printed) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
    let html = format!(
        "<meta charset=utf-8><h1>Travel expenses</h1><p style='text-align: justify; letter-spacing: 0.4px'>{}\
         <table><tr><td>Lyon<td>ninety<tr><td>Paris<td>hundred</table><p dir=rtl>\u{645}\u{631}\u{62d}\u{628}\u{627} (12)",
        PRINTED.replace("fi", "\u{fb01}")
    );
    std::fs::write(&page, html).expect("it is written");
    let mut print = Command::new(browser);
    print.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]);
    print.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    print.arg(format!("--print-to-pdf={}", printed.display())).arg(format!("file://{}", page.display()));
    let status = print.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it runs");
    assert!(status.success(), "{status}");
    Some(std::fs::read(&printed).expect("a PDF"))
}

/// A page that cairo prints, with fonts of its own; `None` without the program of poppler.
fn printed_by_cairo() -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let (page, printed) = (folder.path().join("page.pdf"), folder.path().join("printed.pdf"));
    let content = format!(
        "BT /F1 20 Tf 50 740 Td (Travel expenses) Tj /F1 10 Tf 0 -40 Td ({PRINTED}) Tj 0 -30 Td (Lyon) Tj \
         100 0 Td (ninety) Tj ET"
    );
    std::fs::write(&page, pdf_with(&[&content], &simple_font(""), &[])).expect("it is written");
    let mut print = Command::new("pdftocairo");
    print.arg("-pdf").arg(&page).arg(&printed).stdout(Stdio::null()).stderr(Stdio::null());
    let status = print.status().ok()?;
    assert!(status.success(), "{status}");
    Some(std::fs::read(&printed).expect("a PDF"))
}

/// Inputs: pages that Chromium and cairo print; expected: their words. Without one of the programs its page is left out
/// with a message.
#[test]
fn browser_printed_pdf_is_searchable() {
    let usual = vec!["Travel expenses", PRINTED, "Lyon ninety"];
    let arabic = "\u{645}\u{631}\u{62d}\u{628}\u{627} (12)";
    let pages = [
        ("Chromium (.ci/browser installs it)", printed_by_browser(), [usual.clone(), vec![arabic]].concat()),
        ("pdftocairo (poppler-utils)", printed_by_cairo(), usual),
    ];
    for (program, printed, wanted) in pages {
        let Some(printed) = printed else {
            eprintln!("browser_printed_pdf_is_searchable leaves a page out: there is no {program}");
            continue;
        };
        let (text, gaps) = read_pages(printed);
        assert_eq!(gaps, "//0", "{program}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in wanted {
            assert!(words.contains(wanted), "{program}, {wanted}: {words}");
        }
    }
}
