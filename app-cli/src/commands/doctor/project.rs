//! The folder's entracte.toml and the MCP servers: what is trusted, and what was met.

use entracte_application::texts::{Texts, say};

use super::Check;
use crate::commands::login::standing;
use crate::commands::trust::named;
use crate::desk::Desk;
use crate::message::message;
use crate::wiring::Wiring;

/// Whether the folder's file is in force.
pub(super) fn folder(desk: &Desk) -> Check {
    let texts = Texts::of(desk.environment.language());
    let name = "project file";
    let Some(project) = &desk.settings.project else {
        return Check::ok(name, texts.say("trust-check-none", &[]));
    };
    let file = project.place.display().to_string();
    if let (Some(why), false) = (&project.fault, project.needs.is_empty()) {
        return Check::fail(name, why.clone(), "entracte trust --list");
    }
    match (project.left_out(), project.trusted) {
        ([], true) => Check::ok(name, say!(texts, "trust-check-trusted", file = &file)),
        ([], false) => Check::ok(name, say!(texts, "trust-check-harmless", file = &file)),
        (left_out, _) => {
            let keys = named(left_out, texts);
            let says = say!(texts, "trust-check-left-out", file = &file, keys = keys);
            Check::warn(name, says, texts.say("trust-check-fix", &[]))
        }
    }
}

/// The logins at MCP servers: one line for each server that has one, or is told how to get one.
fn logins(desk: &Desk) -> Vec<Check> {
    let texts = Texts::of(desk.environment.language());
    let mut checks = Vec::new();
    for (server, config) in &desk.settings.tools.mcp {
        let check = format!("login {server}");
        let fix = || message!("doctor-login-fix", server = server);
        match standing(desk, texts, server, config) {
            Err(error) => checks.push(Check::fail(&check, error.said(texts), fix())),
            Ok(standing) if standing.word == "logged_in" => checks.push(Check::ok(&check, standing.says)),
            Ok(standing) if standing.word == "expired" || config.oauth.is_some() => {
                checks.push(Check::warn(&check, standing.says, fix()));
            }
            Ok(_) => {}
        }
    }
    checks
}

/// The MCP servers; they are started only where that was asked for.
pub(super) async fn servers(desk: &Desk, wiring: &Wiring, online: bool) -> Vec<Check> {
    let texts = Texts::of(desk.environment.language());
    let failed = if online { wiring.mcp.connect_all().await } else { Vec::new() };
    let checks = wiring.mcp.servers().into_iter().map(|server| {
        let check = format!("mcp {}", server.name);
        let fix = "entracte command accept";
        match failed.iter().find(|failed| failed.server == server.name) {
            Some(failed) => Check::fail(&check, failed.said(texts), fix),
            None if server.undecided > 0 => {
                let says = message!("doctor-mcp-undecided", count = server.undecided);
                Check::warn(&check, says, fix)
            }
            None if online => Check::ok(&check, message!("doctor-mcp-answers")),
            None if server.met => Check::ok(&check, message!("doctor-mcp-known")),
            None => Check::ok(&check, message!("doctor-mcp-unmet")),
        }
    });
    let checks = checks.chain(logins(desk)).collect();
    if online {
        wiring.mcp.close().await;
    }
    checks
}
