//! `chat --attach`: files of a message.

use crate::cli_fixture::CliFixture;

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

    let messages = stage.run(&["--json", "session", "messages", &session]).expect(0).json();
    let said: Vec<_> =
        messages["messages"].as_array().unwrap().iter().filter(|said| said["role"] == "user").collect();
    let file = &said[0]["segments"][1]["file"];
    assert_eq!((&file["name"], &file["pages"]), (&"report.pdf".into(), &2.into()), "{messages:#}");
    assert_eq!(file["media_type"], "application/pdf");
    assert!(said[0]["text"].as_str().unwrap().contains("monday;72.5"), "{messages:#}");
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
