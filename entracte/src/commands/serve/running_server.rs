//! A server in the process of a host: it owns the database and runs its sessions; the host answers requests with its
//! routes, or lets it listen.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use entracte_adapters_http::server::{HttpServer, ServerListener};
use entracte_adapters_http::server_state::ServerState;
use tokio::net::TcpListener;
use tokio::task::JoinError;

use super::addresses::reachable_address;
use super::ownership::competing_server_error;
use super::server_work::{ServerWork, backup_scheduler};
use super::{may_listen, no_room, server_state, url_of};
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::commands::web_login::create_login_link;
use crate::error::{CliError, CliExitCode};
use crate::runtime_access::{RuntimeAccess, SERVE};

/// A server without a listener of its own.
pub(crate) struct RunningServer {
    context: CommandContext,
    services: Arc<AppServices>,
    runtime: Arc<RuntimeAccess>,
    state: Arc<ServerState>,
    /// The address that browsers use.
    url: String,
}

impl RunningServer {
    /// Opens the database and starts its sessions. Others reach the server at the address of the configuration.
    pub(crate) async fn start(context: CommandContext) -> Result<Self, CliError> {
        let reached = reachable_address(context.settings.server.bind);
        Self::start_at(context, reached).await
    }

    async fn start_at(context: CommandContext, reached: SocketAddr) -> Result<Self, CliError> {
        // The migration of a large database takes a while, during which the tasks of the host go on.
        let opening = tokio::task::spawn_blocking(move || {
            let services = context.open_services();
            (context, services)
        });
        let failed = |error: JoinError| CliError::new(CliExitCode::Failure, error.to_string());
        let (context, services) = opening.await.map_err(failed)?;
        let services = services?;
        let texts = context.texts(&services, &context.settings.workspace).await?;
        let server = &context.settings.server;
        let url = url_of(server, reached, false);
        services.set_owner_kind(context.owner_kind(SERVE, Some(url.clone())));
        let runtime = RuntimeAccess::open(services.clone()).await?;
        // A command gives way to it later.
        if !runtime.take_ownership_now().await?
            && let Some(other) = competing_server_error(&services, texts).await?
        {
            return Err(other);
        }
        let state = server_state(&context, &services, &runtime, server, reached, false);
        Ok(Self { context, services, runtime, state, url })
    }

    /// The routes, under the base path of the configuration.
    pub(crate) fn router(&self) -> Router {
        let trusted = self.context.settings.server.trusted_proxies.clone();
        HttpServer::new(self.state.clone()).into_router(trusted)
    }

    /// A link that logs one browser in.
    pub(crate) async fn login_link(&self) -> Result<String, CliError> {
        create_login_link(&self.context, &self.services, &self.url).await
    }

    /// Runs sessions until `end`, then refuses new work and ends in order.
    pub(crate) async fn run(self, end: impl Future<Output = ()>) -> Result<(), CliError> {
        let work = ServerWork::start(&self.context, &self.services, &self.runtime);
        let failure = self.keep_database(end).await;
        self.state.begin_shutdown();
        let is_done = work.finish(std::future::pending()).await;
        self.report_end(is_done, failure).await
    }

    /// Listens at the address of the configuration, and runs sessions until `end`.
    pub(crate) async fn serve(
        context: CommandContext,
        end: impl Future<Output = ()>,
    ) -> Result<(), CliError> {
        let settings = context.settings.server.clone();
        may_listen(&settings, false)?;
        let listener = match TcpListener::bind(settings.bind).await {
            Ok(listener) => listener,
            Err(error) => {
                let services = context.open_services()?;
                let texts = context.texts(&services, &context.settings.workspace).await?;
                return Err(no_room(&services, settings.bind, &error, texts).await?);
            }
        };
        let bound = listener.local_addr().unwrap_or(settings.bind);
        let server = Self::start_at(context, reachable_address(bound)).await?;
        let front = ServerListener { listener, tls: None, trusted_proxies: settings.trusted_proxies };
        let work = ServerWork::start(&server.context, &server.services, &server.runtime);
        let (failure, is_done) = (Mutex::new(None), Mutex::new(true));
        let ended = async {
            let found = server.keep_database(end).await;
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = found;
        };
        let rest = async {
            let ended = work.finish(std::future::pending()).await;
            *is_done.lock().unwrap_or_else(PoisonError::into_inner) = ended;
        };
        HttpServer::new(server.state.clone()).run(front, ended, rest).await;
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_done = is_done.into_inner().unwrap_or_else(PoisonError::into_inner);
        server.report_end(is_done, failure).await
    }

    /// Keeps the database, with its backups, until `end`; the error once it is lost for good.
    async fn keep_database(&self, end: impl Future<Output = ()>) -> Option<CliError> {
        let backups = backup_scheduler(&self.context, &self.services);
        tokio::select! {
            () = end => None,
            error = self.runtime.maintain_ownership(|_| {}) => Some(error),
            () = backups.run_schedule(&*self.services.clock, || self.runtime.is_leading()) => None,
        }
    }

    async fn report_end(&self, is_done: bool, failure: Option<CliError>) -> Result<(), CliError> {
        if !is_done {
            tracing::warn!("work that still ran was cut");
        }
        self.context.flush_telemetry().await;
        failure.map_or(Ok(()), Err)
    }
}
