//! Renders text that is being streamed, and not stored yet.

use super::markdown;
use super::text::block;
use super::wrap::fitted;
use crate::colour::paint;
use crate::output::OutputStyle;

/// Dimmed: the text is transient.
const DIM: &str = "2";

/// The last rows of a streamed reply; until it begins, the reasoning, dimmed.
pub(crate) fn streaming_reply_lines(
    text: &str,
    thoughts: &str,
    style: OutputStyle,
    most: usize,
) -> Vec<String> {
    let lines: Vec<String> = if text.trim().is_empty() {
        let columns = style.width.unwrap_or(80).saturating_sub(1);
        let thoughts = fitted(&block(thoughts.trim()), columns);
        thoughts.lines().map(|line| paint(line, DIM, style.colour)).collect()
    } else {
        markdown::draw(text, style).lines().map(str::to_owned).collect()
    };
    let from = lines.len().saturating_sub(most.max(1));
    lines.into_iter().skip(from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(colour: bool, width: usize) -> OutputStyle {
        OutputStyle { colour, width: Some(width) }
    }

    /// Input: a model's reasoning and reply; expected: the reasoning is dimmed line by line until the reply begins;
    /// only what fits is shown, and without colours only the text.
    #[test]
    fn reasoning_is_dimmed_until_reply_begins() {
        let thinks = "The scale says 72.5.\n\nSo I write it down.";
        let dimmed = ["\u{1b}[2mThe scale says 72.5.\u{1b}[0m", "", "\u{1b}[2mSo I write it down.\u{1b}[0m"];
        let drawn = streaming_reply_lines("", thinks, style(true, 80), 10);
        assert_eq!(
            drawn.iter().map(|line| line.replace("\u{1b}[2m\u{1b}[0m", "")).collect::<Vec<_>>(),
            dimmed
        );
        assert_eq!(streaming_reply_lines(" \n", thinks, style(false, 80), 1), ["So I write it down."]);
        let narrow = streaming_reply_lines(
            "",
            "It says 72.5, as it did a week ago, and the week before.",
            style(true, 30),
            10,
        );
        assert!(narrow.len() > 1, "{narrow:?}");
        assert!(
            narrow.iter().all(|line| line.starts_with("\u{1b}[2m") && line.ends_with("\u{1b}[0m")),
            "{narrow:?}"
        );
        let said = streaming_reply_lines("You weigh 72.5 kg.", thinks, style(true, 80), 10);
        assert_eq!(said, ["You weigh 72.5 kg."], "what it thought is gone once it speaks");
        // Reasoning cannot control the terminal either.
        let sly = streaming_reply_lines("", "a\u{1b}[2Jb", style(true, 80), 10).concat();
        assert!(!sly.contains("\u{1b}[2J"), "{sly:?}");
    }
}
