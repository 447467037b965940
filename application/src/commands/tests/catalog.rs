use std::sync::Arc;

use entracte_domain::command::{CommandKind, CommandTerms, EffectClass};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::agents::AgentDeclaration;
use crate::commands::{
    AgentsExecutor, Catalog, CatalogError, ContextExecutor, FilesExecutor, FindCommandsExecutor,
    HistoryExecutor, PlansExecutor, ResultsExecutor, TasksExecutor,
};
use crate::kit::{CREATE, LIST, catalog, create, executor, list, send};
use crate::ports::{
    CommandApprovers, CommandExecutor, CommandSpec, MockCommandExecutor, MockFileStore, MockLogReader,
    MockTaskReader,
};
use crate::schema::{Schema, SchemaDocument};
use crate::settings::{PlanBounds, SchemaBounds};
use crate::system::{SystemClock, sha256};

/// Builds a catalog of executors that declare these commands.
fn declare(executors: Vec<Vec<CommandSpec>>) -> Result<Catalog, CatalogError> {
    let executors: Vec<Arc<dyn CommandExecutor>> =
        executors.into_iter().map(|specs| Arc::new(executor(specs)) as Arc<dyn CommandExecutor>).collect();
    Catalog::new(&executors)
}

/// The error of a catalog with these commands.
fn fault(executors: Vec<Vec<CommandSpec>>) -> String {
    declare(executors).err().expect("they must not stand in one catalog").to_string()
}

/// The version of a command with this declaration.
fn version(spec: CommandSpec) -> String {
    let name = spec.name.clone();
    declare(vec![vec![spec]]).unwrap().find(&name).unwrap().version.to_string()
}

#[test]
fn command_is_found_by_type_or_name() {
    let catalog = catalog();
    for named in ["CREATE_ENTRY", CREATE] {
        assert_eq!(catalog.find(named).unwrap().spec, create(), "{named}");
    }
    assert!(catalog.find("create_entry").is_none());
    let names: Vec<String> = catalog.specs().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["entries.create", "entries.list", "mail.send"], "by name");
}

#[test]
fn type_equal_to_name_is_no_duplicate() {
    let spec = CommandSpec { word: LIST.into(), ..list() };
    assert_eq!(declare(vec![vec![spec.clone()]]).unwrap().specs(), [spec]);
}

#[test]
fn duplicate_names_across_executors_are_refused() {
    let same_name = CommandSpec { word: "OTHER".into(), ..list() };
    assert_eq!(fault(vec![vec![list()], vec![same_name]]), "the command entries.list is declared twice");
    let same_word = CommandSpec { name: "other".into(), ..list() };
    assert_eq!(fault(vec![vec![list(), same_word]]), "the command LIST_ENTRIES is declared twice");
    let word_is_a_name = CommandSpec { name: "other".into(), word: LIST.into(), ..list() };
    assert_eq!(fault(vec![vec![list(), word_is_a_name]]), "the command entries.list is declared twice");
    // The native tool is called `entries_list`, and the reply must name one command.
    let same_on_the_wire = CommandSpec { name: "entries_list".into(), word: "OTHER".into(), ..list() };
    assert_eq!(fault(vec![vec![list(), same_on_the_wire]]), "the command entries_list is declared twice");
}

#[test]
fn invalid_schema_error_names_its_command() {
    let spec = CommandSpec { schema: json!({ "type": "thing" }).into(), ..list() };
    let text = fault(vec![vec![spec]]);
    assert!(text.starts_with("the schema of the command entries.list is not a JSON Schema: "), "{text}");
}

#[test]
fn probe_without_settle_time_is_refused() {
    let asked = |settle: Millis| CommandSpec { effect: EffectClass::Probe, settle, ..create() };
    let text = fault(vec![vec![list(), asked(Millis(0))]]);
    assert!(
        text.starts_with("the command entries.create is of class probe, and its settle time is 0"),
        "{text}"
    );
    assert!(declare(vec![vec![asked(Millis(1))]]).is_ok());
}

#[test]
fn the_version_changes_with_what_a_command_does() {
    let base = version(create());
    let same = [
        ("doc", CommandSpec { doc: "Better words.".into(), ..create() }),
        ("example", CommandSpec { example: Some(json!({ "tool": "weight" })), ..create() }),
        ("timeout", CommandSpec { timeout: Some(Millis::seconds(3)), ..create() }),
        ("cacheable", CommandSpec { cacheable: true, ..create() }),
    ];
    for (what, spec) in same {
        assert_eq!(version(spec), base, "{what}");
    }
    let two = CommandApprovers { named: Vec::new(), quorum: 2, escalate_after: None };
    let other = [
        ("schema", CommandSpec { schema: json!({ "type": "object" }).into(), ..create() }),
        ("effect", CommandSpec { effect: EffectClass::Once, ..create() }),
        ("kind", CommandSpec { kind: CommandKind::Query, ..create() }),
        ("word", CommandSpec { word: "OTHER".into(), ..create() }),
        ("name", CommandSpec { name: "other".into(), ..create() }),
        ("independent", CommandSpec { independent: true, ..create() }),
        ("destructive", CommandSpec { destructive: true, ..create() }),
        ("egress", CommandSpec { egress: true, ..create() }),
        ("asks", CommandSpec { asks: true, ..create() }),
        ("four eyes", CommandSpec { four_eyes: true, ..create() }),
        ("approvers", CommandSpec { approvers: Some(Box::new(two)), ..create() }),
        ("target", CommandSpec { target: json!({ "url": "https://a.test" }), ..create() }),
        ("settle", CommandSpec { settle: Millis(1), ..create() }),
        ("key_lifetime", CommandSpec { key_lifetime: Millis(1), ..create() }),
    ];
    for (what, spec) in other {
        assert_ne!(version(spec), base, "{what}");
    }
}

#[test]
fn version_ignores_order_of_schema_names() {
    let schema = |text: &str| SchemaDocument::parse(text).unwrap();
    let one = CommandSpec { schema: schema(r#"{"type":"object","required":["a"]}"#), ..list() };
    let other = CommandSpec { schema: schema(r#"{"required":["a"],"type":"object"}"#), ..list() };
    assert_eq!(version(one), version(other));
}

/// Input: numbers of a schema that no machine number holds as they are written, and one of a configuration; expected: the
/// version is that of the declaration with the same digits, so approvals stay open.
#[test]
fn version_keeps_spelling_of_numbers() {
    let schema = r#"{"maximum":1e2,"default":72.50,"minimum":-12345678901234567890.12}"#;
    let schema = SchemaDocument::parse(schema).unwrap();
    let target = json!({ "limit": 0.01 });
    let declared = concat!(
        "LIST_ENTRIES\nentries.list\nQuery\nRead\nfalsefalsefalse\n0\n0\n",
        r#"{"default":72.50,"maximum":1e+2,"minimum":-12345678901234567890.12}"#,
        "\n",
        r#"{"limit":0.01}"#,
    );
    assert_eq!(
        version(CommandSpec { schema, target, ..list() }),
        sha256(declared.as_bytes()).to_string(),
        "{declared}"
    );
}

#[test]
fn catalog_version_ignores_command_order() {
    let of = |executors| declare(executors).unwrap().version().clone();
    let all = of(vec![vec![list(), create(), send()]]);
    assert_eq!(of(vec![vec![send()], vec![create(), list()]]), all);
    assert_ne!(of(vec![vec![list(), create()]]), all);
    assert_ne!(of(vec![vec![list(), create(), CommandSpec { destructive: true, ..send() }]]), all);
}

#[test]
fn argument_faults_name_their_paths() {
    let catalog = catalog();
    let faults = |arguments: JsonValue| {
        let faults = catalog.find(CREATE).unwrap().faults(&arguments);
        faults.iter().map(|fault| fault.sentence()).collect::<Vec<_>>()
    };
    let right =
        JsonValue::from([("tool", JsonValue::from("weight")), ("kg", JsonValue::Number("72.50".into()))]);
    assert_eq!(faults(right), [""; 0]);
    let wrong = JsonValue::from([("tool", JsonValue::from(7)), ("kg", JsonValue::from("much"))]);
    let mut told = faults(wrong);
    told.sort();
    assert_eq!(told, [r#"/kg: "much" is not of type "number""#, r#"/tool: 7 is not of type "string""#]);
    assert_eq!(faults(JsonValue::Object(Vec::new())), [r#""tool" is a required property"#]);
    // Model output that is not JSON becomes a text.
    assert_eq!(faults(JsonValue::from("{oops")), [r#""{oops" is not of type "object""#]);
}

#[test]
fn command_terms_hold_what_recovery_needs() {
    let spec = CommandSpec {
        effect: EffectClass::Probe,
        settle: Millis::seconds(2),
        key_lifetime: Millis::hours(1),
        independent: true,
        state_scopes: vec!["zones".into()],
        destructive: true,
        ..create()
    };
    let catalog = declare(vec![vec![spec]]).unwrap();
    let known = catalog.find(CREATE).unwrap();
    let expected = CommandTerms {
        version: known.version.clone(),
        effect: EffectClass::Probe,
        independent: true,
        state_scopes: vec!["zones".into()],
        destructive: true,
        asks: false,
        settle_ms: 2_000,
        key_lifetime_ms: 3_600_000,
        shows: Vec::new(),
        agent: None,
        task: None,
    };
    assert_eq!(known.terms(), expected);
}

/// A command whose schema is none.
fn without_schema() -> CommandSpec {
    CommandSpec { schema: json!({ "type": "nonsense" }).into(), ..list() }
}

#[test]
fn schemas_compile_lazily() {
    let executor = |are_tested: bool| -> Arc<dyn CommandExecutor> {
        let mut executor = MockCommandExecutor::new();
        executor.expect_commands().return_const(vec![without_schema()]);
        executor.expect_schemas_are_tested().return_const(are_tested);
        executor.expect_resource_model().returning(|| None);
        Arc::new(executor)
    };
    // One that a configuration or a server declares is compiled when it is declared.
    assert!(matches!(Catalog::new(&[executor(false)]), Err(CatalogError::Schema { .. })));
    // One of the program is not, and a faulty one lets no arguments pass.
    let catalog = Catalog::new(&[executor(true)]).unwrap();
    let faults = catalog.find(LIST).unwrap().faults(&JsonValue::Object(Vec::new()));
    assert!(faults[0].text.starts_with("its schema is not a valid JSON Schema"), "{faults:?}");
}

#[test]
fn native_schemas_are_valid() {
    let server = CommandSpec { server: Some("files".into()), ..list() };
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![
        Arc::new(ResultsExecutor::new(Arc::new(MockLogReader::new()), 0)),
        Arc::new(HistoryExecutor::new(Arc::new(MockLogReader::new()))),
        Arc::new(FilesExecutor::new(Arc::new(MockFileStore::new()))),
        Arc::new(PlansExecutor::new(PlanBounds::default())),
        Arc::new(TasksExecutor::new(Arc::new(MockTaskReader::new()))),
        Arc::new(ContextExecutor::new(Vec::new(), Arc::new(SystemClock), Millis(0), Millis(0))),
        Arc::new(AgentsExecutor::new([AgentDeclaration::default().with_name("scout")])),
        Arc::new(FindCommandsExecutor::for_executors(&[Arc::new(executor(vec![server]))]).unwrap()),
    ];
    for executor in executors {
        assert!(executor.schemas_are_tested());
        for spec in executor.commands() {
            let schema = Schema::new(&spec.schema, &SchemaBounds::default());
            assert!(schema.is_ok(), "{}: {schema:?}", spec.name);
        }
    }
}
