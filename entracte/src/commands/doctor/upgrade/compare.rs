//! Compares two views. Pure.

use std::collections::{BTreeMap, BTreeSet};

use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use super::view::{UpgradeApprovalView, UpgradeSessionFault, UpgradeSessionView};
use crate::config::is_stricter;

/// A difference between the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UpgradeChange {
    /// The session; `None` if it concerns all of them.
    pub(super) session: Option<String>,
    kind: UpgradeChangeKind,
    /// The command, setting or approval.
    of: String,
    before: String,
    after: String,
}

entracte_domain::words! {
    /// The kind of a difference.
    enum UpgradeChangeKind {
        Unreadable = "unreadable",
        Replay = "replay",
        Phase = "phase",
        NextStep = "next_step",
        ApprovalGone = "approval_gone",
        ApprovalNew = "approval_new",
        ApprovalChanged = "approval_changed",
        CommandGone = "command_gone",
        CommandChanged = "command_changed",
        SchemaTightened = "schema_tightened",
        RestrictionEmpty = "restriction_empty",
        PolicyStricter = "policy_stricter",
        PolicyChanged = "policy_changed",
        ModelGone = "model_gone",
        ProviderChanged = "provider_changed",
        Quarantined = "quarantined",
        Other = "other",
    }
}

impl UpgradeChangeKind {
    /// The kind for a fault's word; a newer program may have unknown ones.
    fn of_fault(word: &str) -> Self {
        let known = [
            UpgradeChangeKind::Unreadable,
            UpgradeChangeKind::CommandGone,
            UpgradeChangeKind::CommandChanged,
            UpgradeChangeKind::SchemaTightened,
            UpgradeChangeKind::RestrictionEmpty,
            UpgradeChangeKind::ModelGone,
            UpgradeChangeKind::Quarantined,
        ];
        known.into_iter().find(|kind| kind.word() == word).unwrap_or(UpgradeChangeKind::Other)
    }
}

impl UpgradeChange {
    /// The difference as text.
    pub(super) fn says(&self, texts: &LocalizedTexts) -> String {
        let key = format!("upgrade-{}", self.kind.word().replace('_', "-"));
        let nothing = || texts.render("upgrade-nothing", &[]);
        let or_nothing = |text: &str| if text.is_empty() { nothing() } else { text.to_owned() };
        let (before, after) = (or_nothing(&self.before), or_nothing(&self.after));
        say!(texts, &key, of = &self.of, before = before, after = after)
    }

    /// The difference as JSON.
    pub(super) fn object(&self, texts: &LocalizedTexts) -> Value {
        json!({
            "session": self.session,
            "kind": self.kind.word(),
            "of": self.of,
            "before": self.before,
            "after": self.after,
            "says": self.says(texts),
        })
    }
}

/// The changes of an open session that the other program lists.
pub(super) fn session_changes(now: &UpgradeSessionView, then: &UpgradeSessionView) -> Vec<UpgradeChange> {
    let found = of_session(now, then).into_iter();
    found.map(|one| UpgradeChange { session: Some(now.id.clone()), ..one }).collect()
}

/// The change of an open session that the other program does not list.
pub(super) fn missing_session(id: String) -> UpgradeChange {
    UpgradeChange { session: Some(id), ..change(UpgradeChangeKind::Unreadable, "", "", "") }
}

fn change(kind: UpgradeChangeKind, of: &str, before: &str, after: &str) -> UpgradeChange {
    let [of, before, after] = [of, before, after].map(str::to_owned);
    UpgradeChange { session: None, kind, of, before, after }
}

/// Changed commands of which no session has a fault (`faulty` are those of which one has): a session that may use them would
/// find them changed.
pub(super) fn catalog_changes(
    now: &BTreeMap<String, String>,
    then: &BTreeMap<String, String>,
    faulty: &BTreeSet<String>,
) -> Vec<UpgradeChange> {
    let mut changes = Vec::new();
    for (name, version) in now.iter().filter(|(name, _)| !faulty.contains(*name)) {
        match then.get(name) {
            Some(other) if other == version => {}
            Some(_) => changes.push(change(UpgradeChangeKind::CommandChanged, name, "", "")),
            None => changes.push(change(UpgradeChangeKind::CommandGone, name, "", "")),
        }
    }
    changes
}

fn of_session(now: &UpgradeSessionView, then: &UpgradeSessionView) -> Vec<UpgradeChange> {
    match (&now.unreadable, &then.unreadable) {
        (Some(_), _) => return Vec::new(),
        (None, Some(why)) => return vec![change(UpgradeChangeKind::Unreadable, "", "", why)],
        (None, None) => {}
    }
    let mut changes = Vec::new();
    if now.replays && !then.replays {
        changes.push(change(UpgradeChangeKind::Replay, "", "", ""));
    }
    if now.phase != then.phase {
        changes.push(change(UpgradeChangeKind::Phase, "", &now.phase, &then.phase));
    }
    if now.next != then.next {
        changes.push(change(UpgradeChangeKind::NextStep, "", &now.next.join(", "), &then.next.join(", ")));
    }
    changes.extend(of_approvals(&now.approvals, &then.approvals));
    let is_new = |fault: &&UpgradeSessionFault| !now.faults.contains(fault);
    let of_fault = |fault: &UpgradeSessionFault| {
        change(UpgradeChangeKind::of_fault(&fault.kind), &fault.of, "", &fault.why)
    };
    changes.extend(then.faults.iter().filter(is_new).map(of_fault));
    changes.extend(of_policy(&now.policy, &then.policy));
    changes.extend(of_provider(now, then));
    changes
}

fn of_approvals(now: &[UpgradeApprovalView], then: &[UpgradeApprovalView]) -> Vec<UpgradeChange> {
    let mut changes = Vec::new();
    for old in now {
        match then.iter().find(|new| new.id == old.id) {
            None => changes.push(change(UpgradeChangeKind::ApprovalGone, &old.id, &old.command, "")),
            Some(new) if new != old => {
                let (before, after) = (old.levels.join(", "), new.levels.join(", "));
                changes.push(change(
                    UpgradeChangeKind::ApprovalChanged,
                    &format!("{} ({})", old.id, old.command),
                    &before,
                    &after,
                ));
            }
            Some(_) => {}
        }
    }
    let is_new = |new: &&UpgradeApprovalView| now.iter().all(|old| old.id != new.id);
    changes.extend(
        then.iter()
            .filter(is_new)
            .map(|new| change(UpgradeChangeKind::ApprovalNew, &new.id, "", &new.command)),
    );
    changes
}

/// Changed settings that both programs know.
fn of_policy(now: &BTreeMap<String, String>, then: &BTreeMap<String, String>) -> Vec<UpgradeChange> {
    let both = now.iter().filter_map(|(name, old)| Some((name, old, then.get(name)?)));
    both.filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| {
            let kind = if is_stricter(name, old, new) {
                UpgradeChangeKind::PolicyStricter
            } else {
                UpgradeChangeKind::PolicyChanged
            };
            change(kind, name, old, new)
        })
        .collect()
}

fn of_provider(now: &UpgradeSessionView, then: &UpgradeSessionView) -> Vec<UpgradeChange> {
    // A missing provider is reported as a fault.
    let (Some(old), Some(new)) = (&now.provider, &then.provider) else { return Vec::new() };
    let mut changes = Vec::new();
    if old != new {
        changes.push(change(UpgradeChangeKind::ProviderChanged, "", old, new));
    }
    let was_offered = now.offered.as_ref().is_none_or(|model| *model == now.model);
    if let Some(offered) = then.offered.as_ref().filter(|model| was_offered && **model != now.model) {
        changes.push(change(UpgradeChangeKind::ModelGone, &now.model, &now.model, offered));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(change: impl Fn(&mut UpgradeSessionView)) -> UpgradeSessionView {
        let mut session =
            UpgradeSessionView { id: "ses_a".into(), replays: true, ..UpgradeSessionView::default() };
        session.phase = "IDLE".into();
        session.policy = [("limits.rounds", "20"), ("limits.closing_delay", "5s")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        session.approvals.push(UpgradeApprovalView { id: "apr_1".into(), ..UpgradeApprovalView::default() });
        change(&mut session);
        session
    }

    fn kinds(then: &UpgradeSessionView) -> Vec<&'static str> {
        session_changes(&sight(|_| {}), then).iter().map(|change| change.kind.word()).collect()
    }

    /// Input: a view that differs in one point; expected: exactly that change.
    #[test]
    fn one_difference_is_one_change() {
        assert_eq!(kinds(&sight(|_| {})), [""; 0]);
        assert_eq!(kinds(&sight(|then| then.phase = "CALLING_AI".into())), ["phase"]);
        assert_eq!(kinds(&sight(|then| then.next.push("compact 1".into()))), ["next_step"]);
        assert_eq!(kinds(&sight(|then| then.replays = false)), ["replay"]);
        assert_eq!(kinds(&sight(|then| then.unreadable = Some("damaged".into()))), ["unreadable"]);
        assert_eq!(kinds(&sight(|then| then.approvals.clear())), ["approval_gone"]);
        assert_eq!(kinds(&sight(|then| then.approvals[0].changed = true)), ["approval_changed"]);
        let limit = |name: &'static str, value: &'static str| {
            kinds(&sight(|then| {
                then.policy.insert(name.to_owned(), value.to_owned());
            }))
        };
        assert_eq!(limit("limits.rounds", "5"), ["policy_stricter"]);
        assert_eq!(limit("limits.rounds", "0"), ["policy_changed"], "no limit is looser");
        assert_eq!(limit("limits.closing_delay", "1s"), ["policy_changed"]);
        assert_eq!(limit("limits.of_a_newer_program", "1"), [""; 0]);
        let newer =
            UpgradeSessionFault { kind: "of a newer program".into(), ..UpgradeSessionFault::default() };
        assert_eq!(kinds(&sight(|then| then.faults.push(newer.clone()))), ["other"]);
        assert_eq!(missing_session("ses_a".into()).kind.word(), "unreadable", "it is not there any more");
    }

    /// Input: catalogs in which a command changed and two are gone, one of which a session has a fault of; expected: that one
    /// is not told again.
    #[test]
    fn catalog_changes_leave_out_faulty_commands() {
        let catalog = |commands: &[(&str, &str)]| -> BTreeMap<String, String> {
            commands.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
        };
        let now = catalog(&[("a.same", "1"), ("b.changed", "1"), ("c.gone", "1"), ("d.waits", "1")]);
        let then = catalog(&[("a.same", "1"), ("b.changed", "2"), ("e.new", "1")]);
        let found = catalog_changes(&now, &then, &BTreeSet::from(["d.waits".to_owned()]));
        let found: Vec<(&str, &str)> =
            found.iter().map(|change| (change.kind.word(), change.of.as_str())).collect();
        assert_eq!(found, [("command_changed", "b.changed"), ("command_gone", "c.gone")]);
    }
}
