//! Renders the parts of a user turn: markers, timestamps, truncation.
//!
//! Entracte's own texts are inside `<entracte …>` markers. Everything inside and beside them is data, which can
//! neither open nor close such a marker.

use std::borrow::Cow;
use std::fmt::Write as _;

use entracte_domain::file::append_file_lines;
use entracte_domain::localizable_text::LocalizableText;
use entracte_domain::message::{CommandResult, ExecutionMetadata, SystemKind, SystemMessage};
use entracte_domain::time::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::command_naming::CommandNaming;
use crate::commands::ResultsExecutor;
use crate::ports::UserTurnPart;
use crate::prompt::{PromptStyle, texts};
use crate::settings::{ChunkImportance, Language};

/// How parts are rendered.
#[derive(Clone, Debug)]
pub(super) struct ProjectionStyle {
    zone: TimeZone,
    /// Language of Entracte's own texts.
    pub(super) language: Language,
    result_max_chars: usize,
    /// The model's name for the command that reads on.
    read_on: Option<String>,
    /// How the commands are named; `None` = by their names, also where native calls become text.
    naming: Option<CommandNaming>,
    /// Minimum importance of the layers that are sent; `None` = no layers.
    pub(super) layers: Option<ChunkImportance>,
    first_person: Option<String>,
    /// Once a second person has written, every person is named.
    several_persons: bool,
}

impl ProjectionStyle {
    pub(super) fn new(style: &PromptStyle) -> Self {
        let mut this = Self {
            zone: TimeZone::UTC,
            language: style.language,
            result_max_chars: style.result_max_chars,
            read_on: None,
            naming: None,
            layers: style.layers,
            first_person: None,
            several_persons: false,
        };
        this.apply_style(style);
        this
    }

    /// Sets the style of later parts; existing ones stay.
    pub(super) fn apply_style(&mut self, style: &PromptStyle) {
        self.zone = TimeZone::get(&style.zone).unwrap_or(TimeZone::UTC);
        self.language = style.language;
        self.result_max_chars = style.result_max_chars;
        self.read_on.clone_from(&style.read_on);
        self.naming = style.naming;
        self.layers = style.layers;
    }

    /// A message of a person.
    pub(super) fn person(&mut self, name: &str, text: &str, at: Timestamp) -> UserTurnPart {
        let first = self.first_person.get_or_insert_with(|| name.to_owned());
        self.several_persons |= first != name;
        let stamp = self.date(at, "%Y-%m-%d %H:%M %:z");
        let text = escape_marks(text);
        UserTurnPart::Text(if self.several_persons {
            format!("[{stamp}] {}: {text}", escape_marks(name))
        } else {
            format!("[{stamp}] {text}")
        })
    }

    /// A text of Entracte, inside a marker.
    pub(super) fn mark(&self, kind: &str, at: Timestamp, body: &str) -> UserTurnPart {
        let stamp = self.date(at, "%Y-%m-%dT%H:%M:%S%:z");
        UserTurnPart::System(format!(
            "<{mark} type=\"{kind}\" at=\"{stamp}\">\n{}\n</{mark}>",
            escape_marks(body),
            mark = texts::MARK
        ))
    }

    /// A system message with these results.
    pub(super) fn system(
        &self,
        system: &SystemMessage,
        results: &[CommandResult],
        at: Timestamp,
    ) -> UserTurnPart {
        let mut body = system.summary.to_plain_text().into_owned();
        for (index, result) in results.iter().enumerate() {
            let code = result.code.as_deref().map(|code| format!(", {code}")).unwrap_or_default();
            let content = self.content(result);
            // Writing to a String cannot fail.
            let _ = write!(
                body,
                "\n[{}] {}: {}{code}\n{content}",
                index + 1,
                self.command_display_name(&result.command),
                result.status.word()
            );
        }
        if let Some(data) = own_data(system, results) {
            if matches!(system.kind, SystemKind::EventPayload | SystemKind::TaskResult) {
                body.push('\n');
                body.push_str(&texts::untrusted(self.language));
            }
            body.push('\n');
            body.push_str(&match system.kind {
                SystemKind::ContextSummary => data.into_owned(),
                _ => self.cut(&data),
            });
        }
        self.mark(system.kind.word(), at, body.trim_start())
    }

    /// The trigger and due time of a run.
    pub(super) fn execution(&self, metadata: &ExecutionMetadata, at: Timestamp) -> UserTurnPart {
        let due = metadata.scheduled_at.map(|due| self.date(due, "%Y-%m-%dT%H:%M:%S%:z"));
        let why = texts::run_started(self.language, &metadata.trigger.to_string(), due.as_deref());
        self.mark("EXECUTION", at, &why)
    }

    /// The result text of a native call.
    pub(super) fn native_result(&self, result: &CommandResult) -> String {
        let content = escape_marks(&self.content(result));
        match &result.code {
            Some(code) => format!("{code}: {content}"),
            None => content,
        }
    }

    /// The model's name for a command.
    fn command_display_name<'a>(&self, command: &'a str) -> Cow<'a, str> {
        self.naming.unwrap_or_default().format_name(command)
    }

    /// How Entracte's texts name the commands.
    pub(super) fn naming(&self) -> CommandNaming {
        self.naming.unwrap_or_default()
    }

    /// The model's name for the command that reads on in a long result.
    pub(super) fn read_on_command(&self) -> Option<&str> {
        self.read_on.as_deref()
    }

    /// Whether native calls rendered as text use the command names.
    pub(super) fn names_commands(&self) -> bool {
        self.naming.is_some()
    }

    /// The content of a result up to the maximum, with a line for each file.
    fn content(&self, result: &CommandResult) -> String {
        let mut content = self.words(result);
        append_file_lines(&mut content, &result.files);
        content
    }

    /// The text of a result up to the maximum. A part that was read on has the requested length already.
    fn words(&self, result: &CommandResult) -> String {
        let text = result.content.to_plain_text();
        if result.command == ResultsExecutor::NAME {
            return text.into_owned();
        }
        let Some(command) = &self.read_on else { return self.cut(&text) };
        let arguments = json!({ "call": result.call.as_str(), "from": self.result_max_chars }).to_string();
        self.cut_with(&text, |count| {
            texts::truncation_notice_with_command(self.language, count, command, &arguments)
        })
    }

    fn cut(&self, text: &str) -> String {
        self.cut_with(text, |count| texts::truncation_notice(self.language, count))
    }

    fn cut_with(&self, text: &str, says: impl FnOnce(usize) -> String) -> String {
        let most = self.result_max_chars;
        match text.char_indices().nth(most) {
            Some((end, _)) if most > 0 => {
                let (kept, left_out) = text.split_at(end);
                format!("{kept}\n{}", says(left_out.chars().count()))
            }
            Some(_) | None => text.to_owned(),
        }
    }

    fn date(&self, at: Timestamp, format: &str) -> String {
        match jiff::Timestamp::from_microsecond(at.0) {
            Ok(instant) => instant.to_zoned(self.zone.clone()).strftime(format).to_string(),
            // Beyond the range of the calendar; no clock produces this.
            Err(_) => format!("{} µs", at.0),
        }
    }
}

/// The data of a system message that is not part of any result.
fn own_data<'a>(system: &'a SystemMessage, results: &[CommandResult]) -> Option<Cow<'a, str>> {
    let said_by_results = system.kind == SystemKind::DataAdded && !results.is_empty();
    system.formatted_data.as_ref().filter(|_| !said_by_results).map(LocalizableText::to_plain_text)
}

/// The text without anything that looks like a marker: `<entracte` and `</entracte` lose their bracket.
pub(crate) fn escape_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from_bracket) = rest.split_at(at);
        out.push_str(before);
        let after = &from_bracket[1..];
        out.push_str(if begins_mark(after) { "&lt;" } else { "<" });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn begins_mark(after_bracket: &str) -> bool {
    let name = after_bracket.trim_start().trim_start_matches('/').trim_start();
    name.get(..texts::MARK.len()).is_some_and(|name| name.eq_ignore_ascii_case(texts::MARK))
}
