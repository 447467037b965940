//! Reads a configuration file. Every fault is reported with its line.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_providers::config::{CommandDialect, ProviderConfig};
use entracte_domain::session::Dialect;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::key_span::find_key_span;
use super::layers::{ConfigLayer, LayerProviderEntry, usual_dialect};
use super::path_resolution::ConfigFolder;
use super::setting_keys::{SettingAlias, keys, names_in};
use super::toml_messages::one_line;
use super::value::SettingValue;
use crate::user_text::{ConfigFault, SourceLocation, message};

/// Parses the text of a file. `shown` is its name in messages; relative paths in it are resolved in `folder`.
pub(crate) fn read(shown: &str, text: &str, folder: &Path) -> Result<ConfigLayer, ConfigFault> {
    let reader = ConfigFileReader { shown, text, folder: ConfigFolder::of(folder) };
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        ConfigFault::new(one_line(error.message())).at(reader.place(span))
    })?;
    let mut layer = ConfigLayer::default();
    reader.table("", table.into_inner(), &mut layer)?;
    // In the order of the file: the first one is the default provider.
    layer.providers.sort_by_key(|entry| entry.line);
    Ok(layer)
}

pub(super) struct ConfigFileReader<'a> {
    shown: &'a str,
    text: &'a str,
    /// The folder in which its relative paths are resolved.
    pub(super) folder: ConfigFolder,
}

impl ConfigFileReader<'_> {
    pub(super) fn place(&self, span: std::ops::Range<usize>) -> SourceLocation {
        SourceLocation::new(self.shown, self.text, span)
    }

    /// The origin text for a line of the file.
    pub(super) fn origin(&self, line: usize) -> String {
        format!("{}:{line}", self.shown)
    }

    /// The position of an entry's key, or of the entry if the key is absent.
    pub(super) fn place_of(
        &self,
        entry: &Spanned<DeValue<'_>>,
        key: &str,
        otherwise: &SourceLocation,
    ) -> SourceLocation {
        find_key_span(entry, key).map_or_else(|| otherwise.clone(), |span| self.place(span))
    }

    fn table(&self, name: &str, table: DeTable<'_>, layer: &mut ConfigLayer) -> Result<(), ConfigFault> {
        let known: BTreeMap<String, _> = keys().into_iter().map(|key| (key.name, key.kind)).collect();
        for (key, value) in table {
            let full =
                if name.is_empty() { key.get_ref().to_string() } else { format!("{name}.{}", key.get_ref()) };
            if full == "providers" {
                self.providers(&key, value, layer)?;
            } else if full == "tools" {
                layer.tools.join(self.tools(&key, value)?);
            } else if full == "mcp" {
                layer.tools.join(self.mcp(&key, value)?);
            } else if full == "secrets" {
                layer.secrets.extend(self.secrets(&key, value)?);
            } else if full == "agents" {
                layer.agents.extend(self.agents(&key, value)?);
            } else if let Some(kind) = known.get(&full) {
                let place = self.place(value.span());
                let Some(read) = kind.read_toml(value.get_ref()) else {
                    let says = message!("config-must-be", setting = &full, what = kind.expected());
                    return Err(ConfigFault::new(says).at(place));
                };
                let read = match read {
                    SettingValue::Text(text) => SettingValue::Text(self.folder.setting(&full, text)),
                    read => read,
                };
                layer.values.insert(full, (read, self.origin(place.line)));
            } else if let Some(alias) = SettingAlias::find(&full) {
                let place = self.place(value.span());
                let Some(read) = alias.kind.read_toml(value.get_ref()) else {
                    let says = message!("config-must-be", setting = &full, what = alias.kind.expected());
                    return Err(ConfigFault::new(says).at(place));
                };
                let value = ((alias.convert)(read), self.origin(place.line));
                layer.values.entry(alias.of.to_owned()).or_insert(value);
            } else if names_in(name).iter().any(|known| known == key.get_ref()) {
                let span = value.span();
                let DeValue::Table(inner) = value.into_inner() else {
                    let says = message!("config-table", setting = &full);
                    return Err(ConfigFault::new(says).at(self.place(span)));
                };
                self.table(&full, inner, layer)?;
            } else {
                let fault = ConfigFault::new(message!("config-no-setting", setting = &full));
                return Err(fault.at(self.place(key.span())).allowing(key.get_ref(), names_in(name)));
            }
        }
        Ok(())
    }

    fn providers(
        &self,
        key: &Spanned<toml::de::DeString<'_>>,
        value: Spanned<DeValue<'_>>,
        layer: &mut ConfigLayer,
    ) -> Result<(), ConfigFault> {
        let DeValue::Table(entries) = value.into_inner() else {
            let fault = ConfigFault::new(message!("config-tables", setting = "providers"));
            return Err(fault.at(self.place(key.span())));
        };
        for (name, value) in entries {
            let entry = self.provider(&name, value)?;
            layer.providers.push(entry);
        }
        Ok(())
    }

    fn provider(
        &self,
        name: &Spanned<toml::de::DeString<'_>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<LayerProviderEntry, ConfigFault> {
        let place = self.place(name.span());
        let entry = name.get_ref().to_string();
        let says_dialect = match value.get_ref() {
            DeValue::Table(table) => table.iter().any(|(key, _)| key.get_ref() == "dialect"),
            _ => false,
        };
        let mut config = ProviderConfig::deserialize(ValueDeserializer::from(value.clone()))
            .map_err(|error| self.wrong_entry(&entry, &error, &place))?;
        self.folder.settle_provider(&mut config);
        config.check(&entry).map_err(|error| {
            ConfigFault::new(error.saying()).at(self.place_of(&value, &error.key, &place))
        })?;
        let dialect = match config.dialect {
            _ if !says_dialect => usual_dialect(config.kind),
            CommandDialect::Tools => Dialect::Tools,
            CommandDialect::Envelope => Dialect::Envelope,
        };
        let origin = self.origin(place.line);
        Ok(LayerProviderEntry { name: entry, config, dialect, origin, model_origin: None, line: place.line })
    }

    fn wrong_entry(&self, entry: &str, error: &toml::de::Error, place: &SourceLocation) -> ConfigFault {
        self.wrong(&format!("providers.{entry}"), error, place)
    }
}
