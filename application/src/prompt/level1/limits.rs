//! The limits in force, as far as they concern the model.

use entracte_domain::session::{Dialect, Rules, SessionKind};

use crate::prompt::texts::level1 as texts;

/// One line per limit that is set, and what happens at one.
pub(super) fn text(kind: SessionKind, dialect: Dialect, rules: &Rules) -> String {
    let mut lines = vec![texts::LIMITS_TITLE.to_owned()];
    lines.extend(rounds(kind, dialect, rules));
    lines.extend(calls(rules));
    lines.push(texts::at_limit(kind).to_owned());
    lines.join("\n")
}

fn rounds(kind: SessionKind, dialect: Dialect, rules: &Rules) -> Vec<String> {
    let whole = match kind {
        SessionKind::Chat => "answers of yours for one message of the user",
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => "answers of yours in all",
    };
    let relaunches = match (kind, dialect) {
        (SessionKind::Chat, Dialect::Tools) => rules.relaunches,
        _ => 0,
    };
    let mut lines: Vec<String> = [
        (rules.rounds, whole),
        (relaunches, "times in a row that you speak again after results"),
        (rules.query_rounds, "answers in a row that only read"),
        (rules.failed_action_rounds, "answers in a row whose actions fail"),
        (rules.format_errors, "answers in a row that cannot be read"),
        (rules.equal_failures, "times the same failure in a row"),
        (rules.without_progress, "answers in a row that bring nothing new"),
    ]
    .into_iter()
    .filter(|(most, _)| *most > 0)
    .map(|(most, what)| format!("- At most {most} {what}."))
    .collect();
    let minutes = rules.run_duration.0 / 60_000;
    if minutes > 0 && kind != SessionKind::Chat {
        lines.push(format!("- At most {minutes} minutes of work."));
    }
    lines
}

fn calls(rules: &Rules) -> Vec<String> {
    let mut lines: Vec<String> = [
        (rules.calls_per_reply, "commands in one answer"),
        (rules.calls_per_session, "commands in this session"),
    ]
    .into_iter()
    .filter(|(most, _)| *most > 0)
    .map(|(most, what)| format!("- At most {most} {what}."))
    .collect();
    let seconds = rules.call_timeout.0 / 1000;
    if seconds > 0 {
        lines.push(format!("- A command has {seconds} s, unless it says otherwise."));
    }
    lines
}
