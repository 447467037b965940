//! Encodes the body of a call in three pieces: its opening, the conversation, and the closing fields.
//!
//! A conversation only grows at its end. So its beginning is encoded once and cached with it
//! ([`entracte_application::ports::EncodedRequestCache`]), together with its running hash: the next body is a copy of
//! it plus a few turns. Tools and the shape of the answer, which a generation never changes, are part of that beginning.
//! The cache never changes the bytes, only the time to build them.

use std::borrow::Cow;
use std::sync::Arc;

use entracte_application::ports::{
    CommandRequestPolicy, ModelRequest, OutputShape, PromptTurn, ToolDeclaration,
};
use entracte_application::system::Sha256Hasher;
use entracte_domain::id::{Digest, SessionId};
use serde::Serialize;
use serde_json::Error;

use crate::dialect::WireDialect;
use crate::encoder_settings::EncoderSettings;
use crate::tool_call_ids::CallIdNormalizer;

/// Encoded body of a call.
#[derive(Debug)]
pub(crate) struct EncodedBody {
    /// The bytes as they are sent.
    pub(crate) bytes: Vec<u8>,
    /// The hash of the bytes.
    pub(crate) digest: Digest,
}

/// Number of last turns that are encoded anew each time, because cache breakpoints move over them.
const OPEN_TURNS: usize = 4;

/// Bytes reserved for these turns; most need less.
const OPEN_ROOM: usize = 16 * 1024;

/// Encodes the body of a call.
pub(crate) fn encode_body(
    dialect: &dyn WireDialect,
    request: &ModelRequest,
    settings: &EncoderSettings,
) -> Result<EncodedBody, Error> {
    let settings = &*settings.for_round(request);
    let settings = &*settings.for_model(&request.model);
    let mut kept = match request.written.take::<EncodedConversation>() {
        Some(kept)
            if kept.has_same_opening(request, settings) && kept.has_same_settled_turns(&request.turns) =>
        {
            kept
        }
        Some(_) | None => EncodedConversation::start_conversation(dialect, request, settings)?,
    };
    kept.encode_settled_turns(dialect, request, settings)?;
    kept.encode_suffix(dialect, request, settings)?;
    let body = match kept.body(dialect, request, settings)? {
        Some(body) => Some(body),
        None => {
            kept = EncodedConversation::start_conversation(dialect, request, settings)?;
            kept.encode_suffix(dialect, request, settings)?;
            kept.body(dialect, request, settings)?
        }
    };
    request.written.put(kept);
    body.ok_or_else(|| serde::ser::Error::custom("the conversation is empty"))
}

/// Cached bytes and running hash of a conversation.
struct EncodedConversation {
    settings: EncoderSettings,
    model: String,
    system: Vec<Arc<str>>,
    tools: Arc<[ToolDeclaration]>,
    output: OutputShape,
    /// The opening and the settled turns.
    start: Vec<u8>,
    hashing: Sha256Hasher,
    settled: Vec<Arc<PromptTurn>>,
    ids: CallIdNormalizer<'static>,
    /// The closing fields, with the key of the request they were encoded for.
    rest: Option<(BodySuffixKey, Vec<u8>)>,
}

/// The inputs of the closing fields, besides those of the opening.
struct BodySuffixKey {
    session: SessionId,
    commands: CommandRequestPolicy,
}

impl EncodedConversation {
    /// An encoded conversation that contains only the opening.
    fn start_conversation(
        dialect: &dyn WireDialect,
        request: &ModelRequest,
        settings: &EncoderSettings,
    ) -> Result<Self, Error> {
        let start = dialect.write_opening(request, settings)?;
        let mut hashing = Sha256Hasher::default();
        hash(&mut hashing, &start);
        Ok(Self {
            settings: settings.clone(),
            model: request.model.clone(),
            system: request.system.clone(),
            tools: Arc::clone(&request.tools),
            output: request.output.clone(),
            start,
            hashing,
            settled: Vec::new(),
            ids: CallIdNormalizer::default(),
            rest: None,
        })
    }

    /// Whether a request has the same opening.
    fn has_same_opening(&self, request: &ModelRequest, settings: &EncoderSettings) -> bool {
        let same = |(kept, asked): (&Arc<str>, &Arc<str>)| Arc::ptr_eq(kept, asked);
        self.settings == *settings
            && self.model == request.model
            && Arc::ptr_eq(&self.tools, &request.tools)
            && is_same(&self.output, &request.output)
            && self.system.len() == request.system.len()
            && self.system.iter().zip(&request.system).all(same)
    }

    /// Whether a conversation begins with the settled turns. Compares pointers, so no text is compared again.
    fn has_same_settled_turns(&self, turns: &[Arc<PromptTurn>]) -> bool {
        self.settled.len() <= turns.len()
            && self.settled.iter().zip(turns).all(|(kept, turn)| Arc::ptr_eq(kept, turn))
    }

    /// Encodes the turns that have become settled.
    fn encode_settled_turns(
        &mut self,
        dialect: &dyn WireDialect,
        request: &ModelRequest,
        settings: &EncoderSettings,
    ) -> Result<(), Error> {
        let written = self.start.len();
        let last = request.turns.len().saturating_sub(OPEN_TURNS);
        for turn in request.turns.iter().take(last).skip(self.settled.len()) {
            if !self.alternates_with_last(turn) || !dialect.encodes_independently(turn, settings) {
                break;
            }
            let named = self.ids.normalize_turn(turn, settings.profile);
            dialect.write_settled_turn(&named, &request.files, settings, &mut self.start)?;
            self.settled.push(Arc::clone(turn));
        }
        hash(&mut self.hashing, self.start.get(written..).unwrap_or_default());
        Ok(())
    }

    /// Whether the turn's role differs from the last settled one; some servers join turns of one role into one message.
    fn alternates_with_last(&self, turn: &PromptTurn) -> bool {
        let is_user = |turn: &PromptTurn| matches!(turn, PromptTurn::User(_));
        self.settled.last().is_none_or(|last| is_user(last) != is_user(turn))
    }

    /// Encodes the closing fields, unless the cached ones match the request.
    fn encode_suffix(
        &mut self,
        dialect: &dyn WireDialect,
        request: &ModelRequest,
        settings: &EncoderSettings,
    ) -> Result<(), Error> {
        if !self.rest.as_ref().is_some_and(|(following, _)| following.matches_request(request)) {
            self.rest = Some((BodySuffixKey::of(request), dialect.write_closing(request, settings)?));
        }
        Ok(())
    }

    /// The whole body; `None` if the open turns cannot be separated from the settled ones.
    fn body(
        &self,
        dialect: &dyn WireDialect,
        request: &ModelRequest,
        settings: &EncoderSettings,
    ) -> Result<Option<EncodedBody>, Error> {
        let open = request.turns.get(self.settled.len()..).unwrap_or_default();
        if !open.first().is_none_or(|turn| self.alternates_with_last(turn)) {
            return Ok(None);
        }
        let mut ids = self.ids.for_following_turns();
        let named: Vec<Cow<'_, PromptTurn>> =
            open.iter().map(|turn| ids.normalize_turn(turn, settings.profile)).collect();
        let rest = self.rest.as_ref().map_or(&[][..], |(_, rest)| rest);
        // Reserves room for the rest too; otherwise a long conversation would be copied once more.
        let mut bytes = Vec::with_capacity(self.start.len() + rest.len() + OPEN_ROOM);
        bytes.extend_from_slice(&self.start);
        if !dialect.write_open_turns(&named, self.settled.is_empty(), request, settings, &mut bytes)? {
            return Ok(None);
        }
        bytes.push(b']');
        bytes.extend_from_slice(rest);
        let mut hashing = self.hashing.clone();
        hash(&mut hashing, bytes.get(self.start.len()..).unwrap_or_default());
        Ok(Some(EncodedBody { bytes, digest: hashing.finalize() }))
    }
}

impl BodySuffixKey {
    fn of(request: &ModelRequest) -> Self {
        Self { session: request.session.clone(), commands: request.commands }
    }

    fn matches_request(&self, request: &ModelRequest) -> bool {
        self.session == request.session && self.commands == request.commands
    }
}

/// Hashes the next bytes of a body.
fn hash(hashing: &mut Sha256Hasher, bytes: &[u8]) {
    #[cfg(test)]
    tests::HASHED.set(tests::HASHED.get() + bytes.len());
    hashing.update(bytes);
}

/// Whether two shapes are the same value.
fn is_same(one: &OutputShape, other: &OutputShape) -> bool {
    match (one, other) {
        (OutputShape::Text, OutputShape::Text) => true,
        (
            OutputShape::Json { name, schema },
            OutputShape::Json { name: other_name, schema: other_schema },
        ) => name == other_name && Arc::ptr_eq(schema, other_schema),
        (OutputShape::Text, OutputShape::Json { .. }) | (OutputShape::Json { .. }, OutputShape::Text) => {
            false
        }
    }
}

/// Writes the fields of `head`, and begins an array field named `list`.
pub(crate) fn begin_array(head: &impl Serialize, list: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec(head)?;
    bytes.pop();
    bytes.extend_from_slice(format!(",\"{list}\":[").as_bytes());
    Ok(bytes)
}

/// Writes the fields after an array and those of `extra`, a JSON object, up to the end of the object.
pub(crate) fn end_object(rest: &impl Serialize, extra: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec(rest)?;
    if let Some(first) = bytes.first_mut() {
        *first = b',';
    }
    if let Some(fields) = extra.and_then(|extra| extra.strip_prefix('{')) {
        bytes.pop();
        bytes.push(b',');
        bytes.extend_from_slice(fields.as_bytes());
    }
    Ok(bytes)
}

/// Appends an element to an array.
pub(crate) fn push_element(list: &mut Vec<u8>, element: &impl Serialize) -> Result<(), Error> {
    // Elements are objects, so only an empty array ends with this byte.
    if list.last() != Some(&b'[') {
        list.push(b',');
    }
    serde_json::to_writer(list, element)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use entracte_application::ports::{AssistantTurn, EncodedRequestCache, NativeCall, UserTurnPart};
    use entracte_application::system::sha256;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::testing::{request, settings, strict_shape};

    thread_local! {
        /// How many bytes of bodies this thread has hashed.
        pub(super) static HASHED: Cell<usize> = const { Cell::new(0) };
    }

    const ENTRIES: [&str; 4] = [
        "kind = \"claude\"\nmodel = \"m\"",
        "kind = \"openai\"\nmodel = \"m\"",
        "kind = \"groq\"\nmodel = \"m\"",
        "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://localhost/v1\"",
    ];

    fn part() -> impl Strategy<Value = UserTurnPart> {
        let text = || select(vec!["", " ", "Go on", "été \"]"]).prop_map(str::to_owned);
        prop_oneof![
            text().prop_map(UserTurnPart::Text),
            text().prop_map(UserTurnPart::System),
            (select(vec!["call_1", "call_2", "bad id"]), text(), any::<bool>()).prop_map(
                |(id, content, is_error)| UserTurnPart::Result {
                    provider_call_id: id.into(),
                    name: "look".into(),
                    content,
                    is_error,
                    files: Vec::new(),
                }
            ),
        ]
    }

    fn call() -> impl Strategy<Value = NativeCall> {
        let ids = select(vec!["call_1", "call_2", "bad id", ""]);
        (ids, select(vec!["{}", "{\"a\":[1]}", "no"])).prop_map(|(id, arguments)| NativeCall {
            provider_call_id: id.into(),
            name: "look".into(),
            arguments: arguments.into(),
        })
    }

    /// Turns that mostly alternate between the two roles, some of them without content.
    fn turns() -> impl Strategy<Value = Vec<Arc<PromptTurn>>> {
        let user = || vec(part(), 0..4).prop_map(PromptTurn::User);
        let said = || {
            (select(vec!["", "I look."]), vec(call(), 0..3)).prop_map(|(text, calls)| {
                PromptTurn::Assistant(AssistantTurn { text: text.into(), calls, raw: None })
            })
        };
        let two = prop_oneof![
            8 => (user(), said()).prop_map(|(user, said)| vec![user, said]),
            1 => (user(), user()).prop_map(|(one, other)| vec![one, other]),
            1 => (said(), said()).prop_map(|(one, other)| vec![one, other]),
        ];
        vec(two, 1..9).prop_map(|pairs| pairs.into_iter().flatten().map(Arc::new).collect())
    }

    /// A difference between two requests of a conversation.
    #[derive(Clone, Copy, Debug)]
    enum RequestMutation {
        Nothing,
        Tools,
        Commands,
        Model,
        /// The turn at this index is another one.
        Turn(usize),
    }

    fn change() -> impl Strategy<Value = RequestMutation> {
        prop_oneof![
            9 => Just(RequestMutation::Nothing),
            1 => Just(RequestMutation::Tools),
            1 => Just(RequestMutation::Commands),
            1 => Just(RequestMutation::Model),
            1 => (0_usize..18).prop_map(RequestMutation::Turn),
        ]
    }

    #[test]
    fn what_is_kept_of_a_conversation_changes_no_byte() {
        let steps = (turns(), vec(change(), 18), select(ENTRIES.to_vec()));
        let runner = &mut TestRunner::deterministic();
        let kept_turns = Cell::new(0);
        let outcome = runner.run(&steps, |(turns, changes, entry)| {
            let settings = settings(entry);
            let mut asked = ModelRequest { turns: Vec::new(), ..request(None) };
            let mut turns = turns;
            for end in 1..=turns.len() {
                match changes[end % changes.len()] {
                    RequestMutation::Nothing => {}
                    RequestMutation::Tools => asked.tools = asked.tools.to_vec().into(),
                    RequestMutation::Commands => asked.commands = CommandRequestPolicy::None,
                    RequestMutation::Model => asked.model.push('x'),
                    RequestMutation::Turn(place) if place < end => {
                        turns[place] =
                            Arc::new(PromptTurn::User(vec![UserTurnPart::Text("Now this".into())]));
                    }
                    RequestMutation::Turn(_) => {}
                }
                asked.turns = turns[..end].to_vec();
                let anew = ModelRequest { written: EncodedRequestCache::default(), ..asked.clone() };
                let expected = encode_body(settings.dialect(), &anew, &settings).unwrap();
                let body = encode_body(settings.dialect(), &asked, &settings).unwrap();
                prop_assert_eq!(String::from_utf8(body.bytes.clone()), String::from_utf8(expected.bytes));
                prop_assert_eq!(body.digest, sha256(&body.bytes));
                let kept: EncodedConversation = asked.written.take().unwrap();
                kept_turns.set(kept_turns.get() + kept.settled.len());
                asked.written.put(kept);
            }
            Ok(())
        });
        outcome.unwrap();
        let kept_turns = kept_turns.get();
        assert!(kept_turns > 1000, "much of it came out of what was kept: {kept_turns}");
    }

    /// Input: the calls of a conversation with 48 kB of tools, the last of them without commands; expected: the tools are
    /// hashed for the first call only, and each digest is that of the bytes.
    #[test]
    fn request_is_hashed_once() {
        const TOOLS_BYTES: usize = 48_000;
        let said = |text: &str| AssistantTurn { text: text.into(), calls: Vec::new(), raw: None };
        for entry in ENTRIES {
            let settings = settings(entry);
            let mut asked = ModelRequest { turns: Vec::new(), output: strict_shape(), ..request(None) };
            let tool = ToolDeclaration { description: "x".repeat(TOOLS_BYTES), ..asked.tools[0].clone() };
            asked.tools = Arc::new([tool]);
            for round in 0..10 {
                if round > 0 {
                    asked.turns.push(Arc::new(PromptTurn::Assistant(said("so"))));
                }
                let text = format!("question {round}");
                asked.turns.push(Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text)])));
                if round == 9 {
                    asked.commands = CommandRequestPolicy::None;
                }
                let before = HASHED.get();
                let body = encode_body(settings.dialect(), &asked, &settings).unwrap();
                let hashed = HASHED.get() - before;
                assert_eq!(hashed > TOOLS_BYTES, round == 0, "{entry}, round {round}: {hashed} bytes");
                assert!(body.bytes.len() > TOOLS_BYTES);
                assert_eq!(body.digest, sha256(&body.bytes));
            }
        }
    }

    #[test]
    fn long_conversation_is_encoded_once() {
        let turn = |number: usize| match number % 2 {
            0 => PromptTurn::User(vec![UserTurnPart::Text(format!("question {number}"))]),
            _ => PromptTurn::Assistant(AssistantTurn { text: "so".into(), calls: Vec::new(), raw: None }),
        };
        let turns: Vec<Arc<PromptTurn>> = (0..41).map(|number| Arc::new(turn(number))).collect();
        for entry in ENTRIES {
            let settings = settings(entry);
            let asked = ModelRequest { turns: turns.clone(), ..request(None) };
            encode_body(settings.dialect(), &asked, &settings).unwrap();
            let kept: EncodedConversation = asked.written.take().unwrap();
            assert_eq!(kept.settled.len(), 41 - OPEN_TURNS, "{entry}");
        }
    }
}
