//! Documents added by a person, and searches for them.

use crate::cli_fixture::{CliFixture, command_output};

const GUIDE: &str = "# Travel\n\n## Trains\n\nTickets for trains are second class.\n";

fn stage() -> CliFixture {
    let stage = CliFixture::with_config("");
    std::fs::create_dir_all(stage.folder.path().join("docs/deep")).unwrap();
    stage.write_untrusted("docs/guide.md", GUIDE);
    stage.write_untrusted("docs/deep/staff.csv", "name,city\nAnn,Lyon\nBob,Paris\n");
    stage.write_untrusted("docs/page.html", "<title>Meals</title><p>Lunch costs 15 euros.</p>");
    stage.write_untrusted("docs/tool.exe", "");
    stage
}

/// Input: a folder, twice, with a change in between; expected: new files are added, changed ones replaced, others left;
/// documents are listed, found, shown and removed, with the same words in JSON.
#[test]
fn documents_are_added_found_and_removed() {
    let stage = stage();
    let empty = stage.run(&["knowledge", "list"]).expect(0);
    assert!(empty.err.contains("entracte knowledge add FILE"), "{}", empty.err);
    let added = stage.run(&["knowledge", "add", "docs"]).expect(0);
    assert!(added.err.contains("3 added, 0 replaced, 0 unchanged, 0 failed, 1 left out"), "{}", added.err);
    stage.write_untrusted("docs/page.html", "<title>Meals</title><p>Dinner costs 25 euros.</p>");
    let again = stage.run(&["--json", "knowledge", "add", "docs"]).expect(0);
    let outcomes: Vec<String> = again.json()["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| {
            format!("{} {}", document["name"].as_str().unwrap(), document["outcome"].as_str().unwrap())
        })
        .collect();
    assert_eq!(outcomes, ["deep/staff.csv unchanged", "guide.md unchanged", "page.html replaced"]);
    let list = stage.run(&["knowledge", "list"]).expect(0).out;
    assert!(list.contains("guide.md") && list.contains("Travel") && list.contains("csv"), "{list}");

    let found = stage.run(&["--json", "knowledge", "search", "train", "ticket"]).expect(0).json();
    let best = &found["results"][0];
    assert_eq!((&best["document"]["name"], &best["heading"][1]), (&"guide.md".into(), &"Trains".into()));
    assert!(best["document"]["source"].as_str().unwrap().ends_with("docs/guide.md"), "{best}");
    let shown = stage.run(&["knowledge", "search", "dinner"]).expect(0).out;
    assert!(shown.contains("page.html") && shown.contains("25 euros"), "{shown}");
    assert!(stage.run(&["knowledge", "search", "lunch"]).expect(0).out.is_empty(), "it was replaced");
    assert_eq!(stage.run(&["knowledge", "show", "guide.md"]).expect(0).out, GUIDE);

    stage.run(&["db", "backup", "copy.db"]).expect(0);
    stage.run(&["knowledge", "remove", "guide.md", "page.html"]).expect(0);
    stage.run(&["knowledge", "show", "guide.md"]).expect(5);
    assert!(stage.run(&["knowledge", "search", "train"]).expect(0).out.is_empty());
    let kept = stage.run(&["--data", "copy.db", "knowledge", "search", "train"]).expect(0).out;
    assert!(kept.contains("guide.md"), "a backup has the index too: {kept}");
}

/// Input: standard input, and files that cannot be added; expected: the input is added under its name, and each refusal
/// states its reason.
#[test]
fn refused_document_states_reason() {
    let stage = stage();
    let added =
        stage.run_with(&["knowledge", "add", "-", "--name", "note.txt"], "Call the plumber.").expect(0);
    assert!(added.err.contains("added note.txt (1 part)"), "{}", added.err);
    stage.run_with(&["knowledge", "add", "-"], "x").expect(2);
    let none = stage.run(&["knowledge", "add", "nothing"]).expect(5);
    assert!(none.err.contains("there is no file or folder nothing\n"), "{}", none.err);
    std::fs::write(stage.folder.path().join("large.md"), "x".repeat(3000)).unwrap();
    let mut command = stage.command(&["knowledge", "add", "large.md"]);
    let large =
        command_output(command.env("ENTRACTE_KNOWLEDGE_DOCUMENT_BYTES", "1024").output().unwrap()).expect(2);
    assert!(large.err.contains("large.md: it has 3000 bytes, and a document may have 1024"), "{}", large.err);
    stage.run(&["knowledge", "add", "docs", "--name", "one"]).expect(2);
    let unknown = stage.run(&["knowledge", "add", "docs/tool.exe"]).expect(2);
    assert!(unknown.err.contains("--format"), "{}", unknown.err);
    stage.write_untrusted("docs/broken.json", "{");
    let broken = stage.run(&["knowledge", "add", "docs"]).expect(1);
    assert!(broken.err.contains("broken.json") && broken.err.contains("3 added"), "{}", broken.err);
    stage.run(&["knowledge", "remove", "nothing"]).expect(5);
    let french = stage.command(&["knowledge", "remove", "rien"]).env("LANG", "fr_FR.UTF-8").output().unwrap();
    let french = String::from_utf8(french.stderr).unwrap();
    assert!(french.contains("aucun document ne s’appelle «\u{a0}rien\u{a0}»"), "{french}");
}
