//! Entries that a person sets up in a browser, beside what else uses their files: the limits of the configuration, other
//! configurations, and changes by hand.

use std::net::TcpListener;

use serde_json::json;

use crate::entry_setup::{NEW, WEB, config_folder, home_with_comments, user_file};
use crate::server::{LoggedInBrowser, end, serve};

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
