//! The simulated workspace: its chats and automations, and their expected state.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::commands::TasksExecutor;
use entracte_application::mail::{ChangeSettingsRequest, EditAutomationRequest, MailAnswer, MailRequest};
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::{FallbackModels, RuntimeSettings};
use entracte_domain::id::{AutomationId, CallId, Digest, MessageId, SessionId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, ModelSelection, Slot};
use entracte_domain::time::{Millis, Timestamp};

use super::notice_log::SessionNoticeLog;
use super::rng::SeededRng;
use super::task_server::{SimulatedTaskExecutor, SimulatedTaskServer, TaskDeliveryLog};
use super::{SimulationReport, agents};
use crate::contracts::StoreFixture;
use crate::fakes::flaky_store::FlakyStore;
use crate::fakes::memory_store::MemoryStore;
use crate::fakes::recording_executor::{ActionConfigVersion, RecordingExecutor};
use crate::runtime_fixture::{FakeModel, FakeModelLine, SequentialIds, ServicesFixtureParts, services};
use crate::virtual_workspace::{ManualClock, VirtualWorkspace};

/// An automation and its expected occurrences.
pub(super) struct ExpectedAutomation {
    pub(super) id: AutomationId,
    pub(super) interval: Millis,
    /// The instant from which its occurrences are counted.
    pub(super) anchor: Timestamp,
    /// The first occurrence of the period that began when it was last switched on.
    pub(super) first: Timestamp,
    pub(super) enabled: bool,
    /// Occurrences of earlier periods, which ended when it was switched off.
    pub(super) closed: BTreeSet<Timestamp>,
}

/// The special kind of a simulation, besides chats and automations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SimulationKind {
    /// None.
    Plain,
    /// A fallback provider takes over when the first one fails.
    FallsBack,
    /// Models call agents and dispatch long tasks.
    Helped,
}

/// The simulated workspace.
pub(super) struct SimulatedWorkspace {
    pub(super) world: VirtualWorkspace,
    pub(super) store: Arc<FlakyStore>,
    pub(super) model: Arc<FakeModel>,
    pub(super) outside: Arc<RecordingExecutor>,
    /// Whether models call agents and dispatch long tasks.
    pub(super) is_helped: bool,
    /// The task server, and the messages it sent.
    pub(super) bureau: Arc<SimulatedTaskServer>,
    pub(super) told: TaskDeliveryLog,
    /// The notices that sessions got about tasks and agents.
    pub(super) journal: SessionNoticeLog,
    /// Faults found during a step.
    pub(super) faults: Vec<String>,
    /// The current configuration of the external action.
    pub(super) configured: ActionConfigVersion,
    /// The content that a person read on the cards of each call, by the digest of the card.
    pub(super) shown: BTreeMap<CallId, Vec<(Digest, String)>>,
    /// The content that a person approved.
    pub(super) approved: BTreeSet<(CallId, String)>,
    pub(super) slots: usize,
    pub(super) chats: Vec<SessionId>,
    pub(super) automations: Vec<ExpectedAutomation>,
    /// Messages that were acknowledged.
    pub(super) kept: Vec<(SessionId, MessageId)>,
    pub(super) deaths: u32,
    /// The process crashes at every start.
    pub(super) doomed: bool,
    pub(super) named: u32,
    /// The slots after the previous step, with the log numbers at which sessions were queued.
    pub(super) before: BTreeMap<SessionId, (Slot, u64)>,
}

/// The second provider follows the first after any failure, and the third follows the second. All of them are the same
/// model.
fn fallbacks() -> FallbackModels {
    let voice = |provider: &str, dialect| ModelSelection {
        provider: provider.into(),
        model: "fake-1".into(),
        dialect,
    };
    let each = FailureClass::ALL.into_iter().flat_map(|class| {
        [
            ("fake".to_owned(), class, voice("second", Dialect::Tools)),
            ("second".to_owned(), class, voice("third", Dialect::Envelope)),
        ]
    });
    FallbackModels::new(each)
}

impl SimulatedWorkspace {
    /// Creates a workspace with one or more slots.
    pub(super) async fn create_workspace(
        chance: &mut SeededRng,
        kind: SimulationKind,
        is_shared: bool,
    ) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let store = Arc::new(FlakyStore::new(memory.clone()));
        let (model, outside) = (Arc::new(FakeModel::default()), Arc::new(RecordingExecutor::default()));
        let clock = Arc::new(ManualClock::default());
        let (bureau, is_helped) = (Arc::new(SimulatedTaskServer::default()), kind == SimulationKind::Helped);
        let mut executors = executors(outside.clone(), &memory);
        let mut rules = RuleBook::default();
        if is_helped {
            executors.extend(helpers(&bureau, &memory));
            narrow(&mut rules, chance);
        }
        let services = Self::services(&memory, &store, &model, executors, rules, &clock);
        let fallbacks =
            if kind == SimulationKind::FallsBack { fallbacks() } else { FallbackModels::default() };
        let settings = RuntimeSettings { fallbacks, ..services.settings.clone() };
        let services = Arc::new(RuntimeServices { settings, ..(*services).clone() });
        let world = match is_shared {
            true => VirtualWorkspace::new_shared(services, clock, memory).await,
            false => VirtualWorkspace::new(services, clock, memory).await,
        };
        let slots = 1 + chance.below(3);
        let mut city = Self {
            world,
            store,
            model,
            outside,
            is_helped,
            bureau,
            told: TaskDeliveryLog::default(),
            journal: SessionNoticeLog::default(),
            faults: Vec::new(),
            configured: ActionConfigVersion::default(),
            shown: BTreeMap::new(),
            approved: BTreeSet::new(),
            slots,
            chats: Vec::new(),
            automations: Vec::new(),
            kept: Vec::new(),
            deaths: 0,
            doomed: false,
            named: 0,
            before: BTreeMap::new(),
        };
        let changes = vec![("slots".to_owned(), Some(slots.to_string()))];
        city.post_request(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes }))
            .await;
        city.choose_four_eyes(chance).await;
        city
    }

    fn services(
        memory: &Arc<MemoryStore>,
        store: &Arc<FlakyStore>,
        model: &Arc<FakeModel>,
        executors: Vec<Arc<dyn CommandExecutor>>,
        rules: RuleBook,
        clock: &Arc<ManualClock>,
    ) -> Arc<RuntimeServices> {
        services(&ServicesFixtureParts {
            stores: StoreFixture {
                store: store.clone(),
                log: memory.clone(),
                resources: memory.clone(),
                mail: memory.clone(),
                automations: memory.clone(),
                tasks: memory.clone(),
                ownership: memory.clone(),
                keep: Box::new(()),
            },
            provider: model.clone(),
            executors,
            rules,
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        })
    }

    /// The executors of a process with the current configuration.
    pub(super) fn executors(&self, outside: Arc<RecordingExecutor>) -> Vec<Arc<dyn CommandExecutor>> {
        let mut executors = executors(outside, &self.world.store);
        if self.is_helped {
            executors.extend(helpers(&self.bureau, &self.world.store));
        }
        executors
    }

    /// Posts a request; if the process crashes, the next step restarts it.
    pub(super) async fn post_request(&mut self, request: MailRequest) -> Option<MailAnswer> {
        let answer = self.world.try_post(request).await;
        if let Some(MailAnswer::Accepted { message: Some(message), session, .. }) = &answer {
            self.kept.push((session.clone(), message.clone()));
        }
        answer
    }

    /// A unique name.
    pub(super) fn name(&mut self, what: &str) -> String {
        self.named += 1;
        format!("{what}{}", self.named)
    }

    /// Restarts a crashed process.
    pub(super) async fn restart_process(&mut self) {
        for attempt in 0.. {
            if self.world.is_up() {
                break;
            }
            if attempt == 10 {
                self.doomed = true;
                break;
            }
            self.deaths += 1;
            self.store.recover();
            self.world.start().await;
        }
    }

    /// Ends the simulation: no more questions are asked, and the model completes its work.
    pub(super) async fn run_to_completion(&mut self) {
        self.store.recover();
        self.restart_process().await;
        for expected in &self.automations {
            let change = entracte_application::mail::AutomationChangeRequest {
                enabled: Some(false),
                ..entracte_application::mail::AutomationChangeRequest::default()
            };
            let request = MailRequest::workspace(EditAutomationRequest {
                author: "ann".into(),
                automation: expected.id.clone(),
                change,
            });
            self.world.post(request).await;
        }
        for expected in &mut self.automations {
            expected.enabled = false;
        }
        for _ in 0..20 {
            let calls = self.world.effects_under_way().len();
            self.model.push_lines((0..calls + 40).map(|_| completed_line()));
            self.world.advance_time(Millis::minutes(10)).await;
        }
    }

    pub(super) async fn build_report(&self) -> SimulationReport {
        let mut hash = DefaultHasher::new();
        let sessions = self.world.sessions().await;
        for row in &sessions {
            (row.id.as_str(), row.sequence, &row.body).hash(&mut hash);
        }
        let mut occurrences = 0;
        for expected in &self.automations {
            let history = self.world.history(&expected.id).await;
            occurrences += history.len();
            format!("{history:?}").hash(&mut hash);
        }
        SimulationReport {
            digest: hash.finish(),
            sessions: sessions.len(),
            occurrences,
            effects: self.outside.recorded_effects().len(),
            deaths: self.deaths,
            tasks: self.tasks().await.len(),
            agents: sessions.iter().filter(|row| row.id.is_agent_session()).count(),
        }
    }
}

/// The commands that dispatch tasks and call agents.
fn helpers(bureau: &Arc<SimulatedTaskServer>, memory: &Arc<MemoryStore>) -> [Arc<dyn CommandExecutor>; 3] {
    let tasks = TasksExecutor::new(memory.clone());
    [Arc::new(SimulatedTaskExecutor(bureau.clone())), Arc::new(tasks), agents::executor()]
}

/// In half of the simulations the limits of a tree are so small that they are reached.
fn narrow(rules: &mut RuleBook, chance: &mut SeededRng) {
    if chance.percent(50) {
        rules.change(|_, rules| {
            (rules.agent_depth, rules.agents_at_once, rules.agents_in_tree) = (2, 2, 4);
        });
    }
}

/// The executors of a process.
fn executors(outside: Arc<RecordingExecutor>, memory: &Arc<MemoryStore>) -> Vec<Arc<dyn CommandExecutor>> {
    vec![outside, Arc::new(ResourcesExecutor::new(memory.clone()))]
}

/// The last reply of a run; a chat need not send it.
pub(super) fn completed_line() -> FakeModelLine {
    FakeModelLine::Says(r#"{"pre_text":"Done.","completed":true}"#.into())
}
