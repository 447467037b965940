//! What the program says about itself: a log on standard error, and one line when it breaks.

use std::io::Write;

use tracing_subscriber::EnvFilter;

use crate::environment::Environment;

/// Logs warnings to standard error; `ENTRACTE_LOG` says otherwise (`debug`, `entracte_application=trace`, …).
pub(crate) fn start(environment: &Environment) {
    let wanted = environment.variable("ENTRACTE_LOG").unwrap_or("warn");
    let filter = EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new("warn"));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(environment.stderr_terminal && environment.variable("NO_COLOR").is_none())
        .try_init();
    if let Err(error) = started {
        tracing::debug!(%error, "logging is already set up");
    }
}

/// A panic says where it was and nothing of what it was about: that may be a secret.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        // Nobody can be told that standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "error: internal error in Entracte ({place}); committed data is safe\n  entracte session verify --all"
        );
    }));
}
