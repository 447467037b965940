//! `provider`: the providers of the configuration, and whether they answer.

use std::sync::Arc;

use entracte_application::ports::{ProviderRegistry, SecretReference, SecretStore};
use serde_json::{Value, json};

use crate::args::ProviderCommand;
use crate::config::ProviderEntry;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::listing::table;
use crate::render::text::one_line;
use crate::render::words;
use crate::wiring::{providers, secrets};

/// Runs `provider …`.
pub(crate) async fn run(desk: &Desk, command: ProviderCommand) -> Result<Exit, CliError> {
    match command {
        ProviderCommand::List => list(desk),
        ProviderCommand::Check { name } => check(desk, name).await,
    }
}

fn list(desk: &Desk) -> Result<Exit, CliError> {
    let entries = &desk.settings.providers;
    let secrets = secrets();
    if desk.out.json {
        let all: Vec<Value> = entries.iter().map(|entry| object(desk, entry, &secrets)).collect();
        desk.out.object(&json!({ "schema": "entracte.providers/1", "providers": all }))?;
        return Ok(Exit::Done);
    }
    let row = |entry: &ProviderEntry| {
        vec![
            if is_default(desk, entry) { "*".to_owned() } else { String::new() },
            entry.name.clone(),
            entry.config.kind.word().to_owned(),
            entry.config.model.clone().unwrap_or_default(),
            words::dialect(entry.dialect).to_owned(),
            key_words(entry, &secrets),
            entry.origin.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    for line in table(&["", "name", "kind", "model", "dialect", "key", "from"], &rows, desk.out.style) {
        desk.out.data(&line)?;
    }
    Ok(Exit::Done)
}

fn is_default(desk: &Desk, entry: &ProviderEntry) -> bool {
    desk.settings.default_provider.as_deref() == Some(&entry.name)
}

fn object(desk: &Desk, entry: &ProviderEntry, secrets: &Arc<dyn SecretStore>) -> Value {
    json!({
        "name": entry.name,
        "kind": entry.config.kind.word(),
        "model": entry.config.model,
        "dialect": words::dialect(entry.dialect),
        "base_url": entry.config.base_url,
        "default": is_default(desk, entry),
        "key": entry.config.secret_reference().map(|place| place_words(&place)),
        "key_set": entry.config.secret_reference().map(|place| secrets.secret(&place).is_ok()),
        "origin": entry.origin,
    })
}

/// Where the key is kept and whether it is there; never the key.
fn key_words(entry: &ProviderEntry, secrets: &Arc<dyn SecretStore>) -> String {
    match entry.config.secret_reference() {
        None => "none needed".to_owned(),
        Some(place) => {
            let there = if secrets.secret(&place).is_ok() { "set" } else { "not set" };
            format!("{} ({there})", place_words(&place))
        }
    }
}

fn place_words(place: &SecretReference) -> String {
    match place {
        SecretReference::Environment(name) => name.clone(),
        SecretReference::File(path) => path.clone(),
    }
}

async fn check(desk: &Desk, name: Option<String>) -> Result<Exit, CliError> {
    let registry = providers(&desk.settings.providers);
    let names = named(&registry, name)?;
    let mut exit = Exit::Done;
    let mut all = Vec::new();
    for name in names {
        let (fine, says) = ask(&registry, &name).await;
        if !fine {
            exit = Exit::Failure;
        }
        if desk.out.json {
            all.push(json!({ "name": name, "ok": fine, "says": says }));
        } else {
            let word = if fine { "ok  " } else { "fail" };
            desk.out.data(&format!("{word}  {name}  {}", one_line(&says)))?;
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
        Some(name) if !registry.names().contains(&name) => {
            let known = registry.names().join(", ");
            let text =
                format!("there is no provider {name}; there are: {known}. List them: entracte provider list");
            Err(CliError::new(Exit::NotFound, text))
        }
        Some(name) => Ok(vec![name]),
        None => Ok(registry.names()),
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
