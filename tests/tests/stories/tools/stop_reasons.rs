//! Why an answer ended, through the whole loop: each reason has its own consequence.

use entracte_application::ports::PromptTurn;
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::AnswerQuestion;
use entracte_domain::message::{INVALID_FORMAT_PREFIX, MessageBody, SystemKind};
use entracte_domain::session::{Dialect, Input, LogAppend};
use entracte_tests::fakes::strict_model::{StrictModelStep, calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::{Value, json};

use super::fixture::NativeToolFixture;
use super::wire::{WireCallArgs, stream, whole};

const TEXT: &str = "I send it";
const CALLS: [WireCallArgs<'static>; 1] = [("c1", "outside_send", r#"{"to":"bob"}"#)];

/// An answer with a complete action that ends for this reason, in one piece or as a stream.
fn ended(api: StrictApi, is_streamed: bool, reason: &str) -> StrictModelStep {
    ended_with(api, is_streamed, reason, TEXT)
}

fn ended_with(api: StrictApi, is_streamed: bool, reason: &str, text: &str) -> StrictModelStep {
    let answer = if is_streamed { stream(api, text, &CALLS) } else { whole(api, text, &CALLS).to_string() };
    let incomplete = format!(r#""status":"incomplete","incomplete_details":{{"reason":"{reason}"}}}}"#);
    let answer = match api {
        StrictApi::Messages => {
            answer.replace(r#""stop_reason":"tool_use""#, &format!(r#""stop_reason":"{reason}""#))
        }
        StrictApi::Responses => answer
            .replace("response.completed", "response.incomplete")
            .replace(r#""status":"completed"}"#, &incomplete),
        StrictApi::Chat => {
            answer.replace(r#""finish_reason":"tool_calls""#, &format!(r#""finish_reason":"{reason}""#))
        }
    };
    let bytes = answer.into_bytes();
    if is_streamed { StrictModelStep::Streams(bytes) } else { StrictModelStep::Answers(bytes) }
}

/// All combinations of a wire, and of an answer in one piece and as a stream.
fn wires() -> impl Iterator<Item = (StrictApi, bool)> {
    StrictApi::ALL.into_iter().flat_map(|api| [(api, false), (api, true)])
}

impl NativeToolFixture {
    /// The texts of the model as people read them, in order.
    async fn said(&self) -> Vec<String> {
        let entries = self.life.entries(&self.chat).await;
        let said = entries.iter().filter_map(|entry| match &entry.input {
            Input::AiResponseReceived(_) => entry.input.message(&entry.session, entry.sequence, entry.at),
            _ => None,
        });
        let texts = said.filter_map(|message| match message.body {
            MessageBody::Ai(said) => Some(said.pre_text),
            _ => None,
        });
        texts.collect()
    }

    /// The system messages of this kind.
    async fn told(&self, kind: SystemKind) -> Vec<String> {
        let entries = self.life.entries(&self.chat).await;
        let told = entries.iter().flat_map(|entry| &entry.appended).filter_map(|appended| match appended {
            LogAppend::Message(message) => match &message.body {
                MessageBody::System(system) if system.kind == kind => Some(system.summary.to_plain_text()),
                _ => None,
            },
            LogAppend::Note(_) => None,
        });
        told.map(std::borrow::Cow::into_owned).collect()
    }

    /// A person answers the open question; waits until the chat rests.
    async fn answers(&self, text: &str) {
        let (workspace, chat) = (&self.life.workspace, &self.chat);
        let after = self.life.follow().last_entry_number(workspace, chat).await.unwrap();
        let answer = AnswerQuestion::new(self.life.mail_sender.clone());
        answer.run(workspace, chat, "ann".into(), text.into(), None).await.unwrap();
        self.life.follow().run_until_idle(workspace, chat, after).await.unwrap();
        self.life.verify(chat).await;
    }

    /// No action of any reply ran, and the chat rests.
    async fn rests_without_effects(&self, reason: &str) {
        assert_eq!(self.outside.recorded_effects(), [], "{reason}");
        assert_eq!(self.life.phase(&self.chat).await, "IDLE", "{reason}");
        let said = self.said().await;
        assert!(!said.iter().any(|text| text.contains(INVALID_FORMAT_PREFIX)), "{reason}: {said:?}");
    }
}

fn output_limit(api: StrictApi) -> &'static str {
    match api {
        StrictApi::Messages => "max_tokens",
        StrictApi::Responses => "max_output_tokens",
        StrictApi::Chat => "length",
    }
}

/// Input: answers with a complete action that end for each reason, on every wire, in one piece and streamed; expected:
/// the action never runs, what was said is kept, and each reason has its own consequence.
#[tokio::test(start_paused = true)]
async fn stop_reasons_are_handled_separately() {
    for (api, is_streamed) in wires() {
        let case = format!("{api:?}, streamed: {is_streamed}");
        // The output limit: goes on once.
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps([ended(api, is_streamed, output_limit(api)), says("now.")]);
        scene.turn("write to bob").await;
        scene.rests_without_effects(&case).await;
        assert_eq!(scene.said().await, [TEXT, "now."], "{case}");
        let bodies = scene.bodies();
        let last = bodies[1].to_string();
        assert_eq!(bodies.len(), 2, "{case}");
        assert!(last.contains(TEXT) && last.contains("output limit"), "{case}: {last}");
        // Twice in a row: handed back, with the limit and its setting.
        let again = [output_limit(api), output_limit(api)].map(|reason| ended(api, is_streamed, reason));
        scene.model.push_steps(again);
        scene.turn("once more").await;
        scene.rests_without_effects(&case).await;
        assert_eq!(scene.bodies().len(), 4, "{case}");
        let told = scene.told(SystemKind::ProviderError).await;
        assert!(told.len() == 1 && told[0].contains("max_output_tokens"), "{case}: {told:?}");

        // A reason of the future: kept, and told as such.
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps([ended(api, is_streamed, "moon_phase")]);
        scene.turn("write to bob").await;
        scene.rests_without_effects(&case).await;
        assert_eq!(scene.said().await, [TEXT], "{case}");
        assert!(scene.told(SystemKind::ProviderError).await[0].contains("moon_phase"), "{case}");

        // A full window: summed up, then asked once more.
        let scene = NativeToolFixture::new(api).await;
        let full = ended(api, is_streamed, "model_context_window_exceeded");
        scene.model.push_steps([full, says("They write to bob."), says("whole")]);
        scene.turn("write to bob").await;
        scene.rests_without_effects(&case).await;
        assert_eq!(scene.said().await, ["whole"], "{case}");
        assert!(scene.bodies()[2].to_string().contains("They write to bob."), "{case}");

        // Refused content: told, with nothing asked again.
        let refusal = if api == StrictApi::Messages { "refusal" } else { "content_filter" };
        let scene = NativeToolFixture::new(api).await;
        scene.model.push_steps([ended(api, is_streamed, refusal)]);
        scene.turn("write to bob").await;
        scene.rests_without_effects(&case).await;
        assert_eq!(
            (scene.bodies().len(), scene.told(SystemKind::ProviderError).await.len()),
            (1, 1),
            "{case}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn paused_turn_continues_with_its_own_blocks() {
    let work =
        json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"q": "rain"}});
    for is_streamed in [false, true] {
        let scene = NativeToolFixture::new(StrictApi::Messages).await;
        let answer = json!({"type": "message", "role": "assistant", "model": "m", "stop_reason": "pause_turn",
            "content": [{"type": "text", "text": "I look."}, work]});
        let start = json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}});
        let block = |index: u32, start: &Value, delta: &Value| {
            [
                json!({"type": "content_block_start", "index": index, "content_block": start}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
            ]
        };
        let mut events = vec![json!({"type": "message_start", "message": {"model": "m", "content": []}})];
        let text = json!({"type": "text", "text": ""});
        events.extend(block(0, &text, &json!({"type": "text_delta", "text": "I look."})));
        let input = json!({"type": "input_json_delta", "partial_json": r#"{"q":"rain"}"#});
        events.extend(block(1, &start, &input));
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}));
        events.push(json!({"type": "message_stop"}));
        let streamed: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        scene.model.push_steps([
            if is_streamed {
                StrictModelStep::Streams(streamed.into_bytes())
            } else {
                StrictModelStep::Answers(answer.to_string().into_bytes())
            },
            says("It rains."),
            says("Still."),
        ]);
        scene.turn("look").await;
        let (request, body) = scene.model.requests().pop().unwrap();
        assert!(matches!(**request.turns.last().unwrap(), PromptTurn::Assistant(_)));
        let last = body["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            last,
            json!({"role": "assistant", "content": [{"type": "text", "text": "I look."}, work]})
        );
        assert_eq!(scene.said().await, ["I look.", "It rains."]);
        // The next message follows both parts of the answer.
        scene.turn("and now?").await;
        assert_eq!(scene.said().await.len(), 3);
    }
}

/// Input: the envelope is cut inside its text; expected: people read that text, and the model sends the object again.
#[tokio::test(start_paused = true)]
async fn cut_envelope_keeps_its_text() {
    for api in StrictApi::ALL {
        let scene = NativeToolFixture::with(api, RuleBook::default(), Dialect::Envelope).await;
        let text = r#"{"pre_text": "The river"#;
        scene.model.push_steps([
            ended_with(api, false, output_limit(api), text),
            says(r#"{"pre_text": "The river is long."}"#),
        ]);
        scene.turn("tell me").await;
        assert_eq!(scene.said().await, ["The river", "The river is long."], "{api:?}");
        assert_eq!(scene.life.phase(&scene.chat).await, "IDLE", "{api:?}");
        assert_eq!(scene.outside.recorded_effects(), [], "{api:?}");
    }
}

/// Input: a reply with a valid action before and after a call (an action or a query) whose arguments are no JSON object;
/// on every wire, streamed and not. Expected: no action runs, valid queries run, and the model reads the reason.
#[tokio::test(start_paused = true)]
async fn garbled_batch_runs_no_action() {
    for (api, is_streamed) in wires() {
        for garbled in ["outside_send", "outside_look"] {
            let scene = NativeToolFixture::new(api).await;
            let batch = [
                ("c1", "outside_send", r#"{"to":"bob"}"#),
                ("c2", garbled, r#"{"to":"car"#),
                ("c3", "outside_send", r#"{"to":"dora"}"#),
                ("c4", "outside_look", r#"{"at":1}"#),
            ];
            let answer = match is_streamed {
                true => StrictModelStep::Streams(stream(api, TEXT, &batch).into_bytes()),
                false => StrictModelStep::Answers(whole(api, TEXT, &batch).to_string().into_bytes()),
            };
            scene.model.push_steps([answer, says("again?")]);
            scene.turn("write to all").await;
            let case = format!("{api:?}, streamed: {is_streamed}, {garbled}");
            let effects = scene.outside.recorded_effects();
            assert!(effects.iter().all(|effect| effect.command == "outside.look"), "{case}: {effects:?}");
            let results = scene.last_results();
            let told =
                |id: &str| results.iter().find(|(call, ..)| call == id).map(|(_, text, _)| text.clone());
            for id in ["c1", "c3"] {
                let text = told(id).unwrap();
                assert!(text.contains("MALFORMED") && text.contains(garbled), "{case}: {text}");
            }
            assert!(!told("c4").unwrap().contains("MALFORMED"), "{case}: a query changes nothing");
        }
    }
}

/// Input: a question in the closing call at a limit, on every wire; expected: the person answers it, which begins a
/// new exchange with fresh counters.
#[tokio::test(start_paused = true)]
async fn closing_question_can_be_answered() {
    for api in StrictApi::ALL {
        let mut rules = RuleBook::default();
        rules.change(|_, rules| rules.rounds = 1);
        let scene = NativeToolFixture::with(api, rules, Dialect::Tools).await;
        let question = json!({"question": "Which one?", "options": ["red", "blue"]});
        scene.model.push_steps([
            calls(&[("c1", "outside_look", json!({"at": 1}))]),
            calls(&[("c2", "ask_user", question)]),
            says("Red it is."),
        ]);
        scene.turn("paint it").await;
        assert_eq!(scene.life.phase(&scene.chat).await, "WAITING_COMMUNICATION_RESPONSE", "{api:?}");
        scene.answers("red").await;
        assert_eq!(scene.said().await.last().unwrap(), "Red it is.", "{api:?}");
        assert_eq!(scene.life.phase(&scene.chat).await, "IDLE", "{api:?}");
    }
}
