use crate::ports::ReadingGaps;
use crate::texts::{LocalizedTexts, say};

/// What a reader of a document's text has to know of the pages that it lacks; empty if it lacks none.
pub fn gap_remarks(gaps: &ReadingGaps, texts: &LocalizedTexts) -> Vec<String> {
    let mut remarks = Vec::new();
    if !gaps.lost.is_empty() {
        let (count, pages) = (gaps.lost.len(), gaps.lost.to_string());
        remarks.push(say!(texts, "knowledge-lost-pages", count = count, pages = pages));
    }
    if !gaps.pictures.is_empty() {
        let (count, pages) = (gaps.pictures.len(), gaps.pictures.to_string());
        remarks.push(say!(texts, "knowledge-picture-pages", count = count, pages = pages));
    }
    if gaps.hidden_texts > 0 {
        remarks.push(say!(texts, "knowledge-hidden-texts", count = gaps.hidden_texts));
    }
    remarks
}
