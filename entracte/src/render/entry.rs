//! Renders a log entry as a line, the same for live progress and for `session journal`.

use entracte_application::journal::JournalEntry;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::session::{Input, InputCategory};
use jiff::tz::TimeZone;

use super::details::details;
use super::text::cut;
use super::time::clock;
use crate::colour::paint;
use crate::output::OutputStyle;

/// The columns of the name: the longest one.
const NAME_WIDTH: usize = 29;

/// The fewest columns in which details are useful.
const ROOM_LEAST: usize = 16;
/// The indentation of details on their own line.
const BELOW: &str = "       ";

/// Renders entries.
#[derive(Clone)]
pub(crate) struct EntryRenderer {
    /// Colour and width.
    pub(crate) style: OutputStyle,
    /// The time zone of displayed times.
    pub(crate) zone: TimeZone,
    /// The texts in the reader's language.
    pub(crate) texts: &'static LocalizedTexts,
}

impl EntryRenderer {
    /// The line of an entry: number, time, name, details.
    pub(crate) fn draw(&self, entry: &JournalEntry) -> String {
        self.draw_after("", entry)
    }

    /// The line of an entry with its session first, for lists of several sessions.
    pub(crate) fn draw_of_session(&self, entry: &JournalEntry) -> String {
        self.draw_after(&format!("{}  ", entry.session), entry)
    }

    fn draw_after(&self, begin: &str, entry: &JournalEntry) -> String {
        let seq = format!("{:>5}", entry.seq);
        let time = clock(entry.at, &self.zone);
        let name = format!("{:<NAME_WIDTH$}", entry.input.label());
        let taken = begin.chars().count() + seq.len() + time.len() + NAME_WIDTH + 6;
        let mut rest = details(entry, self.texts);
        let colour = self.style.colour;
        if let Some(width) = self.style.width {
            if width < taken + ROOM_LEAST {
                return self.draw_narrow(begin, entry, &rest, width);
            }
            rest = cut(&rest, width - taken);
        }
        let line = format!(
            "{}{}  {}  {}  {rest}",
            paint(begin, "2", colour),
            paint(&seq, "2", colour),
            paint(&time, "2", colour),
            paint(&name, colour_of(&entry.input), colour)
        );
        line.trim_end().to_owned()
    }

    /// The line for a narrow terminal: the details are below the name.
    fn draw_narrow(&self, begin: &str, entry: &JournalEntry, rest: &str, width: usize) -> String {
        let (seq, time) = (format!("{:>5}", entry.seq), clock(entry.at, &self.zone));
        let colour = self.style.colour;
        let head = format!(
            "{}{}  {}  {}",
            paint(begin, "2", colour),
            paint(&seq, "2", colour),
            paint(&time, "2", colour),
            paint(entry.input.label(), colour_of(&entry.input), colour)
        );
        let rest = cut(rest, width.saturating_sub(BELOW.len() + 1));
        if rest.is_empty() { head } else { format!("{head}\n{BELOW}{rest}") }
    }
}

/// The colour of an entry: blue for people, green for models, red for problems, dim for the rest.
fn colour_of(input: &Input) -> &'static str {
    match input.properties().category {
        InputCategory::PersonAct => "34",
        InputCategory::ModelReply => "32",
        InputCategory::Failure => "31",
        InputCategory::Halt => "33",
        InputCategory::CallResult => "36",
        InputCategory::Housekeeping => "2",
    }
}
