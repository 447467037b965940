use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{UseCaseError, expect_done};
use crate::codec::WorkspaceBody;
use crate::mail::{ChangeSettingsRequest, Mail, MailRequest};
use crate::ports::{LogReader, MailSender, SessionFilter, WorkspaceStore};
use crate::settings::{Language, RuntimeSettings, WorkspaceSettings};
use crate::texts::{LocalizedTexts, saying};

/// A change of one setting: its key and its new value; `None` restores the default.
pub type SettingChange = (String, Option<String>);

use_case! {
    /// Changes settings of a workspace, all or none. Also creates workspaces.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::ChangeSettings(set)) => set.changes.len() == 2,
    ///     _ => false,
    /// });
    /// let change = ChangeSettings::new(Arc::new(mail_sender));
    /// let changes = vec![("language".into(), Some("fr".into())), ("zone".into(), None)];
    /// change.run(&samples::workspace(), "ann".into(), changes).await?;
    /// # Ok(()) });
    /// ```
    pub struct ChangeSettings over (mail_sender: dyn MailSender)
        again "Asked again it sets the same; to make a workspace that is there by then is refused."
}

impl ChangeSettings {
    /// Changes these settings. A missing workspace is created, also by an empty change.
    ///
    /// # Errors
    /// When a key is unknown, a value is invalid, or the request is not accepted. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        changes: Vec<SettingChange>,
    ) -> Result<(), UseCaseError> {
        let request = MailRequest::workspace(ChangeSettingsRequest { author, changes });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }

    /// Creates a workspace with these settings.
    ///
    /// # Errors
    /// When it exists already; otherwise same as [`ChangeSettings::run`].
    pub async fn create_workspace(
        &self,
        store: &dyn WorkspaceStore,
        workspace: &WorkspaceKey,
        author: String,
        changes: Vec<SettingChange>,
    ) -> Result<(), UseCaseError> {
        if store.workspace(workspace).await?.is_some() {
            let texts = texts_of(store, workspace).await?;
            let text = saying!("workspace-exists", workspace = workspace.as_str()).into_refusal_text(texts);
            return Err(UseCaseError::Conflict(text));
        }
        self.run(workspace, author, changes).await
    }
}

/// The stored settings of a workspace; the defaults if it was never committed to.
///
/// # Errors
/// When its row cannot be read.
pub async fn settings_of(
    store: &dyn WorkspaceStore,
    workspace: &WorkspaceKey,
) -> Result<WorkspaceSettings, UseCaseError> {
    Ok(WorkspaceBody::load(store, workspace).await?.settings)
}

/// The stored settings of a workspace; those that it will begin with if it was never committed to.
///
/// # Errors
/// When its row cannot be read.
pub async fn settings_or_first_of(
    store: &dyn WorkspaceStore,
    workspace: &WorkspaceKey,
    runtime: &RuntimeSettings,
) -> Result<WorkspaceSettings, UseCaseError> {
    let stored = stored_settings_of(store, workspace).await?;
    Ok(stored.unwrap_or_else(|| WorkspaceSettings::of_new_workspace(runtime)))
}

/// The texts of a workspace's language.
pub(super) async fn texts_of(
    store: &dyn WorkspaceStore,
    workspace: &WorkspaceKey,
) -> Result<&'static LocalizedTexts, UseCaseError> {
    Ok(LocalizedTexts::for_language(settings_of(store, workspace).await?.language))
}

/// The stored settings of a workspace; `None` if it was never committed to.
///
/// # Errors
/// When its row cannot be read.
pub async fn stored_settings_of(
    store: &dyn WorkspaceStore,
    workspace: &WorkspaceKey,
) -> Result<Option<WorkspaceSettings>, UseCaseError> {
    Ok(WorkspaceBody::find(store, workspace).await?.map(|body| body.settings))
}

/// A workspace with its session counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkspaceView {
    /// Unique key of the workspace.
    pub key: WorkspaceKey,
    /// When it was created.
    pub created_at: Timestamp,
    /// The language of the workspace.
    pub language: Language,
    /// The time zone of the workspace.
    pub zone: String,
    /// The number of all its sessions.
    pub sessions: usize,
    /// The number of sessions that have not ended.
    pub open: usize,
    /// The number of sessions that wait for a person.
    pub waiting: usize,
}

use_case! {
    /// Lists workspaces.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_workspaces().returning(|| Ok(vec![]));
    /// let list = ListWorkspaces::new(Arc::new(store), Arc::new(MockLogReader::new()));
    /// assert_eq!(list.run().await?.len(), 0);
    /// # Ok(()) });
    /// ```
    pub struct ListWorkspaces reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl ListWorkspaces {
    /// Every workspace of the database, by key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self) -> Result<Vec<WorkspaceView>, UseCaseError> {
        let mut views = Vec::new();
        for row in self.store.workspaces().await? {
            let settings = WorkspaceBody::decode(&row.body)?.settings;
            let workspace = Some(row.key.clone());
            let sessions =
                self.log.session_list(&SessionFilter { workspace, ..SessionFilter::default() }).await?;
            let open = |line: &&crate::ports::SessionListRow| line.end_reason.is_none();
            views.push(WorkspaceView {
                created_at: row.created_at,
                language: settings.language,
                zone: settings.zone,
                sessions: sessions.len(),
                open: sessions.iter().filter(open).count(),
                waiting: sessions.iter().filter(|line| line.waiting).count(),
                key: row.key,
            });
        }
        Ok(views)
    }
}
