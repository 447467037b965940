//! What a session of a tree of agents may do at most. Rights are read off the session that a person began, once; from
//! there they only shrink: an agent gets what [`Rights::delegate`] made of the rights of who calls it, and nothing else
//! makes [`DelegatedRights`].

mod budget;
mod name_set;

pub use budget::Budget;
pub use name_set::NameSet;

use crate::id::WorkspaceKey;
use crate::restriction::Restriction;

crate::words! {
    /// What happens to an action that needs approval when nobody watches (runs and agents).
    pub enum UnattendedPolicy {
        /// The run waits in the inbox and frees its slot.
        Park = "park",
        /// It is refused.
        Refuse = "refuse",
        /// It is allowed, and that is journaled.
        Allow = "allow",
    }
}

impl UnattendedPolicy {
    /// The stricter of the two: to refuse, else to wait for a person, else to allow.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (UnattendedPolicy::Refuse, _) | (_, UnattendedPolicy::Refuse) => UnattendedPolicy::Refuse,
            (UnattendedPolicy::Park, _) | (_, UnattendedPolicy::Park) => UnattendedPolicy::Park,
            (UnattendedPolicy::Allow, UnattendedPolicy::Allow) => UnattendedPolicy::Allow,
        }
    }
}

/// What a session may do at most, and what those that it calls may do at most.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rights {
    gate: Restriction,
    workspace: WorkspaceKey,
    author: Option<String>,
    require_approval: bool,
    unattended: UnattendedPolicy,
    rules: NameSet,
    providers: NameSet,
    depth: u32,
    budget: Budget,
}

/// All of some rights, in the open: what the root of a tree begins with, and what is written and read back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RightsParts {
    /// The commands that it may ask for.
    pub gate: Restriction,
    /// Where it lives. Never from arguments.
    pub workspace: WorkspaceKey,
    /// The person whose rights it acts with; none where there is no such person. Never from arguments.
    pub author: Option<String>,
    /// Every action needs approval.
    pub require_approval: bool,
    /// What happens to an action that needs approval when nobody watches.
    pub unattended: UnattendedPolicy,
    /// The standing approvals that count, by id; only those of a whole workspace that a person made for agents too.
    pub rules: NameSet,
    /// The providers that may be asked, by name.
    pub providers: NameSet,
    /// How many levels of agents may be below it.
    pub depth: u32,
    /// What all that is below it may use up.
    pub budget: Budget,
}

/// What the declaration of an agent asks for. It gets no more than that, and no more than who calls it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestedRights {
    /// The commands.
    pub gate: Restriction,
    /// Every action needs approval.
    pub require_approval: bool,
    /// What happens when nobody watches; none where it says nothing of it.
    pub unattended: Option<UnattendedPolicy>,
    /// The standing approvals that it may use.
    pub rules: NameSet,
    /// The provider that it speaks through; none = that of who calls it.
    pub provider: Option<String>,
    /// The providers that it, and those that it calls, may speak through.
    pub providers: NameSet,
    /// What it and all below it may use up.
    pub budget: Budget,
}

/// Rights that were made of wider ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelegatedRights(Rights);

impl DelegatedRights {
    /// The rights.
    pub const fn rights(&self) -> &Rights {
        &self.0
    }

    /// Narrowed rights as they were written. Only what reads them back may use it: a test of the layers holds it to that.
    pub fn from_stored(parts: RightsParts) -> Self {
        Self(Rights::from_stored(parts))
    }

    /// The rights, for the session that gets them.
    pub fn into_rights(self) -> Rights {
        self.0
    }
}

crate::words! {
    /// Why an agent cannot be started.
    pub enum AgentStartRefusal {
        /// As many levels of agents as may be are above it.
        Depth = "AGENT_DEPTH",
        /// As many agents as may be are at work, or at rest, for the same session.
        AtOnce = "AGENTS_AT_ONCE",
        /// As many agents as may be were started in the tree.
        Agents = "AGENTS_USED_UP",
        /// The rounds that the tree may make are used up, or lent to others.
        Rounds = "AGENT_ROUNDS_USED_UP",
        /// Its provider is none of those that who calls it may use.
        Provider = "AGENT_PROVIDER",
    }
}

impl Rights {
    /// The rights of the session that a person, or an automation, began: where a tree begins.
    pub fn for_root(parts: RightsParts) -> Self {
        Self::from_parts(parts)
    }

    /// Rights as they were written. Only what reads them back may use it: a test of the layers holds it to that.
    pub fn from_stored(parts: RightsParts) -> Self {
        Self::from_parts(parts)
    }

    fn from_parts(parts: RightsParts) -> Self {
        let RightsParts {
            gate,
            workspace,
            author,
            require_approval,
            unattended,
            rules,
            providers,
            depth,
            budget,
        } = parts;
        Self { gate, workspace, author, require_approval, unattended, rules, providers, depth, budget }
    }

    /// All of them, to be written and shown.
    pub fn parts(&self) -> RightsParts {
        let Self { gate, workspace, author, require_approval, unattended, rules, providers, depth, budget } =
            self.clone();
        RightsParts { gate, workspace, author, require_approval, unattended, rules, providers, depth, budget }
    }

    /// What an agent gets that wishes for this: of each the lesser of the two, and one level less of agents below it.
    ///
    /// # Errors
    /// Why there is nothing to give: no level, no agent or no round is left, or its provider is not among those that count.
    pub fn delegate(&self, wish: &RequestedRights) -> Result<DelegatedRights, AgentStartRefusal> {
        let depth = self.depth.checked_sub(1).ok_or(AgentStartRefusal::Depth)?;
        let providers = self.providers.intersect(&wish.providers);
        if wish.provider.as_deref().is_some_and(|provider| !providers.contains(provider)) {
            return Err(AgentStartRefusal::Provider);
        }
        // The agent itself is one of those that its caller may start; the rest of its budget is for those below it.
        let left = self.budget.agents.checked_sub(1).ok_or(AgentStartRefusal::Agents)?;
        let budget = Budget { agents: left, ..self.budget }.min_of_each(wish.budget);
        if budget.rounds == 0 {
            return Err(AgentStartRefusal::Rounds);
        }
        Ok(DelegatedRights(Self {
            gate: self.gate.intersect(&wish.gate),
            workspace: self.workspace.clone(),
            author: self.author.clone(),
            require_approval: self.require_approval || wish.require_approval,
            unattended: wish.unattended.map_or(self.unattended, |wished| self.unattended.stricter(wished)),
            rules: self.rules.intersect(&wish.rules),
            providers,
            depth,
            budget,
        }))
    }

    /// What counts of them where others hold as well: those of a session above that lost some meanwhile. Another
    /// workspace or another person leaves nothing.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let is_same = self.workspace == other.workspace && self.author == other.author;
        let gate = if is_same { self.gate.intersect(&other.gate) } else { Restriction::Only(Vec::new()) };
        Self {
            gate,
            workspace: self.workspace.clone(),
            author: self.author.clone().filter(|_| is_same),
            require_approval: self.require_approval || other.require_approval || !is_same,
            unattended: self.unattended.stricter(other.unattended),
            rules: self.rules.intersect(&other.rules),
            providers: self.providers.intersect(&other.providers),
            depth: self.depth.min(other.depth),
            budget: self.budget.min_of_each(other.budget),
        }
    }

    /// The same, for a call that acts with the rights of this person: with those of nobody, where that is another one.
    #[must_use]
    pub fn restricted_to_principal(&self, person: Option<&str>) -> Self {
        Self { author: self.author.clone().filter(|author| person == Some(author)), ..self.clone() }
    }

    /// The same, with what is left of their budget.
    #[must_use]
    pub fn with_remaining_budget(&self, left: Budget) -> Self {
        Self { budget: self.budget.min_of_each(left), ..self.clone() }
    }

    /// Whether these are at most those: whatever these allow, those allow, too.
    pub fn is_within(&self, wider: &Self) -> bool {
        self.gate.is_within(&wider.gate)
            && self.workspace == wider.workspace
            && (self.author == wider.author || self.author.is_none())
            && (self.require_approval || !wider.require_approval)
            && self.unattended.stricter(wider.unattended) == self.unattended
            && self.rules.is_within(&wider.rules)
            && self.providers.is_within(&wider.providers)
            && self.depth <= wider.depth
            && self.budget.is_within(wider.budget)
    }

    /// The commands that it may ask for.
    pub const fn command_restriction(&self) -> &Restriction {
        &self.gate
    }

    /// Whether it may ask for the command of this name.
    pub fn allows_command(&self, command: &str) -> bool {
        self.gate.allows_command(command)
    }

    /// Where it lives.
    pub const fn workspace(&self) -> &WorkspaceKey {
        &self.workspace
    }

    /// The person whose rights it acts with.
    pub fn principal(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Whether every action needs approval.
    pub const fn requires_approval(&self) -> bool {
        self.require_approval
    }

    /// What happens when nobody watches.
    pub const fn unattended(&self) -> UnattendedPolicy {
        self.unattended
    }

    /// The standing approvals that count.
    pub const fn rules(&self) -> &NameSet {
        &self.rules
    }

    /// The providers that may be asked.
    pub const fn providers(&self) -> &NameSet {
        &self.providers
    }

    /// How many levels of agents may be below it.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// What it and all below it may use up.
    pub const fn budget(&self) -> Budget {
        self.budget
    }
}

#[cfg(test)]
mod tests;
