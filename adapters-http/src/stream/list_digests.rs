//! The lists that no log tells of: they are not written by the one commit, so they have no numbers and no cursor. A reader of a
//! workspace is told that one is another than it was; what it is then is read as a list.

use std::collections::BTreeMap;

use entracte_application::ports::{AccessReach, SecretOwner, TokenKind};
use entracte_application::system::sha256;
use entracte_domain::id::Digest;

use crate::authentication::WorkspacePrincipal;
use crate::server_state::ServerState;

/// What stood in each list, by what it is a list of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListDigests(BTreeMap<&'static str, Digest>);

impl ListDigests {
    /// As they stand for a caller, whose own secrets are nobody else’s; none while they cannot be read.
    pub(super) async fn read(house: &ServerState, caller: &WorkspacePrincipal) -> Option<Self> {
        let (ports, workspace) = (&house.ports, caller.workspace());
        let reach = AccessReach::Workspace(workspace.clone());
        let people = ports.access.people(&reach).await.ok()?;
        let tokens = ports.access.tokens(&reach).await.ok()?;
        let targets = ports.outbox.targets(Some(workspace.clone())).await.ok()?;
        let holder = SecretOwner { workspace: workspace.clone(), person: caller.author() };
        let secrets = ports.person_secrets.names(&holder).ok()?;
        // Relays come and go by themselves, and that a token was used is no change of it.
        let tokens = tokens.iter().filter(|(token, _)| token.kind != TokenKind::Relay);
        Some(Self(BTreeMap::from([
            ("person", digest(people.iter().map(|one| format!("{} {}", one.id, one.name)))),
            ("token", digest(tokens.map(|(one, _)| format!("{} {:?}", one.id, one.revoked_at)))),
            ("target", digest(targets.iter().map(|one| format!("{} {}", one.id, one.revision)))),
            ("secret", digest(secrets.into_iter())),
        ])))
    }

    /// What is another one than before, by name.
    pub(super) fn kinds_changed_since(&self, before: &Self) -> Vec<&'static str> {
        let is_new = |(kind, digest): &(&&'static str, &Digest)| before.0.get(**kind) != Some(digest);
        self.0.iter().filter(is_new).map(|(kind, _)| *kind).collect()
    }
}

fn digest(rows: impl Iterator<Item = String>) -> Digest {
    sha256(rows.collect::<Vec<_>>().join("\n").as_bytes())
}
