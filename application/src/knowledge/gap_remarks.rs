use crate::ports::ReadingGaps;
use crate::texts::{LocalizedTexts, say};

/// What a reader of a document's text has to know of what it lacks; empty if it lacks nothing.
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
    if gaps.outside_style_sheets > 0 {
        remarks.push(say!(texts, "knowledge-style-sheets", count = gaps.outside_style_sheets));
    }
    if gaps.broken_characters > 0 {
        remarks.push(say!(texts, "knowledge-broken-characters", count = gaps.broken_characters));
    }
    if gaps.is_article_only {
        remarks.push(say!(texts, "knowledge-article-only"));
    }
    if let Some(program) = &gaps.ocr_program {
        remarks.push(say!(texts, "knowledge-ocr", program = program));
    }
    remarks
}
