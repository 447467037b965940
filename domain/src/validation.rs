//! The rule that says whether a call needs a person's approval, and the decisions a person takes.

mod approval_card;
mod author_identity;
mod exchange_principal;
mod four_eyes;
mod prompt_authors;
mod standing_approval;

pub use approval_card::{AgentLink, ApprovalCard};
pub use author_identity::{authored_by, share_identity};
pub use exchange_principal::ExchangePrincipal;
pub use four_eyes::{FourEyesObjection, four_eyes_objection, is_four_eyes};
pub use prompt_authors::{PolicyAuthor, PolicyGrant, PromptAuthors};
pub use standing_approval::{
    ArgumentCondition, RuleScope, RuleState, RuleUses, StandingApprovalRule, conditions_from_arguments,
};

use std::collections::BTreeSet;

use crate::command::Command;
use crate::id::{CallId, Digest};
use crate::localizable_text::{LocalizableText, sentences};
use crate::time::{Deadline, Timestamp};

crate::words! {
    /// Who asks that a person be asked. The levels are joined by OR; each one that asks leaves its reason.
    #[derive(PartialOrd, Ord)]
    pub enum ValidationLevel {
        /// The workspace's setting.
        App = "workspace",
        /// The zone's flag.
        Zone = "zone",
        /// The tool's flag.
        Tool = "tool",
        /// The session's flag.
        Session = "session",
        /// The model itself.
        AiRequest = "ai_request",
        /// The catalog: the command destroys, sends data out, or is one that a person decides on each time, such as a plan.
        Catalog = "catalog",
        /// The workspace or the catalog: somebody must approve whose words are not in the exchange.
        FourEyes = "four_eyes",
    }
}

/// One level's reason to ask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApprovalReason {
    /// Who asks.
    pub level: ValidationLevel,
    /// The id of the zone or tool whose flag asks.
    pub about: Option<String>,
    /// Why, as a sentence.
    pub text: LocalizableText,
}

impl ApprovalReason {
    /// Whether it is the same reason: its words may differ.
    pub fn is_same(&self, other: &Self) -> bool {
        self.level == other.level && self.about == other.about
    }
}

/// Whether these are the same reasons, whatever their words.
pub fn same_reasons(one: &[ApprovalReason], other: &[ApprovalReason]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
}

/// These reasons, and after them what the others have more.
pub fn merge_reasons(these: &[ApprovalReason], others: &[ApprovalReason]) -> Vec<ApprovalReason> {
    let more = others.iter().filter(|other| !these.iter().any(|known| known.is_same(other)));
    these.iter().chain(more).cloned().collect()
}

/// A zone or tool whose flag asks for approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlagSource {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// What a person decides on each time, whatever rule there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerCallApproval {
    /// A plan.
    Plan,
    /// A command that is declared so.
    Command,
}

/// What each level says of one action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValidationFlags {
    /// The workspace asks for all actions.
    pub app: bool,
    /// The zone.
    pub zone: Option<FlagSource>,
    /// The tool.
    pub tool: Option<FlagSource>,
    /// The session asks for all its actions.
    pub session: bool,
    /// The model asked for it in its reply.
    pub ai_request: bool,
    /// The command cannot be undone.
    pub destructive: bool,
    /// The command sends data out of the workspace.
    pub egress: bool,
    /// The command is one that a person decides on each time, and which.
    pub command_asks: Option<PerCallApproval>,
    /// The command is done under four eyes, so it always needs approval.
    pub command_four_eyes: bool,
    /// The workspace wants four eyes for all that needs approval.
    pub workspace_four_eyes: bool,
}

/// The validation rule: OR over all levels, each reason kept.
pub fn approval_reasons(flags: &ValidationFlags) -> Vec<ApprovalReason> {
    let reason = |level, text| ApprovalReason { level, about: None, text };
    let of = |level, id: &str, text| ApprovalReason { level, about: Some(id.to_owned()), text };
    let mut reasons = Vec::new();
    if flags.app {
        reasons.push(reason(ValidationLevel::App, sentences::approval_workspace()));
    }
    if let Some(zone) = &flags.zone {
        reasons.push(of(ValidationLevel::Zone, &zone.id, sentences::approval_zone(&zone.name)));
    }
    if let Some(tool) = &flags.tool {
        reasons.push(of(ValidationLevel::Tool, &tool.id, sentences::approval_tool(&tool.name)));
    }
    if flags.session {
        reasons.push(reason(ValidationLevel::Session, sentences::approval_session()));
    }
    if flags.ai_request {
        reasons.push(reason(ValidationLevel::AiRequest, sentences::approval_model()));
    }
    if flags.destructive {
        reasons.push(reason(ValidationLevel::Catalog, sentences::approval_destructive()));
    }
    if flags.egress {
        reasons.push(reason(ValidationLevel::Catalog, sentences::approval_egress()));
    }
    match flags.command_asks {
        Some(PerCallApproval::Plan) => {
            reasons.push(reason(ValidationLevel::Catalog, sentences::approval_plan()))
        }
        Some(PerCallApproval::Command) => {
            reasons.push(reason(ValidationLevel::Catalog, sentences::approval_command()))
        }
        None => {}
    }
    if flags.command_four_eyes || (flags.workspace_four_eyes && !reasons.is_empty()) {
        reasons.push(reason(ValidationLevel::FourEyes, sentences::approval_four_eyes()));
    }
    reasons
}

/// A person's yes to one call, bound to its exact bytes. Spent once, by the commit that starts the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Approval {
    /// The person who approved.
    pub author: String,
    /// When the person approved.
    pub at: Timestamp,
    /// Until when it may be spent.
    pub expires: Deadline,
    /// The catalog version it was given for.
    pub version: Digest,
    /// The command id (hash of the canonical bytes) it was given for.
    pub command_id: Digest,
    /// Hash of the card it was given for, see [`ApprovalCard`]; none in journals of v0.1.
    pub card: Option<Digest>,
    /// What the person changed before saying yes.
    pub edited: Option<ArgumentEdit>,
    /// When the policy was set that approved it; `None` where a person saw the call, and in journals of before.
    pub policy_at: Option<Timestamp>,
}

/// Arguments as a person changed them, checked against the schema again before they came in here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArgumentEdit {
    /// The command with the new arguments.
    pub command: Command,
    /// Hash of its canonical bytes.
    pub command_id: Digest,
    /// Hash of the card with the new arguments on it; none in journals of v0.1.
    pub card: Option<Digest>,
}

/// A person's decision on one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// The call it is for.
    pub call: CallId,
    /// Hash of the card that it answers; none in journals of v0.1.
    pub card: Option<Digest>,
    /// What was decided.
    pub verdict: DecisionVerdict,
    /// The rule that the person made with it: such calls need no approval from now on.
    pub rule: Option<String>,
}

impl Decision {
    /// The call that a request decides on more than once, if there is one. Such a request is refused.
    pub fn find_duplicate_call<'a>(calls: impl IntoIterator<Item = &'a CallId>) -> Option<&'a CallId> {
        let mut known = BTreeSet::new();
        calls.into_iter().find(|call| !known.insert(*call))
    }

    /// The decisions of a stored request that count: the first on each call, which is the one that the machine takes.
    /// Earlier versions took requests that named a call twice.
    pub fn effective_decisions(all: &[Self]) -> impl Iterator<Item = &Self> {
        let mut known = BTreeSet::new();
        all.iter().filter(move |decision| known.insert(&decision.call))
    }
}

/// Yes or no.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DecisionVerdict {
    /// Do it, perhaps with changed arguments.
    Approve {
        /// The change.
        edited: Option<ArgumentEdit>,
    },
    /// Do not.
    Reject {
        /// Why; the model reads it.
        reason: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_that_asks_leaves_its_reason() {
        let flags = ValidationFlags {
            app: true,
            zone: Some(FlagSource { id: "zon_a".into(), name: "Health".into() }),
            tool: Some(FlagSource { id: "tool_a".into(), name: "Weight".into() }),
            session: true,
            ai_request: true,
            destructive: true,
            egress: false,
            command_asks: None,
            command_four_eyes: false,
            workspace_four_eyes: true,
        };
        let levels: Vec<ValidationLevel> =
            approval_reasons(&flags).into_iter().map(|reason| reason.level).collect();
        assert_eq!(levels, ValidationLevel::ALL);
        assert_eq!(approval_reasons(&ValidationFlags::default()), []);
        for each in [PerCallApproval::Command, PerCallApproval::Plan] {
            let asks =
                approval_reasons(&ValidationFlags { command_asks: Some(each), ..ValidationFlags::default() });
            assert_eq!(
                asks.iter().map(|reason| reason.level).collect::<Vec<_>>(),
                [ValidationLevel::Catalog]
            );
        }
    }

    /// Input: four eyes as the rule of the workspace, and as that of the command; expected: the first asks of whoever is
    /// asked anyway, the second always asks.
    #[test]
    fn four_eyes_of_a_workspace_asks_nobody_who_would_not_be_asked() {
        let levels =
            |flags| approval_reasons(&flags).into_iter().map(|reason| reason.level).collect::<Vec<_>>();
        let workspace = ValidationFlags { workspace_four_eyes: true, ..ValidationFlags::default() };
        assert_eq!(levels(workspace.clone()), []);
        assert_eq!(
            levels(ValidationFlags { egress: true, ..workspace }),
            [ValidationLevel::Catalog, ValidationLevel::FourEyes]
        );
        assert_eq!(
            levels(ValidationFlags { command_four_eyes: true, ..ValidationFlags::default() }),
            [ValidationLevel::FourEyes]
        );
    }
}
