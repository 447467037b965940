//! Notifications to a local program: JSON on its standard input, and title, body and link as variables and in its
//! arguments, so that programs such as `apprise`, `notify-send` and `mail` need no script. There is no shell, and no other
//! variable.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use entracte_application::ports::{DeliveryOutcome, Notification};
use entracte_application::system::START_FOLDER;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// Checks that the path names an executable file.
pub(super) fn check(program: &str) -> Result<(), String> {
    match Path::new(program).metadata() {
        Ok(about) if about.is_file() && about.permissions().mode() & 0o111 != 0 => Ok(()),
        Ok(_) => Err(format!("{program} is not a program")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// The first argument that is a script of an interpreter (`sh -c`, `perl -e`, `cmd /C`, …) and has a place in it. What models
/// and other people wrote would become a part of the script.
pub(super) fn script_with_place(arguments: &[String]) -> Option<&str> {
    let scripts = arguments.windows(2).filter(|two| is_script_option(&two[0])).map(|two| two[1].as_str());
    let has_place = |script: &&str| PLACES.iter().any(|place| script.contains(place));
    scripts.into_iter().find(has_place)
}

fn is_script_option(option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let is_short = short.is_some_and(|letters| letters.ends_with(['c', 'e']));
    is_short || ["--eval", "--command", "-Command", "/c", "/C", "/k", "/K"].contains(&option)
}

/// The places of an argument.
const PLACES: [&str; 4] = ["{title}", "{body}", "{link}", "{id}"];

/// The most bytes of a part in a variable: beyond 128 KiB no program could be started.
const VARIABLE_MAX_BYTES: usize = 32 * 1024;

/// Runs the program. Exit code 0 means that it accepted the notification.
pub(super) async fn run(
    program: &str,
    arguments: &[String],
    told: &Notification,
    timeout: Duration,
) -> DeliveryOutcome {
    let spawned = Command::new(program)
        .args(arguments.iter().map(|argument| fill_in(argument, told)))
        .env_clear()
        .envs(variables(told))
        .current_dir(START_FOLDER)
        .stdin(Stdio::piped())
        // Its output is not used.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let child = match spawned {
        Ok(child) => child,
        Err(error) => return DeliveryOutcome::Refused(format!("{program} cannot be started: {error}")),
    };
    let mut running = NotificationProcess::of(child);
    match tokio::time::timeout(timeout, running.send_stdin(&told.body)).await {
        Ok(Ok(status)) if status.success() => DeliveryOutcome::Taken,
        Ok(Ok(status)) => DeliveryOutcome::Refused(format!("{program} ended with {status}")),
        Ok(Err(error)) => DeliveryOutcome::Refused(format!("{program}: {error}")),
        Err(_) => DeliveryOutcome::Refused(format!("{program} took longer than {} s", timeout.as_secs())),
    }
}

/// The parts of a notification, by the name of their place in an argument.
fn parts(told: &Notification) -> [(&'static str, &str); 4] {
    [
        ("title", &told.title),
        ("body", &told.text),
        ("link", told.click.as_deref().unwrap_or_default()),
        ("id", &told.id),
    ]
}

/// The parts as variables: `ENTRACTE_TITLE`, `ENTRACTE_BODY`, `ENTRACTE_LINK` if there is a link, `ENTRACTE_ID`.
fn variables(told: &Notification) -> Vec<(String, String)> {
    let known = parts(told).into_iter().filter(|(_, value)| !value.is_empty());
    known
        .map(|(name, value)| (format!("ENTRACTE_{}", name.to_ascii_uppercase()), without_nul(cut(value))))
        .collect()
}

/// An argument with the parts in place of `{title}`, `{body}`, `{link}` and `{id}`. A part that stands alone and begins with
/// a dash gets a space before it: it must not be read as an option.
fn fill_in(argument: &str, told: &Notification) -> String {
    let mut filled = String::with_capacity(argument.len());
    let mut rest = argument;
    while let Some(at) = rest.find('{') {
        let (before, place) = rest.split_at(at);
        filled.push_str(before);
        let known = parts(told).into_iter().find_map(|(name, value)| {
            Some((value, place.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?))
        });
        match known {
            Some((value, after)) => {
                let value = cut(value);
                if filled.is_empty() && value.starts_with('-') {
                    filled.push(' ');
                }
                filled.push_str(&without_nul(value));
                rest = after;
            }
            None => {
                filled.push('{');
                rest = &place[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// The beginning of a part that a variable or an argument can hold.
fn cut(text: &str) -> &str {
    let end = (0..=text.len().min(VARIABLE_MAX_BYTES)).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// No variable and no argument can hold a zero byte.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

/// A running program in its own process group; dropping it kills the group.
struct NotificationProcess {
    child: Child,
    group: Option<Pid>,
}

impl NotificationProcess {
    fn of(child: Child) -> Self {
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { child, group }
    }

    async fn send_stdin(&mut self, body: &str) -> std::io::Result<std::process::ExitStatus> {
        if let Some(mut input) = self.child.stdin.take() {
            // A program that does not read its input is judged by its exit code.
            match input.write_all(body.as_bytes()).await {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        self.child.wait().await
    }
}

impl Drop for NotificationProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // The group may have exited already.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;

    fn told(title: &str) -> Notification {
        Notification {
            id: "ntf_1".into(),
            at: Timestamp(0),
            title: title.into(),
            text: "Pay {title}\0 now".into(),
            click: Some("https://entracte.example/inbox/apr_1".into()),
            actions: Vec::new(),
            body: "{}".into(),
        }
    }

    #[test]
    fn arguments_get_the_parts_of_a_notification() {
        let filled = |argument: &str| fill_in(argument, &told("Billing"));
        assert_eq!(
            filled("{title}: {body} {link}"),
            "Billing: Pay {title} now https://entracte.example/inbox/apr_1"
        );
        assert_eq!(filled("{unknown} {"), "{unknown} {");
        assert_eq!(fill_in("{title}", &told("--exec=rm")), " --exec=rm");
        assert_eq!(fill_in("-s{title}", &told("--exec=rm")), "-s--exec=rm");
    }

    #[test]
    fn place_in_a_script_is_found() {
        let script = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
            script_with_place(&arguments).map(str::to_owned)
        };
        for option in ["-c", "-ec", "-e", "--eval", "/C"] {
            assert!(script(&["-x", option, "notify-send {title}"]).is_some(), "{option}");
        }
        assert_eq!(script(&["-c", "notify-send \"$1\"", "sh", "{title}"]), None);
        assert_eq!(script(&["-c", "notify-send {other}"]), None);
        assert_eq!(script(&["-s", "{title}", "ann@example.org"]), None);
    }

    #[test]
    fn long_parts_are_cut_between_characters() {
        let long = "é".repeat(VARIABLE_MAX_BYTES);
        assert_eq!(cut(&long), "é".repeat(VARIABLE_MAX_BYTES / 2));
        assert_eq!(cut("short"), "short");
    }
}
