//! What the program says about itself: a log on standard error, and one line when it breaks.

use std::io::Write;

use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::environment::Environment;

/// Logs warnings to standard error; `ENTRACTE_LOG` says otherwise (`debug`, `entracte_application=trace`, …).
pub(crate) fn start(environment: &Environment) {
    let wanted = environment.variable("ENTRACTE_LOG").unwrap_or("warn");
    let filter = EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(environment.stderr_terminal && environment.variable("NO_COLOR").is_none());
    let harmless = filter_fn(|about| may_be_logged(about.target(), *about.level()));
    let started = tracing_subscriber::registry().with(filter).with(harmless).with(lines).try_init();
    if let Err(error) = started {
        tracing::debug!(%error, "logging is already set up");
    }
}

/// Whether it may be logged, whatever was asked. Below its warnings rmcp repeats messages of servers before secrets are
/// taken out of them, and of logins also codes.
fn may_be_logged(target: &str, level: Level) -> bool {
    let is_of = |module: &str| target == module || target.starts_with(&format!("{module}::"));
    if is_of("rmcp::transport::auth") || is_of("oauth2") {
        return false;
    }
    !is_of("rmcp") || level <= Level::WARN
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
