//! Rounds without a reply, resumed sessions, closing rounds, generations and summaries.

use entracte_domain::command::CommandKind::Query;
use entracte_domain::id::Digest;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, Input, ModelSelection, RulesChange, SessionKind};

use super::fixture::{ProjectionFixture, call, said, show, style};
use crate::command_naming::CommandNaming;
use crate::prompt::{Projection, PromptStyle};
use crate::settings::Language;

fn chat(dialect: Dialect) -> ProjectionFixture {
    ProjectionFixture::new(SessionKind::Chat, dialect)
}

#[test]
fn a_round_without_reply_leaves_its_turn_and_what_comes_then_joins_it() {
    let mut story = chat(Dialect::Envelope);
    story.say("ana", "one");
    story.fail(FailureClass::Misconfigured);
    story.feed(Input::SessionActivationRequested { author: "ana".into() });
    insta::assert_snapshot!(story.shown(), @"
    USER
      text [2026-11-20 19:32 +01:00] one
    ");
    story.fail(FailureClass::Misconfigured);
    story.say("ana", "two");
    insta::assert_snapshot!(story.shown(), @"
    USER
      text [2026-11-20 19:32 +01:00] one
      text [2026-11-20 19:32 +01:00] two
    ");
}

#[test]
fn an_idle_session_that_is_resumed_is_told_to_go_on() {
    let mut story = chat(Dialect::Envelope);
    story.say("ana", "one");
    story.reply(said("first"), Vec::new());
    story.feed(Input::SessionActivationRequested { author: "ana".into() });
    story.reply(said("second"), Vec::new());
    story.say("ana", "two");
    insta::assert_snapshot!(story.shown(), @r#"
    USER
      text [2026-11-20 19:32 +01:00] one
    ASSISTANT raw: first
    USER
      system <entracte type="MANUAL_TRIGGER" at="2026-11-20T19:32:13+01:00">
        Go on.
        </entracte>
    ASSISTANT raw: second
    USER
      text [2026-11-20 19:32 +01:00] two
    "#);
}

#[test]
fn the_closing_round_says_that_no_commands_are_allowed() {
    let mut story = chat(Dialect::Envelope);
    story.rules.rounds = 1;
    story.say("ana", "one");
    story.reply(said(""), vec![call(None, Query, "runs", false)]);
    story.finish(Ok("5 km"));
    insta::assert_snapshot!(story.shown(), @r#"
    USER
      text [2026-11-20 19:32 +01:00] one
    ASSISTANT raw: (empty reply)
    USER
      system <entracte type="DATA_ADDED" at="2026-11-20T19:32:13+01:00">
        1 done.
        [1] tool_data.list: succeeded
        5 km
        </entracte>
      system <entracte type="LIMIT_REACHED" at="2026-11-20T19:32:13+01:00">
        Limit reached: 1 round (limits.rounds = 1).
        </entracte>
      system <entracte type="LIMIT_NOTIFICATION" at="2026-11-20T19:32:13+01:00">
        This is your last answer for now and it may hold no commands: they would be refused. Say in a few sentences what was done, what is open, and how the user can go on.
        </entracte>
    "#);
}

#[test]
fn a_new_generation_drops_the_reasoning_before_it() {
    let mut story = chat(Dialect::Envelope);
    let next = |prefix: &str| {
        let prefix = Some(Digest::new(prefix));
        Input::RulesChanged(Box::new(RulesChange { prefix, ..RulesChange::default() }))
    };
    story.say("ana", "one");
    story.reply(said("first"), Vec::new());
    story.feed(next("p2"));
    story.say("ana", "two");
    story.reply(said("second"), Vec::new());
    story.say("ana", "three");
    story.feed(next("p3"));
    story.reply(said("third, thought of before the change"), Vec::new());
    story.say("ana", "four");
    story.reply(said("fourth"), Vec::new());
    insta::assert_snapshot!(story.shown(), @"
    USER
      text [2026-11-20 19:32 +01:00] one
    ASSISTANT: first
    USER
      text [2026-11-20 19:32 +01:00] two
    ASSISTANT: second
    USER
      text [2026-11-20 19:32 +01:00] three
    ASSISTANT: third, thought of before the change
    USER
      text [2026-11-20 19:32 +01:00] four
    ASSISTANT raw: fourth
    ");
}

#[test]
fn a_summary_restarts_the_conversation() {
    let mut story = chat(Dialect::Tools);
    story.say("ana", "one");
    story.reply(said("first"), Vec::new());
    story.say("ana", "two");
    story.reply(said("I look"), vec![call(Some("a"), Query, "big", false)]);
    story.finish(Ok(&"x".repeat(20_000)));
    story.reply(said("I look again"), vec![call(Some("b"), Query, "more", false)]);
    story.finish(Ok(&"y".repeat(20_000)));
    story.say("ana", "three");
    story.fail(FailureClass::ContextTooLong);
    story.compact("Ana counts.");
    let shown = story.shown().replace(&"y".repeat(20_000), "yyy");
    insta::assert_snapshot!(shown, @r#"
    USER
      system <entracte type="CONTEXT_SUMMARY" at="2026-11-20T19:32:20+01:00">
        Summary of the conversation so far.
        Ana counts.
        </entracte>
      text [2026-11-20 19:32 +01:00] two
    ASSISTANT: I look again
      call b: tool_data_list({"of":"more"})
    USER
      result b: yyy
    "#);
}

/// Input: a conversation with native calls, then a model with the envelope dialect; expected: its generation
/// names the commands in that model's naming, and a generation from before naming was stored keeps its words.
#[test]
fn textual_calls_use_the_next_models_names() {
    let mut story = chat(Dialect::Tools);
    story.say("ana", "one");
    story.reply(said("I look"), vec![call(Some("a"), Query, "x", false)]);
    story.finish(Ok("72"));
    story.reply(said("72"), Vec::new());
    let voice = ModelSelection { provider: "fake".into(), model: "two".into(), dialect: Dialect::Envelope };
    story.feed(Input::RulesChanged(Box::new(RulesChange { voice: Some(voice), ..RulesChange::default() })));
    for (naming, name) in [(None, "tool_data_list"), (Some(CommandNaming::Types), "tool_data.list")] {
        let written = PromptStyle { naming, ..style("UTC") };
        let mut projection = Projection::new(&written).with_dialect(Dialect::Tools);
        story.entries.iter().for_each(|entry| projection.push(entry, None));
        let shown = show(&projection.turns());
        assert!(shown.contains(&format!("(asks for {name} ")), "{shown}");
    }
}

#[test]
fn long_results_are_cut_and_say_so() {
    let mut story = chat(Dialect::Envelope);
    let style = PromptStyle {
        language: Language::En,
        zone: "UTC".into(),
        result_max_chars: 5,
        layers: None,
        read_on: None,
        naming: None,
    };
    story.projection = crate::prompt::Projection::new(&style);
    story.say("ana", "one");
    story.reply(said("I look"), vec![call(None, Query, "x", false)]);
    story.finish(Ok("ééééééééé"));
    insta::assert_snapshot!(story.shown(), @r#"
    USER
      text [2026-11-20 18:32 +00:00] one
    ASSISTANT raw: I look
    USER
      system <entracte type="DATA_ADDED" at="2026-11-20T18:32:13+00:00">
        1 done.
        [1] tool_data.list: succeeded
        ééééé
        [4 characters left out; ask for less or for the part you need]
        </entracte>
    "#);
}

#[test]
fn a_call_that_is_too_long_to_keep_takes_its_result_along() {
    let mut story = chat(Dialect::Tools);
    story.say("ana", "one");
    story.reply(said(&"z".repeat(40_000)), vec![call(Some("a"), Query, "x", false)]);
    story.finish(Ok("5 km"));
    story.fail(FailureClass::ContextTooLong);
    story.compact("Ana ran 5 km.");
    insta::assert_snapshot!(story.shown(), @r#"
    USER
      system <entracte type="CONTEXT_SUMMARY" at="2026-11-20T19:32:15+01:00">
        Summary of the conversation so far.
        Ana ran 5 km.
        </entracte>
      text [2026-11-20 19:32 +01:00] one
    "#);
}

#[test]
fn the_conversation_is_written_in_its_language() {
    let mut story = chat(Dialect::Tools);
    let style = PromptStyle {
        language: Language::Fr,
        zone: "UTC".into(),
        result_max_chars: 3,
        layers: None,
        read_on: None,
        naming: None,
    };
    story.projection = crate::prompt::Projection::new(&style).with_dialect(Dialect::Tools);
    story.rules.empty_reply = entracte_domain::session::EmptyReplyPolicy::Rest;
    story.say("ana", "un");
    story.reply(said(""), Vec::new());
    story.say("ana", "deux");
    story.reply(said("je regarde"), vec![call(Some("a"), Query, "x", false)]);
    story.finish(Ok("5 km"));
    insta::assert_snapshot!(story.shown(), @r#"
    USER
      text [2026-11-20 18:32 +00:00] un
    ASSISTANT raw: (réponse vide)
    USER
      text [2026-11-20 18:32 +00:00] deux
    ASSISTANT raw: je regarde
      call a: tool_data_list({"of":"x"})
    USER
      result a: 5 k
    [1 caractère omis ; demande moins, ou la partie dont tu as besoin]
    "#);
}
