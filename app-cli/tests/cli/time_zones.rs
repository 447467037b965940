//! Times are shown on the clock of the workspace, with the name of its zone.

use crate::cli_fixture::CliFixture;

/// Times of day in a text without a following zone name.
fn times_without_zone(text: &str) -> Vec<String> {
    let is_time = |word: &&str| {
        let parts: Vec<&str> = word.split(':').collect();
        let digits = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        (2..=3).contains(&parts.len()) && parts.iter().all(digits)
    };
    let clean = |word: &str| word.trim_end_matches([',', '.', ')', ':']).to_owned();
    text.lines()
        .flat_map(|line| {
            let words: Vec<String> = line.split_whitespace().map(clean).collect();
            let unnamed = words.windows(2).filter(|pair| is_time(&pair[0].as_str()) && pair[1] != "IST");
            let last = words.last().filter(|word| is_time(&word.as_str())).cloned();
            unnamed.map(|pair| pair.join(" ")).chain(last).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_instant_names_its_zone() {
    let stage = CliFixture::with_script(
        r#"
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "post_text": "Made.", "validation_request": true}'''
"#,
    );
    // A zone of no machine of the project, whose minutes differ from those of UTC.
    stage.run(&["workspace", "create", "local:main", "--zone", "Asia/Kolkata"]).expect(0);
    let session = stage.send_in_new_session("Make a zone", 3);
    stage.run(&["automation", "create", "Late", "--at", "2099-01-01T09:00", "--message", "Go"]).expect(0);
    let before = stage.run(&["inbox"]).expect(0);
    let approval =
        stage.run(&["--json", "inbox"]).expect(0).json()["items"][0]["id"].as_str().unwrap().to_owned();
    stage.run(&["approve", &approval, "--always", "--for", "30d"]).expect(0);
    let call = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    let call = call["calls"][0]["id"].as_str().unwrap().to_owned();
    let looks: &[&[&str]] = &[
        &["session", "list"],
        &["session", "show", &session],
        &["session", "messages", &session],
        &["session", "journal", &session],
        &["session", "calls", &session, &call],
        &["workspace", "list"],
        &["automation", "list"],
        &["automation", "show", "Late"],
        &["rule", "list"],
    ];
    for look in looks {
        let shown = stage.run(look).expect(0).out;
        assert_eq!(times_without_zone(&shown), Vec::<String>::new(), "{look:?}\n{shown}");
        assert!(shown.contains(" IST"), "{look:?} shows a time\n{shown}");
    }
    assert!(before.out.contains(" IST"), "{}", before.out);
    assert_eq!(times_without_zone(&before.out), Vec::<String>::new(), "{}", before.out);
    let listed = stage.run(&["automation", "list"]).expect(0).out;
    assert!(listed.contains("2099-01-01 09:00 IST"), "read and shown on the same clock\n{listed}");
    // Output for scripts has an offset.
    let row = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    let at = row["created_at"].as_str().unwrap();
    assert!(at.ends_with('Z'), "{at}");
}

/// Input: wrong time zones for a new workspace, a setting and an automation; expected: each error names the zone that was
/// probably meant, in the language of the person; none for one that resembles no zone.
#[test]
fn wrong_zone_is_refused_with_a_guess() {
    let stage = CliFixture::with_script("");
    let created = stage.run(&["workspace", "create", "local:main", "--zone", "Paris"]).expect(2);
    assert!(created.err.contains("did you mean Europe/Paris?"), "{}", created.err);
    stage.run(&["workspace", "create", "local:main"]).expect(0);
    let set = stage.run(&["workspace", "settings", "set", "zone=Europe/Pari"]).expect(2);
    assert!(set.err.contains("did you mean Europe/Paris?"), "{}", set.err);
    let automation = ["automation", "create", "Morning", "--cron", "0 9 * * *", "--message", "Go", "--zone"];
    let create = |zone: &'static str| stage.run(&[&automation[..], &[zone]].concat()).expect(2).err;
    let told = create("new york");
    assert!(
        told.contains("“new york” is not a valid IANA time zone; did you mean America/New_York?"),
        "{told}"
    );
    let far = create("Mars");
    assert!(far.contains("write one like Europe/Paris"), "{far}");
    stage.run(&["workspace", "settings", "set", "language=fr"]).expect(0);
    let french = create("Tokio");
    assert!(french.contains("vouliez-vous dire Asia/Tokyo\u{a0}?"), "{french}");
}

/// Input: abbreviations in place of zones, for a new workspace, a setting and an automation; expected: the error names the
/// zones that each stands for, and none where it stands for none that is known.
#[test]
fn abbreviated_zone_names_its_candidates() {
    let stage = CliFixture::with_script("");
    let created = stage.run(&["workspace", "create", "local:main", "--zone", "BST"]).expect(2);
    assert!(created.err.contains("did you mean Europe/London, Asia/Dhaka?"), "{}", created.err);
    stage.run(&["workspace", "create", "local:main"]).expect(0);
    let set = stage.run(&["workspace", "settings", "set", "zone=CEST"]).expect(2);
    assert!(set.err.contains("did you mean Europe/Paris, Europe/Berlin?"), "{}", set.err);
    let automation = ["automation", "create", "Morning", "--cron", "0 9 * * *", "--message", "Go", "--zone"];
    let create = |zone: &'static str| stage.run(&[&automation[..], &[zone]].concat()).expect(2).err;
    let told = create("PST");
    assert!(told.contains("did you mean America/Los_Angeles, Asia/Manila?"), "{told}");
    let unknown = create("ADT");
    assert!(
        unknown.contains("write one like Europe/Paris") && !unknown.contains("did you mean"),
        "{unknown}"
    );
}
