//! The rehearsed story: reads, local actions with leave, and one external action of each effect class.

/// The messages of the user, in order. The last two are sent one right after the other.
pub const MESSAGES: [&str; 3] =
    ["Set my diary up and tell the world.", "Write the weight down.", "And is all well?"];

/// What the model says, turn by turn. Any turn after these says [`LAST_WORDS`].
pub fn script() -> String {
    let turn = |envelope: &str| format!("[[turn]]\nenvelope = '''{envelope}'''\n\n");
    let mut script = String::new();
    script += &turn(
        r#"{"pre_text":"I look first.","queries":[{"type":"ZONES","params":{}},{"type":"OUTSIDE_READ","params":{}}]}"#,
    );
    script += &turn(
        r#"{"pre_text":"I make a zone.","actions":[{"type":"CREATE_ZONE","params":{"name":"Health"}}],"keep_control":true}"#,
    );
    script += &turn(
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once"}},{"type":"OUTSIDE_NOTE_KEYED","params":{"text":"keyed"}},{"type":"OUTSIDE_NOTE_PROBED","params":{"text":"probed"}}]}"#,
    );
    for n in 1..=3 {
        script += &turn(&format!(
            r#"{{"pre_text":"Again {n}.","keep_control":true,"actions":[{{"type":"OUTSIDE_NOTE","params":{{"text":"once {n}"}}}}]}}"#
        ));
    }
    script += &turn(r#"{"pre_text":"I look again.","queries":[{"type":"APP_STATE","params":{}}]}"#);
    for _ in 0..24 {
        script += &turn(&format!(r#"{{"pre_text":"{LAST_WORDS}"}}"#));
    }
    script
}

/// What the model says when there is nothing left to do.
pub const LAST_WORDS: &str = "All is done.";
