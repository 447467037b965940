use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::session::{SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

use super::*;

#[test]
fn text_is_normalized_to_lines() {
    let cases: [(&str, Result<&str, InstructionTextError>); 8] = [
        ("You are Fernando.", Ok("You are Fernando.")),
        ("\u{feff}# Persona\r\n\r\nWarm.\r\n", Ok("# Persona\n\nWarm.")),
        ("\n \n    indented code\n", Ok("    indented code")),
        ("a\rb", Ok("a\nb")),
        ("", Err(InstructionTextError::Empty)),
        (" \n\t\n", Err(InstructionTextError::Empty)),
        ("one\ntwo\0", Err(InstructionTextError::Control { line: 2, found: '\0' })),
        ("\u{1b}[2J", Err(InstructionTextError::Control { line: 1, found: '\u{1b}' })),
    ];
    for (given, expected) in cases {
        assert_eq!(
            normalize_instruction_text(given, 1_000).as_deref(),
            expected.as_ref().map(|text| *text),
            "{given:?}"
        );
    }
}

#[test]
fn text_above_maximum_is_refused() {
    assert_eq!(normalize_instruction_text("héé\n", 5).as_deref(), Ok("héé"));
    assert_eq!(
        normalize_instruction_text("héé", 4),
        Err(InstructionTextError::TooLong { bytes: 5, most: 4 })
    );
}

#[test]
fn session_reads_its_scopes_narrowest_last() {
    let id = SessionId::new("ses_1");
    let of = |kind| SessionFacts::new(id.clone(), WorkspaceKey::new("ann:home"), kind, Timestamp(0));
    let own = || InstructionScope::Session(id.clone());
    let run = SessionFacts { automation: Some("aut_1".into()), ..of(SessionKind::Automation) };
    let automation = InstructionScope::Automation(AutomationId::new("aut_1"));
    assert_eq!(
        InstructionScope::scopes_of_session(&of(SessionKind::Chat)),
        [InstructionScope::Workspace, own()]
    );
    assert_eq!(
        InstructionScope::scopes_of_session(&run),
        [InstructionScope::Workspace, automation.clone(), own()]
    );
    // The declaration of an agent replaces the other scopes.
    assert_eq!(InstructionScope::scopes_of_session(&of(SessionKind::Agent)), [InstructionScope::Workspace]);
    assert_eq!(InstructionScope::scopes_of_session(&of(SessionKind::Seed)), []);
    assert_eq!(InstructionScope::scopes_of_run(Some("aut_1")), [InstructionScope::Workspace, automation]);
}

#[test]
fn scopes_and_sources_round_trip_as_text() {
    let scopes = [
        InstructionScope::Workspace,
        InstructionScope::Automation(AutomationId::new("aut_1")),
        InstructionScope::Session(SessionId::new("ses_1")),
    ];
    for scope in scopes {
        assert_eq!(InstructionScope::from_kind_and_target(scope.kind(), scope.target()), Some(scope));
    }
    assert_eq!(InstructionScope::from_kind_and_target("agent", "x"), None);
    let sources = [
        InstructionSource::Written,
        InstructionSource::File("a:b.md".into()),
        InstructionSource::Copy(SessionId::new("ses_1")),
    ];
    for source in sources {
        assert_eq!(InstructionSource::read(&source.text()), Some(source));
    }
    assert_eq!([InstructionSource::read("model"), InstructionSource::read("url:x")], [None, None]);
}
