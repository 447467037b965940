//! Draws approval cards and questions for a terminal.

use entracte_adapters_http::shapes::card::{CardShape, FieldChangeShape, QuestionShape, ReasonShape};
use entracte_application::json_value;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::validation::ValidationLevel;
use entracte_domain::value::JsonValue;

use super::stored_words;
use super::text::{
    TruncatedLines, argument_lines, block, confusable_name_marks, fits, fold_text, mixed_words, one_line,
    prefix_lines_with_bar,
};
use super::time::{TimeFormatter, shown_instant};
use super::wrap::{columns, wrapped};
use crate::colour::paint;

/// An approval card drawn for a screen.
pub(crate) struct RenderedCard {
    /// The lines of the card.
    pub(crate) text: String,
    /// How many parts are folded, left out, or contain look-alike letters. If it is not 0, approving requires
    /// [`full_card_lines`] to be shown first.
    pub(crate) hidden: usize,
}

/// The card of one approval: the action, its arguments, the changes, the reasons for the approval, and warnings. It
/// fits on a screen of 80 by 24 above the keys, whatever the arguments are: long values are folded with their length
/// and digest, and left-out parts are counted, with a pointer to the full card ([`full_card_lines`]).
pub(crate) fn card<'a>(
    approval: &CardShape,
    texts: &LocalizedTexts,
    colour: bool,
    dial: impl Into<TimeFormatter<'a>>,
) -> RenderedCard {
    let mut lines = vec![format!(
        "{} {}",
        paint(&approval_head(approval, texts), "33;1", colour),
        paint(&fold_text(&approval.says, HEAD_WIDTH, texts), "1", colour)
    )];
    lines.push(format!("  {}", fold_text(&approval.command, LINE_WIDTH - 2, texts)));
    let mut hidden = usize::from(!fits(&approval.says, HEAD_WIDTH))
        + usize::from(!fits(&approval.command, LINE_WIDTH - 2));
    let target = target_of_template(approval);
    hidden += usize::from(target.as_ref().is_some_and(|target| !fits(target, HEAD_WIDTH)));
    let target: Vec<String> =
        target.iter().map(|target| format!("  {}", fold_text(target, HEAD_WIDTH, texts))).collect();
    let target_rows = rows(&target);
    lines.extend(target);
    let chain = super::chain::line(&approval.asked_by, &approval.chain, texts);
    lines.extend(chain.map(|chain| format!("  {}", paint(&chain, "33", colour))));
    let why = &approval.reasons;
    let reason_lines = reason_lines(why);
    // What does not fit on the card is rather an argument than the reason that it cannot be undone.
    let taken_rows = reason_lines.max(REASON_LINES) + target_rows;
    let argument_rows = (ARGUMENT_ROWS + REASON_LINES).saturating_sub(taken_rows);
    let arguments = arguments(&parsed_arguments(approval), argument_rows, texts);
    let indented: Vec<String> = arguments.lines.iter().map(|line| format!("    {line}")).collect();
    let (all, shown) = (indented.len() + arguments.left_out, fitting(&indented, argument_rows));
    lines.extend(indented.into_iter().take(shown));
    lines.extend(left_out(PartCount { left_out: all - shown, all }, texts, colour));
    hidden += arguments.folds + all - shown;
    // On shared lines if the screen has room, else each on its own line.
    let fits_whole = {
        let whole = changes(approval, WHOLE, false, texts).lines;
        fitting(&whole, CHANGE_ROWS) == whole.len()
    };
    let room = if fits_whole { WHOLE } else { SCREEN };
    let plain = changes(approval, room, false, texts);
    let (all, shown) = (plain.lines.len(), fitting(&plain.lines, CHANGE_ROWS));
    lines.extend(changes(approval, room, colour, texts).lines.into_iter().take(shown));
    lines.extend(left_out(PartCount { left_out: all - shown, all }, texts, colour));
    hidden += plain.folds + all - shown;
    let warnings = &approval.warnings;
    let all = why.len() + warnings.len();
    let shown = reason_lines + warnings.len().min(WARNING_LINES);
    // On two lines each if the screen has room.
    let has_room = rows(&lines) + 2 * reason_lines + WARNING_LINES < CARD_ROWS;
    let width = if has_room { 2 * REASON_WIDTH } else { REASON_WIDTH };
    hidden += all - shown + why.iter().take(reason_lines).filter(|why| !fits(&why.text, width)).count();
    lines.extend(why.iter().take(reason_lines).map(|reason| reason_line(reason, width, texts)));
    let mixed = mixed_line(approval, texts, LINE_WIDTH * 2, colour);
    hidden += usize::from(mixed.is_some());
    lines.extend(mixed);
    let room = CARD_ROWS.saturating_sub(rows(&lines) + usize::from(hidden > 0) * 2);
    let warned = warning_lines(&warnings[..warnings.len().min(WARNING_LINES)], room, colour, texts);
    hidden += warned.folds;
    lines.extend(warned.lines);
    lines.extend(
        (hidden > 0).then(|| more(approval, hidden, PartCount { left_out: all - shown, all }, texts, colour)),
    );
    if !approval.waits_for.is_empty() {
        let calls = approval.waits_for.join(", ");
        lines.push(format!("  {}", say!(texts, "screen-starts-after", calls = calls)));
    }
    if approval.changed {
        let changed = say!(texts, "screen-changed");
        lines.push(format!("  {}", paint(&changed, "31;1", colour)));
    }
    let dial = dial.into();
    let until = shown_instant(&approval.expires_at, |at| dial.with_relative_time(at, texts));
    let until = say!(texts, "screen-until", id = approval.id.as_str(), until = until);
    lines.push(format!("  {until}"));
    RenderedCard { text: lines.join("\n"), hidden }
}

/// The heading of a card: a query that asks is named as one, because it only reads.
fn approval_head(approval: &CardShape, texts: &LocalizedTexts) -> String {
    match &*approval.effect {
        "read" => say!(texts, "screen-approval-query"),
        _ => say!(texts, "screen-approval-needed"),
    }
}

/// Method and address of a call whose sentence is a template of the configuration, which leaves them out; `None` for
/// other calls, whose sentence has them.
fn target_of_template(approval: &CardShape) -> Option<String> {
    let target = approval.target.as_object().filter(|target| target.contains_key("card"))?;
    let part = |name: &str| target.get(name)?.as_str();
    Some(format!("{} {}", part("method")?, part("url")?))
}

/// The number of parts that the card on the screen does not show.
pub(crate) fn hidden_part_count(approval: &CardShape, texts: &LocalizedTexts) -> usize {
    card(approval, texts, false, &jiff::tz::TimeZone::UTC).hidden
}

/// The arguments with their order and digits; those that cannot be read are shown as their text.
fn parsed_arguments(approval: &CardShape) -> JsonValue {
    json_value::parse(&approval.arguments_text)
        .unwrap_or_else(|_| JsonValue::Text(approval.arguments_text.clone()))
}

/// How many of the reasons of a card, which are in its order, the screen shows: every essential one, and others if there
/// is room.
fn reason_lines(reasons: &[ReasonShape]) -> usize {
    // A level of a later version may be essential.
    let is_essential =
        |level: &str| ValidationLevel::from_word(level).is_none_or(ValidationLevel::is_essential);
    let essential = reasons.iter().filter(|reason| is_essential(&reason.level)).count();
    essential.min(ESSENTIAL_REASON_LINES).max(reasons.len().min(REASON_LINES))
}

/// The arguments: in full if they fit in these rows, else each on its own line.
fn arguments(arguments: &JsonValue, most_rows: usize, texts: &LocalizedTexts) -> TruncatedLines {
    let whole = argument_lines(arguments, most_rows, WHOLE.line, texts);
    let indented: Vec<String> = whole.lines.iter().map(|line| format!("    {line}")).collect();
    if whole.left_out == 0 && fitting(&indented, most_rows) == indented.len() {
        return whole;
    }
    argument_lines(arguments, most_rows, LINE_WIDTH - 4, texts)
}

/// The words of a card that mix letters of several alphabets, with the numbers of the letters; `None` if there are
/// none.
fn mixed_line(approval: &CardShape, texts: &LocalizedTexts, width: usize, colour: bool) -> Option<String> {
    let arguments = parsed_arguments(approval);
    let mut all = vec![approval.says.as_str(), approval.command.as_str()];
    add_texts(&arguments, &mut all);
    for FieldChangeShape { name, before, after } in &approval.fields {
        all.push(name);
        all.extend(before.iter().chain(after).map(String::as_str));
    }
    all.extend(approval.warnings.iter().map(String::as_str));
    let mut words: Vec<String> = Vec::new();
    for word in all.into_iter().flat_map(mixed_words) {
        let told = format!("“{}”{}", one_line(word), confusable_name_marks(word, &[]));
        if !words.contains(&told) {
            words.push(told);
        }
    }
    let said = say!(texts, "screen-mixed", words = words.join(", "));
    (!words.is_empty()).then(|| format!("  {}", paint(&fold_text(&said, width, texts), "31;1", colour)))
}

/// Collects the names and texts in a value.
fn add_texts<'a>(value: &'a JsonValue, all: &mut Vec<&'a str>) {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => {}
        JsonValue::Text(text) => all.push(text),
        JsonValue::List(items) => items.iter().for_each(|item| add_texts(item, all)),
        JsonValue::Object(members) => members.iter().for_each(|(name, value)| {
            all.push(name);
            add_texts(value, all);
        }),
    }
}

/// The lines of a part of a card, and how many of them are folded.
struct FoldedLines {
    lines: Vec<String>,
    folds: usize,
}

/// The warnings, each in full on several lines; without room for that, each on one line.
fn warning_lines(warnings: &[String], room: usize, colour: bool, texts: &LocalizedTexts) -> FoldedLines {
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
        true => FoldedLines { lines: whole, folds: 0 },
        false => FoldedLines {
            lines: warnings.iter().map(|text| warning(text, WARNING_WIDTH, colour, texts)).collect(),
            folds: warnings.iter().filter(|text| !fits(text, WARNING_WIDTH)).count(),
        },
    }
}

/// The number of terminal rows that these lines take.
fn rows(lines: &[String]) -> usize {
    lines.iter().map(|line| columns(line).div_ceil(SCREEN_WIDTH).max(1)).sum()
}

/// How many of these lines fit in `rows` terminal rows.
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

/// The parts of a card, and how many of them have no room.
#[derive(Clone, Copy)]
struct PartCount {
    left_out: usize,
    all: usize,
}

/// The line with the number of left-out parts; `None` if all are shown.
fn left_out(parts: PartCount, texts: &LocalizedTexts, colour: bool) -> Option<String> {
    let PartCount { left_out: count, all } = parts;
    let said = || say!(texts, "bounds-card-left-out", count = count, all = all);
    (count > 0).then(|| format!("    {}", paint(&said(), "31;1", colour)))
}

/// The pointer to the full card, with the numbers of hidden parts, and of left-out reasons and warnings.
fn more(
    approval: &CardShape,
    hidden: usize,
    reasons: PartCount,
    texts: &LocalizedTexts,
    colour: bool,
) -> String {
    let PartCount { left_out: count, all } = reasons;
    let call = approval.call.as_str();
    // A call's id contains its session's.
    let stem = call.trim_start_matches("cal_").split('_').next().unwrap_or_default();
    let session = format!("ses_{stem}");
    let said = match count {
        0 => say!(texts, "bounds-card-hidden", hidden = hidden, session = session.as_str(), call = call),
        _ => {
            say!(texts, "bounds-card-more", count = count, all = all, session = session.as_str(), call = call)
        }
    };
    format!("    {}", paint(&said, "31;1", colour))
}

/// The full card, for which a screen may have no room: the action, the arguments, every field before and after, every
/// reason and every warning.
pub(crate) fn full_card_lines(approval: &CardShape, texts: &LocalizedTexts) -> Vec<String> {
    let mut lines = vec![one_line(&approval.says), format!("  {}", one_line(&approval.command))];
    lines.extend(target_of_template(approval).map(|target| format!("  {}", one_line(&target))));
    let arguments = argument_lines(&parsed_arguments(approval), usize::MAX, WHOLE.line, texts);
    lines.extend(arguments.lines.iter().map(|line| format!("    {line}")));
    lines.extend(changes(approval, WHOLE, false, texts).lines);
    lines.extend(approval.reasons.iter().map(|reason| reason_line(reason, WHOLE.line, texts)));
    lines.extend(mixed_line(approval, texts, WHOLE.line, false));
    lines.extend(approval.warnings.iter().map(|text| warning(text, WHOLE.line, false, texts)));
    lines
}

/// The full card with the arguments on several lines, so that their line ends are visible as such.
pub(crate) fn full_card_text(approval: &CardShape, texts: &LocalizedTexts) -> String {
    let arguments = json_value::to_indented_text(&approval.arguments.0);
    format!("{}\n{}", full_card_lines(approval, texts).join("\n"), block(&arguments))
}

fn reason_line(reason: &ReasonShape, width: usize, texts: &LocalizedTexts) -> String {
    let because = fold_text(&reason.text, width, texts);
    let level = stored_words::word("level", &reason.level, texts);
    format!("  {}", say!(texts, "screen-because", reason = because, level = level))
}

fn warning(text: &str, width: usize, colour: bool, texts: &LocalizedTexts) -> String {
    let look = paint(&say!(texts, "screen-warning"), "31;1", colour);
    format!("  {look} {}", fold_text(text, width, texts))
}

/// Names the fields of a command's card: those of the workspace's own resources in its language, those of external
/// tools unchanged.
fn name_of<'a>(command: &str, texts: &'a LocalizedTexts) -> impl Fn(&str) -> String + use<'a> {
    let resource = command.split_once('.').map(|(resource, _)| resource);
    let is_ours = matches!(resource, Some("zones" | "tools" | "tool_data"));
    move |field| if is_ours { texts.field(field) } else { field.to_owned() }
}

/// A line for each field before or after the change. Field names are unique on a card.
fn changes(
    approval: &CardShape,
    room: FieldColumnWidths,
    colour: bool,
    texts: &LocalizedTexts,
) -> FoldedLines {
    let name_of = name_of(&approval.command, texts);
    let names: Vec<&str> = approval.fields.iter().map(|field| field.name.as_str()).collect();
    let colon = say!(texts, "screen-colon");
    let line = |field: &FieldChangeShape| {
        let name = name_of(&field.name);
        let mut is_whole = fits(&name, room.name);
        let name =
            format!("{}{}", fold_text(&name, room.name, texts), confusable_name_marks(&field.name, &names));
        let name = format!("{name}{colon}");
        let room = room.line.saturating_sub(name.chars().count() + 7);
        let mut fold = |value: &str, room: usize| {
            is_whole &= fits(value, room);
            fold_text(value, room, texts)
        };
        let line = match (&field.before, &field.after) {
            (Some(old), Some(new)) if old == new => format!("    {name} {}", fold(old, room)),
            (Some(old), Some(new)) => {
                let (old, new) = (fold(old, room / 2), fold(new, room / 2));
                format!("    {name} {} → {}", paint(&old, "31", colour), paint(&new, "32", colour))
            }
            (None, Some(new)) => format!("  + {name} {}", paint(&fold(new, room), "32", colour)),
            (Some(old), None) => format!("  - {name} {}", paint(&fold(old, room), "31", colour)),
            (None, None) => format!("    {name}"),
        };
        (line, is_whole)
    };
    let (lines, are_whole): (Vec<String>, Vec<bool>) = approval.fields.iter().map(line).unzip();
    FoldedLines { lines, folds: are_whole.into_iter().filter(|is_whole| !is_whole).count() }
}

/// A question with its numbered options. The model's text is behind a bar on every line, so that it cannot imitate
/// Entracte's own.
pub(crate) fn question(question: &QuestionShape, colour: bool, texts: &LocalizedTexts) -> String {
    let mut lines = vec![paint(&say!(texts, "screen-question"), "33;1", colour)];
    lines.extend(prefix_lines_with_bar(&question.text, LINE_WIDTH).lines().map(|line| format!("  {line}")));
    match &*question.shape {
        "multiple_choice" => {
            for (index, option) in question.options.iter().enumerate() {
                let option = prefix_lines_with_bar(&one_line(option), LINE_WIDTH - 8);
                lines.push(format!("  {:>2} {}", index + 1, option.replace('\n', "\n     ")));
            }
            if question.allow_other {
                lines.push(format!("  {}", say!(texts, "screen-question-other")));
            }
        }
        "validation" => lines.push(format!("  {}", say!(texts, "screen-question-yes-no"))),
        _ => lines.push(format!("  {}", say!(texts, "screen-question-open"))),
    }
    lines.join("\n")
}

/// The columns of a field's line, and of the name in it.
#[derive(Clone, Copy)]
struct FieldColumnWidths {
    line: usize,
    name: usize,
}

/// The widths on a terminal.
const SCREEN: FieldColumnWidths = FieldColumnWidths { line: LINE_WIDTH, name: NAME_WIDTH };
/// The widths without folding.
const WHOLE: FieldColumnWidths = FieldColumnWidths { line: usize::MAX, name: usize::MAX };
/// The columns of a card. Marks after names may exceed it, within the terminal's width.
const LINE_WIDTH: usize = 76;
/// The most characters of the sentence that describes the action; two terminal lines.
const HEAD_WIDTH: usize = 130;
/// The most characters of a field's name.
const NAME_WIDTH: usize = 30;
/// The columns of a terminal.
const SCREEN_WIDTH: usize = 80;
/// The most rows for arguments.
const ARGUMENT_ROWS: usize = 7;
/// The most rows for changed fields.
const CHANGE_ROWS: usize = 4;
/// The most essential reasons shown: all that a call can have.
const ESSENTIAL_REASON_LINES: usize = 5;
/// The most reasons shown if not more of them are essential.
const REASON_LINES: usize = 2;
/// The most characters of a reason on a line, with its level.
const REASON_WIDTH: usize = LINE_WIDTH - 20;
/// The most characters of a warning if each has one line.
const WARNING_WIDTH: usize = LINE_WIDTH - 16;
/// The rows of a card above the lines after its warnings: preceding calls, a change notice, the expiry.
const CARD_ROWS: usize = 20;
/// The most warnings shown.
const WARNING_LINES: usize = 3;
