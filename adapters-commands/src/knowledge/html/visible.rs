//! Removes from a page what a person would not see, and keeps the texts of what is not text.

use std::cell::RefCell;
use std::rc::Rc;

use htmd::Node;
use markup5ever_rcdom::NodeData;

use super::css::{HidingRules, HidingStyle, count_imports};

/// Elements that are shown apart from what follows them, although the converter takes them for parts of a word.
const APART: [&str; 10] =
    ["button", "option", "label", "legend", "summary", "figcaption", "dt", "dd", "output", "meter"];
/// Elements whose content is no text of the page.
const NO_TEXT: [&str; 6] = ["script", "style", "template", "head", "title", "noscript"];

/// What a page hides, and what may hide more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VisibilityReport {
    /// How many hidden texts were removed.
    pub(super) hidden_texts: u32,
    /// How many style sheets outside of the page it refers to. They are not loaded, so what they hide is still there.
    pub(super) outside_style_sheets: u32,
}

/// Removes the hidden texts of a page. The depth of the page was bounded before.
pub(super) fn remove_hidden(page: &Rc<Node>) -> VisibilityReport {
    let mut styles = PageStyles::default();
    styles.collect(page);
    let imports = count_imports(&styles.own);
    let mut sieve = VisibilitySieve { rules: HidingRules::parse(&styles.own), hidden: 0 };
    sieve.sift(page, HidingStyle::default());
    VisibilityReport {
        hidden_texts: sieve.hidden,
        outside_style_sheets: styles.links.saturating_add(imports),
    }
}

/// The style sheets of a page.
#[derive(Default)]
struct PageStyles {
    /// The texts of all `<style>` elements.
    own: String,
    /// The number of `<link rel="stylesheet">` elements.
    links: u32,
}

impl PageStyles {
    fn collect(&mut self, node: &Rc<Node>) {
        match name_of(node) {
            Some("style") => {
                self.own.push_str(&text_of(node));
                self.own.push('\n');
            }
            Some("link") => {
                let relations = attribute_of(node, "rel").unwrap_or_default();
                let is_sheet =
                    relations.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("stylesheet"));
                self.links = self.links.saturating_add(u32::from(is_sheet));
            }
            Some(_) | None => {}
        }
        node.children.borrow().iter().for_each(|child| self.collect(child));
    }
}

struct VisibilitySieve {
    rules: HidingRules,
    hidden: u32,
}

impl VisibilitySieve {
    /// Removes what is hidden of a node, whose texts have this style.
    fn sift(&mut self, node: &Rc<Node>, style: HidingStyle) {
        let children = node.children.take();
        let mut kept = Vec::with_capacity(children.len());
        for child in children {
            match &child.data {
                NodeData::Text { .. } if style.hides_text() => {
                    self.hidden = self.hidden.saturating_add(u32::from(has_words(&child)));
                }
                NodeData::Element { .. } => self.sift_element(child, style, &mut kept),
                _ => kept.push(child),
            }
        }
        node.children.replace(kept);
    }

    fn sift_element(&mut self, element: Rc<Node>, outer: HidingStyle, kept: &mut Vec<Rc<Node>>) {
        let name = name_of(&element).unwrap_or_default().to_owned();
        let style = self.rules.style_of(outer, &name, |attribute| attribute_of(&element, attribute));
        let is_closed = name == "dialog" && attribute_of(&element, "open").is_none();
        if style.is_removed || is_closed {
            self.hidden = self.hidden.saturating_add(u32::from(has_words(&element)));
            return;
        }
        if name == "img" {
            let alt =
                attribute_of(&element, "alt").filter(|alt| !alt.trim().is_empty() && !style.hides_text());
            kept.extend(alt.map(|alt| text_node(&format!(" {} ", alt.trim()))));
            return;
        }
        self.sift(&element, style);
        // A link around a picture without a text leads nowhere that a reader could name.
        if name == "a" && !has_words(&element) {
            return;
        }
        kept.push(element);
        if APART.contains(&name.as_str()) {
            kept.push(text_node(" "));
        }
    }
}

fn text_node(text: &str) -> Rc<Node> {
    Node::new(NodeData::Text { contents: RefCell::new(text.into()) })
}

fn name_of(node: &Node) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

fn attribute_of(node: &Node, wanted: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let attrs = attrs.borrow();
    attrs.iter().find(|attr| &*attr.name.local == wanted).map(|attr| attr.value.to_string())
}

fn text_of(node: &Node) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => node.children.borrow().iter().map(|child| text_of(child)).collect(),
    }
}

/// Whether a node has text that the page would show.
fn has_words(node: &Node) -> bool {
    match &node.data {
        NodeData::Text { contents } => !contents.borrow().trim().is_empty(),
        _ if name_of(node).is_some_and(|name| NO_TEXT.contains(&name)) => false,
        _ => node.children.borrow().iter().any(|child| has_words(child)),
    }
}
