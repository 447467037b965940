//! Converts web pages into Markdown, without what a person would not see of them.

mod article;
mod css;
#[cfg(test)]
mod tests;
mod visible;

use std::collections::HashMap;
use std::rc::Rc;

use entracte_application::ports::ReadingGaps;
use entracte_application::settings::WebPageScope;
use htmd::{HtmlToMarkdown, Node};

use visible::VisibilityReport;

/// The deepest nesting of elements, because rendering recurses as deep.
const DEPTH: usize = 500;

/// The most elements a page may leave open. The parser searches all open elements at each tag, so a page that only
/// opens elements takes quadratic time. Larger than [`DEPTH`]: of many elements whose end tag is omitted, few are
/// really nested.
const OPEN: usize = 5_000;

/// Void elements and elements that end where the next one begins: a page may open any number of them.
const ENDS_BY_ITSELF: [&str; 34] = [
    "a", "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head", "hr",
    "html", "img", "input", "li", "link", "meta", "nobr", "optgroup", "option", "p", "param", "source",
    "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr", "frame",
];

/// Elements whose content is plain text to the tokenizer.
const PLAIN: [&str; 8] = ["script", "style", "textarea", "title", "iframe", "noscript", "noframes", "xmp"];

/// Elements that are not part of the page's text.
const SKIPPED: [&str; 8] = ["script", "style", "noscript", "template", "iframe", "svg", "canvas", "head"];
/// The element of links to other pages. Its content is only read if the page has no other.
const NAVIGATION: &str = "nav";

/// The text of a page, with its title as the first heading if it has no other, and what it lacks; or the reason why
/// there is none.
pub(super) fn read(page: &str, scope: WebPageScope) -> Result<(String, ReadingGaps), String> {
    let too_deep = || format!("its elements are more than {DEPTH} deep in one another");
    if leaves_open(page) > OPEN {
        return Err(too_deep());
    }
    let skipped: Vec<&str> = SKIPPED.into_iter().chain([NAVIGATION]).collect();
    let converter = HtmlToMarkdown::builder().skip_tags(skipped).build();
    let tree = converter.html_to_tree(page).map_err(|error| error.to_string())?;
    let mut open = vec![(tree.clone(), 0_usize)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEPTH {
            return Err(too_deep());
        }
        open.extend(node.children.borrow().iter().map(|child| (child.clone(), depth + 1)));
    }
    let VisibilityReport { hidden_texts, outside_style_sheets } = visible::remove_hidden(&tree);
    let article = match scope {
        WebPageScope::Whole => None,
        WebPageScope::Article => article::html(&tree).and_then(|html| article_markdown(&html)),
    };
    let is_article_only = article.is_some();
    let gaps = ReadingGaps { hidden_texts, outside_style_sheets, is_article_only, ..ReadingGaps::default() };
    let text = article.unwrap_or_else(|| whole_markdown(&converter, &tree));
    let is_titled = text.lines().any(|line| line.starts_with("# "));
    let text = match title(page).filter(|_| !is_titled) {
        Some(title) => format!("# {title}\n\n{text}"),
        None => text,
    };
    Ok((text, gaps))
}

/// The text of the article of a page; `None` if it has no words.
fn article_markdown(html: &str) -> Option<String> {
    let text = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build().convert(html).ok()?;
    (!text.trim().is_empty()).then_some(text)
}

/// The text of all of a page; with its links to other pages if it has nothing else.
fn whole_markdown(converter: &HtmlToMarkdown, tree: &Rc<Node>) -> String {
    let mut text = converter.tree_to_markdown(tree);
    if text.trim().is_empty() {
        text = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build().tree_to_markdown(tree);
    }
    text
}

/// The most elements open at the same time, counting only explicit end tags; stops counting soon after the limit. One
/// pass over the characters.
fn leaves_open(page: &str) -> usize {
    let lower = page.to_ascii_lowercase();
    let mut open: HashMap<&str, usize> = HashMap::new();
    let (mut now, mut most) = (0_usize, 0_usize);
    let mut rest = lower.as_str();
    while let Some((_, tag)) = rest.split_once('<') {
        if most > OPEN {
            break;
        }
        if let Some(remark) = tag.strip_prefix('!').filter(|remark| remark.starts_with("--")) {
            rest = remark.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (named, is_end) = tag.strip_prefix('/').map_or((tag, false), |named| (named, true));
        rest = named;
        let name = named.split(|char: char| char.is_ascii_whitespace() || char == '/' || char == '>').next();
        let name = name.filter(|name| name.starts_with(|char: char| char.is_ascii_alphabetic()));
        let Some(name) = name.filter(|name| !ENDS_BY_ITSELF.contains(name)) else { continue };
        let (inside, after) = named.split_once('>').unwrap_or((named, ""));
        rest = after;
        let is_drawing = ["svg", "math"].iter().any(|drawing| open.contains_key(drawing));
        if is_end {
            if let Some(count) = open.get_mut(name) {
                now -= 1;
                *count -= 1;
                if *count == 0 {
                    open.remove(name);
                }
            }
        } else if PLAIN.contains(&name) {
            rest = after.split_once(&format!("</{name}")).map_or("", |(_, after)| after);
        } else if !(is_drawing && inside.ends_with('/')) {
            now += 1;
            most = most.max(now);
            *open.entry(name).or_default() += 1;
        }
    }
    most
}

/// The title of the page as plain text.
fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let begin = lower.find("<title")?;
    let begin = begin + lower[begin..].find('>')? + 1;
    let end = begin + lower[begin..].find("</title")?;
    let plain = HtmlToMarkdown::new().convert(&page[begin..end].replace('<', "&lt;")).ok()?;
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}
