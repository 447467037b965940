//! Files through the real MCP server for them, which is killed in the middle of a write.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, command_output};

/// The script of an npm package that `.ci/peers` installs.
pub(crate) fn installed(package: &str) -> PathBuf {
    let packages =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/node_modules/@modelcontextprotocol");
    let script = packages.join(package).join("dist/index.js");
    assert!(script.is_file(), "the MCP server is not installed; run .ci/peers");
    script
}

/// Path of the program node: commands in tests have no PATH.
pub(crate) fn node() -> PathBuf {
    let path = option_env!("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin");
    let mut places = path.split(':').map(|folder| Path::new(folder).join("node"));
    places.find(|place| place.is_file()).expect("node is in PATH")
}

/// The server for a folder with one file, and a model that plays turns for that folder.
pub(crate) fn stage(turns: impl FnOnce(&Path) -> Vec<Value>) -> (CliFixture, PathBuf) {
    let stage = CliFixture::with_script("");
    // The server compares real paths, and the folder for temporary files may be a link.
    let folder = std::fs::canonicalize(stage.folder.path()).unwrap().join("files");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "72.50 kg").unwrap();
    let proxy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp/withhold.mjs");
    let flag = stage.folder.path().join("withhold");
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [mcp.files]\ncommand = {:?}\nargs = [{proxy:?}, {flag:?}, {:?}, {folder:?}]\n",
            node(),
            installed("server-filesystem")
        ),
    );
    let turn = |turn: &Value| {
        let expect =
            turn["expect"].as_str().map(|text| format!("expect = '''{text}'''\n")).unwrap_or_default();
        match turn.get("says") {
            Some(says) => format!("[[turn]]\n{expect}text = '''{}'''\n", says.as_str().unwrap()),
            None => format!("[[turn]]\n{expect}envelope = '''{}'''\n", turn["asks"]),
        }
    };
    stage.write("story.toml", &turns(&folder).iter().map(turn).collect::<String>());
    (stage, folder)
}

fn read(path: &Path) -> Value {
    json!({ "pre_text": "I read.", "queries": [{ "type": "FILES_READ_TEXT_FILE", "params": { "path": path } }] })
}

fn write(path: &Path, content: &str) -> Value {
    let params = json!({ "path": path, "content": content });
    let actions = json!([{ "type": "FILES_WRITE_FILE", "params": params }]);
    json!({ "pre_text": "I write.", "actions": actions, "keep_control": true })
}

fn states(stage: &CliFixture, session: &str) -> Vec<String> {
    let calls = stage.run(&["--json", "session", "calls", session]).expect(0).json();
    let all = calls["calls"].as_array().unwrap().iter();
    all.map(|call| format!("{} {}", call["command"].as_str().unwrap(), call["state"].as_str().unwrap()))
        .collect()
}

/// What waits for a person, but for the decision about the tools of the server.
fn inbox_items(stage: &CliFixture) -> Vec<Value> {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    inbox["items"].as_array().unwrap().iter().filter(|item| item["kind"] != "tools").cloned().collect()
}

#[test]
fn files_are_read_freely_and_written_with_approval() {
    let (stage, folder) = stage(|folder| {
        vec![
            json!({ "asks": read(&folder.join("a.txt")) }),
            json!({ "asks": write(&folder.join("b.txt"), "72.50"), "expect": "72.50 kg" }),
            json!({ "says": "It is written.", "expect": "Successfully wrote" }),
        ]
    });
    let to = folder.join("b.txt");
    let asked = stage.run(&["--json", "chat", "--message", "Copy my weight"]).expect(3).json();
    let session = asked["session"].as_str().unwrap();
    assert_eq!(
        states(&stage, session),
        ["files.read_text_file succeeded", "files.write_file waiting_decision"]
    );
    assert!(!to.exists(), "it is not written before it is approved");
    let inbox = stage.run(&["inbox"]).expect(0).out;
    assert!(inbox.contains("Run the tool “write_file” of the MCP server “files”"), "{inbox}");
    assert!(inbox.contains("its server says that it may overwrite or delete data"), "{inbox}");

    let done = stage.run(&["approve", "--session", session, "--all"]).expect(0);
    assert_eq!(done.out, "It is written.\n");
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "72.50");
    assert_eq!(states(&stage, session), ["files.read_text_file succeeded", "files.write_file succeeded"]);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn server_killed_during_write_leaves_outcome_unknown() {
    let (stage, folder) = stage(|folder| {
        vec![
            json!({ "asks": write(&folder.join("b.txt"), "72.50") }),
            json!({ "says": "I do not know whether it is written.", "expect": "OUTCOME_UNKNOWN" }),
            json!({ "says": "So it is.", "expect": "I looked: it is there" }),
        ]
    });
    let to = folder.join("b.txt");
    let asked = stage.run(&["--json", "chat", "--message", "Note my weight"]).expect(3).json();
    let session = asked["session"].as_str().unwrap();
    stage.write("withhold", "");
    let done = stage.run(&["approve", "--session", session, "--all"]).expect(9);
    assert_eq!(done.out, "I do not know whether it is written.\n", "the model is told");
    assert_eq!(states(&stage, session), ["files.write_file unknown"]);
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "72.50", "it had happened, and nobody was told");

    // It is shown to people, and not repeated automatically.
    std::fs::remove_file(&to).unwrap();
    std::fs::remove_file(stage.folder.path().join("withhold")).unwrap();
    let inbox = inbox_items(&stage);
    let [item] = inbox.as_slice() else { panic!("{inbox:#?}") };
    assert_eq!(
        (item["kind"].as_str(), item["command"].as_str()),
        (Some("unsettled"), Some("files.write_file"))
    );
    assert!(!to.exists());

    let call = item["call"].as_str().unwrap();
    stage.run(&["settle", call, "happened", "--note", "I looked: it is there"]).expect(0);
    assert!(inbox_items(&stage).is_empty());
    let told = stage.run(&["chat", "--session", session, "--message", "And?"]).expect(0);
    assert_eq!(told.out, "So it is.\n");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: an action of unknown outcome that a person wants to repeat; expected: a new call with its own card, nothing
/// is sent before its approval, and the model of the session is informed. A settled call is not proposed a second time.
#[test]
fn what_is_settled_again_is_asked_again_before_it_is_sent() {
    let (stage, folder) = stage(|folder| {
        vec![
            json!({ "asks": write(&folder.join("b.txt"), "72.50") }),
            json!({ "says": "I do not know whether it is written.", "expect": "OUTCOME_UNKNOWN" }),
            json!({ "says": "Then it is proposed.", "expect": "proposed again as a new call" }),
        ]
    });
    let to = folder.join("b.txt");
    let asked = stage.run(&["--json", "chat", "--message", "Note my weight"]).expect(3).json();
    let session = asked["session"].as_str().unwrap();
    stage.write("withhold", "");
    stage.run(&["approve", "--session", session, "--all"]).expect(9);
    std::fs::remove_file(&to).unwrap();
    std::fs::remove_file(stage.folder.path().join("withhold")).unwrap();
    let call = inbox_items(&stage)[0]["call"].as_str().unwrap().to_owned();

    // What the model reads is in the language of the workspace, whatever that of the shell.
    let mut french = stage.command(&["--json", "settle", &call, "again"]);
    let proposed = command_output(french.env("LANG", "fr_FR.UTF-8").output().unwrap()).expect(3).json();
    assert_eq!((proposed["state"].as_str(), to.exists()), (Some("waits_for_approval"), false), "{proposed}");
    assert_ne!(proposed["call"].as_str().unwrap(), call);
    assert_eq!(states(&stage, session), ["files.write_file settled_absent"]);
    assert_ne!(stage.run(&["settle", &call, "again"]).code, 3, "it is settled");
    let inbox = inbox_items(&stage);
    assert_eq!(inbox.len(), 1, "{inbox:#?}");

    stage.run(&["approve", proposed["approval"].as_str().unwrap()]).expect(0);
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "72.50");
    let told = stage.run(&["chat", "--session", session, "--message", "And?"]).expect(0);
    assert_eq!(told.out, "Then it is proposed.\n");
    stage.run(&["session", "verify", "--all"]).expect(0);
}
