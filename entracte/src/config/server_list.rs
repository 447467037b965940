//! The servers that the person is logged in to: a token for each address, in a file that only they may read.

use std::collections::BTreeMap;

use entracte_adapters_http::api_transport::server_address::ServerAddress;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::private_file::{OthersAccess, PrivateFile, PrivateFileFault};
use crate::environment::ProcessEnvironment;
use crate::user_text::{UserText, message};

/// The name of the list in the person's data folder.
const FILE: &str = "servers.toml";

/// The format version that this program writes.
const VERSION: i64 = 1;

/// Why the list cannot be used. Then no token is sent.
#[derive(Debug)]
pub(crate) enum ServerListFault {
    /// The file cannot be used.
    File(PrivateFileFault),
    /// It is damaged. The fault is not kept, because its words may contain a token.
    Damaged,
    /// It was written by a newer Entracte.
    Newer,
}

impl From<PrivateFileFault> for ServerListFault {
    fn from(fault: PrivateFileFault) -> Self {
        Self::File(fault)
    }
}

/// What is known of a server that the person is logged in to.
#[derive(Clone)]
pub(crate) struct ServerLogin {
    /// The token; it is sent to this server only.
    pub(crate) token: SecretString,
    /// The workspace that commands use unless they name one; `None` if the token is for every workspace.
    pub(crate) workspace: Option<String>,
    /// Whose token it is.
    pub(crate) person: String,
}

/// A login as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLogin {
    token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    person: String,
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredServers {
    version: i64,
    #[serde(default)]
    servers: BTreeMap<String, StoredLogin>,
}

/// Reads and changes the list.
pub(crate) struct ServerList(PrivateFile);

impl ServerList {
    /// The person's list.
    pub(crate) fn for_environment(environment: &ProcessEnvironment) -> Self {
        Self(PrivateFile::new(environment.data_dir.join(FILE), OthersAccess::Nothing))
    }

    /// The login at exactly this address; `None` if there is none.
    pub(crate) fn login(&self, server: &ServerAddress) -> Result<Option<ServerLogin>, ServerListFault> {
        let mut stored = parse(self.0.read()?.as_deref())?;
        let login = stored.servers.remove(server.as_str());
        Ok(login.map(|StoredLogin { token, workspace, person }| ServerLogin {
            token: token.into(),
            workspace,
            person,
        }))
    }

    /// Keeps a login, in place of an earlier one at this address.
    pub(crate) fn keep(&self, server: &ServerAddress, login: &ServerLogin) -> Result<(), ServerListFault> {
        let stored = StoredLogin {
            token: login.token.expose_secret().to_owned(),
            workspace: login.workspace.clone(),
            person: login.person.clone(),
        };
        self.change(|all| {
            all.servers.insert(server.to_string(), stored);
        })
    }

    /// Forgets the login at this address.
    pub(crate) fn forget(&self, server: &ServerAddress) -> Result<(), ServerListFault> {
        self.change(|all| {
            all.servers.remove(server.as_str());
        })
    }

    fn change(&self, change: impl FnOnce(&mut StoredServers)) -> Result<(), ServerListFault> {
        self.0.change(|text| {
            let mut stored = parse(text.as_deref())?;
            change(&mut stored);
            // Its parts are texts and a number.
            toml::to_string(&stored).map(Some).map_err(|_| ServerListFault::Damaged)
        })
    }

    /// The fault and its fix.
    pub(crate) fn describe(&self, fault: &ServerListFault) -> UserText {
        let path = self.0.shown();
        match fault {
            ServerListFault::File(PrivateFileFault::Homeless) => message!("server-list-homeless"),
            ServerListFault::File(PrivateFileFault::Open) => message!("server-list-open", path = path),
            ServerListFault::File(PrivateFileFault::Io(error)) => {
                message!("server-list-io", path = path, why = error.to_string())
            }
            ServerListFault::Damaged => message!("server-list-damaged", path = path),
            ServerListFault::Newer => message!("server-list-newer", path = path),
        }
    }
}

fn parse(text: Option<&str>) -> Result<StoredServers, ServerListFault> {
    let Some(text) = text else {
        return Ok(StoredServers { version: VERSION, servers: BTreeMap::new() });
    };
    let damaged = |_| ServerListFault::Damaged;
    let table: toml::Table = toml::from_str(text).map_err(damaged)?;
    if table.get("version").and_then(toml::Value::as_integer).is_some_and(|version| version > VERSION) {
        return Err(ServerListFault::Newer);
    }
    table.try_into().map_err(damaged)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn list(folder: &Path) -> ServerList {
        ServerList(PrivateFile::new(folder.join("deep").join(FILE), OthersAccess::Nothing))
    }

    fn address(text: &str) -> ServerAddress {
        ServerAddress::parse(text).unwrap()
    }

    fn login(token: &str) -> ServerLogin {
        ServerLogin {
            token: token.to_owned().into(),
            workspace: Some("team:main".to_owned()),
            person: "ann".to_owned(),
        }
    }

    /// Input: logins at two servers of one host; expected: each address gets its own token, and no other gets one.
    #[test]
    fn login_token_is_bound_to_one_server() {
        let folder = tempfile::tempdir().unwrap();
        let list = list(folder.path());
        let (one, other) = (address("https://a.example/x"), address("https://a.example/y"));
        list.keep(&one, &login("entr_1.one")).unwrap();
        list.keep(&other, &login("entr_2.two")).unwrap();
        let token = |server: &str| {
            let found = list.login(&address(server)).unwrap();
            found.map(|login| login.token.expose_secret().to_owned())
        };
        assert_eq!(token("https://a.example/x/").as_deref(), Some("entr_1.one"));
        assert_eq!(token("https://A.example:443/y").as_deref(), Some("entr_2.two"));
        for foreign in ["https://a.example", "https://a.example:8443/x", "https://b.example/x"] {
            assert_eq!(token(foreign), None, "{foreign}");
        }
        list.forget(&one).unwrap();
        assert_eq!((token("https://a.example/x"), token("https://a.example/y").is_some()), (None, true));
    }

    /// Input: a file that others may read, a damaged one, one of a later version; expected: no token, and a damaged file
    /// is not replaced.
    #[cfg(unix)]
    #[test]
    fn unusable_server_list_gives_no_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let list = list(folder.path());
        let server = address("https://a.example");
        list.keep(&server, &login("entr_1.one")).unwrap();
        let path = list.0.path().unwrap().to_owned();
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        mode(0o640);
        assert!(matches!(list.login(&server), Err(ServerListFault::File(PrivateFileFault::Open))));
        mode(0o600);
        let good = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, good.replace("version = 1", "version = 2")).unwrap();
        assert!(matches!(list.login(&server), Err(ServerListFault::Newer)));
        let bad = good.replace("person", "persons");
        std::fs::write(&path, &bad).unwrap();
        assert!(matches!(list.login(&server), Err(ServerListFault::Damaged)));
        assert!(list.keep(&server, &login("entr_2.two")).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
    }
}
