//! What follows a request: on this machine its turn is followed until it rests; a server goes on by itself.

use entracte_application::texts::say;
use entracte_domain::id::SessionId;

use super::turn::SessionContext;
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// What follows a request about a session.
pub(super) struct RequestFollowUp<'a> {
    context: &'a CommandContext,
    api: &'a ApiClient<'a>,
    session: String,
    /// The session on this machine, and the number of its last entry before the request; `None` on a server.
    here: Option<(SessionContext<'a>, u64)>,
}

impl<'a> RequestFollowUp<'a> {
    /// Prepares it, before the request is sent.
    pub(super) async fn begin(
        context: &'a CommandContext,
        api: &'a ApiClient<'a>,
        session: &str,
    ) -> Result<Self, CliError> {
        let here = match api.open_here_runtime().await? {
            None => None,
            Some((services, runtime)) => {
                let (workspace, session) = (api.workspace().clone(), SessionId::new(session));
                let stage = SessionContext { context, services, runtime, workspace, session, stream: false };
                let after = stage.last_sequence().await?;
                Some((stage, after))
            }
        };
        Ok(Self { context, api, session: session.to_owned(), here })
    }

    /// The session on this machine; `None` on a server.
    pub(super) fn here(&self) -> Option<&SessionContext<'a>> {
        self.here.as_ref().map(|(stage, _)| stage)
    }

    /// The result of the request. A refusal ends the command, but must not interrupt the work that this process took up
    /// as the owner.
    pub(super) async fn check<T>(&self, answer: Result<T, CliError>) -> Result<T, CliError> {
        if let (Err(_), Some((stage, _))) = (&answer, &self.here) {
            stage.drain_owned_work().await?;
        }
        answer
    }

    /// Whether the session worked before the request; on a server nobody has to know.
    pub(super) async fn has_pending_work(&self) -> Result<bool, CliError> {
        match &self.here {
            Some((stage, after)) => stage.has_pending_work(*after).await,
            None => Ok(false),
        }
    }

    /// Reports the turn after a stop, which is not an interruption of the command.
    pub(super) async fn follow_halt(&self) -> Result<CliExitCode, CliError> {
        let Some((stage, after)) = &self.here else { return self.follow(true).await };
        let exit = stage.report_halt(*after).await?;
        Ok(if exit == CliExitCode::Interrupted { CliExitCode::Done } else { exit })
    }

    /// Waits until the session rests, if this process runs its work.
    pub(super) async fn follow(&self, no_wait: bool) -> Result<CliExitCode, CliError> {
        if let Some((stage, after)) = &self.here {
            return stage.follow_if_owner(no_wait, *after).await;
        }
        let texts = self.api.texts().await?;
        self.context.out.write_notice(&say!(texts, "server-goes-on", session = self.session.as_str()));
        Ok(CliExitCode::Done)
    }
}
