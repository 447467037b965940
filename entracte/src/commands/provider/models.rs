//! `provider models`: the models that the server lists, with their known prices.

use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::prices::{self, MillionTokenPrice, TokenPrices};
use entracte_application::ports::{ModelList, OfferedModel, ProviderDescription};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use super::listed_entries::ListedProvider;
use crate::app_services::providers;
use crate::command_context::CommandContext;
use crate::config::LayerProviderEntry;
use crate::error::{CliError, CliExitCode};
use crate::program_parts::HostProvider;
use crate::render::listing::{heads, write_table};

/// Lists the models of a provider.
pub(super) async fn models(
    context: &CommandContext,
    name: Option<String>,
    limit: usize,
) -> Result<CliExitCode, CliError> {
    let settings = &context.settings;
    let name = name.or_else(|| settings.default_provider.clone()).unwrap_or_default();
    let (provider, asked) = match ListedProvider::find(settings, &name)? {
        ListedProvider::Given(_, given) => (given.provider.clone(), AskedProvider::of_host(&name, given)),
        ListedProvider::Configured(entry) => {
            let registry = providers(&settings.parts, &settings.providers);
            (registry.provider(&name)?, AskedProvider::configured(entry))
        }
    };
    let mut listed = provider.models(limit).await?;
    if let Some(list) = &mut listed {
        list.models.sort_by(|one, other| one.id.cmp(&other.id));
    }
    if context.out.json {
        context.out.write_json_line(&asked.object(listed.as_ref()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.environment.texts();
    match &listed {
        Some(list) => draw(context, &asked, list, texts)?,
        None => {
            let model = asked.model.clone().unwrap_or_default();
            let key = if model.is_empty() { "provider-no-list-nor-model" } else { "provider-no-list" };
            context.out.write_notice(&say!(texts, key, provider = &name, model = model));
        }
    }
    Ok(CliExitCode::Done)
}

/// What is known here of a provider and its models, beside the list.
struct AskedProvider<'a> {
    name: &'a str,
    /// The model of new sessions.
    model: Option<String>,
    /// The window of that model, which sessions use.
    context_tokens: Option<u64>,
    /// Its entry, by which windows and prices are looked up; `None` for a provider of the host, which has none.
    config: Option<&'a ProviderConfig>,
}

fn draw(
    context: &CommandContext,
    asked: &AskedProvider<'_>,
    list: &ModelList,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let rows: Vec<Vec<String>> = list.models.iter().map(|model| asked.row(model)).collect();
    let mut head = heads(texts, &["model", "window", "input", "output"]);
    head.insert(0, String::new());
    write_table(&context.out, &head, &rows)?;
    let configured = asked.model.as_deref().unwrap_or_default();
    if !list.models.iter().any(|model| model.matches_name(configured)) {
        context.out.write_notice(&say!(
            texts,
            "provider-model-not-listed",
            provider = asked.name,
            model = configured
        ));
    }
    if list.is_cut {
        context.out.write_notice(&say!(texts, "provider-models-cut", count = list.models.len()));
    }
    if asked.config.is_some() {
        context.out.write_notice(&say!(texts, "provider-models-prices", date = prices::date()));
    }
    Ok(())
}

impl<'a> AskedProvider<'a> {
    fn configured(entry: &'a LayerProviderEntry) -> Self {
        let config = &entry.config;
        let (model, context_tokens) = (config.model.clone(), config.context_tokens);
        Self { name: &entry.name, model, context_tokens, config: Some(config) }
    }

    fn of_host(name: &'a str, given: &HostProvider) -> Self {
        let ProviderDescription { default_model, context_tokens, .. } = given.provider.info();
        Self { name, model: Some(default_model), context_tokens, config: None }
    }

    fn row(&self, model: &OfferedModel) -> Vec<String> {
        let prices = self.prices(model);
        let dollars =
            |price: Option<MillionTokenPrice>| price.map(|price| price.to_string()).unwrap_or_default();
        vec![
            if self.is_configured(model) { "*".to_owned() } else { String::new() },
            model.id.clone(),
            self.window(model).map(|tokens| tokens.to_string()).unwrap_or_default(),
            dollars(prices.and_then(|prices| prices.input)),
            dollars(prices.and_then(|prices| prices.output)),
        ]
    }

    fn is_configured(&self, model: &OfferedModel) -> bool {
        self.model.as_deref().is_some_and(|name| model.matches_name(name))
    }

    fn prices(&self, model: &OfferedModel) -> Option<TokenPrices> {
        self.config.and_then(|config| prices::prices_of_model(config, &model.id))
    }

    /// The own window of the provider comes first, because sessions use it; then the server's.
    fn window(&self, model: &OfferedModel) -> Option<u64> {
        let own = self.context_tokens.filter(|_| self.is_configured(model));
        let known = || self.config.and_then(|config| prices::window_of(config, &model.id));
        own.or(model.context_tokens).or_else(known)
    }

    /// The object `entracte.models/1`.
    fn object(&self, listed: Option<&ModelList>) -> Value {
        let of_model = |model: &OfferedModel| {
            json!({
                "id": model.id,
                "name": model.name,
                "configured": self.is_configured(model),
                "context_tokens": self.window(model),
                "max_output_tokens": model.max_output_tokens,
                "prices": self.prices(model),
            })
        };
        let models: Option<Vec<Value>> = listed.map(|list| list.models.iter().map(of_model).collect());
        json!({
            "schema": "entracte.models/1",
            "provider": self.name,
            "configured": self.model,
            "has_list": listed.is_some(),
            "is_cut": listed.is_some_and(|list| list.is_cut),
            "prices_date": prices::date(),
            "models": models.unwrap_or_default(),
        })
    }
}
