//! `login --server` and `logout --server`: a terminal of another machine gets its token by a person's decision, keeps it for
//! one address, and gives it back.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli_fixture::{CliCommandOutput, CliFixture, CliProcess, command_output};
use crate::decisions::MAKES;
use crate::secret_leaks::HeaderRecordingServer;
use crate::server::{
    LoggedInBrowser, ServeServerProcess, end, free_address, send_request, serve, serve_at, token,
};

/// Terminals need not wait long, and logins end soon.
const QUICK: &str = "server.terminal_login_poll = \"1s\"\n";

/// A server, its operator's token, and a terminal on another machine, which has no database.
struct ServerLoginFixture {
    stage: CliFixture,
    served: ServeServerProcess,
    operator: String,
    terminal: CliFixture,
}

impl ServerLoginFixture {
    fn start(config: &str) -> Self {
        let stage = CliFixture::with_script(MAKES);
        let providers = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
        stage.write("entracte.toml", &format!("{QUICK}{config}{providers}"));
        let served = serve(&stage);
        let (_, operator) = token(&stage, &["--scope", "admin", "--everywhere"]);
        Self { stage, served, operator, terminal: CliFixture::with_config("").without_data() }
    }

    fn url(&self) -> String {
        format!("http://{}", self.served.address)
    }

    /// Starts a login; returns it and its code, once it is shown.
    fn begin(&self, options: &[&str]) -> (CliProcess, String) {
        let url = self.url();
        let running = self.terminal.begin(&[options, &["login", "--server", &url]].concat());
        let shown = running.line_with("/terminal?code=");
        let page = shown.trim().strip_prefix(&format!("{url}/terminal?code="));
        let code = page.unwrap_or_else(|| panic!("{shown}")).to_owned();
        let told = running.line_with("the same code: ");
        assert!(told.ends_with(&code), "{told} {code}");
        (running, code)
    }

    fn decide(&self, code: &str, decision: &Value) -> (u16, Value) {
        let path = format!("/v1/login/terminals/{code}/decision");
        send_request(&self.served, "POST", &path, &self.operator, "", decision)
    }

    /// The status of a token that asks who it is.
    fn status_of(&self, token: &str) -> u16 {
        send_request(&self.served, "GET", "/v1/me", token, "", &Value::Null).0
    }

    fn file(&self) -> PathBuf {
        self.terminal.folder.path().join(".local/share/entracte/servers.toml")
    }

    /// The kept token.
    fn kept(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.file()).ok()?;
        let list: toml::Table = toml::from_str(&text).unwrap();
        let login = list["servers"].get(self.url())?;
        Some(login["token"].as_str().unwrap().to_owned())
    }

    /// Keeps a token of this server.
    fn keep(&self, token: &str) -> CliCommandOutput {
        self.terminal.run_with(&["login", "--server", &self.url(), "--token", "-"], token)
    }
}

fn allow() -> Value {
    json!({ "allow": true, "scopes": ["read", "chat", "approve"] })
}

/// Input: a login that the operator allows, a command at the server, and a logout; expected: the token is kept in a file of
/// the person alone, opens that server, is shown nowhere, and counts no more after the logout.
#[test]
fn terminal_logs_in_works_and_logs_out() {
    let scene = ServerLoginFixture::start("");
    let (running, code) = scene.begin(&[]);
    assert_eq!(scene.decide(&code, &allow()).0, 200);
    let mut printed = running.lines_until("Logged in at");
    let done = printed.last().unwrap().clone();
    let words =
        [scene.url(), "as ann: every workspace".to_owned(), "may read, chat, approve; until".to_owned()];
    assert!(words.iter().all(|word| done.contains(word)), "{done}");
    assert_eq!(running.close_stdin_and_wait(), 0);

    let token = scene.kept().unwrap();
    assert_eq!(std::fs::metadata(scene.file()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(scene.status_of(&token), 200);
    let home = "/v1/workspaces/local:main";
    assert_eq!(send_request(&scene.served, "PUT", home, &scene.operator, "", &json!({})).0, 201);
    let rules = scene.terminal.run(&["--server", &scene.url(), "rule", "list"]).expect(0);
    let out = scene.terminal.run(&["logout", "--server", &scene.url()]).expect(0);
    assert!(out.out.contains("is revoked and forgotten"), "{}", out.out);
    assert_eq!((scene.status_of(&token), scene.kept()), (401, None));
    let again = scene.terminal.run(&["logout", "--server", &scene.url()]).expect(0);
    assert!(again.out.contains("There was no login"), "{}", again.out);
    let refused = scene.terminal.run(&["--server", &scene.url(), "rule", "list"]).expect(4);
    assert!(refused.err.contains(&format!("entracte login --server {}", scene.url())), "{}", refused.err);

    printed.extend([rules.out, rules.err, out.out, out.err]);
    let log = std::fs::read_to_string(scene.stage.folder.path().join("data/entracte.log"));
    printed.extend(log);
    assert!(printed.iter().all(|text| !text.contains("entr_")), "{printed:?}");
}

/// Input: the same as JSON; expected: an object while it waits and one at the end, without the token.
#[test]
fn json_of_a_login_has_no_token() {
    let scene = ServerLoginFixture::start("");
    let url = scene.url();
    let running = scene.terminal.begin(&["--json", "login", "--server", &url]);
    let object = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let waits = object(&running.line_with("entracte.server_login_wait/1"));
    let code = waits["code"].as_str().unwrap();
    assert_eq!(waits["url"], json!(format!("{url}/terminal?code={code}")));
    assert_eq!(scene.decide(code, &allow()).0, 200);
    let line = running.line_with("entracte.server_login/1");
    let done = object(&line);
    assert_eq!(
        (&done["server"], &done["person"], &done["workspace"]),
        (&json!(url), &json!("ann"), &Value::Null)
    );
    let token = scene.kept().unwrap();
    assert!(!line.contains(&token) && !line.contains("entr_"), "{line}");
    let out = scene.terminal.run(&["--json", "logout", "--server", &url]).expect(0).json();
    assert_eq!(out["login"], json!("revoked"));
}

/// Input: a login that is refused, one that nobody allows in time, and one whose code is used again; expected: each says so,
/// and nothing is kept.
#[test]
fn refused_and_expired_logins_keep_nothing() {
    let scene = ServerLoginFixture::start("");
    let (running, code) = scene.begin(&[]);
    assert_eq!(scene.decide(&code, &json!({ "allow": false })).0, 200);
    let (status, again) = scene.decide(&code, &allow());
    assert_eq!((status, &again["code"]), (409, &json!("already-decided")));
    running.line_with("was refused");
    assert_eq!(running.close_stdin_and_wait(), 4);

    let scene = ServerLoginFixture::start("server.terminal_login_lasts = \"1s\"\n");
    let (running, code) = scene.begin(&[]);
    running.line_with("nobody allowed the login");
    assert_eq!(running.close_stdin_and_wait(), 8);
    assert_eq!(scene.decide(&code, &allow()).0, 404);
    assert_eq!(scene.kept(), None);
}

/// Input: a token on standard input, one that the server does not know, and one on the command line; expected: the first is
/// kept, and none is ever shown, not in the log either.
#[test]
fn token_of_standard_input_is_kept_and_never_shown() {
    let scene = ServerLoginFixture::start("");
    let url = scene.url();
    let [first, second] = [(); 2].map(|()| token(&scene.stage, &["--scope", "read"]).1);
    let kept = scene.keep(&format!("{first}\n")).expect(0);
    assert!(kept.out.contains("workspace local:main") && kept.out.contains("without an end"), "{}", kept.out);
    assert_eq!(scene.kept().as_ref(), Some(&first));

    let unknown = scene.keep("entr_k1.guess").expect(4);
    let broken = scene.keep("entr_k1.\u{e9}").expect(2);
    let argument = scene.terminal.run(&["login", "--server", &url, "--token", &second]).expect(2);
    assert_eq!(scene.kept().as_ref(), Some(&first), "what was kept stays");
    let arguments = ["login", "--server", &url, "--token", "-"];
    let mut traced = scene.terminal.command(&arguments);
    traced.env("ENTRACTE_LOG", "trace");
    let mut traced = scene.terminal.spawn_command(&mut traced);
    traced.type_line(&second);
    let mut printed = vec![kept, unknown, broken, argument]
        .into_iter()
        .flat_map(|done| [done.out, done.err])
        .collect::<Vec<String>>();
    traced.stdin = None;
    // Two pipes have no order between them.
    printed.extend(traced.rest());
    assert!(printed.iter().any(|line| line.contains("The earlier login")), "{printed:?}");
    assert_eq!(scene.kept().as_ref(), Some(&second));
    let secrets = [&first, &second, "entr_k1.guess"].map(|token| token.split_once('.').unwrap().1);
    for secret in secrets {
        assert!(printed.iter().all(|text| !text.contains(secret)), "{printed:?}");
    }
}

/// Input: a server that is away; expected: the login is kept unless it is to be forgotten all the same.
#[test]
fn logout_without_the_server_needs_force() {
    let mut scene = ServerLoginFixture::start("");
    scene.keep(&token(&scene.stage, &["--scope", "read"]).1).expect(0);
    let url = scene.url();
    scene.served.running.child.kill().unwrap();
    scene.served.running.child.wait().unwrap();
    let kept = scene.terminal.run(&["logout", "--server", &url]).expect(75);
    assert!(kept.err.contains(&format!("entracte logout --server {url} --force")), "{}", kept.err);
    assert!(scene.kept().is_some());
    let forced = scene.terminal.run(&["logout", "--server", &url, "--force"]).expect(0);
    assert!(forced.out.contains("forgotten here, but not revoked"), "{}", forced.out);
    assert_eq!(scene.kept(), None);
}

/// Input: plain http beyond this machine, and options without a server; expected: refused before anything is sent.
#[test]
fn plain_http_beyond_loopback_is_refused() {
    let terminal = CliFixture::with_config("");
    for command in ["login", "logout"] {
        let refused = terminal.run(&[command, "--server", "http://10.255.255.1:9"]).expect(2);
        assert!(refused.err.contains("https only"), "{}", refused.err);
    }
    terminal.run(&["login", "--token", "-"]).expect(2);
    let refused = terminal.run(&["logout"]).expect(2);
    assert!(refused.err.contains("entracte logout --server URL"), "{}", refused.err);
}

/// Input: a server that sends every request on to another one; expected: neither the token nor the secret of a login
/// arrives there.
#[test]
fn redirect_never_carries_the_token() {
    let other = HeaderRecordingServer::accepting_everything();
    let place = format!("http://{}/v1/me", other.address);
    let server = HeaderRecordingServer::open(Box::new(move |_| {
        (format!("307 Elsewhere\r\nlocation: {place}"), String::new())
    }));
    let terminal = CliFixture::with_config("").without_data();
    let url = format!("http://{}", server.address);
    let kept = terminal.run_with(&["login", "--server", &url, "--token", "-"], "entr_k1.canary").expect(1);
    assert!(kept.err.contains("sends requests on to"), "{}", kept.err);
    terminal.run(&["login", "--server", &url]).expect(1);
    let mut asks = terminal.command(&["rule", "list", "--server", &url]);
    let asks = command_output(asks.env("ENTRACTE_TOKEN", "entr_k1.canary").output().unwrap());
    assert_ne!(asks.code, 0);
    assert!(server.heard().iter().any(|head| head.contains("canary")), "it was sent to its own server");
    assert!(other.heard().is_empty(), "{:?}", other.heard());
    for text in [kept.out, kept.err, asks.out, asks.err] {
        assert!(!text.contains("canary"), "{text}");
    }
}

/// Input: a code for a phone, asked for at a server that only this machine reaches; expected: what to set, and no link; also
/// none where the output is no terminal.
#[test]
fn code_for_a_phone_says_why_there_is_none() {
    let stage = CliFixture::with_script(MAKES).on_this_machine();
    let mut served = serve(&stage);
    let refused = stage.run(&["login", "--qr"]).expect(1);
    assert!(refused.err.contains("server.bind") && !refused.err.contains("login#"), "{}", refused.err);
    assert!(refused.out.is_empty(), "{}", refused.out);
    assert_eq!(end(&mut served), 0);

    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("server.public_url = \"https://entracte.example\"\n{provider}"));
    let mut served = serve_at(&stage, &free_address());
    let refused = stage.run(&["login", "--qr"]).expect(1);
    assert!(refused.err.contains("terminal") && !refused.err.contains("login#"), "{}", refused.err);
    assert_eq!(end(&mut served), 0);
}

/// Input: an operator who is logged in with a browser asks for a code for a phone; expected: a link at the address that others
/// can open, once, as the same person and until the same instant; and the link is not in the log.
#[test]
fn console_logs_a_phone_in_once() {
    let stage = CliFixture::with_script(MAKES).on_this_machine();
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("server.public_url = \"https://entracte.example\"\n{provider}"));
    let served = serve_at(&stage, &free_address());
    let browser = LoggedInBrowser::log_in(&served);
    let asked = json!({ "origin": format!("http://{}", served.address) });
    let (status, _, made) = browser.ask("POST", "/v1/login/links", "", &asked);
    assert_eq!(status, 201, "{}", made["title"]);
    let (page, secret) = made["link"].as_str().unwrap().split_once('#').unwrap();
    assert_eq!(page, "https://entracte.example/login");
    let svg = made["svg"].as_str().unwrap();
    assert!(svg.contains("<svg") && !svg.contains(secret), "the code alone has it");
    let login = json!({ "secret": secret });
    let (status, phone) = send_request(&served, "POST", "/v1/login", "", "", &login);
    assert_eq!(status, 200);
    let (_, _, me) = browser.ask("GET", "/v1/me", "", &Value::Null);
    assert!(me["token"]["expires_at"].is_string(), "{me}");
    assert_eq!(
        phone["expires_at"], me["token"]["expires_at"],
        "it ends with the login that it was made from"
    );
    let (status, spent) = send_request(&served, "POST", "/v1/login", "", "", &login);
    assert_eq!((status, &spent["code"]), (410, &json!("link-spent")));
}
