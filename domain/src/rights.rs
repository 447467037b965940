//! Upper bound of what a session in an agent tree may do. The root's rights are read once from the session that a
//! person began; from there rights only shrink: an agent gets the result of [`Rights::delegate`] on its caller's
//! rights, and only that function creates [`DelegatedRights`].

mod budget;
mod name_set;

pub use budget::Budget;
pub use name_set::NameSet;

use crate::id::WorkspaceKey;
use crate::restriction::Restriction;

crate::words! {
    /// The handling of actions that need approval in runs and agents, which no person watches.
    pub enum UnattendedPolicy {
        /// The run waits in the inbox and releases its slot.
        Park = "park",
        /// The action is refused.
        Refuse = "refuse",
        /// The action is allowed, and that is journaled.
        Allow = "allow",
    }
}

impl UnattendedPolicy {
    /// The stricter policy: `Refuse` before `Park` before `Allow`.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (UnattendedPolicy::Refuse, _) | (_, UnattendedPolicy::Refuse) => UnattendedPolicy::Refuse,
            (UnattendedPolicy::Park, _) | (_, UnattendedPolicy::Park) => UnattendedPolicy::Park,
            (UnattendedPolicy::Allow, UnattendedPolicy::Allow) => UnattendedPolicy::Allow,
        }
    }
}

/// Upper bound of what a session and its agents may do.
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

/// The fields of [`Rights`], to create the root of a tree and to store and load rights.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RightsParts {
    /// Commands that the session may ask for.
    pub gate: Restriction,
    /// Workspace of the session. Never taken from arguments.
    pub workspace: WorkspaceKey,
    /// The person whose rights the session acts with; `None` if there is none. Never taken from arguments.
    pub author: Option<String>,
    /// True if every action needs approval.
    pub require_approval: bool,
    /// Handling of actions that need approval in runs and agents.
    pub unattended: UnattendedPolicy,
    /// Ids of the standing approvals that count; only approvals of a whole workspace that a person made for agents too.
    pub rules: NameSet,
    /// Names of the permitted providers.
    pub providers: NameSet,
    /// Maximum levels of agents below the session.
    pub depth: u32,
    /// Budget of all descendants.
    pub budget: Budget,
}

/// The rights that an agent declaration requests. The agent gets at most these, and at most its caller's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestedRights {
    /// Requested commands.
    pub gate: Restriction,
    /// True if every action needs approval.
    pub require_approval: bool,
    /// Handling of actions that need approval; `None` if the declaration does not set it.
    pub unattended: Option<UnattendedPolicy>,
    /// Standing approvals that the agent may use.
    pub rules: NameSet,
    /// Provider of the agent; `None` uses the caller's.
    pub provider: Option<String>,
    /// Providers that the agent and its descendants may use.
    pub providers: NameSet,
    /// Budget of the agent and all its descendants.
    pub budget: Budget,
}

/// Rights that were derived from wider ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelegatedRights(Rights);

impl DelegatedRights {
    /// The contained rights.
    pub const fn rights(&self) -> &Rights {
        &self.0
    }

    /// Restores delegated rights from storage. Only the decoder may call it, which an architecture test checks.
    pub fn from_stored(parts: RightsParts) -> Self {
        Self(Rights::from_stored(parts))
    }

    /// Unwraps the rights for the session that gets them.
    pub fn into_rights(self) -> Rights {
        self.0
    }
}

crate::words! {
    /// Why an agent cannot be started.
    pub enum AgentStartRefusal {
        /// The maximum depth of agents is reached.
        Depth = "AGENT_DEPTH",
        /// The maximum number of agents, working or resting, of one session is reached.
        AtOnce = "AGENTS_AT_ONCE",
        /// The maximum number of agents of the tree was started.
        Agents = "AGENTS_USED_UP",
        /// The rounds of the tree are used up, or reserved for other agents.
        Rounds = "AGENT_ROUNDS_USED_UP",
        /// The agent's provider is not among those its caller may use.
        Provider = "AGENT_PROVIDER",
    }
}

impl Rights {
    /// Creates the rights of a session that a person or an automation began: the root of a tree.
    pub fn for_root(parts: RightsParts) -> Self {
        Self::from_parts(parts)
    }

    /// Restores rights from storage. Only the decoder may call it, which an architecture test checks.
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

    /// All fields, to store and show them.
    pub fn parts(&self) -> RightsParts {
        let Self { gate, workspace, author, require_approval, unattended, rules, providers, depth, budget } =
            self.clone();
        RightsParts { gate, workspace, author, require_approval, unattended, rules, providers, depth, budget }
    }

    /// Intersects the rights an agent requests with the caller's rights, with one level of agents less.
    ///
    /// # Errors
    /// The reason why the agent cannot start: no level, agent or round is left, or its provider is not permitted.
    pub fn delegate(&self, wish: &RequestedRights) -> Result<DelegatedRights, AgentStartRefusal> {
        let depth = self.depth.checked_sub(1).ok_or(AgentStartRefusal::Depth)?;
        let providers = self.providers.intersect(&wish.providers);
        if wish.provider.as_deref().is_some_and(|provider| !providers.contains(provider)) {
            return Err(AgentStartRefusal::Provider);
        }
        // The agent itself is one of those that its caller may start; the rest of the budget is for its descendants.
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

    /// The intersection of both rights, used when a session above lost some. If workspace or person differ, no rights
    /// remain.
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

    /// The same rights for a call that acts for `person`; without any person if that is not the rights' own.
    #[must_use]
    pub fn restricted_to_principal(&self, person: Option<&str>) -> Self {
        Self { author: self.author.clone().filter(|author| person == Some(author)), ..self.clone() }
    }

    /// The same rights with at most the remaining budget.
    #[must_use]
    pub fn with_remaining_budget(&self, left: Budget) -> Self {
        Self { budget: self.budget.min_of_each(left), ..self.clone() }
    }

    /// Whether the other rights allow everything that these allow.
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

    /// Commands that the session may ask for.
    pub const fn command_restriction(&self) -> &Restriction {
        &self.gate
    }

    /// Whether the session may ask for the named command.
    pub fn allows_command(&self, command: &str) -> bool {
        self.gate.allows_command(command)
    }

    /// Workspace of the session.
    pub const fn workspace(&self) -> &WorkspaceKey {
        &self.workspace
    }

    /// The person whose rights the session acts with.
    pub fn principal(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Whether every action needs approval.
    pub const fn requires_approval(&self) -> bool {
        self.require_approval
    }

    /// Handling of actions that need approval in runs and agents.
    pub const fn unattended(&self) -> UnattendedPolicy {
        self.unattended
    }

    /// Standing approvals that count.
    pub const fn rules(&self) -> &NameSet {
        &self.rules
    }

    /// Providers that may be used.
    pub const fn providers(&self) -> &NameSet {
        &self.providers
    }

    /// Maximum levels of agents below the session.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Budget of all descendants.
    pub const fn budget(&self) -> Budget {
        self.budget
    }
}

#[cfg(test)]
mod tests;
