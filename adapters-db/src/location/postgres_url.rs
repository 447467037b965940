//! The URL of a Postgres database, whose password is never shown. Its parts are read only as far as that needs; the
//! rest is left to libpq.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use entracte_domain::time::Millis;
use percent_encoding::percent_decode_str;

use super::error::LocationError;

/// Parameters that are secrets.
const SECRETS: [&str; 2] = ["password", "sslpassword"];

/// Parameters that name a file or a folder of this machine.
const FILES: [&str; 8] =
    ["passfile", "servicefile", "sslcert", "sslcrl", "sslcrldir", "sslkey", "sslkeylogfile", "sslrootcert"];

/// The URL of a Postgres database. Neither [`fmt::Display`] nor [`fmt::Debug`] shows a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(Arc<PostgresUrlParts>);

#[derive(PartialEq, Eq)]
struct PostgresUrlParts {
    user: Option<String>,
    password: Option<String>,
    /// Hosts, ports and the name of the database, as they were written.
    place: String,
    parameters: Vec<(String, String)>,
}

impl PostgresUrl {
    /// Reads `postgres://[USER[:PASSWORD]@][HOST[:PORT]][/DATABASE][?NAME=VALUE&…]`.
    ///
    /// What could make a part of the password look like something else, and so be shown, is refused.
    pub(crate) fn parse(text: &str) -> Result<Self, LocationError> {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, place) = match rest.matches('@').count() {
            0 => (None, rest),
            1 => rest.split_once('@').map_or((None, rest), |(login, place)| (Some(login), place)),
            _ => return Err(LocationError::UnclearUrl),
        };
        if login.is_some_and(|login| login.contains('/')) || query.contains('@') {
            return Err(LocationError::UnclearUrl);
        }
        let (user, password) = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
            Some((user, password)) => (Some(user), Some(password).filter(|password| !password.is_empty())),
            None => (None, None),
        };
        let parameter = |pair: &str| {
            let (name, value) = pair.split_once('=').ok_or(LocationError::UnclearUrl)?;
            Ok((name.to_owned(), value.to_owned()))
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let parts = PostgresUrlParts {
            user: user.map(str::to_owned),
            password: password.map(str::to_owned),
            place: place.to_owned(),
            parameters: pairs.map(parameter).collect::<Result<_, LocationError>>()?,
        };
        parts.parameters.iter().try_for_each(|(name, value)| is_whole(name, value))?;
        Ok(Self(Arc::new(parts)))
    }

    /// The whole URL, for libpq only. What it says of waiting wins over these.
    pub(crate) fn to_connection_string(&self, connect_timeout: Millis) -> String {
        let mut parameters = self.0.parameters.clone();
        let mut set = |name: &str, value: i64| {
            if parameters.iter().all(|(known, _)| known != name) {
                parameters.push((name.to_owned(), value.to_string()));
            }
        };
        let timeout = connect_timeout.0.max(1);
        // libpq counts whole seconds, and waits for ever when that is 0.
        set("connect_timeout", timeout.saturating_add(999) / 1000);
        // A server that went without a word is missed after the same time.
        set("tcp_user_timeout", timeout);
        set("keepalives_idle", timeout.saturating_add(999) / 1000);
        set("keepalives_interval", 2);
        set("keepalives_count", 3);
        let login = match (&self.0.user, &self.0.password) {
            (Some(user), Some(password)) => format!("{user}:{password}@"),
            (Some(user), None) => format!("{user}@"),
            (None, _) => String::new(),
        };
        format!("postgres://{login}{}?{}", self.0.place, joined(parameters.iter()))
    }

    /// A text without any secret of this URL, on one line.
    pub(crate) fn redact_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let of_query = self.0.parameters.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
        for secret in self.0.password.iter().chain(of_query) {
            let plain = percent_decode_str(secret).decode_utf8_lossy();
            for shown in [secret.as_str(), &*plain] {
                if !shown.is_empty() {
                    text = text.replace(shown, "…");
                }
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether its server is reached by the loopback or a socket of this machine.
    pub(crate) fn is_local(&self) -> bool {
        let named = self.0.parameters.iter().filter(|(name, _)| matches!(name.as_str(), "host" | "hostaddr"));
        let place = self.0.place.split('/').next().unwrap_or_default();
        let hosts = place.split(',').map(without_port).filter(|host| !host.is_empty());
        let all: Vec<&str> = named.flat_map(|(_, value)| value.split(',')).chain(hosts).collect();
        // Nobody is named: that is the socket.
        all.iter().all(|host| is_own(host))
    }

    /// The name of the database, for the command that makes it; none when libpq chooses it.
    pub(crate) fn database(&self) -> Option<&str> {
        let of_query =
            || self.0.parameters.iter().find(|(name, _)| name == "dbname").map(|(_, value)| value.as_str());
        let of_path = self.0.place.split_once('/').map(|(_, name)| name).filter(|name| !name.is_empty());
        of_query().or(of_path)
    }
}

/// A host without its port: `db:5432`, `[::1]:5432`.
fn without_port(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    }
}

/// Whether a host is this machine’s loopback, or the folder of a socket.
fn is_own(host: &str) -> bool {
    let is_loopback = || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_socket = host.starts_with('/') || host.to_ascii_lowercase().starts_with("%2f");
    is_socket || host == "localhost" || is_loopback()
}

fn is_secret(name: &str) -> bool {
    // A name may be written with escapes too.
    SECRETS.contains(&&*percent_decode_str(name).decode_utf8_lossy())
}

/// Refuses a file that would be looked for where the process stands.
fn is_whole(name: &str, value: &str) -> Result<(), LocationError> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (name, given) = (decoded(name), decoded(value));
    let path = Path::new(&given);
    // The certificates that the system trusts are no file's.
    let is_named = !given.is_empty() && given != "system";
    if !FILES.contains(&name.as_str()) || !is_named || path.is_absolute() {
        return Ok(());
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| Path::new("/").join(path));
    Err(LocationError::RelativeFile { name, whole: whole.display().to_string(), given })
}

fn joined<'a>(parameters: impl Iterator<Item = &'a (String, String)>) -> String {
    parameters.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let login = self.0.user.as_ref().map(|user| format!("{user}@")).unwrap_or_default();
        write!(f, "postgres://{login}{}", self.0.place)?;
        match joined(self.0.parameters.iter().filter(|(name, _)| !is_secret(name))) {
            query if query.is_empty() => Ok(()),
            query => write!(f, "?{query}"),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PostgresUrl {
        PostgresUrl::parse(text).expect("it is a URL")
    }

    #[test]
    fn no_password_is_shown() {
        for (text, shown) in [
            ("postgres://ann:s3cret@db:5433/e", "postgres://ann@db:5433/e"),
            ("postgres://db/e?password=s3cret&sslmode=disable", "postgres://db/e?sslmode=disable"),
            ("postgres://db/e?p%61ssword=s3cret", "postgres://db/e"),
            ("postgres://db/e?sslpassword=s3cret", "postgres://db/e"),
            ("postgres://one:1,two:2/e", "postgres://one:1,two:2/e"),
            ("postgres://%2Ftmp%2Fpg/e", "postgres://%2Ftmp%2Fpg/e"),
        ] {
            assert_eq!(url(text).to_string(), shown);
            assert!(!format!("{:?}", url(text)).contains("s3cret"));
            let whole = url(text).to_connection_string(Millis::seconds(5));
            assert_eq!(whole.contains("s3cret"), text.contains("s3cret"), "{whole}");
        }
    }

    #[test]
    fn a_password_that_could_be_read_as_something_else_is_refused_and_not_shown() {
        for text in [
            "postgres://ann:s3@cret@db/e",
            "postgres://ann:s3/cret@db/e",
            "postgres://ann:s3?cret@db/e",
            "postgres://db/e?password=s3@cret",
            "postgres://db/e?s3cret",
        ] {
            let says = PostgresUrl::parse(text).expect_err(text).to_string();
            assert!(says.contains("%40") && !says.contains("s3") && !says.contains("cret"), "{says}");
        }
    }

    /// Input: a certificate named from a folder; expected: it is refused, and its whole path is told. Somebody else may have put
    /// one of that name where the process stands, and with it trust in a server of theirs.
    #[test]
    fn a_file_is_named_whole() {
        for fine in [
            "postgres://db/e?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem",
            "postgres://db/e?sslrootcert=system&sslcert=&sslkey=%2Frun%2Fkey",
            "postgres://db/e?application_name=sslkey",
        ] {
            url(fine);
        }
        let here = std::env::current_dir().unwrap();
        for (wrong, name, given) in [
            ("postgres://db/e?sslrootcert=ca.pem", "sslrootcert", "ca.pem"),
            ("postgres://db/e?ssl%6Bey=..%2Fkey", "sslkey", "../key"),
        ] {
            let says = PostgresUrl::parse(wrong).expect_err(wrong).to_string();
            let whole = here.join(given).display().to_string();
            assert!(says.ends_with(&format!("such as {name}={whole}")) && says.contains(given), "{says}");
        }
    }

    #[test]
    fn a_message_of_the_server_is_one_line_without_the_password() {
        let url = url("postgres://ann:s3%20cret@db/e");
        assert_eq!(url.redact_secrets("no “s3%20cret”,\n\tno “s3 cret”"), "no “…”, no “…”");
    }

    #[test]
    fn waiting_is_limited_unless_the_url_says_otherwise() {
        let whole = url("postgres://db/e").to_connection_string(Millis(1500));
        assert!(whole.contains("connect_timeout=2&tcp_user_timeout=1500&"), "{whole}");
        let whole = url("postgres://db/e?connect_timeout=7").to_connection_string(Millis(1500));
        assert!(whole.contains("connect_timeout=7&tcp_user_timeout=1500&"), "{whole}");
    }

    #[test]
    fn the_database_is_named() {
        assert_eq!(url("postgres://db/e").database(), Some("e"));
        assert_eq!(url("postgres:///e?dbname=f").database(), Some("f"));
        assert_eq!(url("postgres://db").database(), None);
    }
}
