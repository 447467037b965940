use std::collections::HashMap;

use entracte_domain::id::CallId;
use entracte_domain::session::{Input, JournalNote, LogAppend};
use entracte_domain::time::Timestamp;
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
    /// Reasons that people gave for a decision of theirs after this one had been made, in order. No model reads them.
    pub comments: Vec<DecisionComment>,
}

impl CallDecision {
    fn new(what: &'static str, by: Option<String>, rule: Option<String>) -> Self {
        Self { what, by, rule, comments: Vec::new() }
    }
}

/// A reason that a person gave after somebody had decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionComment {
    /// The person.
    pub by: String,
    /// When it was stored.
    pub at: Timestamp,
    /// The reason.
    pub text: String,
}

/// Collects the decisions on a session's calls from its log.
pub(super) fn decisions(entries: &[JournalEntry]) -> HashMap<CallId, CallDecision> {
    let mut all: HashMap<CallId, CallDecision> = HashMap::new();
    for entry in entries {
        if let Input::DecisionCommented { author, call, comment } = &entry.input {
            let comment = DecisionComment { by: author.clone(), at: entry.at, text: comment.clone() };
            if let Some(decided) = all.get_mut(call) {
                decided.comments.push(comment);
            }
        }
        if let Input::UserMessageSent(sent) = &entry.input {
            for call in &sent.instead_of {
                all.insert(call.clone(), CallDecision::new("rejected", Some(sent.author.clone()), None));
            }
        }
        if let Input::ValidationReceived { author, decisions } = &entry.input {
            for decision in Decision::effective_decisions(decisions) {
                let what = match &decision.verdict {
                    DecisionVerdict::Approve { edited: None } => "approved",
                    DecisionVerdict::Approve { edited: Some(_) } => "edited",
                    DecisionVerdict::Reject { .. } => "rejected",
                };
                let decided = CallDecision::new(what, Some(author.clone()), decision.rule.clone());
                all.insert(decision.call.clone(), decided);
            }
        }
        for appended in &entry.appended {
            match appended {
                LogAppend::Note(JournalNote::ApprovedByRule { call, rule }) => {
                    let decided = CallDecision::new("rule", None, Some(rule.clone()));
                    all.insert(call.clone(), decided);
                }
                LogAppend::Note(JournalNote::ApprovedByPolicy { call, by }) => {
                    let by = by.as_ref().and_then(|by| by.person.clone());
                    all.insert(call.clone(), CallDecision::new("policy", by, None));
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
