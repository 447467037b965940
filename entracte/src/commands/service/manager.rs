//! The service manager of this system: its files, and the programs that control it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::install_plan::{MARK, ServiceInstallPlan};
use super::launchd::{LABEL, agent};
use super::systemd::{NAME, unit};
use crate::args::ManagerName;
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The number of bytes at the beginning of a file in which the mark is searched.
const MARK_WITHIN: usize = 200;

/// A service manager, with the file of the service.
pub(super) struct ServiceManager {
    name: ManagerName,
    /// The service file.
    pub(super) file: PathBuf,
    /// The launchd domain of the agent: `gui/501`.
    domain: String,
    user: String,
}

/// The status of the service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServiceStatus {
    /// Whether it is running.
    pub(super) runs: bool,
    /// Whether it starts with the person's session.
    pub(super) is_enabled: bool,
    /// The manager's own status text.
    pub(super) says: String,
    /// Whether it runs while the person is not logged in; `None` if unknown.
    pub(super) lingers: Option<bool>,
}

impl ServiceManager {
    /// The service manager of this system.
    pub(super) fn here(environment: &ProcessEnvironment) -> Result<Self, CliError> {
        let name = match std::env::consts::OS {
            "linux" => ManagerName::Systemd,
            "macos" => ManagerName::Launchd,
            system => {
                let text = message!("service-none", system = system);
                return Err(CliError::with_next(CliExitCode::Failure, text, "entracte serve"));
            }
        };
        let home = || {
            let home = environment.variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
            home.ok_or_else(|| {
                CliError::with_next(CliExitCode::Usage, message!("service-no-home"), "entracte doctor")
            })
        };
        let file = match name {
            // Beside Entracte's configuration folder, wherever that is.
            ManagerName::Systemd => match environment.config_dir.parent() {
                Some(folder) if folder.is_absolute() => folder.join("systemd/user").join(NAME),
                Some(_) | None => home()?.join(".config/systemd/user").join(NAME),
            },
            ManagerName::Launchd => home()?.join("Library/LaunchAgents").join(format!("{LABEL}.plist")),
        };
        let domain = match name {
            ManagerName::Systemd => String::new(),
            ManagerName::Launchd => format!("gui/{}", run_for_output("id", &["-u"])?.trim()),
        };
        Ok(Self { name, file, domain, user: environment.user().to_owned() })
    }

    /// The text of the service file for a service manager.
    pub(super) fn text(name: ManagerName, plan: &ServiceInstallPlan) -> String {
        match name {
            ManagerName::Systemd => unit(plan),
            ManagerName::Launchd => agent(plan),
        }
    }

    /// The name of the service manager.
    pub(super) const fn name(&self) -> ManagerName {
        self.name
    }

    /// Whether the file was written by Entracte; `None` if it does not exist.
    pub(super) fn is_ours(&self) -> Result<Option<bool>, CliError> {
        match std::fs::read(&self.file) {
            Ok(bytes) => {
                let begins = String::from_utf8_lossy(&bytes[..bytes.len().min(MARK_WITHIN)]).into_owned();
                Ok(Some(begins.contains(MARK)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    /// Writes the file atomically.
    pub(super) fn write(&self, plan: &ServiceInstallPlan) -> Result<(), CliError> {
        let failed = |error: std::io::Error| self.unusable(&error);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(Self::text(self.name, plan).as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.file).map_err(|error| failed(error.error))?;
        if self.name == ManagerName::Launchd {
            run_for_output("plutil", &["-lint", &self.file.display().to_string()])?;
        }
        Ok(())
    }

    /// Starts the service with its current file, now and with every session of the person.
    pub(super) fn start(&self) -> Result<(), CliError> {
        match self.name {
            ManagerName::Systemd => {
                self.reload()?;
                systemctl(&["enable", NAME])?;
                systemctl(&["restart", NAME])
            }
            ManagerName::Launchd => {
                let file = self.file.display().to_string();
                // It is unknown unless it was installed before.
                let _unknown = run_for_output("launchctl", &["bootout", &self.target()]);
                run_for_output("launchctl", &["bootstrap", &self.domain, &file]).map(drop)
            }
        }
    }

    /// Makes the manager read its files again.
    pub(super) fn reload(&self) -> Result<(), CliError> {
        match self.name {
            ManagerName::Systemd => systemctl(&["daemon-reload"]),
            ManagerName::Launchd => Ok(()),
        }
    }

    /// Stops the service, and removes its file.
    pub(super) fn remove(&self) -> Result<(), CliError> {
        match self.name {
            ManagerName::Systemd => systemctl(&["disable", "--now", NAME])?,
            ManagerName::Launchd => {
                // A stopped service cannot be stopped again.
                let _stopped = run_for_output("launchctl", &["bootout", &self.target()]);
            }
        }
        std::fs::remove_file(&self.file).map_err(|error| self.unusable(&error))?;
        self.reload()
    }

    /// The status of the service.
    pub(super) fn status(&self) -> Result<ServiceStatus, CliError> {
        match self.name {
            ManagerName::Systemd => {
                let properties = "--property=ActiveState,SubState,UnitFileState,StatusText";
                let said = run_for_output("systemctl", &["--user", "show", NAME, properties])?;
                Ok(ServiceStatus { lingers: self.lingers(), ..parse_systemd_status(&said) })
            }
            ManagerName::Launchd => {
                let says = run_for_output("launchctl", &["print", &self.target()]);
                let runs = says.as_ref().is_ok_and(|says| says.contains("state = running"));
                Ok(ServiceStatus { runs, is_enabled: says.is_ok(), says: String::new(), lingers: None })
            }
        }
    }

    /// Whether services of the person run while they are not logged in; known only for systemd.
    pub(super) fn lingers(&self) -> Option<bool> {
        match self.name {
            ManagerName::Systemd => {
                let said =
                    run_for_output("loginctl", &["show-user", &self.user, "--property=Linger", "--value"])
                        .ok()?;
                match said.trim() {
                    "yes" => Some(true),
                    "no" => Some(false),
                    _ => None,
                }
            }
            ManagerName::Launchd => None,
        }
    }

    /// The command that enables lingering.
    pub(super) fn linger_command(&self) -> String {
        format!("loginctl enable-linger {}", self.user)
    }

    /// The command that starts the service.
    pub(super) fn start_command(&self) -> String {
        match self.name {
            ManagerName::Systemd => format!("systemctl --user start {NAME}"),
            ManagerName::Launchd => format!("launchctl kickstart {}", self.target()),
        }
    }

    fn target(&self) -> String {
        format!("{}/{LABEL}", self.domain)
    }

    fn unusable(&self, error: &std::io::Error) -> CliError {
        let text =
            message!("cannot-be-written", file = self.file.display().to_string(), why = error.to_string());
        CliError::with_next(CliExitCode::Failure, text, "entracte service install --print")
    }
}

/// Parses the output of `systemctl show`.
fn parse_systemd_status(said: &str) -> ServiceStatus {
    let of = |name: &str| {
        let values = said.lines().filter_map(|line| line.split_once('='));
        values.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.trim()).unwrap_or_default()
    };
    let (active, more, text) = (of("ActiveState"), of("SubState"), of("StatusText"));
    let says =
        if text.is_empty() { format!("{active}, {more}") } else { format!("{active}, {more}: {text}") };
    ServiceStatus {
        runs: active == "active",
        is_enabled: of("UnitFileState") == "enabled",
        says,
        lingers: None,
    }
}

fn systemctl(arguments: &[&str]) -> Result<(), CliError> {
    let done = run_for_output("systemctl", &[&["--user"], arguments].concat());
    done.map(drop).map_err(|error| match is_without_bus(&error.message) {
        true => {
            CliError::with_next(error.exit, message!("service-no-bus", why = error.message), "entracte serve")
        }
        false => error,
    })
}

/// The output of a system program, if it succeeds.
fn run_for_output(program: &str, arguments: &[&str]) -> Result<String, CliError> {
    let line = format!("{program} {}", arguments.join(" "));
    let failed = |why: String| {
        CliError::with_next(
            CliExitCode::Failure,
            message!("service-manager-failed", command = &line, why = why),
            &line,
        )
    };
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(failed(entracte_application::terminal_text::one_line(why.trim())))
}

/// Whether systemd says that the user has no manager running: over ssh, in a container, under su.
fn is_without_bus(why: &str) -> bool {
    ["connect to bus", "$DBUS_SESSION_BUS_ADDRESS", "No medium found"].iter().any(|word| why.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: what systemctl says where the user has no manager, and another failure; expected: only the first is told apart.
    #[test]
    fn missing_bus_is_recognised() {
        let says = [
            "Failed to connect to bus: No medium found",
            "Failed to connect to user scope bus via local transport: $DBUS_SESSION_BUS_ADDRESS and \
             $XDG_RUNTIME_DIR not defined",
            "Unit entracte.service not found.",
        ];
        assert_eq!(says.map(is_without_bus), [true, true, false]);
    }

    #[test]
    fn systemd_status_is_parsed() {
        let text = "ActiveState=active\nSubState=running\nUnitFileState=enabled\nStatusText=serving on x=y\n";
        let expected = ServiceStatus {
            runs: true,
            is_enabled: true,
            says: "active, running: serving on x=y".into(),
            lingers: None,
        };
        assert_eq!(parse_systemd_status(text), expected);
        let stopped =
            parse_systemd_status("ActiveState=inactive\nSubState=dead\nUnitFileState=\nStatusText=\n");
        assert_eq!(stopped, ServiceStatus { says: "inactive, dead".into(), ..ServiceStatus::default() });
    }
}
