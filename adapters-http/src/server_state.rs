//! The shared state of all routes: ports, configuration, rate limiters and the shutdown signal.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::CurrentCatalog;
use entracte_application::journal::JournalEntry;
use entracte_application::notifier::Notifier;
use entracte_application::ports::{
    AccessStore, AutomationReader, CallbackVerifier, Clock, ConfigEntryStore, DocumentConverter,
    DryRunSandboxFactory, FileStore, IdGenerator, ImageConverter, KnowledgeStore, LogReader, MailSender,
    NotificationSender, OutboxStore, PersonSecretStore, ProcessOperator, ProviderRegistry, ResourceReader,
    ScheduleCalculator, SecretScrubberFactory, SemanticRetriever, TaskReader, WorkspaceStore,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::semantic::KnowledgeEmbedder;
use entracte_application::settings::{KnowledgeSettings, Language, NotifySettings, RuntimeSettings};
use entracte_application::stream::LiveText;
use entracte_application::texts::{LocalizedTexts, ReaderLanguage, saying};
use entracte_application::use_cases::{TaskCallbackPorts, UseCaseError, settings_or_first_of};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use tokio::sync::watch;

use crate::file_bodies::FileBodies;
use crate::idempotency::InFlightKeys;
use crate::limits::{HttpServerLimits, RateLimiter, network_of_address};
use crate::observability::ServerMetrics;
use crate::origin_guard::ServerOrigins;
use crate::problem::{Problem, ProblemCode};
use crate::stream_registry::StreamRegistry;
use crate::terminal_logins::TerminalLogins;

/// Converts the journal of a session to a rehearsal script.
pub type ScriptRecorder =
    Arc<dyn Fn(&WorkspaceKey, &SessionId, &[JournalEntry]) -> Option<String> + Send + Sync>;

/// Receives the live text of a session while another server has its workspace, until the result is dropped.
pub type SessionRelay = Arc<dyn Fn(&WorkspaceKey, &SessionId) -> Arc<dyn Any + Send + Sync> + Send + Sync>;

/// The ports that the routes use.
#[derive(Clone)]
pub struct ServerPorts {
    /// Sends mail to the owner of the database.
    pub mail_sender: Arc<dyn MailSender>,
    /// The committed state.
    pub store: Arc<dyn WorkspaceStore>,
    /// Reads logs, the ledger and lists.
    pub log: Arc<dyn LogReader>,
    /// Live text of model calls in this process.
    pub live: Arc<LiveText>,
    /// Reads the workspaces' own data.
    pub rows: Arc<dyn ResourceReader>,
    /// Reads automations.
    pub automations: Arc<dyn AutomationReader>,
    /// Stores people and tokens.
    pub access: Arc<dyn AccessStore>,
    /// The secrets of people.
    pub person_secrets: Arc<dyn PersonSecretStore>,
    /// Stores documents and their search index.
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// Stores the files of conversations.
    pub files: Arc<dyn FileStore>,
    /// Converts uploaded documents.
    pub converter: Arc<dyn DocumentConverter>,
    /// Makes the forms of images that models get.
    pub images: Arc<dyn ImageConverter>,
    /// Searches documents by meaning, if enabled.
    pub semantic: Option<Arc<dyn SemanticRetriever>>,
    /// Computes the vectors of new documents, if enabled.
    pub embed: Option<Arc<KnowledgeEmbedder>>,
    /// Administers the process, its database and its configuration.
    pub operator: Arc<dyn ProcessOperator>,
    /// Edits the entries of the configuration file.
    pub config_entries: Arc<dyn ConfigEntryStore>,
    /// Stores targets, notifications and links.
    pub outbox: Arc<dyn OutboxStore>,
    /// Checks whether a target may be reached.
    pub sender: Arc<dyn NotificationSender>,
    /// Sends test notifications.
    pub notifier: Arc<Notifier>,
    /// Sandboxes for dry runs.
    pub dry_stages: Arc<dyn DryRunSandboxFactory>,
    /// Reads long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Verifies the callbacks of long tasks.
    pub callback_proof: Arc<dyn CallbackVerifier>,
    /// Scrubs secrets that no model may read.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Generates ids and secrets.
    pub ids: Arc<dyn IdGenerator>,
    /// Computes the due instants of triggers.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The providers, to rebuild past requests.
    pub providers: Arc<dyn ProviderRegistry>,
    /// The current catalog, including the external servers connected so far.
    pub catalog: Arc<CurrentCatalog>,
    /// Records a session as a rehearsal script; `None` if no model answered in it.
    pub recorder: ScriptRecorder,
    /// Whether this process owns the database now: its runtime has the latest epoch, and holds the lock. One of several
    /// servers: whether it beats.
    pub owns: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Whether other servers commit to the database, too.
    pub is_shared: bool,
    /// Relays what other servers stream; `None` if this one has all workspaces.
    pub relay: Option<SessionRelay>,
    /// Metrics, shared with the runtime.
    pub meters: Arc<ServerMetrics>,
}

/// The public part of a provider's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicProviderEntry {
    /// Name of the entry in the configuration.
    pub name: String,
    /// Kind of the provider.
    pub kind: String,
    /// Default model of new sessions.
    pub model: Option<String>,
    /// Encoding of commands for this provider.
    pub dialect: Dialect,
    /// Base address.
    pub base_url: Option<String>,
    /// Whether new sessions use it by default.
    pub is_default: bool,
    /// Source of the key; never the key.
    pub key: Option<String>,
    /// Whether the key was set when the configuration was read; `None` if that was not looked at, or a program gives the key
    /// at each call.
    pub key_set: Option<bool>,
    /// Where the entry stands, such as a position in a file.
    pub origin: String,
    /// Fallback providers by failure class, in order.
    pub fallback: BTreeMap<String, Vec<String>>,
}

/// The entries of the configuration that clients see. They may be replaced while the server runs.
#[derive(Debug)]
pub struct PublicEntries {
    /// The configured providers, without keys.
    pub providers: PublicEntryList<PublicProviderEntry>,
    /// The agents that sessions may call.
    pub agents: PublicEntryList<AgentDeclaration>,
}

/// Entries of one kind, which may be replaced.
#[derive(Debug)]
pub struct PublicEntryList<T>(RwLock<Arc<[T]>>);

impl<T> PublicEntryList<T> {
    /// The entries at the start of the server.
    pub fn new(entries: Vec<T>) -> Self {
        Self(RwLock::new(entries.into()))
    }

    /// The entries now.
    pub fn get(&self) -> Arc<[T]> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the entries, from the next request on.
    pub fn replace(&self, entries: Vec<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = entries.into();
    }
}

/// Configuration of the server.
#[derive(Clone)]
pub struct HttpServerConfig {
    /// The providers and agents that clients see.
    pub entries: Arc<PublicEntries>,
    /// Limits and policies of new sessions.
    pub rules: RuleBook,
    /// Settings of the runtime.
    pub runtime: RuntimeSettings,
    /// Limits of documents.
    pub knowledge: KnowledgeSettings,
    /// Limits of notifications and their links.
    pub notify: NotifySettings,
    /// Limits of the server.
    pub limits: HttpServerLimits,
    /// Accepted host names and origins of the server.
    pub ours: ServerOrigins,
    /// Prefix of every path: empty, or for example `/entracte`.
    pub base_path: String,
    /// Whether browsers reach the server by https only.
    pub is_secure: bool,
}

/// The shared state of all routes.
pub struct ServerState {
    /// Ports that the routes use.
    pub(crate) ports: ServerPorts,
    /// Configuration of the server.
    pub(crate) terms: HttpServerConfig,
    requests: Mutex<RateLimiter<String>>,
    failed_logins: Mutex<RateLimiter<IpAddr>>,
    callbacks: Mutex<RateLimiter<IpAddr>>,
    started_terminal_logins: Mutex<RateLimiter<IpAddr>>,
    /// Time of the last successful test write to the database.
    written: Mutex<Option<Millis>>,
    ends: watch::Sender<bool>,
    /// Counts changes, made through this server, to lists that no log covers.
    touched: watch::Sender<u64>,
    under_way: Arc<InFlightKeys>,
    /// Queues that serialize the manual actions of one person in one workspace.
    hands: [Arc<tokio::sync::Mutex<()>>; HANDS],
    /// Open logins of terminals.
    pub(crate) terminal_logins: TerminalLogins,
    /// Open streams.
    pub(crate) audience: Arc<StreamRegistry>,
    /// Places of large bodies with files.
    pub(crate) file_bodies: FileBodies,
}

/// Number of queues for manual actions; people who share one wait slightly longer.
const HANDS: usize = 64;

impl ServerState {
    /// The state over these ports and this configuration.
    pub fn new(ports: ServerPorts, terms: HttpServerConfig) -> Self {
        let limits = &terms.limits;
        Self {
            requests: Mutex::new(RateLimiter::new(limits.requests, Millis::minutes(1))),
            failed_logins: Mutex::new(RateLimiter::new(limits.failed_logins, limits.login_window)),
            callbacks: Mutex::new(RateLimiter::new(limits.callbacks, Millis::minutes(1))),
            started_terminal_logins: Mutex::new(RateLimiter::new(limits.failed_logins, limits.login_window)),
            terminal_logins: TerminalLogins::new(limits.terminal_logins, limits.terminal_login_lasts),
            written: Mutex::new(None),
            ends: watch::Sender::new(false),
            touched: watch::Sender::new(0),
            under_way: Arc::default(),
            hands: std::array::from_fn(|_| Arc::default()),
            audience: Arc::default(),
            file_bodies: FileBodies::new(limits),
            ports,
            terms,
        }
    }

    /// The store of people and tokens.
    pub fn access_store(&self) -> Arc<dyn AccessStore> {
        self.ports.access.clone()
    }

    /// The notifier for people outside.
    pub fn notifier(&self) -> Arc<Notifier> {
        self.ports.notifier.clone()
    }

    /// Counts one request of a token.
    pub(crate) fn count_request(&self, token: &str) -> Result<(), Problem> {
        let now = self.ports.clock.monotonic();
        let mut meter = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        meter.count(token.to_owned(), now).map_err(|seconds| {
            let most = self.terms.limits.requests;
            let text = saying!("refusal-token-requests", most = most, seconds = seconds);
            Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
        })
    }

    /// Counts one invalid token or link; returns the problem to answer with.
    pub(crate) fn count_failure(&self, address: IpAddr, problem: Problem) -> Problem {
        let now = self.ports.clock.monotonic();
        let mut meter = self.failed_logins.lock().unwrap_or_else(PoisonError::into_inner);
        match meter.count(network_of_address(address), now) {
            Ok(()) => problem,
            Err(seconds) => {
                let text = saying!("refusal-wrong-tokens", address = address.to_string(), seconds = seconds);
                Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
            }
        }
    }

    /// Counts one login of a terminal that an address begins.
    pub(crate) fn count_terminal_login(&self, address: IpAddr) -> Result<(), Problem> {
        let now = self.ports.clock.monotonic();
        let mut meter = self.started_terminal_logins.lock().unwrap_or_else(PoisonError::into_inner);
        meter.count(network_of_address(address), now).map_err(|seconds| {
            let text = saying!("refusal-terminal-logins", address = address.to_string(), seconds = seconds);
            Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
        })
    }

    /// Counts one callback of an address, before it is verified.
    pub(crate) fn count_callback(&self, address: IpAddr) -> Result<(), Problem> {
        let now = self.ports.clock.monotonic();
        let mut meter = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        meter.count(network_of_address(address), now).map_err(|seconds| {
            let most = self.terms.limits.callbacks;
            let text =
                saying!("refusal-callbacks", address = address.to_string(), most = most, seconds = seconds);
            Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
        })
    }

    /// The ports that receive callbacks.
    pub(crate) fn callback_ports(&self) -> TaskCallbackPorts {
        let ports = &self.ports;
        TaskCallbackPorts {
            tasks: ports.tasks.clone(),
            proof: ports.callback_proof.clone(),
            secrets: ports.secrets.clone(),
            clock: ports.clock.clone(),
            mail_sender: ports.mail_sender.clone(),
        }
    }

    /// The keys of requests in progress.
    pub(crate) fn in_flight_keys(&self) -> &Arc<InFlightKeys> {
        &self.under_way
    }

    /// The queue of this person's manual actions: each waits until the one before is submitted.
    pub(crate) fn manual_action_queue(
        &self,
        workspace: &WorkspaceKey,
        author: &str,
    ) -> Arc<tokio::sync::Mutex<()>> {
        let mut hasher = DefaultHasher::new();
        (workspace, author).hash(&mut hasher);
        let place = usize::try_from(hasher.finish()).unwrap_or_default() % HANDS;
        self.hands.get(place).cloned().unwrap_or_default()
    }

    /// The language of a reader in a workspace: what they ask for, else the workspace's, and that of a new one if it has
    /// no settings yet.
    pub(crate) async fn language_for(
        &self,
        workspace: &WorkspaceKey,
        reader: ReaderLanguage,
    ) -> Result<Language, UseCaseError> {
        if let Some(language) = reader.requested() {
            return Ok(language);
        }
        Ok(settings_or_first_of(&*self.ports.store, workspace, &self.terms.runtime).await?.language)
    }

    /// The texts in that language.
    pub(crate) async fn texts_for(
        &self,
        workspace: &WorkspaceKey,
        reader: ReaderLanguage,
    ) -> Result<&'static LocalizedTexts, UseCaseError> {
        Ok(LocalizedTexts::for_language(self.language_for(workspace, reader).await?))
    }

    /// Checks that the database can be read and written; a test write is made at most once per `fresh`, over all
    /// callers.
    pub(crate) async fn check_database_health(&self, fresh: Millis) -> Result<(), Problem> {
        if self.ports.store.is_stalled() {
            let text = saying!("refusal-commit-stalled");
            return Err(Problem::new(ProblemCode::DatabaseUnavailable, text));
        }
        let now = self.ports.clock.monotonic();
        let age = |at: Millis| Millis(now.0.saturating_sub(at.0));
        let tried = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let ages = [self.ports.meters.last_commit_age(), tried.map(age)];
        if ages.into_iter().flatten().any(|age| age <= fresh) {
            self.ports.store.workspaces().await?;
            return Ok(());
        }
        self.ports.store.check_writable().await?;
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(())
    }

    /// Notifies that people, tokens, targets or own secrets may have changed.
    pub(crate) fn notify_lists_changed(&self) {
        self.touched.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Subscribes to these changes.
    pub(crate) fn subscribe_list_changes(&self) -> watch::Receiver<u64> {
        self.touched.subscribe()
    }

    /// Begins the shutdown: no new work starts.
    pub fn begin_shutdown(&self) {
        self.ends.send_replace(true);
    }

    /// Whether the server is shutting down.
    pub(crate) fn is_shutting_down(&self) -> bool {
        *self.ends.borrow()
    }

    /// Waits until the server is shutting down.
    pub(crate) async fn wait_for_shutdown(&self) {
        let mut ends = self.ends.subscribe();
        if ends.wait_for(|ends| *ends).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
