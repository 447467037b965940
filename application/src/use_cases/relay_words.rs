use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;

use super::{CreateToken, NewToken, UseCaseError};
use crate::ports::{
    AccessStore, Clock, Ear, Embedded, Holder, IdGenerator, NotHeard, Outage, Overheard, Ownership, Reach,
    Scope, Scopes, SpokenAt, StoreError, TokenKind, WordSource,
};
use crate::stream::{Channel, LiveText};

/// What the token of a relay is called.
const NAME: &str = "relay";

/// What a relay works with.
#[derive(Clone)]
pub struct RelayPorts {
    /// Who owns the database, and where it answers.
    pub ownership: Arc<dyn Ownership>,
    /// Keeps the token.
    pub access: Arc<dyn AccessStore>,
    /// Hears what is spoken there.
    pub source: Arc<dyn WordSource>,
    /// Where the words are kept for the readers of this process.
    pub live: Arc<LiveText>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and secrets.
    pub ids: Arc<dyn IdGenerator>,
}

use_case! {
    /// Brings the words of a session to the process that shows it, where the owner of the database is a server: they are heard
    /// there, and kept here as if they were spoken here. So the readers of this process tell them from their own cursors, and end
    /// them with what is stored; a relay that breaks takes nothing from them.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut ownership = MockOwnership::new();
    /// ownership.expect_holder().returning(|| Ok(None));
    /// let relay = RelayWords::new(
    ///     RelayPorts {
    ///         ownership: Arc::new(ownership),
    ///         access: Arc::new(MockAccessStore::new()),
    ///         source: Arc::new(MockWordSource::new()),
    ///         live: Arc::new(LiveText::default()),
    ///         clock: Arc::new(SystemClock),
    ///         ids: Arc::new(RandomIds),
    ///     },
    ///     Millis::minutes(5),
    ///     Machine::Same,
    /// );
    /// // Nobody speaks: no token is made, and nobody is asked.
    /// assert!(!relay.run(&samples::workspace(), &samples::session(), "ann").await?);
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// To drop it closes the connection. A token that was made for it ends by itself; what was heard stays heard.
    pub struct RelayWords with (
        /// Its tokens count for so long, and it runs on this machine.
        ports: RelayPorts, lasts: Millis, machine: Machine
    )
}

/// What is known of where this process and the owner run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Whoever owns the database runs on this machine: the database is in a file of it, or served on its loopback.
    Same,
    /// The owner may run anywhere; this machine has that name, where it is known.
    Named(Option<String>),
}

impl Machine {
    /// Whether the owner runs on it. Where nobody knows, it does not: the loopback of this machine would be somebody else’s.
    fn has(&self, host: Option<&str>) -> bool {
        match self {
            Self::Same => true,
            Self::Named(own) => host.is_some_and(|host| Some(host) == own.as_deref()),
        }
    }
}

impl RelayWords {
    /// Hears a session once, as this person, until the stream ends: at the latest when its token does. Gives whether there was
    /// anybody to be heard.
    ///
    /// # Errors
    /// When the database cannot be used, or the server cannot be heard.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Result<bool, UseCaseError> {
        let holder = self.ports.ownership.holder().await;
        let holder = holder.map_err(|why| UseCaseError::Store(StoreError::Unavailable(says(&why))))?;
        let Some(at) = holder.and_then(|holder| spoken_at(holder, &self.machine, workspace, session)) else {
            return Ok(false);
        };
        let token = self.token(workspace, session, person).await?;
        let heard = self.ports.source.hear(at, token, self.ear(workspace, session)).await;
        heard.map(|()| true).map_err(|why: NotHeard| UseCaseError::NotApplicable(why.to_string().into()))
    }

    /// A token for this stream alone, and for minutes.
    async fn token(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Result<secrecy::SecretString, UseCaseError> {
        let RelayPorts { access, clock, ids, .. } = &self.ports;
        let create = CreateToken::new(access.clone(), clock.clone(), ids.clone());
        let new = NewToken {
            person: person.to_owned(),
            reach: Reach::Workspace(workspace.clone()),
            kind: TokenKind::Relay,
            name: NAME.to_owned(),
            scopes: Scopes::new([Scope::Read]),
            embedded: Some(Embedded { session: session.clone(), origins: Vec::new() }),
            expires_at: Some(clock.now().plus(self.lasts)),
            made_by: None,
        };
        Ok(create.run(new).await?.secret)
    }

    fn ear(&self, workspace: &WorkspaceKey, session: &SessionId) -> Ear {
        let (live, workspace, session) = (self.ports.live.clone(), workspace.clone(), session.clone());
        Arc::new(move |heard| match heard {
            Overheard::Committed => live.rows_elsewhere(&workspace, &session),
            Overheard::Words { attempt, thinks, offset, text } => {
                let channel = if thinks { Channel::Reasoning } else { Channel::Text };
                live.said_elsewhere(&workspace, &session, attempt, (channel, offset), &text);
            }
            Overheard::Corrected { attempt } => live.corrected_elsewhere(&workspace, attempt),
        })
    }
}

/// Where the owner speaks; nowhere where it answers nobody.
fn spoken_at(
    holder: Holder,
    machine: &Machine,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Option<SpokenAt> {
    let is_here = machine.has(holder.kind.host.as_deref());
    let url = holder.kind.url?;
    Some(SpokenAt { url, is_here, workspace: workspace.clone(), session: session.clone() })
}

fn says(why: &impl ToString) -> Outage {
    Outage::from(why.to_string())
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;
    use secrecy::ExposeSecret;

    use super::*;
    use crate::kit::{NOON, session, workspace};
    use crate::ports::{
        MockAccessStore, MockClock, MockIdGenerator, MockOwnership, MockWordSource, OwnerKind, TokenRow,
    };

    fn holder(host: Option<&str>, url: Option<&str>) -> Holder {
        let kind =
            OwnerKind { kind: "serve".into(), host: host.map(str::to_owned), url: url.map(str::to_owned) };
        Holder { epoch: 1, kind, pid: None, since: NOON, wanted_by: None }
    }

    #[test]
    fn the_loopback_is_asked_on_the_same_machine_only() {
        let named = |name: &str| Machine::Named(Some(name.to_owned()));
        let at = |holder| spoken_at(holder, &named("desk"), &workspace(), &session());
        let url = Some("http://127.0.0.1:8723");
        assert_eq!(at(holder(Some("desk"), url)).map(|at| at.is_here), Some(true));
        assert_eq!(at(holder(Some("other"), url)).map(|at| at.is_here), Some(false));
        assert_eq!(at(holder(None, url)).map(|at| at.is_here), Some(false));
        assert!(Machine::Same.has(None), "a database in a file has its owner here");
        assert!(!Machine::Named(None).has(None));
        assert_eq!(at(holder(Some("desk"), None)), None, "who answers nobody is not asked");
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
        let mut source = MockWordSource::new();
        source.expect_hear().returning(|at, token, ear| {
            assert_eq!((at.url.as_str(), at.is_here), ("https://evil.example", false));
            assert!(token.expose_secret().starts_with("entr_"));
            ear(Overheard::Words { attempt: 7, thinks: false, offset: 0, text: "At ni".into() });
            Err(NotHeard::Broken("gone".into()))
        });
        let mut clock = MockClock::new();
        clock.expect_now().return_const(NOON);
        let mut ids = MockIdGenerator::new();
        ids.expect_key().returning(|| "k1".into());
        ids.expect_secret().returning(|| "hush".into());
        let live = Arc::new(LiveText::default());
        let ports = RelayPorts {
            ownership: Arc::new(ownership),
            access: Arc::new(access),
            source: Arc::new(source),
            live: live.clone(),
            clock: Arc::new(clock),
            ids: Arc::new(ids),
        };
        let relay = RelayWords::new(ports, Millis::minutes(5), Machine::Named(None));
        let refused = relay.run(&workspace(), &session(), "ann").await;
        assert!(matches!(refused, Err(UseCaseError::NotApplicable(_))), "{refused:?}");
        let token = kept.recv().unwrap();
        assert_eq!((token.kind, token.scopes), (TokenKind::Relay, Scopes::new([Scope::Read])));
        assert_eq!(token.reach, Reach::Workspace(workspace()));
        assert_eq!(token.embedded.map(|embedded| embedded.session), Some(session()));
        assert_eq!(token.expires_at, Some(Timestamp(NOON.0 + 5 * 60 * 1_000_000)));
        // What was heard before it broke is there for the readers.
        let fresh = live.fresh(&workspace(), &session(), 7, (0, 0)).unwrap();
        assert_eq!(fresh.text, "At ni");
    }
}
