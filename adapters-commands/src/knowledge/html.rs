//! Web pages become Markdown.

use std::collections::HashMap;

use htmd::HtmlToMarkdown;

/// How deep the elements of a page may be in one another: writing them goes as deep.
const DEPTH: usize = 500;

/// How many elements a page may leave open. What reads it looks through all that are open at each tag, so a page that only
/// opens takes a time that grows with the square of its length. More than [`DEPTH`]: of many elements whose end is left out,
/// few are really in one another.
const OPEN: usize = 5_000;

/// What has no content, or ends where the next one begins: it may be begun as often as a page likes.
const ENDS_BY_ITSELF: [&str; 34] = [
    "a", "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head", "hr",
    "html", "img", "input", "li", "link", "meta", "nobr", "optgroup", "option", "p", "param", "source",
    "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr", "frame",
];

/// In what the characters of a tag are plain text.
const PLAIN: [&str; 8] = ["script", "style", "textarea", "title", "iframe", "noscript", "noframes", "xmp"];

/// What of a page is not said by it.
const SKIPPED: [&str; 12] = [
    "script", "style", "noscript", "template", "iframe", "object", "svg", "canvas", "nav", "form", "head",
    "img",
];

/// The text of a page, with its title as the first heading where it has no other; or why there is none.
pub(super) fn markdown(page: &str) -> Result<String, String> {
    let too_deep = || format!("its elements are more than {DEPTH} deep in one another");
    if leaves_open(page) > OPEN {
        return Err(too_deep());
    }
    let converter = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build();
    let tree = converter.html_to_tree(page).map_err(|error| error.to_string())?;
    let mut open = vec![(tree.clone(), 0_usize)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEPTH {
            return Err(too_deep());
        }
        open.extend(node.children.borrow().iter().map(|child| (child.clone(), depth + 1)));
    }
    let text = converter.tree_to_markdown(&tree);
    let is_titled = text.lines().any(|line| line.starts_with("# "));
    Ok(match title(page).filter(|_| !is_titled) {
        Some(title) => format!("# {title}\n\n{text}"),
        None => text,
    })
}

/// How many elements are open at most at once, where only what is written ends one; never counted much further than is
/// allowed. One look at each character.
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

/// The words of the title, in plain text.
fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let begin = lower.find("<title")?;
    let begin = begin + lower[begin..].find('>')? + 1;
    let end = begin + lower[begin..].find("</title")?;
    let plain = HtmlToMarkdown::new().convert(&page[begin..end].replace('<', "&lt;")).ok()?;
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}
