//! Files of messages and results, in both dialects.

use entracte_domain::command::CommandKind::Query;
use entracte_domain::file::FileReference;
use entracte_domain::id::Digest;
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{ContextSummary, Dialect, Input, Phase, SessionKind, SummaryMethod};

use super::fixture::{ProjectionFixture, call, said, style};
use super::legal::check_legal;
use crate::ports::{PromptTurn, UserTurnPart};
use crate::prompt::{Projection, RetentionBudget};

fn image(digest: &str) -> FileReference {
    FileReference {
        digest: Digest::new(digest),
        media_type: "image/png".into(),
        name: format!("{digest}.png"),
        bytes: 9,
        dimensions: None,
        pages: None,
        model_form: None,
    }
}

/// A chat with an image in its first message, and another in the result of the first of two calls.
fn story(dialect: Dialect) -> ProjectionFixture {
    let mut story = ProjectionFixture::new(SessionKind::Chat, dialect);
    let segments = vec![Segment::Text("Compare it.".into()), Segment::File(image("chart"))];
    story.send("ana", UserMessage { segments });
    let id = |id: &'static str| (dialect == Dialect::Tools).then_some(id);
    let calls = vec![call(id("c1"), Query, "page", false), call(id("c2"), Query, "title", false)];
    story.reply(said("I look."), calls);
    story.finish_with_files("shot taken", vec![image("shot")]);
    story.finish(Ok("Weights"));
    story.reply(said("They are alike."), Vec::new());
    story.say("ana", "Thank you.");
    story
}

/// The files that the model gets, in order, each with the call whose result it is in.
fn files(projection: &Projection) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for turn in projection.turns() {
        let PromptTurn::User(parts) = turn.as_ref() else { continue };
        for part in parts {
            match part {
                UserTurnPart::File(file) => found.push((file.digest.to_string(), None)),
                UserTurnPart::Result { provider_call_id, files, .. } => {
                    let call = Some(provider_call_id.clone());
                    found.extend(files.iter().map(|file| (file.digest.to_string(), call.clone())));
                }
                UserTurnPart::Text(_) | UserTurnPart::System(_) => {}
            }
        }
    }
    found
}

/// Input: images in a message and in a result; expected: every prefix of the log is legal, the files stand by what brought
/// them, and the text beside each names it.
#[test]
fn tool_result_images_keep_legal_order() {
    for (dialect, call) in [(Dialect::Envelope, None), (Dialect::Tools, Some("c1".to_owned()))] {
        let story = story(dialect);
        for count in 0..=story.entries.len() {
            let mut prefix = Projection::new(&style("Europe/Paris")).with_dialect(dialect);
            story.entries.iter().take(count).for_each(|entry| prefix.push(entry, None));
            check_legal(&prefix.turns());
        }
        assert_eq!(files(&story.projection), [("chart".to_owned(), None), ("shot".to_owned(), call)]);
        let shown = story.shown();
        for line in ["[chart.png: image/png, 9 bytes, chart]", "[shot.png: image/png, 9 bytes, shot]"] {
            assert_eq!(shown.matches(line).count(), 1, "{shown}");
        }
    }
}

/// Input: native calls, and then a model without them; expected: it gets the same files, behind the text of the results.
#[test]
fn files_stay_when_dialect_changes() {
    let mut story = story(Dialect::Tools);
    story.projection.change_dialect(Dialect::Envelope);
    let all = [("chart".to_owned(), None), ("shot".to_owned(), None)];
    assert_eq!(files(&story.projection), all);
    check_legal(&story.projection.turns());
}

/// Tokens of an image of unknown dimensions, by the formula for models whose formula is not known.
const IMAGE: u64 = 1_568;

/// Tells the machine that the open request is too large.
fn exceed(story: &mut ProjectionFixture, files_from: Option<u64>) {
    let round = story.phase.round().unwrap().clone();
    let (round, attempt, method) = (round.number, round.attempt, SummaryMethod::Patch);
    let input = Input::BudgetReached { round, attempt, size: 2, budget: 1, method, files_from };
    story.feed(input).unwrap();
}

/// Input: a request with images of two earlier rounds, and less and less room; expected: those before the last two turns
/// leave, then those before the last one, and if that is not enough none does.
#[test]
fn as_few_files_leave_as_are_enough() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let story = story(dialect);
        let size = story.projection.size().tokens;
        let replies: Vec<u64> = story
            .entries
            .iter()
            .filter(|entry| matches!(entry.input, Input::AiResponseReceived(_)))
            .map(|entry| entry.sequence)
            .collect();
        let cuts = [size, size - IMAGE, size - IMAGE - 1, size - 2 * IMAGE, size - 2 * IMAGE - 1]
            .map(|most| story.projection.select_file_cut(most));
        let [first, last] = [replies[0], replies[1]].map(Some);
        assert_eq!(cuts, [first, first, last, last, None]);
    }
}

/// Input: a request with two images of nine bytes, and less and less room for them; expected: none leaves, then the first,
/// then both, also if that is not enough.
#[test]
fn files_leave_for_their_bytes() {
    let story = story(Dialect::Tools);
    let replies: Vec<u64> = story
        .entries
        .iter()
        .filter(|entry| matches!(entry.input, Input::AiResponseReceived(_)))
        .map(|entry| entry.sequence)
        .collect();
    let cuts = [18, 17, 9, 8, 0].map(|most| story.projection.select_file_bytes_cut(most));
    let [first, last] = [replies[0], replies[1]].map(Some);
    assert_eq!(cuts, [None, first, first, last, last]);
}

/// Input: a request that is too large unless the image of the first round leaves; expected: the round goes on in a new
/// generation without it, a summary may still be made, the text names both images, and a replay gives the same turns.
#[test]
fn earlier_files_leave_and_stay_named() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let mut story = story(dialect);
        let (attempt, generation) = (story.phase.round().unwrap().attempt, story.facts.generation);
        let cut = story.projection.select_file_cut(u64::MAX);
        exceed(&mut story, cut);
        let Phase::CallingAi(round) = &story.phase else { panic!("{:?}", story.phase) };
        assert_eq!((round.attempt, round.compacted), (attempt + 1, false));
        assert_eq!(story.facts.generation, generation + 1);
        let left: Vec<String> = files(&story.projection).into_iter().map(|(digest, _)| digest).collect();
        assert_eq!(left, ["shot"]);
        let shown = story.shown();
        for line in ["[chart.png: image/png, 9 bytes, chart]", "[shot.png: image/png, 9 bytes, shot]"] {
            assert_eq!(shown.matches(line).count(), 1, "{shown}");
        }
        check_legal(&story.projection.turns());
        let mut again = Projection::new(&style("Europe/Paris")).with_dialect(dialect);
        story.entries.iter().for_each(|entry| again.push(entry, None));
        assert_eq!(again.turns(), story.projection.turns());
    }
}

/// Input: a summary that keeps all replies; expected: the files before the last two turns leave with it, the text of the
/// results still names them, and those of the last two turns stay.
#[test]
fn summary_takes_files_of_earlier_turns_away() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let mut story = story(dialect);
        story.reply(said("You are welcome."), Vec::new());
        let segments = vec![Segment::Text("One more.".into()), Segment::File(image("more"))];
        story.send("ana", UserMessage { segments });
        let room = RetentionBudget { usual: u64::MAX, most: u64::MAX, turns: None };
        let kept = story.projection.select_retained_history(room);
        assert!(kept.files_from.is_some_and(|from| from > kept.from), "{kept:?}");
        exceed(&mut story, None);
        let (round, attempt) = story.phase.round().map(|round| (round.number, round.attempt)).unwrap();
        let summary = ContextSummary {
            text: "In short.".into(),
            items: Vec::new(),
            kept_from: Some(kept.from),
            folded: kept.folded,
            files_from: kept.files_from,
            covers_to: 0,
            method: SummaryMethod::Mechanical,
        };
        let summary = Box::new(summary);
        story.feed(Input::ContextCompacted {
            round,
            attempt,
            summary,
            asked: None,
            usage: None,
            prefix: None,
        });
        assert_eq!(files(&story.projection), [("more".to_owned(), None)]);
        let shown = story.shown();
        assert_eq!(shown.matches("[shot.png: image/png, 9 bytes, shot]").count(), 1, "{shown}");
        check_legal(&story.projection.turns());
    }
}
