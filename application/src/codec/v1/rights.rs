//! What a session of a tree of agents may do, and what the declaration of one asks for.

use std::collections::BTreeSet;

use entracte_domain::command::{AgentLimits as DomainLimits, AgentTerms as DomainTerms};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::rights::{self, Budget as DomainBudget, Names as DomainNames, Unattended};
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::Hash;
use super::restriction::Restriction;
use super::words::Word;

/// Agents and rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Budget(u32, u32);

impl From<&DomainBudget> for Budget {
    fn from(budget: &DomainBudget) -> Self {
        let DomainBudget { agents, rounds } = *budget;
        Self(agents, rounds)
    }
}

impl From<Budget> for DomainBudget {
    fn from(Budget(agents, rounds): Budget) -> Self {
        Self { agents, rounds }
    }
}

/// The names; none at all is every name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Names(Option<BTreeSet<String>>);

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
    #[serde(default, rename = "commands", skip_serializing_if = "is_default")]
    gate: Restriction,
    workspace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_approval: bool,
    unattended: Word<Unattended>,
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

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    #[serde(default, rename = "commands", skip_serializing_if = "is_default")]
    gate: Restriction,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_approval: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unattended: Option<Word<Unattended>>,
    #[serde(default, skip_serializing_if = "is_default")]
    rules: Names,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    providers: Names,
    budget: Budget,
}

impl From<&rights::Wish> for Wish {
    fn from(wish: &rights::Wish) -> Self {
        let rights::Wish { gate, require_approval, unattended, rules, provider, providers, budget } = wish;
        Self {
            gate: gate.into(),
            require_approval: *require_approval,
            unattended: unattended.map(Word),
            rules: rules.into(),
            provider: provider.clone(),
            providers: providers.into(),
            budget: budget.into(),
        }
    }
}

impl From<Wish> for rights::Wish {
    fn from(wish: Wish) -> Self {
        Self {
            gate: wish.gate.into(),
            require_approval: wish.require_approval,
            unattended: wish.unattended.map(|word| word.0),
            rules: wish.rules.into(),
            provider: wish.provider,
            providers: wish.providers.into(),
            budget: wish.budget.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    #[serde(default, skip_serializing_if = "is_default")]
    rounds: u32,
    #[serde(default, rename = "context", skip_serializing_if = "is_default")]
    context_tokens: u32,
    #[serde(default, rename = "output", skip_serializing_if = "is_default")]
    output_tokens: u32,
    #[serde(default, rename = "model_ms", skip_serializing_if = "is_default")]
    model_time: i64,
}

impl From<&DomainLimits> for Limits {
    fn from(limits: &DomainLimits) -> Self {
        let DomainLimits { rounds, context_tokens, output_tokens, model_time } = *limits;
        Self { rounds, context_tokens, output_tokens, model_time: model_time.0 }
    }
}

impl From<Limits> for DomainLimits {
    fn from(limits: Limits) -> Self {
        let Limits { rounds, context_tokens, output_tokens, model_time } = limits;
        Self { rounds, context_tokens, output_tokens, model_time: Millis(model_time) }
    }
}

/// The declaration of an agent, as the catalog said it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentTerms {
    name: String,
    version: Hash,
    wish: Wish,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: Limits,
}

impl From<&DomainTerms> for AgentTerms {
    fn from(terms: &DomainTerms) -> Self {
        let DomainTerms { name, version, wish, limits } = terms;
        Self { name: name.clone(), version: version.into(), wish: wish.into(), limits: limits.into() }
    }
}

impl From<AgentTerms> for DomainTerms {
    fn from(terms: AgentTerms) -> Self {
        let AgentTerms { name, version, wish, limits } = terms;
        Self { name, version: version.into(), wish: wish.into(), limits: limits.into() }
    }
}
