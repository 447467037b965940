//! Entries that a person sets up in a browser, beside what else uses their files: the limits of the configuration, other
//! configurations, and changes by hand.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::entry_setup::{NEW, SECRET, WEB, config_folder, home_with_comments, mcp_server, user_file};
use crate::server::{LoggedInBrowser, end, serve, serve_on};

/// Input: a server that takes connections and says nothing, and a limit of one second for checks; expected: the entry is refused
/// with that limit, and nothing is written.
#[test]
fn check_ends_at_its_limit() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let stage = home_with_comments();
    let text = "[server]\nentry_check_timeout = \"1s\"\n";
    std::fs::write(config_folder(&stage).join("config.toml"), text).unwrap();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let url = format!("http://{}/mcp", silent.local_addr().unwrap());
    let new = json!({ "settings": { "url": url, "handshake": "initialize" }, "must_work": true });
    let (status, _, refused) = ann.ask("PUT", WEB, NEW, &new);
    assert_eq!((status, &refused["code"]), (409, &json!("not-applicable")), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("within 1 s"), "{refused}");
    assert_eq!(user_file(&stage), text);
    assert_eq!(end(&mut served), 0);
}

/// Input: a server with a stored secret, and another configuration that names the same one and stores one of its own; expected:
/// the other one removes what it stored, and the secret of the first one stays.
#[test]
fn other_configuration_removes_no_secret() {
    let (url, _heard) = mcp_server();
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let secret = json!({ "header": "Authorization", "prefix": "Bearer ", "secret": SECRET });
    let new = json!({ "settings": { "url": url, "handshake": "initialize" }, "secrets": [secret] });
    assert_eq!(ann.ask("PUT", WEB, NEW, &new).0, 201);
    assert_eq!(end(&mut served), 0);
    stage.write("other.toml", &user_file(&stage));

    let serving = ["--json", "--config", "other.toml", "serve", "--bind", "127.0.0.1:0"];
    let mut served = serve_on(stage.begin(&serving));
    let ann = LoggedInBrowser::log_in(&served);
    let own = WEB.replace("/web", "/own");
    assert_eq!(ann.ask("PUT", &own, NEW, &new).0, 201);
    let keys = config_folder(&stage).join("keys");
    let mut stored = std::fs::read_dir(&keys).unwrap().map(|entry| entry.unwrap().path());
    let folder = stored.find(|path| path.is_dir()).unwrap();
    assert!(folder.join("mcp-servers-own-authorization.key").exists());
    for path in [own.as_str(), WEB] {
        assert_eq!(ann.ask("DELETE", path, &ann.if_match(path), &Value::Null).0, 204);
    }
    assert_eq!(end(&mut served), 0);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert!(keys.join("mcp-servers-web-authorization.key").exists());
}

/// Input: an agent that was added to the file by hand while the server runs, and then a provider over HTTP; expected: the agent is
/// named as what waits, and with the provider it counts.
#[test]
fn changes_by_hand_are_told_before_they_count() {
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    assert_eq!(ann.ask("PUT", "/v1/workspaces/local:main", "", &json!({})).0, 201);
    assert_eq!(ann.ask("POST", "/v1/providers", "", &json!({ "source": "rehearsed" })).0, 201);
    let pending = || ann.ask("GET", "/v1/admin/config", "", &Value::Null).2["pending"].clone();
    let agents = || ann.ask("GET", "/v1/workspaces/local:main/agents", "", &Value::Null).2["items"].clone();
    assert_eq!((pending(), agents()), (json!([]), json!([])));
    let clerk =
        "[agents.Clerk]\ndescription = \"Keeps the books.\"\ninstructions = { role = \"You keep books.\" }\n";
    std::fs::write(config_folder(&stage).join("config.toml"), format!("{}\n{clerk}", user_file(&stage)))
        .unwrap();
    assert_eq!((pending(), agents()), (json!(["agents.Clerk"]), json!([])));
    let spare = json!({ "settings": { "kind": "groq", "model": "m" } });
    assert_eq!(ann.ask("PUT", "/v1/providers/spare", NEW, &spare).0, 201);
    assert_eq!((pending(), &agents()[0]["name"]), (json!([]), &json!("Clerk")));
    assert_eq!(end(&mut served), 0);
}
