use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;

use super::{CreateToken, NewToken, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, EmbedRestriction, IdGenerator, OwnerDescription, Ownership,
    RemoteStreamCallback, RemoteStreamClient, RemoteStreamError, RemoteStreamEvent, RemoteStreamLocation,
    StoreError, StoreOutage, TokenKind, TokenScope, TokenScopes, WorkerProcessId, WorkspaceOwnership,
};
use crate::stream::{LiveText, RemoteTextPiece, ReplyChannel};

/// The name of a relay's token in lists.
const NAME: &str = "relay";

/// How often an open relay looks whether its server still has the workspace.
const HOLDER_LOOK: Millis = Millis::seconds(1);

/// The number of this process, if it is one of several servers now.
pub type OwnProcess = Arc<dyn Fn() -> Option<WorkerProcessId> + Send + Sync>;

/// The ports of a relay.
#[derive(Clone)]
pub struct StreamRelayPorts {
    /// Shows the owner of the database, and its address.
    pub ownership: Arc<dyn Ownership>,
    /// Shows the server that has a workspace; `None` if one process owns the database.
    pub rights: Option<Arc<dyn WorkspaceOwnership>>,
    /// Nothing is relayed from this process.
    pub own_process: OwnProcess,
    /// Stores the token of the relay.
    pub access: Arc<dyn AccessStore>,
    /// Streams the live text of the owner.
    pub source: Arc<dyn RemoteStreamClient>,
    /// Receives the text for the readers of this process.
    pub live: Arc<LiveText>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Creates ids and secrets.
    pub ids: Arc<dyn IdGenerator>,
}

use_case! {
    /// Relays the live text of a session into this process if the owner of the database is a server: it is received
    /// from the owner and published here as if it were produced here. So the readers of this process use their own
    /// cursors, and finish with the stored text; a broken relay does not affect them.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut ownership = MockOwnership::new();
    /// ownership.expect_holder().returning(|| Ok(None));
    /// let relay = RelayRemoteStream::new(
    ///     StreamRelayPorts {
    ///         ownership: Arc::new(ownership),
    ///         rights: None,
    ///         own_process: Arc::new(|| None),
    ///         access: Arc::new(MockAccessStore::new()),
    ///         source: Arc::new(MockRemoteStreamClient::new()),
    ///         live: Arc::new(LiveText::default()),
    ///         clock: Arc::new(SystemClock),
    ///         ids: Arc::new(RandomIdGenerator),
    ///     },
    ///     Millis::minutes(5),
    ///     OwnerHostLocation::Same,
    /// );
    /// // There is no owner: no token is created, and no request is made.
    /// assert!(!relay.run(&samples::workspace(), &samples::session(), "ann").await?);
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Dropping it closes the connection. Its token expires by itself; received text stays available.
    pub struct RelayRemoteStream with (
        /// How long its tokens are valid, and the host it runs on.
        ports: StreamRelayPorts, lasts: Millis, machine: OwnerHostLocation
    )
}

/// Where the owner runs, relative to this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerHostLocation {
    /// The owner of the database runs on this machine: the database is a local file, or served on the loopback.
    Same,
    /// The owner may run anywhere; this is the name of this machine, if known.
    Named(Option<String>),
}

impl OwnerHostLocation {
    /// Whether the owner runs on this machine. If unknown it does not: the loopback address would reach another
    /// program.
    fn is_owner_host(&self, host: Option<&str>) -> bool {
        match self {
            Self::Same => true,
            Self::Named(own) => host.is_some_and(|host| Some(host) == own.as_deref()),
        }
    }
}

impl RelayRemoteStream {
    /// Streams a session once, as this person, until the stream ends: at the latest when its token expires, or another of
    /// several servers has the workspace. Returns whether there was an owner to stream from.
    ///
    /// # Errors
    /// When the database cannot be used, or the stream fails.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Result<bool, UseCaseError> {
        let owner = self.owner_of(workspace).await;
        let owner = owner.map_err(|why| UseCaseError::Store(StoreError::Unavailable(says(&why))))?;
        let Some(StreamOwner { description, process }) = owner else { return Ok(false) };
        let Some(at) = stream_location(description, &self.machine, workspace, session) else {
            return Ok(false);
        };
        let token = self.token(workspace, session, person).await?;
        let callback = self.live_text_callback(workspace, session);
        let heard = tokio::select! {
            heard = self.ports.source.stream_session(at, token, callback) => heard,
            () = self.wait_until_moved(workspace, process) => Ok(()),
        };
        heard
            .map(|()| true)
            .map_err(|why: RemoteStreamError| UseCaseError::NotApplicable(why.to_string().into()))
    }

    /// The other process that handles a workspace: the server that has it, or else the owner of the database.
    async fn owner_of(&self, workspace: &WorkspaceKey) -> Result<Option<StreamOwner>, StoreError> {
        let own = (self.ports.own_process)();
        if let Some(rights) = &self.ports.rights {
            if let Some(found) = rights.holder(workspace).await? {
                let owner = StreamOwner { description: found.description.owner, process: Some(found.id) };
                return Ok(Some(owner).filter(|owner| owner.process != own));
            }
            // Beside other servers nobody owns the database.
            if own.is_some() {
                return Ok(None);
            }
        }
        let holder = self.ports.ownership.holder().await?;
        Ok(holder.map(|holder| StreamOwner { description: holder.kind, process: None }))
    }

    /// Returns when a workspace is not with this server any more; never for an owner of the database.
    async fn wait_until_moved(&self, workspace: &WorkspaceKey, process: Option<WorkerProcessId>) {
        let (Some(rights), Some(process)) = (&self.ports.rights, process) else {
            return std::future::pending().await;
        };
        loop {
            self.ports.clock.sleep(HOLDER_LOOK).await;
            match rights.holder(workspace).await {
                Ok(found) if found.as_ref().map(|found| found.id) != Some(process) => return,
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "it cannot be read which server has the workspace"),
            }
        }
    }

    /// Creates a token for this stream only, valid for minutes.
    async fn token(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Result<secrecy::SecretString, UseCaseError> {
        let StreamRelayPorts { access, clock, ids, .. } = &self.ports;
        let create = CreateToken::new(access.clone(), clock.clone(), ids.clone());
        let new = NewToken {
            person: person.to_owned(),
            reach: AccessReach::Workspace(workspace.clone()),
            kind: TokenKind::Relay,
            name: NAME.to_owned(),
            scopes: TokenScopes::new([TokenScope::Read]),
            embedded: Some(EmbedRestriction { session: session.clone(), origins: Vec::new() }),
            expires_at: Some(clock.now().plus(self.lasts)),
            made_by: None,
        };
        Ok(create.run(new).await?.secret)
    }

    fn live_text_callback(&self, workspace: &WorkspaceKey, session: &SessionId) -> RemoteStreamCallback {
        let (live, workspace, session) = (self.ports.live.clone(), workspace.clone(), session.clone());
        Arc::new(move |heard| match heard {
            RemoteStreamEvent::Committed => live.notify_remote_commit(&workspace, &session),
            RemoteStreamEvent::Words { attempt, thinks, offset, text } => {
                let channel = if thinks { ReplyChannel::Reasoning } else { ReplyChannel::Text };
                let piece = RemoteTextPiece { attempt, channel, offset, text: &text };
                live.apply_remote_text(&workspace, &session, piece);
            }
            RemoteStreamEvent::CallsProgressed(calls) => {
                live.apply_remote_progress(&workspace, &session, calls);
            }
            RemoteStreamEvent::Corrected { attempt } => live.record_remote_correction(&workspace, attempt),
        })
    }
}

/// The process that a stream is relayed from.
struct StreamOwner {
    description: OwnerDescription,
    /// Its number, if it is one of several servers.
    process: Option<WorkerProcessId>,
}

/// The address of the owner's stream; `None` if it serves no HTTP.
fn stream_location(
    owner: OwnerDescription,
    machine: &OwnerHostLocation,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Option<RemoteStreamLocation> {
    let is_here = machine.is_owner_host(owner.host.as_deref());
    let url = owner.url?;
    Some(RemoteStreamLocation { url, is_here, workspace: workspace.clone(), session: session.clone() })
}

fn says(why: &impl ToString) -> StoreOutage {
    StoreOutage::from(why.to_string())
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;
    use secrecy::ExposeSecret;

    use super::*;
    use crate::kit::{NOON, session, workspace};
    use crate::ports::{
        MockAccessStore, MockClock, MockIdGenerator, MockOwnership, MockRemoteStreamClient,
        MockWorkspaceOwnership, OwnershipRecord, TokenRow, WorkerProcessDescription, WorkerProcessRecord,
    };
    use crate::stream::AttemptOffset;

    fn holder(host: Option<&str>, url: Option<&str>) -> OwnershipRecord {
        let kind = OwnerDescription {
            kind: "serve".into(),
            host: host.map(str::to_owned),
            url: url.map(str::to_owned),
        };
        OwnershipRecord { epoch: 1, kind, pid: None, since: NOON, wanted_by: None }
    }

    #[test]
    fn loopback_is_contacted_on_same_machine_only() {
        let named = |name: &str| OwnerHostLocation::Named(Some(name.to_owned()));
        let at =
            |holder: OwnershipRecord| stream_location(holder.kind, &named("desk"), &workspace(), &session());
        let url = Some("http://127.0.0.1:8723");
        assert_eq!(at(holder(Some("desk"), url)).map(|at| at.is_here), Some(true));
        assert_eq!(at(holder(Some("other"), url)).map(|at| at.is_here), Some(false));
        assert_eq!(at(holder(None, url)).map(|at| at.is_here), Some(false));
        assert!(OwnerHostLocation::Same.is_owner_host(None), "a database in a file has its owner here");
        assert!(!OwnerHostLocation::Named(None).is_owner_host(None));
        assert_eq!(at(holder(Some("desk"), None)), None, "an owner without an address is not contacted");
    }

    #[tokio::test]
    async fn a_hostile_row_gets_a_token_for_one_stream_and_for_minutes() {
        let (made, kept) = std::sync::mpsc::channel::<TokenRow>();
        let mut access = MockAccessStore::new();
        access.expect_add_person().returning(Ok);
        access.expect_add_token().returning(move |token| {
            made.send(token).unwrap();
            Ok(())
        });
        let mut ownership = MockOwnership::new();
        ownership.expect_holder().returning(|| Ok(Some(holder(None, Some("https://evil.example")))));
        let mut source = MockRemoteStreamClient::new();
        source.expect_stream_session().returning(|at, token, ear| {
            assert_eq!((at.url.as_str(), at.is_here), ("https://evil.example", false));
            assert!(token.expose_secret().starts_with("entr_"));
            ear(RemoteStreamEvent::Words { attempt: 7, thinks: false, offset: 0, text: "At ni".into() });
            Err(RemoteStreamError::Broken("gone".into()))
        });
        let mut clock = MockClock::new();
        clock.expect_now().return_const(NOON);
        let mut ids = MockIdGenerator::new();
        ids.expect_key().returning(|| "k1".into());
        ids.expect_secret().returning(|| "hush".into());
        let live = Arc::new(LiveText::default());
        let ports = StreamRelayPorts {
            ownership: Arc::new(ownership),
            rights: None,
            own_process: Arc::new(|| None),
            access: Arc::new(access),
            source: Arc::new(source),
            live: live.clone(),
            clock: Arc::new(clock),
            ids: Arc::new(ids),
        };
        let relay = RelayRemoteStream::new(ports, Millis::minutes(5), OwnerHostLocation::Named(None));
        let refused = relay.run(&workspace(), &session(), "ann").await;
        assert!(matches!(refused, Err(UseCaseError::NotApplicable(_))), "{refused:?}");
        let token = kept.recv().unwrap();
        assert_eq!((token.kind, token.scopes), (TokenKind::Relay, TokenScopes::new([TokenScope::Read])));
        assert_eq!(token.reach, AccessReach::Workspace(workspace()));
        assert_eq!(token.embedded.map(|embedded| embedded.session), Some(session()));
        assert_eq!(token.expires_at, Some(Timestamp(NOON.0 + 5 * 60 * 1_000_000)));
        // Text received before the connection broke is available to readers.
        let start = AttemptOffset { attempt: 7, text: 0, thoughts: 0 };
        let fresh = live.text_delta(&workspace(), &session(), start).unwrap();
        assert_eq!(fresh.text, "At ni");
    }

    fn server(number: i64) -> WorkerProcessRecord {
        let owner = holder(None, Some("https://other.example")).kind;
        let description = WorkerProcessDescription { owner, ..WorkerProcessDescription::default() };
        WorkerProcessRecord { id: WorkerProcessId(number), description, since: NOON, beats: 1 }
    }

    /// The relay of server 1, beside others with these rights.
    fn relay_of_server(
        rights: MockWorkspaceOwnership,
        source: impl RemoteStreamClient + 'static,
    ) -> RelayRemoteStream {
        let mut access = MockAccessStore::new();
        access.expect_add_person().returning(Ok);
        access.expect_add_token().returning(|_| Ok(()));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(NOON);
        clock.expect_sleep().returning(|_| {});
        let mut ids = MockIdGenerator::new();
        ids.expect_key().returning(|| "k1".into());
        ids.expect_secret().returning(|| "hush".into());
        let ports = StreamRelayPorts {
            ownership: Arc::new(MockOwnership::new()),
            rights: Some(Arc::new(rights)),
            own_process: Arc::new(|| Some(WorkerProcessId(1))),
            access: Arc::new(access),
            source: Arc::new(source),
            live: Arc::new(LiveText::default()),
            clock: Arc::new(clock),
            ids: Arc::new(ids),
        };
        RelayRemoteStream::new(ports, Millis::minutes(5), OwnerHostLocation::Named(None))
    }

    /// Input: a workspace that this server has, and one that no server has; expected: no stream is asked for.
    #[tokio::test]
    async fn own_and_free_workspaces_are_not_relayed() {
        for found in [Some(server(1)), None] {
            let mut rights = MockWorkspaceOwnership::new();
            rights.expect_holder().returning(move |_| Ok(found.clone()));
            let relay = relay_of_server(rights, MockRemoteStreamClient::new());
            assert!(!relay.run(&workspace(), &session(), "ann").await.unwrap());
        }
    }

    /// A stream that says nothing and does not end.
    struct SilentStream;

    #[async_trait::async_trait]
    impl RemoteStreamClient for SilentStream {
        async fn stream_session(
            &self,
            _: RemoteStreamLocation,
            _: secrecy::SecretString,
            _: RemoteStreamCallback,
        ) -> Result<(), RemoteStreamError> {
            std::future::pending().await
        }
    }

    /// Input: a workspace that goes from one server to another while its stream is open; expected: the stream ends.
    #[tokio::test]
    async fn relay_ends_when_the_workspace_moves() {
        let (mut rights, mut looks) = (MockWorkspaceOwnership::new(), 0);
        rights.expect_holder().returning(move |_| {
            looks += 1;
            Ok(Some(server(if looks < 3 { 2 } else { 3 })))
        });
        let relay = relay_of_server(rights, SilentStream);
        assert!(relay.run(&workspace(), &session(), "ann").await.unwrap());
    }
}
