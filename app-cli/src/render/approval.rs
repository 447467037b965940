//! What a person is asked, drawn for a terminal: leave for a call, or a question.

use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::Approval;
use entracte_domain::question::Question;
use jiff::tz::TimeZone;

use super::colour::paint;
use super::text::{block, one_line};
use super::time::day;

/// The card of one approval: what it does, with which arguments, what changes, why leave is needed, and what to
/// look at twice.
pub(crate) fn card(approval: &Approval, colour: bool, zone: &TimeZone) -> String {
    let describe = &approval.description;
    let texts = Texts::of(approval.language);
    let mut lines = vec![format!(
        "{} {}",
        paint(&say!(texts, "screen-leave-needed"), "33;1", colour),
        paint(&one_line(&describe.says), "1", colour)
    )];
    let command = approval.call.effective();
    lines.push(format!("  {} {}", one_line(&command.name), one_line(&command.arguments.to_json())));
    lines.extend(changes(&describe.before, &describe.after, colour));
    lines.extend(approval.reasons.iter().map(|reason| {
        let because = one_line(&reason.text);
        format!("  {}", say!(texts, "screen-because", reason = because, level = reason.level.word()))
    }));
    lines.extend(describe.warnings.iter().map(|warning| {
        format!("  {} {}", paint(&say!(texts, "screen-look-twice"), "31;1", colour), one_line(warning))
    }));
    let until =
        say!(texts, "screen-until", id = approval.id.as_str(), until = day(approval.expires_at, zone));
    lines.push(format!("  {until}"));
    lines.join("\n")
}

/// A line per field that is there before or after.
fn changes(before: &[(String, String)], after: &[(String, String)], colour: bool) -> Vec<String> {
    let value = |of: &[(String, String)], field: &str| {
        of.iter().find(|(name, _)| name == field).map(|(_, value)| one_line(value))
    };
    let gone = before.iter().filter(|(name, _)| value(after, name).is_none());
    let fields = after.iter().chain(gone).map(|(name, _)| name);
    fields
        .map(|field| {
            let name = one_line(field);
            match (value(before, field), value(after, field)) {
                (Some(old), Some(new)) if old == new => format!("    {name}: {old}"),
                (Some(old), Some(new)) => {
                    format!("    {name}: {} → {}", paint(&old, "31", colour), paint(&new, "32", colour))
                }
                (None, Some(new)) => format!("  + {name}: {}", paint(&new, "32", colour)),
                (Some(old), None) => format!("  - {name}: {}", paint(&old, "31", colour)),
                (None, None) => format!("    {name}"),
            }
        })
        .collect()
}

/// A question with its numbered options.
pub(crate) fn question(question: &Question, colour: bool) -> String {
    let mut lines = vec![format!(
        "{} {}",
        paint("question", "33;1", colour),
        paint(&block(question.text()), "1", colour)
    )];
    match question {
        Question::MultipleChoice { options, allow_other, .. } => {
            let numbered = options.iter().enumerate();
            lines.extend(numbered.map(|(index, option)| format!("  {} {}", index + 1, one_line(option))));
            if *allow_other {
                lines.push("  or in your own words".to_owned());
            }
        }
        Question::Validation { .. } => lines.push("  yes or no".to_owned()),
    }
    lines.join("\n")
}
