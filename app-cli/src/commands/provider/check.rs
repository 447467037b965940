//! `provider check`

use std::sync::Arc;

use entracte_application::ports::{ProviderRegistry, SecretError, SecretReference};
use serde_json::json;

use super::unknown;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::message::Message;
use crate::render::text::one_line;
use crate::secrets::secrets;
use crate::wiring::providers;

/// Asks one or all.
pub(super) async fn check(desk: &Desk, name: Option<String>) -> Result<Exit, CliError> {
    let registry = providers(&desk.settings.providers);
    let names = named(&registry, name)?;
    let texts = desk.environment.texts();
    let width = texts.say("doctor-grade-fail", &[]).chars().count();
    let mut exit = Exit::Done;
    let mut all = Vec::new();
    for name in names {
        let (fine, says) = match missing_key(desk, &name) {
            Some(error) if !desk.out.json => (false, Message::from(&error).say(texts)),
            _ => ask(&registry, &name).await,
        };
        if !fine {
            exit = Exit::Failure;
        }
        if desk.out.json {
            all.push(json!({ "name": name, "ok": fine, "says": says }));
        } else {
            let word = texts.say(if fine { "doctor-grade-ok" } else { "doctor-grade-fail" }, &[]);
            desk.out.data(&format!("{word:<width$}  {name}  {}", one_line(&says)))?;
        }
    }
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.provider_checks/1", "checks": all }))?;
    }
    Ok(exit)
}

/// The one that was named, or all.
fn named(registry: &Arc<dyn ProviderRegistry>, name: Option<String>) -> Result<Vec<String>, CliError> {
    match name {
        Some(name) if !registry.names().contains(&name) => Err(unknown(&name, &registry.names())),
        Some(name) => Ok(vec![name]),
        None => Ok(registry.names()),
    }
}

/// Why the key of a provider cannot be read; none where that is not known before a program is run.
fn missing_key(desk: &Desk, name: &str) -> Option<SecretError> {
    let entry = desk.settings.providers.iter().find(|entry| entry.name == name)?;
    match entry.config.secret_reference()? {
        SecretReference::Command(_) => None,
        place => secrets().secret(&place).err(),
    }
}

async fn ask(registry: &Arc<dyn ProviderRegistry>, name: &str) -> (bool, String) {
    let provider = match registry.provider(name) {
        Ok(provider) => provider,
        Err(failure) => return (false, failure.message),
    };
    match provider.check().await {
        Ok(says) => (true, says),
        Err(failure) => (false, failure.message),
    }
}
