//! Tickets of streams: browsers and other clients that can send no header open a stream with one.

use std::sync::Arc;

use entracte_domain::time::Millis;
use secrecy::{ExposeSecret, SecretString};

use super::tokens::require_validity;
use super::{AuthenticationError, UseCaseError};
use crate::ports::{AccessStore, Clock, IdGenerator, Person, StreamTicketRow, TokenRow};
use crate::system::sha256;

/// A new ticket. Its secret is not stored and cannot be shown again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IssuedStreamTicket {
    /// The stored row.
    pub ticket: StreamTicketRow,
    /// The secret.
    pub secret: SecretString,
}

use_case! {
    /// Issues a ticket that opens the stream of one path as one token.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_domain::time::Millis;
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_add_stream_ticket().returning(|_| Ok(()));
    /// let issue = IssueStreamTicket::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
    /// let issued = issue.run("k1", "/v1/workspaces/ann:home/events", Millis::hours(1)).await?;
    /// assert_eq!(issued.ticket.token, "k1");
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the ticket is created or not, and its secret is lost; it expires by itself.
    pub struct IssueStreamTicket over (access: dyn AccessStore, clock: dyn Clock, ids: dyn IdGenerator)
}

impl IssueStreamTicket {
    /// Issues a ticket of an existing token for `path`, valid for `lasts`.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn run(
        &self,
        token: &str,
        path: &str,
        lasts: Millis,
    ) -> Result<IssuedStreamTicket, UseCaseError> {
        let (secret, now) = (SecretString::from(self.ids.secret()), self.clock.now());
        let ticket = StreamTicketRow {
            hash: sha256(secret.expose_secret().as_bytes()),
            token: token.to_owned(),
            path: path.to_owned(),
            created_at: now,
            expires_at: now.plus(lasts),
        };
        self.access.add_stream_ticket(ticket.clone()).await?;
        Ok(IssuedStreamTicket { ticket, secret })
    }
}

use_case! {
    /// Authenticates the sender of a stream ticket.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_stream_ticket().returning(|_| Ok(None));
    /// let authenticate = AuthenticateStreamTicket::new(Arc::new(access), Arc::new(SystemClock));
    /// let unknown = authenticate.run("guess", "/v1/workspaces/ann:home/events").await;
    /// assert!(matches!(unknown, Err(AuthenticationError::Invalid)));
    /// # Ok(()) });
    /// ```
    pub struct AuthenticateStreamTicket reads (access: dyn AccessStore, clock: dyn Clock)
}

impl AuthenticateStreamTicket {
    /// Authenticates a ticket for the stream of `path`; returns the ticket, its valid token and the person.
    ///
    /// # Errors
    /// Same as the variants of [`AuthenticationError`].
    pub async fn run(
        &self,
        secret: &str,
        path: &str,
    ) -> Result<(StreamTicketRow, TokenRow, Person), AuthenticationError> {
        let now = self.clock.now();
        // A secret cannot be found by timing: what is compared is its hash.
        let found = self.access.stream_ticket(&sha256(secret.as_bytes())).await?;
        let ticket = found.filter(|ticket| ticket.path == path).ok_or(AuthenticationError::Invalid)?;
        if ticket.expires_at <= now {
            return Err(AuthenticationError::Expired);
        }
        let found = self.access.token(&ticket.token).await?;
        let (token, person) = found.ok_or(AuthenticationError::Invalid)?;
        require_validity(&token, now)?;
        Ok((ticket, token, person))
    }
}
