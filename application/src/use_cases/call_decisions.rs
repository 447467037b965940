use std::collections::HashMap;

use entracte_domain::id::CallId;
use entracte_domain::session::{Input, JournalNote, LogAppend};
use entracte_domain::validation::{Decision, DecisionVerdict};

use crate::journal::JournalEntry;

/// Who decided on a call, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDecision {
    /// The word for it: `approved`, `edited`, `rejected`; `rule` where approval was given in advance, `policy` where
    /// nobody is asked.
    pub what: &'static str,
    /// Who; of a policy whoever set it, `None` for the configuration; the author of the rule is in the rule.
    pub by: Option<String>,
    /// The rule that approved it, or that was made with the decision.
    pub rule: Option<String>,
}

/// What the log says of the decisions on a session's calls.
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
