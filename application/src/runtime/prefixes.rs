//! The frozen prefixes of prompt generations: built from what is in force now, kept once by their hash.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::session::{Dialect, SessionKind};

use super::draft::Draft;
use super::house::House;
use super::workspace::Fault;
use crate::ports::Blob;
use crate::prompt::{Prefix, PromptFacts, level1};
use crate::protocol::envelope::schema_for;
use crate::settings::WorkspaceSettings;

/// The prefixes that this process has built or read.
#[derive(Default)]
pub(super) struct Prefixes {
    known: HashMap<Digest, Arc<Prefix>>,
    reply_schema: Option<Arc<serde_json::Value>>,
    current: HashMap<(SessionKind, Dialect), (WorkspaceSettings, Arc<Prefix>)>,
}

impl Prefixes {
    /// The prefix that a generation beginning now would have; its bytes go into the draft.
    pub(super) fn current(
        &mut self,
        house: &House,
        kind: SessionKind,
        dialect: Dialect,
        settings: &WorkspaceSettings,
        draft: &mut Draft,
    ) -> Digest {
        let built = match self.current.get(&(kind, dialect)) {
            Some((made_for, prefix)) if made_for == settings => prefix.clone(),
            Some(_) | None => self.build(house, kind, dialect, settings, draft),
        };
        let digest = built.digest();
        if !draft.blobs.iter().any(|blob| blob.digest == digest) {
            draft.blobs.push(Blob { digest: digest.clone(), bytes: built.encode() });
        }
        self.known.insert(digest.clone(), built);
        digest
    }

    fn build(
        &mut self,
        house: &House,
        kind: SessionKind,
        dialect: Dialect,
        settings: &WorkspaceSettings,
        draft: &Draft,
    ) -> Arc<Prefix> {
        let catalog = house.catalog.specs();
        let facts = PromptFacts {
            kind,
            dialect,
            rules: house.rules.of(kind),
            catalog: &catalog,
            workspace: draft.workspace.key.as_str(),
            zone: &settings.zone,
        };
        let prefix = Arc::new(Prefix { blocks: vec![level1(&facts).into()] });
        self.current.insert((kind, dialect), (settings.clone(), prefix.clone()));
        prefix
    }

    /// The JSON Schema of a reply with this catalog's commands, for providers that enforce one.
    pub(super) fn reply_schema(&mut self, house: &House) -> Arc<serde_json::Value> {
        self.reply_schema.get_or_insert_with(|| Arc::new(schema_for(&house.catalog.specs()))).clone()
    }

    /// The prefix of that hash.
    pub(super) async fn of(&mut self, house: &House, digest: &Digest) -> Result<Arc<Prefix>, Fault> {
        if let Some(prefix) = self.known.get(digest) {
            return Ok(prefix.clone());
        }
        let damaged = |why: String| Fault::Damaged(format!("blobs, prefix {digest}: {why}"));
        let bytes = house.log.blob(digest).await?.ok_or_else(|| damaged("it is missing".into()))?;
        let prefix = Arc::new(Prefix::decode(&bytes).map_err(|fault| damaged(fault.to_string()))?);
        self.known.insert(digest.clone(), prefix.clone());
        Ok(prefix)
    }
}
