//! The frozen prefixes of prompt generations, stored once by hash. Turns build them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use entracte_domain::automation::RunPolicy;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{ModelSelection, SessionFacts, SessionKind};

use super::error::TurnError;
use super::services::RuntimeServices;
use crate::instructions::InstructionScope;
use crate::ports::ContextWindow;
use crate::prompt::PromptPrefix;
use crate::settings::WorkspaceSettings;

/// The properties of the sessions that may share a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PrefixAudience {
    pub(super) kind: SessionKind,
    pub(super) voice: ModelSelection,
    pub(super) restriction: Restriction,
    /// Plan mode; `None` = the mode of the rules.
    pub(super) mode: Option<PlanMode>,
    /// The policy, where it differs from the workspace's.
    pub(super) policy: RunPolicy,
    /// The agent this session runs as, if any.
    pub(super) agent: Option<String>,
    /// The scopes whose instructions it reads, in order.
    pub(super) scopes: Vec<InstructionScope>,
}

impl PrefixAudience {
    /// The audience of one session.
    pub(super) fn of_session(facts: &SessionFacts) -> Self {
        Self {
            kind: facts.kind,
            voice: voice_of(facts),
            restriction: facts.restriction.clone(),
            mode: facts.mode,
            policy: facts.policy,
            agent: facts.agent.as_ref().map(|agent| agent.name.clone()),
            scopes: InstructionScope::scopes_of_session(facts),
        }
    }

    /// The audience of the runs that begin with a template; any other audience stays as it is. No model reads a
    /// template itself.
    pub(super) fn into_run_audience(self) -> Self {
        match self.kind {
            SessionKind::Seed => Self { kind: SessionKind::Automation, ..self },
            SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => self,
        }
    }

    /// The audience without scopes that only some of its sessions read.
    pub(super) fn without_own_scopes(&self) -> Self {
        Self { scopes: Vec::new(), ..self.clone() }
    }
}

/// The prefixes that this process has built or read.
#[derive(Clone, Default)]
pub(super) struct PrefixCache {
    known: HashMap<Digest, Arc<PromptPrefix>>,
    /// Prefixes without instructions and data, by audience.
    bases: HashMap<PrefixAudience, CachedBase>,
}

/// A prefix without instructions and data, and what it was made for.
#[derive(Clone)]
struct CachedBase {
    settings: WorkspaceSettings,
    window: Option<ContextWindow>,
    prefix: Arc<PromptPrefix>,
}

impl PrefixCache {
    /// The prefix without instructions and data of an audience under these settings, for a model with this window.
    pub(super) fn base(
        &self,
        audience: &PrefixAudience,
        settings: &WorkspaceSettings,
        window: Option<ContextWindow>,
    ) -> Option<Arc<PromptPrefix>> {
        let base = self.bases.get(&audience.without_own_scopes())?;
        (base.settings == *settings && base.window == window).then(|| base.prefix.clone())
    }

    pub(super) fn keep_base(
        &mut self,
        audience: &PrefixAudience,
        settings: WorkspaceSettings,
        window: Option<ContextWindow>,
        prefix: Arc<PromptPrefix>,
    ) {
        self.bases.insert(audience.without_own_scopes(), CachedBase { settings, window, prefix });
    }

    /// Forgets the prefixes that new generations would begin with, because the commands have changed.
    pub(super) fn forget_bases(&mut self) {
        self.bases.clear();
    }

    pub(super) fn insert(&mut self, digest: Digest, prefix: Arc<PromptPrefix>) {
        self.known.insert(digest, prefix);
    }

    /// Adds what a turn built and read.
    pub(super) fn take_over(&mut self, others: PrefixCache) {
        self.known.extend(others.known);
        self.bases.extend(others.bases);
    }

    /// Forgets the prefixes that none of these sessions uses: a workspace whose data changes builds one after the
    /// other, and one whose sessions have different models or commands builds one for each.
    pub(super) fn retain_for_sessions<'a>(&mut self, sessions: impl Iterator<Item = &'a SessionFacts>) {
        let (mut digests, mut audiences) = (HashSet::new(), HashSet::new());
        for facts in sessions {
            digests.extend(facts.prefix.as_ref());
            audiences.insert(PrefixAudience::of_session(facts).without_own_scopes());
        }
        self.known.retain(|digest, _| digests.contains(digest));
        self.bases.retain(|audience, _| audiences.contains(audience));
    }

    /// A prefix that must be in memory: that of an entry which was just committed.
    pub(super) fn in_memory(&self, digest: &Digest) -> Option<Arc<PromptPrefix>> {
        self.known.get(digest).cloned()
    }

    /// Loads the prefix of that hash, which an entry of this session names.
    pub(super) async fn load_prefix(
        &mut self,
        services: &RuntimeServices,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Arc<PromptPrefix>, TurnError> {
        if let Some(prefix) = self.known.get(digest) {
            return Ok(prefix.clone());
        }
        let bytes = services.log.blob(workspace, session, digest).await?;
        let bytes = bytes.ok_or_else(|| TurnError::missing_prefix(digest))?;
        let prefix =
            PromptPrefix::decode(&bytes).map_err(|fault| TurnError::unreadable_prefix(digest, &fault))?;
        let prefix = Arc::new(services.prompt_parts.share_declarations(prefix));
        self.known.insert(digest.clone(), prefix.clone());
        Ok(prefix)
    }
}

/// The model selection of a session.
pub(super) fn voice_of(facts: &SessionFacts) -> ModelSelection {
    ModelSelection { provider: facts.provider.clone(), model: facts.model.clone(), dialect: facts.dialect }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;

    fn facts(model: &str, prefix: &Digest) -> SessionFacts {
        let (id, workspace) = (SessionId::new("ses_1"), WorkspaceKey::new("ann:home"));
        let made = SessionFacts::new(id, workspace, SessionKind::Chat, Timestamp(0));
        SessionFacts { model: model.into(), prefix: Some(prefix.clone()), ..made }
    }

    /// Input: prefixes of a session whose data changed and of one with another model, of which the first is in
    /// memory; expected: its current ones stay, the others are forgotten.
    #[test]
    fn unused_prefixes_are_forgotten() {
        let [before, now, other] = ["before", "now", "other"].map(Digest::new);
        let (here, gone) = (facts("opus", &now), facts("haiku", &other));
        let settings = WorkspaceSettings::default();
        let mut prefixes = PrefixCache::default();
        for digest in [&before, &now, &other] {
            prefixes.insert(digest.clone(), Arc::default());
        }
        for facts in [&here, &gone] {
            prefixes.keep_base(&PrefixAudience::of_session(facts), settings.clone(), None, Arc::default());
        }

        prefixes.retain_for_sessions(std::iter::once(&here));
        let known = [&before, &now, &other].map(|digest| prefixes.in_memory(digest).is_some());
        assert_eq!(known, [false, true, false]);
        let bases = [&here, &gone]
            .map(|facts| prefixes.base(&PrefixAudience::of_session(facts), &settings, None).is_some());
        assert_eq!(bases, [true, false]);
    }
}
