//! What a person is asked, drawn for a terminal: approval of a call, or a question.

use entracte_application::ports::Description;
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{Approval, SpokenReason};
use entracte_domain::id::CallId;
use entracte_domain::question::Question;
use entracte_domain::validation::Level;

use super::text::{argument_lines, barred, folded, name_marks, one_line};
use super::time::Dial;
use super::words;
use super::wrap::{columns, wrapped};
use crate::colour::paint;

/// The card of one approval: what it does, with which arguments, what changes, why approval is needed, and what to
/// look at twice. All of it fits on a screen of 80 by 24 above the keys, whatever the arguments are: long values are
/// folded with their length and digest, and what is left out is counted, with where all of it is ([`in_full`]).
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
    let (all, shown) = (indented.len() + arguments.left_out, fitting(&indented, ARGUMENT_ROWS));
    lines.extend(indented.into_iter().take(shown));
    lines.extend(left_out(all - shown, all, texts, colour));
    let mut is_cut = shown < all;
    let plain = changes(approval, SCREEN, false, texts);
    let (all, shown) = (plain.len(), fitting(&plain, CHANGE_ROWS));
    lines.extend(changes(approval, SCREEN, colour, texts).into_iter().take(shown));
    lines.extend(left_out(all - shown, all, texts, colour));
    is_cut |= shown < all;
    let reasons: Vec<String> =
        reasons(approval).map(|reason| because(reason, LINE_WIDTH - 20, texts)).collect();
    let warnings = &describe.warnings;
    let all = reasons.len() + warnings.len();
    let shown = reasons.len().min(REASON_LINES) + warnings.len().min(WARNING_LINES);
    lines.extend(reasons.into_iter().take(REASON_LINES));
    is_cut |= shown < all;
    let room = CARD_ROWS.saturating_sub(rows(&lines) + usize::from(is_cut) * 2);
    lines.extend(warning_lines(&warnings[..warnings.len().min(WARNING_LINES)], room, colour, texts));
    lines.extend(is_cut.then(|| more(approval, all - shown, all, texts, colour)));
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

/// Warnings, each whole on as many lines as it takes; where the screen has no room for that, each on one line.
fn warning_lines(warnings: &[String], room: usize, colour: bool, texts: &Texts) -> Vec<String> {
    let mark = |line: &str| {
        let look = say!(texts, "screen-warning");
        line.replacen(&look, &paint(&look, "31;1", colour), 1)
    };
    let whole = warnings.iter().flat_map(|text| {
        let line = warning(text, usize::MAX, false, texts);
        let mut lines = wrapped(line.trim_start(), LINE_WIDTH, "  ", "    ");
        lines.iter_mut().take(1).for_each(|first| *first = mark(first));
        lines
    });
    let whole: Vec<String> = whole.collect();
    match whole.len() <= room {
        true => whole,
        false => warnings.iter().map(|text| warning(text, LINE_WIDTH - 16, colour, texts)).collect(),
    }
}

/// How many rows of a terminal these lines take.
fn rows(lines: &[String]) -> usize {
    lines.iter().map(|line| columns(line).div_ceil(SCREEN_WIDTH).max(1)).sum()
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

/// How much of a part of the card stands nowhere on it; nothing where all of it does.
fn left_out(count: usize, all: usize, texts: &Texts, colour: bool) -> Option<String> {
    let said = || say!(texts, "bounds-card-left-out", count = count, all = all);
    (count > 0).then(|| format!("    {}", paint(&said(), "31;1", colour)))
}

/// Where all of the card is, behind how many of its reasons and warnings are left out.
fn more(approval: &Approval, count: usize, all: usize, texts: &Texts, colour: bool) -> String {
    let call = approval.call.id.as_str();
    // A call is named after its session.
    let stem = call.trim_start_matches("cal_").split('_').next().unwrap_or_default();
    let session = format!("ses_{stem}");
    let said =
        say!(texts, "bounds-card-more", count = count, all = all, session = session.as_str(), call = call);
    format!("    {}", paint(&said, "31;1", colour))
}

/// All of the card that a screen may have no room for, each part of it whole: what is done, every field before and after,
/// every reason and every warning.
pub(crate) fn in_full(approval: &Approval) -> Vec<String> {
    let (describe, texts) = (&approval.description, Texts::of(approval.language));
    let mut lines = vec![one_line(&describe.says)];
    lines.extend(changes(approval, WHOLE, false, texts));
    lines.extend(reasons(approval).map(|reason| because(reason, usize::MAX, texts)));
    lines.extend(describe.warnings.iter().map(|text| warning(text, usize::MAX, false, texts)));
    lines
}

/// Why approval is needed; who may approve at all comes first.
fn reasons(approval: &Approval) -> impl Iterator<Item = &SpokenReason> {
    let (first, rest): (Vec<_>, Vec<_>) =
        approval.reasons.iter().partition(|reason| reason.level == Level::FourEyes);
    first.into_iter().chain(rest)
}

fn because(reason: &SpokenReason, width: usize, texts: &Texts) -> String {
    let because = folded(&reason.text, width, texts);
    let level = words::word("level", reason.level.word(), texts);
    format!("  {}", say!(texts, "screen-because", reason = because, level = level))
}

fn warning(text: &str, width: usize, colour: bool, texts: &Texts) -> String {
    let look = paint(&say!(texts, "screen-warning"), "31;1", colour);
    format!("  {look} {}", folded(text, width, texts))
}

/// How the fields of a command's card are named: those of our own resources in the language of the workspace, those
/// of tools from outside as they are.
fn name_of<'a>(command: &str, texts: &'a Texts) -> impl Fn(&str) -> String + use<'a> {
    let resource = command.split_once('.').map(|(resource, _)| resource);
    let is_ours = matches!(resource, Some("zones" | "tools" | "tool_data"));
    move |field| if is_ours { texts.field(field) } else { field.to_owned() }
}

/// A line per field that is there before or after. Its name is its own: no card has two of one name.
fn changes(approval: &Approval, room: Room, colour: bool, texts: &Texts) -> Vec<String> {
    let Description { before, after, .. } = &approval.description;
    let name_of = name_of(&approval.call.effective().name, texts);
    let find = |of: &[(String, String)], field: &str| {
        of.iter().find(|(name, _)| name == field).map(|(_, value)| value.clone())
    };
    let gone = before.iter().filter(|(name, _)| find(after, name).is_none());
    let fields: Vec<&str> = after.iter().chain(gone).map(|(name, _)| name.as_str()).collect();
    let colon = say!(texts, "screen-colon");
    let line = |field: &&str| {
        let name = format!("{}{}", folded(&name_of(field), room.name, texts), name_marks(field, &fields));
        let name = format!("{name}{colon}");
        let room = room.line.saturating_sub(name.chars().count() + 7);
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

/// How many columns a line with a field may have, and the name in it.
#[derive(Clone, Copy)]
struct Room {
    line: usize,
    name: usize,
}

/// On a terminal.
const SCREEN: Room = Room { line: LINE_WIDTH, name: NAME_WIDTH };
/// Where nothing is folded.
const WHOLE: Room = Room { line: usize::MAX, name: usize::MAX };
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
/// The rows of a card above what stands below its warnings: what it starts after, that it changed, until when it is open.
const CARD_ROWS: usize = 20;
/// The most warnings.
const WARNING_LINES: usize = 3;
