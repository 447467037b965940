//! The API of this process: its routes over its own services, without a listener.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use entracte_adapters_http::api_transport::ApiTransport;
use entracte_adapters_http::api_transport::in_process::InProcessTransport;
use entracte_adapters_http::server_state::ServerState;

use super::serve::{listed_without_keys, server_config, server_ports};
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::runtime_access::LazyRuntimeAccess;

/// Builds the API of this process, for the person of the settings.
pub(crate) fn local_api(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<LazyRuntimeAccess>,
) -> Arc<dyn ApiTransport> {
    let owner = runtime.clone();
    let listed = listed_without_keys(context);
    let owns = Arc::new(move || owner.is_owner());
    let ports = server_ports(context, services, &listed, runtime.clone(), owns);
    // No request comes from outside, so the address matters to nobody.
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = server_config(context, listed, &context.settings.server, nowhere, false);
    let state = Arc::new(ServerState::new(ports, config));
    let settings = &context.settings;
    Arc::new(InProcessTransport::new(state, &settings.author).for_reader(settings.reader))
}
