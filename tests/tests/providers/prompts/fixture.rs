//! The real application on a memory store, with providers chosen by the test.

use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::mail::{
    ChangeSessionRequest, ChangeSettingsRequest, Mail, MailAnswer, MailRequest,
};
use entracte_application::ports::{CommandExecutor, FileStore, Provider, ProviderRegistry};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::RuntimeSettings;
use entracte_application::use_cases::{ModelCall, RebuildPrompt, RebuiltPrompt, SendMessage};
use entracte_domain::file::FileReference;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{Dialect, ModelSelection, SessionRules};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};

use super::recording_model::{NamedProviderRegistry, RecordingModel, RecordingModelStep};

pub(crate) struct PromptFixture {
    parts: ServicesFixtureParts,
    pub(crate) model: Arc<RecordingModel>,
    pub(crate) settings: RuntimeSettings,
    pub(crate) files: Arc<dyn FileStore>,
}

impl PromptFixture {
    pub(crate) fn new() -> Self {
        Self::with_memory_store(Arc::new(MemoryStore::new()))
    }

    pub(crate) fn with_memory_store(memory: Arc<MemoryStore>) -> Self {
        let model = Arc::new(RecordingModel::default());
        let files: Arc<dyn FileStore> = memory.clone();
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory,
            keep: Box::new(()),
        };
        let resources = ResourcesExecutor::new(stores.resources.clone());
        let executors: Vec<Arc<dyn CommandExecutor>> =
            vec![Arc::new(RecordingExecutor::default()), Arc::new(resources)];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, model, settings: RuntimeSettings::default(), files }
    }

    /// Sets the executors.
    pub(crate) fn set_executors(&mut self, executors: Vec<Arc<dyn CommandExecutor>>) {
        self.parts.executors = executors;
    }

    /// Changes the rules of every kind of session.
    pub(crate) fn change_rules(&mut self, change: impl Fn(&mut SessionRules)) {
        self.parts.rules.change(|_, rules| change(rules));
    }

    /// A running process with the recording model; dropping it crashes it.
    pub(crate) async fn life(&self) -> RuntimeFixture {
        let model: Arc<dyn Provider> = self.model.clone();
        self.life_with(NamedProviderRegistry::single_provider("fake", model)).await
    }

    /// A running process with these providers.
    pub(crate) async fn life_with(&self, providers: Arc<dyn ProviderRegistry>) -> RuntimeFixture {
        let mut services: RuntimeServices = Arc::into_inner(services(&self.parts)).unwrap();
        services.providers = providers;
        services.settings = self.settings.clone();
        services.files = Some(self.files.clone());
        RuntimeFixture::start_runtime(Arc::new(services)).await
    }

    pub(crate) fn rebuild(&self, providers: Arc<dyn ProviderRegistry>) -> RebuildPrompt {
        let StoreFixture { store, log, .. } = &self.parts.stores;
        RebuildPrompt::new(store.clone(), log.clone(), providers, RuntimeSettings::default())
            .with_files(Some(self.files.clone()))
    }

    /// Rebuilds every model call that a session sent.
    pub(crate) async fn rebuild_all_calls(
        &self,
        session: &SessionId,
        providers: Arc<dyn ProviderRegistry>,
    ) -> Vec<RebuiltPrompt> {
        let rebuild = self.rebuild(providers);
        let calls: Vec<ModelCall> = rebuild.calls(&home(), session).await.unwrap();
        let mut rebuilt = Vec::new();
        for call in calls.iter().filter(|call| call.sent_by == *session) {
            rebuilt.push(rebuild.run(&home(), call.id.as_str()).await.unwrap());
        }
        rebuilt
    }
}

/// Posts a request that must be accepted.
pub(crate) async fn post(life: &RuntimeFixture, request: MailRequest) {
    let mail = Mail::from_request(request);
    let answer = life.mail_sender.post(&life.workspace, mail).await.unwrap();
    assert!(!matches!(answer, MailAnswer::Refused { .. }), "{answer:?}");
}

/// Sends a message with a file, and waits for the answer.
pub(crate) async fn show(life: &RuntimeFixture, session: &SessionId, text: &str, file: &FileReference) {
    let segments = vec![Segment::Text(text.into()), Segment::File(file.clone())];
    let after = life.follow().last_entry_number(&life.workspace, session).await.unwrap();
    let send = SendMessage::new(life.mail_sender.clone());
    send.run(&life.workspace, session, "ann".into(), UserMessage { segments }, None).await.unwrap();
    life.follow().run_until_idle(&life.workspace, session, after).await.unwrap();
}

/// Changes settings of the workspace.
pub(crate) async fn set(life: &RuntimeFixture, changes: &[(&str, &str)]) {
    let change = |(name, value): &(&str, &str)| ((*name).to_owned(), Some((*value).to_owned()));
    let changes = changes.iter().map(change).collect();
    post(life, MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes })).await;
}

/// Switches the session to another model.
pub(crate) async fn change_voice(life: &RuntimeFixture, session: &SessionId, model: &str, dialect: Dialect) {
    let voice = ModelSelection { provider: "fake".into(), model: model.into(), dialect };
    let request = MailRequest::session(
        session.clone(),
        ChangeSessionRequest {
            author: "ann".into(),
            require_validation: None,
            restriction: None,
            voice: Some(voice),
            mode: None,
            name: None,
        },
    );
    post(life, request).await;
}

pub(crate) fn says(text: &str) -> RecordingModelStep {
    RecordingModelStep::Says(serde_json::json!({ "pre_text": text }).to_string())
}

pub(crate) fn asks(list: &str, commands: &[(&str, serde_json::Value)]) -> RecordingModelStep {
    let commands: Vec<serde_json::Value> =
        commands.iter().map(|(word, params)| serde_json::json!({ "type": word, "params": params })).collect();
    RecordingModelStep::Says(serde_json::json!({ "pre_text": "One moment.", list: commands }).to_string())
}

/// The workspace of every process.
pub(crate) fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}
