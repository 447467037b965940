//! The frozen prefixes of prompt generations: built from what is in force now, kept once by their hash.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::automation::RunPolicy;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Rules, SessionFacts, SessionKind, Told, Voice};

use super::data::{self, Section};
use super::draft::Draft;
pub(super) use super::requests::voice_of;
use super::services::Services;
use super::workspace::TurnError;
use crate::commands::{CommandSpec, ResultsExecutor};
use crate::ports::Blob;
use crate::prompt::{Prefix, PromptFacts, PromptStyle, chunks};
use crate::protocol::envelope::schema_for;
use crate::protocol::tools::{declarations, tool_name};
use crate::settings::WorkspaceSettings;

/// What a prefix is built from.
pub(super) struct Ground<'a> {
    pub(super) services: &'a Services,
    pub(super) rules: &'a Rules,
    pub(super) settings: &'a WorkspaceSettings,
    /// The data that is always sent.
    pub(super) sections: &'a [Section],
}

/// Whom a prefix is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Audience {
    pub(super) kind: SessionKind,
    pub(super) voice: Voice,
    pub(super) restriction: Restriction,
    /// What holds in it, where it differs from the workspace.
    pub(super) policy: RunPolicy,
}

impl Audience {
    /// The session itself.
    pub(super) fn of(facts: &SessionFacts) -> Self {
        Self {
            kind: facts.kind,
            voice: voice_of(facts),
            restriction: facts.restriction.clone(),
            policy: facts.policy,
        }
    }
}

/// The prefixes that this process has built or read.
#[derive(Clone, Default)]
pub(super) struct Prefixes {
    known: HashMap<Digest, Arc<Prefix>>,
    /// Without data, by what they were made for.
    bases: HashMap<Audience, (WorkspaceSettings, Arc<Prefix>)>,
}

impl Prefixes {
    /// The prefix that a generation beginning now would have.
    pub(super) fn current(&mut self, ground: &Ground<'_>, audience: &Audience, draft: &Draft) -> Prefix {
        let base = match self.bases.get(audience) {
            Some((made_for, base)) if made_for == ground.settings => base.clone(),
            Some(_) | None => self.build(ground, audience, draft),
        };
        let mut prefix = Prefix::clone(&base);
        prefix.blocks.extend(data::block(ground.sections, ground.settings.language));
        prefix
    }

    /// Keeps a prefix that a generation begins with; its bytes go into the draft.
    pub(super) fn keep(
        &mut self,
        prefix: Prefix,
        sections: &[Section],
        draft: &mut Draft,
    ) -> (Digest, Vec<Told>) {
        let digest = prefix.digest();
        if !draft.blobs.iter().any(|blob| blob.digest == digest) {
            draft.blobs.push(Blob { digest: digest.clone(), bytes: prefix.encode() });
        }
        self.known.insert(digest.clone(), Arc::new(prefix));
        (digest, data::told(sections))
    }

    fn build(&mut self, ground: &Ground<'_>, audience: &Audience, draft: &Draft) -> Arc<Prefix> {
        let Ground { services, rules, settings, .. } = ground;
        let Audience { kind, voice, restriction, policy: _ } = audience;
        let catalog =
            services.catalog.allowed_by(restriction).map(|known| known.spec.clone()).collect::<Vec<_>>();
        let facts = PromptFacts {
            kind: *kind,
            dialect: voice.dialect,
            rules,
            catalog: &catalog,
            workspace: draft.workspace.key.as_str(),
            zone: &settings.zone,
            language: settings.language,
            importance: settings.prompt_importance,
        };
        let (tools, reply_schema) = match voice.dialect {
            Dialect::Envelope => (Vec::new(), Some(Arc::new(schema_for(&catalog)))),
            Dialect::Tools => (declarations(&catalog, *kind, settings.language), None),
        };
        let provider = services.providers.provider(&voice.provider);
        let (block, parts) = Prefix::of_chunks(&chunks(&facts));
        let prefix = Arc::new(Prefix {
            blocks: vec![block],
            parts,
            style: Some(PromptStyle {
                read_on: read_on(&catalog, voice.dialect),
                ..PromptStyle::of(settings, &services.settings)
            }),
            // A provider that cannot be had fails the first call, with a message that names the setting.
            encoding: provider.map(|provider| provider.encoding()).unwrap_or_default(),
            tools: tools.into(),
            reply_schema,
        });
        self.bases.insert(audience.clone(), ((*settings).clone(), prefix.clone()));
        prefix
    }

    /// The prefix without data that was made for them under these settings.
    pub(super) fn base(&self, audience: &Audience, settings: &WorkspaceSettings) -> Option<Arc<Prefix>> {
        let (made_for, base) = self.bases.get(audience)?;
        (made_for == settings).then(|| base.clone())
    }

    pub(super) fn keep_base(&mut self, audience: Audience, settings: WorkspaceSettings, base: Arc<Prefix>) {
        self.bases.insert(audience, (settings, base));
    }

    pub(super) fn insert(&mut self, digest: Digest, prefix: Arc<Prefix>) {
        self.known.insert(digest, prefix);
    }

    /// Takes over what a turn built and read.
    pub(super) fn take_over(&mut self, others: Prefixes) {
        self.known.extend(others.known);
        self.bases.extend(others.bases);
    }

    /// A prefix that is known to be in memory: that of an entry which was just committed.
    pub(super) fn in_memory(&self, digest: &Digest) -> Option<Arc<Prefix>> {
        self.known.get(digest).cloned()
    }

    /// The prefix of that hash, which an entry of this session of this workspace names.
    pub(super) async fn of(
        &mut self,
        services: &Services,
        (workspace, session): (&WorkspaceKey, &SessionId),
        digest: &Digest,
    ) -> Result<Arc<Prefix>, TurnError> {
        if let Some(prefix) = self.known.get(digest) {
            return Ok(prefix.clone());
        }
        let damaged = |why: String| TurnError::Damaged(format!("blobs, prefix {digest}: {why}"));
        let bytes = services.log.blob(workspace, session, digest).await?;
        let bytes = bytes.ok_or_else(|| damaged("it is missing".into()))?;
        let prefix = Arc::new(Prefix::decode(&bytes).map_err(|fault| damaged(fault.to_string()))?);
        self.known.insert(digest.clone(), prefix.clone());
        Ok(prefix)
    }
}

/// What a model calls the command that reads on in a result, when it has it.
fn read_on(commands: &[CommandSpec], dialect: Dialect) -> Option<String> {
    let command = commands.iter().find(|spec| spec.name == ResultsExecutor::NAME)?;
    Some(match dialect {
        Dialect::Envelope => command.word.clone(),
        Dialect::Tools => tool_name(&command.name),
    })
}
