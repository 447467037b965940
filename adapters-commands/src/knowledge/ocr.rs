//! Adds to a PDF what a program recognised in its pictures (OCR). Pure.

use std::path::Path;

use entracte_application::ports::{DocumentContent, DocumentConversionError, ReadingGaps};

use super::page_sections::{page_section, sections, without_marks};

/// How a PDF begins.
const PDF_START: &[u8] = b"%PDF-";
/// The character that ends a page of text.
const PAGE_END: char = '\u{c}';
/// The reason when nothing was recognised.
const NO_WORDS: &str = "it found no words";

/// Whether the words of a document, or of some of its pages, are in pictures.
pub(super) fn has_pictures(read: &Result<DocumentContent, DocumentConversionError>) -> bool {
    match read {
        Ok(DocumentContent::Extracted { gaps, .. }) => !gaps.pictures.is_empty(),
        Err(error) => *error == DocumentConversionError::Scanned,
        Ok(_) => false,
    }
}

/// The name of a program in messages.
pub(super) fn program_name(program: &str) -> String {
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| program.to_owned())
}

/// What a program of OCR answers.
#[derive(Debug, PartialEq)]
pub(super) enum OcrAnswer {
    /// A PDF with text.
    Pdf(Vec<u8>),
    /// The text of each page.
    Pages(Vec<String>),
}

impl OcrAnswer {
    /// Tells a PDF from text, whose pages end with a form feed.
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.starts_with(PDF_START) {
            return Ok(Self::Pdf(bytes));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| "its answer is neither a PDF nor UTF-8".to_owned())?;
        let mut pages: Vec<String> = text.split(PAGE_END).map(str::to_owned).collect();
        if pages.len() > 1 && pages.last().is_some_and(|last| last.trim().is_empty()) {
            pages.pop();
        }
        if pages.iter().all(|page| page.trim().is_empty()) {
            return Err(NO_WORDS.to_owned());
        }
        Ok(Self::Pages(pages))
    }
}

/// What was read of a document, with the pages that a program recognised; the reason if they add nothing.
pub(super) fn with_pages(
    read: &Result<DocumentContent, DocumentConversionError>,
    pages: &[String],
    program: String,
) -> Result<DocumentContent, String> {
    let is_blank = |page: &str| page.trim().is_empty();
    let (text, gaps) = match read {
        Ok(DocumentContent::Extracted { text, gaps }) => (text, gaps),
        Err(DocumentConversionError::Scanned) => {
            let numbered = (1..).zip(pages);
            let text = match pages {
                // Without an end of a page it may be the text of several.
                [text] => without_marks(text),
                _ => {
                    let written = numbered.clone().filter(|(_, page)| !is_blank(page));
                    written.map(|(number, page)| section(number, page)).collect()
                }
            };
            let blank = numbered.filter(|(_, page)| is_blank(page)).map(|(number, _)| number);
            let (pictures, ocr_program) = (blank.collect(), Some(program));
            let gaps = ReadingGaps { pictures, ocr_program, ..ReadingGaps::default() };
            return Ok(DocumentContent::Extracted { text, gaps });
        }
        Ok(_) | Err(_) => return Err(NO_WORDS.to_owned()),
    };
    let page = |number: u32| usize::try_from(number).ok()?.checked_sub(1).and_then(|at| pages.get(at));
    let wanted = gaps.pictures.as_slice();
    if !wanted.iter().all(|number| page(*number).is_some()) {
        return Err("it answered fewer pages than there are (each ends with a form feed)".to_owned());
    }
    let has_words = |number: &u32| page(*number).is_some_and(|page| !is_blank(page));
    let (recognised, left): (Vec<u32>, Vec<u32>) = wanted.iter().partition(|number| has_words(number));
    if recognised.is_empty() {
        return Err(NO_WORDS.to_owned());
    }
    let mut all = sections(text);
    all.extend(recognised.into_iter().filter_map(|number| Some((number, section(number, page(number)?)))));
    all.sort_by_key(|(number, _)| *number);
    let text = all.into_iter().map(|(_, section)| section).collect();
    let (pictures, ocr_program) = (left.into_iter().collect(), Some(program));
    let gaps = ReadingGaps { pictures, ocr_program, ..gaps.clone() };
    Ok(DocumentContent::Extracted { text, gaps })
}

fn section(number: u32, page: &str) -> String {
    page_section(number, &[page.to_owned()])
}

/// What was read of the PDF that a program made of a document; the reason if it has no text.
pub(super) fn with_document(
    recognised: Result<DocumentContent, DocumentConversionError>,
    program: String,
) -> Result<DocumentContent, String> {
    match recognised {
        Ok(DocumentContent::Extracted { text, gaps }) if !text.trim().is_empty() => {
            let gaps = ReadingGaps { ocr_program: Some(program), ..gaps };
            Ok(DocumentContent::Extracted { text, gaps })
        }
        Ok(_) | Err(DocumentConversionError::Scanned) => Err(NO_WORDS.to_owned()),
        Err(error) => Err(format!("the PDF that it made cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Result<DocumentContent, DocumentConversionError> {
        let text = "# Page 1\n\nfirst\n\n# Page 3\n\nthird\n\\# Page 9\n\n".to_owned();
        Ok(DocumentContent::Extracted { text, gaps: "5/2,4/0".parse().unwrap() })
    }

    fn pages(answer: &str) -> Vec<String> {
        match OcrAnswer::parse(answer.as_bytes().to_vec()).unwrap() {
            OcrAnswer::Pages(pages) => pages,
            OcrAnswer::Pdf(_) => panic!("a PDF"),
        }
    }

    fn text_and_gaps(content: DocumentContent) -> (String, String) {
        match content {
            DocumentContent::Extracted { text, gaps } => (text, gaps.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ocr_answer_is_pdf_or_pages() {
        assert_eq!(OcrAnswer::parse(b"%PDF-1.7".to_vec()), Ok(OcrAnswer::Pdf(b"%PDF-1.7".to_vec())));
        assert_eq!(pages("one\n\u{c}\u{c}three\u{c}\n"), ["one\n", "", "three"]);
        assert_eq!(OcrAnswer::parse(b" \x0c\n".to_vec()), Err(NO_WORDS.to_owned()));
        assert!(OcrAnswer::parse(vec![0xff]).is_err());
    }

    /// Inputs: a scan, and a PDF of which two pages are pictures; expected: the recognised pages are under their
    /// numbers, a page without words is still told, and so is the program.
    #[test]
    fn recognised_pages_stand_in_their_places() {
        let scan = || Err(DocumentConversionError::Scanned);
        let read = with_pages(&scan(), &pages("# a\u{c}\u{c}c\u{c}"), "ocr".to_owned()).unwrap();
        let expected = "# Page 1\n\n\\# a\n\n# Page 3\n\nc\n\n".to_owned();
        assert_eq!(text_and_gaps(read), (expected, "/2/0/0/0/ocr=ocr".to_owned()));
        let read = with_pages(&scan(), &pages("one text"), "ocr".to_owned()).unwrap();
        assert_eq!(text_and_gaps(read).0, "one text\n");
        let read = with_pages(&mixed(), &pages("x\u{c}second\u{c}y\u{c} \u{c}"), "ocr".to_owned()).unwrap();
        let expected =
            "# Page 1\n\nfirst\n\n# Page 2\n\nsecond\n\n# Page 3\n\nthird\n\\# Page 9\n\n".to_owned();
        assert_eq!(text_and_gaps(read), (expected, "5/4/0/0/0/ocr=ocr".to_owned()));
    }

    #[test]
    fn ocr_without_words_says_why() {
        let refused = |answer| with_pages(&mixed(), &pages(answer), "ocr".to_owned()).unwrap_err();
        assert!(refused("one page").contains("fewer pages"));
        assert_eq!(refused("a\u{c} \u{c}c\u{c} \u{c}"), NO_WORDS);
        let document = |read| with_document(read, "ocr".to_owned()).unwrap_err();
        assert_eq!(document(Err(DocumentConversionError::Scanned)), NO_WORDS);
        assert!(document(Err(DocumentConversionError::NotText)).contains("cannot be read"));
    }

    #[test]
    fn only_pictures_need_ocr() {
        assert!(has_pictures(&mixed()) && has_pictures(&Err(DocumentConversionError::Scanned)));
        assert!(!has_pictures(&Ok(DocumentContent::Plain(String::new()))));
        assert!(!has_pictures(&Err(DocumentConversionError::NotText)));
        assert_eq!(program_name("/usr/bin/tesseract"), "tesseract");
    }
}
