//! Draws `docs/screens/*.svg` from the real program: `docs/screens/make`.

use std::fmt::Write;
use std::path::Path;

use crate::cli_fixture::CliFixture;
use crate::terminal::{CTRL_D, PseudoTerminal, TerminalCell};

/// Pixels of a cell of the terminal.
const CELL_WIDTH: usize = 8;
const CELL_HEIGHT: usize = 17;
const MARGIN: usize = 12;

/// Stands for the random part of ids, so that a drawing changes only with the program.
const STEM: &str = "k3n8p2v7w4x9q5r6";

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "First I look at what is there.", "plan": ["Read the zones", "Make the one that is missing"], "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "There is **no zone** for your health yet, so I make one.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "The zone **Health** is made. You can now:\n\n- write down your *weight*\n- keep a list of what you eat\n\n| tool | holds |\n|---|---|\n| Weight | one number a day |\n| Food | a text |"
[[turn]]
envelope = '''{"pre_text": "One more, then.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Sleep"}}]}'''
"#;

const FRENCH: &str = r#"
[[turn]]
envelope = '''{"pre_text": "Je regarde d’abord ce qui existe.", "plan": ["Lire les zones", "Créer celle qui manque"], "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "Il n’y a **pas de zone** pour votre santé, j’en crée une.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Santé"}}], "keep_control": true}'''
[[turn]]
text = "La zone **Santé** est créée. Vous pouvez maintenant :\n\n- noter votre *poids*\n- tenir la liste de ce que vous mangez"
[[turn]]
envelope = '''{"pre_text": "Encore une, alors.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Sommeil"}}]}'''
"#;

/// The input of a language, and the texts that identify the program's screens.
struct ScreenshotScript {
    language: &'static str,
    story: &'static str,
    says: [&'static str; 2],
    made: &'static str,
    prompt: &'static str,
    choices: &'static str,
    yes: &'static str,
    /// The key that leaves the inbox.
    leave: &'static str,
}

const TALKS: [ScreenshotScript; 2] = [
    ScreenshotScript {
        language: "en",
        story: STORY,
        says: ["Make a zone for my health, please.", "And one for my sleep."],
        made: "is made.",
        prompt: "you>",
        choices: "[A] always>",
        yes: "a",
        leave: "q leave",
    },
    ScreenshotScript {
        language: "fr",
        story: FRENCH,
        says: ["Crée une zone pour ma santé, s’il te plaît.", "Et une pour mon sommeil."],
        made: "est créée.",
        prompt: "vous>",
        choices: "[A] toujours>",
        yes: "a",
        leave: "q quitter",
    },
];

#[test]
#[ignore = "writes docs/screens: run docs/screens/make"]
fn screens_are_drawn() {
    for columns in [80, 52] {
        for talk in &TALKS {
            draw_talk(talk, columns);
        }
        let stage = CliFixture::with_config("");
        let mut demo = PseudoTerminal::open(&stage, columns, &["demo", "--auto"]);
        assert_eq!(demo.ends(), 0);
        save(&mut demo, &format!("demo-{columns}"), "");
        for language in ["en", "fr"] {
            let variables = [("ENTRACTE_LANGUAGE", language)];
            let mut help = PseudoTerminal::open_with(&stage, columns, &["--help"], &variables);
            assert_eq!(help.ends(), 0);
            save(&mut help, &format!("help-{language}-{columns}"), "");
        }
    }
}

/// A chat with an approval, and the lists while a second one waits.
fn draw_talk(talk: &ScreenshotScript, columns: u16) {
    let stage = CliFixture::with_script(talk.story);
    stage.run(&["workspace", "create", "local:main", "--language", talk.language]).expect(0);
    let mut chat = PseudoTerminal::open(&stage, columns, &["chat", "--require-approval", "--name", "House"]);
    chat.until_prompt(talk.prompt);
    chat.type_line(talk.says[0]);
    chat.until_keys(talk.choices);
    chat.type_line(talk.yes);
    chat.until(talk.made);
    chat.until_prompt(talk.prompt);
    let list = stage.run(&["--json", "session", "list"]).expect(0).json();
    let session = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let name = |what: &str| format!("{what}-{}-{columns}", talk.language);
    save(&mut chat, &name("chat"), &session);
    chat.type_line(talk.says[1]);
    chat.until_keys(talk.choices);
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 3);
    let mut walk = PseudoTerminal::open(&stage, columns, &["inbox"]);
    walk.until(talk.leave);
    save(&mut walk, &name("inbox"), &session);
    walk.types("q");
    assert_eq!(walk.ends(), 0);
    for (what, arguments) in [
        ("inbox-list", vec!["inbox", "--list"]),
        ("session-list", vec!["session", "list"]),
        ("session-show", vec!["session", "show", session.as_str()]),
    ] {
        let mut shown = PseudoTerminal::open(&stage, columns, &arguments);
        assert_eq!(shown.ends(), 0, "{what}");
        save(&mut shown, &name(what), &session);
    }
}

/// Writes the content of a screen, including scrolled rows.
fn save(terminal: &mut PseudoTerminal, name: &str, session: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/screens");
    std::fs::create_dir_all(&folder).unwrap();
    let (columns, rows) = terminal.cells();
    let stem = session.trim_start_matches("ses_");
    std::fs::write(folder.join(format!("{name}.svg")), svg(columns, &rows, stem)).unwrap();
}

fn svg(columns: usize, rows: &[Vec<TerminalCell>], stem: &str) -> String {
    let (width, height) = (columns * CELL_WIDTH + 2 * MARGIN, rows.len() * CELL_HEIGHT + 2 * MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#1b1d23\"/>\n\
         <g style=\"white-space:pre\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13\" fill=\"#d7dae0\" xml:space=\"preserve\">\n"
    );
    for (index, row) in rows.iter().enumerate() {
        let y = MARGIN + (index + 1) * CELL_HEIGHT - 4;
        let mut at = 0;
        while at < row.len() {
            let style = row[at].style.clone();
            let run: Vec<&TerminalCell> = row[at..].iter().take_while(|cell| cell.style == style).collect();
            let said: String = run.iter().map(|cell| cell.text.as_str()).collect();
            // Blanks are left out, because a renderer may drop them too and stretch the rest.
            let mut from = 0;
            for piece in said.split("  ") {
                let words = piece.trim();
                if !words.is_empty() {
                    let before = piece.chars().count() - piece.trim_start().chars().count();
                    let x = MARGIN + (at + from + before) * CELL_WIDTH;
                    let length = words.chars().count() * CELL_WIDTH;
                    let words =
                        escaped(&if stem.is_empty() { words.to_owned() } else { words.replace(stem, STEM) });
                    writeln!(text, "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\"{style}>{words}</text>")
                        .unwrap();
                }
                from += piece.chars().count() + 2;
            }
            at += run.len();
        }
    }
    text.push_str("</g>\n</svg>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
