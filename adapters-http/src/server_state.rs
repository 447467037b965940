//! What every route works with: the ports, the limits, and what is remembered of who knocks.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::Catalog;
use entracte_application::journal::JournalEntry;
use entracte_application::notifier::Notifier;
use entracte_application::ports::{
    AccessStore, AutomationReader, CallbackVerifier, Clock, DocumentConverter, DryRunSandboxFactory,
    IdGenerator, KnowledgeStore, LogReader, MailSender, NotificationSender, OutboxStore, PersonSecretStore,
    ProcessOperator, ProviderRegistry, ResourceReader, ScheduleCalculator, SecretScrubberFactory,
    SemanticRetriever, TaskReader, WorkspaceStore,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::semantic::KnowledgeEmbedder;
use entracte_application::settings::{KnowledgeSettings, NotifySettings, RuntimeSettings};
use entracte_application::stream::LiveText;
use entracte_application::system::sha256;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{TaskCallbackPorts, settings_of};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use secrecy::SecretString;
use tokio::sync::watch;

use crate::idempotency::InFlightKeys;
use crate::limits::{HttpServerLimits, RateLimiter, network_of_address};
use crate::observability::ServerMetrics;
use crate::origin_guard::ServerOrigins;
use crate::problem::{Problem, ProblemCode};
use crate::stream_registry::StreamRegistry;

/// Writes the entries of a session as a script.
pub type ScriptRecorder =
    Arc<dyn Fn(&WorkspaceKey, &SessionId, &[JournalEntry]) -> Option<String> + Send + Sync>;

/// The ports that the routes reach.
#[derive(Clone)]
pub struct ServerPorts {
    /// The way in.
    pub mail_sender: Arc<dyn MailSender>,
    /// What was committed.
    pub store: Arc<dyn WorkspaceStore>,
    /// Logs, ledger, lists.
    pub log: Arc<dyn LogReader>,
    /// The words of what runs in this process.
    pub live: Arc<LiveText>,
    /// The workspaces' own data.
    pub rows: Arc<dyn ResourceReader>,
    /// Automations.
    pub automations: Arc<dyn AutomationReader>,
    /// People and tokens.
    pub access: Arc<dyn AccessStore>,
    /// The secrets that people bring.
    pub person_secrets: Arc<dyn PersonSecretStore>,
    /// The documents.
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// Reads the documents that come in.
    pub converter: Arc<dyn DocumentConverter>,
    /// Searches documents by meaning, where that is on.
    pub semantic: Option<Arc<dyn SemanticRetriever>>,
    /// Makes the vectors of documents that come in, where that is on.
    pub embed: Option<Arc<KnowledgeEmbedder>>,
    /// Looks after the process, its database and its configuration.
    pub operator: Arc<dyn ProcessOperator>,
    /// Targets, notifications, links.
    pub outbox: Arc<dyn OutboxStore>,
    /// Says whether a target may be reached.
    pub sender: Arc<dyn NotificationSender>,
    /// Tries targets.
    pub notifier: Arc<Notifier>,
    /// Where dry runs are played.
    pub dry_stages: Arc<dyn DryRunSandboxFactory>,
    /// Long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Proves who tells of them.
    pub callback_proof: Arc<dyn CallbackVerifier>,
    /// The secrets that no model must read.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and secrets.
    pub ids: Arc<dyn IdGenerator>,
    /// When triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The providers, to write past requests again.
    pub providers: Arc<dyn ProviderRegistry>,
    /// The commands, as far as their servers were met.
    pub catalog: Arc<dyn Fn() -> Arc<Catalog> + Send + Sync>,
    /// Writes what a model said in a session as a script; none where it said nothing.
    pub recorder: ScriptRecorder,
    /// Whether this process owns the database now: its runtime works under the latest epoch, and holds the lock.
    pub owns: Arc<dyn Fn() -> bool + Send + Sync>,
    /// What is counted; the runtime is given the same ones.
    pub meters: Arc<ServerMetrics>,
}

/// A provider, as far as everybody may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicProviderEntry {
    /// Its name in the configuration.
    pub name: String,
    /// Which API it speaks.
    pub kind: String,
    /// The model of new sessions.
    pub model: Option<String>,
    /// How commands are encoded for it.
    pub dialect: Dialect,
    /// Where it is.
    pub base_url: Option<String>,
    /// New sessions use it when they name none.
    pub is_default: bool,
    /// Where its key is kept; never the key.
    pub key: Option<String>,
    /// Who goes on where it fails, by what went wrong: the names of providers in the order of asking.
    pub fallback: BTreeMap<String, Vec<String>>,
}

/// What the configuration says.
#[derive(Clone)]
pub struct HttpServerConfig {
    /// The providers.
    pub providers: Vec<PublicProviderEntry>,
    /// The agents that sessions may call.
    pub agents: Vec<AgentDeclaration>,
    /// Limits and policies of sessions.
    pub rules: RuleBook,
    /// The runtime's own settings.
    pub runtime: RuntimeSettings,
    /// Limits of documents.
    pub knowledge: KnowledgeSettings,
    /// Limits of notifications and their links.
    pub notify: NotifySettings,
    /// Limits of the server.
    pub limits: HttpServerLimits,
    /// What the server is called.
    pub ours: ServerOrigins,
    /// What every path begins with: empty, or `/entracte`.
    pub base_path: String,
    /// Browsers reach it by https only.
    pub is_secure: bool,
}

/// What every route works with.
pub struct ServerState {
    /// The ports.
    pub(crate) ports: ServerPorts,
    /// The configuration.
    pub(crate) terms: HttpServerConfig,
    requests: Mutex<RateLimiter<String>>,
    failed_logins: Mutex<RateLimiter<IpAddr>>,
    callbacks: Mutex<RateLimiter<IpAddr>>,
    tickets: Mutex<Vec<StreamTicket>>,
    /// When it was found last that the database can be written.
    written: Mutex<Option<Millis>>,
    ends: watch::Sender<bool>,
    /// Counts what was done through this server to lists that no log tells of.
    touched: watch::Sender<u64>,
    under_way: Arc<InFlightKeys>,
    /// What one person asks for by hand in one workspace is taken in one after the other.
    hands: [Arc<tokio::sync::Mutex<()>>; HANDS],
    /// Who reads streams, and who is present.
    pub(crate) audience: Arc<StreamRegistry>,
}

/// Tickets of a token that may wait to be used.
const TICKETS_MAX: usize = 32;

/// Queues of what people ask for by hand; who shares one waits a moment longer.
const HANDS: usize = 64;

/// A ticket that nobody used yet: it opens one stream, once, as the token it was asked for with.
struct StreamTicket {
    hash: Digest,
    token: String,
    path: String,
    expires_at: Millis,
}

impl ServerState {
    /// Over these ports.
    pub fn new(ports: ServerPorts, terms: HttpServerConfig) -> Self {
        let limits = &terms.limits;
        Self {
            requests: Mutex::new(RateLimiter::new(limits.requests, Millis::minutes(1))),
            failed_logins: Mutex::new(RateLimiter::new(limits.failed_logins, limits.login_window)),
            callbacks: Mutex::new(RateLimiter::new(limits.callbacks, Millis::minutes(1))),
            tickets: Mutex::new(Vec::new()),
            written: Mutex::new(None),
            ends: watch::Sender::new(false),
            touched: watch::Sender::new(0),
            under_way: Arc::default(),
            hands: std::array::from_fn(|_| Arc::default()),
            audience: Arc::default(),
            ports,
            terms,
        }
    }

    /// The people and tokens that it asks.
    pub fn access_store(&self) -> Arc<dyn AccessStore> {
        self.ports.access.clone()
    }

    /// Tells people outside.
    pub fn notifier(&self) -> Arc<Notifier> {
        self.ports.notifier.clone()
    }

    /// A secret that opens the stream of this path once, as this token, for whoever cannot send one. The oldest ticket of
    /// a token makes room.
    pub(crate) fn issue_ticket(&self, token: &str, path: &str) -> SecretString {
        let (secret, now) = (self.ports.ids.secret(), self.ports.clock.monotonic());
        let expires_at = Millis(now.0.saturating_add(self.terms.limits.ticket_lasts.0));
        let ticket = StreamTicket {
            hash: sha256(secret.as_bytes()),
            token: token.to_owned(),
            path: path.to_owned(),
            expires_at,
        };
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|ticket| now < ticket.expires_at);
        let own = tickets.iter().filter(|ticket| ticket.token == token).count();
        if own >= TICKETS_MAX
            && let Some(oldest) = tickets.iter().position(|ticket| ticket.token == token)
        {
            tickets.remove(oldest);
        }
        tickets.push(ticket);
        SecretString::from(secret)
    }

    /// Uses a ticket up, also one that is shown elsewhere than where it counts; gives the token that it stands for.
    pub(crate) fn redeem_ticket(&self, secret: &str, path: &str) -> Option<String> {
        let (hash, now) = (sha256(secret.as_bytes()), self.ports.clock.monotonic());
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|ticket| now < ticket.expires_at);
        let found = tickets.iter().position(|ticket| ticket.hash == hash)?;
        let ticket = tickets.swap_remove(found);
        (ticket.path == path).then_some(ticket.token)
    }

    /// Counts one request of a token.
    pub(crate) fn count_request(&self, token: &str) -> Result<(), Problem> {
        let now = self.ports.clock.monotonic();
        let mut meter = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        meter.count(token.to_owned(), now).map_err(|seconds| {
            let most = self.terms.limits.requests;
            let text =
                format!("this token made more than {most} requests in a minute; try again in {seconds} s");
            Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
        })
    }

    /// Counts one wrong token or link; gives what to answer.
    pub(crate) fn count_failure(&self, address: IpAddr, problem: Problem) -> Problem {
        let now = self.ports.clock.monotonic();
        let mut meter = self.failed_logins.lock().unwrap_or_else(PoisonError::into_inner);
        match meter.count(network_of_address(address), now) {
            Ok(()) => problem,
            Err(seconds) => {
                let text = format!("too many wrong tokens from {address}; try again in {seconds} s");
                Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
            }
        }
    }

    /// Counts one callback of an address, before anything of it is looked at.
    pub(crate) fn count_callback(&self, address: IpAddr) -> Result<(), Problem> {
        let now = self.ports.clock.monotonic();
        let mut meter = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        meter.count(network_of_address(address), now).map_err(|seconds| {
            let most = self.terms.limits.callbacks;
            let text =
                format!("{address} called back more than {most} times in a minute; try again in {seconds} s");
            Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
        })
    }

    /// What callbacks are taken in with.
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

    /// The keys under which something is being done.
    pub(crate) fn in_flight_keys(&self) -> &Arc<InFlightKeys> {
        &self.under_way
    }

    /// What is asked for by hand in this name waits here until what was asked before is taken in.
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

    /// The texts of a workspace's language.
    pub(crate) async fn texts_of_workspace(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<&'static LocalizedTexts, Problem> {
        let settings = settings_of(&*self.ports.store, workspace).await?;
        Ok(LocalizedTexts::for_language(settings.language))
    }

    /// Finds out whether the database can be read and written; written for that at most once in `fresh`, whoever asks.
    pub(crate) async fn check_database_health(&self, fresh: Millis) -> Result<(), Problem> {
        if self.ports.store.is_stalled() {
            let text = "a COMMIT has not come back for longer than database.commit_warning; nothing is written \
                        until it does";
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

    /// People, tokens, targets or own secrets may be others from now on.
    pub(crate) fn notify_lists_changed(&self) {
        self.touched.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Hears of that.
    pub(crate) fn subscribe_list_changes(&self) -> watch::Receiver<u64> {
        self.touched.subscribe()
    }

    /// From now on nothing new is begun.
    pub(crate) fn begin_shutdown(&self) {
        self.ends.send_replace(true);
    }

    /// Whether the server is about to end.
    pub(crate) fn is_shutting_down(&self) -> bool {
        *self.ends.borrow()
    }

    /// Waits until the server is about to end.
    pub(crate) async fn wait_for_shutdown(&self) {
        let mut ends = self.ends.subscribe();
        if ends.wait_for(|ends| *ends).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
