//! Who must approve calls of a tool, as the entry of the tool says. Pure.

use entracte_application::ports::CommandApprovers;
use entracte_application::settings::ApprovalSettings;
use entracte_application::texts::saying;
use entracte_domain::validation::{Approver, ApproverRequirement};

use crate::declaration_checks::DeclarationFault;

/// The keys `approvers`, `quorum` and `escalate_after` of an entry.
#[derive(Clone, Copy)]
pub(crate) struct ToolApprovers<'a> {
    /// Who may approve, as written.
    pub(crate) approvers: Option<&'a [String]>,
    /// How many different people must.
    pub(crate) quorum: Option<u32>,
    /// When it escalates, as written.
    pub(crate) escalate_after: Option<&'a str>,
}

impl ToolApprovers<'_> {
    /// Whether the entry names approvers or a quorum.
    pub(crate) fn is_set(self) -> bool {
        self.approvers.is_some() || self.quorum.is_some()
    }

    /// Checks the keys. `asks`: whether a person is asked about the tool at all.
    ///
    /// # Errors
    /// When a key has a text that it does not take, more people must approve than are named, or nobody is asked.
    pub(crate) fn check(self, asks: bool) -> Result<(), DeclarationFault> {
        let wrong = |key: &str, problem, fix| Err(DeclarationFault { key: key.to_owned(), problem, fix });
        let approvers = self.approvers.unwrap_or_default();
        if let Some(text) = approvers.iter().find(|text| Approver::from_text(text).is_none()) {
            let problem = saying!("fault-approver", given = text);
            return wrong("approvers", problem, saying!("fault-approver-like"));
        }
        if self.approvers.is_some_and(|named| named.is_empty() || named.len() > ApprovalSettings::LIST_MAX) {
            let problem = saying!("fault-approvers-count", given = approvers.len());
            return wrong(
                "approvers",
                problem,
                saying!("fault-use-range", most = ApprovalSettings::LIST_MAX),
            );
        }
        let most = ApproverRequirement::QUORUM_MAX;
        if let Some(given) = self.quorum.filter(|quorum| !(1..=most).contains(quorum)) {
            let problem = saying!("fault-out-of-range", given = given);
            return wrong("quorum", problem, saying!("fault-use-range", most = most));
        }
        if let Some(given) =
            self.escalate_after.filter(|text| ApprovalSettings::parse_escalation(text).is_none())
        {
            let problem = saying!("fault-escalation", given = given);
            return wrong("escalate_after", problem, saying!("fault-escalation-like"));
        }
        if self.escalate_after.is_some() && self.approvers.is_none() {
            return wrong(
                "escalate_after",
                saying!("fault-escalation-alone"),
                saying!("fault-name-approvers"),
            );
        }
        let Some(required) = self.required() else { return Ok(()) };
        if let Some(people) = required.most_people().filter(|people| *people < required.quorum) {
            let problem = saying!("fault-quorum-people", quorum = required.quorum, people = people);
            return wrong("quorum", problem, saying!("fault-name-people"));
        }
        if !asks {
            return wrong("approvers", saying!("fault-approvers-query"), saying!("fault-set-approval"));
        }
        Ok(())
    }

    /// The demand of the entry; `None` if it demands nobody in particular. A text that [`check`](Self::check) refuses is a
    /// person whom nobody is.
    pub(crate) fn required(self) -> Option<CommandApprovers> {
        let approver =
            |text: &String| Approver::from_text(text).unwrap_or_else(|| Approver::Person(text.clone()));
        self.is_set().then(|| CommandApprovers {
            named: self.approvers.unwrap_or_default().iter().map(approver).collect(),
            quorum: self.quorum.unwrap_or(1),
            escalate_after: self.escalate_after.and_then(ApprovalSettings::parse_escalation),
        })
    }
}
