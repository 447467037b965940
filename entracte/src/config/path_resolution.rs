//! Resolves the relative paths of a configuration in the folder of the file that names them. The same rule applies to
//! all settings and entries, and each path is absolute afterwards.
//!
//! The working folder may contain a file or program of the same name from another person, and a file must mean the
//! same wherever it is read from.

use std::path::{Path, PathBuf};

use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::secret::{DeclaredSecret, SecretPlace, SecretText};
use entracte_adapters_commands::tasks::TaskConfig;
use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_application::system::START_FOLDER;

use super::secret_shorthand::parse_secret_shorthand;

/// The keys of a provider's entry whose values are paths.
pub(crate) const PROVIDER_PATHS: [&str; 3] = ["api_key_file", "api_key_command_cwd", "script"];

/// The real path of a configuration file's folder.
pub(super) struct ConfigFolder(PathBuf);

impl ConfigFolder {
    /// The folder at this path, as given.
    pub(super) fn of(path: &Path) -> Self {
        Self(real(path).unwrap_or_else(|_| Path::new(START_FOLDER).join(path)))
    }

    /// The value of a setting, resolved if it is a path.
    pub(super) fn setting(&self, name: &str, text: String) -> String {
        match name {
            "data" if parse_secret_shorthand(&text).is_some() => text,
            "data" | "backup.folder" | "database.url_file" | "notify.push_key_file" | "policy.rego" => {
                self.to_absolute(&text)
            }
            "database.url" => self.database(&text),
            _ => text,
        }
    }

    /// The location of a database: a path, or a URL with one. Other texts are unchanged.
    fn database(&self, text: &str) -> String {
        let is_path = |path: &str| !path.is_empty() && path != ":memory:";
        match text.split_once(':') {
            Some(("sqlite", rest)) => match rest.strip_prefix("//").unwrap_or(rest) {
                path if is_path(path) => format!("sqlite:{}", self.to_absolute(path)),
                _ => text.to_owned(),
            },
            Some((_, rest)) if rest.starts_with("//") => text.to_owned(),
            _ if is_path(text) => self.to_absolute(text),
            _ => text.to_owned(),
        }
    }

    /// Resolves the paths of a provider. The program that prints its key runs in the file's folder, or in the entry's
    /// folder relative to it, like an MCP server.
    pub(super) fn settle_provider(&self, config: &mut ProviderConfig) {
        self.settle(&mut config.api_key_file);
        if config.kind == ProviderKind::Rehearsal {
            self.settle(&mut config.script);
        }
        let Some(line) = &mut config.api_key_command else { return };
        let folder = self.to_absolute(config.api_key_command_cwd.as_deref().unwrap_or_default());
        // A name without a slash is searched in PATH.
        if let Some(program) = line.first_mut().filter(|program| program.contains('/')) {
            *program = Path::new(&folder).join(&*program).display().to_string();
        }
        config.api_key_command_cwd = Some(folder);
    }

    /// Resolves the paths of an MCP server. Its program is found in the file's folder, or in the entry's folder relative
    /// to it.
    pub(super) fn settle_server(&self, config: &mut McpServerConfig) {
        self.settle_secrets(config.env.values_mut());
        self.settle_secrets(config.headers.values_mut());
        if let Some(place) = config.oauth.as_mut().and_then(|login| login.client_secret.as_mut()) {
            self.settle_secret(place);
        }
        if let Some(command) = &mut config.command {
            if config.cwd.is_none() && command.contains('/') {
                *command = self.to_absolute(command);
            }
            self.settle(&mut config.cwd);
            config.file_folder = Some(self.to_absolute(""));
        }
    }

    /// Resolves the paths of an HTTP tool.
    pub(super) fn settle_tool(&self, config: &mut HttpToolConfig) {
        self.settle_secrets(config.headers.values_mut());
    }

    /// Resolves the paths of a long task.
    pub(super) fn settle_task(&self, config: &mut TaskConfig) {
        config.secrets.iter_mut().for_each(|place| self.settle_secret(place));
    }

    /// Resolves the path of a declared secret.
    pub(super) fn settle_declared(&self, declared: &mut DeclaredSecret) {
        self.settle(&mut declared.secret_file);
    }

    fn settle_secrets<'a>(&self, texts: impl Iterator<Item = &'a mut SecretText>) {
        for text in texts {
            match text {
                SecretText::Text(_) => {}
                SecretText::Secret(place) => self.settle_secret(place),
            }
        }
    }

    fn settle_secret(&self, place: &mut SecretPlace) {
        self.settle(&mut place.secret_file);
    }

    /// An empty path stays empty, so that the fault shows it as written.
    fn settle(&self, path: &mut Option<String>) {
        if let Some(path) = path.as_mut().filter(|path| !path.is_empty()) {
            *path = self.to_absolute(path);
        }
    }

    fn to_absolute(&self, path: &str) -> String {
        // The components leave out a slash at the end and `.`, so that one folder has one name.
        self.0.join(path).components().collect::<PathBuf>().display().to_string()
    }
}

/// The real absolute path of a folder, even if it no longer exists.
pub(super) fn real(folder: &Path) -> std::io::Result<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: database locations in a file of `/nowhere/ann`; expected: paths are resolved there.
    #[test]
    fn database_path_is_resolved_in_file_folder() {
        let folder = ConfigFolder::of(Path::new("/nowhere/ann"));
        for (written, counted) in [
            ("e.db", "/nowhere/ann/e.db"),
            ("../e.db", "/nowhere/ann/../e.db"),
            ("/srv/e.db", "/srv/e.db"),
            ("a:b.db", "/nowhere/ann/a:b.db"),
            ("sqlite:e.db", "sqlite:/nowhere/ann/e.db"),
            ("sqlite://e.db", "sqlite:/nowhere/ann/e.db"),
            ("sqlite:///srv/e.db", "sqlite:/srv/e.db"),
            ("postgres://ann@db/e", "postgres://ann@db/e"),
            ("mysql://db/e", "mysql://db/e"),
            (":memory:", ":memory:"),
            ("sqlite:", "sqlite:"),
        ] {
            assert_eq!(folder.setting("database.url", written.to_owned()), counted, "{written}");
        }
        assert_eq!(folder.setting("data", "here".to_owned()), "/nowhere/ann/here");
        for kept in ["env:PLACE", "postgres://ann@db/e"] {
            assert_eq!(folder.setting("data", kept.to_owned()), kept, "it names no folder");
        }
        assert_eq!(folder.setting("author", "ann".to_owned()), "ann", "no other text is a path");
    }
}
