//! Rebuilds the exact request of any past model call from committed rows.

mod model_calls;
mod prompt_parts;

use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::message::MessageBody;
use entracte_domain::session::{LogAppend, ModelSelection};

use super::read_session::session_not_found;
use super::verify_session::reject_going_session;
use super::{ReadLog, UseCaseError};
use crate::codec::{WorkspaceBody, decode_snapshot};
use crate::journal::JournalEntry;
use crate::ports::{
    ContextWindowSource, FileStore, LogReader, ModelRequest, ProviderFailure, ProviderRegistry, StoreError,
    WorkspaceStore,
};
use crate::prompt::{
    PromptPrefix, PromptReplay, PromptSize, PromptStyle, generation_prefix, read_files, summing_request,
};
use crate::retention::RemovedResult;
use crate::settings::RuntimeSettings;
use crate::system::sha256;

pub use model_calls::ModelCall;
pub use prompt_parts::{CHARS_PER_TOKEN, PromptPart};

use_case! {
    /// Rebuilds requests. Sends nothing and writes nothing.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::runtime::StaticProviderRegistry;
    /// # example(async {
    /// let rebuild = RebuildPrompt::new(
    ///     Arc::new(MockWorkspaceStore::new()),
    ///     Arc::new(samples::log("Hello.")),
    ///     Arc::new(StaticProviderRegistry::default()),
    ///     RuntimeSettings::default(),
    /// );
    /// // A message was sent, and no model was called yet.
    /// assert_eq!(rebuild.calls(&samples::workspace(), &samples::session()).await?, []);
    /// # Ok(()) });
    /// ```
    pub struct RebuildPrompt reads (
        store: dyn WorkspaceStore, log: dyn LogReader, providers: dyn ProviderRegistry
    ) with (settings: RuntimeSettings) and (
        /// The files of conversations; without them, an image is not part of a rebuilt body.
        files: Option<Arc<dyn FileStore>> = None
    )
}

/// A past request.
#[derive(Clone, Debug, PartialEq)]
pub struct RebuiltPrompt {
    /// The model call.
    pub call: ModelCall,
    /// The requested model.
    pub voice: ModelSelection,
    /// The provider-neutral request.
    pub request: ModelRequest,
    /// The body the provider encodes from it, or why it cannot.
    pub body: Result<Vec<u8>, ProviderFailure>,
    /// The parts of the request.
    pub parts: Vec<PromptPart>,
    /// Its size: the provider's last count before it, and the tokens added since.
    pub size: PromptSize,
    /// The context window of the model in tokens; `None` if unknown.
    pub context_tokens: Option<u64>,
    /// The number of results before it that went by the retention policy: in their place stands that they did.
    pub removed_results: u64,
}

/// The comparison of the rebuilt body's hash with the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestDigestCheck {
    /// Both hashes are equal.
    Match(Digest),
    /// The attempt got no reply, so no hash was recorded.
    NotRecorded {
        /// The hash of the rebuilt bytes.
        rebuilt: Digest,
    },
    /// The hashes differ, and results went by the retention policy since.
    ResultsRemoved {
        /// The hash of the rebuilt bytes.
        rebuilt: Digest,
    },
    /// The hashes differ: these are not the bytes that were sent.
    Differ {
        /// The hash of the rebuilt bytes.
        rebuilt: Digest,
        /// The hash of the sent bytes.
        recorded: Digest,
    },
}

impl RebuiltPrompt {
    /// Compares the rebuilt bytes with the sent ones; `None` if the body could not be rebuilt.
    pub fn digests(&self) -> Option<RequestDigestCheck> {
        let rebuilt = sha256(self.body.as_ref().ok()?);
        Some(match &self.call.recorded {
            Some(recorded) if *recorded == rebuilt => RequestDigestCheck::Match(rebuilt),
            Some(_) if self.removed_results > 0 => RequestDigestCheck::ResultsRemoved { rebuilt },
            Some(recorded) => RequestDigestCheck::Differ { rebuilt, recorded: recorded.clone() },
            None => RequestDigestCheck::NotRecorded { rebuilt },
        })
    }

    /// The estimated tokens of all parts.
    pub fn tokens(&self) -> u64 {
        self.parts.iter().map(|part| part.tokens()).sum()
    }
}

impl RebuildPrompt {
    /// Reads the files of conversations here.
    #[must_use]
    pub fn with_files(self, files: Option<Arc<dyn FileStore>>) -> Self {
        Self { files, ..self }
    }

    /// The model calls of a session, in order.
    ///
    /// # Errors
    /// When its log cannot be read.
    pub async fn calls(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<ModelCall>, UseCaseError> {
        Ok(model_calls::attempts(session, &self.entries(workspace, session).await?))
    }

    /// The model call of the workspace with this full id (`mc_…`) or unique prefix.
    ///
    /// # Errors
    /// When there is no such call or more than one, when no request was stored with a summary, when its session is going
    /// by the retention policy and the first part of its log is gone, or when rows cannot be read.
    pub async fn find(&self, workspace: &WorkspaceKey, named: &str) -> Result<ModelCall, UseCaseError> {
        Ok(model_calls::find(self, workspace, named).await?.0)
    }

    /// The request of a model call of the workspace, given by its full id (`mc_…`) or a unique prefix.
    ///
    /// # Errors
    /// When there is no such call or more than one, when no request was stored with a summary, when its session is going
    /// by the retention policy and the first part of its log is gone, or when rows cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey, named: &str) -> Result<RebuiltPrompt, UseCaseError> {
        let (call, entries) = model_calls::find(self, workspace, named).await?;
        let mut retrace = PromptReplay::new(&self.style(workspace, &call.session).await?);
        let mut removed_results = 0;
        for entry in entries.iter().take_while(|entry| entry.sequence <= call.sequence) {
            let prefix = match generation_prefix(entry) {
                Some(digest) => Some(self.prefix(workspace, &call.session, digest).await?),
                None => None,
            };
            removed_results += count_removed_results(entry);
            retrace.push(entry, prefix);
        }
        let nothing = || damaged(format!("log of {}: there is no prefix before {}", call.session, call.id));
        let own = retrace.request(call.sent_by.clone()).ok_or_else(nothing)?;
        let request = match &call.asked {
            Some(asked) => summing_request(own, asked, retrace.language()),
            None => own,
        };
        let request = read_files(self.files.as_deref(), workspace, request).await?;
        let prefix = retrace.prefix().ok_or_else(nothing)?;
        let voice = retrace.voice().clone();
        let provider = self.providers.provider(&voice.provider);
        let window = provider.as_ref().ok().map(|provider| provider.window(&voice.model));
        let told = window.filter(|window| window.told != ContextWindowSource::Guess);
        let context_tokens = told.map(|window| window.tokens);
        Ok(RebuiltPrompt {
            parts: prompt_parts::parts(prefix, &request),
            body: provider.and_then(|provider| provider.body(&request)),
            call,
            voice,
            request,
            size: retrace.conversation().size(),
            context_tokens,
            removed_results,
        })
    }

    pub(super) async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        ReadLog::new(self.log.clone()).entries(workspace, session, 0).await
    }

    /// Refuses a session with these entries if it is going by the retention policy.
    async fn reject_going(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        entries: &[JournalEntry],
    ) -> Result<(), UseCaseError> {
        match self.store.session(workspace, session).await? {
            Some(row) => reject_going_session(&decode_snapshot(&row.body)?, entries.first()),
            None => Ok(()),
        }
    }

    async fn prefix(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Arc<PromptPrefix>, UseCaseError> {
        let Some(bytes) = self.log.blob(workspace, session, digest).await? else {
            return Err(damaged(format!("blobs: the prefix {digest} is missing")));
        };
        let prefix = PromptPrefix::decode(&bytes);
        Ok(Arc::new(prefix.map_err(|fault| damaged(format!("blobs, prefix {digest}: {fault}")))?))
    }

    /// The style of a conversation whose prefix does not record it: the current style of the workspace.
    async fn style(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<PromptStyle, UseCaseError> {
        if self.store.session(workspace, session).await?.is_none() {
            return Err(session_not_found(session));
        }
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        Ok(PromptStyle::from_settings(
            &body.settings.with_process_requirements(&self.settings),
            &self.settings,
        ))
    }
}

/// The number of results that a model reads in this entry, and that went by the retention policy.
fn count_removed_results(entry: &JournalEntry) -> u64 {
    let contents = entry.appended.iter().flat_map(|appended| {
        let LogAppend::Message(message) = appended else { return Vec::new() };
        let MessageBody::System(message) = &message.body else { return Vec::new() };
        let results = message.results.iter().map(|result| &result.content);
        results.chain(message.data_without_results()).collect()
    });
    contents.filter(|content| RemovedResult::parse(&content.to_plain_text()).is_some()).count() as u64
}

fn damaged(what: String) -> UseCaseError {
    UseCaseError::Store(StoreError::Inconsistent(what))
}
