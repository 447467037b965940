//! Logins at a third-party remote MCP server: the SDK's own authorization server, assembled in `tests/mcp/oauth.mjs`.
//! The test plays the browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::cli_fixture::{CliCommandOutput, CliFixture, CliProcess, command_output};
use crate::files::node;

/// The server, and everything that a test printed: it must not contain any secret.
struct OauthServerProcess {
    child: Child,
    base: String,
}

/// A page as the browser received it.
struct BrowserPage {
    status: u16,
    location: Option<String>,
    body: String,
}

/// One request of a browser that follows no redirect by itself.
fn http(method: &str, url: &str, body: &str) -> BrowserPage {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let location = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("location").then(|| value.to_owned())
    });
    BrowserPage { status: head[9..12].parse().unwrap(), location, body: body.to_owned() }
}

impl OauthServerProcess {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/oauth.mjs");
        let mut child = Command::new(node()).arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut base = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut base).unwrap();
        Self { child, base: base.trim().to_owned() }
    }

    fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Sets the server's behaviour and clears its records.
    fn set_server_behaviour(&self, mode: &Value) {
        assert_eq!(http("POST", &format!("{}/control", self.base), &mode.to_string()).status, 200);
    }

    fn recorded_requests(&self, what: &str) -> Vec<String> {
        let page = http("GET", &format!("{}/seen", self.base), "").body;
        let seen: Value = serde_json::from_str(&page).unwrap_or_else(|error| panic!("{error}: {page}"));
        let all = seen[what].as_array().unwrap_or_else(|| panic!("{seen}"));
        all.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    }

    /// The address of the second host.
    fn secondary_host_url(&self) -> String {
        let page = http("GET", &format!("{}/seen", self.base), "").body;
        serde_json::from_str::<Value>(&page).unwrap()["other"].as_str().unwrap().to_owned()
    }

    /// The address to which the authorization server redirects the browser after the person consented.
    fn authorization_redirect(&self, stage: &CliFixture, running: &CliProcess) -> String {
        // Without a terminal the address is in a file.
        running.line_with("mcp-login-link");
        let url = std::fs::read_to_string(stage.folder.path().join("data/mcp-login-link")).unwrap();
        let url = url.trim();
        assert!(url.starts_with(&format!("{}/authorize", self.base)), "{url}");
        let page = http("GET", url, "");
        assert_eq!(page.status, 302, "{}", page.body);
        page.location.unwrap()
    }

    /// Logs in with a browser that returns by itself.
    fn log_in(&self, stage: &CliFixture) {
        let running = stage.begin(&["mcp", "login", "notes", "--no-browser"]);
        let page = http("GET", &self.authorization_redirect(stage, &running), "");
        assert!(page.status == 200 && page.body.contains("return to Entracte"), "{}", page.body);
        running.line_with("Logged in to notes");
        assert_eq!(running.close_stdin_and_wait(), 0);
    }
}

impl Drop for OauthServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stage(url: &str, login: &str) -> CliFixture {
    let stage = CliFixture::with_script("");
    configure(&stage, url, login);
    let ask = |text: &str| {
        let actions = json!([{ "type": "NOTES_NOTE", "params": { "text": text } }]);
        let asks = json!({ "pre_text": "I note it.", "actions": actions, "keep_control": true });
        format!("[[turn]]\nenvelope = '''{asks}'''\n")
    };
    let says = |expect: &str, says: &str| format!("[[turn]]\nexpect = '''{expect}'''\ntext = '''{says}'''\n");
    stage.write("story.toml", &(ask("72.50") + &says("Noted 72.50 for Bearer [secret]", "It is noted.")));
    stage.write("over.toml", &(ask("73.00") + &says("LOGIN_REQUIRED", "Please log in.")));
    stage
}

fn configure(stage: &CliFixture, url: &str, login: &str) {
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [providers.over]\nkind = \"rehearsal\"\nscript = \"over.toml\"\n\
             [mcp.notes]\nurl = {url:?}\n{login}"
        ),
    );
}

/// Sends a note that a person approves, with full logging.
fn note(stage: &CliFixture, provider: &str) -> (CliCommandOutput, String) {
    let asked = stage.run(&["--json", "chat", "--provider", provider, "--message", "Note it"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let mut approve = stage.command(&["approve", "--session", &session, "--all"]);
    let approved =
        command_output(approve.env("ENTRACTE_LOG", "trace").stdin(Stdio::null()).output().unwrap());
    (approved, session)
}

fn state(stage: &CliFixture, session: &str) -> String {
    let calls = stage.run(&["--json", "session", "calls", session]).expect(0).json();
    calls["calls"][0]["state"].as_str().unwrap().to_owned()
}

fn login_of(stage: &CliFixture) -> Value {
    stage.run(&["--json", "mcp", "status"]).expect(0).json()["servers"][0].clone()
}

/// Every file below a folder except those of the logins.
fn files(folder: &Path, all: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "mcp-logins" {
            files(&path, all);
        } else if path.is_file() {
            all.push(path);
        }
    }
}

fn nothing_leaks(remote: &OauthServerProcess, stage: &CliFixture, printed: &[String]) {
    let secrets = remote.recorded_requests("secrets");
    assert!(secrets.len() >= 3, "{secrets:?}");
    let mut all = Vec::new();
    files(stage.folder.path(), &mut all);
    for secret in &secrets {
        for path in &all {
            let bytes = std::fs::read(path).unwrap();
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{} holds {secret}", path.display());
        }
        for text in printed {
            let line = text.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(line, None, "printed or logged: {secret}");
        }
    }
}

#[test]
fn mcp_oauth_against_a_real_server() {
    let remote = OauthServerProcess::start();
    let stage = stage(&remote.url(), "");

    // Without a login, the status says so and names the command.
    assert_eq!(login_of(&stage)["login"], "none");
    let told = stage.run(&["command", "accept"]);
    assert!(told.err.contains("entracte mcp login notes"), "{}", told.err);

    remote.log_in(&stage);
    let status = login_of(&stage);
    assert_eq!((&status["login"], &status["renews"]), (&json!("logged_in"), &json!(true)), "{status}");
    let doctor = stage.run(&["doctor"]);
    assert!(doctor.out.contains("login notes"), "{}", doctor.out);

    // A call with approval; the server repeats the token, which must not be shown.
    let (first, session) = note(&stage, "stage");
    assert_eq!((first.code, first.out.as_str()), (0, "It is noted.\n"), "{}", first.err);
    assert_eq!(state(&stage, &session), "succeeded");
    assert_eq!(remote.recorded_requests("notes"), ["72.50"]);

    // The token expires: it is renewed before the call, and the new one is stored.
    remote.set_server_behaviour(&json!({ "lifetime": 5 }));
    remote.log_in(&stage);
    let before = remote.recorded_requests("secrets").len();
    remote.set_server_behaviour(&json!({}));
    let (renewed, _) = note(&stage, "stage");
    assert_eq!((renewed.code, renewed.out.as_str()), (0, "It is noted.\n"), "{}", renewed.err);
    assert_eq!(remote.recorded_requests("secrets").len(), before + 2, "renewed once");
    let path = "POST /token".to_owned();
    assert_eq!(remote.recorded_requests("seen").iter().filter(|one| **one == path).count(), 1);

    // The renewal is refused: the call asks for a login, and its outcome is not unknown.
    remote.set_server_behaviour(&json!({ "lifetime": 5 }));
    remote.log_in(&stage);
    remote.set_server_behaviour(&json!({ "refuseRefresh": true }));
    let (refused, session) = note(&stage, "over");
    assert_eq!(refused.out, "Please log in.\n", "{}", refused.err);
    assert_eq!(state(&stage, &session), "failed");
    let journal = stage.run(&["session", "show", &session]).out;
    assert_eq!(remote.recorded_requests("notes").len(), 2, "{journal}");

    // Permissions of the login files, and the leftovers of a logout.
    use std::os::unix::fs::PermissionsExt as _;
    let logins = stage.folder.path().join("data/mcp-logins");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&logins), 0o700);
    for file in std::fs::read_dir(&logins).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    nothing_leaks(&remote, &stage, &[first.err, renewed.err, refused.err, doctor.out, journal]);
    remote.set_server_behaviour(&json!({}));
    remote.log_in(&stage);
    let out = stage.run(&["mcp", "logout", "notes"]).expect(0).out;
    assert_eq!(out, "The login at notes is forgotten and revoked.\n");
    assert!(remote.recorded_requests("seen").contains(&"POST /revoke".to_owned()));
    assert_eq!(login_of(&stage)["login"], "none");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Maximum number of polls of the server's records.
const LOOKS: usize = 20_000;

/// Input: an expired token, and two processes that connect with it, the second while the first waits for the new token;
/// expected: it is renewed once, with a refresh token that is valid once, and both processes continue, as does any
/// later one.
#[test]
fn two_processes_renew_once() {
    let remote = OauthServerProcess::start();
    let stage = stage(&remote.url(), "");
    // Without a database the doctor checks no server.
    stage.run(&["workspace", "create", "local:main", "--language", "en"]).expect(0);
    remote.set_server_behaviour(&json!({ "lifetime": 5 }));
    remote.log_in(&stage);
    let before = remote.recorded_requests("secrets").len();
    remote.set_server_behaviour(&json!({ "hold": 2000 }));
    let path = "POST /token".to_owned();
    let connect = || {
        let mut doctor = stage.command(&["--json", "doctor", "--online"]);
        doctor.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = connect();
    assert!((0..LOOKS).any(|_| remote.recorded_requests("seen").contains(&path)), "the first process renews");
    let second = connect();
    for process in [first, second] {
        let said = command_output(process.wait_with_output().unwrap());
        let checks = said.json()["checks"].as_array().unwrap().clone();
        let server = checks.iter().find(|check| check["check"] == "mcp notes");
        let grade = server.and_then(|check| check["grade"].as_str()).unwrap_or_default();
        assert!(["ok", "warn"].contains(&grade), "{}", said.out);
    }
    assert_eq!(
        remote.recorded_requests("seen").iter().filter(|one| **one == path).count(),
        1,
        "renewed once"
    );
    assert_eq!(remote.recorded_requests("secrets").len(), before + 2, "one token, and what renews it");
    stage.run(&["command", "accept"]);
    let (noted, _) = note(&stage, "stage");
    assert_eq!((noted.code, noted.out.as_str()), (0, "It is noted.\n"), "{}", noted.err);
    assert_eq!(
        remote.recorded_requests("seen").iter().filter(|one| **one == path).count(),
        1,
        "and not again"
    );
}

#[test]
fn a_login_takes_nothing_from_strangers() {
    let remote = OauthServerProcess::start();
    let stage = stage(&remote.url(), "");
    let mut login = stage.begin(&["mcp", "login", "notes", "--no-browser"]);
    let back = remote.authorization_redirect(&stage, &login);
    let (address, query) = back.split_once('?').unwrap();
    let state = query.split('&').find(|part| part.starts_with("state=")).unwrap().to_owned();

    // A page that knows the port but not the state; then the same by hand; then a reply of another authorization
    // server.
    assert_eq!(http("GET", &format!("{address}?code=evil&state=guessed"), "").status, 400);
    login.type_line("https://example.com/");
    login.line_with("not the address");
    login.type_line(&format!("{address}?code=evil&{state}&iss=https%3A%2F%2Fevil.example"));
    login.line_with("https://evil.example answered instead of the authorization server");
    assert_eq!(login.close_stdin_and_wait(), 1);
    assert_eq!(login_of(&stage)["login"], "none");

    let mut login = stage.begin(&["mcp", "login", "notes", "--no-browser"]);
    let back = remote.authorization_redirect(&stage, &login);
    login.type_line(&back.replace("state=", "state=x"));
    login.line_with("not from this login");
    assert_eq!(login.close_stdin_and_wait(), 1);

    // Pasted completely, it is a login.
    let mut login = stage.begin(&["mcp", "login", "notes", "--no-browser"]);
    let back = remote.authorization_redirect(&stage, &login);
    login.type_line(&back);
    login.line_with("Logged in to notes");
    assert_eq!(login.close_stdin_and_wait(), 0);
}

#[test]
fn a_login_goes_nowhere_else() {
    let remote = OauthServerProcess::start();
    let other = remote.secondary_host_url();
    let stage = stage(&remote.url(), "");
    let login = |mode: Value| {
        remote.set_server_behaviour(&mode);
        stage.run(&["mcp", "login", "notes", "--no-browser", "--within", "60"])
    };
    let resource = |servers: Value| json!({ "resource": { "authorization_servers": servers } });
    for (mode, says) in [
        (resource(json!(["http://169.254.169.254/"])), "none of the authorization servers"),
        (
            resource(json!([format!("{other}/")])),
            "is a loopback address (this machine); to allow it, set oauth.allow",
        ),
        (json!({ "resource": { "resource": "https://other.example/mcp" } }), "is about another server"),
        (
            json!({ "metadata": { "issuer": "https://evil.example" } }),
            "https://evil.example answered instead of",
        ),
        (json!({ "metadata": { "registration_endpoint": format!("{other}/register") } }), "oauth.allow"),
        (json!({ "metadata": { "code_challenge_methods_supported": ["plain"] } }), "PKCE"),
        (
            json!({ "redirect": { "/register": format!("{other}/register") } }),
            "did not register this program",
        ),
    ] {
        let refused = login(mode.clone());
        assert_eq!(refused.code, 1, "{mode}: {}", refused.err);
        assert!(refused.err.contains(says), "{mode}: {}", refused.err);
        assert_eq!(remote.recorded_requests("elsewhere"), Vec::<String>::new(), "{mode}");
    }
    let registration = json!({ "metadata": { "registration_endpoint": null } });
    let refused = login(registration).expect(2);
    assert!(refused.err.contains("set oauth.client_id"), "{}", refused.err);

    // The code and the verifier follow no redirect.
    remote.set_server_behaviour(&json!({ "redirect": { "/token": format!("{other}/token") } }));
    let running = stage.begin(&["mcp", "login", "notes", "--no-browser"]);
    http("GET", &remote.authorization_redirect(&stage, &running), "");
    running.line_with("gave no token");
    assert_eq!(running.close_stdin_and_wait(), 1);
    assert_eq!(remote.recorded_requests("elsewhere"), Vec::<String>::new());

    // The login stores the token endpoint, and a changed address gets no token.
    remote.set_server_behaviour(&json!({ "lifetime": 5 }));
    remote.log_in(&stage);
    let moved = json!({ "resource": { "authorization_servers": [format!("{other}/")] },
        "metadata": { "token_endpoint": format!("{other}/token") } });
    remote.set_server_behaviour(&moved);
    let (renewed, _) = note(&stage, "stage");
    assert_eq!(renewed.out, "It is noted.\n", "{}", renewed.err);
    assert_eq!(remote.recorded_requests("elsewhere"), Vec::<String>::new());
    configure(&stage, &format!("{other}/mcp"), "");
    assert_eq!(login_of(&stage)["login"], "none");
    stage.run(&["command", "accept"]);
    let calls = remote.recorded_requests("elsewhere");
    assert!(!calls.is_empty() && calls.iter().all(|call| call.ends_with(" -")), "{calls:?}");
}
