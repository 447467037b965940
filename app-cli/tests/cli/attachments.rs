//! Files of a message: `chat --attach`, `/attach`, and files that are dropped on the terminal.

use entracte_tests::postgres::TestDatabase;
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::scripted_model::ScriptedModel;
use crate::terminal::PseudoTerminal;

const STORY: &str = "[[turn]]\ntext = \"Seen.\"\n[[turn]]\ntext = \"Seen again.\"\n";

/// A PDF of two pages.
const PDF: &str = "%PDF-1.7\n1 0 obj << /Type /Pages /Kids [] /Count 2 >> endobj\n%%EOF\n";

/// Input: a PDF and a text in the first message of a chat, and the PDF in the next one; expected: the messages name the
/// PDF, and hold the text.
#[test]
fn attached_files_are_in_their_message() {
    let stage = CliFixture::with_script(STORY);
    stage.write("report.pdf", PDF);
    stage.write("weights.csv", "day;kg\nmonday;72.5\n");
    let say = ["chat", "--message", "Compare them.", "--attach", "report.pdf", "--attach", "weights.csv"];
    let turn = stage.run(&[&["--json"][..], &say].concat()).expect(0).json();
    let session = turn["session"].as_str().unwrap().to_owned();
    let again = ["chat", "--session", &session, "--message", "And this?", "--attach", "report.pdf"];
    stage.run(&again).expect(0);

    let said = messages_of_person(&stage);
    let file = &said[0]["segments"][1]["file"];
    assert_eq!((&file["name"], &file["pages"]), (&"report.pdf".into(), &2.into()), "{said:#?}");
    assert_eq!(file["media_type"], "application/pdf");
    assert!(said[0]["text"].as_str().unwrap().contains("monday;72.5"), "{said:#?}");
    assert_eq!(&said[1]["segments"][1]["file"], file, "it is stored once");
}

/// Input: a file that is nowhere, and one of no accepted kind; expected: refused with its name, and no session.
#[test]
fn refused_file_sends_nothing() {
    let stage = CliFixture::with_script(STORY);
    stage.write("program.png", "MZ\u{0}\u{1}");
    for (name, code, why) in [("nowhere.png", 2, "cannot be read"), ("program.png", 2, "PNG, JPEG")] {
        let refused = stage.run(&["chat", "--message", "Look.", "--attach", name]).expect(code);
        assert!(refused.err.contains(name) && refused.err.contains(why), "{}", refused.err);
    }
    assert_eq!(stage.run(&["--json", "session", "list"]).expect(0).json()["sessions"], serde_json::json!([]));
}

/// Input: a chat with a PDF, whose database is backed up and copied, to a server and back where there is one; expected: all
/// of them export the session with the PDF, and another database imports it; without files the export says what is missing.
#[test]
fn files_are_in_exports_copies_and_backups() {
    let stage = CliFixture::with_script(STORY).on_a_file();
    stage.write("report.pdf", PDF);
    let say = ["--json", "chat", "--message", "Look.", "--attach", "report.pdf"];
    let session = stage.run(&say).expect(0).json()["session"].as_str().unwrap().to_owned();
    let exported = stage.run(&["session", "export", &session]).expect(0).out;
    assert!(exported.contains("entracte.session_export/3"), "{exported}");

    stage.run(&["db", "backup", "backup.db"]).expect(0);
    stage.run(&["db", "copy", "data/entracte.db", "copied.db"]).expect(0);
    let mut copies = vec!["backup.db".to_owned(), "copied.db".to_owned()];
    let made = TestDatabase::make();
    if let Some(made) = &made {
        stage.run(&["db", "copy", "data/entracte.db", &made.url()]).expect(0);
        stage.run(&["db", "copy", &made.url(), "back.db"]).expect(0);
        copies.extend([made.url(), "back.db".to_owned()]);
    }
    for copy in copies {
        let of_copy = stage.run(&["--data", &copy, "session", "export", &session]).expect(0).out;
        assert_eq!(of_copy, exported, "{copy}");
    }

    let other = CliFixture::with_script(STORY).on_a_file();
    other.write("talk.json", &exported);
    let done = other.run(&["--json", "session", "import", "talk.json"]).expect(0).json();
    assert_eq!((&done["files"], &done["missing_files"]), (&1.into(), &0.into()), "{done}");
    let again = ["--json", "session", "export", &session, "--output", "again.json"];
    let done = other.run(&again).expect(0).json();
    assert_eq!((&done["files"], &done["missing_files"]), (&1.into(), &0.into()), "{done}");
    let named = stage.run(&["session", "export", &session, "--with-files=false"]).expect(0).out;
    assert!(named.contains("entracte.session_export/1"), "{named}");
    let third = CliFixture::with_script(STORY).on_a_file();
    let told = third.run_with(&["session", "import", "-"], &named).expect(0);
    assert!(told.err.contains("one file that the session names is not in it"), "{}", told.err);
    third.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: an animation; expected: its first frame is made in the reader of documents, and the message says what models see.
#[test]
fn animation_says_that_models_see_its_first_frame() {
    let stage = CliFixture::with_script(STORY);
    let frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0];
    let head = [&b"GIF89a"[..], &[1, 0, 1, 0, 0x80, 0, 0], &[0, 0, 0, 255, 255, 255]].concat();
    let party = [&head[..], &frame, &frame, &[0x3b]].concat();
    std::fs::write(stage.folder.path().join("party.gif"), party).unwrap();
    let done = stage.run_with(&["chat"], "/attach party.gif\nWhat is it?\n").expect(0);
    let told = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("models see the first frame, 1 × 1"), "{told}");
    let said = messages_of_person(&stage);
    let file = &said[0]["segments"][1]["file"];
    assert_eq!(
        (&file["form"]["media_type"], &file["form"]["first_frame"]),
        (&"image/png".into(), &true.into())
    );
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: three messages with PDFs and one with an image for a model that reads neither, in one session; expected: each kind is
/// told with the first message that brings it, on the terminal and in the list, and not again.
#[test]
fn unread_files_are_told_once() {
    let model = ScriptedModel::start(vec![json!({ "pre_text": "I see a line." })]);
    let stage = model.stage(false, "");
    stage.write("report.pdf", PDF);
    let pixel = [
        &b"GIF89a"[..],
        &[1, 0, 1, 0, 0, 0, 0],
        &[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0],
        &[2, 2, 0x4c, 1, 0, 0x3b],
    ];
    std::fs::write(stage.folder.path().join("pixel.gif"), pixel.concat()).unwrap();
    let say = |arguments: &[&str]| {
        let done = stage.run(&[&["chat", "--message", "Look."][..], arguments].concat()).expect(0);
        done.err.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let told = |err: &str| (err.contains("the model in use reads no PDF"), err.contains("reads no images"));
    assert_eq!(told(&say(&["--attach", "report.pdf"])), (true, false));
    let go_on = |name: &str| say(&["--continue", "--attach", name]);
    assert_eq!(told(&go_on("report.pdf")), (false, false));
    assert_eq!(told(&go_on("pixel.gif")), (false, true));
    assert_eq!(told(&go_on("report.pdf")), (false, false));
    let notices: Vec<bool> =
        messages_of_person(&stage).iter().map(|said| said["notice"].is_string()).collect();
    assert_eq!(notices, [true, false, true, false]);
    assert!(model.last_images().is_empty());

    let stage = model.stage(false, "");
    stage.write("report.pdf", PDF);
    let mut chat = PseudoTerminal::open(&stage, 100, &["chat"]);
    chat.until_prompt("you>");
    chat.type_line("/attach report.pdf");
    chat.until("goes with your next message: report.pdf");
    chat.until_prompt("you>");
    chat.type_line("Read it.");
    chat.until("the model in use reads no PDF");
    chat.until("I see a line.");
    chat.until_prompt("you>");
    chat.type_line("/quit");
    assert_eq!(chat.ends(), 0);
}

/// The messages that a person wrote in the only session.
fn messages_of_person(stage: &CliFixture) -> Vec<Value> {
    let list = stage.run(&["--json", "session", "list"]).expect(0).json();
    let session = list["sessions"][0]["id"].as_str().unwrap();
    let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
    let all = messages["messages"].as_array().unwrap().iter();
    all.filter(|said| said["role"] == "user").cloned().collect()
}

/// The names of the files of each message that a person wrote in the only session.
fn files_of_messages(stage: &CliFixture) -> Vec<Vec<String>> {
    let names = |said: &Value| {
        let segments = said["segments"].as_array().unwrap();
        segments.iter().filter_map(|segment| segment["file"]["name"].as_str().map(str::to_owned)).collect()
    };
    messages_of_person(stage).iter().map(names).collect()
}

/// Input: `/attach` with a file that is nowhere and with one, a message, `/attach` with the file again and without, and a
/// message; expected: the missing file is named, the first message has the file, the second has none.
#[test]
fn attach_adds_files_to_next_message() {
    let stage = CliFixture::with_script(STORY);
    stage.write("my report.pdf", PDF);
    let typed =
        "/attach nowhere.pdf\n/attach my report.pdf\nRead it.\n/attach 'my report.pdf'\n/attach\nAnd now?\n";
    let done = stage.run_with(&["chat"], typed).expect(0);
    assert!(done.err.contains("nowhere.pdf cannot be read"), "{}", done.err);
    let words = format!("my report.pdf (application/pdf, 2 p., {} bytes)", PDF.len());
    assert!(done.err.contains(&format!("goes with your next message: {words}")), "{}", done.err);
    assert!(done.err.contains(&format!("taken back: {words}")), "{}", done.err);
    assert_eq!(files_of_messages(&stage), [vec!["my report.pdf".to_owned()], Vec::new()]);
}

/// Input: the path of a file, as a terminal writes it when the file is dropped on it, then a message; expected: the message
/// has the file, and the path is no message.
#[test]
fn dropped_file_is_attached() {
    let stage = CliFixture::with_script(STORY);
    stage.write("report.pdf", PDF);
    let path = stage.folder.path().join("report.pdf");
    let mut chat = PseudoTerminal::open(&stage, 80, &["chat"]);
    chat.until_prompt("you>");
    chat.type_line(&format!("'{}'", path.display()));
    chat.until("goes with your next message: report.pdf");
    chat.until_prompt("you>");
    chat.type_line("Read it.");
    chat.until("Seen.");
    chat.until_prompt("you>");
    chat.type_line("/quit");
    assert_eq!(chat.ends(), 0);
    assert_eq!(files_of_messages(&stage), [vec!["report.pdf".to_owned()]]);
}
