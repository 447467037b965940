use std::collections::HashMap;

use entracte_domain::id::CallId;
use entracte_domain::session::{Input, JournalNote, LogAppend};
use entracte_domain::validation::{Decision, DecisionVerdict};

use crate::journal::JournalEntry;

/// The decision on a call, with its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDecision {
    /// The word for the decision: `approved`, `edited`, `rejected`; `rule` for a standing approval, `policy` if the
    /// policy decides without asking a person.
    pub what: &'static str,
    /// The person who decided; for a policy the person who set it, `None` for the configuration; for a rule see its
    /// own author.
    pub by: Option<String>,
    /// The rule that approved the call, or that was created with the decision.
    pub rule: Option<String>,
}

/// Collects the decisions on a session's calls from its log.
pub(super) fn decisions(entries: &[JournalEntry]) -> HashMap<CallId, CallDecision> {
    let mut all = HashMap::new();
    for entry in entries {
        if let Input::ValidationReceived { author, decisions } = &entry.input {
            for decision in Decision::effective_decisions(decisions) {
                let what = match &decision.verdict {
                    DecisionVerdict::Approve { edited: None } => "approved",
                    DecisionVerdict::Approve { edited: Some(_) } => "edited",
                    DecisionVerdict::Reject { .. } => "rejected",
                };
                let decided = CallDecision { what, by: Some(author.clone()), rule: decision.rule.clone() };
                all.insert(decision.call.clone(), decided);
            }
        }
        for appended in &entry.appended {
            match appended {
                LogAppend::Note(JournalNote::ApprovedByRule { call, rule }) => {
                    let decided = CallDecision { what: "rule", by: None, rule: Some(rule.clone()) };
                    all.insert(call.clone(), decided);
                }
                LogAppend::Note(JournalNote::ApprovedByPolicy { call, by }) => {
                    let by = by.as_ref().and_then(|by| by.person.clone());
                    all.insert(call.clone(), CallDecision { what: "policy", by, rule: None });
                }
                LogAppend::Note(JournalNote::ApprovalAskedAgain { call }) => {
                    all.remove(call);
                }
                LogAppend::Note(_) | LogAppend::Message(_) => {}
            }
        }
    }
    all
}
