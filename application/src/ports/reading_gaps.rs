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

/// The parts of the original that the text of a document lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingGaps {
    /// Pages that could not be read, or only in part.
    pub lost: PageNumbers,
    /// Pages that hold pictures and no text, as those of a scanner do.
    pub pictures: PageNumbers,
    /// How many texts a person would not see; they were left out.
    pub hidden_texts: u32,
}

impl ReadingGaps {
    /// Whether all of the original was read.
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.pictures.is_empty() && self.hidden_texts == 0
    }
}

/// Written as the lost pages, the pages of pictures and the number of hidden texts: `3-5/9/0`.
impl fmt::Display for ReadingGaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.lost, self.pictures, self.hidden_texts)
    }
}

/// A text that is no [`ReadingGaps`] in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it does not say what a text lacks")]
pub struct ReadingGapsError;

impl FromStr for ReadingGaps {
    type Err = ReadingGapsError;

    fn from_str(text: &str) -> Result<Self, ReadingGapsError> {
        let mut parts = text.split('/');
        let (Some(lost), Some(pictures), Some(hidden), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(ReadingGapsError);
        };
        let pages = |text: &str| text.parse::<PageNumbers>().map_err(|PageNumbersError| ReadingGapsError);
        let hidden_texts = hidden.parse().map_err(|_| ReadingGapsError)?;
        Ok(Self { lost: pages(lost)?, pictures: pages(pictures)?, hidden_texts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_gaps_round_trip() {
        for text in ["//0", "3//0", "/7/2", "1-3,5,9-10/12/0"] {
            let gaps: ReadingGaps = text.parse().unwrap();
            assert_eq!(gaps.to_string(), text);
        }
        assert_eq!("1-3,5//0".parse::<ReadingGaps>().unwrap().lost.as_slice(), [1, 2, 3, 5]);
        for wrong in ["", "3/", "a//0", "1-//0", "1-4000000000//0", "//x", "//0/"] {
            assert_eq!(wrong.parse::<ReadingGaps>(), Err(ReadingGapsError), "{wrong}");
        }
    }
}
