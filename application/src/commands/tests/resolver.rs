use std::sync::Arc;

use entracte_domain::validation::{ApprovalReason, ValidationLevel};
use mockall::predicate::{always, eq};

use crate::commands::resolver::{ApprovalSources, describe, resolve, standing_flags};
use crate::commands::{CallAttempt, request_for};
use crate::kit::{
    CREATE, LIST, MachineSessionFixture, NOON, catalog_of, command, create, executor, list, unavailable,
    workspace,
};
use crate::ports::CommandSpec;
use crate::ports::*;
use crate::settings::{Language, WorkspaceLocale, WorkspaceSettings};
use crate::texts::LocalizedTexts;

/// The levels that may require approval of an action, each separately.
#[derive(Clone, Copy, Default)]
struct ApprovalLevelsFixture {
    workspace: bool,
    session: bool,
    model: bool,
    /// Flags in the rows of the zone and of the tool that the action touches.
    zone: Option<&'static str>,
    tool: Option<&'static str>,
    destructive: bool,
    egress: bool,
    command: bool,
}

const YES: &str = r#"{"require_validation":true}"#;
const NO: &str = r#"{"require_validation":false}"#;

/// Why `entries.create` needs approval, in a zone “Health” with a tool “Weight”.
async fn reasons(asks: ApprovalLevelsFixture) -> Vec<ApprovalReason> {
    let spec =
        CommandSpec { destructive: asks.destructive, egress: asks.egress, asks: asks.command, ..create() };
    let mut executor = executor(vec![spec]);
    executor.expect_target().returning(|_, _| {
        Ok(ActionTarget {
            containers: vec![touched("zone", "z1")],
            contained: vec![touched("tool", "gone"), touched("tool", "t1")],
        })
    });
    let mut rows = MockResourceReader::new();
    rows.expect_resource().with(eq(workspace()), always(), always()).returning(move |_, kind, id| {
        Ok(match (kind, id) {
            ("zone", "z1") => asks.zone.map(|body| row(kind, id, "Health", body)),
            ("tool", "t1") => asks.tool.map(|body| row(kind, id, "Weight", body)),
            _ => None,
        })
    });
    let rows: Arc<dyn ResourceReader> = Arc::new(rows);
    let catalog = catalog_of(executor);
    let settings = WorkspaceSettings { require_validation: asks.workspace, ..WorkspaceSettings::default() };
    let (session, ai_request) = (asks.session, asks.model);
    let asking = ApprovalSources { settings: &settings, session, ai_request, policy: None };
    resolve(catalog.find(CREATE).unwrap(), request(CREATE), asking, &rows).await.unwrap()
}

fn request(name: &str) -> CallRequest {
    let call = MachineSessionFixture::chat().facts.id.call_id(4, 0);
    request_for(
        &MachineSessionFixture::chat().facts,
        None,
        WorkspaceLocale::default(),
        &call,
        &command(name),
        CallAttempt::default(),
        NOON,
    )
}

fn touched(kind: &'static str, id: &str) -> TouchedRow {
    TouchedRow { kind, id: id.to_owned() }
}

fn row(kind: &str, id: &str, name: &str, body: &str) -> ResourceRow {
    ResourceRow {
        kind: kind.into(),
        id: id.into(),
        parent: None,
        parent_kind: None,
        name: name.into(),
        at: None,
        version: 1,
        body: body.into(),
        created_at: NOON,
        updated_at: NOON,
    }
}

#[tokio::test]
async fn action_without_flags_needs_no_approval() {
    assert_eq!(reasons(ApprovalLevelsFixture::default()).await, []);
    let asked_and_said_no =
        ApprovalLevelsFixture { zone: Some(NO), tool: Some(NO), ..ApprovalLevelsFixture::default() };
    assert_eq!(reasons(asked_and_said_no).await, []);
    // A row with an unreadable flag requires nothing.
    let unreadable =
        ApprovalLevelsFixture { zone: Some("{"), tool: Some("{}"), ..ApprovalLevelsFixture::default() };
    assert_eq!(reasons(unreadable).await, []);
}

#[tokio::test]
async fn each_level_gives_its_reason() {
    let none = ApprovalLevelsFixture::default();
    let cases = [
        (
            ApprovalLevelsFixture { workspace: true, ..none },
            ValidationLevel::App,
            "the workspace requires approval for every action",
        ),
        (
            ApprovalLevelsFixture { zone: Some(YES), ..none },
            ValidationLevel::Container,
            "the zone “Health” requires approval for every action",
        ),
        (
            ApprovalLevelsFixture { tool: Some(YES), ..none },
            ValidationLevel::Contained,
            "the tool “Weight” requires approval for every action",
        ),
        (
            ApprovalLevelsFixture { session: true, ..none },
            ValidationLevel::Session,
            "this session requires approval for every action",
        ),
        (
            ApprovalLevelsFixture { model: true, ..none },
            ValidationLevel::AiRequest,
            "the model asked for your approval",
        ),
        (
            ApprovalLevelsFixture { destructive: true, ..none },
            ValidationLevel::Catalog,
            "this cannot be undone",
        ),
        (
            ApprovalLevelsFixture { egress: true, ..none },
            ValidationLevel::Catalog,
            "this sends data out of the workspace",
        ),
        (
            ApprovalLevelsFixture { command: true, ..none },
            ValidationLevel::Catalog,
            "a person decides on this each time",
        ),
    ];
    for (asks, level, text) in cases {
        let said: Vec<_> = reasons(asks)
            .await
            .iter()
            .map(|reason| {
                (reason.level, LocalizedTexts::for_language(Language::En).render_speech(&reason.text))
            })
            .collect();
        assert_eq!(said, [(level, text.to_owned())]);
    }
}

#[tokio::test]
async fn all_requiring_levels_give_reasons() {
    let all = ApprovalLevelsFixture {
        workspace: true,
        session: true,
        model: true,
        zone: Some(YES),
        tool: Some(YES),
        destructive: true,
        egress: true,
        command: true,
    };
    let levels: Vec<ValidationLevel> = reasons(all).await.into_iter().map(|reason| reason.level).collect();
    let expected = [
        ValidationLevel::App,
        ValidationLevel::Container,
        ValidationLevel::Contained,
        ValidationLevel::Session,
        ValidationLevel::AiRequest,
        ValidationLevel::Catalog,
        ValidationLevel::Catalog,
        ValidationLevel::Catalog,
    ];
    assert_eq!(levels, expected);
}

#[tokio::test]
async fn query_needs_no_approval_and_reads_nothing() {
    let catalog = catalog_of(executor(vec![list()]));
    let rows: Arc<dyn ResourceReader> = Arc::new(MockResourceReader::new());
    let settings = WorkspaceSettings { require_validation: true, ..WorkspaceSettings::default() };
    let asking = ApprovalSources { settings: &settings, session: true, ai_request: true, policy: None };
    let reasons = resolve(catalog.find(LIST).unwrap(), request(LIST), asking, &rows).await;
    assert_eq!(reasons.unwrap(), []);
}

#[tokio::test]
async fn query_that_sends_data_out_asks_at_every_level() {
    let mut executor = executor(vec![CommandSpec { egress: true, ..list() }]);
    executor.expect_target().returning(|_, _| Ok(ActionTarget::default()));
    let catalog = catalog_of(executor);
    let rows: Arc<dyn ResourceReader> = Arc::new(MockResourceReader::new());
    let settings = WorkspaceSettings { require_validation: true, ..WorkspaceSettings::default() };
    let asking = ApprovalSources { settings: &settings, session: true, ai_request: true, policy: None };
    let reasons = resolve(catalog.find(LIST).unwrap(), request(LIST), asking, &rows).await.unwrap();
    let levels: Vec<ValidationLevel> = reasons.iter().map(|reason| reason.level).collect();
    let expected = [
        ValidationLevel::App,
        ValidationLevel::Session,
        ValidationLevel::AiRequest,
        ValidationLevel::Catalog,
    ];
    assert_eq!(levels, expected);
}

#[tokio::test]
async fn unreadable_rows_are_an_error_not_approval() {
    let mut executor = executor(vec![create()]);
    executor.expect_target().returning(|_, _| {
        Ok(ActionTarget { containers: vec![touched("zone", "z1")], contained: Vec::new() })
    });
    let catalog = catalog_of(executor);
    let mut rows = MockResourceReader::new();
    rows.expect_resource().returning(|_, _, _| Err(unavailable()));
    let rows: Arc<dyn ResourceReader> = Arc::new(rows);
    let settings = WorkspaceSettings::default();
    let asking = ApprovalSources { settings: &settings, session: false, ai_request: false, policy: None };
    let resolved = resolve(catalog.find(CREATE).unwrap(), request(CREATE), asking, &rows).await;
    assert!(matches!(resolved, Err(StoreError::Unavailable(_))), "{resolved:?}");
}

#[tokio::test]
async fn an_action_is_described_by_its_executor() {
    let description =
        ActionDescription { says: "Create 1 entry in Weight".into(), ..ActionDescription::default() };
    let said = description.clone();
    let mut executor = executor(vec![create()]);
    executor
        .expect_describe()
        .withf(|asked, _| *asked == request(CREATE))
        .returning(move |_, _| Ok(said.clone()));
    let catalog = catalog_of(executor);
    let rows: Arc<dyn ResourceReader> = Arc::new(MockResourceReader::new());
    let described = describe(catalog.find(CREATE).unwrap(), request(CREATE), &rows).await;
    assert_eq!(described.unwrap(), description);
}

/// Input: an executor that gives three fields one name, which a fourth field has with a number; expected: all of
/// them are on the card, each under its own name, and the first keeps its name.
#[tokio::test]
async fn card_fields_get_unique_names() {
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let tools =
        [("tool", "Alpha"), ("tool", "Beta"), ("tool (2)", "Delta"), ("tool", "Gamma"), ("name", "Health")];
    let tools = tools.map(|(name, value)| field(name, value)).to_vec();
    let said = ActionDescription { before: tools.clone(), after: tools, ..ActionDescription::default() };
    let mut executor = executor(vec![create()]);
    executor.expect_describe().returning(move |_, _| Ok(said.clone()));
    let catalog = catalog_of(executor);
    let rows: Arc<dyn ResourceReader> = Arc::new(MockResourceReader::new());
    let described = describe(catalog.find(CREATE).unwrap(), request(CREATE), &rows).await.unwrap();
    let expected = [
        field("tool", "Alpha"),
        field("tool (3)", "Beta"),
        field("tool (2)", "Delta"),
        field("tool (4)", "Gamma"),
        field("name", "Health"),
    ];
    assert_eq!(described.before, expected);
    assert_eq!(described.after, expected, "the same field has the same name before and after");
}

/// Input: a workspace where every action needs approval; expected: a plan proposal needs it, and a step's
/// progress report does not.
#[test]
fn plan_step_needs_no_approval() {
    let settings = WorkspaceSettings { require_validation: true, ..WorkspaceSettings::default() };
    let asking = ApprovalSources { settings: &settings, session: true, ai_request: false, policy: None };
    let asks = |name: &str| standing_flags(&CommandSpec { name: name.into(), ..create() }, asking);
    assert_eq!(asks("plan.step"), None);
    assert!(asks("plan.propose").is_some_and(|flags| flags.command_asks.is_some() && flags.app));
    assert!(asks(CREATE).is_some_and(|flags| flags.command_asks.is_none() && flags.app));
    assert_eq!(standing_flags(&list(), asking), None, "a query never does");
}
