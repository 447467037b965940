//! Fallbacks of failing providers: the lists of all entries, checked against each other. Pure.

use std::collections::BTreeMap;

use entracte_adapters_providers::config::FallbackConfig;
use entracte_application::settings::FallbackModels;
use entracte_domain::session::ModelSelection;
use entracte_domain::session::failure::FailureClass;

use super::layers::LayerProviderEntry;
use crate::program_parts::HostProvider;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// The fallbacks of all entries: providers that the host gives, else configured ones.
///
/// # Errors
/// When one names an unknown provider, or the lists form a cycle.
pub(crate) fn fallbacks(
    entries: &[LayerProviderEntry],
    given: &BTreeMap<String, HostProvider>,
) -> Result<FallbackModels, ConfigFault> {
    let mut named = Vec::new();
    for entry in entries {
        let Some(fallback) = &entry.config.fallback else { continue };
        for (key, names) in fallback.lists() {
            check(entries, given, entry, key, names)?;
        }
        for class in FailureClass::ALL {
            let voices = fallback.providers_for(class).iter().filter_map(|name| voice(entries, given, name));
            named.extend(voices.map(|voice| (entry.name.clone(), class, voice)));
        }
    }
    Ok(FallbackModels::new(named))
}

/// Checks the list of an entry for one kind of failure.
fn check(
    entries: &[LayerProviderEntry],
    given: &BTreeMap<String, HostProvider>,
    entry: &LayerProviderEntry,
    key: &str,
    names: &[String],
) -> Result<(), ConfigFault> {
    let setting = format!("providers.{}.fallback.{key}", entry.name);
    for name in names {
        if find(entries, name).is_none() && !given.contains_key(name) {
            let origin = entry.origin.as_str();
            let says =
                message!("config-fallback-unknown", setting = &setting, provider = name, origin = origin);
            let configured =
                entries.iter().map(|other| &other.name).filter(|name| !given.contains_key(*name));
            let known = given.keys().chain(configured).filter(|known| **known != entry.name);
            return Err(ConfigFault::new(says).allowing(name, known.cloned().collect()));
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

/// The model of a provider, as a new session selects it; `None` if there is no provider of this name.
fn voice(
    entries: &[LayerProviderEntry],
    given: &BTreeMap<String, HostProvider>,
    name: &str,
) -> Option<ModelSelection> {
    if let Some(of_host) = given.get(name) {
        return Some(of_host.selection(name, None));
    }
    let entry = find(entries, name)?;
    Some(ModelSelection {
        provider: entry.name.clone(),
        model: entry.config.model.clone().unwrap_or_default(),
        dialect: entry.dialect,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use std::sync::Arc;

    use entracte_adapters_providers::rehearsal::RehearsalProvider;
    use entracte_application::ports::Provider as _;
    use entracte_application::system::SystemClock;
    use entracte_domain::session::Dialect;

    use super::*;
    use crate::config::file::read;

    /// The fallbacks of rehearsal entries with these lists.
    fn of(lists: &[(&str, &str)]) -> Result<FallbackModels, String> {
        beside(&BTreeMap::new(), lists)
    }

    /// The same, in a program whose host gives these providers.
    fn beside(
        given: &BTreeMap<String, HostProvider>,
        lists: &[(&str, &str)],
    ) -> Result<FallbackModels, String> {
        let entry = |(name, list): &(&str, &str)| {
            format!("[providers.{name}]\nkind = \"rehearsal\"\nscript = \"s\"\nmodel = \"m\"\n{list}\n")
        };
        let text: String = lists.iter().map(entry).collect();
        let layer = read("x.toml", &text, Path::new("")).map_err(|fault| fault.to_string())?;
        fallbacks(&layer.providers, given).map_err(|fault| fault.to_string())
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

    /// Input: fallbacks on a provider that the host gives, alone and under the name of an entry, and on one that nobody has;
    /// expected: the host's is asked with its own model and dialect, an entry under its name keeps its lists, and the fault
    /// names the host's.
    #[test]
    fn fallbacks_name_providers_of_host() {
        let script = "[[turn]]\ntext = \"One.\"\n";
        let provider = Arc::new(RehearsalProvider::from_script(script, Arc::new(SystemClock)).unwrap());
        let own = provider.info().default_model;
        let given = HostProvider { provider, dialect: Dialect::Tools };
        let given = BTreeMap::from([("clerk".to_owned(), given)]);
        let models = |lists: &[(&str, &str)], from: &str| {
            let fallbacks = beside(&given, lists).unwrap();
            let found = fallbacks.models_for_failure(from, FailureClass::Exhausted);
            found
                .map(|voice| (voice.provider.clone(), voice.model.clone(), voice.dialect))
                .collect::<Vec<_>>()
        };
        let to_clerk = ("a", "fallback.exhausted = [\"clerk\"]");
        let of_host = [("clerk".to_owned(), own, Dialect::Tools)];
        assert_eq!(models(&[to_clerk], "a"), of_host);
        let entry = ("clerk", "fallback.exhausted = [\"b\"]");
        assert_eq!(models(&[to_clerk, entry, ("b", "")], "a"), of_host);
        let b = [("b".to_owned(), "m".to_owned(), Dialect::Envelope)];
        assert_eq!(models(&[to_clerk, entry, ("b", "")], "clerk"), b);
        let unknown = beside(&given, &[("a", "fallback.exhausted = [\"clark\"]"), ("b", "")]).unwrap_err();
        assert!(unknown.ends_with("did you mean “clerk”?\nallowed: clerk, b"), "{unknown}");
    }

    #[test]
    fn lists_of_different_keys_may_cross() {
        of(&[("a", "fallback.exhausted = [\"b\"]"), ("b", "fallback.down = [\"a\"]")]).unwrap();
    }
}
