//! PDF: the number of pages, as far as it stands in clear text.

/// The first bytes of every PDF.
pub(super) const SIGNATURE: &[u8] = b"%PDF-";

/// The number of pages: of the roots of page trees the largest count, or else the pages themselves. `None` if the page
/// tree is compressed, which nothing here unpacks.
pub(super) fn count_pages(bytes: &[u8]) -> Option<u32> {
    let (mut counted, mut pages, mut trees) = (None, 0_u32, 0);
    for (at, _) in bytes.windows(TYPE.len()).enumerate().filter(|(_, window)| *window == TYPE) {
        match name_at(bytes.get(at + TYPE.len()..).unwrap_or_default()) {
            b"Pages" if trees < TREES_MAX => {
                trees += 1;
                counted = counted.max(count_of(dictionary_around(bytes, at)));
            }
            b"Page" => pages = pages.saturating_add(1),
            _ => {}
        }
    }
    counted.or((pages > 0).then_some(pages))
}

const TYPE: &[u8] = b"/Type";
const COUNT: &[u8] = b"/Count";
/// The page trees that are looked at, and the bytes of each before and after its type: what a file costs is bounded.
const TREES_MAX: usize = 1_000;
const TREE_BYTES: usize = 4_096;

/// The name that begins a text, without its slash; empty if there is none.
fn name_at(bytes: &[u8]) -> &[u8] {
    let Some(name) = skip_space(bytes).strip_prefix(b"/") else { return &[] };
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}

/// The text of the object around a position, as far as its delimiters show.
fn dictionary_around(bytes: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(TREE_BYTES);
    let until = bytes.len().min(at.saturating_add(TREE_BYTES));
    let before = bytes.get(from..at).unwrap_or_default();
    let after = bytes.get(at..until).unwrap_or_default();
    let start = before.windows(3).rposition(|window| window == b"obj").map_or(from, |start| from + start);
    let end = after.windows(6).position(|window| window == b"endobj").map_or(until, |end| at + end);
    bytes.get(start..end).unwrap_or_default()
}

fn count_of(dictionary: &[u8]) -> Option<u32> {
    let at = dictionary.windows(COUNT.len()).position(|window| window == COUNT)?;
    let digits = skip_space(dictionary.get(at + COUNT.len()..)?);
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_start()
}
