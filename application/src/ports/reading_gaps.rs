use std::fmt;
use std::str::FromStr;

/// Page numbers from 1, in ascending order. Written as `3`, `3-5` or `3-5,9`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageNumbers(Vec<u32>);

impl PageNumbers {
    /// The pages.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// Whether it has no page.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<u32> for PageNumbers {
    fn from_iter<I: IntoIterator<Item = u32>>(pages: I) -> Self {
        let mut pages: Vec<u32> = pages.into_iter().collect();
        pages.sort_unstable();
        pages.dedup();
        Self(pages)
    }
}

impl fmt::Display for PageNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|before, next| before.checked_add(1) == Some(*next));
        for (index, run) in runs.enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match run {
                [] => {}
                [page] => write!(f, "{page}")?,
                [first, .., last] => write!(f, "{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// A text that lists no pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no list of pages")]
pub struct PageNumbersError;

impl FromStr for PageNumbers {
    type Err = PageNumbersError;

    fn from_str(text: &str) -> Result<Self, PageNumbersError> {
        let page = |text: &str| text.parse::<u32>().map_err(|_| PageNumbersError);
        let mut pages = Vec::new();
        for run in text.split(',').filter(|run| !run.is_empty()) {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            let (first, last) = (page(first)?, page(last)?);
            if last.saturating_sub(first) > PAGES_MAX {
                return Err(PageNumbersError);
            }
            pages.extend(first..=last);
        }
        Ok(pages.into_iter().collect())
    }
}

/// More pages than a document has.
const PAGES_MAX: u32 = 10_000_000;

/// The parts of the original that the text of a document lacks, or has only by a guess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingGaps {
    /// Pages that could not be read, or only in part.
    pub lost: PageNumbers,
    /// Pages that hold pictures and no text, as those of a scanner do.
    pub pictures: PageNumbers,
    /// How many texts a person would not see; they were left out.
    pub hidden_texts: u32,
    /// How many style sheets outside of a web page were not loaded. What they hide is part of the text.
    pub outside_style_sheets: u32,
    /// In how many places the original has bytes that are no characters in its encoding; each is `U+FFFD` in the text.
    pub broken_characters: u32,
    /// Whether only the article of a web page was read, without what stands around it.
    pub is_article_only: bool,
    /// The program that recognised words in pictures (OCR), if one did. Its words may be wrong.
    pub ocr_program: Option<String>,
}

impl ReadingGaps {
    /// Whether all of the original was read.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Written as the lost pages, the pages of pictures and the number of hidden texts: `3-5/9/0`; then, if anything follows,
/// the numbers of outside style sheets and of broken characters, `//2/1/0`, and what else there is: `article`, and the
/// program of the OCR, `ocr=tesseract`.
impl fmt::Display for ReadingGaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.lost, self.pictures, self.hidden_texts)?;
        let is_longer = self.is_article_only || self.ocr_program.is_some();
        if is_longer || self.outside_style_sheets > 0 || self.broken_characters > 0 {
            write!(f, "/{}/{}", self.outside_style_sheets, self.broken_characters)?;
        }
        if self.is_article_only {
            write!(f, "/{ARTICLE}")?;
        }
        if let Some(program) = &self.ocr_program {
            let separates = |char: char| char == '/' || char.is_control();
            write!(f, "/{OCR}{}", program.replace(separates, "_"))?;
        }
        Ok(())
    }
}

const ARTICLE: &str = "article";
const OCR: &str = "ocr=";

/// A text that is no [`ReadingGaps`] in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it does not say what a text lacks")]
pub struct ReadingGapsError;

impl FromStr for ReadingGaps {
    type Err = ReadingGapsError;

    fn from_str(text: &str) -> Result<Self, ReadingGapsError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (lost, pictures, hidden, sheets, broken, others) = match parts.as_slice() {
            [lost, pictures, hidden] => (lost, pictures, hidden, "0", "0", &[][..]),
            [lost, pictures, hidden, sheets, broken, others @ ..] => {
                (lost, pictures, hidden, *sheets, *broken, others)
            }
            _ => return Err(ReadingGapsError),
        };
        let (is_article_only, ocr_program) = match others {
            [] => (false, None),
            [ARTICLE] => (true, None),
            [program] => (false, Some(*program)),
            [ARTICLE, program] => (true, Some(*program)),
            _ => return Err(ReadingGapsError),
        };
        let ocr_program = match ocr_program.map(|program| program.strip_prefix(OCR)) {
            Some(Some(program)) if !program.is_empty() => Some(program.to_owned()),
            Some(_) => return Err(ReadingGapsError),
            None => None,
        };
        let count = |text: &str| text.parse::<u32>().map_err(|_| ReadingGapsError);
        let pages = |text: &str| text.parse::<PageNumbers>().map_err(|PageNumbersError| ReadingGapsError);
        Ok(Self {
            lost: pages(lost)?,
            pictures: pages(pictures)?,
            hidden_texts: count(hidden)?,
            outside_style_sheets: count(sheets)?,
            broken_characters: count(broken)?,
            is_article_only,
            ocr_program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_gaps_round_trip() {
        for text in [
            "//0",
            "3//0",
            "/7/2",
            "1-3,5,9-10/12/0",
            "//2/1/0",
            "//0/0/3",
            "//0/0/0/article",
            "2/3/0/0/0/ocr=tesseract",
            "//4/1/0/article/ocr=a.sh",
        ] {
            let gaps: ReadingGaps = text.parse().unwrap();
            assert_eq!(gaps.to_string(), text);
        }
        assert_eq!("1-3,5//0".parse::<ReadingGaps>().unwrap().lost.as_slice(), [1, 2, 3, 5]);
        for wrong in [
            "",
            "3/",
            "a//0",
            "1-//0",
            "1-4000000000//0",
            "//x",
            "//0/",
            "//0/1",
            "//0/1/x",
            "//0/1/2/3",
            "//0/1/2/ocr=",
            "//0/1/2/article/3",
            "//0/1/2/ocr=a/article",
        ] {
            assert_eq!(wrong.parse::<ReadingGaps>(), Err(ReadingGapsError), "{wrong}");
        }
        let named = ReadingGaps { ocr_program: Some("a/b\nc".to_owned()), ..ReadingGaps::default() };
        assert_eq!(named.to_string().parse::<ReadingGaps>().unwrap().ocr_program.as_deref(), Some("a_b_c"));
    }
}
