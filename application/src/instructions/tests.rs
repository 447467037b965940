use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::session::{SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

use super::*;

#[test]
fn a_text_is_kept_as_lines() {
    let cases: [(&str, Result<&str, Misfit>); 8] = [
        ("You are Fernando.", Ok("You are Fernando.")),
        ("\u{feff}# Persona\r\n\r\nWarm.\r\n", Ok("# Persona\n\nWarm.")),
        ("\n \n    indented code\n", Ok("    indented code")),
        ("a\rb", Ok("a\nb")),
        ("", Err(Misfit::Empty)),
        (" \n\t\n", Err(Misfit::Empty)),
        ("one\ntwo\0", Err(Misfit::Control { line: 2, found: '\0' })),
        ("\u{1b}[2J", Err(Misfit::Control { line: 1, found: '\u{1b}' })),
    ];
    for (given, expected) in cases {
        assert_eq!(fit(given, 1_000).as_deref(), expected.as_ref().map(|text| *text), "{given:?}");
    }
}

#[test]
fn a_text_has_at_most_so_many_bytes() {
    assert_eq!(fit("héé\n", 5).as_deref(), Ok("héé"));
    assert_eq!(fit("héé", 4), Err(Misfit::TooLong { bytes: 5, most: 4 }));
}

#[test]
fn a_session_reads_what_is_about_it_the_narrowest_last() {
    let id = SessionId::new("ses_1");
    let of = |kind| SessionFacts::new(id.clone(), WorkspaceKey::new("ann:home"), kind, Timestamp(0));
    let own = || Scope::Session(id.clone());
    let run = SessionFacts { automation: Some("aut_1".into()), ..of(SessionKind::Automation) };
    let automation = Scope::Automation(AutomationId::new("aut_1"));
    assert_eq!(Scope::of_session(&of(SessionKind::Chat)), [Scope::Workspace, own()]);
    assert_eq!(Scope::of_session(&run), [Scope::Workspace, automation.clone(), own()]);
    // An agent is told the rest by its declaration.
    assert_eq!(Scope::of_session(&of(SessionKind::Agent)), [Scope::Workspace]);
    assert_eq!(Scope::of_session(&of(SessionKind::Seed)), []);
    assert_eq!(Scope::of_run(Some("aut_1")), [Scope::Workspace, automation]);
}

#[test]
fn scopes_and_sources_come_back_from_their_texts() {
    let scopes = [
        Scope::Workspace,
        Scope::Automation(AutomationId::new("aut_1")),
        Scope::Session(SessionId::new("ses_1")),
    ];
    for scope in scopes {
        assert_eq!(Scope::of(scope.kind(), scope.target()), Some(scope));
    }
    assert_eq!(Scope::of("agent", "x"), None);
    let sources = [Source::Written, Source::File("a:b.md".into()), Source::Copy(SessionId::new("ses_1"))];
    for source in sources {
        assert_eq!(Source::read(&source.text()), Some(source));
    }
    assert_eq!([Source::read("model"), Source::read("url:x")], [None, None]);
}
