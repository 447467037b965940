//! The limits in force that concern the model.

use entracte_domain::session::{Dialect, RelaunchCommandPolicy, SessionKind, SessionRules};

use crate::texts::{LocalizedTexts, say};

/// One line per limit, and what happens when it is reached.
pub(super) fn text(
    texts: &LocalizedTexts,
    kind: SessionKind,
    dialect: Dialect,
    rules: &SessionRules,
) -> String {
    let mut lines = vec![say!(texts, "prompt-limits-title")];
    lines.extend(at_most(texts, &rounds(kind, dialect, rules)));
    lines.extend(on_error(texts, kind, dialect, rules));
    lines.extend(minutes(texts, kind, rules));
    lines.extend(at_most(
        texts,
        &[
            (rules.calls_per_reply, "prompt-limit-calls-per-reply"),
            (rules.calls_per_session, "prompt-limit-calls-per-session"),
        ],
    ));
    lines.extend(timeout(texts, rules));
    lines.push(say!(texts, at_limit(kind)));
    lines.join("\n")
}

/// A line for each of these limits that is set.
fn at_most(texts: &LocalizedTexts, limits: &[(u32, &str)]) -> Vec<String> {
    let set = limits.iter().filter(|(most, _)| *most > 0);
    set.map(|(most, key)| say!(texts, key, most = *most)).collect()
}

fn rounds(kind: SessionKind, dialect: Dialect, rules: &SessionRules) -> [(u32, &'static str); 7] {
    let whole = match kind {
        SessionKind::Chat => "prompt-limit-rounds-chat",
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => "prompt-limit-rounds-run",
    };
    let relaunches = match (kind, dialect) {
        (SessionKind::Chat, Dialect::Tools) => rules.relaunches,
        _ => 0,
    };
    [
        (rules.rounds, whole),
        (relaunches, "prompt-limit-relaunches"),
        (rules.query_rounds, "prompt-limit-query-rounds"),
        (rules.failed_action_rounds, "prompt-limit-failed-rounds"),
        (rules.format_errors, "prompt-limit-format-errors"),
        (rules.equal_failures, "prompt-limit-equal-failures"),
        (rules.without_progress, "prompt-limit-without-progress"),
    ]
}

fn on_error(
    texts: &LocalizedTexts,
    kind: SessionKind,
    dialect: Dialect,
    rules: &SessionRules,
) -> Option<String> {
    let is_relaunched = (kind, dialect) == (SessionKind::Chat, Dialect::Tools);
    match rules.relaunch_commands {
        RelaunchCommandPolicy::Always => None,
        RelaunchCommandPolicy::OnError => {
            is_relaunched.then(|| say!(texts, "prompt-limit-relaunch-on-error"))
        }
    }
}

fn minutes(texts: &LocalizedTexts, kind: SessionKind, rules: &SessionRules) -> Option<String> {
    let limit = rules.run_duration.0;
    let says = || match limit % 60_000 {
        0 => say!(texts, "prompt-limit-minutes", most = limit / 60_000),
        // Fractions of a second are rounded down, so that the model does not count on them.
        _ => say!(texts, "prompt-limit-seconds", most = limit / 1000),
    };
    (limit > 0 && kind != SessionKind::Chat).then(says)
}

fn timeout(texts: &LocalizedTexts, rules: &SessionRules) -> Option<String> {
    let seconds = rules.call_timeout.0 / 1000;
    (seconds > 0).then(|| say!(texts, "prompt-limit-timeout", seconds = seconds))
}

const fn at_limit(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::Chat => "prompt-at-limit-chat",
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => "prompt-at-limit-run",
    }
}
