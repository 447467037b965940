//! `provider models`: the models that the server lists, with their known prices.

use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::prices::{self, MillionTokenPrice};
use entracte_application::ports::{ModelList, OfferedModel};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use super::{names, unknown};
use crate::app_services::providers;
use crate::command_context::CommandContext;
use crate::config::LayerProviderEntry;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};

/// Lists the models of a provider.
pub(super) async fn models(
    context: &CommandContext,
    name: Option<String>,
    limit: usize,
) -> Result<CliExitCode, CliError> {
    let name = name.or_else(|| context.settings.default_provider.clone()).unwrap_or_default();
    let found = context.settings.providers.iter().find(|entry| entry.name == name);
    let entry = found.ok_or_else(|| unknown(&name, &names(context)))?;
    let registry = providers(&context.settings.parts, &context.settings.providers);
    let mut listed = registry.provider(&name)?.models(limit).await?;
    if let Some(list) = &mut listed {
        list.models.sort_by(|one, other| one.id.cmp(&other.id));
    }
    if context.out.json {
        context.out.write_json_line(&object(entry, listed.as_ref()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.environment.texts();
    match &listed {
        Some(list) => draw(context, entry, list, texts)?,
        None => {
            let model = entry.config.model.clone().unwrap_or_default();
            let key = if model.is_empty() { "provider-no-list-nor-model" } else { "provider-no-list" };
            context.out.write_notice(&say!(texts, key, provider = &name, model = model));
        }
    }
    Ok(CliExitCode::Done)
}

fn draw(
    context: &CommandContext,
    entry: &LayerProviderEntry,
    list: &ModelList,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let rows: Vec<Vec<String>> = list.models.iter().map(|model| row(entry, model)).collect();
    let mut head = heads(texts, &["model", "window", "input", "output"]);
    head.insert(0, String::new());
    write_table(&context.out, &head, &rows)?;
    let configured = entry.config.model.as_deref().unwrap_or_default();
    if !list.models.iter().any(|model| model.matches_name(configured)) {
        context.out.write_notice(&say!(
            texts,
            "provider-model-not-listed",
            provider = &entry.name,
            model = configured
        ));
    }
    if list.is_cut {
        context.out.write_notice(&say!(texts, "provider-models-cut", count = list.models.len()));
    }
    context.out.write_notice(&say!(texts, "provider-models-prices", date = prices::date()));
    Ok(())
}

fn row(entry: &LayerProviderEntry, model: &OfferedModel) -> Vec<String> {
    let config = &entry.config;
    let prices = prices::prices_of_model(config, &model.id);
    let dollars = |price: Option<MillionTokenPrice>| price.map(|price| price.to_string()).unwrap_or_default();
    vec![
        if is_configured(config, model) { "*".to_owned() } else { String::new() },
        model.id.clone(),
        window(config, model).map(|tokens| tokens.to_string()).unwrap_or_default(),
        dollars(prices.and_then(|prices| prices.input)),
        dollars(prices.and_then(|prices| prices.output)),
    ]
}

fn is_configured(config: &ProviderConfig, model: &OfferedModel) -> bool {
    config.model.as_deref().is_some_and(|name| model.matches_name(name))
}

/// The window of the entry comes first, because sessions use it; then the server's.
fn window(config: &ProviderConfig, model: &OfferedModel) -> Option<u64> {
    let own = config.context_tokens.filter(|_| is_configured(config, model));
    own.or(model.context_tokens).or_else(|| prices::window_of(config, &model.id))
}

/// The object `entracte.models/1`.
fn object(entry: &LayerProviderEntry, listed: Option<&ModelList>) -> Value {
    let config = &entry.config;
    let of_model = |model: &OfferedModel| {
        json!({
            "id": model.id,
            "name": model.name,
            "configured": is_configured(config, model),
            "context_tokens": window(config, model),
            "max_output_tokens": model.max_output_tokens,
            "prices": prices::prices_of_model(config, &model.id),
        })
    };
    json!({
        "schema": "entracte.models/1",
        "provider": entry.name,
        "configured": config.model,
        "has_list": listed.is_some(),
        "is_cut": listed.is_some_and(|list| list.is_cut),
        "prices_date": prices::date(),
        "models": listed.map(|list| list.models.iter().map(of_model).collect::<Vec<_>>()).unwrap_or_default(),
    })
}
