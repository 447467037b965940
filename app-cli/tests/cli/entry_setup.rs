//! MCP servers, agents, HTTP tools and embeddings that a person sets up and changes in a browser, while the server runs.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::http_stub::{HttpStubAnswer, HttpStubRequest, http_stub};
use crate::server::{LoggedInBrowser, end, serve};

pub(crate) const SECRET: &str = "TOP-SECRET-TOKEN-OF-ANN";
pub(crate) const WEB: &str = "/v1/admin/config/mcp-servers/web";
pub(crate) const NEW: &str = "If-None-Match: *\r\n";

pub(crate) fn config_folder(stage: &CliFixture) -> PathBuf {
    stage.folder.path().join(".config/entracte")
}

pub(crate) fn user_file(stage: &CliFixture) -> String {
    std::fs::read_to_string(config_folder(stage).join("config.toml")).unwrap_or_default()
}

/// The names of the stored secrets.
fn stored_secrets(stage: &CliFixture) -> Vec<String> {
    let files = std::fs::read_dir(config_folder(stage).join("keys"));
    let names = files.into_iter().flatten().flatten().map(|file| file.file_name().into_string().unwrap());
    names.collect()
}

/// A home whose file has comments.
pub(crate) fn home_with_comments() -> CliFixture {
    let stage = CliFixture::with_config("");
    std::fs::create_dir_all(config_folder(&stage)).unwrap();
    std::fs::write(config_folder(&stage).join("config.toml"), "# mine\nauthor = \"ann\" # me\n").unwrap();
    stage
}

/// An MCP server with an address, with one tool that reads; and the authorization of each of its requests.
pub(crate) fn mcp_server() -> (String, Receiver<String>) {
    mcp_server_at("127.0.0.1:0")
}

/// The same at an address.
fn mcp_server_at(address: &str) -> (String, Receiver<String>) {
    let (tell, heard) = channel();
    let origin = http_stub(address, move |request| {
        let _ = tell.send(request.header("authorization").to_owned());
        answer_mcp_request(request)
    });
    (format!("{origin}/mcp"), heard)
}

fn answer_mcp_request(request: &HttpStubRequest) -> HttpStubAnswer {
    let tool = json!({
        "name": "look", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
    });
    let result = match request.body["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "web", "version": "1" },
        }),
        Some("tools/list") => json!({ "tools": [tool] }),
        _ => return HttpStubAnswer::empty(if request.is_post() { 202 } else { 405 }),
    };
    HttpStubAnswer::json(200, &json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result }))
}

/// The settings of an entry, as the server shows them.
fn settings(ann: &LoggedInBrowser<'_>, path: &str) -> Value {
    ann.ask("GET", path, "", &Value::Null).2["settings"].clone()
}

/// Input: an MCP server with a pasted secret, in a home whose file has comments; expected: it is asked before anything is
/// written, its tools are there at once, the secret is only in a file of its owner, and all of it goes with the entry.
#[test]
fn mcp_server_set_up_in_browser_has_its_tools_at_once() {
    let (url, heard) = mcp_server();
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    assert_eq!(ann.ask("PUT", "/v1/workspaces/local:main", "", &json!({})).0, 201);
    let secrets =
        json!([{ "header": "Authorization", "prefix": "Bearer ", "secret": format!(" {SECRET}\n") }]);
    let new = json!({
        "settings": { "url": url, "handshake": "initialize" }, "secrets": secrets, "must_work": true,
    });
    let (status, _, made) = ann.ask("PUT", WEB, NEW, &new);
    assert_eq!((status, &made["counts"]), (201, &json!("at once")), "{made}");
    assert_eq!(heard.iter().next().unwrap(), format!("bearer {}", SECRET.to_lowercase()));
    let keys = config_folder(&stage).join("keys");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = keys.join("mcp-servers-web-authorization.key");
    assert_eq!((mode(&keys), mode(&file)), (0o700, 0o600));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), SECRET);
    let text = user_file(&stage);
    assert!(text.starts_with("# mine\nauthor = \"ann\" # me\n") && text.contains("[mcp.web]\n"), "{text}");
    assert!(!text.contains(SECRET), "{text}");

    let (_, _, servers) = ann.ask("GET", "/v1/workspaces/local:main/tool-servers", "", &Value::Null);
    assert_eq!(servers["items"][0]["tools"][0]["command"], "web.look", "{servers}");
    let (_, _, shown) = ann.ask("GET", WEB, "", &Value::Null);
    assert!(shown["editable"] == true && !shown.to_string().contains(SECRET), "{shown}");
    let (status, _, checked) = ann.ask("POST", &format!("{WEB}/check"), "", &json!({}));
    assert_eq!((status, &checked["works"]), (200, &json!(true)), "{checked}");

    let accepted = || std::fs::read_to_string(stage.folder.path().join("data/mcp-tools.json")).unwrap();
    assert!(accepted().contains("\"web\""), "{}", accepted());
    let logins = stage.folder.path().join("data/mcp-logins");
    std::fs::create_dir_all(&logins).unwrap();
    std::fs::write(logins.join("web.earlier-address.json"), "{}").unwrap();
    let (status, _, gone) = ann.ask("DELETE", WEB, &ann.if_match(WEB), &Value::Null);
    assert_eq!(status, 204, "{gone}");
    assert!(!logins.join("web.earlier-address.json").exists(), "a login is left");
    assert!(!accepted().contains("\"web\""), "{}", accepted());
    assert_eq!(stored_secrets(&stage), Vec::<String>::new());
    assert_eq!(user_file(&stage).trim_end(), "# mine\nauthor = \"ann\" # me");
    let (_, _, servers) = ann.ask("GET", "/v1/workspaces/local:main/tool-servers", "", &Value::Null);
    assert_eq!(servers["items"], json!([]), "{servers}");
    assert_eq!(end(&mut served), 0);
}

/// Input: an MCP server that does not answer when its entry is written, and answers later; expected: its tools are there then,
/// without another change.
#[test]
fn server_that_answers_later_is_listed() {
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    assert_eq!(ann.ask("PUT", "/v1/workspaces/local:main", "", &json!({})).0, 201);
    let address = crate::server::free_address();
    let new = json!({ "settings": { "url": format!("http://{address}/mcp"), "handshake": "initialize" } });
    let (status, _, made) = ann.ask("PUT", WEB, NEW, &new);
    assert_eq!(status, 201, "{made}");
    let _heard = mcp_server_at(&address);
    // Two minutes; each look takes half a second.
    let is_listed = (0..240).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(500));
        let (_, _, servers) = ann.ask("GET", "/v1/workspaces/local:main/tool-servers", "", &Value::Null);
        servers["items"][0]["tools"][0]["command"] == "web.look"
    });
    assert!(is_listed, "it is never listed");
    assert_eq!(end(&mut served), 0);
}

/// Input: changes of a server that has a secret: a limit, another address without the secret, a server that does not answer, a
/// program, a secret in the place of a text, an old tag; expected: the first one counts, and each other leaves everything as
/// it was.
#[test]
fn stored_secret_goes_to_no_other_address() {
    let (url, _heard) = mcp_server();
    let (elsewhere, stolen) = mcp_server();
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let secret = json!({ "header": "Authorization", "prefix": "Bearer ", "secret": SECRET });
    let new = json!({ "settings": { "url": url, "handshake": "initialize" }, "secrets": [&secret] });
    assert_eq!(ann.ask("PUT", WEB, NEW, &new).0, 201);
    let noted = user_file(&stage).replace("handshake = \"initialize\"", "handshake = \"initialize\" # older");
    std::fs::write(config_folder(&stage).join("config.toml"), &noted).unwrap();
    let put = |settings: Value, more: Value| {
        let mut body = json!({ "settings": settings });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ann.ask("PUT", WEB, &ann.if_match(WEB), &body)
    };
    let mut limited = settings(&ann, WEB);
    limited["tools_max"] = json!(5);
    let (status, _, changed) = put(limited.clone(), json!({}));
    assert_eq!(status, 200, "{changed}");
    let before = user_file(&stage);
    assert!(before.contains("\"initialize\" # older\n") && before.contains("tools_max = 5\n"), "{before}");

    let with = |key: &str, value: Value| {
        let mut settings = limited.clone();
        settings[key] = value;
        settings
    };
    let (status, _, refused) = put(with("url", json!(elsewhere)), json!({}));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    let (status, _, refused) =
        put(with("url", json!("http://127.0.0.1:9/mcp")), json!({ "secrets": [&secret], "must_work": true }));
    assert!(status == 409 && !refused.to_string().contains(SECRET), "{status} {refused}");
    assert_eq!(put(json!({ "command": "sh" }), json!({})).0, 422);
    let (status, _, refused) =
        put(with("headers", json!({ "Authorization": format!("Bearer {SECRET}") })), json!({}));
    assert!(status == 422 && !refused.to_string().contains(SECRET), "{status} {refused}");
    let old = json!({ "settings": limited });
    assert_eq!(ann.ask("PUT", WEB, "If-Match: \"old\"\r\n", &old).0, 412);
    assert_eq!(user_file(&stage), before);
    assert_eq!(stored_secrets(&stage), ["mcp-servers-web-authorization.key"]);
    assert!(stolen.try_recv().is_err(), "nothing was sent there");
    assert_eq!(end(&mut served), 0);
}

/// Input: an agent, an HTTP tool and embeddings, and one of each that names something that is not there; expected: the first
/// ones are commands at once, embeddings count from the next start, and the others are refused.
#[test]
fn agents_and_tools_are_commands_at_once() {
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    assert_eq!(ann.ask("PUT", "/v1/workspaces/local:main", "", &json!({})).0, 201);
    assert_eq!(ann.ask("POST", "/v1/providers", "", &json!({ "source": "rehearsed" })).0, 201);
    let put = |entry: &str, settings: Value| {
        ann.ask("PUT", &format!("/v1/admin/config/{entry}"), NEW, &json!({ "settings": settings }))
    };
    let agent = json!({ "description": "Keeps the books.", "instructions": { "role": "You keep books." } });
    let (status, _, made) = put("agents/Clerk", agent.clone());
    assert_eq!((status, &made["counts"]), (201, &json!("at once")), "{made}");
    let (_, _, agents) = ann.ask("GET", "/v1/workspaces/local:main/agents", "", &Value::Null);
    let clerk = &agents["items"][0];
    assert!(clerk["name"] == "Clerk" && clerk["version"].is_string(), "{agents}");
    let (_, _, checked) = ann.ask("POST", "/v1/admin/config/agents/Clerk/check", "", &json!({}));
    assert_eq!(checked["works"], true, "{checked}");

    let arguments = json!({
        "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"],
        "additionalProperties": false,
    });
    let tool = json!({
        "method": "GET", "url": "https://shop.example/price/{id}", "arguments": arguments, "doc": "The price.",
    });
    let (status, _, made) = put("http-tools/shop.price", tool.clone());
    assert_eq!((status, &made["counts"]), (201, &json!("at once")), "{made}");
    let (_, _, command) = ann.ask("GET", "/v1/workspaces/local:main/commands/shop.price", "", &Value::Null);
    assert_eq!(command["name"], "shop.price", "{command}");

    let embeddings = json!({ "provider": "rehearsed", "model": "e", "dims": 8 });
    let (status, _, made) = put("embeddings/embeddings", embeddings.clone());
    assert_eq!((status, &made["counts"]), (201, &json!("from the next start")), "{made}");
    let text = user_file(&stage);
    for part in ["[agents.Clerk]\n", "[[tools.http.tool]]\nname = \"shop.price\"\n", "[embeddings]\n"] {
        assert!(text.contains(part), "{text}");
    }

    let with = |mut settings: Value, key: &str, value: Value| {
        settings[key] = value;
        settings
    };
    for (entry, settings) in [
        ("agents/Other", with(agent, "provider", json!("gone"))),
        ("agents/Boss", json!({ "description": "Asks.", "instructions": { "role": "x" }, "rounds": 1 })),
        ("http-tools/zones.list", with(tool, "method", json!("SEND"))),
        ("embeddings/other", embeddings),
    ] {
        let (status, _, refused) = put(entry, settings);
        assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{entry}: {refused}");
    }
    assert_eq!(user_file(&stage), text);
    assert_eq!(end(&mut served), 0);
}

/// Input: the HTTP tool that gives the user context, with a stored secret: made one that needs an approval, and given another
/// secret; expected: the next start would refuse the first one, so it is refused now; the second one counts from the next start,
/// and what the running process sends stays until its end.
#[test]
fn context_tool_changes_at_next_start() {
    const TOOL: &str = "/v1/admin/config/http-tools/who.am";
    let stage = home_with_comments();
    let keys = config_folder(&stage).join("keys");
    std::fs::create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("old.key"), "OLD-TOP-SECRET-TOKEN").unwrap();
    let old = keys.join("old.key").display().to_string();
    let text = format!(
        "[context]\ntool = \"who.am\"\n\n[[tools.http.tool]]\nname = \"who.am\"\nmethod = \"GET\"\n\
         url = \"https://shop.example/me\"\ndoc = \"Who it is.\"\n\
         arguments = {{ type = \"object\", properties = {{}}, additionalProperties = false }}\n\
         headers = {{ Authorization = {{ secret_file = \"{old}\" }} }}\n"
    );
    std::fs::write(config_folder(&stage).join("config.toml"), &text).unwrap();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let put = |settings: &Value, secrets: Value| {
        let body = json!({ "settings": settings, "secrets": secrets });
        ann.ask("PUT", TOOL, &ann.if_match(TOOL), &body)
    };
    let there = settings(&ann, TOOL);
    let mut asking = there.clone();
    asking["approval"] = json!(true);
    let (status, _, refused) = put(&asking, json!([]));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    assert_eq!(user_file(&stage), text);

    let (status, _, changed) = put(&there, json!([{ "header": "Authorization", "secret": SECRET }]));
    assert_eq!((status, &changed["counts"]), (200, &json!("from the next start")), "{changed}");
    let mut stored = stored_secrets(&stage);
    stored.sort();
    assert_eq!(stored, ["http-tools-who.am-authorization.key", "old.key"]);
    assert_eq!(end(&mut served), 0);
    assert_eq!(stored_secrets(&stage), ["http-tools-who.am-authorization.key"]);
}

/// Input: a secret whose declaration was removed from the file by hand while the server runs, and a tool that sends it; expected:
/// it is not a declared one any more, so it goes to no new address.
#[test]
fn undeclared_secret_goes_to_no_address() {
    let stage = home_with_comments();
    let declared =
        "[secrets.shop]\nsecret_env = \"SHOP_TOKEN\"\nkind = \"bearer\"\nhosts = [\"shop.example\"]\n";
    std::fs::write(config_folder(&stage).join("config.toml"), declared).unwrap();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let tool = |host: &str| {
        json!({
            "method": "GET", "url": format!("https://{host}/price"), "doc": "The price.",
            "arguments": { "type": "object", "properties": {}, "additionalProperties": false },
            "headers": { "Authorization": { "secret_env": "SHOP_TOKEN" } },
        })
    };
    let put = |name: &str, settings: Value| {
        ann.ask("PUT", &format!("/v1/admin/config/http-tools/{name}"), NEW, &json!({ "settings": settings }))
    };
    let (status, _, made) = put("shop.price", tool("shop.example"));
    assert_eq!(status, 201, "{made}");
    let undeclared = user_file(&stage).replace(declared, "");
    std::fs::write(config_folder(&stage).join("config.toml"), &undeclared).unwrap();
    let (status, _, refused) = put("other.price", tool("other.example"));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    assert_eq!(user_file(&stage), undeclared);
    assert_eq!(end(&mut served), 0);
}

/// Input: a program that was added to the file by hand while the server runs; expected: a check does not start it, and says that
/// it is not in force.
#[test]
fn check_tells_what_is_not_in_force() {
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let marker = stage.folder.path().join("marker");
    let text = format!("{}[mcp.late]\ncommand = \"touch\"\nargs = [{marker:?}]\n", user_file(&stage));
    std::fs::write(config_folder(&stage).join("config.toml"), text).unwrap();
    let (status, _, checked) = ann.ask("POST", "/v1/admin/config/mcp-servers/late/check", "", &json!({}));
    assert_eq!((status, &checked["works"]), (200, &json!(false)), "{checked}");
    assert!(checked["says"].as_str().unwrap().contains("not in force"), "{checked}");
    assert!(!marker.exists(), "a check started it");
    assert_eq!(end(&mut served), 0);
}

/// Input: providers that an agent, and embeddings that count later, name; expected: neither is removed, because the next start
/// would not find it, and each is once nothing names it.
#[test]
fn named_provider_is_not_removed() {
    let stage = home_with_comments();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    assert_eq!(ann.ask("POST", "/v1/providers", "", &json!({ "source": "rehearsed" })).0, 201);
    let put = |path: &str, settings: Value| {
        let (status, _, made) = ann.ask("PUT", path, NEW, &json!({ "settings": settings }));
        assert_eq!(status, 201, "{path}: {made}");
    };
    for name in ["clerks", "vectors"] {
        put(&format!("/v1/providers/{name}"), json!({ "kind": "groq", "model": "m" }));
    }
    let (agent, embeddings) = ("/v1/admin/config/agents/Clerk", "/v1/admin/config/embeddings/embeddings");
    let clerk = json!({
        "description": "Keeps the books.", "instructions": { "role": "You keep books." }, "provider": "clerks",
    });
    put(agent, clerk);
    put(embeddings, json!({ "provider": "vectors", "model": "e", "dims": 8 }));
    for (provider, naming) in [("clerks", agent), ("vectors", embeddings)] {
        let (path, before) = (format!("/v1/providers/{provider}"), user_file(&stage));
        let (status, _, refused) = ann.ask("DELETE", &path, &ann.if_match(&path), &Value::Null);
        assert_eq!((status, &refused["code"]), (409, &json!("not-applicable")), "{refused}");
        assert_eq!(user_file(&stage), before);
        assert_eq!(ann.ask("DELETE", naming, &ann.if_match(naming), &Value::Null).0, 204);
        assert_eq!(ann.ask("DELETE", &path, &ann.if_match(&path), &Value::Null).0, 204);
    }
    assert_eq!(end(&mut served), 0);
}

/// Input: an HTTP tool for a file whose tools are an inline table; expected: it is refused, not reported as written and lost.
#[test]
fn entry_below_inline_table_is_refused() {
    let stage = home_with_comments();
    let text = "tools = { http = { allow = [] } }\n";
    std::fs::write(config_folder(&stage).join("config.toml"), text).unwrap();
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let tool = json!({
        "method": "GET", "url": "https://shop.example/price", "doc": "The price.",
        "arguments": { "type": "object", "properties": {}, "additionalProperties": false },
    });
    let path = "/v1/admin/config/http-tools/shop.price";
    let (status, _, refused) = ann.ask("PUT", path, NEW, &json!({ "settings": tool }));
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    assert_eq!(user_file(&stage), text);
    assert_eq!(end(&mut served), 0);
}

/// Input: an entry with a text that is not shown, read from two processes; expected: its tags differ, because each process has a
/// key of its own, so no tag tells whether a guess of the text is right.
#[test]
fn tags_of_entries_are_keyed() {
    let stage = home_with_comments();
    let text = "[mcp.web]\nurl = \"http://127.0.0.1:9/mcp\"\nheaders = { X-Team = \"blue\" }\n";
    std::fs::write(config_folder(&stage).join("config.toml"), text).unwrap();
    let tags = [(); 2].map(|()| {
        let mut served = serve(&stage);
        let tag = LoggedInBrowser::log_in(&served).if_match(WEB);
        assert_eq!(end(&mut served), 0);
        tag
    });
    assert_ne!(tags[0], tags[1]);
}

/// Input: a server that a trusted folder and the file of the server both have; expected: a change of the latter would not count,
/// and its address would not be the one that is called, so nothing is written.
#[test]
fn overridden_entry_is_not_written() {
    let stage = home_with_comments();
    let text = "[mcp.web]\nurl = \"http://127.0.0.1:9/mcp\"\n";
    std::fs::write(config_folder(&stage).join("config.toml"), text).unwrap();
    let folder = "[mcp.web]\nurl = \"http://127.0.0.1:9/other\"\n";
    stage.write("entracte.toml", folder);
    let mut served = serve(&stage);
    let ann = LoggedInBrowser::log_in(&served);
    let changed = json!({ "settings": { "url": "http://127.0.0.1:9/mcp", "tools_max": 3 } });
    let (status, _, refused) = ann.ask("PUT", WEB, &ann.if_match(WEB), &changed);
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    assert_eq!(user_file(&stage), text);
    assert_eq!(end(&mut served), 0);
}

/// Input: a server whose file is that of a trusted folder; expected: nothing is written to it.
#[test]
fn entries_of_a_trusted_folder_are_not_written() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    stage.run(&["trust", "--yes"]).expect(0);
    let before = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    let serving = ["--json", "--config", "entracte.toml", "serve", "--bind", "127.0.0.1:0"];
    let mut served = crate::server::serve_on(stage.begin(&serving));
    let new = json!({ "settings": { "url": "https://files.example/mcp" } });
    let (status, _, refused) = LoggedInBrowser::log_in(&served).ask("PUT", WEB, NEW, &new);
    assert!(status == 422 && refused["detail"].as_str().unwrap().contains("entracte.toml"), "{refused}");
    assert_eq!(end(&mut served), 0);
    assert_eq!(std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap(), before);
}
