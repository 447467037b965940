//! The installation plan of a service: program and arguments. Pure.

use std::path::{Path, PathBuf};

use entracte_domain::time::Millis;

use crate::args::ServeArgs;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The first line of the service file, by which a file of another origin is recognized.
pub(super) const MARK: &str = "Written by entracte service install; the next one replaces it.";

/// Seconds beyond the server's grace period: the longest shutdown, and a margin.
const STOP_AIR: u64 = 15;

/// A server as a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServiceInstallPlan {
    /// The path of the program.
    pub(super) program: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// An optional file with environment variables.
    pub(super) variables: String,
    /// The stop time-out, in seconds.
    pub(super) stop_seconds: u64,
}

/// The global options of the command.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServiceGlobalOptions {
    /// The configuration file.
    pub(crate) config: Option<PathBuf>,
    /// The location of the data.
    pub(crate) data: Option<PathBuf>,
    /// The workspace.
    pub(crate) workspace: Option<String>,
}

impl ServiceInstallPlan {
    /// A plan for this program; relative paths are resolved in `here`.
    pub(super) fn for_program(
        program: &Path,
        here: &Path,
        kept: &ServiceGlobalOptions,
        serve: &ServeArgs,
        variables: &Path,
        grace: Millis,
    ) -> Result<Self, CliError> {
        let mut arguments = Vec::new();
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                arguments.extend([flag.to_owned(), value]);
            }
        };
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| words(&here.join(path))).transpose();
        add("--config", file(&kept.config)?);
        add("--data", kept.data.as_ref().map(|data| place(data, here)).transpose()?);
        add("--workspace", kept.workspace.clone());
        arguments.push("serve".to_owned());
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                arguments.extend([flag.to_owned(), value]);
            }
        };
        add("--bind", serve.bind.clone());
        add("--tls-cert", file(&serve.tls_cert)?);
        add("--tls-key", file(&serve.tls_key)?);
        add("--base-path", serve.base_path.clone());
        for argument in &arguments {
            plain(argument)?;
        }
        Ok(Self {
            program: words(program)?,
            arguments,
            variables: words(variables)?,
            stop_seconds: u64::try_from(grace.0 / 1000).unwrap_or_default() + STOP_AIR,
        })
    }
}

/// The location of the data: a path, a variable, or the URL of a server. A URL with a password is refused, because
/// the service file must not contain it.
fn place(data: &Path, here: &Path) -> Result<String, CliError> {
    let text = words(data)?;
    if text.starts_with("env:") {
        return Ok(text);
    }
    if !text.contains("://") {
        return words(&here.join(data));
    }
    let has_password = url::Url::parse(&text).map_or(true, |url| url.password().is_some());
    match has_password {
        true => {
            Err(CliError::with_next(CliExitCode::Usage, message!("service-password"), "entracte config show"))
        }
        false => Ok(text),
    }
}

/// A path as UTF-8 text.
fn words(path: &Path) -> Result<String, CliError> {
    let shown = || path.display().to_string();
    let text = path.to_str().ok_or_else(|| unwritable(&shown()))?;
    plain(text).map(|()| text.to_owned())
}

/// Refuses line ends, which could inject lines into the service file.
fn plain(text: &str) -> Result<(), CliError> {
    if text.chars().any(char::is_control) { Err(unwritable(text)) } else { Ok(()) }
}

fn unwritable(text: &str) -> CliError {
    let shown = entracte_application::terminal_text::one_line(text);
    CliError::with_next(
        CliExitCode::Usage,
        message!("service-unwritable", value = shown),
        "entracte service install --help",
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn plan(folder: &str, kept: &ServiceGlobalOptions) -> ServiceInstallPlan {
        let serve = ServeArgs {
            bind: Some("127.0.0.1:9000".to_owned()),
            tls_cert: Some("tls/cert.pem".into()),
            tls_key: Some("/etc/key.pem".into()),
            base_path: None,
        };
        let folder = Path::new(folder);
        let variables = folder.join("service.env");
        ServiceInstallPlan::for_program(
            &folder.join("entracte"),
            folder,
            kept,
            &serve,
            &variables,
            Millis::seconds(15),
        )
        .unwrap()
    }

    #[test]
    fn global_options_are_stored_with_absolute_paths() {
        let kept = ServiceGlobalOptions {
            config: Some("my.toml".into()),
            data: Some("data".into()),
            workspace: Some("ann:home".to_owned()),
        };
        let plan = plan("/home/ann", &kept);
        let expected = "--config /home/ann/my.toml --data /home/ann/data --workspace ann:home serve \
                        --bind 127.0.0.1:9000 --tls-cert /home/ann/tls/cert.pem --tls-key /etc/key.pem";
        assert_eq!(plan.arguments.join(" "), expected);
        assert_eq!(plan.stop_seconds, 30, "longer than the grace of the server");
    }

    #[test]
    fn password_and_line_end_are_refused() {
        let here = Path::new("/home/ann");
        assert_eq!(
            place(Path::new("postgres://ann@db/entracte"), here).unwrap(),
            "postgres://ann@db/entracte"
        );
        for wrong in ["postgres://ann:secret@db/entracte", "a\nExecStart=/bin/sh"] {
            let fault = place(Path::new(wrong), here).unwrap_err();
            assert!(!fault.message.contains("secret"), "{}", fault.message);
        }
    }
}
