//! Finds headers and footers: lines that come again, up to numbers, at the top or bottom of neighbouring pages.

use std::collections::HashMap;

use super::layout::PageLine;

/// How many rows at the top and at the bottom of a page may be headers or footers.
const EDGE_ROWS: usize = 3;
/// How far apart the baselines of one row are at most, in units of the page.
const ROW_HEIGHT: f64 = 2.0;
/// How far the place of a header differs between two pages at most, in units of the page.
const SHIFT: f64 = 3.0;
/// How many pages apart a header comes again: left and right pages may have different ones.
const PAGE_STEP: usize = 2;
/// On how many pages a header stands at least.
const PAGES_MIN: usize = 3;
/// How much larger than the usual text of its page a header is at most. Larger lines are titles, as those of slides.
const SIZE_MAX: f64 = 1.15;

/// An end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PageEdge {
    Top,
    Bottom,
}

/// The place of a line in the pages of a document.
#[derive(Clone, Copy)]
struct LineIndex {
    page: usize,
    line: usize,
}

/// A line that may be a header or footer.
struct EdgeLine {
    at: LineIndex,
    height: f64,
}

/// For each line of each page whether it is a header or footer.
pub(super) fn find(pages: &[Vec<PageLine>]) -> Vec<Vec<bool>> {
    let mut running: Vec<Vec<bool>> = pages.iter().map(|lines| vec![false; lines.len()]).collect();
    if pages.len() < PAGES_MIN {
        return running;
    }
    let edges: Vec<[Vec<Vec<usize>>; 2]> = pages.iter().map(|lines| edge_rows(lines)).collect();
    let mut known: HashMap<(PageEdge, String), Vec<EdgeLine>> = HashMap::new();
    for (page, (lines, rows)) in pages.iter().zip(&edges).enumerate() {
        for (edge, rows) in [PageEdge::Top, PageEdge::Bottom].into_iter().zip(rows) {
            for line in rows.iter().flatten().copied() {
                let Some(height) = lines.get(line).and_then(PageLine::height) else { continue };
                let text = lines.get(line).map(|line| without_numbers(&line.text)).unwrap_or_default();
                known
                    .entry((edge, text))
                    .or_default()
                    .push(EdgeLine { at: LineIndex { page, line }, height });
            }
        }
    }
    let mut repeated = running.clone();
    for place in known.values().flat_map(|places| repeated_places(places)) {
        set(&mut repeated, place.at);
    }
    for (page, rows) in edges.iter().enumerate() {
        for rows in rows {
            let is_repeated =
                |line: &usize| repeated.get(page).and_then(|page| page.get(*line)).copied().unwrap_or(false);
            // Within the text of the page nothing is a header.
            for line in rows.iter().take_while(|row| row.iter().all(is_repeated)).flatten() {
                set(&mut running, LineIndex { page, line: *line });
            }
        }
    }
    running
}

fn set(marks: &mut [Vec<bool>], at: LineIndex) {
    if let Some(mark) = marks.get_mut(at.page).and_then(|page| page.get_mut(at.line)) {
        *mark = true;
    }
}

/// The first rows from the top, and those from the bottom, each as the places of its lines; without the rows of titles.
fn edge_rows(lines: &[PageLine]) -> [Vec<Vec<usize>>; 2] {
    let usual = usual_size(lines);
    let mut heights: Vec<(usize, f64)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.height()?))).collect();
    heights.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut rows: Vec<(f64, Vec<usize>)> = Vec::new();
    for (at, height) in heights {
        match rows.last_mut() {
            Some((top, row)) if *top - height <= ROW_HEIGHT => row.push(at),
            _ => rows.push((height, vec![at])),
        }
    }
    let is_small = |row: &Vec<usize>| {
        row.iter().all(|at| lines.get(*at).is_some_and(|line| line.size <= SIZE_MAX * usual))
    };
    let rows: Vec<Vec<usize>> = rows.into_iter().map(|(_, row)| row).collect();
    let top = rows.iter().take(EDGE_ROWS).take_while(|row| is_small(row)).cloned().collect();
    let bottom = rows.iter().rev().take(EDGE_ROWS).take_while(|row| is_small(row)).cloned().collect();
    [top, bottom]
}

/// The size of the text in the middle of a page, by its length.
fn usual_size(lines: &[PageLine]) -> f64 {
    let mut sizes: Vec<(f64, usize)> = lines.iter().map(|line| (line.size, line.text.len())).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, length)| length).sum::<usize>() / 2;
    let mut before = 0_usize;
    let middle = sizes.iter().find(|(_, length)| {
        before = before.saturating_add(*length);
        before > half
    });
    middle.map_or(0.0, |(size, _)| *size)
}

/// The places of one text that follow one another over enough pages.
fn repeated_places(places: &[EdgeLine]) -> impl Iterator<Item = &EdgeLine> {
    let follows = |last: &EdgeLine, next: &EdgeLine| {
        next.at.page.saturating_sub(last.at.page) <= PAGE_STEP && (next.height - last.height).abs() <= SHIFT
    };
    let pages = |chain: &&[EdgeLine]| {
        1 + chain.windows(2).filter(|pair| matches!(pair, [a, b] if a.at.page != b.at.page)).count()
    };
    places.chunk_by(follows).filter(move |chain| pages(chain) >= PAGES_MIN).flatten()
}

/// The text of a line with 0 for each number, Arabic or Roman.
fn without_numbers(text: &str) -> String {
    let word = |word: &str| {
        let is_roman = !word.is_empty() && word.chars().all(|char| "ivxlcdmIVXLCDM".contains(char));
        if is_roman {
            return "0".to_owned();
        }
        let mut plain = String::with_capacity(word.len());
        for char in word.chars() {
            match char.is_numeric() {
                true if plain.ends_with('0') => {}
                true => plain.push('0'),
                false => plain.push(char),
            }
        }
        plain
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}
