//! Checks settings: variables, providers, workspaces.

use entracte_adapters_db::Database;
use entracte_adapters_providers::prices::window_of;
use entracte_application::codec::WorkspaceBody;
use entracte_application::commands::Catalog;
use entracte_application::ports::{ContextWindowSource, ProviderRegistry, SECRET_LEAST_CHARS, SecretStore};
use entracte_application::texts::say;
use jiff::tz::TimeZone;

use super::DoctorCheck;
use crate::app_services::providers as registry;
use crate::command_context::CommandContext;
use crate::commands::command_accept::in_argument;
use crate::commands::provider::{is_set, lists_words};
use crate::config::{AppSettings, LayerProviderEntry, UnknownVariable, unknown_variables};
use crate::environment::ProcessEnvironment;
use crate::error::chain;
use crate::secrets::{is_placeholder, provider_keys};
use crate::user_text::{UserText, message};

/// Checks for variables with Entracte's prefix that are not settings.
pub(super) fn variables(environment: &ProcessEnvironment, keys: &[String]) -> DoctorCheck {
    let unknown = unknown_variables(&environment.variables, keys);
    if unknown.is_empty() {
        return DoctorCheck::ok("variables", message!("doctor-variables-ok"));
    }
    let mut named: Vec<UserText> = unknown.iter().map(UnknownVariable::says).collect();
    let first = named.remove(0);
    let named = named.into_iter().fold(first, |all, one| message!("listed-two", first = all, second = one));
    let says = message!("doctor-variables-unused", names = named);
    DoctorCheck::warn("variables", says, message!("doctor-variables-fix"))
}

/// Checks each provider's entry and key, and the default provider; with `online`, also a request to each.
pub(super) async fn providers(context: &CommandContext, online: bool) -> Vec<DoctorCheck> {
    let settings = &context.settings;
    let registry = registry(&settings.parts, &settings.providers);
    let keys = provider_keys(&settings.parts, &settings.providers);
    let mut checks = vec![default_provider(settings)];
    for entry in &settings.providers {
        let (name, check) = (&entry.name, format!("provider {}", entry.name));
        let fix = || format!("entracte provider show {name}");
        let supported = entry.config.require_supported_api(name);
        let found = match (registry.provider(name), supported) {
            (Err(failure), _) => DoctorCheck::fail(&check, failure.message, fix()),
            (Ok(_), Err(ended)) => DoctorCheck::fail(&check, ended.saying(), fix()),
            (Ok(_), Ok(())) => key(entry, keys.as_ref(), &check, is_default(settings, entry)),
        };
        let is_fine = found.grade == super::CheckStatus::Ok;
        checks.push(if online && is_fine { asked(&*registry, name, &check).await } else { found });
        checks.extend(window(&*registry, entry, online).await.filter(|_| is_fine));
        checks.extend(fallback(settings, entry));
    }
    checks
}

fn is_default(settings: &AppSettings, entry: &LayerProviderEntry) -> bool {
    settings.default_provider.as_ref() == Some(&entry.name)
}

/// A missing key affects only sessions with that provider; new sessions use the default one.
fn key(entry: &LayerProviderEntry, keys: &dyn SecretStore, check: &str, is_default: bool) -> DoctorCheck {
    let Some(place) = entry.config.secret_reference() else {
        return DoctorCheck::ok(check, message!("doctor-key-none"));
    };
    match keys.secret(&place) {
        Ok(key) if is_placeholder(&key) => {
            DoctorCheck::ok(check, message!("doctor-key-placeholder", least = SECRET_LEAST_CHARS))
        }
        Ok(_) => DoctorCheck::ok(check, message!("doctor-key-set")),
        Err(error) if is_default => DoctorCheck::fail(check, &error, message!("doctor-key-fix")),
        Err(error) => DoctorCheck::warn(check, &error, message!("doctor-key-optional")),
    }
}

/// Checks for a context window that is only guessed: a prompt may be compacted too early, or be cut silently by the
/// server.
/// With `online`, the server is asked first.
async fn window(
    registry: &dyn ProviderRegistry,
    entry: &LayerProviderEntry,
    online: bool,
) -> Option<DoctorCheck> {
    let model = entry.config.model.as_deref()?;
    let provider = registry.provider(&entry.name).ok();
    let has_network = provider.as_ref().is_some_and(|provider| provider.info().base_url.is_some());
    let is_told = match provider.filter(|_| online) {
        Some(provider) => provider.learn_window(model).await.told != ContextWindowSource::Guess,
        None => false,
    };
    let is_known = is_told || window_of(&entry.config, model).is_some();
    let says = message!("doctor-window", model = model);
    let fix = message!("doctor-window-fix", provider = &entry.name);
    (has_network && !is_known).then(|| DoctorCheck::warn(&format!("window {}", entry.name), says, fix))
}

/// Checks that each fallback of a provider has its key: it is needed unattended.
fn fallback(settings: &AppSettings, entry: &LayerProviderEntry) -> Option<DoctorCheck> {
    let named = entry.config.fallback.as_ref()?.lists();
    let named = |name: &String| named.iter().any(|(_, names)| names.contains(name));
    let (check, says) = (format!("fallback {}", entry.name), lists_words(entry));
    let keys = provider_keys(&settings.parts, &settings.providers);
    let keyless = |other: &&LayerProviderEntry| {
        other.config.secret_reference().is_some_and(|place| is_set(&place, keys.as_ref()) == Some(false))
    };
    let mut others = settings.providers.iter().filter(|other| named(&other.name));
    Some(match others.find(keyless) {
        None => DoctorCheck::ok(&check, says),
        Some(other) => {
            let fix = message!("doctor-fallback-fix", provider = &other.name);
            DoctorCheck::warn(
                &check,
                message!("doctor-fallback-keyless", lists = says, provider = &other.name),
                fix,
            )
        }
    })
}

async fn asked(registry: &dyn ProviderRegistry, name: &str, check: &str) -> DoctorCheck {
    let fix = format!("entracte provider show {name}");
    match registry.provider(name) {
        Err(failure) => DoctorCheck::fail(check, failure.message, fix),
        Ok(provider) => match provider.check().await {
            Ok(says) => DoctorCheck::ok(check, says),
            Err(failure) => DoctorCheck::fail(check, failure.message, fix),
        },
    }
}

fn default_provider(settings: &AppSettings) -> DoctorCheck {
    match &settings.default_provider {
        Some(name) if settings.has_provider(name) => DoctorCheck::ok("default provider", name.clone()),
        Some(name) => {
            let says = message!("doctor-provider-unknown", provider = name);
            DoctorCheck::fail("default provider", says, message!("doctor-provider-unknown-fix"))
        }
        None => {
            let fix = message!("doctor-provider-none-fix");
            DoctorCheck::warn("default provider", message!("doctor-provider-none"), fix)
        }
    }
}

/// Counts the commands in use, and reports each one that is disabled because its schema exceeds the bounds.
pub(super) fn commands(context: &CommandContext, catalog: &Catalog) -> Vec<DoctorCheck> {
    let texts = context.environment.texts();
    let out_of_use = catalog.refused_commands().iter().map(|refused| {
        let why = in_argument(refused.argument.as_deref(), &refused.why.describe(texts), texts);
        let says = say!(texts, "bounds-out-of-use", name = &refused.name, why = why);
        DoctorCheck::warn("commands", says, say!(texts, "bounds-out-of-use-fix"))
    });
    let count = catalog.entries().count();
    let in_use = DoctorCheck::ok("commands", message!("doctor-commands", count = count));
    std::iter::once(in_use).chain(out_of_use).collect()
}

/// Checks the settings of each workspace.
pub(super) async fn workspaces(database: &Database, settings: &AppSettings) -> Vec<DoctorCheck> {
    let rows = match database.store().workspaces().await {
        Ok(rows) => rows,
        Err(error) => return vec![DoctorCheck::fail("workspaces", chain(&error), "entracte db check")],
    };
    if !rows.iter().any(|row| row.key == settings.workspace) && rows.is_empty() {
        return vec![DoctorCheck::ok(
            "workspaces",
            message!("doctor-workspace-none", workspace = settings.workspace.as_str()),
        )];
    }
    let of = |row: &entracte_application::ports::WorkspaceRow| {
        let check = format!("workspace {}", row.key);
        match WorkspaceBody::decode(&row.body) {
            Ok(body) => zone(&check, &body.settings.zone),
            Err(fault) => DoctorCheck::fail(&check, chain(&fault), "entracte db backup FILE"),
        }
    };
    rows.iter().map(of).collect()
}

fn zone(check: &str, zone: &str) -> DoctorCheck {
    match TimeZone::get(zone) {
        Ok(_) => DoctorCheck::ok(check, message!("doctor-workspace-ok", zone = zone)),
        Err(_) => DoctorCheck::fail(
            check,
            message!("doctor-workspace-zone", zone = zone),
            "entracte workspace settings set zone Europe/Paris",
        ),
    }
}
