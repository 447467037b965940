//! The lines of a summary. Text from outside stays on its line, so that it begins no section.

use entracte_domain::command::Command;
use entracte_domain::session::SummaryItem;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use jiff::tz::TimeZone;

use crate::command_naming::CommandNaming;
use crate::context::identifiers::{identifiers_of, is_key};
use crate::context::summary_record::CompletedAction;
use crate::texts::{LocalizedTexts, say};

/// Maximum arguments shown for an action.
const ARGUMENTS_MAX: usize = 6;
/// Maximum characters of an argument, or of a reason.
const VALUE_CHARS_MAX: usize = 80;
const LINE_CHARS_MAX: usize = 300;
/// Maximum identifiers shown for a result.
const IDENTIFIERS_MAX: usize = 5;

/// Lines under a title.
pub(super) struct SummarySectionLines {
    title: String,
    lines: Vec<Option<String>>,
    /// Bytes of the remaining lines, each with its line break.
    bytes: usize,
}

impl SummarySectionLines {
    pub(super) fn under(title: String) -> Self {
        Self { title, lines: Vec::new(), bytes: 0 }
    }

    pub(super) fn extend(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.bytes += line.len() + 1;
            self.lines.push(Some(line));
        }
    }

    /// Bytes of the section; 0 if no line remains.
    pub(super) fn len(&self) -> usize {
        if self.bytes == 0 { 0 } else { self.bytes + self.title.len() + 2 }
    }

    /// Number of the remaining lines.
    pub(super) fn count(&self) -> usize {
        self.lines.iter().flatten().count()
    }

    pub(super) fn leave_out(&mut self, index: usize) {
        if let Some(line) = self.lines.get_mut(index).and_then(Option::take) {
            self.bytes -= line.len() + 1;
        }
    }

    /// Omits the first line; `false` if no line remains.
    pub(super) fn leave_out_first(&mut self) -> bool {
        let first = self.lines.iter().position(Option::is_some);
        first.map(|first| self.leave_out(first)).is_some()
    }

    /// Omits the last line; `false` if no line remains.
    pub(super) fn leave_out_last(&mut self) -> bool {
        let last = self.lines.iter().rposition(Option::is_some);
        last.map(|last| self.leave_out(last)).is_some()
    }

    pub(super) fn text(self) -> String {
        if self.bytes == 0 {
            return String::new();
        }
        let lines = self.lines.into_iter().flatten().map(|line| format!("\n{line}"));
        format!("\n\n{}{}", self.title, lines.collect::<String>())
    }
}

/// A text word for word, in a fence longer than any fence in it.
pub(super) fn fence_text(text: &str) -> String {
    let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

/// A text on one line, shortened.
pub(super) fn one_line(text: &str) -> String {
    cut(text, LINE_CHARS_MAX)
}

fn cut(text: &str, most: usize) -> String {
    let words =
        text.split(|one: char| one.is_whitespace() || one.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// An item word for word; its lines after the first are indented, so that they begin no section.
pub(in crate::context) fn item_line(texts: &LocalizedTexts, item: &SummaryItem) -> String {
    let (key, kind) = (item.key.to_string(), item.kind.word());
    let text = item.text.lines().collect::<Vec<_>>().join("\n  ");
    match &item.to {
        Some(to) => {
            say!(texts, "context-item-to", key = key, kind = kind, to = one_line(to), text = text)
        }
        None => say!(texts, "context-item", key = key, kind = kind, text = text),
    }
}

pub(super) fn done_line(
    texts: &LocalizedTexts,
    done: &CompletedAction,
    naming: CommandNaming,
    zone: &str,
) -> String {
    let (at, action, status) = (instant(done.at, zone), action(&done.command, naming), done.status.word());
    let new = done.identifiers.iter().filter(|identifier| !action.contains(identifier.as_str()));
    let ids: Vec<&str> = new.take(IDENTIFIERS_MAX).map(String::as_str).collect();
    if ids.is_empty() {
        say!(texts, "context-done-line", at = at, action = action, status = status)
    } else {
        let ids = ids.join(super::SEPARATOR);
        say!(texts, "context-done-line-with", at = at, action = action, status = status, ids = ids)
    }
}

/// A command with its distinguishing arguments: those that name something first.
pub(super) fn action(command: &Command, naming: CommandNaming) -> String {
    let members = command.arguments.as_object().unwrap_or_default();
    let names_something =
        |(name, value): &&(String, JsonValue)| is_key(name) || !identifiers_of(value).is_empty();
    let (naming_ones, others): (Vec<_>, Vec<_>) = members.iter().partition(names_something);
    let arguments: Vec<String> = naming_ones
        .into_iter()
        .chain(others)
        .take(ARGUMENTS_MAX)
        .map(|(name, value)| format!("{}={}", cut(name, VALUE_CHARS_MAX), shown(value)))
        .collect();
    let name = naming.format_name(&command.name);
    if arguments.is_empty() { name.into_owned() } else { format!("{name} {}", arguments.join(", ")) }
}

fn shown(value: &JsonValue) -> String {
    match value {
        JsonValue::Text(text) => cut(text, VALUE_CHARS_MAX),
        other => cut(&other.to_json(), VALUE_CHARS_MAX),
    }
}

fn instant(at: Timestamp, zone: &str) -> String {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(instant) => instant.to_zoned(zone).strftime("%Y-%m-%d %H:%M").to_string(),
        // Beyond the range of the calendar; no clock produces this.
        Err(_) => format!("{} µs", at.0),
    }
}
