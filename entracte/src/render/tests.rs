//! Golden lines of entries, with and without colour, cut and whole.

use entracte_adapters_http::shapes::card::{CardShape, InboxShape};
use entracte_application::journal::JournalEntry;
use entracte_application::json_value;
use entracte_application::ports::ActionDescription;
use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{ApprovalView, LocalizedReason};
use entracte_domain::call::{Call, CallFailure, CallOutcome, CallState, CallStatus};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::message::{
    AiMessage, Author, Message, MessageBody, SystemKind, SystemMessage, UserMessage,
};
use entracte_domain::question::Question;
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{
    AiResponse, CallLookup, FormatFault, Input, JournalNote, LogAppend, ReplyEnd, RequestedCall, RoundReason,
    Slot, UserMessageSent,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{
    ArgumentCondition, Decision, DecisionVerdict, ExchangePrincipal, ValidationLevel,
};
use entracte_domain::value::JsonValue;
use jiff::tz::TimeZone;
use serde_json::json;

use super::approval::{self, RenderedCard};
use super::entry::EntryRenderer;
use super::transcript::{TranscriptPart, TranscriptViewer, entry_parts};
use crate::output::OutputStyle;

const NOON: Timestamp = Timestamp(1_700_000_000_000_000);

fn command() -> Command {
    Command { name: "zones.create".into(), arguments: JsonValue::from([("name", JsonValue::from("Health"))]) }
}

fn call_id() -> CallId {
    CallId::new("cal_abc_4_0")
}

fn reply(faults: Vec<FormatFault>) -> Input {
    let asked = RequestedCall {
        provider_call_id: None,
        command: command(),
        command_id: Digest::new("d"),
        kind: CommandKind::Action,
        lookup: CallLookup::Refused {
            status: CallStatus::Forbidden,
            message: String::new(),
            path: None,
            shows: None,
        },
    };
    let calls = if faults.is_empty() { vec![asked] } else { Vec::new() };
    let message = AiMessage {
        pre_text: "I make it.\nAt \u{1b}[2Jonce.".into(),
        original: "{\"pre_txt\": 1}".into(),
        question: Some(Question::Validation { message: "Shall I?".into() }),
        ..AiMessage::default()
    };
    Input::AiResponseReceived(Box::new(AiResponse {
        round: 1,
        attempt: 1,
        message,
        end: ReplyEnd::Done,
        asks_at_limit: true,
        faults,
        calls,
        usage: None,
        request: None,
        handle: None,
    }))
}

fn limit() -> LogAppend {
    let summary = "Limit reached: 25 rounds (limits.rounds = 25).".to_owned();
    let system = SystemMessage {
        kind: SystemKind::LimitReached,
        results: Vec::new(),
        summary: summary.into(),
        formatted_data: None,
    };
    LogAppend::Message(Box::new(Message {
        id: SessionId::new("ses_abc").message_id(5, 1),
        at: NOON,
        author: Author::System,
        body: MessageBody::System(system),
        exclude_from_prompt: false,
    }))
}

fn failure() -> ModelFailure {
    ModelFailure {
        class: FailureClass::Throttled,
        message: "stage: come back in 3 s".into(),
        retry_after: Some(Millis(3000)),
        jitter: Millis(0),
        found_by_start: None,
        instead: None,
    }
}

fn inputs() -> Vec<Input> {
    let failed =
        CallFailure { code: "ZONE_GONE".into(), message: "no zone z1".into(), path: None, retryable: false };
    let fault = FormatFault { code: "unknown_field".into(), place: None, text: "pre_txt is no field".into() };
    let finished = |outcome| Input::CallFinished { call: call_id(), attempt: 1, outcome };
    let decide = |verdict| Input::ValidationReceived {
        author: "ann".into(),
        decisions: vec![Decision { call: call_id(), card: None, verdict, rule: None }],
    };
    vec![
        Input::UserMessageSent(UserMessageSent {
            author: "ann".into(),
            message: UserMessage::text("Make a zone\n\tnow"),
            client_key: None,
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }),
        Input::StandingChanged { slot: Slot::Held },
        reply(Vec::new()),
        reply(vec![fault]),
        decide(DecisionVerdict::Approve { edited: None }),
        decide(DecisionVerdict::Reject { reason: Some("not now".into()) }),
        finished(CallOutcome::Succeeded {
            content: "{\"id\":\"z1\"}".into(),
            digest: Digest::new("d"),
            files: Vec::new(),
        }),
        finished(CallOutcome::Failed(failed)),
        finished(CallOutcome::Lost { found_by_start: Some(NOON), lands_by: None }),
        Input::ProviderErrorOccurred { round: 1, attempt: 2, failure: failure(), usage: None },
        Input::RoundInterrupted { author: "bob".into(), reply: None },
        Input::TimeReached,
    ]
}

fn entries() -> Vec<JournalEntry> {
    let entry = |(index, input): (usize, Input)| JournalEntry {
        seq: index as u64 + 1,
        session: SessionId::new("ses_abc"),
        sequence: index as u64 + 1,
        at: NOON.plus(Millis(index as i64 * 1500)),
        rules: Digest::new("r"),
        input,
        appended: match index {
            0 => vec![LogAppend::Note(JournalNote::RoundStarted {
                round: 1,
                reason: RoundReason::UserMessage,
                closing: false,
                words_only: false,
            })],
            9 => vec![limit()],
            _ => Vec::new(),
        },
    };
    inputs().into_iter().enumerate().map(entry).collect()
}

fn english() -> &'static LocalizedTexts {
    LocalizedTexts::for_language(Language::En)
}

fn draw(style: OutputStyle) -> String {
    let lines = EntryRenderer { style, zone: TimeZone::UTC, texts: english() };
    entries().iter().map(|entry| lines.draw(entry)).collect::<Vec<_>>().join("\n")
}

#[test]
fn entry_is_rendered_as_line() {
    insta::assert_snapshot!("whole", draw(OutputStyle::default()));
    insta::assert_snapshot!("cut", draw(OutputStyle { colour: false, width: Some(80) }));
    let colour = draw(OutputStyle { colour: true, width: Some(100) });
    insta::assert_snapshot!("colour", colour.replace('\u{1b}', "␛"));
    for width in [80, 52] {
        let fits = |line: &str| line.chars().count() <= width;
        assert!(draw(OutputStyle { colour: false, width: Some(width) }).lines().all(fits), "{width}");
    }
    // On a narrow terminal the details are below the name.
    let narrow = draw(OutputStyle { colour: false, width: Some(52) });
    let sent = narrow.lines().skip_while(|line| !line.ends_with("UserMessageSent")).nth(1).unwrap();
    assert!(sent.starts_with("       ") && sent.trim().len() > 3, "{narrow}");
}

#[test]
fn chat_shows_events_beside_messages() {
    let shown: Vec<String> = entries()
        .iter()
        .map(|entry| {
            format!(
                "{:?}",
                entry_parts(entry, &TranscriptViewer::default(), OutputStyle::default(), english())
            )
        })
        .collect();
    insta::assert_snapshot!("talk", shown.join("\n"));
}

fn texts_of(approval: &ApprovalView) -> &'static LocalizedTexts {
    LocalizedTexts::for_language(approval.language)
}

fn card(approval: &ApprovalView, colour: bool, zone: &TimeZone) -> RenderedCard {
    approval::card(&approval.into(), texts_of(approval), colour, zone)
}

fn hidden_part_count(approval: &ApprovalView) -> usize {
    approval::hidden_part_count(&approval.into(), texts_of(approval))
}

fn full_card_lines(approval: &ApprovalView) -> Vec<String> {
    approval::full_card_lines(&approval.into(), texts_of(approval))
}

fn width(approval: &ApprovalView, in_session: bool, agents: bool, lasts: Millis) -> Option<String> {
    super::rule::width(&approval.into(), texts_of(approval), in_session, agents, lasts)
}

fn approval() -> ApprovalView {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    ApprovalView {
        id: call_id().approval_id(),
        digest: Some(Digest::new("d")),
        is_changed: false,
        starts_after: Vec::new(),
        call: Call {
            id: call_id(),
            provider_call_id: None,
            command: command(),
            command_id: Digest::new("d"),
            kind: CommandKind::Action,
            terms: None,
            reasons: Vec::new(),
            card: None,
            policy: None,
            asked_by: ExchangePrincipal::default(),
            withdrawn: 0,
            approvals: Vec::new(),
            state: CallState::WaitingDecision,
            attempt: 0,
            requested_at: NOON,
            exchange: 1,
            first_started_at: None,
        },
        description: ActionDescription {
            says: "Update the zone “Health”".into(),
            before: vec![pair("name", "Health"), pair("kept", "same"), pair("note", "old \u{202e}")],
            after: vec![pair("name", "Fitness"), pair("kept", "same"), pair("new", "yes")],
            warnings: vec!["it no longer needs approval".into()],
        },
        reasons: vec![LocalizedReason {
            level: ValidationLevel::Container,
            text: "the zone “Health” asks".into(),
        }],
        always: None,
        widths: Vec::new(),
        approved_before: 0,
        expires_at: NOON,
        chain: Vec::new(),
        language: Language::En,
    }
}

/// Input: arguments with digits that no machine number holds; expected: `--json` prints them all, of an approval that
/// this process reads and of one that a server answered.
#[test]
fn approval_json_keeps_digits() {
    let mut approval = approval();
    let amounts = r#"{"b":100.00000000000000000001,"a":72.50}"#;
    approval.call.command.arguments = json_value::parse(amounts).unwrap();
    let printed = serde_json::to_string(&CardShape::from(&approval)).unwrap();
    assert!(printed.contains(r#""arguments":{"a":72.50,"b":100.00000000000000000001},"#), "{printed}");
    assert!(
        printed.contains(r#""arguments_text":"{\"b\":100.00000000000000000001,\"a\":72.50}""#),
        "{printed}"
    );
    let item = serde_json::to_string(&InboxShape::Approval(Box::new(CardShape::from(&approval)))).unwrap();
    let read: InboxShape = serde_json::from_str(&item).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), item);
}

#[test]
fn standing_approval_shows_width_before_decision() {
    let day = Millis::hours(24);
    let mut approval = approval();
    assert_eq!(width(&approval, false, false, day), None, "what cannot be undone is asked for each time");
    approval.call.command.name = "bank.pay".into();
    let of = |names: &[&str]| {
        let any = names.iter().map(|name| ((*name).to_owned(), ArgumentCondition::Any));
        let is = ArgumentCondition::Is(JsonValue::from("FR76"));
        Some(std::iter::once(("to".to_owned(), is)).chain(any).collect())
    };
    approval.always = of(&[]);
    assert_eq!(
        width(&approval, false, false, day).unwrap(),
        "  Always: later calls of bank.pay need no approval with exactly these arguments; in every session of the workspace; for 1 day after the decision; any number of times"
    );
    approval.always = of(&["amount"]);
    let shown = width(&approval, false, true, day).unwrap();
    assert!(shown.contains("in every session of the workspace, and for agents too"), "{shown}");
    let shown = width(&approval, true, false, day).unwrap();
    assert!(shown.contains("with any amount and all else exactly as here; in this session only;"), "{shown}");
    approval.always = of(&["a", "b", "c", "d\u{200b}", "e"]);
    let shown = width(&approval, false, false, day).unwrap();
    assert!(shown.contains("with any a, b, c, d⟨U+200B⟩, e and all else"), "{shown}");
    approval.language = Language::Fr;
    let shown = width(&approval, false, false, day).unwrap();
    assert!(shown.contains("quels que soient a, b, c, d⟨U+200B⟩, e"), "{shown}");
}

#[test]
fn an_approval_shows_before_and_after() {
    insta::assert_snapshot!("approval", card(&approval(), false, &TimeZone::UTC).text);
    insta::assert_snapshot!(
        "approval_colour",
        card(&approval(), true, &TimeZone::UTC).text.replace('\u{1b}', "␛")
    );
    let options = vec!["red".to_owned(), "blue\n".to_owned()];
    let asked = Question::MultipleChoice { question: "Which?".into(), options, allow_other: true };
    insta::assert_snapshot!("question", approval::question(&(&asked).into(), false, english()));
}

/// Input: a card with more fields, reasons and warnings than fit on a screen; expected: each part says how many of
/// how many are hidden and where to read them, and the full card contains them.
#[test]
fn left_out_card_parts_are_counted_and_readable() {
    let tool = |number: u32| format!("tool “{}{number:02}”, entries: none", "Diary ".repeat(20));
    let mut approval = approval();
    approval.call.command.name = "zones.delete".into();
    approval.description = ActionDescription {
        says: "Delete the zone “Health”".into(),
        before: (1..=12).map(|number| (format!("tool_x_{number}_0"), tool(number))).collect(),
        after: Vec::new(),
        warnings: (1..=4).map(|number| format!("look {number} times")).collect(),
    };
    let shown = card(&approval, false, &TimeZone::UTC).text;
    assert!(shown.contains("\n    8 of 12 not shown here\n"), "{shown}");
    assert!(hidden_part_count(&approval) > 8, "{}", hidden_part_count(&approval));
    let call = approval.call.id.as_str();
    let rest = shown.lines().find(|line| line.starts_with("    1 of 5 not shown here; see all: ")).unwrap();
    assert!(rest.contains("entracte session calls ses_") && rest.ends_with(call), "{shown}");
    let whole = full_card_lines(&approval);
    for number in 1..=12 {
        assert!(whole.contains(&format!("  - tool_x_{number}_0: {}", tool(number))), "{whole:?}");
    }
    for part in ["the zone “Health” asks", "look 1 times", "look 4 times"] {
        assert!(whole.iter().any(|line| line.contains(part)), "{part}: {whole:?}");
    }
}

/// Input: a call that every level asks for, with more arguments, changes and warnings than a screen has room for;
/// expected: what it does, who may approve it and that the model asks are all on the screen, in this order, before what
/// the settings of people say.
#[test]
fn dangerous_reasons_are_never_collapsed() {
    let reason = |(level, text): (ValidationLevel, &str)| LocalizedReason { level, text: text.into() };
    let essential = [
        (ValidationLevel::Catalog, "this cannot be undone"),
        (ValidationLevel::Catalog, "this sends data out of the workspace"),
        (ValidationLevel::Catalog, "each call of this command needs its own approval"),
        (ValidationLevel::FourEyes, "another person than the one who asked must approve"),
        (ValidationLevel::AiRequest, "the model asks for it"),
    ];
    let others =
        [(ValidationLevel::App, "every action asks"), (ValidationLevel::Container, "the zone “Health” asks")];
    let mut approval = approval();
    approval.reasons = essential.into_iter().chain(others).map(reason).collect();
    let arguments = (0..40).map(|number| (format!("note{number}"), JsonValue::from("padding ".repeat(20))));
    approval.call.command.arguments = JsonValue::Object(arguments.collect());
    approval.description.after = (0..20).map(|number| (format!("f{number}"), "new ".repeat(50))).collect();
    approval.description.warnings = (0..9).map(|number| format!("look {number} times")).collect();
    let screen = on_screen(&approval);
    let shown = screen.join("\n");
    let lines: Vec<usize> = essential
        .iter()
        .map(|(_, text)| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}")))
        .collect();
    assert!(lines.is_sorted(), "{shown}");
    assert!(screen.len() <= 23, "{} lines:\n{shown}", screen.len());
    // Where only people ask, two of them are shown.
    approval.reasons =
        others.into_iter().chain([(ValidationLevel::Session, "this session asks")]).map(reason).collect();
    let shown = on_screen(&approval).join("\n");
    assert!(shown.contains("the zone “Health” asks") && !shown.contains("this session asks"), "{shown}");
}

/// Input: the card of a template, and a long address; expected: the target stands below the command, a folded one is
/// counted as hidden, and the full card has it whole. A card that says its own sentence has no such line.
#[test]
fn card_of_template_has_its_target() {
    let with_target = |target| CardShape { target, ..CardShape::from(&approval()) };
    let screen = |shown: &CardShape| approval::card(shown, english(), false, &TimeZone::UTC);
    let to = |url: &str| json!({ "method": "POST", "url": url, "card": "Pay {amount}" });
    let short = screen(&with_target(to("https://bank.example/pay")));
    assert!(short.text.contains("  zones.create\n  POST https://bank.example/pay\n"), "{}", short.text);
    assert_eq!(short.hidden, 0);
    let address = format!("https://bank.example/{}", "x".repeat(200));
    let long = with_target(to(&address));
    assert_eq!(screen(&long).hidden, 1);
    assert!(approval::full_card_lines(&long, english()).contains(&format!("  POST {address}")));
    let own = with_target(json!({ "method": "POST", "url": "https://bank.example/pay" }));
    assert_eq!(screen(&own).text, screen(&with_target(json!(null))).text);
}

/// Inputs: a card with short values, with a value of two lines, with one of many, and with a word of two alphabets;
/// expected: the screen shows the first two in full, and counts the hidden parts of the others.
#[test]
fn card_counts_hidden_parts() {
    let mut approval = approval();
    assert_eq!(hidden_part_count(&approval), 0, "{}", card(&approval, false, &TimeZone::UTC).text);
    approval.description.before = Vec::new();
    approval.description.after = vec![("text".into(), "x".repeat(100))];
    assert_eq!(hidden_part_count(&approval), 0, "{}", card(&approval, false, &TimeZone::UTC).text);
    approval.description.after.push(("more".into(), "x".repeat(2_000)));
    let shown = card(&approval, false, &TimeZone::UTC);
    assert!(shown.hidden >= 1 && shown.text.contains("not shown whole; see all: "), "{}", shown.text);
    approval.description.after.truncate(1);
    approval.call.command.arguments = JsonValue::from([("to", JsonValue::from("p\u{430}ypal"))]);
    let shown = card(&approval, false, &TimeZone::UTC);
    assert!(shown.hidden == 1 && shown.text.contains("“p\u{430}ypal” ⟨U+0430⟩"), "{}", shown.text);
}

/// Input: a warning longer than a line; expected: it is shown in full on several lines, and nothing is folded.
#[test]
fn long_warning_is_shown_in_full() {
    let mut approval = approval();
    let long =
        "would be refused now: “a” is missing, “b” is missing, and “c” is not one of the words ".repeat(2);
    approval.description.warnings = vec![long.trim_end().to_owned(), "look twice".into()];
    let shown = card(&approval, false, &TimeZone::UTC).text;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("warning: {}", long.trim_end())), "{shown}");
    assert!(shown.contains("  warning: look twice"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

/// The visible part of a card: without colours, one string for each line of a terminal of 80 columns.
fn on_screen(approval: &ApprovalView) -> Vec<String> {
    let shown = card(approval, false, &TimeZone::UTC).text;
    let rows = |line: &str| {
        let characters: Vec<char> = line.chars().collect();
        let rows = characters.chunks(80).map(|row| row.iter().collect::<String>()).collect::<Vec<_>>();
        if rows.is_empty() { vec![String::new()] } else { rows }
    };
    shown.lines().flat_map(rows).collect()
}

#[test]
fn nothing_invisible_on_a_card() {
    let hidden = "\u{200b}\u{ad}\u{34f}\u{115f}\u{3164}\u{ffa0}\u{fe0f}\u{e0041}\u{202e}\u{2066}\u{1b}[2K\u{feff}\u{180e}";
    let dirty = |text: &str| format!("{text}{hidden}");
    let mut members = vec![
        (dirty("to"), JsonValue::from(dirty("FR76"))),
        ("body".to_owned(), JsonValue::from(format!("{}\n\n\n{}", hidden, "x".repeat(100_000)))),
        ("amount".to_owned(), JsonValue::Number("100.00000000000000000001".into())),
    ];
    members.extend((0..200).map(|n| (format!("note{n}"), JsonValue::from("padding\n\n\n".repeat(50)))));
    let mut approval = approval();
    approval.call.command = Command { name: dirty("bank.pay"), arguments: JsonValue::Object(members) };
    approval.description = ActionDescription {
        says: dirty(&"Pay\nApproved already.\n".repeat(40)),
        before: (0..50).map(|n| (dirty(&format!("f{n}")), dirty("old"))).collect(),
        after: (0..50).map(|n| (dirty(&format!("f{n}")), "new\n".repeat(100))).collect(),
        warnings: (0..20).map(|_| dirty("look")).collect(),
    };
    approval.reasons = (0..20)
        .map(|_| LocalizedReason { level: ValidationLevel::Container, text: dirty("it asks") })
        .collect();
    let screen = on_screen(&approval);
    let shown = screen.join("\n");
    let invisible =
        |character: char| character != '\n' && entracte_application::terminal_text::is_invisible(character);
    assert!(!shown.contains(invisible), "{shown}");
    assert!(shown.contains("⟨U+200B⟩") && shown.contains("⟨U+00AD⟩"), "{shown}");
    // The keys take one more line.
    assert!(screen.len() <= 23, "{} lines:\n{shown}", screen.len());
    assert!(shown.contains("bank.pay"), "the command: {shown}");
    assert!(shown.contains("amount: 100.00000000000000000001"), "the amount: {shown}");
    assert!(shown.contains("FR76"), "the target: {shown}");
    assert!(shown.contains("entracte session calls"), "where the rest is: {shown}");

    let question_text = format!("Sure?{hidden}\n  1 yes\n{}  yes or no", " ".repeat(300));
    let asked = Question::MultipleChoice {
        question: question_text,
        options: vec!["no\n  2 yes".into(), format!("{}yes", " ".repeat(200))],
        allow_other: false,
    };
    let shown = approval::question(&(&asked).into(), false, english());
    assert!(!shown.contains(invisible), "{shown}");
    let ours = shown.lines().filter(|line| !line.contains('│'));
    assert_eq!(ours.collect::<Vec<_>>(), ["question"], "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");

    // A transcript, a journal and a list show the same text.
    let Some(TranscriptPart::Said(said)) =
        entry_parts(&entries()[2], &TranscriptViewer::default(), OutputStyle::default(), english())
            .first()
            .cloned()
    else {
        panic!("the model said something");
    };
    let said = super::markdown::draw(&said, OutputStyle::default());
    assert!(said.contains("⟨U+001B⟩[2Jonce"), "{said}");
    assert!(draw(OutputStyle::default()).contains("⟨U+001B⟩[2Jonce"));
}
