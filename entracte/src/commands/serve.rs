//! `serve`: the long-running server. It owns the database, runs its sessions, and answers over HTTP.

mod addresses;
mod backups;
mod entry_changes;
mod entry_draft;
mod entry_secrets;
mod entry_store;
mod entry_trials;
mod operator;
mod ownership;
mod provider_changes;
mod running_entries;
mod running_server;
mod server_work;
mod session_relay;
mod shutdown;
mod shutdown_signals;
mod supervisor;
mod trial_turns;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use entracte_adapters_http::origin_guard::ServerOrigins;
use entracte_adapters_http::server::{HttpServer, ServerListener};
use entracte_adapters_http::server_state::{
    HttpServerConfig, PublicEntries, PublicEntryList, PublicProviderEntry, ServerPorts, ServerState,
};
use entracte_adapters_http::tls;
use entracte_adapters_providers::rehearsal::{self, RecordingOptions};
use entracte_application::ports::MailSender;
use entracte_application::system::CronScheduleCalculator;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;
use tokio::net::TcpListener;

use self::addresses::reachable_address;
use self::operator::LocalServerOperator;
use self::ownership::{acquire_ownership, competing_server_error};
pub(crate) use self::running_server::RunningServer;
use self::server_work::{ServerWork, backup_scheduler};
use self::session_relay::session_relay;
use self::shutdown_signals::ShutdownSignals;
use super::provider::{entries_with_key_state, public_entries};
use super::session_copy::speakers;
use super::web_login::{create_login_link, show_login_link, write_link_file};
use crate::app_services::AppServices;
use crate::args::ServeArgs;
use crate::command_context::CommandContext;
use crate::config::{ServerSettings, server_base_path, server_bind};
use crate::error::{CliError, CliExitCode};
use crate::runtime_access::{OwnershipChange, RuntimeAccess, SERVE};
use crate::tools::person_secrets;
use crate::user_text::message;

/// Serves until the process is asked to end.
pub(crate) async fn run(context: &CommandContext, args: ServeArgs) -> Result<CliExitCode, CliError> {
    let mut server = context.settings.server.clone();
    let usage = |fault| CliError::with_next(CliExitCode::Usage, fault, "entracte serve --help");
    if let Some(text) = &args.bind {
        server.bind = server_bind("--bind", text).map_err(usage)?;
    }
    if let Some(text) = &args.base_path {
        server.base_path = server_base_path("--base-path", text).map_err(usage)?;
    }
    let tls = tls_of(context, &args)?;
    may_listen(&server, tls.is_some())?;
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    // Listens before anything starts, so that an early stop is orderly.
    let mut ends = ShutdownSignals::listen();
    let listener = match TcpListener::bind(server.bind).await {
        Ok(listener) => listener,
        Err(error) => return Err(no_room(&services, server.bind, &error, texts).await?),
    };
    let bound = listener.local_addr().unwrap_or(server.bind);
    let reached = reachable_address(bound);
    let url = url_of(&server, reached, tls.is_some());
    services.set_owner_kind(context.owner_kind(SERVE, Some(url.clone())));
    let runtime_access = RuntimeAccess::open(services.clone()).await?;
    if !acquire_ownership(context, &services, &runtime_access, &mut ends, texts).await? {
        return Ok(CliExitCode::Done);
    }
    let state = server_state(context, &services, &runtime_access, &server, reached, tls.is_some());
    begin(context, &services, &url).await?;
    supervisor::notify_ready(&say!(texts, "serve-status", url = url.as_str()));
    let front = ServerListener { listener, tls, trusted_proxies: server.trusted_proxies.clone() };
    let work = ServerWork::start(context, &services, &runtime_access);
    let (told, is_told) = tokio::sync::oneshot::channel();
    let rest = async {
        let mut ends = is_told.await.unwrap_or_else(|_| ShutdownSignals::listen());
        let grace = server.limits.grace;
        let ends_now = say!(texts, "serve-ends", seconds = u64::try_from(grace.0 / 1000).unwrap_or_default());
        supervisor::notify_stopping(&ends_now);
        context.out.write_notice(&ends_now);
        if !work.finish(ends.wait()).await {
            context.out.write_notice(&say!(texts, "serve-cut"));
        }
    };
    let failure = Mutex::new(None);
    let end = async {
        let kept = runtime_access.maintain_ownership(|news| match news {
            OwnershipChange::Lost => supervisor::notify_waiting(&say!(texts, "serve-lost")),
            OwnershipChange::Regained => {
                supervisor::notify_ready(&say!(texts, "serve-status", url = url.as_str()))
            }
        });
        tokio::select! {
            () = ends.wait() => {}
            error = kept => *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
        }
        // The receiver waits for this.
        let _ = told.send(ends);
    };
    let backups = backup_scheduler(context, &services);
    tokio::select! {
        () = HttpServer::new(state).run(front, end, rest) => {}
        () = backups.run_schedule(&*services.clock, || runtime_access.is_leading()) => {}
        () = supervisor::run_watchdog(&*services.clock) => {}
    }
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error.localized(texts)),
        None => Ok(CliExitCode::Done),
    }
}

/// Why it cannot listen there: another server of this database does, or another program.
async fn no_room(
    services: &AppServices,
    address: SocketAddr,
    error: &std::io::Error,
    texts: &LocalizedTexts,
) -> Result<CliError, CliError> {
    if let Some(beside) = competing_server_error(services, texts).await? {
        return Ok(beside);
    }
    let text = message!("serve-no-room", address = address.to_string(), why = error.to_string());
    Ok(CliError::new(CliExitCode::Failure, text).or_next("entracte serve --bind 127.0.0.1:0"))
}

/// The URL of the server.
fn url_of(server: &ServerSettings, bound: SocketAddr, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
    server.public_address().unwrap_or_else(|| format!("{scheme}://{bound}{}", server.base_path))
}

fn tls_of(context: &CommandContext, args: &ServeArgs) -> Result<Option<Arc<rustls::ServerConfig>>, CliError> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    let config = tls::config(certificate, key, context.settings.parts.crypto());
    config.map(Some).map_err(|fault| {
        let text = message!("serve-no-tls-files", why = fault.to_string());
        CliError::with_next(CliExitCode::Usage, text, "entracte serve --tls-cert FILE --tls-key FILE")
    })
}

/// Refuses to send tokens over a network unencrypted.
fn may_listen(server: &ServerSettings, has_tls: bool) -> Result<(), CliError> {
    if tls::may_listen(server.bind, has_tls, !server.trusted_proxies.is_empty()) {
        return Ok(());
    }
    let text = message!("serve-no-tls", address = server.bind.to_string());
    Err(CliError::with_next(CliExitCode::Usage, text, "entracte serve --tls-cert FILE --tls-key FILE"))
}

/// The entries as clients see them, without looking for the keys of providers.
pub(super) fn listed_without_keys(context: &CommandContext) -> Arc<PublicEntries> {
    listed_entries(context, public_entries(&context.settings))
}

fn listed_entries(context: &CommandContext, providers: Vec<PublicProviderEntry>) -> Arc<PublicEntries> {
    let agents = PublicEntryList::new(context.settings.agents.clone());
    Arc::new(PublicEntries { providers: PublicEntryList::new(providers), agents })
}

/// The state of the routes of a server that others reach at this address.
fn server_state(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<RuntimeAccess>,
    server: &ServerSettings,
    reached: SocketAddr,
    has_tls: bool,
) -> Arc<ServerState> {
    let owner = runtime.clone();
    let owns = Arc::new(move || owner.is_owner());
    let listed = listed_entries(context, entries_with_key_state(&context.settings));
    let ports = server_ports(context, services, &listed, runtime.clone(), owns);
    let relay = ports.is_shared.then(|| session_relay(services, runtime));
    Arc::new(ServerState::new(
        ServerPorts { relay, ..ports },
        server_config(context, listed, server, reached, has_tls),
    ))
}

/// The ports of the routes over the services of this process.
pub(super) fn server_ports(
    context: &CommandContext,
    services: &Arc<AppServices>,
    listed: &Arc<PublicEntries>,
    mail_sender: Arc<dyn MailSender>,
    owns: Arc<dyn Fn() -> bool + Send + Sync>,
) -> ServerPorts {
    let known = services.known.clone();
    let operator = Arc::new(LocalServerOperator::new(context, services.clone(), listed.clone()));
    ServerPorts {
        mail_sender,
        store: services.store.clone(),
        log: services.log.clone(),
        live: services.live.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        access: services.access.clone(),
        person_secrets: person_secrets(&context.settings),
        knowledge: services.knowledge.store.clone(),
        files: services.file_store(),
        converter: services.knowledge.converter.clone(),
        images: services.knowledge.images.clone(),
        semantic: services.knowledge.semantic.clone(),
        embed: services.knowledge.embed.clone(),
        operator: operator.clone(),
        config_entries: operator,
        outbox: services.outbox.clone(),
        sender: crate::notifier::sender(context),
        notifier: Arc::new(crate::notifier::build_notifier(context, services)),
        dry_stages: services.dry_stages.clone(),
        tasks: services.tasks.clone(),
        callback_proof: services.callback_proof(),
        secrets: services.known.clone(),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        calculator: Arc::new(CronScheduleCalculator),
        providers: services.providers.clone(),
        catalog: services.current_catalog(),
        recorder: Arc::new(move |workspace, session, entries| {
            let scrubber = known.scrubber(&speakers(workspace, entries));
            rehearsal::record_script(session, entries, RecordingOptions::default(), &*scrubber)
        }),
        owns,
        is_shared: services.workspace_rights().is_ok_and(|rights| rights.is_some()),
        relay: None,
        meters: services.meters.clone(),
    }
}

/// The configuration of the routes.
pub(super) fn server_config(
    context: &CommandContext,
    listed: Arc<PublicEntries>,
    server: &ServerSettings,
    reached: SocketAddr,
    has_tls: bool,
) -> HttpServerConfig {
    let settings = &context.settings;
    let is_public_secure = server.public_url.as_ref().is_some_and(|url| url.scheme() == "https");
    HttpServerConfig {
        entries: listed,
        rules: settings.rules.clone(),
        runtime: settings.runtime.clone(),
        knowledge: settings.knowledge.clone(),
        notify: settings.notify.clone(),
        limits: server.limits.clone(),
        ours: ServerOrigins::from_bind_address(reached, has_tls, server.public_url.as_ref(), &server.hosts),
        base_path: server.base_path.clone(),
        is_secure: has_tls || is_public_secure,
    }
}

/// Prints the address of the server, and the link of the first login.
async fn begin(context: &CommandContext, services: &AppServices, url: &str) -> Result<(), CliError> {
    let login = create_login_link(context, services, url).await?;
    if context.out.json {
        // The output of a service is its log, whatever its format.
        let file = write_link_file(context, &login)?;
        let (login, file) = (file.is_none().then_some(login), file.map(|file| file.shown()));
        let object = json!({ "schema": "entracte.serve/1", "url": url, "login": login, "login_file": file });
        return context.out.write_json_line(&object);
    }
    let texts = context.workspace_texts().await;
    context.out.write_notice(&say!(texts, "serve-begins", url = url));
    show_login_link(context, texts, &login)
}
