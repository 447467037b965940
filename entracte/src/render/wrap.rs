//! Wraps text in the columns of a terminal: at spaces, and inside a word only if it is longer than a row.

use textwrap::{Options, WordSplitter, WrapAlgorithm};

/// The columns of a text.
pub(crate) fn columns(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// The lines of a text, each at most `width` columns; the first begins with `first`, the others with `rest`.
pub(crate) fn wrapped(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let begin = if lines.is_empty() { first } else { rest };
        let room = width.max(columns(begin).max(columns(rest)) + 1);
        let options = Options::new(room)
            .initial_indent(begin)
            .subsequent_indent(rest)
            .wrap_algorithm(WrapAlgorithm::FirstFit)
            .word_splitter(WordSplitter::NoHyphenation);
        lines.extend(textwrap::wrap(line, options).into_iter().map(|line| line.trim_end().to_owned()));
    }
    lines
}

/// Breaks a list of choices after commas only, so that each stays whole; one that is longer than a row has a row of its
/// own.
pub(crate) fn choice_rows(choices: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for choice in choices.split_inclusive(", ") {
        match rows.last_mut() {
            Some(row) if columns(row) + columns(choice.trim_end()) <= width => row.push_str(choice),
            Some(_) | None => rows.push(choice.to_owned()),
        }
    }
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}

/// A prompt that breaks after commas, with room for a typed word behind it; as it is without a width.
pub(crate) fn fitted_prompt(prompt: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return prompt.to_owned() };
    format!("{} ", choice_rows(prompt.trim_end(), width.saturating_sub(TYPED_COLUMNS)).join("\n"))
}

/// The columns behind a prompt: a blank, a typed word and the cursor.
const TYPED_COLUMNS: usize = 5;

/// Rewraps lines drawn for a wide terminal: the rest of a line continues below, indented. Text behind a bar stays
/// behind it.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let lines = text.split('\n').flat_map(|line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let bar = line.find("│ ").filter(|at| {
            line.get(..*at).is_some_and(|before| before.chars().all(|c| c == ' ' || c.is_ascii_digit()))
        });
        let rest = match bar {
            Some(at) => format!("{}│ ", " ".repeat(at)),
            None => " ".repeat(blanks + 2),
        };
        match columns(line) <= width {
            true => vec![line.to_owned()],
            false => wrapped(line.trim_start_matches(' '), width, &" ".repeat(blanks), &rest),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text as [`fitted`] to a terminal of this width, whose last column stays free; as it is without a width.
pub(crate) fn fitted_to_terminal(text: &str, width: Option<usize>) -> String {
    width.map_or_else(|| text.to_owned(), |width| fitted(text, width.saturating_sub(1)))
}

/// Breaks at the last fitting column and preserves all spaces: for code.
pub(crate) fn broken(text: &str, width: usize, begin: &str) -> Vec<String> {
    let room = width.saturating_sub(columns(begin)).max(1);
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut row, mut taken) = (String::new(), 0);
        for character in line.replace('\t', "    ").chars() {
            let wide = columns(character.encode_utf8(&mut [0; 4]));
            if taken + wide > room {
                lines.push(format!("{begin}{row}"));
                (row, taken) = (String::new(), 0);
            }
            row.push(character);
            taken += wide;
        }
        lines.push(format!("{begin}{row}"));
    }
    lines
}

/// The text cut at `width` columns, with a mark if something is missing.
pub(crate) fn cut_at(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (mut kept, mut taken) = (String::new(), 0);
    for character in text.chars() {
        taken += columns(character.encode_utf8(&mut [0; 4]));
        if taken >= width {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_break_after_commas() {
        let choices = "[a] approuver, [r] rejeter, [A] toujours>";
        assert_eq!(choice_rows(choices, 80), [choices]);
        assert_eq!(choice_rows(choices, 28), ["[a] approuver, [r] rejeter,", "[A] toujours>"]);
        assert_eq!(fitted_prompt("[o]ui, [n]on> ", Some(15)), "[o]ui,\n[n]on> ");
        assert_eq!(choice_rows(choices, 5), ["[a] approuver,", "[r] rejeter,", "[A] toujours>"]);
    }

    #[test]
    fn lines_break_at_spaces_or_inside_long_words() {
        assert_eq!(wrapped("one two three", 9, "- ", "  "), ["- one two", "  three"]);
        assert_eq!(wrapped("a\nb", 9, "- ", "  "), ["- a", "  b"]);
        assert_eq!(wrapped("abcdefghij", 4, "", ""), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("日本語", 4, "", ""), ["日本", "語"], "a wide character takes two columns");
        assert_eq!(wrapped("\u{1b}[1mone\u{1b}[0m two", 3, "", ""), ["\u{1b}[1mone\u{1b}[0m", "two"]);
        let drawn = "short\n  a longer one\n 1 │ said by a model";
        assert_eq!(fitted(drawn, 11), "short\n  a longer\n    one\n 1 │ said\n   │ by a\n   │ model");
        assert_eq!(broken("ab  cd\te", 5, "  "), ["  ab ", "   cd", "     ", "   e"]);
        assert_eq!((cut_at("abcdef", 4), cut_at("日本", 3)), ("abc…".into(), "日…".into()));
    }
}
