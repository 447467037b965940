//! Providers that a person sets up and changes in a browser, while the server runs.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::providers::lister;
use crate::server::{LoggedInBrowser, end, send_request, serve, token};

const PROVIDERS: &str = "/v1/providers";
const SESSIONS: &str = "/v1/workspaces/local:main/sessions";
const MODELS: &str = r#"{"data":[{"id":"nomic-embed-text"},{"id":"small"},{"id":"big"}]}"#;
const KEY: &str = "sk-TOP-SECRET-KEY-OF-ANN";

/// A home without a configuration.
fn empty_home() -> CliFixture {
    CliFixture::with_config("")
}

fn config_folder(stage: &CliFixture) -> PathBuf {
    stage.folder.path().join(".config/entracte")
}

fn user_file(stage: &CliFixture) -> String {
    std::fs::read_to_string(config_folder(stage).join("config.toml")).unwrap_or_default()
}

/// The names of the stored keys.
fn stored_keys(stage: &CliFixture) -> Vec<String> {
    let files = std::fs::read_dir(config_folder(stage).join("keys"));
    let names = files.into_iter().flatten().flatten().map(|file| file.file_name().into_string().unwrap());
    names.collect()
}

/// Every file below a folder that contains this text.
fn files_with(folder: &std::path::Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        {
            found.push(path);
        }
    }
    found
}

/// Input: a server over an empty home, and a person who tries it with a script; expected: a chat gets its answer from the
/// very same server, and so does the command line beside it.
#[test]
fn provider_set_up_in_browser_answers_without_restart() {
    let stage = empty_home();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let settings = json!({ "settings": { "language": "en" } });
    let (status, _, made) = ann.ask("PUT", "/v1/workspaces/local:main", "", &settings);
    assert_eq!(status, 201, "{made}");
    let (status, _, refused) = ann.ask("POST", SESSIONS, "", &json!({}));
    assert_eq!((status, &refused["fields"][0]["path"]), (422, &json!("provider")), "{refused}");

    let (status, _, ready) = ann.ask("POST", PROVIDERS, "", &json!({ "source": "rehearsed" }));
    assert_eq!(
        (status, &ready["name"], &ready["default"]),
        (201, &json!("rehearsed"), &json!(true)),
        "{ready}"
    );
    let (status, _, chat) = ann.ask("POST", SESSIONS, "", &json!({}));
    assert_eq!((status, &chat["provider"]), (201, &json!("rehearsed")), "{chat}");
    let session = chat["id"].as_str().unwrap();
    let messages = format!("{SESSIONS}/{session}/messages");
    let (status, _, sent) = ann.ask("POST", &messages, "", &json!({ "text": "Hello" }));
    assert_eq!(status, 202, "{sent}");
    let shown = stage.wait_for_output(&["session", "messages", session], "I only recite");
    assert!(shown.contains("Hello"), "{shown}");
    assert_eq!(end(&mut served), 0);
}

/// Input: a key for a server of one's own, in a configuration with comments; expected: the key is in a file that only its
/// owner can read, and nowhere else; the comments stay; the request to the model has the key.
#[test]
fn pasted_key_is_only_in_its_file() {
    let (url, heard) = lister("200 OK", MODELS);
    let stage = empty_home();
    std::fs::create_dir_all(config_folder(&stage)).unwrap();
    std::fs::write(config_folder(&stage).join("config.toml"), "# mine\nauthor = \"ann\" # me\n").unwrap();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let new = json!({ "source": "key", "key": format!(" {KEY}\n"), "base_url": url, "model": "small" });
    let (status, _, ready) = ann.ask("POST", PROVIDERS, "", &new);
    assert_eq!(
        (status, &ready["name"], &ready["model"]),
        (201, &json!("compatible"), &json!("small")),
        "{ready}"
    );
    assert!(heard.iter().next().unwrap().to_lowercase().contains(&format!("bearer {}", KEY.to_lowercase())));
    let keys = config_folder(&stage).join("keys");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&keys), mode(&keys.join("compatible.key"))), (0o700, 0o600));
    let text = user_file(&stage);
    assert!(text.starts_with("# mine\nauthor = \"ann\" # me\ndefault_provider = \"compatible\"\n"), "{text}");

    let path = "/v1/providers/compatible";
    let (status, _, answer) = ann.ask("GET", path, "", &Value::Null);
    assert!(status == 200 && answer["key"].as_str().unwrap().ends_with("compatible.key"), "{answer}");
    assert!(!format!("{ready}{answer}").contains(KEY));
    let (_, _, config) = ann.ask("GET", "/v1/admin/config", "", &Value::Null);
    assert!(config.to_string().contains("compatible.key") && !config.to_string().contains(KEY), "{config}");
    assert_eq!(end(&mut served), 0);
    assert_eq!(files_with(stage.folder.path(), KEY), [keys.join("compatible.key")]);
}

/// Input: changes of the entry: another model, a wrong tag, another address without its key, a key that is refused, a new
/// key, the removal; expected: each counts at once or leaves everything as it was, and a stored key goes to no other address.
#[test]
fn provider_changes_count_at_once() {
    let (url, _heard) = lister("200 OK", MODELS);
    let (elsewhere, stolen) = lister("200 OK", MODELS);
    let (refusing, _) = lister("401 Unauthorized", r#"{"error":{"message":"wrong key"}}"#);
    let stage = empty_home();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let new = json!({ "source": "key", "key": KEY, "base_url": url, "model": "small" });
    assert_eq!(ann.ask("POST", PROVIDERS, "", &new).0, 201);
    let path = "/v1/providers/compatible";
    let change = |more: &str, body: Value| ann.ask("PATCH", path, more, &body);
    let noted = user_file(&stage).replace("model = \"small\"", "model = \"small\" # fast");
    std::fs::write(config_folder(&stage).join("config.toml"), noted).unwrap();

    let (status, _, changed) = change(&ann.if_match(path), json!({ "model": "big" }));
    assert_eq!((status, &changed["model"]), (200, &json!("big")), "{changed}");
    assert!(user_file(&stage).contains("model = \"big\" # fast"), "{}", user_file(&stage));
    assert_eq!(change("If-Match: \"old\"\r\n", json!({ "model": "small" })).0, 412);
    let (status, _, refused) = change(&ann.if_match(path), json!({ "base_url": elsewhere }));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    let (status, _, refused) = change(&ann.if_match(path), json!({ "model": "sk-in-the-wrong-field" }));
    assert!(status == 422 && !refused.to_string().contains("wrong-field"), "{refused}");
    let (status, _, refused) =
        change(&ann.if_match(path), json!({ "key": "sk-refused-KEY", "base_url": refusing }));
    assert!(status == 409 && !refused.to_string().contains("sk-refused-KEY"), "{status} {refused}");
    assert!(stolen.try_recv().is_err(), "the stored key went nowhere");
    assert_eq!(stored_keys(&stage), ["compatible.key"], "the refused key is not kept");

    let (status, _, changed) =
        change(&ann.if_match(path), json!({ "key": "sk-the-second-KEY", "base_url": elsewhere }));
    assert_eq!((status, &changed["base_url"]), (200, &json!(elsewhere)), "{changed}");
    assert_eq!(stored_keys(&stage), ["compatible-2.key"], "the one before is gone");
    let (status, _, checked) = ann.ask("POST", &format!("{path}/check"), "", &json!({}));
    assert_eq!((status, &checked["is_right"]), (200, &json!(true)), "{checked}");
    let heard: Vec<String> = stolen.try_iter().collect();
    assert!(heard.last().unwrap().contains("sk-the-second-KEY"), "{heard:?}");

    assert_eq!(ann.ask("POST", PROVIDERS, "", &json!({ "source": "rehearsed" })).0, 201);
    let (status, _, left) = ann.ask("DELETE", path, &ann.if_match(path), &Value::Null);
    assert_eq!(status, 204, "{left}");
    assert_eq!((ann.ask("GET", path, "", &Value::Null).0, stored_keys(&stage)), (404, Vec::new()));
    assert_eq!(end(&mut served), 0);
}

/// Input: an entry with a stored key, written anew without it; expected: the file of the key is gone.
#[test]
fn replaced_entry_leaves_no_stored_key() {
    let (url, _heard) = lister("200 OK", MODELS);
    let stage = empty_home();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let new = json!({ "source": "key", "key": KEY, "base_url": url, "model": "small" });
    assert_eq!(ann.ask("POST", PROVIDERS, "", &new).0, 201);
    assert_eq!(stored_keys(&stage), ["compatible.key"]);
    let path = "/v1/providers/compatible";
    let settings = json!({ "kind": "compatible", "base_url": url, "model": "small" });
    let (status, _, written) =
        ann.ask("PUT", path, &ann.if_match(path), &json!({ "settings": settings, "default": true }));
    assert_eq!((status, stored_keys(&stage)), (200, Vec::new()), "{written}");
    assert_eq!(end(&mut served), 0);
}

/// Input: a token with every right, and a server whose file is that of a trusted folder; expected: both are refused, and
/// nothing is written.
#[test]
fn only_a_person_writes_and_only_their_own_file() {
    let stage = empty_home();
    let (_, root) = token(&stage, &["--everywhere", "--scope", "read,chat,approve,admin,secret"]);
    let mut served = serve(&stage);
    let new = json!({ "source": "rehearsed" });
    let (status, refused) = send_request(&served, "POST", PROVIDERS, &root, "", &new);
    assert_eq!((status, &refused["code"]), (403, &json!("login-needed")), "{refused}");
    assert_eq!(end(&mut served), 0);
    assert_eq!((user_file(&stage), stored_keys(&stage)), (String::new(), Vec::new()), "nothing is written");

    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    stage.run(&["trust", "--yes"]).expect(0);
    let mut served = crate::server::serve_on(stage.begin(&[
        "--json",
        "--config",
        "entracte.toml",
        "serve",
        "--bind",
        "127.0.0.1:0",
    ]));
    let (status, _, refused) = LoggedInBrowser::log_in(&served).ask("POST", PROVIDERS, "", &new);
    assert!(status == 422 && refused["detail"].as_str().unwrap().contains("entracte.toml"), "{refused}");
    assert_eq!(end(&mut served), 0);
    let project = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    assert!(!project.contains("rehearsed"), "{project}");
    assert!(!config_folder(&stage).join("rehearsed.toml").exists());
}
