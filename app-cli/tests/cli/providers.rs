//! Providers added, changed and removed in configuration files, and the refused changes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::cli_fixture::CliFixture;

const USER: &str = ".config/entracte/config.toml";

const LOCAL: &str = "# of this project\nauthor = \"ann\" # me\n\n# the usual one\n[providers.story]\nkind = \"rehearsal\"\n\
script = \"story.toml\"   # played\n\n# the fast one\n[providers.fast]\nkind = \"groq\"\nmodel = \"openai/gpt-oss-20b\" # small\n";

fn read(stage: &CliFixture, name: &str) -> String {
    std::fs::read_to_string(stage.folder.path().join(name)).unwrap()
}

#[test]
fn a_provider_is_added_to_the_users_file() {
    let stage = CliFixture::with_config("");
    let add = ["provider", "add", "big", "--kind", "claude", "--model", "claude-opus-5-5"];
    let done = stage.run(
        &[&add[..], &["--api-key-env", "BIG_KEY", "--dialect", "tools", "--set", "effort=high"]].concat(),
    );
    let done = done.expect(0);
    assert_eq!(done.out, format!("added big to {}\n", stage.folder.path().join(USER).display()));
    assert!(done.err.contains("BIG_KEY") && done.err.contains("entracte provider check big"), "{}", done.err);
    let expected = "[providers.big]\nkind = \"claude\"\nmodel = \"claude-opus-5-5\"\napi_key_env = \"BIG_KEY\"\n\
                    dialect = \"tools\"\neffort = \"high\"\n";
    assert_eq!(read(&stage, USER), expected);
    let mode = std::fs::metadata(stage.folder.path().join(USER)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads it");

    let again = stage.run(&add).expect(6);
    assert!(again.err.contains("the provider big already exists"), "{}", again.err);
    assert!(again.err.ends_with("\n  entracte provider edit big --set KEY=VALUE\n"), "{}", again.err);
    assert_eq!(read(&stage, USER), expected);
}

/// Input: entries of the kinds that are built in, without a model; expected: the model that each has where nothing is
/// configured, but not for a server at another address.
#[test]
fn entry_without_model_gets_the_usual_one() {
    let stage = CliFixture::with_config("");
    for (kind, model) in
        [("claude", "claude-opus-5-5"), ("openai", "gpt-6-sol"), ("groq", "openai/gpt-oss-120b")]
    {
        stage.run(&["provider", "add", kind, "--kind", kind, "--api-key-env", "SOME_KEY"]).expect(0);
        let entry = format!(
            "[providers.{kind}]\nkind = \"{kind}\"\nmodel = \"{model}\"\napi_key_env = \"SOME_KEY\"\n"
        );
        assert!(read(&stage, USER).contains(&entry), "{}", read(&stage, USER));
    }
    let elsewhere = ["provider", "add", "mine", "--kind", "openai", "--base-url", "http://127.0.0.1:9/v1"];
    let refused = stage.run(&elsewhere).expect(2);
    assert!(refused.err.contains("providers.mine.model: is missing"), "{}", refused.err);
}

#[test]
fn entry_is_changed_in_place() {
    let stage = CliFixture::with_config(LOCAL);
    stage.write("story.toml", "[[turn]]\ntext = \"Hello.\"\n");
    stage
        .run(&["provider", "edit", "fast", "--set", "effort=low", "--set", "model=openai/gpt-oss-120b"])
        .expect(0);
    let edited = LOCAL
        .replace("\"openai/gpt-oss-20b\" # small\n", "\"openai/gpt-oss-120b\" # small\neffort = \"low\"\n");
    assert_eq!(read(&stage, "entracte.toml"), edited);
    stage.run(&["provider", "edit", "fast", "--unset", "effort", "--default"]).expect(0);
    let edited = edited
        .replace("effort = \"low\"\n", "")
        .replace("\"ann\" # me\n", "\"ann\" # me\ndefault_provider = \"fast\"\n");
    assert_eq!(read(&stage, "entracte.toml"), edited);
    stage.run(&["provider", "remove", "story"]).expect(0);
    let (before, rest) = edited.split_once("# the usual one\n").unwrap();
    let after = rest.split_once("# played\n\n").unwrap().1;
    assert_eq!(read(&stage, "entracte.toml"), format!("{before}{after}"));
}

#[test]
fn invalid_change_is_refused_before_writing() {
    let stage = CliFixture::with_config(LOCAL);
    for (arguments, code, says) in [
        (
            &["edit", "fast", "--set", "effort=max"][..],
            2,
            "providers.fast.effort: “max” is not supported by “openai/gpt-oss-20b”; use one of: low, medium, high",
        ),
        (&["edit", "fast", "--set", "modle=x"], 2, "a provider has no key “modle”; did you mean “model”?"),
        (
            &["edit", "fast", "--set", "context_tokens=0"],
            2,
            "providers.fast.context_tokens: 0 allows nothing",
        ),
        (
            &["edit", "fast", "--set", "max_output_tokens=much"],
            2,
            "“max_output_tokens” must be a whole number, not “much”",
        ),
        (
            &["edit", "fast", "--set", "max_output_tokens=-1"],
            2,
            "providers.fast: invalid value: integer `-1`",
        ),
        (
            &["edit", "fast", "--set", "kind=gropq"],
            2,
            "providers.fast: unknown variant `gropq`; did you mean “groq”?",
        ),
        (&["edit", "fast", "--set", "model=a", "--unset", "model"], 2, "“model” is given twice"),
        (
            &["edit", "fast", "--unset", "effort"],
            5,
            "“effort” is not set in [providers.fast] of entracte.toml",
        ),
        (&["edit", "fast", "--unset", "kind"], 2, "providers.fast: missing field `kind`"),
        (&["edit", "fast"], 2, "name at least one thing to change"),
        (&["edit", "nope", "--set", "model=a"], 5, "there is no provider nope; there are: story, fast"),
        (&["remove", "nope"], 5, "there is no provider nope"),
        (
            &["remove", "story"],
            6,
            "story is the default provider (the first of the configuration); choose another default first",
        ),
        (
            &["add", "story", "--kind", "groq", "--model", "m"],
            6,
            "the provider story already exists in entracte.toml:5",
        ),
        (
            &["add", "a b", "--kind", "groq", "--model", "m"],
            2,
            "the name “a b” may only contain letters, digits, _ and -",
        ),
        (&["add", "new", "--kind", "mistral"], 2, "providers.new.model: is missing"),
        (
            &["add", "new", "--kind", "claude", "--model", "claude-opus-5-5", "--set", "temperature=0.5"],
            2,
            "providers.new.temperature: 0.5 is set, but Claude refuses temperature",
        ),
        (&["add", "new", "--kind", "groq", "--model", "m", "--set", "model=n"], 2, "“model” is given twice"),
        (&["show", "nope"], 5, "there is no provider nope"),
    ] {
        let arguments = [&["provider"], arguments].concat();
        let done = stage.run(&arguments).expect(code);
        assert!(done.err.starts_with(&format!("error: {says}")), "{arguments:?}: {}", done.err);
        assert_eq!(done.out, "");
        assert!(done.err.lines().last().unwrap().starts_with("  entracte "), "{}", done.err);
    }
    assert_eq!(read(&stage, "entracte.toml"), LOCAL);
    assert!(!stage.folder.path().join(USER).exists());
}

#[test]
fn a_key_is_refused_and_never_repeated() {
    let stage = CliFixture::with_config(LOCAL);
    for arguments in [
        &["edit", "fast", "--set", "api_key=TOP-SECRET"][..],
        &["edit", "fast", "--set", "model=gsk_TOP-SECRET"],
        &["edit", "gsk_TOP-SECRET", "--set", "model=m"],
        &["add", "new", "--kind", "claude", "--model", "m", "--api-key", "TOP-SECRET"],
        &["add", "new", "--kind", "claude", "--model", "m", "--api-key-env", "sk-TOP-SECRET"],
        &["add", "new", "--kind", "claude", "--model", "m", "--api-key-env", "TOP-SECRET"],
        &["add", "new", "--kind", "claude", "--model", "m", "--api-key-file", "sk-ant-TOP-SECRET"],
        &["add", "sk-TOP-SECRET", "--kind", "claude", "--model", "m"],
        &["add", "new", "--kind", "sk-TOP-SECRET", "--model", "m"],
        &["add", "new", "--kind", "compatible", "--model", "m", "--base-url", "http://me:TOP-SECRET@host/v1"],
    ] {
        let arguments = [&["provider"], arguments].concat();
        let done = stage.run(&arguments).expect(2);
        let json = stage.run(&[&["--json"], arguments.as_slice()].concat()).expect(2);
        for said in [done.out, done.err, json.out, json.err] {
            assert!(!said.contains("TOP-SECRET"), "{arguments:?}: {said}");
        }
        assert_eq!(read(&stage, "entracte.toml"), LOCAL);
    }
    let done = stage.run(&["provider", "edit", "fast", "--set", "api_key=TOP-SECRET"]).expect(2);
    assert!(done.err.contains("--api-key-env VARIABLE or --api-key-file FILE"), "{}", done.err);
}

#[test]
fn default_provider_stays_until_replaced() {
    let stage = CliFixture::with_config(&format!("default_provider = \"fast\"\n{LOCAL}"));
    let refused = stage.run(&["provider", "remove", "fast"]).expect(6);
    let says = "error: fast is the default provider (default_provider in entracte.toml:1); choose another default first:\n  entracte provider edit story --default\n";
    assert_eq!(refused.err, says);
    stage.run(&["provider", "edit", "story", "--default"]).expect(0);
    stage.run(&["provider", "remove", "fast"]).expect(0);
    let list = stage.run(&["--json", "provider", "list"]).expect(0).json();
    assert_eq!(list["providers"].as_array().unwrap().len(), 1);
    assert_eq!(list["providers"][0]["name"], "story");
}

#[test]
fn built_in_provider_is_written_to_file_first() {
    let stage = CliFixture::with_config("");
    let refused = stage.run(&["provider", "edit", "claude", "--set", "effort=low"]).expect(6);
    let next = "entracte provider add claude --kind claude --model claude-opus-5-5";
    assert!(refused.err.ends_with(&format!("\n  {next}\n")), "{}", refused.err);
    stage.run(&next.split(' ').skip(1).collect::<Vec<_>>()).expect(0);
    stage.run(&["provider", "edit", "claude", "--set", "effort=low"]).expect(0);
    assert!(read(&stage, USER).ends_with("effort = \"low\"\n"));
}

#[test]
fn the_file_is_the_one_that_was_named() {
    let stage = CliFixture::with_config(LOCAL);
    stage.write("other.toml", "[providers.one]\nkind = \"groq\"\nmodel = \"m\"\n");
    stage.run(&["--config", "other.toml", "provider", "edit", "one", "--set", "stream=false"]).expect(0);
    assert!(read(&stage, "other.toml").ends_with("model = \"m\"\nstream = false\n"));
    stage.run(&["--config", "other.toml", "provider", "remove", "fast"]).expect(5);
    let add = ["provider", "add", "two", "--kind", "rehearsal", "--set", "script=story.toml", "--file"];
    stage.run(&[&add[..], &["deep/er/new.toml"]].concat()).expect(0);
    let script = stage.folder.path().canonicalize().unwrap().join("story.toml");
    let text = read(&stage, "deep/er/new.toml");
    assert!(
        text.contains(&format!("script = \"{}\"", script.display())),
        "a path counts from where it is typed: {text}"
    );
    assert_eq!(read(&stage, "entracte.toml"), LOCAL);
    stage.write("broken.toml", "[providers.one]\nkind = \"groq\"\nmodle = \"m\"\n");
    let refused = stage.run(&["provider", "remove", "one", "--file", "broken.toml"]).expect(2);
    assert!(refused.err.starts_with("error: broken.toml line 3: providers.one"), "{}", refused.err);
}

#[test]
fn unwritable_file_stays_unchanged() {
    let stage = CliFixture::with_config("");
    stage.write("wall", "not a folder");
    let add = ["provider", "add", "x", "--kind", "groq", "--model", "m", "--file", "wall/new.toml"];
    let code = stage.run(&add).code;
    assert!(code == 1 || code == 2, "{code}");
    assert_eq!(read(&stage, "wall"), "not a folder");
}

#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    let stage = CliFixture::with_config("");
    stage.write("real.toml", LOCAL);
    let path = |name: &str| stage.folder.path().join(name);
    std::fs::set_permissions(path("real.toml"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::remove_file(path("entracte.toml")).unwrap();
    std::os::unix::fs::symlink(Path::new("real.toml"), path("entracte.toml")).unwrap();
    stage.run(&["provider", "edit", "fast", "--set", "effort=low"]).expect(0);
    assert!(std::fs::symlink_metadata(path("entracte.toml")).unwrap().is_symlink());
    assert!(read(&stage, "real.toml").ends_with("effort = \"low\"\n"));
    assert_eq!(std::fs::metadata(path("real.toml")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn provider_is_shown_with_effective_settings() {
    let stage = CliFixture::with_config(LOCAL);
    let run = |arguments: &[&str]| {
        let mut command = stage.command(arguments);
        String::from_utf8(command.env("GROQ_API_KEY", "gsk_TOP-SECRET").output().unwrap().stdout).unwrap()
    };
    let expected = "[providers.fast]  # entracte.toml:10\n\
        api_key_env = \"GROQ_API_KEY\"  # default, set\n\
        base_url = \"https://api.groq.com/openai/v1\"  # default\n\
        call_timeout_seconds = 600  # default\n\
        connect_timeout_seconds = 15  # default\n\
        dialect = \"tools\"\n\
        idle_timeout_seconds = 120  # default\n\
        kind = \"groq\"\n\
        model = \"openai/gpt-oss-20b\"\n\
        stream = true  # default\n\
        structured_output = \"json\"  # default\n";
    let shown = run(&["provider", "show", "fast"]);
    let (settings, prices) = shown.split_once("# prices: ").unwrap();
    assert_eq!(settings, expected);
    assert!(prices.starts_with("the table of 20") && prices.contains(", litellm "), "{prices}");
    let json: serde_json::Value =
        serde_json::from_str(&run(&["--json", "provider", "show", "fast"])).unwrap();
    assert_eq!(json["schema"], "entracte.provider/1");
    assert_eq!((&json["key"], &json["key_set"]), (&"GROQ_API_KEY".into(), &true.into()));
    assert_eq!(json["settings"]["call_timeout_seconds"], 600);
    assert!(!json.to_string().contains("SECRET"));
    let shown = stage.run(&["provider", "show", "fast"]).expect(0).out;
    assert!(shown.contains("api_key_env = \"GROQ_API_KEY\"  # default, not set\n"), "{shown}");
    let schema = stage.run(&["provider", "show", "--schema"]).expect(0).json();
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["properties"]["context_tokens"]["description"].is_string(), "{schema}");
    let object = stage.run(&["--json", "provider", "show", "--schema"]).expect(0).json();
    assert_eq!((&object["schema"], &object["json_schema"]), (&"entracte.provider_schema/1".into(), &schema));
}

#[test]
fn every_change_is_reported_as_json() {
    let stage = CliFixture::with_config(LOCAL);
    let add = ["--json", "provider", "add", "x", "--kind", "groq", "--model", "m", "--file", "new.toml"];
    let told = stage.run(&add).expect(0).json();
    let expected = serde_json::json!({
        "schema": "entracte.provider_change/1", "name": "x", "change": "added", "file": "new.toml"
    });
    assert_eq!(told, expected);
    let told = stage.run(&["--json", "provider", "remove", "fast"]).expect(0).json();
    assert_eq!((&told["change"], &told["file"]), (&"removed".into(), &"entracte.toml".into()));
    let refused = stage.run(&["--json", "provider", "remove", "story"]).expect(6).json();
    assert_eq!((&refused["schema"], &refused["code"]), (&"entracte.error/1".into(), &"conflict".into()));
}

#[test]
fn script_error_names_file_line_and_column() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\" x\n");
    let done = stage.run(&["provider", "check", "stage"]).expect(1);
    assert!(
        done.out.contains("providers.stage.script: the script /")
            && done.out.contains("/story.toml, line 2, column 17: "),
        "{}",
        done.out
    );
}

/// A server that answers every request for the list of models with this, and reports the path and headers.
pub(crate) fn lister(
    status: &'static str,
    answer: &'static str,
) -> (String, std::sync::mpsc::Receiver<String>) {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (tell, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&line).lines().map_while(Result::ok);
            let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
            let _ = tell.send(head.join("\n"));
            let length = answer.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = (&line).write_all(format!("{head}{answer}").as_bytes());
        }
    });
    (url, heard)
}

fn listing(url: &str) -> CliFixture {
    let entry = format!(
        "[providers.own]\nkind = \"compatible\"\nmodel = \"small\"\nbase_url = \"{url}\"\napi_key_env = \"OWN_KEY\"\n\
         context_tokens = 4096\nprices = {{ input = \"1.5\", output = 6 }}\n\n\
         [providers.story]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n"
    );
    let stage = CliFixture::with_config(&entry);
    stage.write("story.toml", "[[turn]]\ntext = \"Hello.\"\n");
    stage
}

fn ask_models(stage: &CliFixture, arguments: &[&str]) -> crate::cli_fixture::CliCommandOutput {
    let mut command = stage.command(arguments);
    crate::cli_fixture::command_output(command.env("OWN_KEY", "sk-own-TOP-SECRET").output().unwrap())
}

/// Input: the placeholder `none` as the key of a local model server; expected: it is sent, and the check of the
/// configuration names it as placeholder. The same key for a remote server is refused.
#[test]
fn placeholder_key_reaches_local_server() {
    let (url, heard) = lister("200 OK", "{\"data\":[{\"id\":\"small, none smaller\"}]}");
    let stage = listing(&url);
    let ask = |stage: &CliFixture, arguments: &[&str]| {
        crate::cli_fixture::command_output(stage.command(arguments).env("OWN_KEY", "none").output().unwrap())
    };
    let models = ask(&stage, &["provider", "models", "own"]).expect(0).out;
    assert!(models.contains("small, none smaller"), "a placeholder is no secret: {models}");
    let asked = heard.recv().unwrap().to_lowercase();
    assert!(asked.contains("authorization: bearer none"), "{asked}");
    assert!(ask(&stage, &["provider", "show", "own"]).expect(0).out.contains("# set"));
    let said = ask(&stage, &["chat", "--provider", "story", "--message", "Hello?"]).expect(0).out;
    assert_eq!(said, "Hello.\n", "no session is hindered");
    let doctor = ask(&stage, &["doctor"]).out;
    assert!(doctor.contains("the key is a placeholder: it has fewer than 8 characters"), "{doctor}");

    let elsewhere = listing("https://models.example.com/v1");
    let refused = ask(&elsewhere, &["chat", "--provider", "story", "--message", "Hello?"]).expect(2).err;
    assert!(refused.contains("OWN_KEY has fewer than 8 characters"), "{refused}");
}

#[test]
fn models_are_listed_with_known_properties() {
    let answer = "{\"data\":[{\"id\":\"small\"},{\"id\":\"big\\u001b[2J\",\"context_length\":9000},{\"id\":\"sk-own-TOP-SECRET\"}]}";
    let (url, heard) = lister("200 OK", answer);
    let stage = listing(&url);
    let done = ask_models(&stage, &["provider", "models"]).expect(0);
    let lines: Vec<&str> = done.out.lines().map(str::trim_end).collect();
    assert!(lines[0].split_whitespace().eq(["model", "window", "input", "output"]), "{}", done.out);
    assert!(lines[1].split_whitespace().eq(["[secret]", "1.5", "6"]), "{}", done.out);
    assert!(lines[2].split_whitespace().eq(["big⟨U+001B⟩[2J", "9000", "1.5", "6"]), "{}", done.out);
    assert!(lines[3].split_whitespace().eq(["*", "small", "4096", "1.5", "6"]), "{}", done.out);
    let asked = heard.recv().unwrap().to_lowercase();
    assert!(
        asked.starts_with("get /v1/models http") && asked.contains("authorization: bearer sk-own-top-secret")
    );

    let done = ask_models(&stage, &["--json", "provider", "models", "own", "--limit", "2"]).expect(0);
    assert!(!done.out.contains("TOP-SECRET") && !done.err.contains("TOP-SECRET"), "{}", done.out);
    let told = done.json();
    assert_eq!((&told["schema"], &told["configured"]), (&"entracte.models/1".into(), &"small".into()));
    assert_eq!((&told["has_list"], &told["is_cut"]), (&true.into(), &true.into()));
    let small = told["models"].as_array().unwrap().iter().find(|model| model["id"] == "small").unwrap();
    let expected = serde_json::json!({ "id": "small", "name": null, "configured": true, "context_tokens": 4096,
        "max_output_tokens": null, "prices": { "input": "1.5", "output": "6" } });
    assert_eq!(small, &expected);
}

#[test]
fn missing_model_list_and_wrong_key_are_reported() {
    let (url, _heard) = lister("404 Not Found", "{}");
    let stage = listing(&url);
    let done = ask_models(&stage, &["provider", "models", "own"]).expect(0);
    assert_eq!(
        (done.out.as_str(), done.err.trim()),
        ("", "own has no list of models; it is configured for small.")
    );
    let done = ask_models(&stage, &["provider", "models", "story"]).expect(0);
    assert_eq!(done.err.trim(), "story has no list of models.");
    let told = ask_models(&stage, &["--json", "provider", "models", "story"]).expect(0).json();
    assert_eq!((&told["has_list"], &told["models"]), (&false.into(), &serde_json::json!([])));
    ask_models(&stage, &["provider", "models", "nope"]).expect(5);

    let (url, _heard) = lister("401 No", "{\"error\":{\"message\":\"sk-own-TOP-SECRET is no key\"}}");
    let stage = listing(&url);
    let done = ask_models(&stage, &["provider", "models", "own"]).expect(1);
    assert!(done.err.contains("answered 401") && done.err.contains("OWN_KEY"), "{}", done.err);
    assert!(!done.err.contains("TOP-SECRET"), "{}", done.err);
}

#[test]
fn response_id_of_provider_is_stored() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    let session = stage.send_in_new_session("Hi", 0);
    let journal = stage.run(&["--json", "session", "journal", &session]).expect(0).out;
    assert!(journal.contains("\"handle\":\"rehearsal_1\""), "{journal}");
}

/// A program may ask a person for a password, and a pipe delivers its content once.
#[test]
fn check_reads_provider_key_once() {
    let (url, heard) = lister("200 OK", "{\"data\":[{\"id\":\"small\"}]}");
    let stage = CliFixture::with_config("");
    let key = stage.folder.path().join("key");
    let entry = |url: &str, place: &str| {
        format!("[providers.own]\nkind = \"compatible\"\nmodel = \"small\"\nbase_url = \"{url}\"\n{place}\n")
    };
    stage.write("entracte.toml", &entry(&url, &format!("api_key_file = {key:?}")));
    assert!(std::process::Command::new("mkfifo").arg(&key).status().unwrap().success());
    let held = std::thread::spawn(move || {
        std::fs::write(&key, "sk-first").unwrap();
        // A second opening would read another key.
        let other = key.with_extension("other");
        std::fs::write(&other, "sk-second").unwrap();
        std::fs::rename(&other, &key).unwrap();
    });
    let checked = stage.run(&["provider", "check", "own"]).expect(0).out;
    assert!(checked.contains("accepts the key"), "{checked}");
    held.join().unwrap();
    assert!(heard.recv().unwrap().contains("sk-first"));

    // The list does not contain the model, so a call is made in addition.
    let (url, heard) = lister("404 Not Found", "{}");
    let program = "[\"/bin/sh\", \"-c\", \"echo asked >> $HOME/asked; echo sk-12345\"]";
    stage.write("entracte.toml", &entry(&url, &format!("api_key_command = {program}")));
    stage.run(&["provider", "check", "own"]).expect(1);
    assert!(heard.recv().unwrap().starts_with("GET") && heard.recv().unwrap().starts_with("POST"));
    assert_eq!(read(&stage, "asked"), "asked\n");

    let (url, _heard) = lister("200 OK", "{\"data\":[{\"id\":\"small\"}]}");
    stage.write("entracte.toml", &entry(&url, ""));
    let checked = stage.run(&["provider", "check", "own"]).expect(0).out;
    assert!(checked.contains("offers “small”") && !checked.contains("key"), "{checked}");
}
