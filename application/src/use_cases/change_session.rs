use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection};

use super::{ShowSession, UseCaseError, expect_accepted};
use crate::mail::{ChangeSessionRequest, Mail, MailRequest};
use crate::ports::{MailSender, WorkspaceStore};

/// A partial update of a session; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionUpdate {
    /// Whether every action needs approval.
    pub require_validation: Option<bool>,
    /// Whether a plan must precede its actions.
    pub mode: Option<PlanMode>,
    /// The commands it may request.
    pub restriction: Option<Restriction>,
    /// The name of the provider in the configuration.
    pub provider: Option<String>,
    /// The model's name at the provider.
    pub model: Option<String>,
    /// How commands are encoded for the model.
    pub dialect: Option<Dialect>,
    /// Display name.
    pub name: Option<String>,
}

use_case! {
    /// Changes the configuration of a session: another model from the next round on, approval for every action.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     let MailRequest::Session(_, SessionRequest::Change(change)) = request else { return false };
    ///     change.voice.as_ref().is_some_and(|voice| voice.model == "large")
    /// });
    /// let change = SessionUpdate { model: Some("large".into()), ..SessionUpdate::default() };
    /// ChangeSession::new(Arc::new(mail_sender), Arc::new(samples::store()))
    ///     .run(&samples::workspace(), &samples::session(), "ann".into(), change)
    ///     .await?;
    /// # Ok(()) });
    /// ```
    pub struct ChangeSession over (mail_sender: dyn MailSender, store: dyn WorkspaceStore)
        again "Asked again it makes the same change."
}

impl ChangeSession {
    /// Applies the update, all or nothing; it is committed when this returns.
    ///
    /// # Errors
    /// When there is no such session or provider, the name is empty or too long, the session has ended or waits for
    /// its model (it may still be renamed in both cases), or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        change: SessionUpdate,
    ) -> Result<(), UseCaseError> {
        let SessionUpdate { require_validation, mode, restriction, provider, model, dialect, name } = change;
        let facts = ShowSession::new(self.store.clone()).run(workspace, session).await?.facts;
        let is_voice = provider.is_some() || model.is_some() || dialect.is_some();
        let voice = is_voice.then(|| ModelSelection {
            provider: provider.unwrap_or(facts.provider),
            model: model.unwrap_or(facts.model),
            dialect: dialect.unwrap_or(facts.dialect),
        });
        let request = MailRequest::session(
            session.clone(),
            ChangeSessionRequest { author, require_validation, mode, restriction, voice, name },
        );
        let mail = Mail::from_request(request);
        expect_accepted(self.mail_sender.post(workspace, mail).await?).map(|_| ())
    }
}
