//! `docs/TRANSITIONS.md`, made of the table, and what holds for all of its rows.

use std::fmt::Write as _;

use super::*;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/TRANSITIONS.md");

const BEGINNING: &str = "\
# Transitions

Look up here whether a session applies an input in a phase, and why it ignores it otherwise. An ignored input changes
nothing and is not journaled; late and duplicate inputs are among them. The page is made of the table that the state
machine runs, [`table.rs`](../domain/src/session/transition/table.rs). After a change there, write it again:

```sh
ENTRACTE_WRITE_TRANSITIONS=1 cargo test -p entracte-domain transition_table_is_data
```

What a session does with an input that it applies is in the file of the input, `on_*.rs` in the same folder.
";

/// Compares the page with the table, so that both say the same.
#[test]
fn transition_table_is_data() {
    if std::env::var_os("ENTRACTE_WRITE_TRANSITIONS").is_some() {
        std::fs::write(PAGE, page()).unwrap();
    }
    let committed = std::fs::read_to_string(PAGE).unwrap();
    assert!(committed == page(), "docs/TRANSITIONS.md is not the table; write it again");
}

#[test]
fn every_pair_has_an_unconditional_row() {
    for (input, phase) in pairs() {
        let last = rows_of(input, phase).last().unwrap();
        assert_eq!(last.condition, TransitionCondition::Always, "{input:?} {phase:?}");
    }
}

#[test]
fn every_row_decides_some_pair() {
    for rule in 0..TRANSITIONS.len() {
        let decides = pairs().any(|(input, phase)| rules_of(input, phase).any(|other| other == rule));
        assert!(decides, "rule {} is never reached", rule + 1);
    }
}

#[test]
fn every_condition_stands_in_a_row() {
    for condition in TransitionCondition::ALL {
        assert!(TRANSITIONS.iter().any(|row| row.condition == *condition), "{condition:?}");
    }
}

/// Every pair of an input and a phase.
fn pairs() -> impl Iterator<Item = (InputKind, PhaseKind)> {
    InputKind::ALL.into_iter().flat_map(|input| PhaseKind::ALL.into_iter().map(move |phase| (input, phase)))
}

/// The rows that may decide a pair: those that name it, up to the first one without a condition.
fn rows_of(input: InputKind, phase: PhaseKind) -> impl Iterator<Item = &'static TransitionRow> {
    rules_of(input, phase).map(|rule| &TRANSITIONS[rule])
}

/// The positions of those rows. A row has no address of its own: the table is a constant.
fn rules_of(input: InputKind, phase: PhaseKind) -> impl Iterator<Item = usize> {
    let mut decided = false;
    let names = move |rule: &usize| {
        let row = &TRANSITIONS[*rule];
        row.inputs.contains(input) && row.phases.contains(phase)
    };
    (0..TRANSITIONS.len()).filter(names).take_while(move |rule| {
        !std::mem::replace(&mut decided, TRANSITIONS[*rule].condition == TransitionCondition::Always)
    })
}

fn page() -> String {
    let mut page = BEGINNING.to_owned();
    write_answers(&mut page);
    write_overview(&mut page);
    write_rules(&mut page);
    page
}

fn write_answers(page: &mut String) {
    page.push_str("\n## Answers\n\n| code | answer | meaning |\n|---|---|---|\n");
    for answer in answers() {
        let (code, name, meaning) = describe(answer);
        writeln!(page, "| {code} | {name} | {meaning} |").unwrap();
    }
}

fn write_overview(page: &mut String) {
    page.push_str("\n## Inputs and phases\n\n");
    page.push_str(
        "Each cell has the codes of the possible answers, in the order in which their conditions are checked. A seed is \
         never run (X): it applies only the inputs that rule 3 leaves out.\n\n",
    );
    let phases = PhaseKind::ALL.map(|phase| phase.word().replace('_', " ")).join(" | ");
    writeln!(page, "| input | {phases} |\n|---|{}", ":-:|".repeat(PhaseKind::ALL.len())).unwrap();
    for input in InputKind::ALL {
        let cells = PhaseKind::ALL.map(|phase| {
            let mut codes: Vec<&str> = rows_of(input, phase)
                .filter(|row| row.condition != TransitionCondition::SessionIsSeed)
                .map(|row| describe(row.answer).0)
                .collect();
            codes.dedup();
            codes.join(" ")
        });
        writeln!(page, "| {} | {} |", input.word(), cells.join(" | ")).unwrap();
    }
}

fn write_rules(page: &mut String) {
    page.push_str("\n## Rules\n\n");
    page.push_str(
        "The first rule that names the input and the phase, and whose condition holds, gives the answer.\n\n",
    );
    page.push_str("| rule | input | phase | condition | answer |\n|--:|---|---|---|---|\n");
    for (at, row) in TRANSITIONS.iter().enumerate() {
        let inputs = names(&InputKind::ALL, |kind| row.inputs.contains(*kind), |kind| kind.word());
        let phases = names(&PhaseKind::ALL, |kind| row.phases.contains(*kind), |kind| kind.word());
        let is_last = row.condition == TransitionCondition::Always && row.phases == ANY;
        let sentence = if is_last { "Otherwise." } else { row.condition.sentence() };
        let condition = sentence.trim().trim_end_matches('.');
        let answer = describe(row.answer).1;
        writeln!(page, "| {} | {inputs} | {phases} | {condition} | {answer} |", at + 1).unwrap();
    }
}

/// The names of the members of a set, or of those that are missing if these are fewer.
fn names<T>(all: &[T], has: impl Fn(&T) -> bool, name: impl Fn(&T) -> &'static str) -> String {
    let list =
        |wanted: bool| -> Vec<&str> { all.iter().filter(|one| has(one) == wanted).map(&name).collect() };
    match (list(true), list(false)) {
        (_, missing) if missing.is_empty() => "any".to_owned(),
        (members, missing) if missing.len() < members.len() => format!("any but {}", missing.join(", ")),
        (members, _) => members.join(", "),
    }
}

/// Every answer of the table, once, in the order of its rows.
fn answers() -> Vec<TransitionAnswer> {
    let mut answers = vec![TransitionAnswer::Apply];
    for row in TRANSITIONS {
        if !answers.iter().any(|known| describe(*known).0 == describe(row.answer).0) {
            answers.push(row.answer);
        }
    }
    answers
}

/// The code, the name and the meaning of an answer.
fn describe(answer: TransitionAnswer) -> (&'static str, &'static str, &'static str) {
    let why = match answer {
        TransitionAnswer::Apply => {
            return ("A", "applied", "The handler of the input runs; the input is journaled.");
        }
        TransitionAnswer::Ignore(why) => why,
    };
    match why {
        Stale => ("S", "stale", "It belongs to a round, an attempt, a call or a task that is over."),
        Duplicate => ("D", "duplicate", "It was accepted before with the same content."),
        Conflict => ("C", "conflict", "It contradicts the first answer, which counts."),
        NotApplicable => ("N", "not applicable", "It does not apply to the current state."),
        NotDue => ("W", "not due", "No deadline is due."),
        Ended => ("E", "ended", "The session has ended."),
        QueueFull => ("Q", "queue full", "The maximum number of messages is queued."),
        NeverRun => ("X", "never run", "A seed is never run."),
        FourEyes(_) => ("F", "four eyes", "Another person must approve."),
    }
}
