//! The process environment: variables, folders, terminals. Read once, only here.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, ReaderLanguage};
use etcetera::BaseStrategy;
use jiff::tz::TimeZone;

/// The process environment at start.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnvironment {
    /// The environment variables; those that are not UTF-8 are left out.
    pub(crate) variables: BTreeMap<String, String>,
    /// The folder of the user's configuration.
    pub(crate) config_dir: PathBuf,
    /// The folder of the user's data.
    pub(crate) data_dir: PathBuf,
    /// Whether standard input is a terminal.
    pub(crate) stdin_terminal: bool,
    /// Whether standard output is a terminal.
    pub(crate) stdout_terminal: bool,
    /// Whether standard error is a terminal.
    pub(crate) stderr_terminal: bool,
    /// The columns of the terminal; `None` without one.
    pub(crate) width: Option<usize>,
}

impl ProcessEnvironment {
    /// Reads the environment of this process.
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

    /// The value of a variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The language that the user asks for, who then reads it in every workspace.
    pub(crate) fn reader(&self) -> ReaderLanguage {
        requested_language(&self.variables).into()
    }

    /// The language of the command line where no workspace has one: that of the user, else English.
    pub(crate) fn language(&self) -> Language {
        self.reader().in_workspace(Language::default())
    }

    /// The texts in that language.
    pub(crate) fn texts(&self) -> &'static LocalizedTexts {
        LocalizedTexts::for_language(self.language())
    }

    /// The IANA time zone of the machine, for new workspaces; UTC if it has no name.
    pub(crate) fn zone(&self) -> String {
        let named = self.variable("TZ").map(|named| named.trim_start_matches(':'));
        let is_zone = |named: &&str| TimeZone::get(named).is_ok();
        let system = || TimeZone::try_system().ok().and_then(|zone| zone.iana_name().map(str::to_owned));
        // Servers often name UTC by its other name.
        let zone = named.filter(is_zone).map(str::to_owned).or_else(system).filter(|zone| zone != "Etc/UTC");
        zone.unwrap_or_else(|| "UTC".to_owned())
    }

    /// The name of the operating-system user.
    pub(crate) fn user(&self) -> &str {
        ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| self.variable(name)).unwrap_or("user")
    }
}

/// The language of `ENTRACTE_LANGUAGE`, else of the locale. `None` if that is none with texts: `C`, `POSIX` and an unset
/// locale name no language.
fn requested_language(variables: &BTreeMap<String, String>) -> Option<Language> {
    let set = |name: &str| variables.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let read = |value: &str| {
        let code: String = value.chars().take_while(char::is_ascii_alphabetic).collect();
        Language::from_word(&code.to_ascii_lowercase())
    };
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).and_then(read);
    set(LANGUAGE).and_then(read).or_else(locale)
}

/// The variable that sets the language of the command line.
pub(crate) const LANGUAGE: &str = "ENTRACTE_LANGUAGE";

/// The variable with the address of the server that commands use.
pub(crate) const SERVER: &str = "ENTRACTE_SERVER";

/// The variable with the token for that server, in place of a kept login.
pub(crate) const TOKEN: &str = "ENTRACTE_TOKEN";

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

    /// Variables of a shell, and the language that they ask for.
    type LanguageCase<'a> = (&'a [(&'a str, &'a str)], Option<Language>);

    #[test]
    fn language_comes_from_variable_then_locale() {
        let cases: [LanguageCase; 10] = [
            (&[], None),
            (&[("LANG", "C.UTF-8")], None),
            (&[("LANG", "de_DE.UTF-8")], None),
            (&[("LANG", "fr_FR.UTF-8")], Some(Language::Fr)),
            (&[("LANG", "fr_FR.UTF-8"), ("LC_ALL", "C")], None),
            (&[("LANG", "en_GB"), ("LC_MESSAGES", "fr")], Some(Language::Fr)),
            (&[("LANG", "fr"), ("LC_ALL", "")], Some(Language::Fr)),
            (&[("LANG", "fr_FR"), (LANGUAGE, "en")], Some(Language::En)),
            (&[("LANG", "fr_FR"), (LANGUAGE, "xx")], Some(Language::Fr)),
            (&[("LANG", "de_DE"), (LANGUAGE, "FR")], Some(Language::Fr)),
        ];
        for (variables, expected) in cases {
            let variables =
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(requested_language(&variables), expected, "{variables:?}");
        }
    }
}
