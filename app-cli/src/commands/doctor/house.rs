//! What is set: variables, providers, workspaces.

use entracte_adapters_db::Database;
use entracte_application::codec::WorkspaceBody;
use entracte_application::ports::ProviderRegistry;
use jiff::tz::TimeZone;

use super::Check;
use crate::config::{ProviderEntry, Settings, unknown_variables};
use crate::desk::Desk;
use crate::environment::Environment;
use crate::error::chain;
use crate::wiring::{providers as registry, secrets};

/// Variables that look like ours and are none.
pub(super) fn variables(environment: &Environment, keys: &[String]) -> Check {
    let unknown = unknown_variables(&environment.variables, keys);
    let named: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    match named.as_slice() {
        [] => Check::ok("variables", "every ENTRACTE_ variable is known"),
        named => {
            let says = format!("nothing reads {}", named.join(", "));
            Check::warn("variables", says, "see what is in force: entracte config show --origin")
        }
    }
}

/// Each provider's entry and key, and whether there is a default one; with `online`, whether they answer.
pub(super) async fn providers(desk: &Desk, online: bool) -> Vec<Check> {
    let settings = &desk.settings;
    let registry = registry(&settings.providers);
    let mut checks = vec![default_provider(settings)];
    for entry in &settings.providers {
        let (name, check) = (&entry.name, format!("provider {}", entry.name));
        let found = match registry.provider(name) {
            Err(failure) => Check::fail(&check, failure.message, format!("entracte provider show {name}")),
            Ok(_) => key(entry, &check, is_default(settings, entry)),
        };
        let is_fine = found.grade == super::Grade::Ok;
        checks.push(if online && is_fine { asked(&*registry, name, &check).await } else { found });
    }
    checks
}

fn is_default(settings: &Settings, entry: &ProviderEntry) -> bool {
    settings.default_provider.as_ref() == Some(&entry.name)
}

/// A key that is not there hinders only who uses the provider; new sessions use the default one.
fn key(entry: &ProviderEntry, check: &str, is_default: bool) -> Check {
    let Some(place) = entry.config.secret_reference() else {
        return Check::ok(check, "needs no key");
    };
    match secrets().secret(&place) {
        Ok(_) => Check::ok(check, "its key is set"),
        Err(error) if is_default => {
            Check::fail(check, chain(&error), "or use another: entracte provider list")
        }
        Err(error) => Check::warn(check, chain(&error), "needed only if you use it"),
    }
}

async fn asked(registry: &dyn ProviderRegistry, name: &str, check: &str) -> Check {
    let mend = format!("entracte provider show {name}");
    match registry.provider(name) {
        Err(failure) => Check::fail(check, failure.message, mend),
        Ok(provider) => match provider.check().await {
            Ok(says) => Check::ok(check, says),
            Err(failure) => Check::fail(check, failure.message, mend),
        },
    }
}

fn default_provider(settings: &Settings) -> Check {
    let known = |name: &String| settings.providers.iter().any(|entry| entry.name == *name);
    match &settings.default_provider {
        Some(name) if known(name) => Check::ok("default provider", name.clone()),
        Some(name) => {
            let says = format!("there is no provider {name}");
            Check::fail("default provider", says, "name another in default_provider: entracte provider list")
        }
        None => {
            let mend = "set the key of one, or name it in default_provider: entracte provider list";
            Check::warn("default provider", "no provider has its key, so new sessions must name one", mend)
        }
    }
}

/// The settings of each workspace.
pub(super) async fn workspaces(database: &Database, settings: &Settings) -> Vec<Check> {
    let rows = match database.store().workspaces().await {
        Ok(rows) => rows,
        Err(error) => return vec![Check::fail("workspaces", chain(&error), "entracte db check")],
    };
    if !rows.iter().any(|row| row.key == settings.workspace) && rows.is_empty() {
        return vec![Check::ok("workspaces", format!("{} is not there yet", settings.workspace))];
    }
    let of = |row: &entracte_application::ports::WorkspaceRow| {
        let check = format!("workspace {}", row.key);
        match WorkspaceBody::decode(&row.body) {
            Ok(body) => zone(&check, &body.settings.zone),
            Err(fault) => Check::fail(&check, chain(&fault), "entracte db backup FILE"),
        }
    };
    rows.iter().map(of).collect()
}

fn zone(check: &str, zone: &str) -> Check {
    match TimeZone::get(zone) {
        Ok(_) => Check::ok(check, format!("its settings are valid; its zone is {zone}")),
        Err(_) => Check::fail(
            check,
            format!("its time zone {zone} is not known here, so its dates are in UTC"),
            "entracte workspace settings set zone Europe/Paris",
        ),
    }
}
