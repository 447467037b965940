//! Opens the browser by the program that the desktop has for it, so that no library is needed.

use std::process::Stdio;

use crate::environment::ProcessEnvironment;

/// Opens a page; returns whether a program for that was found. The caller has checked that the address is a web page.
pub(super) fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = std::process::Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// Whether a window can be seen from here: over SSH, or on a server, the browser would be nobody's.
pub(super) fn has_display(environment: &ProcessEnvironment) -> bool {
    let is_remote = ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| environment.variable(name).is_some());
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment.variable(name).is_some());
    !is_remote && (cfg!(target_os = "macos") || has_screen)
}
