//! Finds variables that look like settings but are not. Pure.

use std::collections::BTreeMap;

use entracte_application::near_names::nearest;

use super::setting_keys::{SettingAlias, keys, variable};
use crate::environment::{LANGUAGE, SERVER, TOKEN};
use crate::user_text::{UserText, message};

/// The prefix of all variables of Entracte.
const OURS: &str = "ENTRACTE_";

/// Variables of Entracte that are not settings.
const OTHERS: [&str; 5] = ["ENTRACTE_CONFIG", "ENTRACTE_LOG", LANGUAGE, SERVER, TOKEN];

/// An unknown variable with the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownVariable {
    /// Its name.
    pub(crate) name: String,
    /// The known variable that was probably meant.
    pub(crate) guess: Option<String>,
}

impl UnknownVariable {
    /// The message about the variable, with the guess.
    pub(crate) fn says(&self) -> UserText {
        match &self.guess {
            Some(guess) => message!("config-variable-guess", name = &self.name, guess = guess),
            None => UserText::from(self.name.as_str()),
        }
    }
}

/// The unknown variables with the prefix. Their values are not read, because they may be secrets.
pub(crate) fn unknown_variables(
    variables: &BTreeMap<String, String>,
    secrets: &[String],
) -> Vec<UnknownVariable> {
    let mut known: Vec<String> = keys().iter().map(|key| variable(&key.name)).collect();
    known.extend(SettingAlias::all().iter().map(|alias| variable(alias.name)));
    known.extend(OTHERS.map(str::to_owned));
    known.extend(secrets.iter().cloned());
    // The common prefix would make all names similar, so it is ignored.
    let rests: Vec<String> =
        known.iter().filter_map(|name| name.strip_prefix(OURS)).map(str::to_owned).collect();
    let guess = |rest: &str| nearest(rest, &rests).map(|rest| format!("{OURS}{rest}"));
    let unknown = variables.keys().filter(|name| !known.contains(name)).filter_map(|name| {
        let rest = name.strip_prefix(OURS)?;
        Some(UnknownVariable { name: name.clone(), guess: guess(rest) })
    });
    unknown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variable_is_reported_with_nearest_name() {
        let names = ["ENTRACTE_LIMITS_ROUND", "ENTRACTE_LOG", "ENTRACTE_MY_KEY", "ENTRACTE_XYZ", "HOME"];
        let variables = names.map(|name| (name.to_owned(), "sk-secret".to_owned())).into();
        let unknown = unknown_variables(&variables, &["ENTRACTE_MY_KEY".to_owned()]);
        let shown: Vec<String> = unknown.iter().map(|variable| variable.says().to_string()).collect();
        assert_eq!(shown, ["ENTRACTE_LIMITS_ROUND (did you mean ENTRACTE_LIMITS_ROUNDS?)", "ENTRACTE_XYZ"]);
    }
}
