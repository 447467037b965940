//! The part of CSS that hides text: `display`, `visibility` and `font-size`, in `<style>` and `style=`.
//!
//! Only selectors of one element are read (`p`, `.note`, `p.note#x`), because a rule that is misread would hide what
//! people see. Style sheets outside of the page are not loaded.

use std::collections::HashMap;

/// How an element hides its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HidingStyle {
    /// It and all within is not shown (`display: none`).
    pub(super) is_removed: bool,
    is_invisible: bool,
    has_no_size: bool,
}

impl HidingStyle {
    pub(super) const fn hides_text(self) -> bool {
        self.is_removed || self.is_invisible || self.has_no_size
    }

    /// Applies declarations, such as `display: none; color: red`.
    fn apply(&mut self, declarations: &str) {
        for declaration in declarations.split(';') {
            let Some((property, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().to_ascii_lowercase();
            let value = value.trim_end_matches("!important").trim_end();
            match property.trim().to_ascii_lowercase().as_str() {
                "display" => self.is_removed = value == "none",
                "visibility" if value != "inherit" => {
                    self.is_invisible = matches!(value, "hidden" | "collapse")
                }
                "font-size" => self.has_no_size = has_no_size(value, self.has_no_size),
                _ => {}
            }
        }
    }
}

/// Whether text of this size is invisible; a size in parts of the outer one is as that is.
fn has_no_size(value: &str, outer: bool) -> bool {
    let number = value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%');
    match number.parse::<f64>() {
        Ok(0.0) => true,
        Ok(_) if value.ends_with('%') || (value.ends_with("em") && !value.ends_with("rem")) => outer,
        Ok(_) => false,
        Err(_) => outer && matches!(value, "inherit" | "larger" | "smaller"),
    }
}

/// A selector of one element.
#[derive(Debug, Default, PartialEq, Eq)]
struct CompoundSelector {
    element: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl CompoundSelector {
    fn parse(text: &str) -> Option<Self> {
        let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '#' | '*');
        if text.is_empty() || !text.chars().all(is_plain) {
            return None;
        }
        let mut selector = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let kind = rest.chars().next().filter(|char| matches!(char, '.' | '#'));
            let begin = usize::from(kind.is_some());
            let end = rest.get(begin..)?.find(['.', '#']).map_or(rest.len(), |at| begin + at);
            let name = rest.get(begin..end)?;
            match kind {
                Some('.') => selector.classes.push(name.to_owned()),
                Some(_) => selector.id = Some(name.to_owned()),
                None if name == "*" => {}
                None => selector.element = Some(name.to_ascii_lowercase()),
            }
            rest = rest.get(end..)?;
        }
        Some(selector)
    }

    fn specificity(&self) -> (bool, usize, bool) {
        (self.id.is_some(), self.classes.len(), self.element.is_some())
    }

    fn matches(&self, element: &str, id: Option<&str>, classes: &str) -> bool {
        let has_class = |class: &String| classes.split_ascii_whitespace().any(|own| own == class);
        self.element.as_deref().is_none_or(|wanted| wanted == element)
            && self.id.as_deref().is_none_or(|wanted| Some(wanted) == id)
            && self.classes.iter().all(has_class)
    }
}

/// The rules of a page that may hide text, the strongest last.
#[derive(Debug, Default)]
pub(super) struct HidingRules {
    rules: Vec<(CompoundSelector, String)>,
    /// By class, id or element: the rules that may match.
    index: HashMap<String, Vec<usize>>,
}

impl HidingRules {
    pub(super) fn parse(sheet: &str) -> Self {
        let sheet = without_comments(sheet);
        let mut rules = Vec::new();
        let mut rest = sheet.as_str();
        while let Some((selectors, after)) = rest.split_once('{') {
            let selectors = selectors.rsplit(';').next().unwrap_or_default().trim();
            if selectors.starts_with('@') {
                // Rules for other media or conditions.
                rest = after_block(after);
                continue;
            }
            let (declarations, after) = after.split_once('}').unwrap_or((after, ""));
            rest = after;
            let lower = declarations.to_ascii_lowercase();
            if ["display", "visibility", "font-size"].iter().any(|property| lower.contains(property)) {
                let parsed = selectors.split(',').filter_map(|one| CompoundSelector::parse(one.trim()));
                rules.extend(parsed.map(|selector| (selector, declarations.to_owned())));
            }
        }
        rules.sort_by_key(|(selector, _)| selector.specificity());
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, (selector, _)) in rules.iter().enumerate() {
            index.entry(key_of(selector)).or_default().push(number);
        }
        Self { rules, index }
    }

    /// The style of an element within one of `outer` style.
    pub(super) fn style_of(
        &self,
        outer: HidingStyle,
        element: &str,
        attribute: impl Fn(&str) -> Option<String>,
    ) -> HidingStyle {
        let mut style = HidingStyle { is_removed: attribute("hidden").is_some(), ..outer };
        if !self.rules.is_empty() {
            let (id, classes) = (attribute("id"), attribute("class").unwrap_or_default());
            let mut keys: Vec<String> =
                classes.split_ascii_whitespace().map(|class| format!(".{class}")).collect();
            keys.extend(id.as_ref().map(|id| format!("#{id}")));
            keys.extend([element.to_owned(), String::new()]);
            let mut numbers: Vec<usize> =
                keys.iter().filter_map(|key| self.index.get(key)).flatten().copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            for (selector, declarations) in numbers.into_iter().filter_map(|number| self.rules.get(number)) {
                if selector.matches(element, id.as_deref(), &classes) {
                    style.apply(declarations);
                }
            }
        }
        if let Some(own) = attribute("style") {
            style.apply(&own);
        }
        style
    }
}

/// The rarest part of a selector.
fn key_of(selector: &CompoundSelector) -> String {
    match (&selector.id, selector.classes.first(), &selector.element) {
        (Some(id), _, _) => format!("#{id}"),
        (None, Some(class), _) => format!(".{class}"),
        (None, None, Some(element)) => element.clone(),
        (None, None, None) => String::new(),
    }
}

/// How many other sheets a sheet imports.
pub(super) fn count_imports(sheet: &str) -> u32 {
    let sheet = without_comments(sheet).to_ascii_lowercase();
    u32::try_from(sheet.matches("@import").count()).unwrap_or(u32::MAX)
}

fn without_comments(sheet: &str) -> String {
    let mut kept = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// What follows the block that is open.
fn after_block(rest: &str) -> &str {
    let mut depth = 1_usize;
    for (at, char) in rest.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return rest.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}
