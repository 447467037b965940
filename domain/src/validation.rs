//! Validation: whether a call needs a person's approval, and the decisions of people.

mod approval_card;
mod approvers;
mod argument_condition;
mod author_identity;
mod exchange_principal;
mod four_eyes;
mod policy_answer;
mod prompt_authors;
mod rule_uses;
mod rule_width;
mod standing_approval;
mod text_pattern;

pub use approval_card::{AgentLink, ApprovalCard};
pub use approvers::{Approver, ApproverRequirement, ApproverSeat, GivenApproval, StandIn};
pub use argument_condition::{
    ArgumentCondition, ConditionFault, NumberRange, conditions_from_arguments, conditions_on,
    matches_arguments,
};
pub use author_identity::{authored_by, share_identity};
pub use exchange_principal::ExchangePrincipal;
pub use four_eyes::{ApproverObjection, four_eyes_objection, is_four_eyes, requester_objection};
pub use policy_answer::{PolicyAnswer, PolicyCheck, PolicyDecision};
pub use prompt_authors::{PolicyAuthor, PolicyGrant, PromptAuthors};
pub use rule_uses::{RuleUse, RuleUseState, RuleUses, UseClaim, UseLimit, UseLimits, UseTally};
pub use rule_width::{RuleWidth, offered_widths};
pub use standing_approval::{RuleCandidate, RuleRequester, RuleScope, RuleState, StandingApprovalRule};

use std::collections::BTreeSet;

use crate::command::Command;
use crate::id::{CallId, Digest};
use crate::localizable_text::{LocalizableText, sentences};
use crate::time::{Deadline, Timestamp};

crate::words! {
    /// The level that requires an approval. Levels are joined by OR; each one that requires it adds a reason.
    #[derive(PartialOrd, Ord)]
    pub enum ValidationLevel {
        /// The workspace's setting.
        App = "workspace",
        /// The flag of a row that contains others.
        Container = "zone",
        /// The flag of a row in a container.
        Contained = "tool",
        /// The session's flag.
        Session = "session",
        /// The model itself.
        AiRequest = "ai_request",
        /// The catalog: the command destroys, sends data out, or needs a decision per call, such as a plan.
        Catalog = "catalog",
        /// The policy hook asks for a person, or gave no answer.
        Policy = "policy",
        /// The workspace or the catalog: a person whose words are not in the exchange must approve.
        FourEyes = "four_eyes",
        /// The workspace or the catalog names who must approve, or how many people.
        Approvers = "approvers",
    }
}

impl ValidationLevel {
    /// Whether a card shows its reasons always and in full: those that tell what the command does, who may approve it, and
    /// that the model itself or the policy asked. The other levels are settings of people.
    pub fn is_essential(self) -> bool {
        match self {
            Self::Catalog | Self::FourEyes | Self::Approvers | Self::Policy | Self::AiRequest => true,
            Self::App | Self::Container | Self::Contained | Self::Session => false,
        }
    }

    /// The position of its reasons on a card, from 0: what cannot be undone or leaves the workspace comes first.
    pub fn card_position(self) -> u8 {
        match self {
            Self::Catalog => 0,
            Self::FourEyes => 1,
            Self::Approvers => 2,
            Self::Policy => 3,
            Self::AiRequest => 4,
            Self::App => 5,
            Self::Container => 6,
            Self::Contained => 7,
            Self::Session => 8,
        }
    }
}

/// One level's reason for an approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApprovalReason {
    /// The level that requires the approval.
    pub level: ValidationLevel,
    /// Id of the row whose flag requires it, if any.
    pub about: Option<String>,
    /// The reason as a sentence.
    pub text: LocalizableText,
    /// The approvers and the quorum that this reason requires; `None` if any one person may approve.
    pub approvers: Option<Box<ApproverRequirement>>,
}

impl ApprovalReason {
    /// Whether both reasons are the same; their texts may differ.
    pub fn is_same(&self, other: &Self) -> bool {
        self.level == other.level && self.about == other.about && self.approvers == other.approvers
    }

    /// Whether only a person who sees the call can fulfil it: nothing given in advance and no unattended policy does.
    fn needs_person(&self) -> bool {
        self.level == ValidationLevel::Policy || self.approvers.is_some()
    }
}

/// Whether a person who sees the call must approve it: the policy hook or named approvers are required, which no rule and no
/// unattended policy replaces.
pub fn needs_person(reasons: &[ApprovalReason]) -> bool {
    reasons.iter().any(ApprovalReason::needs_person)
}

/// Whether both lists contain the same reasons, whatever their texts.
pub fn same_reasons(one: &[ApprovalReason], other: &[ApprovalReason]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
}

/// `these` reasons, followed by those of `others` that are new.
pub fn merge_reasons(these: &[ApprovalReason], others: &[ApprovalReason]) -> Vec<ApprovalReason> {
    let more = others.iter().filter(|other| !these.iter().any(|known| known.is_same(other)));
    these.iter().chain(more).cloned().collect()
}

/// A row of the workspace's own data whose flag requires approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlagSource {
    /// Id of the row.
    pub id: String,
    /// Name of the row.
    pub name: String,
}

/// Why a command needs a decision per call, which no rule replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerCallApproval {
    /// A plan.
    Plan,
    /// The command is declared so.
    Command,
}

/// The flags of all levels for one action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValidationFlags {
    /// The workspace requires approval of all actions.
    pub app: bool,
    /// The containing row whose flag requires approval, if any.
    pub container: Option<FlagSource>,
    /// The contained row whose flag requires approval, if any.
    pub contained: Option<FlagSource>,
    /// The session requires approval of all its actions.
    pub session: bool,
    /// The model requested approval in its reply.
    pub ai_request: bool,
    /// The command cannot be undone.
    pub destructive: bool,
    /// The command sends data out of the workspace.
    pub egress: bool,
    /// Why the command needs a decision per call, if it does.
    pub command_asks: Option<PerCallApproval>,
    /// The answer of the policy hook about the action, if there is one.
    pub policy: Option<PolicyAnswer>,
    /// The people that the policy hook demands, if it does.
    pub policy_approvers: Option<ApproverRequirement>,
    /// The people whom the command is declared to need, so it always needs approval; `None` if it is not.
    pub command_approvers: Option<ApproverRequirement>,
    /// The people whom the workspace demands for every approval, if it does.
    pub workspace_approvers: Option<ApproverRequirement>,
    /// The command is declared four eyes, so it always needs approval.
    pub command_four_eyes: bool,
    /// The workspace requires four eyes for every approval.
    pub workspace_four_eyes: bool,
}

/// What a reason is about that names the approvers of the command, beside those of the workspace.
const COMMAND: &str = "command";

/// The reasons for an approval: OR over all levels.
pub fn approval_reasons(flags: &ValidationFlags) -> Vec<ApprovalReason> {
    let reason = |level, text| ApprovalReason { level, about: None, text, approvers: None };
    let of =
        |level, id: &str, text| ApprovalReason { level, about: Some(id.to_owned()), text, approvers: None };
    let mut reasons = Vec::new();
    if flags.app {
        reasons.push(reason(ValidationLevel::App, sentences::approval_workspace()));
    }
    if let Some(row) = &flags.container {
        reasons.push(of(ValidationLevel::Container, &row.id, sentences::approval_container(&row.name)));
    }
    if let Some(row) = &flags.contained {
        reasons.push(of(ValidationLevel::Contained, &row.id, sentences::approval_contained(&row.name)));
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
    reasons.extend(
        flags.policy.as_ref().and_then(PolicyAnswer::approval_reason).map(|reason| ApprovalReason {
            approvers: flags.policy_approvers.clone().map(Box::new),
            ..reason
        }),
    );
    if let Some(required) = &flags.command_approvers {
        reasons.push(ApprovalReason {
            approvers: Some(Box::new(required.clone())),
            ..of(ValidationLevel::Approvers, COMMAND, required.text())
        });
    }
    if flags.command_four_eyes || (flags.workspace_four_eyes && !reasons.is_empty()) {
        reasons.push(reason(ValidationLevel::FourEyes, sentences::approval_four_eyes()));
    }
    if let Some(required) = flags.workspace_approvers.as_ref().filter(|_| !reasons.is_empty()) {
        let approvers = Some(Box::new(required.clone()));
        reasons.push(ApprovalReason { approvers, ..reason(ValidationLevel::Approvers, required.text()) });
    }
    reasons
}

/// A person's approval of one call, bound to its exact bytes. Spent once, by the commit that starts the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Approval {
    /// The person who approved.
    pub author: String,
    /// When the person approved.
    pub at: Timestamp,
    /// Deadline to spend the approval.
    pub expires: Deadline,
    /// The catalog version of the approved command.
    pub version: Digest,
    /// The command id (hash of the canonical bytes) that was approved.
    pub command_id: Digest,
    /// Hash of the approved card, see [`ApprovalCard`]; `None` in journals of v0.1.
    pub card: Option<Digest>,
    /// The person's edit of the arguments, if any.
    pub edited: Option<ArgumentEdit>,
    /// When the approving policy was set; `None` if a person saw the call, and in journals of earlier versions.
    pub policy_at: Option<Timestamp>,
}

/// Arguments edited by a person, validated against the schema before they get here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArgumentEdit {
    /// The command with the edited arguments.
    pub command: Command,
    /// Hash of the command's canonical bytes.
    pub command_id: Digest,
    /// Hash of the card with the edited arguments; `None` in journals of v0.1.
    pub card: Option<Digest>,
}

/// A person's decision on one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Id of the call.
    pub call: CallId,
    /// Hash of the decided card; `None` in journals of v0.1.
    pub card: Option<Digest>,
    /// The decision itself.
    pub verdict: DecisionVerdict,
    /// Id of the standing approval that the person created with it, if any.
    pub rule: Option<String>,
}

impl Decision {
    /// The first call that occurs twice, if any. A request that decides a call twice is refused.
    pub fn find_duplicate_call<'a>(calls: impl IntoIterator<Item = &'a CallId>) -> Option<&'a CallId> {
        let mut known = BTreeSet::new();
        calls.into_iter().find(|call| !known.insert(*call))
    }

    /// The effective decisions of a stored request: the first on each call. Earlier versions accepted requests with two
    /// decisions on a call.
    pub fn effective_decisions(all: &[Self]) -> impl Iterator<Item = &Self> {
        let mut known = BTreeSet::new();
        all.iter().filter(move |decision| known.insert(&decision.call))
    }
}

/// Approval or rejection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DecisionVerdict {
    /// Run the call, perhaps with edited arguments.
    Approve {
        /// The edit, if any.
        edited: Option<ArgumentEdit>,
    },
    /// Do not run the call.
    Reject {
        /// Reason for the model, if given.
        reason: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_undone_comes_first() {
        let flags = ValidationFlags {
            app: true,
            session: true,
            ai_request: true,
            destructive: true,
            command_four_eyes: true,
            ..ValidationFlags::default()
        };
        let mut levels: Vec<ValidationLevel> =
            approval_reasons(&flags).into_iter().map(|reason| reason.level).collect();
        levels.sort_by_key(|level| level.card_position());
        let (catalog, four_eyes, model) =
            (ValidationLevel::Catalog, ValidationLevel::FourEyes, ValidationLevel::AiRequest);
        assert_eq!(levels, [catalog, four_eyes, model, ValidationLevel::App, ValidationLevel::Session]);
        assert!(levels.iter().map(|level| level.is_essential()).eq([true, true, true, false, false]));
    }

    #[test]
    fn every_requiring_level_adds_its_reason() {
        let flags = ValidationFlags {
            app: true,
            container: Some(FlagSource { id: "zon_a".into(), name: "Health".into() }),
            contained: Some(FlagSource { id: "tool_a".into(), name: "Weight".into() }),
            session: true,
            ai_request: true,
            destructive: true,
            egress: false,
            command_asks: None,
            policy: Some(PolicyAnswer {
                decision: PolicyDecision::Ask,
                reason: None,
                version: None,
                approvers: Vec::new(),
                quorum: 1,
                command_id: Digest::new("c1"),
                at: Timestamp(0),
            }),
            policy_approvers: None,
            command_approvers: None,
            workspace_approvers: Some(ApproverRequirement {
                named: Vec::new(),
                seats: Vec::new(),
                quorum: 2,
            }),
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

    /// Input: approvers of a command, and of the workspace; expected: those of the command always ask, and both must approve.
    #[test]
    fn command_approvers_count_beside_those_of_the_workspace() {
        let demand = |quorum| Some(ApproverRequirement { named: Vec::new(), seats: Vec::new(), quorum });
        let flags = ValidationFlags { workspace_approvers: demand(2), ..ValidationFlags::default() };
        assert_eq!(approval_reasons(&flags), []);
        let both = approval_reasons(&ValidationFlags { command_approvers: demand(3), ..flags });
        let quorums = both.iter().map(|reason| reason.approvers.as_ref().map(|required| required.quorum));
        assert!(quorums.eq([Some(3), Some(2)]));
        assert!(both.iter().all(|reason| reason.level == ValidationLevel::Approvers));
        assert!(!both[0].is_same(&both[1]));
    }

    /// Input: four eyes as workspace setting and as command declaration; expected: the first only applies where
    /// approval is needed anyway, the second always requires one.
    #[test]
    fn workspace_four_eyes_adds_no_new_approvals() {
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
