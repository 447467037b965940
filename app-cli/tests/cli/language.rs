//! Output that depends on the language, and output that does not.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cli_fixture::{CliCommandOutput, CliFixture, command_output};

/// Requests two approvals, one after the other, so that cards with both sides are reached.
const ASKS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "One.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health", "require_validation": true}}], "keep_control": true}'''
[[turn]]
text = "Done."
[[turn]]
envelope = '''{"pre_text": "Two.", "question": {"type": "MultipleChoice", "question": "Which colour?", "options": ["red", "blue"]}}'''
"#;

/// Every key of an object and of all nested ones, with its path. Members of a list count as one.
fn keys(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let path = format!("{path}/{key}");
                keys(value, &path, all);
                all.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, &format!("{path}/*"), all)),
        _ => {}
    }
}

fn keys_of(name: &str, done: &CliCommandOutput) -> (String, BTreeSet<String>) {
    let mut all = BTreeSet::new();
    for line in done.out.lines() {
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
        keys(&value, "", &mut all);
    }
    assert!(!all.is_empty(), "{name} printed nothing: {}", done.err);
    (name.to_owned(), all)
}

/// The keys of everything printed in a workspace of this language.
fn printed_in(language: &str) -> Vec<(String, BTreeSet<String>)> {
    let stage = CliFixture::with_script(ASKS);
    stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
    let run = |arguments: &[&str]| stage.run(&[&["--json"], arguments].concat());
    let mut all = Vec::new();
    let asked = run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let session = session.as_str();
    all.push(keys_of("chat", &asked));
    let inbox = run(&["inbox"]).expect(0);
    let fields = &inbox.json()["items"][0]["after"];
    assert_eq!(fields["name"], "Health", "the stored key in {language}: {fields}");
    assert!(fields["require_validation"].is_string(), "the stored key in {language}: {fields}");
    all.push(keys_of("inbox", &inbox));
    let approval = inbox.json()["items"][0]["id"].as_str().unwrap().to_owned();
    all.push(keys_of("approve", &run(&["approve", &approval, "--always"]).expect(0)));
    let rules = run(&["rule", "list"]).expect(0);
    let rule = rules.json()["rules"][0]["id"].as_str().unwrap().to_owned();
    all.push(keys_of("rules", &rules));
    let automation = ["automation", "create", "A", "--message", "Hi", "--at", "2099-01-01"];
    let automation = run(&automation).expect(0).json()["id"].as_str().unwrap().to_owned();
    let automation = automation.as_str();
    let looks: [&[&str]; 26] = [
        &["chat", "--session", session, "--message", "Paint it"],
        &["inbox"],
        &["rule", "show", &rule],
        &["rule", "revoke", &rule],
        &["session", "list"],
        &["session", "show", session],
        &["session", "messages", session],
        &["session", "journal", session],
        &["session", "calls", session],
        &["session", "verify"],
        &["session", "fork", session],
        &["session", "show", "ses_none"],
        &["automation", "list"],
        &["automation", "show", automation],
        &["automation", "next", automation],
        &["automation", "history", automation],
        &["command", "list"],
        &["command", "show", "zones.create"],
        &["command", "run", "ZONES"],
        &["command", "enrichments"],
        &["workspace", "list"],
        &["workspace", "settings", "list"],
        &["provider", "list"],
        &["config", "show"],
        &["doctor"],
        &["db", "check"],
    ];
    all.extend(looks.map(|arguments| keys_of(&arguments.join(" ").replace(session, "ID"), &run(arguments))));
    all
}

#[test]
fn json_keys_are_never_translated() {
    let (english, french) = (printed_in("en"), printed_in("fr"));
    for ((name, english), (_, french)) in english.iter().zip(&french) {
        assert_eq!(english, french, "the keys of {name}");
    }
}

#[test]
fn help_and_errors_use_language_of_environment() {
    let stage = CliFixture::with_config("");
    let said = |language: (&str, &str), arguments: &[&str]| {
        command_output(stage.command(arguments).env(language.0, language.1).output().unwrap())
    };
    for language in [("ENTRACTE_LANGUAGE", "fr"), ("LANG", "fr_FR.UTF-8")] {
        let help = said(language, &["session", "--help"]).expect(0).out;
        assert!(
            help.starts_with("Examine et pilote les sessions\n\nUtilisation\u{a0}: entracte session"),
            "{help}"
        );
        let wrong = said(language, &["session", "lst"]).expect(2).err;
        assert!(wrong.starts_with("erreur\u{a0}: la commande «\u{a0}lst\u{a0}» n’existe pas"), "{wrong}");
    }
    let help = said(("LANG", "de_DE"), &["session", "--help"]).expect(0).out;
    assert!(help.starts_with("Inspect and control sessions\n"), "{help}");
}

/// Input: a workspace's first command in a French shell, then one in an English shell; expected: the workspace speaks
/// French from the beginning, and keeps that language.
#[test]
fn new_workspace_uses_language_of_shell() {
    let stage = CliFixture::with_script(ASKS);
    let first = ["zone", "add", "Santé"];
    let first =
        command_output(stage.command(&first).env("LANG", "fr_FR.UTF-8").output().unwrap()).expect(0).out;
    assert!(first.starts_with("ajout de «\u{a0}Santé\u{a0}»\u{a0}: zon_"), "{first}");
    let workspaces = stage.run(&["--json", "workspace", "list"]).expect(0).json();
    assert_eq!(workspaces["workspaces"][0]["language"], "fr", "{workspaces}");
    let then =
        command_output(stage.command(&["zone", "list"]).env("LANG", "C").output().unwrap()).expect(0).out;
    assert!(then.contains("nom") && then.contains("non"), "{then}");
}

/// English words of Entracte's screens that occur on no French one. Names of flags, commands, settings and phases are
/// not translated, nor are words in quotes, braces or capitals.
const ENGLISH: &[&str] = &[
    "the",
    "and",
    "is",
    "are",
    "of",
    "to",
    "with",
    "this",
    "that",
    "from",
    "not",
    "has",
    "was",
    "it",
    "its",
    "there",
    "no",
    "your",
    "you",
    "by",
    "or",
    "for",
    "as",
    "can",
    "be",
    "does",
    "exist",
    "yet",
    "needs",
    "need",
    "every",
    "will",
    "waits",
    "waiting",
    "answer",
    "call",
    "tries",
    "took",
    "decided",
    "command",
    "parameters",
    "standing",
    "unread",
    "last",
    "activity",
    "name",
    "kind",
    "effect",
    "key",
    "state",
    "query",
    "read",
    "once",
    "destructive",
    "failed",
    "fail",
    "warn",
    "warning",
    "clock",
    "folder",
    "disk",
    "space",
    "database",
    "owner",
    "default",
    "unused",
    "used",
    "workspace",
    "round",
    "rounds",
    "calls",
    "created",
    "event",
    "provider",
    "succeeded",
    "rejected",
    "approved",
    "closed",
    "ended",
    "queued",
    "suspended",
    "parked",
    "resumed",
    "executed",
    "attempt",
    "error",
    "allowed",
    "must",
    "whole",
    "number",
    "did",
    "mean",
    "line",
    "setting",
    "settings",
    "set",
    "none",
    "approval",
    "automation",
    "when",
    "next",
    "seed",
    "model",
    "list",
    "them",
    "start",
    "one",
    "nothing",
    "unknown",
    "input",
    "output",
    "input",
    "time",
    "sessions:",
    "open",
];

/// The English words of a French screen: lower case, outside of commands, quotes, paths and JSON.
fn english_in(screen: &str) -> Vec<String> {
    let is_prose = |line: &&str| !line.contains(" = ") && !line.contains(": \"");
    let lines = screen.lines().take_while(|line| *line != "schéma\u{a0}:").filter(is_prose);
    let quiet = lines.map(|line| {
        // Text to paste, lists of possible values, and JSON error texts are the same in every language.
        let ends = ["entracte ", "{", "→", "valeurs possibles\u{a0}:", "JSON valide\u{a0}:"];
        ends.iter().fold(line, |line, end| line.split(end).next().unwrap_or_default()).to_owned()
    });
    let mut found = Vec::new();
    for line in quiet {
        let mut is_quoted = false;
        for word in line.split_whitespace() {
            is_quoted |= word.starts_with('«');
            let plain = word.trim_matches(|letter: char| ",;:().…".contains(letter));
            if !is_quoted && ENGLISH.contains(&plain) {
                found.push(format!("{plain} in: {line}"));
            }
            is_quoted &= !word.ends_with('»');
        }
    }
    found
}

/// A call that reads, one that needs approval and is rejected, and one that cannot be parsed.
const SPEAKS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "Je regarde.", "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "Un.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Jardin"}}], "keep_control": true}'''
[[turn]]
text = "Voil\u00e0."
[[turn]]
envelope = '''{"pre_text": "Deux.", "question": {"type": "MultipleChoice", "question": "Quelle couleur ?", "options": ["rouge", "bleu"]}}'''
"#;

#[test]
fn a_french_workspace_speaks_french() {
    let stage = CliFixture::with_script(SPEAKS);
    let run = |arguments: &[&str]| {
        command_output(stage.command(arguments).env("ENTRACTE_LANGUAGE", "fr").output().unwrap())
    };
    let mut english = Vec::new();
    let mut look = |code: i32, arguments: &[&str]| {
        let done = run(arguments).expect(code);
        let screen = format!("{}{}", done.out, done.err);
        english
            .extend(english_in(&screen).into_iter().map(|found| format!("{}: {found}", arguments.join(" "))));
        done
    };
    look(0, &["doctor"]);
    look(0, &["workspace", "create", "local:main", "--language", "fr"]);
    look(0, &["session", "list"]);
    look(0, &["inbox"]);
    look(3, &["chat", "--require-approval", "--message", "Fais une zone"]);
    let list = run(&["--json", "session", "list"]).json();
    let session = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let session = session.as_str();
    let call = run(&["--json", "inbox"]).json()["items"][0]["id"].as_str().unwrap().to_owned();
    look(0, &["inbox"]);
    look(0, &["reject", &call, "--reason", "pas maintenant"]);
    look(3, &["chat", "--session", session, "--message", "Encore"]);
    let question = look(0, &["inbox"]);
    assert!(
        question.out.contains("ou votre propre réponse") || question.out.contains("rouge"),
        "{}",
        question.out
    );
    let calls = run(&["--json", "session", "calls", session]).json();
    let first = calls["calls"][0]["id"].as_str().unwrap().to_owned();
    let shown: [&[&str]; 17] = [
        &["doctor"],
        &["session", "list"],
        &["session", "show", session],
        &["session", "journal", session],
        &["session", "calls", session],
        &["session", "calls", session, &first],
        &["session", "messages", session],
        &["session", "verify"],
        &["session", "set", session, "--require-approval", "yes"],
        &["inbox"],
        &["automation", "list"],
        &["rule", "list"],
        &["provider", "list"],
        &["provider", "show", "stage"],
        &["command", "list"],
        &["command", "enrichments"],
        &["db", "migrate"],
    ];
    for arguments in shown {
        look(0, arguments);
    }
    let wrong: [(i32, &[&str]); 12] = [
        (5, &["session", "show", "ses_nobody"]),
        (5, &["settle", "cal_nobody_1_1", "happened"]),
        (2, &["chat", "--message", "Bonjour", "--enrich", "[]"]),
        (2, &["session", "lst"]),
        (2, &["chat", "--message", " "]),
        (2, &["chat", "--json"]),
        (2, &["session", "delete", session]),
        (2, &["session", "set", session]),
        (2, &["approve", "x", "--edit", "{"]),
        (5, &["command", "show", "nothing.here"]),
        (5, &["provider", "check", "nobody"]),
        (2, &["--workspace", "sport", "session", "list"]),
    ];
    for (code, arguments) in wrong {
        let done = look(code, arguments);
        assert!(done.err.starts_with("erreur\u{a0}: "), "{arguments:?}: {}", done.err);
    }
    stage.write("entracte.toml", "[limits]\nruonds = 5\n");
    let done = look(2, &["session", "list"]);
    assert!(
        done.err.starts_with("erreur\u{a0}: entracte.toml ligne 2\u{a0}: il n’y a pas de réglage"),
        "{}",
        done.err
    );
    look(1, &["doctor"]);
    assert!(english.is_empty(), "English on French screens:\n{}", english.join("\n"));
}

/// Input: a French workspace, used in a shell that names no language; expected: French.
#[test]
fn workspace_language_is_for_shells_without_one() {
    let stage = CliFixture::with_script(ASKS);
    stage.run(&["workspace", "create", "local:main", "--language", "fr"]).expect(0);
    let doctor = stage.run(&["doctor"]).expect(0).out;
    assert!(doctor.contains("horloge") && doctor.contains("rien n’est endommagé"), "{doctor}");
    let wrong = stage.run(&["command", "show", "nothing"]).expect(5).err;
    assert_eq!(
        wrong,
        "erreur\u{a0}: il n’y a pas de commande nothing\u{a0}; pour les voir\u{a0}:\n  entracte command list\n"
    );
    let listed = stage.run(&["session", "list"]).expect(0).err;
    assert_eq!(
        listed,
        "il n’y a pas de session dans local:main\u{a0}; pour en commencer une\u{a0}: entracte chat\n"
    );
}

/// Input: a French workspace with a card, read in an English shell, in a French one, in one whose language another variable
/// overrides, and in one without a language; expected: cards, reasons, settings and descriptions of commands are in the
/// language of each shell, that of the workspace without one; the digest is the same, and the English one approves.
#[test]
fn language_follows_the_reader_at_the_terminal() {
    let stage = CliFixture::with_script(ASKS);
    stage.run(&["workspace", "create", "local:main", "--language", "fr"]).expect(0);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let run = |shell: &[(&str, &str)], arguments: &[&str]| {
        command_output(stage.command(arguments).envs(shell.iter().copied()).output().unwrap()).expect(0)
    };
    let card = |shell: &[(&str, &str)]| run(shell, &["--json", "inbox"]).json()["items"][0].clone();
    let english = [("LANG", "en_GB.UTF-8")];
    let french = [("LC_MESSAGES", "fr_CA.UTF-8"), ("LANG", "en_GB.UTF-8")];
    let overridden = [("ENTRACTE_LANGUAGE", "fr"), ("LC_ALL", "en_GB.UTF-8")];
    let unnamed = [("LC_ALL", "C.UTF-8")];

    let (read, lu) = (card(&english), card(&french));
    let reasons = [&read, &lu].map(|card| card["reasons"].to_string());
    assert!(reasons[0].contains("this session requires approval for every action"), "{read}");
    assert!(reasons[1].contains("cette session exige une approbation par action"), "{lu}");
    assert_ne!(read["says"], lu["says"]);
    assert_eq!(read["digest"], lu["digest"], "no word is in the digest");
    let looks: [&[&str]; 4] = [
        &["workspace", "settings", "list"],
        &["--json", "workspace", "settings", "list"],
        &["command", "list"],
        &["command", "show", "zones.create"],
    ];
    for look in looks {
        let seen = |shell: &[(&str, &str)]| run(shell, look).out;
        assert_ne!(seen(&english), seen(&french), "{look:?}");
        assert_eq!(seen(&overridden), seen(&french), "{look:?}");
        assert_eq!(seen(&unnamed), seen(&french), "{look:?}");
    }
    let approved = run(&english, &["approve", read["id"].as_str().unwrap()]);
    assert!(!approved.err.contains("erreur"), "{}", approved.err);
}

/// Input: databases that cannot be backed up, copied or opened, and a cron expression with a wrong minute; expected:
/// the error and the allowed values are in French.
#[test]
fn database_and_schedule_errors_are_french() {
    let stage = CliFixture::with_script(ASKS).on_a_file();
    let refused = |code: i32, arguments: &[&str], expected: &str| {
        let done = command_output(stage.command(arguments).env("ENTRACTE_LANGUAGE", "fr").output().unwrap());
        let told = done.expect(code).err;
        assert!(told.starts_with("erreur\u{a0}: ") && told.contains(expected), "{told}");
        assert_eq!(english_in(&told), Vec::<String>::new(), "{told}");
    };
    stage.run(&["workspace", "create", "local:main", "--language", "fr"]).expect(0);
    let file = "data/entracte.db";
    refused(6, &["db", "backup", file], "existe déjà, et une sauvegarde n’écrase rien");
    refused(1, &["db", "backup", "no/where.db"], "son dossier n’existe pas\u{a0}; créez le dossier");
    refused(2, &["db", "copy", file, file], "dans elle-même");
    let cron = ["automation", "create", "Lundi", "--message", "Bonjour", "--cron", "61 9 * * 1"];
    refused(2, &cron, "la minute «\u{a0}61\u{a0}» n’est pas valide\u{a0}; utilisez 0 à 59");
    stage.write(file, "");
    refused(1, &["session", "list"], "est vide (0 octet)\u{a0}; restaurez une sauvegarde");
}
