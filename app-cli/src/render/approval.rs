//! What a person is asked, drawn for a terminal: approval of a call, or a question.

use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::Approval;
use entracte_domain::id::CallId;
use entracte_domain::question::Question;
use entracte_domain::validation::Level;

use super::text::{argument_lines, barred, folded, name_marks, one_line};
use super::time::Dial;
use super::words;
use crate::colour::paint;

/// The card of one approval: what it does, with which arguments, what changes, why approval is needed, and what to
/// look at twice. All of it fits on a screen of 80 by 24 above the keys, whatever the arguments are: long values are
/// folded with their length and digest, and what is left out is counted.
pub(crate) fn card<'a>(approval: &Approval, colour: bool, dial: impl Into<Dial<'a>>) -> String {
    let describe = &approval.description;
    let texts = Texts::of(approval.language);
    let mut lines = vec![format!(
        "{} {}",
        paint(&say!(texts, "screen-approval-needed"), "33;1", colour),
        paint(&folded(&describe.says, HEAD_WIDTH, texts), "1", colour)
    )];
    let command = approval.call.effective();
    lines.push(format!("  {}", folded(&command.name, LINE_WIDTH - 2, texts)));
    let way = super::chain::line(&approval.call.asked_by.people, &approval.chain, texts);
    lines.extend(way.map(|way| format!("  {}", paint(&way, "33", colour))));
    let arguments = argument_lines(&command.arguments, ARGUMENT_ROWS, LINE_WIDTH - 4, texts);
    let indented: Vec<String> = arguments.lines.iter().map(|line| format!("    {line}")).collect();
    let fitting = fitting(&indented, ARGUMENT_ROWS);
    let left_out = arguments.left_out + indented.len() - fitting;
    lines.extend(indented.into_iter().take(fitting));
    lines.extend(more(approval, left_out, texts, colour));
    let named = name_of(&command.name, texts);
    let plain = changes(&describe.before, &describe.after, &named, false, texts);
    let fitting = self::fitting(&plain, CHANGE_ROWS);
    let changes = changes(&describe.before, &describe.after, &named, colour, texts);
    lines.extend(changes.into_iter().take(fitting));
    lines.extend(more(approval, plain.len() - fitting, texts, colour));
    // Who may approve at all comes first.
    let (first, rest): (Vec<_>, Vec<_>) =
        approval.reasons.iter().partition(|reason| reason.level == Level::FourEyes);
    lines.extend(first.into_iter().chain(rest).take(REASON_LINES).map(|reason| {
        let because = folded(&reason.text, LINE_WIDTH - 20, texts);
        let level = words::word("level", reason.level.word(), texts);
        format!("  {}", say!(texts, "screen-because", reason = because, level = level))
    }));
    lines.extend(describe.warnings.iter().take(WARNING_LINES).map(|warning| {
        let look = paint(&say!(texts, "screen-warning"), "31;1", colour);
        format!("  {look} {}", folded(warning, LINE_WIDTH - 16, texts))
    }));
    if !approval.starts_after.is_empty() {
        let calls: Vec<&str> = approval.starts_after.iter().map(CallId::as_str).collect();
        lines.push(format!("  {}", say!(texts, "screen-starts-after", calls = calls.join(", "))));
    }
    if approval.is_changed {
        let changed = say!(texts, "screen-changed");
        lines.push(format!("  {}", paint(&changed, "31;1", colour)));
    }
    let until = dial.into().beside(approval.expires_at, texts);
    let until = say!(texts, "screen-until", id = approval.id.as_str(), until = until);
    lines.push(format!("  {until}"));
    lines.join("\n")
}

/// How many of these lines a terminal shows in so many rows.
fn fitting(lines: &[String], rows: usize) -> usize {
    let mut left = rows;
    lines
        .iter()
        .take_while(|line| {
            let taken = line.chars().count().div_ceil(SCREEN_WIDTH).max(1);
            let fits = taken <= left;
            left = left.saturating_sub(taken);
            fits
        })
        .count()
}

/// That there is more than the card shows, and where all of it is.
fn more(approval: &Approval, count: usize, texts: &Texts, colour: bool) -> Option<String> {
    let call = approval.call.id.as_str();
    // A call is named after its session.
    let stem = call.trim_start_matches("cal_").split('_').next().unwrap_or_default();
    let session = format!("ses_{stem}");
    let said = || say!(texts, "bounds-card-more", count = count, session = &session, call = call);
    (count > 0).then(|| format!("    {}", paint(&said(), "31;1", colour)))
}

/// How the fields of a command's card are named: those of our own resources in the language of the workspace, those
/// of tools from outside as they are.
fn name_of<'a>(command: &str, texts: &'a Texts) -> impl Fn(&str) -> String + use<'a> {
    let resource = command.split_once('.').map(|(resource, _)| resource);
    let is_ours = matches!(resource, Some("zones" | "tools" | "tool_data"));
    move |field| if is_ours { texts.field(field) } else { field.to_owned() }
}

/// A line per field that is there before or after.
fn changes(
    before: &[(String, String)],
    after: &[(String, String)],
    name_of: &dyn Fn(&str) -> String,
    colour: bool,
    texts: &Texts,
) -> Vec<String> {
    let find = |of: &[(String, String)], field: &str| {
        of.iter().find(|(name, _)| name == field).map(|(_, value)| value.clone())
    };
    let gone = before.iter().filter(|(name, _)| find(after, name).is_none());
    let fields: Vec<&str> = after.iter().chain(gone).map(|(name, _)| name.as_str()).collect();
    let colon = say!(texts, "screen-colon");
    let line = |field: &&str| {
        let name = format!("{}{}", folded(&name_of(field), NAME_WIDTH, texts), name_marks(field, &fields));
        let name = format!("{name}{colon}");
        let room = LINE_WIDTH.saturating_sub(name.chars().count() + 7);
        match (find(before, field), find(after, field)) {
            (Some(old), Some(new)) if old == new => format!("    {name} {}", folded(&old, room, texts)),
            (Some(old), Some(new)) => {
                let (old, new) = (folded(&old, room / 2, texts), folded(&new, room / 2, texts));
                format!("    {name} {} → {}", paint(&old, "31", colour), paint(&new, "32", colour))
            }
            (None, Some(new)) => format!("  + {name} {}", paint(&folded(&new, room, texts), "32", colour)),
            (Some(old), None) => format!("  - {name} {}", paint(&folded(&old, room, texts), "31", colour)),
            (None, None) => format!("    {name}"),
        }
    };
    fields.iter().map(line).collect()
}

/// A question with its numbered options. The model's words stand behind a bar, on every line, so that they cannot
/// look like ours.
pub(crate) fn question(question: &Question, colour: bool, texts: &Texts) -> String {
    let mut lines = vec![paint(&say!(texts, "screen-question"), "33;1", colour)];
    lines.extend(barred(question.text(), LINE_WIDTH).lines().map(|line| format!("  {line}")));
    match question {
        Question::MultipleChoice { options, allow_other, .. } => {
            for (index, option) in options.iter().enumerate() {
                let option = barred(&one_line(option), LINE_WIDTH - 8);
                lines.push(format!("  {:>2} {}", index + 1, option.replace('\n', "\n     ")));
            }
            if *allow_other {
                lines.push(format!("  {}", say!(texts, "screen-question-other")));
            }
        }
        Question::Open { .. } => lines.push(format!("  {}", say!(texts, "screen-question-open"))),
        Question::Validation { .. } => lines.push(format!("  {}", say!(texts, "screen-question-yes-no"))),
    }
    lines.join("\n")
}

/// Columns of a card. Marks behind names may go beyond, by less than what a terminal has.
const LINE_WIDTH: usize = 76;
/// Characters of the sentence that says what is done; two lines of a terminal.
const HEAD_WIDTH: usize = 130;
/// Characters of a field's name.
const NAME_WIDTH: usize = 30;
/// Columns of a terminal.
const SCREEN_WIDTH: usize = 80;
/// The most rows of a card that are arguments.
const ARGUMENT_ROWS: usize = 7;
/// The most rows that are fields before and after.
const CHANGE_ROWS: usize = 4;
/// The most reasons.
const REASON_LINES: usize = 2;
/// The most warnings.
const WARNING_LINES: usize = 3;
