//! The configured location of the database and its options. Pure; a URL stored elsewhere, because it contains a
//! password, is read when the database is opened.

use std::fmt;

use entracte_adapters_db::{DatabaseLocation, DatabaseOptions};
use entracte_application::ports::{SecretError, SecretReference, SecretStore};
use secrecy::ExposeSecret;

use super::layers::ConfigLayer;
use super::runtime_settings;
use super::secret_shorthand::PLACES;
use super::value::SettingValue;
use crate::error::{CliError, CliExitCode};
use crate::user_text::{ConfigFault, UserText, message};

/// The source of the database's location. Its display contains no password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum DatabaseSource {
    /// A path or URL.
    Given(String),
    /// A reference to a variable or file that contains the URL.
    Kept(SecretReference),
}

impl DatabaseSource {
    /// Parses the command-line form: a path, a URL, or `env:NAME` for a variable that contains one.
    pub(crate) fn read(text: &str) -> Self {
        match text.strip_prefix("env:") {
            Some(name) => Self::Kept(SecretReference::Environment(name.to_owned())),
            None => Self::Given(text.to_owned()),
        }
    }

    /// Resolves the location.
    pub(crate) fn location(&self, secrets: &dyn SecretStore) -> Result<DatabaseLocation, CliError> {
        match self {
            Self::Given(text) => Ok(DatabaseLocation::parse(text)?),
            Self::Kept(reference) => {
                let unknown = |error: SecretError| {
                    let text = message!("config-database-url", why = UserText::from(&error));
                    CliError::new(CliExitCode::Usage, text).or_next("entracte config show --origin")
                };
                let url = secrets.secret(reference).map_err(unknown)?;
                Ok(DatabaseLocation::parse(url.expose_secret())?)
            }
        }
    }

    /// The setting that contains it, and its displayable value.
    pub(super) fn shown(&self) -> (&'static str, String) {
        match self {
            Self::Given(text) if !text.contains("://") => ("database.url", text.clone()),
            Self::Given(text) => {
                let shown = DatabaseLocation::parse(text).map(|location| location.to_string());
                // An unreadable URL may contain a password anywhere.
                ("database.url", shown.unwrap_or_else(|_| "…".to_owned()))
            }
            Self::Kept(SecretReference::Environment(name)) => ("database.url_env", name.clone()),
            Self::Kept(SecretReference::File(path)) => ("database.url_file", path.clone()),
            // No database setting names a program.
            Self::Kept(SecretReference::Command(program)) => ("database.url", program.name().to_owned()),
        }
    }
}

impl fmt::Debug for DatabaseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = self.shown();
        write!(f, "{key} = {value}")
    }
}

/// Fails if the database does not exist: a read-only command would create an empty one and report it as fine.
pub(crate) fn expect(location: &DatabaseLocation) -> Result<(), CliError> {
    let is_there = match location {
        // It would be new.
        DatabaseLocation::Memory(_) => false,
        // An inaccessible path is reported when it is opened.
        location => location.file().is_none_or(|file| file.try_exists().unwrap_or(true)),
    };
    match is_there {
        true => Ok(()),
        false => Err(CliError::new(CliExitCode::NotFound, message!("db-none", place = location.to_string()))),
    }
}

/// The database location of the layers; `None` if they set none.
pub(super) fn place(set: &ConfigLayer) -> Result<Option<DatabaseSource>, ConfigFault> {
    let text = |name: &str| Some((set.text(name)?.to_owned(), &set.values.get(name)?.1));
    let [url, variable, file] = PLACES.map(text);
    match (url, variable, file) {
        (None, None, None) => Ok(None),
        (Some((url, _)), None, None) => Ok(Some(DatabaseSource::Given(url))),
        (None, Some((name, _)), None) => Ok(Some(DatabaseSource::Kept(SecretReference::Environment(name)))),
        (None, None, Some((path, _))) => Ok(Some(DatabaseSource::Kept(SecretReference::File(path)))),
        (url, variable, file) => {
            let origins = [url, variable, file].into_iter().flatten().map(|(_, origin)| origin.as_str());
            let origins = origins.collect::<Vec<_>>().join(", ");
            let says = message!("config-database-twice", origins = origins, places = PLACES.join(", "));
            Err(ConfigFault::new(says))
        }
    }
}

/// The database options of the layers.
pub(super) fn options(set: &ConfigLayer) -> DatabaseOptions {
    let default = DatabaseOptions::default();
    DatabaseOptions {
        max_bytes: set.count("database.max_bytes", default.max_bytes),
        busy_timeout: set.span("database.busy_timeout", default.busy_timeout),
        connect_timeout: set.span("database.connect_timeout", default.connect_timeout),
        statement_timeout: set.span("database.statement_timeout", default.statement_timeout),
        commit_lookup: set.span("database.commit_lookup", default.commit_lookup),
        commit_warning: set.span("database.commit_warning", default.commit_warning),
        ownership_check: set.span("database.ownership_check", default.ownership_check),
        require_sync: matches!(set.values.get("database.require_sync"), Some((SettingValue::Flag(true), _))),
        lease: runtime_settings::lease(set),
        ..default
    }
}
