//! `provider check`: sends a request to providers.

use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::{ProviderRegistry, SecretError, SecretReference, SecretStore};
use secrecy::SecretString;
use serde_json::json;

use super::unknown;
use crate::app_services::providers_with;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::secrets::provider_keys;
use crate::user_text::UserText;

/// Checks one provider, or all.
pub(super) async fn check(context: &CommandContext, name: Option<String>) -> Result<CliExitCode, CliError> {
    let keys = provider_keys(&context.settings.providers);
    let keys = Arc::new(ProviderKeyStore { keys, fault: Mutex::default() });
    let registry = providers_with(&context.settings.providers, keys.clone());
    let names = named(&registry, name)?;
    let texts = context.environment.texts();
    let width = texts.render("doctor-grade-fail", &[]).chars().count();
    let mut exit = CliExitCode::Done;
    let mut all = Vec::new();
    for name in names {
        let (fine, says) = match (ask(&registry, &name).await, keys.missing()) {
            (_, Some(why)) if !context.out.json => (false, why.localize(texts)),
            (answer, _) => answer,
        };
        if !fine {
            exit = CliExitCode::Failure;
        }
        if context.out.json {
            all.push(json!({ "name": name, "ok": fine, "says": says }));
        } else {
            let word = texts.render(if fine { "doctor-grade-ok" } else { "doctor-grade-fail" }, &[]);
            context.out.write_data_line(&format!("{word:<width$}  {name}  {}", one_line(&says)))?;
        }
    }
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.provider_checks/1", "checks": all }))?;
    }
    Ok(exit)
}

/// The named provider, or all.
fn named(registry: &Arc<dyn ProviderRegistry>, name: Option<String>) -> Result<Vec<String>, CliError> {
    match name {
        Some(name) if !registry.names().contains(&name) => Err(unknown(&name, &registry.names())),
        Some(name) => Ok(vec![name]),
        None => Ok(registry.names()),
    }
}

/// Reads keys once, and records the errors: providers report them only in English.
struct ProviderKeyStore {
    keys: Arc<dyn SecretStore>,
    fault: Mutex<Option<UserText>>,
}

impl ProviderKeyStore {
    /// Why the last requested key could not be read.
    fn missing(&self) -> Option<UserText> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl SecretStore for ProviderKeyStore {
    fn secret(&self, place: &SecretReference) -> Result<SecretString, SecretError> {
        let read = self.keys.secret(place);
        let fault = read.as_ref().err().map(UserText::from);
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        read
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
