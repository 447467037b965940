//! Standing approvals with limits are never overdrawn, whatever happens, on every store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::mail::NewRuleRequest;
use entracte_application::ports::{
    ActionDescription, CallRequest, Clock, CommandExecutor, CommandSpec, ResourceReader, StoreError,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::system::sha256;
use entracte_application::use_cases::{
    AddApprovalRule, ApprovalChoice, ChangeSettings, DeleteSession, PendingDecision, ReadApprovalRules,
    RevokeApprovalRule, TurnView,
};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::decimal::Decimal;
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use entracte_domain::validation::{
    ArgumentCondition, NumberRange, RuleScope, StandingApprovalRule, UseLimit, UseLimits, UseTally,
};
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};

use crate::copies::fixture::all_stores;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// What the bank does with a request.
#[derive(Clone, Copy, Debug)]
enum BankAnswer {
    /// Pays, and never answers.
    PaysAndHangs,
    /// Fails without paying; a later request may succeed.
    Fails,
}

/// A payment that was made.
#[derive(Clone, Debug)]
struct BankPayment {
    run: SessionId,
    amount: Decimal,
    /// The latest day that any payment was made on until then.
    day: i64,
}

/// A bank that pays each request once, whatever the number of its attempts: `bank.pay`, word `PAY`.
struct BankExecutor {
    clock: Arc<TokioClock>,
    answers: Mutex<VecDeque<BankAnswer>>,
    payments: Mutex<BTreeMap<String, BankPayment>>,
    requests: AtomicUsize,
}

impl BankExecutor {
    fn payments(&self) -> Vec<BankPayment> {
        self.payments.lock().unwrap().values().cloned().collect()
    }

    fn pay(&self, request: &CallRequest) {
        let Some(JsonValue::Number(amount)) = request.command.arguments.get("amount") else { return };
        let mut payments = self.payments.lock().unwrap();
        let latest = payments.values().map(|payment| payment.day).max().unwrap_or(i64::MIN);
        let day = latest.max(self.clock.now().0.div_euclid(DAY));
        let (run, amount) = (request.session.tree_root(), amount.parse().unwrap());
        payments.entry(request.key.clone()).or_insert(BankPayment { run, amount, day });
    }
}

#[async_trait]
impl CommandExecutor for BankExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {
                "to": { "type": "string" },
                "amount": { "type": "number" },
                "number": { "type": "integer" },
            },
            "required": ["to", "amount"],
        });
        vec![CommandSpec {
            word: "PAY".into(),
            name: "bank.pay".into(),
            kind: CommandKind::Action,
            effect: EffectClass::Idempotent,
            schema: schema.into(),
            cacheable: false,
            independent: false,
            state_scopes: Vec::new(),
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            approvers: None,
            server: None,
            agent: None,
            target: serde_json::Value::Null,
            timeout: None,
            settle: Millis(0),
            key_lifetime: Millis::hours(1),
            task: None,
            doc: String::new(),
            example: None,
        }]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let answer = self.answers.lock().unwrap().pop_front();
        self.requests.fetch_add(1, Ordering::SeqCst);
        if let Some(BankAnswer::Fails) = answer {
            let (code, message) = ("BUSY".to_owned(), "The bank is busy.".to_owned());
            return CallOutcome::Failed(CallFailure { code, message, path: None, retryable: true });
        }
        self.pay(&request);
        if let Some(BankAnswer::PaysAndHangs) = answer {
            std::future::pending::<()>().await;
        }
        let content = "paid".to_owned();
        CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription { says: format!("Do {}", request.command.name), ..ActionDescription::default() })
    }
}

/// A process with a bank.
struct MandateFixture {
    bank: Arc<BankExecutor>,
    clock: Arc<TokioClock>,
    model: Arc<FakeModel>,
    parts: ServicesFixtureParts,
    life: RuntimeFixture,
    /// The number of the next payment, so that none repeats another one.
    next: AtomicUsize,
}

impl MandateFixture {
    async fn start(stores: StoreFixture) -> Self {
        let clock = Arc::new(TokioClock::default());
        let bank = Arc::new(BankExecutor {
            clock: clock.clone(),
            answers: Mutex::default(),
            payments: Mutex::default(),
            requests: AtomicUsize::new(0),
        });
        let model = Arc::new(FakeModel::default());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![bank.clone()];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        Self { bank, clock, model, parts, life, next: AtomicUsize::new(0) }
    }

    /// Another process after this one died.
    async fn restarted(self) -> Self {
        let Self { bank, clock, model, parts, life, next } = self;
        drop(life);
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        Self { bank, clock, model, parts, life, next }
    }

    async fn set_slots(&self, count: u32) {
        let change = ChangeSettings::new(self.life.mail_sender.clone());
        let slots = vec![("slots".to_owned(), Some(count.to_string()))];
        change.run(&self.life.workspace, "ann".into(), slots).await.unwrap();
    }

    async fn add_mandate(&self, limits: UseLimits) -> String {
        let up_to = NumberRange { least: None, most: "100".parse().ok() };
        let new = NewRuleRequest {
            command: "PAY".into(),
            arguments: vec![
                ("to".into(), ArgumentCondition::Is("FR76".into())),
                ("amount".into(), ArgumentCondition::Range(up_to)),
                ("number".into(), ArgumentCondition::Any),
            ],
            scope: RuleScope::Workspace,
            denies: None,
            lasts: Some(Millis::hours(24 * 365)),
            limits,
            agents: false,
            people: Vec::new(),
        };
        let add = AddApprovalRule::new(self.life.mail_sender.clone());
        add.run(&self.life.workspace, "ann".into(), new).await.unwrap().unwrap()
    }

    async fn mandate(&self) -> StandingApprovalRule {
        let services = &self.life.services;
        let (store, log, clock) = (services.store.clone(), services.log.clone(), services.clock.clone());
        let read = ReadApprovalRules::new(store, log, clock);
        read.run(&self.life.workspace, true).await.unwrap().remove(0)
    }

    /// The model will request payments of these amounts to these accounts, in one reply.
    fn will_pay(&self, payments: &[(&str, &str)]) {
        let action = |(to, amount): &(&str, &str)| {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            format!(r#"{{"type":"PAY","params":{{"to":"{to}","amount":{amount},"number":{number}}}}}"#)
        };
        let actions: Vec<String> = payments.iter().map(action).collect();
        let reply = format!(r#"{{"pre_text":"One moment.","actions":[{}]}}"#, actions.join(","));
        self.model.push_lines([FakeModelLine::Says(reply)]);
    }

    /// Waits until a session rests, and refuses what it asks for.
    async fn settle(&self, session: &SessionId) -> usize {
        let life = &self.life;
        let turn = life.follow().run_until_idle(&life.workspace, session, 0).await.unwrap();
        let open = waiting_calls(&turn);
        if open > 0 {
            life.decide_and_wait(session, ApprovalChoice::Reject(None)).await;
        }
        open
    }
}

/// How many calls of a turn wait for a person.
fn waiting_calls(turn: &TurnView) -> usize {
    match &turn.waiting {
        Some(PendingDecision::Validation(open)) => open.len(),
        Some(_) | None => 0,
    }
}

fn limit(calls: u32, sum: &str) -> UseLimit {
    UseLimit { calls: Some(calls), sum: sum.parse().ok() }
}

/// Checks that the payments of the bank are within the limits, and that the account counts at least all of them.
fn check(payments: &[BankPayment], mandate: &StandingApprovalRule) {
    let uses = mandate.uses.as_ref().unwrap();
    let tally = |keep: &dyn Fn(&BankPayment) -> bool| {
        payments.iter().filter(|payment| keep(payment)).fold(UseTally::default(), |tally, payment| UseTally {
            calls: tally.calls + 1,
            sum: tally.sum.plus(payment.amount).unwrap(),
        })
    };
    let holds = |limit: UseLimit, used: UseTally| {
        limit.calls.is_none_or(|most| used.calls <= most) && limit.sum.is_none_or(|most| used.sum <= most)
    };
    let all = tally(&|_| true);
    assert!(all.calls <= uses.total.calls && all.sum <= uses.total.sum, "{all:?}: {uses:?}");
    assert!(holds(uses.limits.total, uses.total), "{uses:?}");
    for payment in payments {
        let (in_run, on_day) = (tally(&|of| of.run == payment.run), tally(&|of| of.day == payment.day));
        assert!(holds(uses.limits.run, in_run), "{}: {in_run:?}", payment.run);
        assert!(holds(uses.limits.day, on_day), "day {}: {on_day:?}", payment.day);
    }
}

/// Input: worlds in which parallel sessions request payments of all kinds, whose bank fails, hangs and is tried again, while
/// the process dies and the clock goes on and back; expected: after each step the payments are within every limit of the
/// mandate, on every store.
#[tokio::test(start_paused = true)]
async fn mandate_is_never_overdrawn() {
    const AMOUNTS: [&str; 7] = ["1", "33.34", "49.99", "100", "100.01", "1e1", "-5"];
    for stores in all_stores() {
        let mut stage = MandateFixture::start(stores).await;
        stage.set_slots(4).await;
        stage
            .add_mandate(UseLimits {
                run: limit(6, "200"),
                day: limit(3, "120"),
                total: limit(16, "500"),
                summed: Some("amount".into()),
            })
            .await;
        let mut sessions = Vec::new();
        for _ in 0..4 {
            sessions.push(stage.life.chat(true).await);
        }
        let mut state = 7_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % most).unwrap()
        };
        let mut refused = 0;
        for _ in 0..60 {
            let (one, other) = (sessions[draw(2)].clone(), sessions[2 + draw(2)].clone());
            let amount = AMOUNTS[draw(7)];
            match draw(7) {
                0..=1 => {
                    stage.will_pay(&[("FR76", amount), ("DE89", "1"), ("FR76", AMOUNTS[draw(7)])]);
                    stage.life.send_message(&one, "Pay.").await;
                    refused += stage.settle(&one).await;
                }
                2 => {
                    stage.will_pay(&[("FR76", amount)]);
                    stage.will_pay(&[("FR76", AMOUNTS[draw(4)])]);
                    stage.life.send_message(&one, "Pay.").await;
                    stage.life.send_message(&other, "Pay, too.").await;
                    refused += stage.settle(&one).await + stage.settle(&other).await;
                }
                3 => {
                    stage.bank.answers.lock().unwrap().push_back(BankAnswer::Fails);
                    stage.will_pay(&[("FR76", amount)]);
                    stage.life.send_message(&one, "Pay.").await;
                    refused += stage.settle(&one).await;
                    stage.bank.answers.lock().unwrap().clear();
                }
                4 => {
                    stage.bank.answers.lock().unwrap().push_back(BankAnswer::PaysAndHangs);
                    let before = stage.bank.requests.load(Ordering::SeqCst);
                    stage.will_pay(&[("FR76", amount)]);
                    stage.life.send_message(&one, "Pay.").await;
                    while stage.bank.requests.load(Ordering::SeqCst) == before
                        && !matches!(stage.life.phase(&one).await, "WAITING_VALIDATION" | "IDLE")
                    {
                        tokio::task::yield_now().await;
                    }
                    stage = stage.restarted().await;
                    stage.bank.answers.lock().unwrap().clear();
                    refused += stage.settle(&one).await;
                }
                5 => stage.clock.jump(Millis::hours(i64::try_from(draw(48)).unwrap())),
                _ => stage.clock.jump(Millis::hours(-i64::try_from(draw(24)).unwrap())),
            }
            check(&stage.bank.payments(), &stage.mandate().await);
        }
        let payments = stage.bank.payments();
        assert!(payments.len() > 4 && refused > 5, "{} paid, {refused} refused", payments.len());
        for session in &sessions {
            stage.life.verify(session).await;
        }
    }
}

/// Input: a mandate for two payments, of which one was made and the other one waits for a payment that a person must
/// approve; the mandate is revoked; expected: the waiting payment asks, gives its use back, and no later one passes.
#[tokio::test(start_paused = true)]
async fn revoked_mandate_blocks_next_call() {
    for stores in all_stores() {
        let stage = MandateFixture::start(stores).await;
        let life = &stage.life;
        let rule = stage.add_mandate(UseLimits::calls_in_all(2)).await;
        let session = life.chat(true).await;
        stage.will_pay(&[("FR76", "10")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&session, "Pay.").await), 0);
        stage.will_pay(&[("DE89", "10"), ("FR76", "20")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&session, "Pay both.").await), 1);
        let uses = stage.mandate().await.uses.unwrap();
        assert!(uses.total.calls == 2 && uses.is_used_up(), "the waiting payment has a use: {uses:?}");

        let revoke = RevokeApprovalRule::new(life.mail_sender.clone());
        revoke.run(&life.workspace, "bob".into(), rule).await.unwrap();
        let turn = life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
        assert_eq!(waiting_calls(&turn), 2, "both ask at once");
        let mandate = stage.mandate().await;
        assert_eq!(mandate.revoked.as_ref().map(|(who, _)| who.as_str()), Some("bob"));
        assert_eq!(mandate.uses.unwrap().total.calls, 1, "what never started is given back");
        life.decide_and_wait(&session, ApprovalChoice::Reject(None)).await;
        stage.will_pay(&[("FR76", "30")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&session, "Pay again.").await), 1);
        let amounts: Vec<String> = stage.bank.payments().iter().map(|paid| paid.amount.to_string()).collect();
        assert_eq!(amounts, ["10"]);
        life.verify(&session).await;
    }
}

/// Input: a session that is deleted while one of its payments has a use of a mandate and waits behind a payment that asks;
/// expected: the use is given back, because the payment is never made, and the one that was made stays counted.
#[tokio::test(start_paused = true)]
async fn deleted_session_gives_uses_back() {
    for stores in all_stores() {
        let stage = MandateFixture::start(stores).await;
        let life = &stage.life;
        stage.add_mandate(UseLimits { day: limit(2, "100"), ..sums(UseLimits::calls_in_all(2)) }).await;
        let session = life.chat(true).await;
        stage.will_pay(&[("FR76", "10")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&session, "Pay.").await), 0);
        stage.will_pay(&[("DE89", "10"), ("FR76", "20")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&session, "Pay both.").await), 1);
        assert_eq!(stage.mandate().await.uses.unwrap().total.calls, 2, "the waiting payment has a use");

        let delete = DeleteSession::new(life.mail_sender.clone());
        delete.run(&life.workspace, &session, "ann".into()).await.unwrap();
        let uses = stage.mandate().await.uses.unwrap();
        assert_eq!((uses.total.calls, uses.total.sum), (1, "10".parse().unwrap()), "{uses:?}");
        let other = life.chat(true).await;
        stage.will_pay(&[("FR76", "30")]);
        assert_eq!(waiting_calls(&life.send_and_wait(&other, "Pay.").await), 0, "there is room again");
    }
}

/// These limits, with the amounts summed.
fn sums(limits: UseLimits) -> UseLimits {
    UseLimits { summed: Some("amount".into()), ..limits }
}
