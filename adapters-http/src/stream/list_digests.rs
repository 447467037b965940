//! Digests of lists that no log covers: they are not part of the one commit, so they have no numbers and no cursor. A
//! workspace stream only reports that a list has changed; the client then reads the list.

use std::collections::BTreeMap;

use entracte_application::ports::{AccessReach, SecretOwner, TokenKind};
use entracte_application::system::sha256;
use entracte_domain::id::Digest;

use crate::authentication::WorkspacePrincipal;
use crate::server_state::ServerState;

/// The digest of each list, by its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListDigests(BTreeMap<&'static str, Digest>);

impl ListDigests {
    /// Reads the lists of a caller, whose own secrets are visible only to them; `None` if they cannot be read.
    pub(super) async fn read(state: &ServerState, caller: &WorkspacePrincipal) -> Option<Self> {
        let (ports, workspace) = (&state.ports, caller.workspace());
        let reach = AccessReach::Workspace(workspace.clone());
        let people = ports.access.people(&reach).await.ok()?;
        let tokens = ports.access.tokens(&reach).await.ok()?;
        let targets = ports.outbox.targets(Some(workspace.clone())).await.ok()?;
        let holder = SecretOwner { workspace: workspace.clone(), person: caller.author() };
        let secrets = ports.person_secrets.names(&holder).ok()?;
        // Relays come and go by themselves, and the use of a token is not a change of it.
        let tokens = tokens.iter().filter(|(token, _)| token.kind != TokenKind::Relay);
        Some(Self(BTreeMap::from([
            ("person", digest(people.iter().map(|one| format!("{} {}", one.id, one.name)))),
            ("token", digest(tokens.map(|(one, _)| format!("{} {:?}", one.id, one.revoked_at)))),
            ("target", digest(targets.iter().map(|one| format!("{} {}", one.id, one.revision)))),
            ("secret", digest(secrets.into_iter())),
        ])))
    }

    /// The kinds of the lists that have changed.
    pub(super) fn kinds_changed_since(&self, before: &Self) -> Vec<&'static str> {
        let is_new = |(kind, digest): &(&&'static str, &Digest)| before.0.get(**kind) != Some(digest);
        self.0.iter().filter(is_new).map(|(kind, _)| *kind).collect()
    }
}

fn digest(rows: impl Iterator<Item = String>) -> Digest {
    sha256(rows.collect::<Vec<_>>().join("\n").as_bytes())
}
