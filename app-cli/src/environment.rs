//! What surrounds the process: variables, folders, terminals. Read once, here and nowhere else.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use etcetera::BaseStrategy;

/// The process's surroundings, as they were at its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnvironment {
    /// Variables; those that are no text are left out.
    pub(crate) variables: BTreeMap<String, String>,
    /// Where the user's configuration lies.
    pub(crate) config_dir: PathBuf,
    /// Where the user's data lie.
    pub(crate) data_dir: PathBuf,
    /// Standard input is a terminal.
    pub(crate) stdin_terminal: bool,
    /// Standard output is a terminal.
    pub(crate) stdout_terminal: bool,
    /// Standard error is a terminal.
    pub(crate) stderr_terminal: bool,
    /// Columns of the terminal; none when there is none.
    pub(crate) width: Option<usize>,
}

impl ProcessEnvironment {
    /// Reads it.
    pub(crate) fn read() -> Self {
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let base = etcetera::choose_base_strategy().ok();
        let (config, data) = base.map_or_else(Default::default, |base| (base.config_dir(), base.data_dir()));
        let stdout_terminal = std::io::stdout().is_terminal();
        let stderr_terminal = std::io::stderr().is_terminal();
        Self {
            width: width(&variables, stdout_terminal || stderr_terminal),
            config_dir: config.join("entracte"),
            data_dir: data.join("entracte"),
            stdin_terminal: std::io::stdin().is_terminal(),
            stdout_terminal,
            stderr_terminal,
            variables,
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The language of the command line where no workspace says its own.
    pub(crate) fn language(&self) -> Language {
        language(&self.variables)
    }

    /// The texts of the command line where no workspace says its language.
    pub(crate) fn texts(&self) -> &'static LocalizedTexts {
        LocalizedTexts::for_language(language(&self.variables))
    }

    /// The name of the user who runs this.
    pub(crate) fn user(&self) -> &str {
        ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| self.variable(name)).unwrap_or("user")
    }
}

/// `ENTRACTE_LANGUAGE`, else the language of the locale, else English.
fn language(variables: &BTreeMap<String, String>) -> Language {
    let set = |name: &str| variables.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let read = |value: &str| {
        let code: String = value.chars().take_while(char::is_ascii_alphabetic).collect();
        Language::from_word(&code.to_ascii_lowercase())
    };
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).and_then(read);
    set(LANGUAGE).and_then(read).or_else(locale).unwrap_or(Language::En)
}

/// The variable that says the language of the command line.
pub(crate) const LANGUAGE: &str = "ENTRACTE_LANGUAGE";

fn width(variables: &BTreeMap<String, String>, terminal: bool) -> Option<usize> {
    if !terminal {
        return None;
    }
    let told = variables.get("COLUMNS").and_then(|columns| columns.parse().ok());
    let measured = || crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
    told.or_else(measured).filter(|columns| *columns > 0).or(Some(80))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_our_variable_then_of_the_locale() {
        let cases: [(&[(&str, &str)], Language); 8] = [
            (&[], Language::En),
            (&[("LANG", "fr_FR.UTF-8")], Language::Fr),
            (&[("LANG", "fr_FR.UTF-8"), ("LC_ALL", "C")], Language::En),
            (&[("LANG", "en_GB"), ("LC_MESSAGES", "fr")], Language::Fr),
            (&[("LANG", "fr"), ("LC_ALL", "")], Language::Fr),
            (&[("LANG", "fr_FR"), (LANGUAGE, "en")], Language::En),
            (&[("LANG", "fr_FR"), (LANGUAGE, "xx")], Language::Fr),
            (&[("LANG", "de_DE"), (LANGUAGE, "FR")], Language::Fr),
        ];
        for (variables, expected) in cases {
            let variables =
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(language(&variables), expected, "{variables:?}");
        }
    }
}
