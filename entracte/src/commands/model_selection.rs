//! The model of a new session.

use entracte_domain::session::{Dialect, ModelSelection};

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The model selection of a new session: this provider or the default one, with this model or the provider's own.
pub(super) fn new_voice(
    context: &CommandContext,
    services: &AppServices,
    provider: Option<&str>,
    model: Option<&str>,
) -> Result<ModelSelection, CliError> {
    let settings = &context.settings;
    let Some(provider) = provider.or(settings.default_provider.as_deref()) else {
        return Err(no_provider(context));
    };
    let made = services.providers.provider(provider).map_err(|failure| {
        let exit = if settings.has_provider(provider) { CliExitCode::Usage } else { CliExitCode::NotFound };
        CliError::new(exit, failure.message).or_next("entracte provider list")
    })?;
    let model = model.map_or_else(|| made.info().default_model, str::to_owned);
    let dialect = settings.dialect_of(provider).unwrap_or(Dialect::Envelope);
    Ok(ModelSelection { provider: provider.to_owned(), model, dialect })
}

fn no_provider(context: &CommandContext) -> CliError {
    let keys = context.settings.providers.iter().filter_map(|entry| entry.config.api_key_env.as_deref());
    let keys: Vec<&str> = keys.collect();
    let key = *keys.first().unwrap_or(&"ANTHROPIC_API_KEY");
    let text = message!("provider-none", keys = keys.join(", "), key = key);
    CliError::with_next(CliExitCode::Usage, text, "entracte init")
}
