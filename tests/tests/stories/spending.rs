//! Caps on what model calls may use hold, whatever the calls come to, on every store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::ports::{
    CallCeiling, CallSize, CommandExecutor, CostFilter, CostSum, CostSumBy, ModelReply, ModelRequest,
    PromptTurn, Provider, ProviderDescription, ProviderFailure, ReplyEnd, ReplySink, ReservationSums,
    UserTurnPart,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{
    AnswerSpending, ChangeSettings, DeleteSession, InboxKind, SendMessage, SettleUsage, TurnOutcome,
};
use entracte_domain::dollars::Dollars;
use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, ParkReason};
use entracte_domain::spending::{SpendingAmount, SpendingQuestion, SpendingRefusal, SpendingScope};
use entracte_domain::usage::Usage;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};

use crate::copies::fixture::{all_stores, inbox, interrupt};

/// The most tokens of an answer, which every answer has.
const ANSWER: u64 = 20;

/// What the model does with a call.
#[derive(Clone, Copy, Debug)]
enum BilledCall {
    /// Answers it and bills it.
    Answered,
    /// Bills it and never answers.
    Lost,
    /// Refuses it, and bills nothing.
    Fails(FailureClass),
}

/// A model that bills each token at a price, and keeps its invoice.
struct BillingModel {
    price: Option<Dollars>,
    calls: Mutex<VecDeque<BilledCall>>,
    /// Tokens of every call that it billed.
    invoice: Mutex<Vec<u64>>,
}

impl BillingModel {
    fn billed_tokens(&self) -> u64 {
        self.invoice.lock().unwrap().iter().sum()
    }

    fn billed_calls(&self) -> usize {
        self.invoice.lock().unwrap().len()
    }

    fn will(&self, calls: impl IntoIterator<Item = BilledCall>) {
        self.calls.lock().unwrap().extend(calls);
    }
}

/// Four bytes are a token.
fn input_tokens(request: &ModelRequest) -> u64 {
    let parts = |parts: &[UserTurnPart]| parts.iter().map(|part| part.text().len()).sum::<usize>();
    let turn = |turn: &Arc<PromptTurn>| match &**turn {
        PromptTurn::User(said) => parts(said),
        PromptTurn::Assistant(said) => said.text.len(),
    };
    let system: usize = request.system.iter().map(|block| block.len()).sum();
    let turns: usize = request.turns.iter().map(turn).sum();
    u64::try_from((system + turns) / 4).unwrap()
}

#[async_trait]
impl Provider for BillingModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "fake".into(),
            kind: "fake".into(),
            display_name: "Fake".into(),
            default_model: "fake-1".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    fn call_ceiling(&self, size: &CallSize) -> CallCeiling {
        let tokens = size.input + ANSWER;
        CallCeiling { tokens, cost: self.price.map(|price| price.times(tokens)) }
    }

    async fn call(
        &self,
        request: ModelRequest,
        _sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let call = self.calls.lock().unwrap().pop_front().unwrap_or(BilledCall::Answered);
        if let BilledCall::Fails(class) = call {
            return Err(ProviderFailure { class, message: "not now".into(), retry_after: None, usage: None });
        }
        let input = input_tokens(&request);
        self.invoice.lock().unwrap().push(input + ANSWER);
        if let BilledCall::Lost = call {
            std::future::pending::<()>().await;
        }
        let usage = Usage { input, output: ANSWER, ..Usage::default() };
        let usage = match self.price {
            Some(price) => usage.with_cost(price.times(usage.tokens())),
            None => usage,
        };
        Ok(ModelReply {
            text: serde_json::json!({ "pre_text": "Well." }).to_string(),
            calls: Vec::new(),
            end: ReplyEnd::Done,
            usage: Some(usage),
            model: Some("fake-1".into()),
            raw: None,
            request_id: None,
            body_digest: None,
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("fake".into())
    }
}

struct SpendingFixture {
    model: Arc<BillingModel>,
    parts: ServicesFixtureParts,
    life: RuntimeFixture,
}

impl SpendingFixture {
    /// A process whose model has this price, in dollars for a token.
    async fn start(stores: StoreFixture, price: Option<&str>) -> Self {
        let price = price.map(|price| price.parse().unwrap());
        let model = Arc::new(BillingModel { price, calls: Mutex::default(), invoice: Mutex::default() });
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(RecordingExecutor::default())];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        Self { model, parts, life }
    }

    /// Another process after this one died.
    async fn restarted(self) -> Self {
        let Self { model, parts, life } = self;
        drop(life);
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        Self { model, parts, life }
    }

    async fn set(&self, key: &str, value: &str) {
        let change = ChangeSettings::new(self.life.mail_sender.clone());
        let changes = vec![(key.to_owned(), Some(value.to_owned()))];
        change.run(&self.life.workspace, "ann".into(), changes).await.unwrap();
    }

    /// What is used by all sessions of the workspace.
    async fn sum(&self) -> CostSum {
        let filter = CostFilter::new(self.life.workspace.clone(), CostSumBy::Everything, 1);
        let page = self.life.services.log.cost_sums(&filter).await.unwrap();
        page.sums.into_iter().next().unwrap()
    }

    /// What the inbox asks about spending.
    async fn questions(&self) -> Vec<SpendingQuestion> {
        let question = |kind| match kind {
            InboxKind::Parked(ParkReason::Spending(question)) => Some(question),
            _ => None,
        };
        inbox(&self.life).await.into_iter().filter_map(|item| question(item.kind)).collect()
    }

    /// Answers the question of a session, and waits until it rests.
    async fn answer(&self, session: &SessionId, goes_on: bool, extra: Option<SpendingAmount>) -> bool {
        self.answer_as("ann", session, goes_on, extra).await
    }

    async fn answer_as(
        &self,
        person: &str,
        session: &SessionId,
        goes_on: bool,
        extra: Option<SpendingAmount>,
    ) -> bool {
        let (life, answer) = (&self.life, AnswerSpending::new(self.life.mail_sender.clone()));
        let after = life.follow().last_entry_number(&life.workspace, session).await.unwrap();
        let answered = answer.run(&life.workspace, session, person.into(), goes_on, extra).await;
        life.follow().run_until_idle(&life.workspace, session, after).await.unwrap();
        answered.is_ok()
    }

    /// Sends messages until the model is not called any more.
    async fn talk_until_refused(&self, session: &SessionId) {
        for number in 0..100 {
            let before = self.model.billed_calls();
            self.life.send_and_wait(session, &format!("Number {number}.")).await;
            if self.model.billed_calls() == before {
                return;
            }
        }
    }

    /// Sends a message of Bob, and waits until the session rests.
    async fn send_as_bob(&self, session: &SessionId, text: &str) {
        let (life, send) = (&self.life, SendMessage::new(self.life.mail_sender.clone()));
        let after = life.follow().last_entry_number(&life.workspace, session).await.unwrap();
        let message = UserMessage::text(text);
        send.run(&life.workspace, session, "bob".into(), message, None).await.unwrap();
        life.follow().run_until_idle(&life.workspace, session, after).await.unwrap();
    }

    /// The refusals of a session's calls.
    async fn refusals(&self, session: &SessionId) -> Vec<SpendingRefusal> {
        let entries = self.life.entries(session).await;
        let refusal = |input: &Input| match input {
            Input::SpendingRefused { why, .. } => Some(why.clone()),
            _ => None,
        };
        entries.iter().filter_map(|entry| refusal(&entry.input)).collect()
    }
}

/// Input: a chat under a cap of about three calls; expected: it stops at LIMIT_REACHED before the cap is exceeded, no
/// call is sent any more, and it goes on once the cap is higher.
#[tokio::test(start_paused = true)]
async fn session_stops_before_its_cap() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        let measured = life.chat(false).await;
        life.send_and_wait(&measured, "How much is one call?").await;
        let one = model.billed_tokens();
        assert_eq!(stage.sum().await.reservations, ReservationSums::default(), "nothing is capped");

        let cap = one * 4;
        stage.set("budget.soft_line", "100").await;
        stage.set("budget.closing_reserve", "0").await;
        stage.set("budget.session", &format!("{cap} tokens")).await;
        let session = life.chat(false).await;
        for number in 0..6 {
            life.send_and_wait(&session, &format!("Number {number}.")).await;
        }
        let sent = model.billed_calls() - 1;
        assert!((1..6).contains(&sent), "{sent}");
        let used = model.billed_tokens() - one;
        assert!(used <= cap, "{used} of {cap}");
        let sum = stage.sum().await;
        assert_eq!(sum.usage.tokens(), model.billed_tokens());
        assert_eq!(sum.reservations, ReservationSums::default(), "each call is settled, without an overrun");
        let refusals = stage.refusals(&session).await;
        assert_eq!(refusals.len(), 2 * (6 - sent), "the closing calls have no reserve");
        assert!(
            refusals.iter().all(|why| matches!(why, SpendingRefusal::Cap(excess)
                if excess.scope == SpendingScope::Session)),
            "{refusals:?}"
        );
        assert_eq!(life.phase(&session).await, "IDLE");
        life.verify(&session).await;

        stage.set("budget.session", &format!("{} tokens", cap * 100)).await;
        life.send_and_wait(&session, "And now?").await;
        assert_eq!(model.billed_calls() - 1, sent + 1);
    }
}

/// Input: a cap of each person and day, a chat that Ann began and in which Bob goes on until a call is refused, and a chat
/// of his own; expected: the chat of Ann counts for her whoever writes, within her cap, and his own one is answered.
#[tokio::test(start_paused = true)]
async fn chat_counts_for_its_first_person() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        let session = life.chat(false).await;
        life.send_and_wait(&session, "How much is one call?").await;
        let cap = model.billed_tokens() * 8;
        stage.set("budget.soft_line", "100").await;
        stage.set("budget.closing_reserve", "0").await;
        stage.set("budget.person_day", &format!("{cap} tokens")).await;
        let mut sent = 0;
        while model.billed_calls() > sent {
            sent = model.billed_calls();
            stage.send_as_bob(&session, "And how much are more?").await;
        }
        assert!(sent > 2 && model.billed_tokens() <= cap, "{sent} calls, {} of {cap}", model.billed_tokens());
        let refusals = stage.refusals(&session).await;
        let scope = |why: &SpendingRefusal| match why {
            SpendingRefusal::Cap(excess) => Some(excess.scope),
            _ => None,
        };
        let mut scopes: Vec<Option<SpendingScope>> = refusals.iter().map(scope).collect();
        scopes.dedup();
        assert_eq!(scopes, [Some(SpendingScope::PersonDay)], "{refusals:?}");

        let own = life.chat(false).await;
        stage.send_as_bob(&own, "Is there room for me?").await;
        assert_eq!(model.billed_calls(), sent + 1);
        life.verify(&session).await;
    }
}

/// Input: a chat whose cap has a soft line; expected: there it asks once, in the inbox, and calls no model; an amount that
/// the cap does not leave is refused, a yes goes on, and up to the cap nobody is asked again.
#[tokio::test(start_paused = true)]
async fn soft_limit_asks_once() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        let measured = life.chat(false).await;
        life.send_and_wait(&measured, "How much is one call?").await;
        let one = model.billed_tokens();
        let cap = one * 20;
        stage.set("budget.session", &format!("{cap} tokens")).await;
        stage.set("budget.closing_reserve", "0").await;
        assert!(stage.questions().await.is_empty());

        let session = life.chat(false).await;
        stage.talk_until_refused(&session).await;
        let questions = stage.questions().await;
        let [question] = questions.as_slice() else { panic!("{questions:?}") };
        let line = cap / 100 * 80 + cap % 100 * 80 / 100;
        assert_eq!(question.extra.tokens, cap - line);
        assert_eq!(question.spent_for[0].amount.tokens, model.billed_tokens() - one);
        assert!(model.billed_tokens() - one <= line);

        let tokens = |tokens| Some(SpendingAmount { tokens, ..SpendingAmount::ZERO });
        let sent = model.billed_calls();
        assert!(!stage.answer(&session, true, tokens(question.extra.tokens + 1)).await);
        assert_eq!(model.billed_calls(), sent);
        assert!(stage.answer(&session, true, None).await);
        assert_eq!(model.billed_calls(), sent + 1);
        assert!(!stage.answer(&session, true, None).await, "it is asked no more");

        stage.talk_until_refused(&session).await;
        let refusals = stage.refusals(&session).await;
        let (first, later) = refusals.split_first().unwrap();
        assert!(matches!(first, SpendingRefusal::SoftLine(_)), "{first:?}");
        assert!(later.iter().all(|why| matches!(why, SpendingRefusal::Cap(_))), "{later:?}");
        assert!(!later.is_empty());
        assert!(model.billed_tokens() - one <= cap);
        assert!(stage.questions().await.is_empty());
        life.verify(&session).await;
    }
}

/// Input: a chat of Ann's at a soft line, in a workspace with four eyes, or with approvers; expected: Ann lets it spend no more
/// alone, nor does who is not named, and who may does.
#[tokio::test(start_paused = true)]
async fn soft_line_is_answered_by_those_who_may_approve() {
    for (key, value, refused, accepted) in
        [("four_eyes", "true", "ann", "bob"), ("approvers", "person:ann", "bob", "ann")]
    {
        for stores in all_stores() {
            let stage = SpendingFixture::start(stores, Some("0.000001")).await;
            let life = &stage.life;
            let measured = life.chat(false).await;
            life.send_and_wait(&measured, "How much is one call?").await;
            let cap = stage.model.billed_tokens() * 20;
            stage.set("budget.session", &format!("{cap} tokens")).await;
            stage.set(key, value).await;
            let session = life.chat(false).await;
            stage.talk_until_refused(&session).await;
            let sent = stage.model.billed_calls();
            assert!(!stage.answer_as(refused, &session, true, None).await, "{key}: {refused}");
            assert_eq!((stage.model.billed_calls(), stage.questions().await.len()), (sent, 1));
            assert!(stage.answer_as(accepted, &session, true, None).await, "{key}: {accepted}");
            assert_eq!(stage.model.billed_calls(), sent + 1);
            life.verify(&session).await;
        }
    }
}

/// Input: a chat at a cap of which a part is kept for the closing call; expected: at LIMIT_REACHED the model is called once
/// more, says what was done, and the cap holds.
#[tokio::test(start_paused = true)]
async fn closing_call_is_paid_from_its_reserve() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        let measured = life.chat(false).await;
        life.send_and_wait(&measured, "How much is one call?").await;
        let one = model.billed_tokens();
        stage.set("budget.soft_line", "100").await;
        stage.set("budget.closing_reserve", "30").await;
        stage.set("budget.session", &format!("{} tokens", one * 10)).await;

        let session = life.chat(false).await;
        let mut calls = 0;
        let mut last = None;
        while stage.refusals(&session).await.is_empty() && calls < 20 {
            last = Some(life.send_and_wait(&session, &format!("Number {calls}.")).await);
            calls += 1;
        }
        let turn = last.unwrap();
        assert_eq!(stage.refusals(&session).await.len(), 1, "the closing call is sent");
        assert_eq!(model.billed_calls(), 1 + calls, "each message has an answer");
        assert_eq!(turn.outcome(), TurnOutcome::LimitReached);
        assert!(turn.reply.is_some());
        assert!(model.billed_tokens() - one <= one * 10);
        life.verify(&session).await;
    }
}

/// Input: two chats under the cap of a day, both at its soft line, of which one may use a part of what is left; expected: the
/// part is used once by both, the other one asks at the new line, and a no ends its round.
#[tokio::test(start_paused = true)]
async fn extra_is_spent_once_by_all_sessions() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        let (first, second) = (life.chat(false).await, life.chat(false).await);
        life.send_and_wait(&first, "How much is one call?").await;
        let one = model.billed_tokens();
        let cap = one * 20;
        stage.set("budget.closing_reserve", "0").await;
        stage.set("budget.workspace_day", &format!("{cap} tokens")).await;
        stage.talk_until_refused(&first).await;
        stage.talk_until_refused(&second).await;
        let questions = stage.questions().await;
        let [asked, too] = questions.as_slice() else { panic!("{questions:?}") };
        assert_eq!(asked.excess.scope, SpendingScope::WorkspaceDay);

        let least = asked.least().tokens.max(too.least().tokens);
        let extra = SpendingAmount { tokens: least + one / 2, ..SpendingAmount::ZERO };
        assert!(stage.answer(&first, true, Some(extra)).await);
        assert!(stage.answer(&second, true, Some(extra)).await);
        let line = cap - asked.extra.tokens + extra.tokens;
        assert!(model.billed_tokens() <= line, "{} of {line}", model.billed_tokens());
        let questions = stage.questions().await;
        let [again] = questions.as_slice() else { panic!("{questions:?}") };
        assert_eq!(again.extra.tokens, cap - line);

        let sent = model.billed_calls();
        assert!(stage.answer(&second, false, None).await);
        assert_eq!(model.billed_calls(), sent);
        assert!(stage.questions().await.is_empty());
        assert_eq!(life.phase(&second).await, "IDLE");
        life.verify(&first).await;
        life.verify(&second).await;
    }
}

/// Input: a call that is never answered and stopped, then others; expected: its reservation is held while it runs, stays
/// uncertain after the stop, leaves less room to the next ones, and is settled once, by the amount of the bill.
#[tokio::test(start_paused = true)]
async fn lost_call_stays_uncertain_until_settled() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let (life, model) = (&stage.life, &stage.model);
        stage.set("budget.workspace_day", "1 USD and 10000000 tokens").await;
        let session = life.chat(false).await;
        model.will([BilledCall::Lost]);
        life.send_message(&session, "Say nothing.").await;
        while model.billed_calls() == 0 {
            tokio::task::yield_now().await;
        }
        let ReservationSums { reserved, uncertain, overrun } = stage.sum().await.reservations;
        assert!(reserved.tokens > 0 && reserved.cost > Dollars::ZERO, "{reserved:?}");
        assert_eq!((uncertain, overrun), (SpendingAmount::ZERO, SpendingAmount::ZERO));

        interrupt(life, &session).await;
        let expected = ReservationSums { uncertain: reserved, ..ReservationSums::default() };
        assert_eq!(stage.sum().await.reservations, expected);
        life.send_and_wait(&session, "Say something.").await;
        let sum = stage.sum().await;
        assert_eq!(sum.reservations, expected, "an answer settles its own call alone");
        assert!(model.billed_tokens() <= sum.spending().used().tokens, "the invoice is covered");

        stage.set("budget.workspace_day", &format!("{} tokens", sum.spending().used().tokens)).await;
        life.send_and_wait(&session, "And more?").await;
        assert_eq!(stage.refusals(&session).await.len(), 2, "the closing call, too");

        let settle = SettleUsage::new(life.mail_sender.clone());
        let bill = SpendingAmount { tokens: 7, cost: "0.25".parse().unwrap() };
        let settle = async |round| {
            let number = RoundAttempt { round, attempt: 1 };
            settle.run(&life.workspace, &session, "ann".into(), number, bill).await
        };
        settle(1).await.unwrap();
        let settled = stage.sum().await;
        assert_eq!(settled.reservations.uncertain, SpendingAmount::ZERO);
        assert_eq!(settled.usage.tokens(), sum.usage.tokens() + bill.tokens);
        assert_eq!(settled.usage.cost, sum.usage.cost.plus(bill.cost));
        assert!(settle(1).await.is_err(), "it is known now");
        assert!(settle(2).await.is_err(), "it was known");
        assert!(settle(99).await.is_err(), "there is none");
        life.verify(&session).await;
    }
}

/// Input: a process that dies during a call, and the next one, which makes the call again; expected: the first call stays
/// uncertain, the second one is settled, and both are covered by what counts against the cap.
#[tokio::test(start_paused = true)]
async fn call_of_a_killed_process_is_uncertain() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        stage.set("budget.workspace_day", "1 USD and 10000000 tokens").await;
        let session = stage.life.chat(false).await;
        stage.model.will([BilledCall::Lost]);
        stage.life.send_message(&session, "Do it.").await;
        while stage.model.billed_calls() == 0 {
            tokio::task::yield_now().await;
        }
        let reserved = stage.sum().await.reservations.reserved;
        let stage = stage.restarted().await;
        let life = &stage.life;
        life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
        let sum = stage.sum().await;
        let expected = ReservationSums { uncertain: reserved, ..ReservationSums::default() };
        assert_eq!(sum.reservations, expected);
        assert_eq!(stage.model.billed_calls(), 2);
        assert!(stage.model.billed_tokens() <= sum.spending().used().tokens);
        life.verify(&session).await;
    }
}

/// Input: answered, repeated and refused calls of a model that keeps its invoice; expected: what is spent is the invoice,
/// to the last digit, and nothing stays reserved.
#[tokio::test(start_paused = true)]
async fn bill_equals_provider_invoice() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000000333333")).await;
        let (life, model) = (&stage.life, &stage.model);
        stage.set("budget.tree", "100 USD").await;
        let session = life.chat(false).await;
        model.will([
            BilledCall::Answered,
            BilledCall::Fails(FailureClass::Overloaded),
            BilledCall::Answered,
            BilledCall::Fails(FailureClass::Refused),
            BilledCall::Answered,
        ]);
        for text in ["One.", "Two.", "Three.", "Four."] {
            life.send_and_wait(&session, text).await;
        }
        let sum = stage.sum().await;
        let price: Dollars = "0.000000333333".parse().unwrap();
        assert_eq!(sum.usage.cost, price.times(model.billed_tokens()));
        assert_eq!(sum.usage.tokens(), model.billed_tokens());
        assert_eq!(sum.reservations, ReservationSums::default());
        life.verify(&session).await;
    }
}

/// Input: a model without a price under a cap on money, with each policy; expected: it is not called, except where only
/// tokens are to be counted.
#[tokio::test(start_paused = true)]
async fn unknown_price_follows_its_policy() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, None).await;
        let (life, model) = (&stage.life, &stage.model);
        stage.set("budget.workspace_month", "5 USD and 10000000 tokens").await;
        let session = life.chat(false).await;
        for (policy, calls) in [("ask", 0), ("refuse", 0), ("tokens", 1)] {
            stage.set("budget.unknown_price", policy).await;
            life.send_and_wait(&session, "Go.").await;
            assert_eq!(model.billed_calls(), calls, "{policy}");
        }
        assert_eq!(stage.refusals(&session).await.len(), 2);
    }
}

/// Input: a session that used something of a cap of the day, and is deleted; expected: it is used all the same.
#[tokio::test(start_paused = true)]
async fn deleted_session_makes_no_room() {
    for stores in all_stores() {
        let stage = SpendingFixture::start(stores, Some("0.000001")).await;
        let life = &stage.life;
        stage.set("budget.workspace_day", "10000000 tokens").await;
        let session = life.chat(false).await;
        life.send_and_wait(&session, "One.").await;
        let before = stage.sum().await.usage;
        let delete = DeleteSession::new(life.mail_sender.clone());
        delete.run(&life.workspace, &session, "ann".into()).await.unwrap();
        assert_eq!(stage.sum().await.usage, before);
    }
}
