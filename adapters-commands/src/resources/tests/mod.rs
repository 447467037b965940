//! Commands as the state machine uses them: arguments are checked, plans applied, answers and refusals compared.

mod catalog;
mod fake_rows;
mod filters;
mod languages;
mod queries;
mod schema_use;
mod shared_texts;
mod stats;
mod tool_data;
mod tools;
mod types;
mod warnings;
mod zones;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entracte_application::json_value::to_serde;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor,
    ResourceReader, TouchedRow,
};
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use serde_json::{Value as Json, json};

use self::fake_rows::FakeRows;
use super::ResourcesExecutor;
use super::tool_types::ToolTypeRegistry;

/// A workspace, its executor, and a counter of its calls.
struct ResourcesFixture {
    rows: Arc<FakeRows>,
    executor: ResourcesExecutor,
    calls: AtomicU64,
    locale: WorkspaceLocale,
}

impl ResourcesFixture {
    fn empty() -> Self {
        Self::with_types(ToolTypeRegistry::built_in())
    }

    fn with_types(types: ToolTypeRegistry) -> Self {
        let rows = Arc::new(FakeRows::default());
        let executor = ResourcesExecutor::new(Arc::clone(&rows) as Arc<dyn ResourceReader>).with_types(types);
        Self { rows, executor, calls: AtomicU64::new(0), locale: WorkspaceLocale::default() }
    }

    /// The workspace with another locale.
    fn in_locale(self, locale: WorkspaceLocale) -> Self {
        Self { locale, ..self }
    }

    /// The zone Health (`zon_x_1_0`), with the tool Weight (`tool_x_2_0`, 30 to 200 kg) and one entry (`ent_x_3_0_0`,
    /// 72.50 kg on 2026-11-18).
    async fn health() -> Self {
        let world = Self::empty();
        world.does("zones.create", json!({"name": "Health", "description": "Body"})).await;
        let config = json!({"kind": "numeric", "unit": "kg", "min": 30, "max": 200});
        let weight =
            json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "Weight", "config": config});
        world.does("tools.create", weight).await;
        let entry: Json = json!({"data": {"value": 72.5}, "timestamp": "2026-11-18T00:00:00Z"});
        world.does("tool_data.batch_create", json!({"tool_id": "tool_x_2_0", "entries": [entry]})).await;
        world
    }

    /// Runs a command as the machine would; returns the model's result, or `CODE /path message`.
    async fn does(&self, name: &str, arguments: Json) -> String {
        let request = self.request(name, &arguments);
        let spec = self.executor.commands().into_iter().find(|spec| spec.name == name).unwrap();
        let faults: Vec<String> = jsonschema::validator_for(&to_serde(&spec.schema))
            .unwrap()
            .iter_errors(&arguments)
            .map(|fault| format!("SCHEMA {} {fault}", fault.instance_path()))
            .collect();
        match (faults.first(), spec.kind) {
            (Some(fault), _) => fault.clone(),
            (None, CommandKind::Query) => said(self.executor.run(request).await),
            (None, CommandKind::Action) => self.acts(request).await,
        }
    }

    async fn acts(&self, request: CallRequest) -> String {
        match self.executor.plan(request, self.rows()).await {
            Ok(plan) => {
                self.rows.apply(&plan.changes).unwrap();
                plan.content
            }
            Err(ActionPlanError::Refused(failure)) => refusal(&failure),
            Err(ActionPlanError::Store(fault)) => fault.to_string(),
        }
    }

    /// Describes an action without running it.
    async fn describes(&self, name: &str, arguments: Json) -> String {
        let description = self.executor.describe(self.request(name, &arguments), self.rows()).await.unwrap();
        shown(&description)
    }

    async fn target(&self, name: &str, arguments: Json) -> ActionTarget {
        self.executor.target(self.request(name, &arguments), self.rows()).await.unwrap()
    }

    /// The ids of the containers and of the contained rows that an action touches, joined by spaces.
    async fn touched(&self, name: &str, arguments: Json) -> (String, String) {
        let ids = |rows: Vec<TouchedRow>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>().join(" ");
        let target = self.target(name, arguments).await;
        (ids(target.containers), ids(target.contained))
    }

    async fn executor_plan(&self, request: CallRequest) -> ActionPlan {
        self.executor.plan(request, self.rows()).await.unwrap()
    }

    fn rows(&self) -> Arc<dyn ResourceReader> {
        Arc::clone(&self.rows) as Arc<dyn ResourceReader>
    }

    fn request(&self, name: &str, arguments: &Json) -> CallRequest {
        let sequence = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let now = instant("2026-11-20T12:00:00Z");
        CallRequest {
            workspace: WorkspaceKey::new("user:main"),
            session: SessionId::new("ses_x"),
            call: CallId::new(format!("cal_x_{sequence}_0")),
            command: Command {
                name: name.into(),
                arguments: crate::json::parse(&arguments.to_string()).unwrap(),
            },
            acts_as: None,
            via: Vec::new(),
            key: "key".into(),
            task: None,
            attempt: 1,
            now,
            reference: instant("2026-11-19T12:00:00Z"),
            locale: self.locale.clone(),
            naming: entracte_application::command_naming::CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: entracte_application::ports::CallProgressSink::default(),
        }
    }
}

fn instant(text: &str) -> Timestamp {
    Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_microsecond())
}

fn said(outcome: CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { content, digest, .. } => {
            assert_eq!(digest, crate::call_outcome::digest(&content));
            content
        }
        CallOutcome::Failed(failure) => refusal(&failure),
        other => format!("{other:?}"),
    }
}

fn refusal(failure: &CallFailure) -> String {
    let again = if failure.retryable { " (retryable)" } else { "" };
    format!("{} {} {}{again}", failure.code, failure.path.as_deref().unwrap_or("-"), failure.message)
}

fn shown(description: &ActionDescription) -> String {
    let mut lines = vec![description.says.clone()];
    for (sign, fields) in [("-", &description.before), ("+", &description.after)] {
        lines.extend(fields.iter().map(|(name, value)| format!("{sign} {name}: {value}")));
    }
    lines.extend(description.warnings.iter().map(|warning| format!("! {warning}")));
    lines.join("\n")
}
