//! The article of a page, as the reading view of a browser finds it.

use std::rc::Rc;

use dom_smoothie::{Article, Readability};
use htmd::Node;
use html5ever::serialize::{SerializeOpts, TraversalScope, serialize};
use markup5ever_rcdom::SerializableHandle;

/// The article of a page; `None` if it has none. Hidden text was removed before.
pub(super) fn html(page: &Rc<Node>) -> Option<String> {
    let mut html = Vec::new();
    let scope =
        SerializeOpts { traversal_scope: TraversalScope::ChildrenOnly(None), ..SerializeOpts::default() };
    serialize(&mut html, &SerializableHandle::from(Rc::clone(page)), scope).ok()?;
    let html = String::from_utf8(html).ok()?;
    let mut page = Readability::new(html, None, None).ok()?;
    // Of a page without enough text the parser would answer any part.
    if !page.is_probably_readable() {
        return None;
    }
    let Article { content, .. } = page.parse().ok()?;
    Some(content.to_string())
}
