//! Files, variables and flags; unusable databases.

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use crate::cli_fixture::{CliFixture, command_output};

#[test]
fn invalid_file_exits_2_and_shows_line() {
    let stage = CliFixture::with_config("author = \"ann\"\n[limits]\nruonds = 5\n");
    let done = stage.run(&["session", "list"]).expect(2);
    let says = "error: entracte.toml line 3: there is no setting “limits.ruonds”\n  3 | ruonds = 5\n    | ^^^^^^ did you mean “rounds”?\n";
    assert!(done.err.starts_with(says), "{}", done.err);
    assert!(done.err.ends_with("\n  entracte doctor\n"), "{}", done.err);
    assert_eq!(done.out, "");
    let object = stage.run(&["--json", "session", "list"]).expect(2).json();
    assert_eq!(object["code"], "usage");
    stage.run(&["--config", "nowhere.toml", "inbox"]).expect(2);
}

#[test]
fn every_value_names_its_source() {
    let stage = CliFixture::with_config("author = \"local\"\n[limits]\nrounds = 9\n").on_a_file();
    let config = stage.folder.path().join(".config/entracte");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "author = \"user\"\n[message]\nmax_chars = 10\n").unwrap();
    let mut command = stage.command(&["config", "show", "--origin", "--workspace", "ann:home"]);
    let output = command.env("ENTRACTE_LIMITS_WATCHDOG", "1m").output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap().replace(&*stage.folder.path().to_string_lossy(), "~");
    for (key, value, origin) in [
        ("database.url", "\"data/entracte.db\"", "ENTRACTE_DATA"),
        ("workspace", "\"ann:home\"", "--workspace"),
        ("author", "\"local\"", "entracte.toml:1"),
        ("limits.rounds", "9", "entracte.toml:3"),
        ("limits.watchdog", "\"1m\"", "ENTRACTE_LIMITS_WATCHDOG"),
        ("message.max_chars", "10", "~/.config/entracte/config.toml:3"),
        ("limits.call_timeout", "\"15s\"", "default"),
        ("network.address_check", "\"2s\"", "default"),
        ("providers.claude.api_key_env", "\"ANTHROPIC_API_KEY\"", "built in"),
    ] {
        let found = out.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap_or_default();
        assert!(
            found.starts_with(&format!("{key} = {value} ")) && found.ends_with(&format!("# {origin}")),
            "{found}"
        );
    }
}

/// Input: default settings, shown in a French shell; expected: their source is in French, but in JSON it stays a word
/// for scripts.
#[test]
fn value_source_is_shown_in_french() {
    let stage = CliFixture::with_config("");
    let french = |arguments: &[&str]| {
        command_output(stage.command(arguments).env("ENTRACTE_LANGUAGE", "fr").output().unwrap()).expect(0)
    };
    let shown = french(&["config", "show", "--origin"]).out;
    for (key, origin) in [("limits.call_timeout", "par défaut"), ("providers.claude.model", "intégré")] {
        let line = shown.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        assert!(line.ends_with(&format!("# {origin}")), "{line}");
    }
    let object = french(&["--json", "config", "show"]).json();
    let of = |key: &str| {
        let settings = object["settings"].as_array().unwrap();
        settings.iter().find(|one| one["key"] == key).unwrap()["origin"].clone()
    };
    assert_eq!([of("limits.call_timeout"), of("providers.claude.model")], ["default", "built in"]);
}

#[test]
fn missing_provider_error_has_remedy() {
    let stage = CliFixture::with_config("");
    let done = stage.run(&["chat", "--message", "hi"]).expect(2);
    assert!(
        done.err.contains("ANTHROPIC_API_KEY") && done.err.ends_with("\n  entracte init\n"),
        "{}",
        done.err
    );
    let done = stage.run(&["chat", "--provider", "nope", "--message", "hi"]).expect(5);
    assert!(done.err.contains("“nope”") && done.err.contains("claude, groq, openai"), "{}", done.err);
    let list = stage.run(&["--json", "session", "list"]).expect(0).json();
    assert_eq!(list["sessions"], serde_json::json!([]));
}

#[test]
fn a_workspace_may_require_approval_of_every_action() {
    let stage = CliFixture::with_script(
        "[[turn]]\nenvelope = '''{\"pre_text\": \"I make it.\", \"actions\": [{\"type\": \"CREATE_ZONE\", \
         \"params\": {\"name\": \"Health\"}}]}'''\n",
    );
    stage.send_in_new_session("Make a zone", 0);
    let mut command = stage.command(&["--json", "chat", "--message", "Make a zone"]);
    let output = command.env("ENTRACTE_VALIDATION_WORKSPACE", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let turn: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(turn["waiting"]["items"][0]["reasons"][0]["level"], "workspace");
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let stage = CliFixture::with_config("").on_a_file();
    stage.run(&["db", "migrate"]).expect(0);
    let path = stage.folder.path().join("data/entracte.db");
    let mut conn = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    conn.batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999000000')").unwrap();
    drop(conn);
    for arguments in [&["inbox"][..], &["session", "list"], &["db", "check"]] {
        let done = stage.run(arguments).expect(1);
        assert!(done.err.contains("newer Entracte"), "{}", done.err);
    }
}

#[test]
fn a_database_is_checked_and_copied() {
    let stage = CliFixture::with_config("").on_a_file();
    assert_eq!(stage.run(&["db", "check"]).expect(0).out, "ok  data/entracte.db\n");
    stage.run(&["db", "backup", "copy.db"]).expect(0);
    stage.run(&["db", "backup", "copy.db"]).expect(6);
    let mut command = stage.command(&["db", "check"]);
    let output = command.env("ENTRACTE_DATABASE_URL", "sqlite:copy.db").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "ok  copy.db\n");
    stage.write("no.db", "this is no database, and was never one; not even by its length, I should say");
    let mut command = stage.command(&["db", "check"]);
    let output = command.env("ENTRACTE_DATABASE_URL", "no.db").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let stage = CliFixture::with_config("");
    stage.run(&["bogus"]).expect(2);
    stage.run(&["approve"]).expect(2);
    stage.run(&["chat", "--session", "x", "--model", "y"]).expect(2);
    stage.run(&["--workspace", "ann", "inbox"]).expect(2);
    let object = stage.run(&["--json", "bogus"]).expect(2).json();
    assert_eq!(object["next"], "entracte --help");
    let bare = stage.run(&["approve"]).expect(2).err;
    assert!(bare.contains("\nUsage: entracte approve <ID>...\n  entracte approve --help\n"), "{bare}");
    let told = stage.run(&["--json", "chat"]).expect(2).json();
    assert_eq!(told["message"], "--json needs a message");
    assert!(stage.run(&["--version"]).expect(0).out.starts_with("entracte "));
}

/// Input: a wrong value for each of these commands; expected: the suggested command is the one that helps with exactly
/// that.
#[test]
fn wrong_value_names_help_of_its_command() {
    let stage = CliFixture::with_config("");
    for (arguments, next) in [
        (&["token", "create", "--for", "9zz"][..], "entracte token create --help"),
        (&["rule", "add", "zones.create", "--for", "0d"], "entracte rule add --help"),
        (&["automation", "history", "--before", "foo"], "entracte automation history --help"),
        (&["notify", "add", "n", "--ntfy", "foo"], "entracte notify add --help"),
        (&["secret", "set", "bad name"], "entracte secret set --help"),
        (&["text", "propose", "k", "nowhere"], "entracte text propose --help"),
        (
            &["workspace", "instructions", "import", "nowhere"],
            "entracte workspace instructions import --help",
        ),
        (&["chat", "--script", "nowhere.toml"], "entracte chat --help"),
        (&["text", "show", "nope"], "entracte text list"),
    ] {
        let told = stage.run_with(arguments, "x");
        assert!(told.err.ends_with(&format!("\n  {next}\n")), "{arguments:?}: {}", told.err);
    }
    let written = stage.run(&["entry", "add", "Weight", "{bad"]).expect(2).err;
    assert!(written.starts_with("error: what you wrote is not valid JSON: "), "{written}");
    let mut french = stage.command(&["mcp", "login", "x"]);
    let french =
        crate::cli_fixture::command_output(french.env("LANG", "fr_FR.UTF-8").output().unwrap()).expect(5).err;
    assert_eq!(french.matches("entracte mcp status").count(), 1, "{french}");
}

/// Input: an endless file as the configuration; expected: it is refused once it exceeds the limit, and not read
/// further.
#[cfg(unix)]
#[test]
fn a_configuration_without_an_end_is_refused() {
    let stage = CliFixture::with_config("");
    let told = stage.run(&["--config", "/dev/zero", "session", "list"]).expect(2);
    assert!(told.err.contains("/dev/zero") && told.err.contains("more than 1048576 bytes"), "{}", told.err);
}
