//! The rules of each kind of session in a workspace.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use entracte_domain::automation::RunPolicy;
use entracte_domain::command::AgentLimits;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    CompletionCheck, LimitProfile, SessionFacts, SessionKind, SessionRules, UnattendedPolicy,
};

use crate::codec::{CodecError, encode_rules};
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::ports::ContentBlob;
use crate::settings::{LimitsProfile, SessionMode, WorkspaceSettings};
use crate::system::sha256;

/// The configured rules of each kind of session, for each profile.
#[derive(Clone, Debug)]
pub struct RuleBook {
    profile: LimitProfile,
    autonomous: ProfileRules,
    strict: ProfileRules,
    /// The rules of runs whose automation has policies of its own, created on first use.
    runs: Arc<[OnceLock<EncodedRules>; RUN_PAGES]>,
    /// The rules of agents with limits of their own, created on first use.
    agents: Arc<AgentRuleCache>,
    /// The providers whose models may request one call at a time.
    one_by_one: Arc<BTreeSet<String>>,
}

/// Cached rules, created on first use: an append-only list, so that returned references stay valid.
#[derive(Debug, Default)]
struct AgentRuleCache(OnceLock<Box<AgentRuleCacheNode>>);

#[derive(Debug)]
struct AgentRuleCacheNode {
    profile: LimitProfile,
    policy: RunPolicy,
    limits: AgentLimits,
    page: EncodedRules,
    next: AgentRuleCache,
}

impl AgentRuleCache {
    fn page(
        &self,
        profile: LimitProfile,
        policy: RunPolicy,
        limits: AgentLimits,
        rules: impl Fn() -> SessionRules,
    ) -> &EncodedRules {
        let mut pages = self;
        loop {
            let new = || {
                let (page, next) = (EncodedRules::new(rules()), Self::default());
                Box::new(AgentRuleCacheNode { profile, policy, limits, page, next })
            };
            let found = pages.0.get_or_init(new);
            if found.profile == profile && found.policy == policy && found.limits == limits {
                return &found.page;
            }
            pages = &found.next;
        }
    }
}

/// Replaces the agent limits in the rules by those that are set.
pub(crate) fn apply_agent_limits(rules: &SessionRules, own: AgentLimits) -> SessionRules {
    let or = |own: u32, usual: u32| if own == 0 { usual } else { own };
    SessionRules {
        rounds: or(own.rounds, rules.rounds),
        context_tokens: or(own.context_tokens, rules.context_tokens),
        output_tokens: or(own.output_tokens, rules.output_tokens),
        model_time: if own.model_time.0 == 0 { rules.model_time } else { own.model_time },
        ..rules.clone()
    }
}

/// The number of ways in which the runs of automations, and their agents, may differ from their workspace.
const RUN_PAGES: usize = 2 * 2 * 4 * 3 * 3;

/// The rules of one profile.
#[derive(Clone, Debug)]
struct ProfileRules {
    chat: EncodedRules,
    seed: EncodedRules,
    automation: EncodedRules,
    agent: EncodedRules,
}

/// Rules with their stored form, which is encoded once.
#[derive(Clone, Debug)]
struct EncodedRules {
    rules: SessionRules,
    stored: OnceLock<ContentBlob>,
    /// The same rules with one call per reply, created on first use.
    one_by_one: OnceLock<Box<EncodedRules>>,
}

impl EncodedRules {
    fn new(rules: SessionRules) -> Self {
        Self { rules, stored: OnceLock::new(), one_by_one: OnceLock::new() }
    }

    fn one_by_one(&self) -> &Self {
        let rules = || SessionRules { calls_per_reply: 1, ..self.rules.clone() };
        self.one_by_one.get_or_init(|| Box::new(Self::new(rules())))
    }
}

impl ProfileRules {
    fn new(profile: LimitProfile) -> Self {
        let page = |kind| EncodedRules::new(SessionRules::new(kind, profile));
        Self {
            chat: page(SessionKind::Chat),
            seed: page(SessionKind::Seed),
            automation: page(SessionKind::Automation),
            agent: page(SessionKind::Agent),
        }
    }

    fn page(&self, kind: SessionKind) -> &EncodedRules {
        match kind {
            SessionKind::Chat => &self.chat,
            SessionKind::Seed => &self.seed,
            SessionKind::Automation => &self.automation,
            SessionKind::Agent => &self.agent,
        }
    }

    fn change(&mut self, change: &impl Fn(SessionKind, &mut SessionRules)) {
        let pages = [
            (SessionKind::Chat, &mut self.chat),
            (SessionKind::Seed, &mut self.seed),
            (SessionKind::Automation, &mut self.automation),
            (SessionKind::Agent, &mut self.agent),
        ];
        for (kind, page) in pages {
            change(kind, &mut page.rules);
            *page = EncodedRules::new(page.rules.clone());
        }
    }
}

impl RuleBook {
    /// The defaults, with this profile unless a workspace selects the other.
    pub fn new(profile: LimitProfile) -> Self {
        Self {
            profile,
            autonomous: ProfileRules::new(LimitProfile::Autonomous),
            strict: ProfileRules::new(LimitProfile::Strict),
            runs: no_runs(),
            agents: Arc::default(),
            one_by_one: Arc::default(),
        }
    }

    /// The providers whose models may request one call at a time.
    pub fn sequential_providers(&self) -> &BTreeSet<String> {
        &self.one_by_one
    }

    /// The same rules, where the models of these providers may request one call per reply: further calls of the reply
    /// are refused.
    #[must_use]
    pub fn with_sequential_calls(self, providers: impl IntoIterator<Item = String>) -> Self {
        Self { one_by_one: Arc::new(providers.into_iter().collect()), ..self }
    }

    /// The same rules with the settings of this workspace.
    #[must_use]
    pub fn for_workspace(&self, settings: &WorkspaceSettings) -> Self {
        let mut book =
            self.with_profile(settings.limits_profile).with_mode(settings.mode.map(SessionMode::mode));
        if is_planted(PlantedBug::EndlessTree) {
            book.change(|_, rules| (rules.agents_at_once, rules.agents_in_tree) = (0, 0));
        }
        book
    }

    /// The same rules with the profile that a workspace selects.
    #[must_use]
    pub fn with_profile(&self, asked: Option<LimitsProfile>) -> Self {
        let profile = asked.map_or(self.profile, LimitsProfile::profile);
        Self { profile, ..self.clone() }
    }

    /// The same rules with the mode that a workspace selects.
    #[must_use]
    pub fn with_mode(&self, asked: Option<PlanMode>) -> Self {
        let mut book = self.clone();
        if let Some(mode) = asked {
            book.change(|_, rules| rules.mode = mode);
        }
        book
    }

    /// The rules of a session kind.
    pub fn rules_for_kind(&self, kind: SessionKind) -> &SessionRules {
        &self.pages().page(kind).rules
    }

    /// The rules of a session: those of its kind, for a run those of its automation, and adapted to its provider.
    pub fn rules_for_session(&self, facts: &SessionFacts) -> &SessionRules {
        self.rules_for_agent(facts, facts.agent.as_ref().map(|agent| agent.limits))
    }

    /// The rules of an agent's session with these limits; those of its kind for any other session.
    pub fn rules_for_agent(&self, facts: &SessionFacts, own: Option<AgentLimits>) -> &SessionRules {
        &self.page(facts, own).rules
    }

    /// The rules of a session kind under the policy of an automation, with this provider.
    pub fn rules_for_provider(&self, kind: SessionKind, policy: RunPolicy, provider: &str) -> &SessionRules {
        &self.spoken(kind, policy, provider).rules
    }

    /// The rules of a session kind under the policy of an automation.
    pub fn rules_for_run(&self, kind: SessionKind, policy: RunPolicy) -> &SessionRules {
        &self.page_of(kind, policy).rules
    }

    /// The encoded rules of a session, as the blob stored under their hash.
    ///
    /// # Errors
    /// [`CodecError::Unstorable`]; no rules are known to cause it.
    pub fn encoded_rules_for_session(&self, facts: &SessionFacts) -> Result<&ContentBlob, CodecError> {
        self.encoded_rules_for_agent(facts, facts.agent.as_ref().map(|agent| agent.limits))
    }

    /// The encoded rules of an agent with these limits.
    ///
    /// # Errors
    /// When they cannot be encoded.
    pub fn encoded_rules_for_agent(
        &self,
        facts: &SessionFacts,
        own: Option<AgentLimits>,
    ) -> Result<&ContentBlob, CodecError> {
        let page = self.page(facts, own);
        if let Some(blob) = page.stored.get() {
            return Ok(blob);
        }
        let bytes = encode_rules(&page.rules)?;
        Ok(page.stored.get_or_init(|| ContentBlob { digest: sha256(&bytes), bytes }))
    }

    /// Changes the rules of all kinds, in both profiles.
    pub fn change(&mut self, change: impl Fn(SessionKind, &mut SessionRules)) {
        self.autonomous.change(&change);
        self.strict.change(&change);
        self.runs = no_runs();
        self.agents = Arc::default();
    }

    fn page(&self, facts: &SessionFacts, own: Option<AgentLimits>) -> &EncodedRules {
        let page = match own.filter(|own| *own != AgentLimits::default()) {
            Some(own) => {
                let of_run = || &self.page_of(SessionKind::Agent, facts.policy).rules;
                self.agents.page(self.profile, facts.policy, own, || apply_agent_limits(of_run(), own))
            }
            None => self.page_of(facts.kind, facts.policy),
        };
        if self.one_by_one.contains(&facts.provider) { page.one_by_one() } else { page }
    }

    fn spoken(&self, kind: SessionKind, policy: RunPolicy, provider: &str) -> &EncodedRules {
        let page = self.page_of(kind, policy);
        if self.one_by_one.contains(provider) { page.one_by_one() } else { page }
    }

    fn page_of(&self, kind: SessionKind, policy: RunPolicy) -> &EncodedRules {
        if policy == RunPolicy::default() {
            return self.pages().page(kind);
        }
        let profile = policy.profile.unwrap_or(self.profile);
        let kind = if kind == SessionKind::Agent { kind } else { SessionKind::Automation };
        self.runs[run_rules_index(kind, profile, policy)].get_or_init(|| {
            let mut rules = self.pages_of(profile).page(kind).rules.clone();
            match kind {
                SessionKind::Agent => apply_inherited_run_policy(&mut rules, policy),
                SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => {
                    apply_run_policy(&mut rules, policy)
                }
            }
            EncodedRules::new(rules)
        })
    }

    fn pages(&self) -> &ProfileRules {
        self.pages_of(self.profile)
    }

    fn pages_of(&self, profile: LimitProfile) -> &ProfileRules {
        match profile {
            LimitProfile::Autonomous => &self.autonomous,
            LimitProfile::Strict => &self.strict,
        }
    }
}

/// Applies the policy of the automation to the rules of a run.
fn apply_run_policy(rules: &mut SessionRules, policy: RunPolicy) {
    // A refusal by the configuration cannot be overridden.
    rules.unattended = match rules.unattended {
        UnattendedPolicy::Refuse => UnattendedPolicy::Refuse,
        UnattendedPolicy::Park | UnattendedPolicy::Allow => policy.unattended.unwrap_or(rules.unattended),
    };
    rules.completion_check = policy.completion.unwrap_or(rules.completion_check);
    rules.mode = policy.mode.unwrap_or(rules.mode);
}

/// Applies the policy of a run to the rules of its agents, without loosening them.
fn apply_inherited_run_policy(rules: &mut SessionRules, policy: RunPolicy) {
    rules.unattended = policy.unattended.map_or(rules.unattended, |own| own.stricter(rules.unattended));
    rules.completion_check = match (policy.completion, rules.completion_check) {
        (Some(CompletionCheck::AskOnce), _) | (_, CompletionCheck::AskOnce) => CompletionCheck::AskOnce,
        (Some(CompletionCheck::Trust) | None, CompletionCheck::Trust) => CompletionCheck::Trust,
    };
}

/// The index of the rules of a run, or of an agent in one.
fn run_rules_index(kind: SessionKind, profile: LimitProfile, policy: RunPolicy) -> usize {
    let RunPolicy { profile: _, unattended, completion, mode } = policy;
    let of_kind = usize::from(kind == SessionKind::Agent) * 2 + profile_number(profile);
    let asked = of_kind * 4 + unattended.map_or(0, unattended_number);
    (asked * 3 + completion.map_or(0, completion_number)) * 3 + mode.map_or(0, mode_number)
}

fn no_runs() -> Arc<[OnceLock<EncodedRules>; RUN_PAGES]> {
    Arc::new([const { OnceLock::new() }; RUN_PAGES])
}

const fn profile_number(profile: LimitProfile) -> usize {
    match profile {
        LimitProfile::Autonomous => 0,
        LimitProfile::Strict => 1,
    }
}

/// From 1; 0 means the workspace's.
const fn unattended_number(unattended: UnattendedPolicy) -> usize {
    match unattended {
        UnattendedPolicy::Park => 1,
        UnattendedPolicy::Refuse => 2,
        UnattendedPolicy::Allow => 3,
    }
}

/// From 1; 0 means the workspace's.
const fn completion_number(completion: CompletionCheck) -> usize {
    match completion {
        CompletionCheck::Trust => 1,
        CompletionCheck::AskOnce => 2,
    }
}

/// From 1; 0 means the workspace's.
const fn mode_number(mode: PlanMode) -> usize {
    match mode {
        PlanMode::Free => 1,
        PlanMode::Plan => 2,
    }
}

impl Default for RuleBook {
    fn default() -> Self {
        Self::new(LimitProfile::Autonomous)
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{SessionId, WorkspaceKey};
    use entracte_domain::time::{Millis, Timestamp};

    use super::*;
    use crate::codec::decode_rules;

    #[test]
    fn provider_without_parallel_calls_requests_one_call() {
        let mut book = RuleBook::default().with_sequential_calls(["solo".to_owned()]);
        book.change(|_, rules| rules.calls_per_reply = 7);
        let workspace = WorkspaceKey::new("ann:home");
        let of = |provider: &str| SessionFacts {
            provider: provider.to_owned(),
            ..SessionFacts::new(SessionId::new("ses_1"), workspace.clone(), SessionKind::Chat, Timestamp(0))
        };
        let (solo, other) = (of("solo"), of("other"));
        assert_eq!(
            book.rules_for_session(&solo),
            &SessionRules { calls_per_reply: 1, ..book.rules_for_kind(SessionKind::Chat).clone() }
        );
        assert_eq!(book.rules_for_session(&other), book.rules_for_kind(SessionKind::Chat));
        let stored = decode_rules(&book.encoded_rules_for_session(&solo).unwrap().bytes).unwrap();
        assert_eq!(stored.calls_per_reply, 1, "what is replayed is what held");
        assert_eq!(
            book.with_profile(Some(LimitsProfile::Strict)).rules_for_session(&solo).calls_per_reply,
            1
        );
    }

    /// Input: the policy of an automation; expected: the rules of its runs, also after a change of all rules.
    #[test]
    fn run_follows_policy_of_its_automation() {
        let mut book = RuleBook::default();
        let mut facts = SessionFacts::new(
            SessionId::new("ses_a"),
            WorkspaceKey::new("ann:home"),
            SessionKind::Automation,
            Timestamp(0),
        );
        assert_eq!(
            *book.rules_for_session(&facts),
            SessionRules::new(SessionKind::Automation, LimitProfile::Autonomous)
        );
        facts.policy = RunPolicy {
            profile: Some(LimitProfile::Strict),
            unattended: Some(UnattendedPolicy::Allow),
            completion: Some(CompletionCheck::AskOnce),
            mode: Some(PlanMode::Plan),
        };
        let strict = SessionRules::new(SessionKind::Automation, LimitProfile::Strict);
        let expected = SessionRules {
            unattended: UnattendedPolicy::Allow,
            completion_check: CompletionCheck::AskOnce,
            mode: PlanMode::Plan,
            ..strict
        };
        assert_eq!(*book.rules_for_session(&facts), expected);
        book.change(|_, rules| rules.rounds = 3);
        assert_eq!(*book.rules_for_session(&facts), SessionRules { rounds: 3, ..expected });
        facts.policy = RunPolicy { unattended: Some(UnattendedPolicy::Refuse), ..RunPolicy::default() };
        assert_eq!(book.rules_for_session(&facts).unattended, UnattendedPolicy::Refuse);
        assert_eq!(book.rules_for_session(&facts).run_duration, Millis(0), "the workspace's own profile");
    }

    /// Input: the policies an agent inherits from its run; expected: its own limits of that profile, and nothing
    /// looser than the rules of agents.
    #[test]
    fn agent_follows_policy_of_its_run() {
        let mut book = RuleBook::default();
        let mut facts = SessionFacts::new(
            SessionId::new("ses_a"),
            WorkspaceKey::new("ann:home"),
            SessionKind::Agent,
            Timestamp(0),
        );
        facts.policy = RunPolicy {
            profile: Some(LimitProfile::Strict),
            unattended: Some(UnattendedPolicy::Refuse),
            completion: Some(CompletionCheck::AskOnce),
            mode: None,
        };
        let expected = SessionRules {
            unattended: UnattendedPolicy::Refuse,
            completion_check: CompletionCheck::AskOnce,
            ..SessionRules::new(SessionKind::Agent, LimitProfile::Strict)
        };
        assert_eq!(*book.rules_for_session(&facts), expected);
        let own = AgentLimits { rounds: 3, ..AgentLimits::default() };
        assert_eq!(*book.rules_for_agent(&facts, Some(own)), SessionRules { rounds: 3, ..expected });
        // The same limits in a run with other policies are different rules.
        facts.policy.profile = None;
        assert_eq!(book.rules_for_agent(&facts, Some(own)).run_duration, Millis(0));
        book.change(|_, rules| rules.completion_check = CompletionCheck::AskOnce);
        facts.policy = RunPolicy {
            unattended: Some(UnattendedPolicy::Allow),
            completion: Some(CompletionCheck::Trust),
            ..RunPolicy::default()
        };
        let loose = book.rules_for_session(&facts);
        assert_eq!(
            (loose.unattended, loose.completion_check),
            (UnattendedPolicy::Park, CompletionCheck::AskOnce)
        );
    }

    const KINDS: [SessionKind; 4] =
        [SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent];

    #[test]
    fn each_session_kind_has_rules_of_profile() {
        for profile in [LimitsProfile::Autonomous, LimitsProfile::Strict] {
            let book = RuleBook::new(profile.profile());
            let asked = RuleBook::default().with_profile(Some(profile));
            for kind in KINDS {
                let expected = SessionRules::new(kind, profile.profile());
                assert_eq!(*book.rules_for_kind(kind), expected, "{profile:?} {kind:?}");
                assert_eq!(
                    *asked.rules_for_kind(kind),
                    expected,
                    "{profile:?} {kind:?}, as a workspace asks"
                );
            }
        }
    }

    #[test]
    fn encoded_rules_follow_changes() {
        let mut book = RuleBook::default();
        let of = |kind| {
            SessionFacts::new(SessionId::new("ses_a"), WorkspaceKey::new("ann:home"), kind, Timestamp(0))
        };
        let before = book.encoded_rules_for_session(&of(SessionKind::Agent)).unwrap().clone();
        assert_eq!(before.digest, sha256(&before.bytes));
        book.change(|kind, rules| match kind {
            SessionKind::Agent => rules.rounds = 3,
            SessionKind::Chat | SessionKind::Seed | SessionKind::Automation => {}
        });
        let after = book.encoded_rules_for_session(&of(SessionKind::Agent)).unwrap();
        assert_ne!(after.digest, before.digest);
        assert_eq!(decode_rules(&after.bytes).unwrap(), *book.rules_for_kind(SessionKind::Agent));
        assert_eq!(book.rules_for_kind(SessionKind::Agent).rounds, 3);
        assert_eq!(
            *book.rules_for_kind(SessionKind::Chat),
            SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous)
        );
    }
}
