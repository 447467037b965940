//! Pagination by the key of the last item instead of a count, so that insertions neither repeat nor skip items. Cursors
//! are opaque, and valid only for their list.

use entracte_application::system::sha256;
use entracte_application::texts::saying;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::{Problem, ProblemCode};

/// Default page size.
pub const LIMIT: u32 = 50;
/// Largest page size.
pub const LIMIT_MAX: u32 = 200;
/// Characters of the list fingerprint in a cursor.
const MARK: usize = 16;

/// Which page.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// At most this many items, 1 to 200; 50 unless given.
    pub limit: Option<u32>,
    /// The `next` of the page before.
    pub after: Option<String>,
}

/// A page.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// Its items.
    pub items: Vec<T>,
    /// Where the next page begins: `?after=`; null after the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Maps each item to another shape.
    pub fn map<U>(self, shape: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(shape).collect(), next: self.next }
    }
}

/// A page of a complete list. `key` is unique per item and defines the order. `list` names the list and its filter.
///
/// # Errors
/// If the cursor belongs to another list, or the limit is out of range.
pub fn page_of_list<T>(
    mut items: Vec<T>,
    list: &str,
    query: &PageQuery,
    key: impl Fn(&T) -> String,
) -> Result<Page<T>, Problem> {
    items.sort_by_cached_key(|item| key(item));
    if let Some(last) = read_cursor_key(list, query)? {
        items.retain(|item| key(item) > last);
    }
    page_after_cursor(items, list, query, key)
}

/// A page of the items after [`read_cursor_key`], in order; one item more than [`page_limit`] shows that another page
/// follows.
///
/// # Errors
/// If the limit is out of range.
pub fn page_after_cursor<T>(
    mut items: Vec<T>,
    list: &str,
    query: &PageQuery,
    key: impl Fn(&T) -> String,
) -> Result<Page<T>, Problem> {
    let limit = page_limit(query)?;
    let is_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| is_more).map(|last| encode_cursor(list, &key(last)));
    Ok(Page { items, next })
}

/// The key of the previous page's last item; `None` for the first page.
///
/// # Errors
/// If the cursor belongs to another list.
pub fn read_cursor_key(list: &str, query: &PageQuery) -> Result<Option<String>, Problem> {
    query.after.as_ref().map(|cursor| decode_cursor(list, cursor)).transpose()
}

/// The requested page size.
///
/// # Errors
/// If it is out of range.
pub fn page_limit(query: &PageQuery) -> Result<usize, Problem> {
    let limit = query.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        let says = saying!("refusal-page-limit", limit = limit, most = LIMIT_MAX);
        return Err(Problem::invalid_field("limit", says));
    }
    Ok(limit as usize)
}

/// A key part that sorts later instants first.
pub fn latest_first(at: Timestamp) -> String {
    descending(u64::try_from(at.0).unwrap_or(0))
}

/// A key part that sorts greater numbers first.
pub fn descending(number: u64) -> String {
    format!("{:020}", u64::MAX - number)
}

fn list_digest(list: &str) -> String {
    sha256(list.as_bytes()).as_str().chars().take(MARK).collect()
}

/// The cursor of a list that begins its next page after `key`.
pub fn encode_cursor(list: &str, key: &str) -> String {
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{}{hex}", list_digest(list))
}

fn decode_cursor(list: &str, cursor: &str) -> Result<String, Problem> {
    let wrong = || {
        let text = saying!("refusal-cursor-other");
        Problem::new(ProblemCode::CursorInvalid, text)
    };
    let hex = cursor.strip_prefix(list_digest(list).as_str()).ok_or_else(wrong)?;
    let digits: Option<Vec<u32>> = hex.chars().map(|letter| letter.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0).ok_or_else(wrong)?;
    let bytes = digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap_or(0)).collect();
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: &u64) -> String {
        descending(*number)
    }

    fn query(limit: u32, after: Option<String>) -> PageQuery {
        PageQuery { limit: Some(limit), after }
    }

    #[test]
    fn pages_list_items_once_despite_insertions() {
        let mut items: Vec<u64> = (1..=7).collect();
        let mut after = None;
        let mut told = Vec::new();
        loop {
            let page = page_of_list(items.clone(), "numbers", &query(3, after), key).unwrap();
            told.extend(page.items);
            // A new item comes first, and the last item of the previous page is removed.
            items.push(items.len() as u64 + 10);
            items.retain(|item| Some(item) != told.last());
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(told, [7, 6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn cursor_is_valid_for_its_list_only() {
        let page = page_of_list(vec![1, 2, 3], "numbers", &query(1, None), key).unwrap();
        let next = page.next.unwrap();
        for (list, cursor) in [
            ("numbers?open", next.clone()),
            ("numbers", "nonsense".into()),
            ("numbers", format!("{next}g1")),
            ("numbers", format!("{next}1")),
            ("numbers", String::new()),
        ] {
            let answer = page_of_list(vec![1, 2, 3], list, &query(1, Some(cursor.clone())), key);
            assert_eq!(answer.unwrap_err().code(), ProblemCode::CursorInvalid, "{list} {cursor}");
        }
    }

    #[test]
    fn a_page_has_1_to_200_items() {
        for limit in [0, LIMIT_MAX + 1] {
            assert_eq!(
                page_of_list(vec![1], "numbers", &query(limit, None), key).unwrap_err().code(),
                ProblemCode::Invalid
            );
        }
        let all = page_of_list((0..300).collect(), "numbers", &PageQuery::default(), key).unwrap();
        assert_eq!(all.items.len(), LIMIT as usize);
    }
}
