use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

use super::{ReadLog, ShowSession, UseCaseError};
use crate::codec::WorkspaceBody;
use crate::ports::{ContextWindow, LogReader, ProviderRegistry, StoreError, WorkspaceStore};
use crate::prompt::{Projection, PromptPrefix, PromptSize, PromptStyle, generation_prefix};
use crate::rule_book::RuleBook;
use crate::runtime::{ContextBudget, PrefixOverrun, push_entry};
use crate::settings::RuntimeSettings;

/// How full the prompt of a session is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextUsage {
    /// The size of the last request with its answer.
    pub size: PromptSize,
    /// The number of tokens above which the conversation is summarised; `None` if the provider is unavailable.
    pub budget: Option<u64>,
    /// The context window of the model; `None` if the provider is unavailable.
    pub window: Option<ContextWindow>,
    /// The estimated tokens before the conversation in every request.
    pub prefix: u64,
    /// By how much the prefix exceeds its share of the budget, if it does, and its largest part.
    pub overweight: Option<PrefixOverrun>,
}

impl ContextUsage {
    /// The used part of the budget in percent; `None` if the budget is unknown.
    pub fn percent(&self) -> Option<u64> {
        self.size.tokens.saturating_mul(100).checked_div(self.budget?)
    }
}

use_case! {
    /// Measures how full the prompt of a session is. Sends nothing.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// # let store = samples::store();
    /// let log = samples::log("Hello.");
    /// let mut providers = MockProviderRegistry::new();
    /// providers.expect_provider().returning(|_| {
    ///     let mut provider = MockProvider::new();
    ///     provider.expect_window().returning(|_| ContextWindow::GUESS);
    ///     Ok(Arc::new(provider))
    /// });
    /// # let (store, log): (Arc<dyn WorkspaceStore>, Arc<dyn LogReader>) = (Arc::new(store), Arc::new(log));
    /// # let (settings, rules) = (RuntimeSettings::default(), RuleBook::default());
    /// let measure = MeasureContext::new(store, log, Arc::new(providers), settings, rules);
    /// let fullness = measure.run(&samples::workspace(), &samples::session()).await?;
    /// assert_eq!(fullness.window, Some(ContextWindow::GUESS));
    /// assert_eq!(fullness.percent(), Some(0), "one word fills no context");
    /// # Ok(()) });
    /// ```
    pub struct MeasureContext reads (store: dyn WorkspaceStore, log: dyn LogReader, providers: dyn ProviderRegistry) with (
        /// Rules and settings are those of the configuration.
        settings: RuntimeSettings, rules: RuleBook
    )
}

impl MeasureContext {
    /// Measures the current prompt.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<ContextUsage, UseCaseError> {
        let facts = ShowSession::new(self.store.clone()).run(workspace, session).await?.facts;
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        let settings = body.settings.with_process_requirements(&self.settings);
        let mut conversation = Projection::new(&PromptStyle::from_settings(&settings, &self.settings));
        let mut latest = None;
        for entry in ReadLog::new(self.log.clone()).entries(workspace, session, 0).await? {
            let prefix = match generation_prefix(&entry) {
                Some(digest) => Some(self.prefix(workspace, session, digest).await?),
                None => None,
            };
            push_entry(&*self.providers, &mut conversation, &entry, prefix.as_ref());
            latest = prefix.or(latest);
        }
        let rules = self.rules.for_workspace(&settings);
        let provider = self.providers.provider(&facts.provider).ok();
        let window = provider.map(|provider| provider.window(&facts.model));
        let prefix = conversation.prefix_tokens();
        let budget =
            window.map(|window| ContextBudget::from_rules(rules.rules_for_session(&facts), window, prefix));
        let overweight = budget
            .zip(latest.as_ref())
            .and_then(|(budget, latest)| budget.prefix_overrun(latest, conversation.ruler()));
        let budget = budget.map(|budget| budget.tokens);
        Ok(ContextUsage { size: conversation.size(), budget, window, prefix, overweight })
    }

    async fn prefix(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<PromptPrefix, UseCaseError> {
        let damaged = |why: String| {
            UseCaseError::Store(StoreError::Inconsistent(format!("blobs, prefix {digest}: {why}")))
        };
        let bytes = self.log.blob(workspace, session, digest).await?;
        let bytes = bytes.ok_or_else(|| damaged("it is missing".into()))?;
        PromptPrefix::decode(&bytes).map_err(|fault| damaged(fault.to_string()))
    }
}
