//! The destinations of secrets, and the places that must not contain them: targets, tools, texts, logs, browsers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::cli_fixture::{CliCommandOutput, CliFixture, command_output};
use crate::decisions::MAKES;
use crate::notify::{add_file_target, read_notifications};
use crate::server::{ServeServerProcess, end, send_request, serve, serve_on, token};
use crate::terminal::PseudoTerminal;

const HOOK: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TOKEN: &str = "tk_secret_canary";

/// Answers one request: from its first line and header lines in lower case to the rest of the status line, and the
/// body.
pub(crate) type HttpResponder = dyn Fn(&str) -> (String, String) + Send;

/// A local server that records the head of every request.
pub(crate) struct HeaderRecordingServer {
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl HeaderRecordingServer {
    pub(crate) fn open(answers: Box<HttpResponder>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(head) = head(&stream) else { continue };
                let (status, body) = answers(&head);
                noted.lock().unwrap().push(head);
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Self { address, heard }
    }

    /// A server that accepts everything.
    pub(crate) fn accepting_everything() -> Self {
        Self::open(Box::new(|_| ("200 OK\r\ncontent-type: application/json".to_owned(), "{}".to_owned())))
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// The head of a request; its body is read too, so that the client can write all of it.
fn head(stream: &TcpStream) -> Option<String> {
    let (mut lines, mut head) = (BufReader::new(stream), String::new());
    while !head.ends_with("\r\n\r\n") {
        lines.read_line(&mut head).ok().filter(|read| *read > 0)?;
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    lines.read_exact(&mut vec![0; length.parse().ok()?]).ok()?;
    Some(head)
}

/// A server with the secrets of targets in its variables.
fn serve_with_secrets(stage: &CliFixture) -> ServeServerProcess {
    let mut command = stage.command(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    serve_on(
        stage.spawn_command(command.envs([("ENTRACTE_NOTIFY_PHONE", TOKEN), ("ENTRACTE_NOTIFY_HOOK", HOOK)])),
    )
}

fn add(served: &ServeServerProcess, workspace: &str, token: &str, new: &Value) -> (u16, Value) {
    send_request(served, "POST", &format!("/v1/workspaces/{workspace}/targets"), token, "", new)
}

/// Adds a target on the command line of the server's machine.
fn add_by_hand(stage: &CliFixture, arguments: &[&str]) -> CliCommandOutput {
    let mut command = stage.command(&[&["notify", "add"], arguments].concat());
    command_output(
        command.envs([("ENTRACTE_NOTIFY_PHONE", TOKEN), ("ENTRACTE_NOTIFY_HOOK", HOOK)]).output().unwrap(),
    )
}

/// Input: a secret that is declared for one host and one workspace, and one that is not declared, named by targets and
/// by a tool on this host and on a stranger's; expected: the declared one is sent only to its host, the other one only
/// to the target named on the command line, and a target that no longer matches is disabled and reported.
#[test]
fn secret_is_sent_only_to_its_hosts() {
    let (phone, stranger) =
        (HeaderRecordingServer::accepting_everything(), HeaderRecordingServer::accepting_everything());
    let config = |declared: &str| {
        format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n{declared}\
             [notify]\nallow = [\"127.0.0.1\"]\n[tools.http]\nallow = [\"127.0.0.1\"]\n\
             [[tools.http.tool]]\nname = \"peer.call\"\nmethod = \"GET\"\nurl = \"http://{}/\"\ndoc = \"Calls.\"\n\
             headers = {{ Authorization = {{ secret_env = \"ENTRACTE_NOTIFY_PHONE\", prefix = \"Bearer \" }} }}\n\
             arguments = {{ type = \"object\", properties = {{}}, additionalProperties = false }}\n",
            stranger.address
        )
    };
    let declared = format!(
        "[secrets.phone]\nsecret_env = \"ENTRACTE_NOTIFY_PHONE\"\nkind = \"bearer\"\nhosts = [\"{}\"]\n",
        phone.address
    );
    let stage = CliFixture::with_script(MAKES);
    stage.write("entracte.toml", &config(&declared));
    let (_, noe) = token(&stage, &["--person", "noe", "--scope", "read,approve"]);
    let (_, eve) = token(&stage, &["--person", "eve", "--scope", "admin", "--everywhere"]);
    for workspace in ["local:main", "eve:other"] {
        stage.run(&["workspace", "create", workspace, "--language", "en"]).expect(0);
    }
    let mut served = serve_with_secrets(&stage);
    let (here, there) =
        (format!("http://{}/topic", phone.address), format!("http://{}/topic", stranger.address));

    let new = |name: &str, channel: &str, url: &str, secret: &str| json!({ "name": name, channel: url, "secret_env": secret });
    let (plain, hook) = ("ENTRACTE_NOTIFY_PHONE", "ENTRACTE_NOTIFY_HOOK");
    for (workspace, token, new, says) in [
        ("local:main", &noe, new("x", "webhook", &there, hook), "is not declared"),
        ("local:main", &eve, new("x", "webhook", &there, hook), "is not declared"),
        ("local:main", &noe, new("x", "ntfy", &there, plain), "may be sent to"),
        ("local:main", &noe, new("x", "webhook", &here, plain), "is of the kind bearer"),
        ("eve:other", &eve, new("x", "ntfy", &here, plain), "not for this person in this workspace"),
        ("local:main", &noe, json!({ "name": "x", "ntfy": "env:ENTRACTE_NOTIFY_HOOK" }), "is not declared"),
    ] {
        let (status, refused) = add(&served, workspace, token, &new);
        assert!(status == 422 && refused.to_string().contains(says), "{new}: {refused}");
    }
    let (status, made) = add(&served, "local:main", &noe, &new("phone", "ntfy", &here, plain));
    assert_eq!((status, &made["off"]), (201, &Value::Null), "{made}");
    let path = format!("/v1/workspaces/local:main/targets/{}", made["id"].as_str().unwrap());
    let (_, tested) = send_request(&served, "POST", &format!("{path}/test"), &noe, "", &json!({}));
    assert_eq!(tested, json!({ "taken": true, "why": null }));
    assert!(phone.heard()[0].contains("authorization: bearer tk_secret_canary"), "{:?}", phone.heard());

    // A tool has no more rights than a target.
    let mut run = stage.command(&["--json", "command", "run", "PEER_CALL"]);
    let refused = command_output(run.env(plain, TOKEN).output().unwrap());
    assert!(
        refused.code != 0 && (refused.out.clone() + &refused.err).contains("may be sent to"),
        "{}",
        refused.err
    );
    // Nor has the operator over a declared secret.
    let bad =
        add_by_hand(&stage, &["bad", "--ntfy", &there, "--token", "env:ENTRACTE_NOTIFY_PHONE"]).expect(2);
    assert!(bad.err.contains("may be sent to"), "{}", bad.err);
    assert_eq!(stranger.heard(), Vec::<String>::new());
    // The command line may name an undeclared secret.
    add_by_hand(&stage, &["hook", "--webhook", &there, "--secret", "env:ENTRACTE_NOTIFY_HOOK"]).expect(0);
    assert_eq!(end(&mut served), 0);

    // The declaration is removed, and the target that was added over HTTP is disabled; it is reported once in each
    // place.
    stage.write("entracte.toml", &config(""));
    let mut served = serve_with_secrets(&stage);
    let (_, off) = send_request(&served, "GET", &path, &noe, "", &Value::Null);
    assert!(off["off"].as_str().unwrap().contains("is not declared"), "{off}");
    let (_, tested) = send_request(&served, "POST", &format!("{path}/test"), &noe, "", &json!({}));
    assert!(tested["why"].as_str().unwrap().contains("is not declared"), "{tested}");
    let (_, inbox) = send_request(&served, "GET", "/v1/workspaces/local:main/inbox", &noe, "", &Value::Null);
    let items = inbox["items"].as_array().unwrap();
    assert_eq!(
        (items.len(), &items[0]["kind"], &items[0]["session_name"]),
        (1, &json!("off"), &json!("phone")),
        "{inbox}"
    );
    assert_eq!(
        stage.run(&["inbox"]).expect(0).out.matches("phone").count(),
        2,
        "named, and how to remove it"
    );
    let doctor = stage.run(&["doctor"]).out;
    assert_eq!(doctor.matches("the target phone of noe in local:main is off").count(), 1, "{doctor}");
    assert_eq!(phone.heard().len(), 1, "nothing more went out");
    assert_eq!(end(&mut served), 0);
}

/// Input: a private host that is allowed for tools, and a target there, by a token that may chat and by one that may
/// approve; expected: neither may add it until the list of targets contains its host.
#[test]
fn targets_have_own_allow_list() {
    let peer = HeaderRecordingServer::accepting_everything();
    let stage = CliFixture::with_script(MAKES);
    let config = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[tools.http]\nallow = [\"127.0.0.1\"]\n";
    stage.write("entracte.toml", config);
    let (_, chat) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let (_, approve) = token(&stage, &["--person", "noe", "--scope", "read,approve"]);
    let new = json!({ "name": "phone", "ntfy": format!("http://{}/topic", peer.address) });
    let mut served = serve(&stage);
    let (status, refused) = add(&served, "local:main", &approve, &new);
    assert!(status == 422 && refused.to_string().contains("notify.allow"), "{refused}");
    let by_hand =
        add_by_hand(&stage, &["phone", "--ntfy", &format!("http://{}/topic", peer.address)]).expect(2);
    assert!(by_hand.err.contains("notify.allow"), "{}", by_hand.err);
    assert_eq!(end(&mut served), 0);

    stage.write("entracte.toml", &format!("{config}[notify]\nallow = [\"127.0.0.1\"]\n"));
    let mut served = serve(&stage);
    let (status, made) = add(&served, "local:main", &approve, &new);
    assert_eq!(status, 201, "{made}");
    let path = format!("/v1/workspaces/local:main/targets/{}", made["id"].as_str().unwrap());
    for (method, path, body) in [
        ("POST", "/v1/workspaces/local:main/targets".to_owned(), &new),
        ("PATCH", path.clone(), &json!({ "enabled": false })),
        ("POST", format!("{path}/test"), &json!({})),
        ("DELETE", path.clone(), &Value::Null),
    ] {
        let (status, refused) = send_request(&served, method, &path, &chat, "", body);
        assert_eq!((status, &refused["code"]), (403, &json!("scope-missing")), "{method} {path}");
    }
    assert_eq!(end(&mut served), 0);

    // An earlier version accepted it; now its host is not in the list of targets.
    stage.write("entracte.toml", config);
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    assert_eq!(
        (&inbox["items"][0]["kind"], &inbox["items"][0]["what"]),
        (&json!("off"), &json!("target")),
        "{inbox}"
    );
    assert_eq!(peer.heard(), Vec::<String>::new());
}

/// Input: secrets of people, and their words in the sessions of others; expected: a secret is scrubbed in the requests
/// of its person, and nowhere else. A secret that cannot be scrubbed is refused by its name.
#[test]
fn secrets_are_scrubbed_per_workspace() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"15 invoices are approved: ghp_1234567890.\"\n");
    let keep = |workspace: &str, person: &str, name: &str, secret: &str| {
        let mut command = stage.command(&["--workspace", workspace, "secret", "set", name]);
        let streams = command.env("USER", person).stdin(std::process::Stdio::piped());
        let streams = streams.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = streams.spawn().unwrap();
        child.stdin.take().unwrap().write_all(secret.as_bytes()).unwrap();
        command_output(child.wait_with_output().unwrap())
    };
    let says = |workspace: &str, person: &str| {
        let mut command = stage.command(&["--workspace", workspace, "chat", "--message", "How many?"]);
        command_output(command.env("USER", person).stdin(std::process::Stdio::null()).output().unwrap())
            .expect(0)
            .out
    };
    keep("eve:other", "eve", "word", "invoices are").expect(0);
    keep("local:main", "eve", "word", "approved").expect(0);
    keep("local:main", "ann", "github", "ghp_1234567890").expect(0);
    assert_eq!(
        says("local:main", "ann"),
        "15 invoices are approved: [secret].\n",
        "Ann's own, and nobody else's word"
    );
    assert_eq!(says("local:main", "eve"), "15 invoices are [secret]: ghp_1234567890.\n");
    assert_eq!(says("eve:other", "eve"), "15 [secret] approved: ghp_1234567890.\n");
    assert_eq!(
        says("eve:other", "ann"),
        "15 invoices are approved: ghp_1234567890.\n",
        "Ann keeps none there"
    );

    let short = keep("local:main", "ann", "pin", "123-456").expect(2);
    assert!(short.err.contains("“pin” has fewer than 8 characters"), "{}", short.err);
    stage.write("key", "sk-1\n");
    let config = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
                  [providers.own]\nkind = \"compatible\"\nmodel = \"m\"\nbase_url = \"https://models.example.com/v1\"\napi_key_file = \"key\"\n";
    stage.write("entracte.toml", config);
    let refused = stage.run(&["chat", "--provider", "stage", "--message", "How many?"]).expect(2);
    let key = stage.folder.path().join("key");
    assert!(refused.err.contains(&format!("file:{}", key.display())), "{}", refused.err);
    assert!(!refused.err.contains("sk-1"), "{}", refused.err);
    let doctor = stage.run(&["doctor"]).expect(1).out;
    assert!(doctor.contains("has fewer than 8 characters"), "{doctor}");
}

/// Input: a server and `login` without a terminal, with a log in a file; expected: the link is in a file that only its
/// owner can read, and not in their output or log.
#[test]
fn login_link_is_never_logged() {
    let stage = CliFixture::with_script(MAKES);
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    stage.write("entracte.toml", &format!("{config}[log]\nfile = true\n"));
    let data = stage.folder.path().join("data");
    let kept = data.join("login-link");
    let link = || std::fs::read_to_string(&kept).unwrap().trim().to_owned();
    let is_private = || std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777 == 0o600;

    let mut command = stage.command(&["serve", "--bind", "127.0.0.1:0"]);
    let running = stage.spawn_command(command.env("ENTRACTE_LOG", "trace"));
    let printed = running.lines_until("login-link");
    let first = link();
    assert!(first.contains("/login#") && is_private(), "{first}");
    let made = stage.run(&["login"]).expect(0);
    let second = link();
    assert!(second != first && is_private(), "{second}");
    assert!(made.out.contains("login-link"), "{}", made.out);
    drop(running);

    let mut texts: Vec<String> = printed;
    texts.extend([made.out, made.err]);
    let logs = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
    let logs = logs.filter(|path| path.extension().is_some_and(|end| end == "log"));
    texts.extend(logs.map(|path| std::fs::read_to_string(path).unwrap()));
    for link in [&first, &second] {
        let secret = link.split_once('#').unwrap().1;
        for text in &texts {
            assert!(!text.contains(secret) && !text.contains("/login#"), "{text}");
        }
    }
    // A service that prints JSON prints it into its log.
    let running = stage.begin(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    let printed = running.lines_until("entracte.serve/1");
    let third = link();
    assert!(third.contains("/login#") && third != second && is_private(), "{third}");
    assert!(printed.iter().all(|line| !line.contains("/login#")), "{printed:?}");
}

/// An authorization server with the test's metadata; `BASE` is its own address.
fn authorization(metadata: &Value) -> HeaderRecordingServer {
    let metadata = metadata.clone();
    HeaderRecordingServer::open(Box::new(move |head| {
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        let base = format!("http://{host}");
        let is = |part: &str| head.lines().next().unwrap_or_default().contains(part);
        let said = if is("oauth-protected-resource") {
            json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] })
        } else if is("oauth-authorization-server") {
            let mut all = json!({
                "issuer": base, "authorization_endpoint": format!("{base}/authorize"), "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"), "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            });
            for (name, value) in metadata.as_object().unwrap() {
                all[name] = value.clone();
            }
            all
        } else if is("/register") {
            json!({ "client_id": "c1", "redirect_uris": ["http://127.0.0.1/callback"] })
        } else {
            let resource = format!("{base}/.well-known/oauth-protected-resource");
            return (
                format!("401 No\r\nwww-authenticate: Bearer resource_metadata=\"{resource}\""),
                String::new(),
            );
        };
        ("200 OK\r\ncontent-type: application/json".to_owned(), said.to_string())
    }))
}

/// A folder with a browser that only records the address it is given.
fn browser(stage: &CliFixture) -> (String, std::path::PathBuf) {
    let (folder, opened) = (stage.folder.path().join("bin"), stage.folder.path().join("opened"));
    std::fs::create_dir_all(&folder).unwrap();
    for program in ["xdg-open", "open"] {
        let path = folder.join(program);
        std::fs::write(&path, format!("#!/bin/sh\necho \"$1\" >> {}\n", opened.display())).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    (folder.display().to_string(), opened)
}

fn notes(stage: &CliFixture, url: &str, oauth: &str) {
    let config = format!(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[mcp.notes]\nurl = \"{url}\"\n{oauth}"
    );
    stage.write("entracte.toml", &config);
}

/// Input: MCP servers that name a file, a program's scheme, an address with a password and a page for the browser;
/// expected: only the page is opened, after it was shown, and only on a host that the configuration names. The
/// configured client secret is sent only to the configured authorization server.
#[test]
fn login_opens_only_http_addresses() {
    let stage = CliFixture::with_script(MAKES);
    let (path, opened) = browser(&stage);
    let log_in = |endpoint: &str| {
        let server = authorization(&json!({ "authorization_endpoint": endpoint }));
        notes(&stage, &format!("http://{}/mcp", server.address), "");
        let terminal = PseudoTerminal::open_with(&stage, 120, &["mcp", "login", "notes"], &[("PATH", &path)]);
        (server, terminal)
    };
    let opened_was = || std::fs::read_to_string(&opened).unwrap_or_default();
    for (hostile, says) in [
        ("file:///etc/passwd", "which is no web page"),
        ("smb://evil.example/share", "which is no web page"),
        ("http://ann:pw@127.0.0.1/authorize", "which is no web page"),
        ("javascript:alert(1)", "which is no web page"),
    ] {
        let (_server, mut terminal) = log_in(hostile);
        terminal.until(says);
        assert_ne!(terminal.ends(), 0, "{hostile}");
        assert_eq!(opened_was(), "", "{hostile}");
    }
    // A page of a host that is not configured is shown, but not opened.
    let (_server, mut terminal) = log_in("http://evil.example/authorize");
    terminal.until("http://evil.example/authorize?");
    terminal.until("the configuration does not name the host evil.example");
    assert_eq!(opened_was(), "");
    drop(terminal);
    // A page of the server itself is opened.
    let server = authorization(&json!({}));
    notes(&stage, &format!("http://{}/mcp", server.address), "");
    let mut terminal = PseudoTerminal::open_with(&stage, 120, &["mcp", "login", "notes"], &[("PATH", &path)]);
    terminal.until(&format!("http://{}/authorize?", server.address));
    terminal.until("The browser was opened");
    assert!(terminal.text().find("/authorize?") < terminal.text().find("The browser was opened"));
    drop(terminal);

    secret_of_client_needs_issuer(&stage);
}

fn secret_of_client_needs_issuer(stage: &CliFixture) {
    stage.write("client.key", "client-secret-canary");
    let server = authorization(&json!({}));
    let log_in = |issuer: &str| {
        let oauth = format!(
            "[mcp.notes.oauth]\nclient_id = \"me\"\nclient_secret = {{ secret_file = \"client.key\" }}\n{issuer}"
        );
        notes(stage, &format!("http://{}/mcp", server.address), &oauth);
        stage.run(&["mcp", "login", "notes", "--no-browser", "--within", "1"])
    };
    let refused = log_in("").expect(2);
    assert!(refused.err.contains("set oauth.issuer"), "{}", refused.err);
    let refused = log_in("issuer = \"https://login.example\"\n").expect(1);
    assert!(
        refused.err.contains("answered instead of the authorization server https://login.example"),
        "{}",
        refused.err
    );
    let late = log_in(&format!("issuer = \"http://{}\"\n", server.address));
    assert!(late.err.contains("nobody logged in"), "{}", late.err);
    assert!(server.heard().iter().all(|head| !head.contains("canary")), "{:?}", server.heard());
    assert!(
        !Path::new(&stage.folder.path().join("data/mcp-login-link")).exists(),
        "the link is worth nothing any more"
    );
}

/// Input: a chat whose name is its first message, with a waiting approval, and targets without and with content;
/// expected: no word of the message without content, the name with content.
#[test]
fn notification_omits_message_text() {
    let stage = CliFixture::with_script(MAKES);
    let plain = add_file_target(&stage, &[]);
    let full = stage.folder.path().join("full");
    let script = format!("/bin/cat >> {0}; echo >> {0}", full.display());
    stage
        .run(&["notify", "add", "full", "--private", "--full", "--command", "/bin/sh", "-c", &script])
        .expect(0);
    stage.run(&["chat", "--require-approval", "--message", "Zanzibar is my zone"]).expect(3);
    let mut served = serve(&stage);
    stage.wait_for_output(&["--json", "notify", "list"], "\"state\":\"sent\"");
    for _ in 0..100_000 {
        if !read_notifications(&plain).is_empty() && !read_notifications(&full).is_empty() {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!(end(&mut served), 0);
    let (plain, full) = (std::fs::read_to_string(plain).unwrap(), std::fs::read_to_string(full).unwrap());
    assert!(plain.contains("\"title\":\"a chat: ") && !plain.contains("Zanzibar"), "{plain}");
    assert!(full.contains("Zanzibar is my zone"), "{full}");
}
