//! Postgres URLs, whose passwords are never shown. Their parts are parsed only as far as that requires; libpq
//! interprets the rest.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use entracte_application::own_hosts::is_loopback_host;
use entracte_domain::time::Millis;
use percent_encoding::percent_decode_str;

use super::error::LocationError;

/// Parameters with secrets.
const SECRETS: [&str; 2] = ["password", "sslpassword"];

/// Parameters that name a local file or folder.
const FILES: [&str; 8] =
    ["passfile", "servicefile", "sslcert", "sslcrl", "sslcrldir", "sslkey", "sslkeylogfile", "sslrootcert"];

/// The URL of a Postgres database. Neither its `Display` nor its `Debug` output contains a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(Arc<PostgresUrlParts>);

#[derive(PartialEq, Eq)]
struct PostgresUrlParts {
    user: Option<String>,
    password: Option<String>,
    /// Hosts, ports and database name as written.
    place: String,
    parameters: Vec<(String, String)>,
}

impl PostgresUrl {
    /// Parses `postgres://[USER[:PASSWORD]@][HOST[:PORT]][/DATABASE][?NAME=VALUE&…]`.
    ///
    /// Refuses texts in which a part of the password could be taken for another part and then be shown.
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

    /// The complete URL, for libpq only. Time-outs in the URL take precedence over these.
    pub(crate) fn to_connection_string(&self, connect_timeout: Millis) -> String {
        let mut parameters = self.0.parameters.clone();
        let mut set = |name: &str, value: i64| {
            if parameters.iter().all(|(known, _)| known != name) {
                parameters.push((name.to_owned(), value.to_string()));
            }
        };
        let timeout = connect_timeout.0.max(1);
        // libpq counts whole seconds, and waits for ever if the value is 0.
        set("connect_timeout", timeout.saturating_add(999) / 1000);
        // A silent server is detected after the same time.
        set("tcp_user_timeout", timeout);
        set("keepalives_idle", timeout.saturating_add(999) / 1000);
        set("keepalives_interval", 2);
        set("keepalives_count", 3);
        if let Some(folder) = self.usual_socket_folder() {
            parameters.push(("host".to_owned(), folder.to_owned()));
        }
        let login = match (&self.0.user, &self.0.password) {
            (Some(user), Some(password)) => format!("{user}:{password}@"),
            (Some(user), None) => format!("{user}@"),
            (None, _) => String::new(),
        };
        format!("postgres://{login}{}?{}", self.0.place, joined(parameters.iter()))
    }

    /// The text on one line, without any secret of this URL.
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

    /// Whether the server is reached through the loopback or a socket of this machine.
    pub(crate) fn is_local(&self) -> bool {
        // Without hosts, libpq uses the socket.
        self.hosts().iter().all(|host| is_own(host))
    }

    /// The hosts that the URL names.
    fn hosts(&self) -> Vec<&str> {
        let named = self.0.parameters.iter().filter(|(name, _)| matches!(name.as_str(), "host" | "hostaddr"));
        let place = self.0.place.split('/').next().unwrap_or_default();
        let hosts = place.split(',').map(without_port).filter(|host| !host.is_empty());
        named.flat_map(|(_, value)| value.split(',')).chain(hosts).collect()
    }

    /// The folder of the server's socket, where the URL and the environment name no server: the libpq of this program
    /// looks in `/tmp` alone, packages of Linux keep it elsewhere. `None` leaves it to libpq.
    fn usual_socket_folder(&self) -> Option<&'static str> {
        // libpq reads these variables itself.
        let is_named =
            ["PGHOST", "PGHOSTADDR", "PGSERVICE"].iter().any(|name| std::env::var_os(name).is_some());
        let parameter = |wanted: &str| self.0.parameters.iter().find(|(name, _)| name == wanted);
        if is_named || !self.hosts().is_empty() || parameter("service").is_some() {
            return None;
        }
        let port = parameter("port")
            .map(|(_, port)| port.clone())
            .or_else(|| std::env::var_os("PGPORT")?.into_string().ok());
        socket_folder(&port.unwrap_or_else(|| "5432".to_owned()), |socket| socket.exists())
    }

    /// Name of the database, for the command that creates it; `None` if libpq chooses it.
    pub(crate) fn database(&self) -> Option<&str> {
        let of_query =
            || self.0.parameters.iter().find(|(name, _)| name == "dbname").map(|(_, value)| value.as_str());
        let of_path = self.0.place.split_once('/').map(|(_, name)| name).filter(|name| !name.is_empty());
        of_query().or(of_path)
    }
}

/// Where servers keep their socket, those of packages first.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The first folder with the socket of a server at this port.
fn socket_folder(port: &str, exists: impl Fn(&Path) -> bool) -> Option<&'static str> {
    SOCKET_FOLDERS.into_iter().find(|folder| exists(&Path::new(folder).join(format!(".s.PGSQL.{port}"))))
}

/// The host without its port: `db:5432`, `[::1]:5432`.
fn without_port(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    }
}

/// Whether a host is this machine’s loopback, or the folder of a socket.
fn is_own(host: &str) -> bool {
    let is_socket = host.starts_with('/') || host.to_ascii_lowercase().starts_with("%2f");
    is_socket || is_loopback_host(host)
}

fn is_secret(name: &str) -> bool {
    // A parameter name may be percent-encoded, too.
    SECRETS.contains(&&*percent_decode_str(name).decode_utf8_lossy())
}

/// Refuses a relative path, which would be resolved in the working directory.
fn is_whole(name: &str, value: &str) -> Result<(), LocationError> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (name, given) = (decoded(name), decoded(value));
    let path = Path::new(&given);
    // The system's trusted certificates are not a file.
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

    /// Input: machines with the sockets of servers in one folder, in the other, and in none; expected: the folder to look in.
    #[test]
    fn socket_is_found_where_packages_keep_it() {
        let on = |sockets: &'static [&'static str]| {
            socket_folder("5433", move |path| sockets.contains(&path.to_str().unwrap_or_default()))
        };
        assert_eq!(on(&["/var/run/postgresql/.s.PGSQL.5433"]), Some("/var/run/postgresql"));
        assert_eq!(on(&["/tmp/.s.PGSQL.5433", "/var/run/postgresql/.s.PGSQL.5432"]), Some("/tmp"));
        assert_eq!(on(&[]), None);
    }

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
    fn ambiguous_password_is_refused_and_not_shown() {
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

    /// Input: a certificate with a relative path; expected: it is refused, and the absolute path is shown. Another
    /// person may have put a file of that name into the working directory, and with it trust in another server.
    #[test]
    fn relative_file_parameters_are_refused() {
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
    fn server_message_is_one_line_without_password() {
        let url = url("postgres://ann:s3%20cret@db/e");
        assert_eq!(url.redact_secrets("no “s3%20cret”,\n\tno “s3 cret”"), "no “…”, no “…”");
    }

    #[test]
    fn url_timeouts_override_default_timeouts() {
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
