//! Files of messages and results, in both dialects.

use entracte_domain::command::CommandKind::Query;
use entracte_domain::file::FileReference;
use entracte_domain::id::Digest;
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{Dialect, SessionKind};

use super::fixture::{ProjectionFixture, call, said, style};
use super::legal::check_legal;
use crate::ports::{PromptTurn, UserTurnPart};
use crate::prompt::Projection;

fn image(digest: &str) -> FileReference {
    FileReference {
        digest: Digest::new(digest),
        media_type: "image/png".into(),
        name: format!("{digest}.png"),
        bytes: 9,
        dimensions: None,
        pages: None,
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
