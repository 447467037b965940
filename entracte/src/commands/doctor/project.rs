//! Checks the folder's entracte.toml, the MCP servers, HTTP tools and long tasks: trust, listing, reachability.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::egress::{EgressClient, NameResolver};
use entracte_adapters_commands::mcp::{McpRuleSource, McpToolState, McpToolStatus};
use entracte_adapters_commands::secret::SecretPlace;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::command::CommandKind;

use super::DoctorCheck;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::commands::mcp_login::standing;
use crate::commands::trust::named;
use crate::secrets::secrets;
use crate::user_text::message;

/// Checks whether the folder's file is in force.
pub(super) fn folder(context: &CommandContext) -> DoctorCheck {
    let name = "project file";
    let Some(project) = &context.settings.project else {
        return DoctorCheck::ok(name, message!("trust-check-none"));
    };
    let file = project.place.display().to_string();
    if let (Some(why), false) = (&project.fault, project.needs.is_empty()) {
        return DoctorCheck::fail(name, why.clone(), "entracte trust --list");
    }
    match (project.left_out(), project.trusted) {
        ([], true) => DoctorCheck::ok(name, message!("trust-check-trusted", file = &file)),
        ([], false) => DoctorCheck::ok(name, message!("trust-check-harmless", file = &file)),
        (left_out, _) => {
            let says = message!("trust-check-left-out", file = &file, keys = named(left_out));
            DoctorCheck::warn(name, says, message!("trust-check-fix"))
        }
    }
}

/// Checks MCP logins: one line for each server that has one, or that supports one, with the login command.
fn logins(context: &CommandContext) -> Vec<DoctorCheck> {
    let texts = LocalizedTexts::for_language(context.environment.language());
    let mut checks = Vec::new();
    for (server, config) in &context.settings.tools.mcp {
        let check = format!("login {server}");
        let fix = || message!("doctor-login-fix", server = server);
        match standing(context, texts, server, config) {
            Err(error) => checks.push(DoctorCheck::fail(&check, error.message(texts), fix())),
            Ok(standing) if standing.word == "logged_in" => {
                checks.push(DoctorCheck::ok(&check, standing.says))
            }
            Ok(standing) if standing.word == "expired" || config.oauth.is_some() => {
                checks.push(DoctorCheck::warn(&check, standing.says, fix()));
            }
            Ok(_) => {}
        }
    }
    checks
}

/// Checks the MCP servers; starts them only on request.
pub(super) async fn servers(
    context: &CommandContext,
    services: &AppServices,
    online: bool,
) -> Vec<DoctorCheck> {
    let texts = LocalizedTexts::for_language(context.environment.language());
    let failed = if online { services.mcp().connect_all().await } else { Vec::new() };
    let tools = services.mcp().tools(texts).unwrap_or_default();
    let checks = services.mcp().servers().into_iter().flat_map(|server| {
        let check = format!("mcp {}", server.name);
        let fix = "entracte command accept";
        let state = match failed.iter().find(|failed| failed.server == server.name) {
            Some(failed) if failed.needs_login() => DoctorCheck::fail(
                &check,
                failed.message(texts),
                message!("doctor-login-fix", server = &server.name),
            ),
            Some(failed) => DoctorCheck::fail(&check, failed.message(texts), fix),
            None if server.undecided > 0 => {
                let says = message!("doctor-mcp-undecided", count = server.undecided);
                DoctorCheck::warn(&check, says, fix)
            }
            None if online => offered(&check, &tools, &server.name),
            None if server.met => DoctorCheck::ok(&check, message!("doctor-mcp-known")),
            None => DoctorCheck::ok(&check, message!("doctor-mcp-unmet")),
        };
        [Some(state), undecided_queries(&check, &tools, &server.name)]
    });
    let checks = checks.flatten().chain(logins(context)).collect();
    if online {
        services.mcp().close().await;
    }
    checks
}

/// Says of each MCP server that it was not asked, where there is no database yet.
pub(super) fn unasked_servers(context: &CommandContext) -> impl Iterator<Item = DoctorCheck> {
    let servers = context.settings.tools.mcp.iter();
    servers.map(|(name, _)| DoctorCheck::ok(&format!("mcp {name}"), message!("doctor-mcp-not-opened")))
}

/// Warns of read-only tools of a server that ask for approval although no person has decided it; `None` if there are
/// none.
fn undecided_queries(check: &str, tools: &[McpToolStatus], server: &str) -> Option<DoctorCheck> {
    let of_server = tools.iter().filter(|tool| tool.server == server && tool.enabled);
    let asks = |tool: &&McpToolStatus| {
        tool.rule.is_some_and(|rule| {
            let is_undecided = rule.source == McpRuleSource::Hints && rule.sends_out.is_none();
            rule.kind == CommandKind::Query && rule.asks && is_undecided
        })
    };
    let names: Vec<&str> = of_server.filter(asks).map(|tool| tool.tool.as_str()).collect();
    let says = message!("doctor-mcp-asks", count = names.len(), names = names.join(", "));
    let fix = message!("doctor-mcp-asks-fix", server = server, tools = names.join(" "));
    (!names.is_empty()).then(|| DoctorCheck::warn(&format!("{check} asks"), says, fix))
}

/// How many tools of an answering server are in use, and which accepted ones it no longer offers.
fn offered(check: &str, tools: &[McpToolStatus], server: &str) -> DoctorCheck {
    let of_server = || tools.iter().filter(|tool| tool.server == server && tool.enabled);
    let gone: Vec<&str> =
        of_server().filter(|tool| tool.state == McpToolState::Gone).map(|tool| tool.tool.as_str()).collect();
    if !gone.is_empty() {
        let says = message!("doctor-mcp-gone", count = gone.len(), names = gone.join(", "));
        return DoctorCheck::warn(check, says, "entracte command accept");
    }
    let in_use = of_server().filter(|tool| tool.state == McpToolState::Accepted).count();
    DoctorCheck::ok(check, message!("doctor-mcp-tools", count = in_use))
}

/// A resolver that knows no name: an address that stands in the configuration is checked without a network.
struct OfflineResolver;

#[async_trait]
impl NameResolver for OfflineResolver {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(Vec::new())
    }
}

/// Checks the addresses that HTTP tools name by number, or that are this machine's: those that are refused would only
/// fail after a person approved a call.
pub(super) async fn http_addresses(context: &CommandContext) -> Vec<DoctorCheck> {
    let tools = &context.settings.tools;
    let egress = EgressClient::with_resolver(
        context.settings.tool_egress(),
        Arc::new(OfflineResolver),
        context.settings.parts.crypto(),
    );
    let texts = LocalizedTexts::for_language(context.environment.language());
    let mut checks = Vec::new();
    for tool in tools.http.iter().filter(|tool| !host_of(&tool.url).contains(['{', '}'])) {
        if let Some(error) = egress.lasting_refusal(host_of(&tool.url)).await {
            let fix = message!("doctor-http-allow-fix");
            checks.push(DoctorCheck::fail(&format!("http {}", tool.name), error.message(texts), fix));
        }
    }
    checks
}

/// Checks that the host of each HTTP tool accepts a connection. Sends no request, because it may be an action.
pub(super) async fn http_tools(context: &CommandContext) -> Vec<DoctorCheck> {
    let tools = &context.settings.tools;
    let egress = EgressClient::new(context.settings.tool_egress(), context.settings.parts.crypto());
    let texts = LocalizedTexts::for_language(context.environment.language());
    let mut checks = Vec::with_capacity(tools.http.len());
    for tool in &tools.http {
        let (check, place) = (format!("http {}", tool.name), host_of(&tool.url));
        if place.contains(['{', '}']) {
            checks.push(DoctorCheck::ok(&check, message!("doctor-http-depends")));
            continue;
        }
        checks.push(match egress.probe_connection(place).await {
            Ok(()) => DoctorCheck::ok(&check, message!("doctor-http-reached", host = place)),
            Err(error) => DoctorCheck::fail(&check, error.message(texts), message!("doctor-http-fix")),
        });
    }
    checks
}

/// Checks each long task: its secrets, and with `online` a connection to its host. Without a public address there are
/// no callbacks, so every task is polled, which is only slower.
pub(super) async fn tasks(context: &CommandContext, online: bool) -> Vec<DoctorCheck> {
    let settings = &context.settings;
    let egress = EgressClient::new(settings.tool_egress(), context.settings.parts.crypto());
    let texts = LocalizedTexts::for_language(context.environment.language());
    let mut checks = Vec::new();
    if settings.tools.tasks.is_empty() {
        return checks;
    }
    checks.push(match &settings.server.public_url {
        Some(url) => DoctorCheck::ok("callbacks", message!("doctor-callbacks-at", url = url.as_str())),
        None => DoctorCheck::warn(
            "callbacks",
            message!("doctor-callbacks-none"),
            message!("doctor-callbacks-fix"),
        ),
    });
    for task in &settings.tools.tasks {
        let (check, place) = (format!("task {}", task.name), host_of(&task.url));
        let unread = task.secrets.iter().filter_map(SecretPlace::reference);
        let unread = unread.filter_map(|place| secrets(&settings.parts).secret(&place).err()).next();
        checks.push(match unread {
            Some(error) => DoctorCheck::fail(&check, &error, message!("doctor-task-secret-fix")),
            None if !online => DoctorCheck::ok(&check, message!("doctor-task-at", host = place)),
            None => match egress.probe_connection(place).await {
                Ok(()) => DoctorCheck::ok(&check, message!("doctor-http-reached", host = place)),
                Err(error) => DoctorCheck::fail(&check, error.message(texts), message!("doctor-http-fix")),
            },
        });
    }
    checks
}

/// The URL up to its path, where the argument placeholders begin.
fn host_of(url: &str) -> &str {
    let begin = url.find("://").map_or(0, |at| at + "://".len());
    let end = url[begin..].find(['/', '?', '#']).map_or(url.len(), |at| begin + at);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_url_before_path() {
        for (url, host) in [
            ("https://weather.example/today/{city}", "https://weather.example"),
            ("http://127.0.0.1:80?q={q}", "http://127.0.0.1:80"),
            ("https://{place}.example/x", "https://{place}.example"),
            ("https://a", "https://a"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(host_of(url), host);
        }
    }
}
