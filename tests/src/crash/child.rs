//! One child process: resumes the scenario at its current point and plays it to its end, or is killed.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use entracte_adapters_commands::{JournalFileExecutor, ResourcesExecutor};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::commands::AgentsExecutor;
use entracte_application::ports::{
    AccessReach, Clock, CommandExecutor, MailSender, Person as Somebody, Provider, TokenKind, TokenRow,
    TokenScope, TokenScopes,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{RemoteMailSender, RuntimeServices, StaticProviderRegistry};
use entracte_application::settings::RetentionSettings;
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use entracte_domain::time::{Millis, Timestamp};

use super::agents::PrincipalModel;
use super::clock::{AcceleratedClock, PACE};
use super::crash_ownership::CrashOwnership;
use super::hanging_executor::UnansweringActionExecutor;
use super::restartable_runtime::RestartableRuntime;
use super::scenario::CrashScenario;
use super::scenario_run::{outside, task_folder, workspace};
use super::task_server::FileTaskServer;
use super::trigger::{
    CrashTrigger, install_trigger, print_line, print_passed_points, wait_for_shutdown_signal,
};
use super::user::{CHAT, RUN, ScenarioUser};
use crate::fakes::policy_hook::RecordingPolicyHook;
use crate::runtime_fixture::retention_settings;

/// The configuration of a child process.
#[derive(Debug)]
pub struct CrashChildConfig {
    /// The folder of external effects.
    pub folder: PathBuf,
    /// Path or URL of the database.
    pub location: String,
    /// The scenario.
    pub scene: &'static CrashScenario,
    /// The chat of the scenario; all other names derive from it.
    pub session: SessionId,
    /// The start time on the scenario's clock.
    pub now: Timestamp,
    /// When the process kills or freezes itself.
    pub death: CrashTrigger,
    /// Maximum size of the database in bytes; 0: no limit.
    pub max_bytes: u64,
    /// Whether the process works beside others instead of owning the database.
    pub is_shared: bool,
}

/// The number of its arguments.
pub const CHILD_ARGUMENTS: usize = 8;

impl CrashChildConfig {
    /// Encodes it as process arguments.
    pub fn arguments(&self) -> Vec<String> {
        vec![
            self.folder.to_string_lossy().into_owned(),
            self.location.clone(),
            self.scene.name.to_owned(),
            self.session.to_string(),
            self.now.0.to_string(),
            self.death.argument(),
            self.max_bytes.to_string(),
            self.is_shared.to_string(),
        ]
    }

    /// Parses process arguments; `None` if they are invalid.
    pub fn parse(arguments: &[String]) -> Option<Self> {
        let [folder, location, scene, session, now, death, max_bytes, is_shared] = arguments else {
            return None;
        };
        Some(Self {
            folder: folder.into(),
            location: location.clone(),
            scene: CrashScenario::named(scene)?,
            session: SessionId::new(session.clone()),
            now: Timestamp(now.parse().ok()?),
            death: CrashTrigger::parse(death)?,
            max_bytes: max_bytes.parse().ok()?,
            is_shared: is_shared.parse().ok()?,
        })
    }
}

/// The lease of a process beside others, on its accelerated clock: half a second, after which the next process takes over.
const SHARED_LEASE: Millis = Millis(500 * PACE);

/// Runs the child process.
pub async fn live(orders: &CrashChildConfig) {
    install_trigger(orders.death);
    let clock = Arc::new(AcceleratedClock::at(orders.now));
    let options = DatabaseOptions {
        max_bytes: orders.max_bytes,
        // Shorter by the factor by which time runs faster.
        ownership_check: Millis(DatabaseOptions::default().ownership_check.0 / PACE),
        ..DatabaseOptions::default()
    };
    let database = Database::open(&orders.location, options).expect("the database opens");
    if orders.scene.name == "approvals" {
        keep_access(&database, orders).await;
        super::knowledge::add_and_remove_documents(&database, &orders.session).await;
        super::files::store_and_delete_files(&database, &orders.session).await;
    }
    let mut services = services(orders, &database, &clock);
    let ownership = CrashOwnership::new(&database, orders.is_shared);
    let owner = ownership.acquire(&services).await;
    services.started_at = clock.now();
    if orders.scene.name == "approvals" {
        super::notify::notify_until_delivered(&database, &services, &orders.folder, &orders.session).await;
    }
    let server = RestartableRuntime::start(services.clone(), ownership, owner).await;
    let services = Arc::new(services);
    let by_mail = orders.scene.chat.as_ref().is_some_and(|chat| chat.by_mail);
    let mail_sender: Arc<dyn MailSender> = if by_mail {
        let remote = RemoteMailSender::new(database.mail_store(), clock.clone());
        Arc::new(remote.with_timeout(Millis::minutes(2)))
    } else {
        server.clone()
    };
    let person = ScenarioUser {
        services,
        mail_sender,
        clock,
        database,
        folder: orders.folder.clone(),
        scene: orders.scene,
        workspace: workspace(&orders.session),
        chat: orders.session.clone(),
    };
    tokio::select! {
        () = person.play_scenario() => {
            print_passed_points();
            print_line("told");
        }
        () = wait_for_shutdown_signal() => {
            server.shutdown().await;
            print_line("left");
        }
    }
}

/// Adds an access token, the same in each process: a killed process left it complete or not at all.
async fn keep_access(database: &Database, orders: &CrashChildConfig) {
    let (access, reach) = (database.access_store(), AccessReach::Workspace(workspace(&orders.session)));
    let ann = Somebody {
        id: format!("per_{}", orders.session),
        reach,
        name: "ann".into(),
        created_at: orders.now,
        removed_at: None,
    };
    let ann = access.add_person(ann).await.expect("the person is kept");
    let token = TokenRow {
        id: format!("tok{}", orders.session),
        person: ann.id.clone(),
        reach: ann.reach.clone(),
        kind: TokenKind::Program,
        name: "crash".into(),
        hash: sha256(b"secret"),
        proof: None,
        scopes: TokenScopes::new([TokenScope::Read]),
        embedded: None,
        created_at: orders.now,
        expires_at: None,
        revoked_at: None,
        last_used: None,
        made_by: None,
        login_until: None,
    };
    access.add_token(token.clone()).await.expect("the token is kept");
    let found = access.token(&token.id).await.expect("tokens are read").expect("the token is there");
    assert_eq!((found.0.hash, found.1), (token.hash, ann), "the token is whole");
}

fn services(
    orders: &CrashChildConfig,
    database: &Database,
    clock: &Arc<AcceleratedClock>,
) -> RuntimeServices {
    let scene = orders.scene;
    let scripts = [
        (CHAT, scene.chat.as_ref().map(|chat| chat.script)),
        (RUN, scene.runs.as_ref().map(|runs| runs.script)),
    ];
    let cast = scene.chat.as_ref().map_or(&[][..], |chat| chat.agents);
    let providers = scripts.into_iter().filter_map(|(name, script)| {
        let script = script?();
        let provider = RehearsalProvider::from_script(&script, clock.clone()).expect("the script is right");
        let provider = provider.with_name(name, None);
        Some(if !cast.is_empty() {
            Arc::new(PrincipalModel(provider)) as Arc<dyn Provider>
        } else {
            Arc::new(provider)
        })
    });
    let mut providers: Vec<Arc<dyn Provider>> = providers.collect();
    let hangs = scene.chat.as_ref().is_some_and(|chat| chat.hangs);
    let mut executors: Vec<Arc<dyn CommandExecutor>> = vec![
        Arc::new(ResourcesExecutor::new(database.resource_reader())),
        world(&outside(&orders.folder, &orders.session), hangs),
    ];
    if scene.name == "tasks" {
        executors.push(Arc::new(FileTaskServer(task_folder(&orders.folder, &orders.session))));
    }
    if !cast.is_empty() {
        let clock: Arc<dyn Clock> = clock.clone();
        providers.extend(super::agents::providers(cast, &clock));
        executors.push(Arc::new(AgentsExecutor::new(super::agents::declared(cast))));
    }
    let providers = Arc::new(StaticProviderRegistry::new(providers));
    let mut services =
        RuntimeServices::new(database, providers, &executors).expect("the commands fit together");
    services.rules = rules(scene);
    services.clock = clock.clone();
    if scene.name == "approvals" {
        services.policy_hook = Some(Arc::new(RecordingPolicyHook::allowing()));
    }
    // Time is accelerated; the process need not be.
    services.settings.longest_sleep = Millis::seconds(2);
    services.settings.mail_poll = Millis(500);
    if orders.is_shared {
        services.settings.lease = SHARED_LEASE;
    }
    // What goes when a user asks for it, in commits of fewer rows than a session has.
    services.settings.retention =
        RetentionSettings { rows_per_commit: 4, ..retention_settings("chats=1s, results=1s") };
    services
}

fn world(file: &Path, hangs: bool) -> Arc<dyn CommandExecutor> {
    let journal = Arc::new(JournalFileExecutor::new(file, false));
    if hangs { Arc::new(UnansweringActionExecutor(journal)) } else { journal }
}

/// The scenario is long and its model never learns; kills are tested here, not limits.
fn rules(scene: &CrashScenario) -> RuleBook {
    let hangs = scene.chat.as_ref().is_some_and(|chat| chat.hangs);
    let is_rejected = scene.runs.as_ref().is_some_and(|runs| runs.rejected);
    let mut rules = RuleBook::default();
    rules.change(|_, rules| {
        rules.rounds = 0;
        rules.without_progress = 0;
        rules.equal_failures = 0;
        rules.anti_loop_window = Millis(0);
        rules.quarantine_after = 0;
        rules.watchdog = Millis(0);
        // Long enough for a slow machine; calls in progress at a kill are probed or repeated only after it.
        rules.call_timeout = if hangs { Millis::seconds(20) } else { Millis::minutes(5) };
        rules.completion_delay = if is_rejected { Millis::minutes(1) } else { Millis(500) };
        rules.closing_delay = Millis(500);
        rules.agent_rounds = 0;
        rules.agent_rest = Millis(0);
    });
    rules
}
