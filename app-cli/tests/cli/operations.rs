//! Operation of a server: the link to it, its log, its service manager.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, command_output};
use crate::decisions::MAKES;
use crate::server::{ServeServerProcess, end, send_request, serve, serve_on, token};

const SPEAKS: &str = "[[turn]]\ntext = \"One.\"\n";

/// Status of a login with the secret of a link.
fn log_in(served: &ServeServerProcess, link: &str) -> u16 {
    let secret = link.split_once("/login#").unwrap().1;
    send_request(served, "POST", "/v1/login", "", "", &json!({ "secret": secret })).0
}

/// Input: `login` beside a server, beside a chat, and without any process; expected: a link to the server that logs in
/// once, like the one it printed itself; otherwise the command to start.
#[test]
fn login_link_is_valid_once() {
    let stage = CliFixture::with_script(SPEAKS);
    let alone = stage.run(&["login"]).expect(5);
    assert!(
        alone.err.contains("no server is using") && alone.err.contains("entracte serve"),
        "{}",
        alone.err
    );
    let chat = stage.begin(&["chat"]);
    chat.line_with("session ses_");
    let beside_chat = stage.run(&["login"]).expect(5);
    assert!(beside_chat.err.contains("belongs to chat, process"), "{}", beside_chat.err);
    assert_eq!(chat.close_stdin_and_wait(), 0);

    let mut served = serve(&stage);
    let made = stage.run(&["--json", "login"]).expect(0).json();
    let link = made["login"].as_str().unwrap();
    assert_eq!(made["url"].as_str().unwrap(), format!("http://{}", served.address));
    assert_ne!(link, served.login);
    for link in [link, served.login.as_str()] {
        assert_eq!((log_in(&served, link), log_in(&served, link)), (200, 410), "{link}");
    }
    let doctor = stage.run(&["doctor"]).out;
    let owner = format!("serve, process {}", served.running.child.id());
    assert!(doctor.contains(&owner) && doctor.contains(&served.address), "{doctor}");
    assert_eq!(end(&mut served), 0);
    // The record of a killed server in the database gives no link.
    let mut killed = serve(&stage);
    killed.running.child.kill().unwrap();
    killed.running.child.wait().unwrap();
    stage.run(&["login"]).expect(5);
}

/// Input: a process whose standard error is not read, without and with `log.file = true`; expected: its log is on
/// standard error, and with the setting also in a file with private permissions.
#[test]
fn log_is_also_written_to_configured_file() {
    let stage = CliFixture::with_script(SPEAKS).on_a_file();
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    let file = stage.folder.path().join("data/entracte.log");
    let logged = || {
        let mut command = stage.command(&["session", "list"]);
        command_output(command.env("ENTRACTE_LOG", "entracte=debug").output().unwrap()).expect(0).err
    };
    assert!(logged().contains("begins") && !file.exists(), "standard error alone");
    stage.write("entracte.toml", &format!("{config}[log]\nfile = true\n"));
    assert!(logged().contains("begins"));
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("begins"), "{kept}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Input: a server under a service manager that expects a heartbeat twice a second; expected: it reports that it is
/// ready once it answers and owns the database, that it runs, and that it ends.
#[test]
fn service_manager_receives_server_state() {
    let stage = CliFixture::with_script(SPEAKS);
    let path = stage.folder.path().join("notify.sock");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let told = || {
        let mut message = [0; 4096];
        let length = manager.recv(&mut message).unwrap();
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    let mut command = stage.command(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    let command = command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "500000");
    let mut served = serve_on(stage.spawn_command(command));
    let ready = told();
    assert!(ready.starts_with("READY=1\nSTATUS=serving on http://127.0.0.1:"), "{ready}");
    let (status, _) = send_request(&served, "GET", "/readyz", "", "", &Value::Null);
    assert_eq!(status, 200, "ready is true when it is said");
    assert_eq!([told().trim(), told().trim()], ["WATCHDOG=1", "WATCHDOG=1"]);
    assert_eq!(end(&mut served), 0);
    let stopping = std::iter::repeat_with(told).find(|told| !told.starts_with("WATCHDOG")).unwrap();
    assert!(stopping.starts_with("STOPPING=1\nSTATUS=nothing new starts"), "{stopping}");
}

/// The operator's requests to the process, and its provider entries: no secret appears anywhere.
#[test]
fn the_operator_looks_after_the_server() {
    let stage = CliFixture::with_script(MAKES);
    let (_, root) = token(&stage, &["--everywhere", "--scope", "admin"]);
    let served = serve(&stage);
    let get = |path: &str| send_request(&served, "GET", path, &root, "", &Value::Null);
    let (status, doctor) = get("/v1/admin/doctor");
    let checks = doctor["checks"].as_array().unwrap();
    assert!(status == 200 && checks.iter().any(|check| check["check"] == "integrity"), "{doctor}");
    let (status, around) = send_request(&served, "POST", "/v1/admin/doctor", &root, "", &json!({}));
    let is_asked = |check: &Value| check["check"].as_str().unwrap().starts_with("provider");
    assert!(status == 200 && around["checks"].as_array().unwrap().iter().any(is_asked), "{around}");
    let (status, owner) = get("/v1/admin/owner");
    assert_eq!(
        (status, &owner["here"], &owner["holder"]["kind"]),
        (200, &json!(true), &json!("serve")),
        "{owner}"
    );
    let (status, config) = get("/v1/admin/config");
    assert!(status == 200 && config["settings"].as_array().unwrap().len() > 50, "{config}");
    let (status, found) = send_request(&served, "POST", "/v1/admin/check", &root, "", &json!({}));
    assert_eq!((status, found), (200, json!({ "faults": [], "sessions": [] })));
    let (status, made) = send_request(&served, "POST", "/v1/admin/backups", &root, "", &json!({}));
    assert!(status == 201 && made["file"].as_str().unwrap().ends_with(".db"), "{made}");

    let put = |settings: Value, more: &str| {
        send_request(&served, "PUT", "/v1/providers/mine", &root, more, &json!({ "settings": settings }))
    };
    let new = "If-None-Match: *\r\n";
    for (wrong, says) in [
        (json!({ "kind": "groq", "model": "m", "api_key_command": ["pass"] }), "command line"),
        (json!({ "kind": "groq", "model": "m", "api_key_env": "AWS_SECRET_ACCESS_KEY" }), "_API_KEY"),
        (
            json!({ "kind": "groq", "model": "m", "base_url": "https://evil.example/v1" }),
            "is not sent to this address",
        ),
        (
            json!({ "kind": "groq", "model": "m", "api_key_env": "OPENAI_API_KEY" }),
            "is not sent to this address",
        ),
        (json!({ "kind": "groq", "model": "sk-SECRET" }), "secret"),
        (json!({ "kind": "piano", "model": "m" }), "piano"),
    ] {
        let (status, refused) = put(wrong, new);
        let text = refused.to_string();
        assert!(status == 422 && text.contains(says) && !text.contains("sk-SECRET"), "{refused}");
    }
    let groq =
        json!({ "kind": "groq", "model": "llama", "api_key_env": "GROQ_API_KEY", "max_output_tokens": 4000 });
    let (status, written) = put(groq, new);
    assert_eq!(status, 201, "{written}");
    let shown = stage.run(&["--json", "provider", "show", "mine"]).expect(0).json();
    assert_eq!(shown["settings"]["max_output_tokens"], 4000, "{shown}");

    // The default is set by the same request.
    let second = json!({ "settings": { "kind": "groq", "model": "llama" }, "default": true });
    let (status, written) = send_request(&served, "PUT", "/v1/providers/second", &root, new, &second);
    assert_eq!(status, 201, "{written}");
    let list = stage.run(&["--json", "provider", "list"]).expect(0).json();
    let default = list["providers"].as_array().unwrap().iter().find(|entry| entry["default"] == true);
    assert_eq!(default.map(|entry| &entry["name"]), Some(&json!("second")), "{list}");
    // Another file contains an entry of that name: it exists, although no request sent its tag.
    let taken = json!({ "settings": { "kind": "groq", "model": "llama" } });
    let (status, refused) = send_request(&served, "PUT", "/v1/providers/stage", &root, new, &taken);
    assert_eq!((status, &refused["code"]), (412, &json!("changed")), "{refused}");
}
