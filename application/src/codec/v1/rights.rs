//! What a session of a tree of agents may do, and what the declaration of one asks for.

use std::collections::BTreeSet;

use entracte_domain::command::{AgentLimits as DomainLimits, AgentTerms as DomainTerms};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::rights::{self, Budget as DomainBudget, NameSet as DomainNames, UnattendedPolicy};
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::Hash;
use super::restriction::Restriction;
use super::shape::{by_hand, shape};
use super::words::Word;

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct Budget = DomainBudget[agents: u32, rounds: u32]
}

/// The names; none at all is every name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Names(Option<BTreeSet<String>>);

by_hand!(Names = DomainNames);

impl From<&DomainNames> for Names {
    fn from(names: &DomainNames) -> Self {
        match names {
            DomainNames::All => Self(None),
            DomainNames::Only(names) => Self(Some(names.clone())),
        }
    }
}

impl From<Names> for DomainNames {
    fn from(Names(names): Names) -> Self {
        names.map_or(DomainNames::All, DomainNames::Only)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rights {
    #[serde(default, rename = "commands", skip_serializing_if = "Restriction::is_open")]
    gate: Restriction,
    workspace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_approval: bool,
    unattended: Word<UnattendedPolicy>,
    #[serde(default, skip_serializing_if = "is_default")]
    rules: Names,
    #[serde(default, skip_serializing_if = "is_default")]
    providers: Names,
    #[serde(default, skip_serializing_if = "is_default")]
    depth: u32,
    budget: Budget,
}

impl From<&rights::Rights> for Rights {
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
            unattended: Word(unattended),
            rules: (&rules).into(),
            providers: (&providers).into(),
            depth,
            budget: (&budget).into(),
        }
    }
}

impl From<Rights> for rights::RightsParts {
    fn from(rights: Rights) -> Self {
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
    struct Wish = rights::RequestedRights {
        #[serde(default, rename = "commands", skip_serializing_if = "Restriction::is_open")]
        gate: Restriction,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_approval: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unattended: Option<Word<UnattendedPolicy>>,
        #[serde(default, skip_serializing_if = "is_default")]
        rules: Names,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        providers: Names,
        budget: Budget,
    }
}

shape! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct Limits = DomainLimits {
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
    /// The declaration of an agent, as the catalog said it.
    pub(super) struct AgentTerms = DomainTerms {
        name: String,
        version: Hash,
        wish: Wish,
        #[serde(default, skip_serializing_if = "is_default")]
        limits: Limits,
    }
}
