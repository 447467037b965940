use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};

use super::*;
use crate::command_naming::CommandNaming;
use crate::ports::MockClock;
use crate::settings::WorkspaceLocale;

/// A source whose answer contains the number of reads.
#[derive(Default)]
struct CountingContextSource {
    asked: AtomicU32,
    /// Whether the source fails.
    is_down: std::sync::atomic::AtomicBool,
}

#[async_trait]
impl UserContextSource for CountingContextSource {
    async fn read(&self, of: &UserContextQuery, _: Language) -> Result<UserContext, UserContextUnavailable> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if self.is_down.load(Ordering::Relaxed) {
            return Err(UserContextUnavailable("the CRM is down".into()));
        }
        let text = format!(r#"{{"company_name":"{}","asked":{asked}}}"#, of.session);
        Ok(UserContext::read(&text).unwrap())
    }
}

struct UserContextFixture {
    source: Arc<CountingContextSource>,
    passed: Arc<AtomicI64>,
    executor: ContextExecutor,
}

fn scene() -> UserContextFixture {
    let (source, passed) = (Arc::new(CountingContextSource::default()), Arc::new(AtomicI64::new(0)));
    let mut clock = MockClock::new();
    let now = passed.clone();
    clock.expect_monotonic().returning(move || Millis(now.load(Ordering::Relaxed)));
    let now = passed.clone();
    clock.expect_now().returning(move || Timestamp(now.load(Ordering::Relaxed) * 1_000));
    // A source that answers immediately is not late.
    clock.expect_sleep().returning(|_| ());
    let sources: Vec<Arc<dyn UserContextSource>> = vec![source.clone()];
    let executor = ContextExecutor::new(sources, Arc::new(clock), CONTEXT_CACHE, CONTEXT_TIMEOUT);
    UserContextFixture { source, passed, executor }
}

impl UserContextFixture {
    async fn get(&self, session: &str) -> CallOutcome {
        let request = CallRequest {
            workspace: WorkspaceKey::new("ann:home"),
            session: SessionId::new(session),
            call: CallId::new("cal_1"),
            command: Command { name: ContextExecutor::NAME.into(), arguments: JsonValue::Object(Vec::new()) },
            acts_as: Some("ann".into()),
            via: Vec::new(),
            key: String::new(),
            task: None,
            attempt: 1,
            now: Timestamp(0),
            reference: Timestamp(0),
            locale: WorkspaceLocale::default(),
            naming: CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: crate::ports::CallProgressSink::default(),
        };
        self.executor.run(request).await
    }

    async fn says(&self, session: &str) -> String {
        match self.get(session).await {
            CallOutcome::Succeeded { content, .. } => content,
            other => panic!("{other:?}"),
        }
    }

    fn at(&self, seconds: i64) {
        self.passed.store(seconds * 1_000, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn user_context_is_cached_300_seconds() {
    let scene = scene();
    let first = r#"{"context":{"asked":1,"company_name":"ses_1"}}"#;
    assert_eq!(scene.says("ses_1").await, first);
    scene.at(299);
    assert_eq!(scene.says("ses_1").await, first);
    assert_eq!(scene.says("ses_2").await, r#"{"context":{"asked":2,"company_name":"ses_2"}}"#, "its own");
    scene.at(300);
    assert_eq!(scene.says("ses_1").await, r#"{"context":{"asked":3,"company_name":"ses_1"}}"#);
}

#[tokio::test]
async fn failed_source_keeps_last_answer_with_note() {
    let scene = scene();
    scene.says("ses_1").await;
    scene.at(300);
    scene.source.is_down.store(true, Ordering::Relaxed);
    let said = scene.says("ses_1").await;
    assert!(said.starts_with(r#"{"context":{"asked":1,"company_name":"ses_1"},"note":""#), "{said}");
    assert!(said.contains("the CRM is down") && said.contains("1970-01-01T00:00:00Z"), "{said}");
    for (at, expected) in [(329, 2), (330, 3)] {
        scene.at(at);
        scene.says("ses_1").await;
        assert_eq!(scene.source.asked.load(Ordering::Relaxed), expected, "asked again soon, and not at once");
    }
    match scene.get("ses_2").await {
        CallOutcome::Failed(failure) => {
            assert_eq!((failure.code.as_str(), failure.retryable), ("CONTEXT_UNAVAILABLE", true));
            assert!(failure.message.contains("the CRM is down"), "{}", failure.message);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn late_source_counts_as_failed() {
    struct SilentContextSource;
    #[async_trait]
    impl UserContextSource for SilentContextSource {
        async fn read(
            &self,
            _: &UserContextQuery,
            _: Language,
        ) -> Result<UserContext, UserContextUnavailable> {
            std::future::pending().await
        }
    }
    let mut clock = MockClock::new();
    clock.expect_monotonic().returning(|| Millis(0));
    clock.expect_sleep().returning(|_| ());
    let executor = ContextExecutor::new(
        vec![Arc::new(SilentContextSource)],
        Arc::new(clock),
        CONTEXT_CACHE,
        CONTEXT_TIMEOUT,
    );
    let scene = UserContextFixture { executor, ..scene() };
    let CallOutcome::Failed(failure) = scene.get("ses_1").await else { panic!() };
    assert!(failure.message.contains("within 10 seconds"), "{}", failure.message);
}
