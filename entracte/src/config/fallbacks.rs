//! Fallbacks of failing providers: the lists of all entries, checked against each other. Pure.

use entracte_adapters_providers::config::FallbackConfig;
use entracte_application::settings::FallbackModels;
use entracte_domain::session::ModelSelection;
use entracte_domain::session::failure::FailureClass;

use super::layers::LayerProviderEntry;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// The fallbacks of all entries.
///
/// # Errors
/// When one names an unknown provider, or the lists form a cycle.
pub(crate) fn fallbacks(entries: &[LayerProviderEntry]) -> Result<FallbackModels, ConfigFault> {
    let mut named = Vec::new();
    for entry in entries {
        let Some(fallback) = &entry.config.fallback else { continue };
        for (key, names) in fallback.lists() {
            check(entries, entry, key, names)?;
        }
        for class in FailureClass::ALL {
            let voices =
                fallback.providers_for(class).iter().filter_map(|name| find(entries, name)).map(voice);
            named.extend(voices.map(|voice| (entry.name.clone(), class, voice)));
        }
    }
    Ok(FallbackModels::new(named))
}

fn check(
    entries: &[LayerProviderEntry],
    entry: &LayerProviderEntry,
    key: &str,
    names: &[String],
) -> Result<(), ConfigFault> {
    let setting = format!("providers.{}.fallback.{key}", entry.name);
    for name in names {
        if find(entries, name).is_none() {
            let origin = entry.origin.as_str();
            let says =
                message!("config-fallback-unknown", setting = &setting, provider = name, origin = origin);
            let known = entries.iter().map(|other| other.name.clone()).filter(|known| *known != entry.name);
            return Err(ConfigFault::new(says).allowing(name, known.collect()));
        }
    }
    match find_cycle(entries, &entry.name, key) {
        Some(cycle) => {
            let cycle = cycle.join(" → ");
            let says =
                message!("config-fallback-circle", setting = setting, way = cycle, origin = &entry.origin);
            Err(ConfigFault::new(says))
        }
        None => Ok(()),
    }
}

/// A cycle of the lists of `key` through `from`: the names from the entry back to itself.
fn find_cycle<'a>(entries: &'a [LayerProviderEntry], from: &'a str, key: &str) -> Option<Vec<&'a str>> {
    let next = |name: &str| {
        let lists =
            find(entries, name).and_then(|entry| entry.config.fallback.as_ref()).map(FallbackConfig::lists);
        let list = lists.into_iter().flatten().find(|(known, _)| *known == key);
        list.map_or(&[][..], |(_, names)| names)
    };
    let mut met = Vec::new();
    let mut ways = vec![vec![from]];
    while let Some(runtime) = ways.pop() {
        for name in runtime.last().map_or(&[][..], |last| next(last)) {
            let mut runtime = runtime.clone();
            runtime.push(name);
            if name == from {
                return Some(runtime);
            }
            if !met.contains(&name) {
                met.push(name);
                ways.push(runtime);
            }
        }
    }
    None
}

fn find<'a>(entries: &'a [LayerProviderEntry], name: &str) -> Option<&'a LayerProviderEntry> {
    entries.iter().find(|entry| entry.name == name)
}

/// The model of an entry, as a new session selects it.
fn voice(entry: &LayerProviderEntry) -> ModelSelection {
    ModelSelection {
        provider: entry.name.clone(),
        model: entry.config.model.clone().unwrap_or_default(),
        dialect: entry.dialect,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use entracte_domain::session::Dialect;

    use super::*;
    use crate::config::file::read;

    /// The fallbacks of rehearsal entries with these lists.
    fn of(lists: &[(&str, &str)]) -> Result<FallbackModels, String> {
        let entry = |(name, list): &(&str, &str)| {
            format!("[providers.{name}]\nkind = \"rehearsal\"\nscript = \"s\"\nmodel = \"m\"\n{list}\n")
        };
        let text: String = lists.iter().map(entry).collect();
        let layer = read("x.toml", &text, Path::new("")).map_err(|fault| fault.to_string())?;
        fallbacks(&layer.providers).map_err(|fault| fault.to_string())
    }

    #[test]
    fn fallback_list_gives_models_in_order() {
        let lists = [
            ("a", "fallback = { exhausted = [\"c\", \"b\"], down = [\"b\"] }"),
            ("b", "dialect = \"tools\""),
            ("c", ""),
        ];
        let fallbacks = of(&lists).unwrap();
        let told = |class| {
            let of = fallbacks
                .models_for_failure("a", class)
                .map(|voice| (voice.provider.as_str(), voice.dialect));
            of.collect::<Vec<_>>()
        };
        assert_eq!(told(FailureClass::Exhausted), [("c", Dialect::Envelope), ("b", Dialect::Tools)]);
        for down in [FailureClass::Unreachable, FailureClass::Overloaded, FailureClass::Lost] {
            assert_eq!(told(down), [("b", Dialect::Tools)], "{down:?}");
        }
        assert_eq!(told(FailureClass::Refused), []);
        assert_eq!(fallbacks.models_for_failure("b", FailureClass::Exhausted).count(), 0);
    }

    #[test]
    fn invalid_fallback_list_reports_fix() {
        let cases: [(&[(&str, &str)], &str); 4] = [
            (
                &[("groq", ""), ("a", "fallback.exhausted = [\"grok\"]")],
                "providers.a.fallback.exhausted in x.toml:6: there is no provider “grok”; add [providers.grok], or \
                 name another one; did you mean “groq”?\nallowed: groq",
            ),
            (
                &[
                    ("a", "fallback.down = [\"b\"]"),
                    ("b", "fallback.down = [\"c\"]"),
                    ("c", "fallback.down = [\"b\"]"),
                ],
                "providers.b.fallback.down in x.toml:6: it leads back to itself: b → c → b; take one of the names out",
            ),
            (
                &[("a", "fallback.down = [\"a\"]")],
                "providers.a.fallback.down: “a” is the entry itself; name other providers",
            ),
            (&[("a", "fallback.gone = [\"b\"]"), ("b", "")], "unknown field `gone`"),
        ];
        for (lists, expected) in cases {
            let says = of(lists).unwrap_err();
            assert!(says.contains(expected), "{says}");
        }
    }

    #[test]
    fn lists_of_different_keys_may_cross() {
        of(&[("a", "fallback.exhausted = [\"b\"]"), ("b", "fallback.down = [\"a\"]")]).unwrap();
    }
}
