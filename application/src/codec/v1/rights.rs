//! The rights of a session in a tree of agents, and the rights that an agent's declaration requests.

use std::collections::BTreeSet;

use entracte_domain::command::{AgentLimits as DomainLimits, AgentTerms as DomainTerms};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::rights::{self, Budget as DomainBudget, NameSet as DomainNames, UnattendedPolicy};
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::HashV1;
use super::restriction::RestrictionV1;
use super::shape::{by_hand, shape};
use super::words::WordV1;

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct BudgetV1 = DomainBudget[agents: u32, rounds: u32]
}

/// The names; `None` means every name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct NamesV1(Option<BTreeSet<String>>);

by_hand!(NamesV1 = DomainNames);

impl From<&DomainNames> for NamesV1 {
    fn from(names: &DomainNames) -> Self {
        match names {
            DomainNames::All => Self(None),
            DomainNames::Only(names) => Self(Some(names.clone())),
        }
    }
}

impl From<NamesV1> for DomainNames {
    fn from(NamesV1(names): NamesV1) -> Self {
        names.map_or(DomainNames::All, DomainNames::Only)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RightsV1 {
    #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
    gate: RestrictionV1,
    workspace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_approval: bool,
    unattended: WordV1<UnattendedPolicy>,
    #[serde(default, skip_serializing_if = "is_default")]
    rules: NamesV1,
    #[serde(default, skip_serializing_if = "is_default")]
    providers: NamesV1,
    #[serde(default, skip_serializing_if = "is_default")]
    depth: u32,
    budget: BudgetV1,
}

impl From<&rights::Rights> for RightsV1 {
    fn from(rights: &rights::Rights) -> Self {
        let rights::RightsParts {
            gate,
            workspace,
            author,
            require_approval,
            unattended,
            rules,
            providers,
            depth,
            budget,
        } = rights.parts();
        Self {
            gate: (&gate).into(),
            workspace: workspace.as_str().to_owned(),
            author,
            require_approval,
            unattended: WordV1(unattended),
            rules: (&rules).into(),
            providers: (&providers).into(),
            depth,
            budget: (&budget).into(),
        }
    }
}

impl From<RightsV1> for rights::RightsParts {
    fn from(rights: RightsV1) -> Self {
        Self {
            gate: rights.gate.into(),
            workspace: WorkspaceKey::new(rights.workspace),
            author: rights.author,
            require_approval: rights.require_approval,
            unattended: rights.unattended.0,
            rules: rights.rules.into(),
            providers: rights.providers.into(),
            depth: rights.depth,
            budget: rights.budget.into(),
        }
    }
}

shape! {
    struct WishV1 = rights::RequestedRights {
        #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
        gate: RestrictionV1,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_approval: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unattended: Option<WordV1<UnattendedPolicy>>,
        #[serde(default, skip_serializing_if = "is_default")]
        rules: NamesV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        providers: NamesV1,
        budget: BudgetV1,
    }
}

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct LimitsV1 = DomainLimits {
        #[serde(default, skip_serializing_if = "is_default")]
        rounds: u32,
        #[serde(default, rename = "context", skip_serializing_if = "is_default")]
        context_tokens: u32,
        #[serde(default, rename = "output", skip_serializing_if = "is_default")]
        output_tokens: u32,
        #[serde(default, rename = "model_ms", skip_serializing_if = "is_default")]
        model_time: i64,
    }
}

shape! {
    /// The declaration of an agent, as recorded from the catalog.
    pub(super) struct AgentTermsV1 = DomainTerms {
        name: String,
        version: HashV1,
        wish: WishV1,
        #[serde(default, skip_serializing_if = "is_default")]
        limits: LimitsV1,
    }
}
