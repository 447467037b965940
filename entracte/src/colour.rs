//! Terminal colours.

/// `text` in a colour (the numbers of an SGR sequence), or unchanged without `colour`.
pub(crate) fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}
