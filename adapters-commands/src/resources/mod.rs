//! The executor of a workspace's own data: zones, their tools, the tools' entries, and its shared texts.
//!
//! Actions are of class `local`: they *plan* changes and never write. Queries read committed rows. Plans may be
//! computed more than once (for a description, and again after a conflict), so they depend only on the request and
//! the rows: ids of new rows derive from the call's id.
//!
//! To add a command: a file with a `ResourceQuery` or a `ResourceAction` (see `command.rs`), and a line in `queries`
//! or `actions` below. To add a tool type: a file in `tool_types/`.

mod app_state;
mod call_context;
mod changes;
mod command;
mod decoded_resource;
mod instant_range;
mod overwritten_values;
mod pages;
mod refusal;
mod scan;
mod schema_check;
mod schemas;
mod shared_texts;
mod targets;
#[cfg(test)]
mod tests;
mod tool_data;
mod tool_types;
mod tools;
mod updates;
mod value_text;
mod zones;

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, SchemaRequirement, StoreError, ToolTypeSpec,
};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::value::JsonValue;

use self::call_context::ResourceCallContext;
use self::command::{ResourceAction, ResourceQuery};
pub use self::shared_texts::SharedTextLimits;
use self::tool_types::ToolTypeRegistry;
use crate::call_outcome::{retryable, succeeded, unknown_command};
use crate::display_text::one_line;

/// Runs the commands on a workspace's own data.
pub struct ResourcesExecutor {
    rows: Arc<dyn ResourceReader>,
    types: ToolTypeRegistry,
    queries: Vec<(String, Box<dyn ResourceQuery>)>,
    actions: Vec<(String, Box<dyn ResourceAction>)>,
}

fn queries() -> Vec<Box<dyn ResourceQuery>> {
    vec![
        Box::new(zones::list::ListZones),
        Box::new(zones::get::GetZone),
        Box::new(tools::list::ListTools),
        Box::new(tools::get::GetTool),
        Box::new(tool_data::get::GetData),
        Box::new(tool_data::stats::EntryStatsQuery),
        Box::new(schemas::GetSchemaQuery),
        Box::new(app_state::AppStateQuery),
        Box::new(shared_texts::list::ListSharedTexts),
        Box::new(shared_texts::get::GetSharedText),
    ]
}

fn actions(limits: SharedTextLimits) -> Vec<Box<dyn ResourceAction>> {
    vec![
        Box::new(zones::create::CreateZone),
        Box::new(zones::update::UpdateZone),
        Box::new(zones::delete::DeleteZone),
        Box::new(tools::create::CreateTool),
        Box::new(tools::update::UpdateTool),
        Box::new(tools::delete::DeleteTool),
        Box::new(tool_data::create::CreateData),
        Box::new(tool_data::update::UpdateData),
        Box::new(tool_data::delete::DeleteData),
        Box::new(shared_texts::propose::ProposeSharedText { limits }),
        Box::new(shared_texts::publish::PublishSharedText { limits }),
        Box::new(shared_texts::discard::DiscardSharedText),
        Box::new(shared_texts::delete::DeleteSharedText),
    ]
}

impl ResourcesExecutor {
    /// An executor whose queries read `rows`; `plan`, `describe` and `target` read the rows passed to them.
    pub fn new(rows: Arc<dyn ResourceReader>) -> Self {
        Self::with_types(rows, ToolTypeRegistry::built_in())
    }

    /// Sets the limits of the shared texts.
    #[must_use]
    pub fn with_limits(self, limits: SharedTextLimits) -> Self {
        Self { actions: named(actions(limits)), ..self }
    }

    fn with_types(rows: Arc<dyn ResourceReader>, types: ToolTypeRegistry) -> Self {
        Self {
            rows,
            types,
            queries: queries().into_iter().map(|query| (query.spec().name, query)).collect(),
            actions: named(actions(SharedTextLimits::default())),
        }
    }

    fn query(&self, request: &CallRequest) -> Result<&dyn ResourceQuery, CallFailure> {
        let found = self.queries.iter().find(|(known, _)| *known == request.command.name);
        found.map(|(_, query)| &**query).ok_or_else(|| unknown_command(request))
    }

    fn action(&self, request: &CallRequest) -> Result<&dyn ResourceAction, CallFailure> {
        let found = self.actions.iter().find(|(known, _)| *known == request.command.name);
        found.map(|(_, action)| &**action).ok_or_else(|| unknown_command(request))
    }

    fn call_context<'a>(
        &'a self,
        request: &'a CallRequest,
        rows: &'a dyn ResourceReader,
    ) -> ResourceCallContext<'a> {
        ResourceCallContext::new(request, rows, &self.types)
    }

    async fn answer(&self, request: &CallRequest) -> Result<String, ActionPlanError> {
        let query = self.query(request).map_err(ActionPlanError::Refused)?;
        Ok(query.answer(&self.call_context(request, &*self.rows)).await?.to_json())
    }
}

#[async_trait]
impl CommandExecutor for ResourcesExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let queries = self.queries.iter().map(|(_, query)| query.spec());
        queries.chain(self.actions.iter().map(|(_, action)| action.spec())).collect()
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    fn tool_types(&self, language: Language) -> Vec<ToolTypeSpec> {
        self.types.specs(language)
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        match self.answer(&request).await {
            Ok(content) => succeeded(content),
            Err(ActionPlanError::Refused(failure)) => CallOutcome::Failed(failure),
            Err(ActionPlanError::Store(fault)) => {
                tracing::warn!(call = %request.call, %fault, "a query could not read its rows");
                let texts = LocalizedTexts::for_language(request.locale.language);
                retryable("STORE_ERROR", say!(texts, "resources-unreadable"))
            }
        }
    }

    async fn plan(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let action = self.action(&request).map_err(ActionPlanError::Refused)?;
        let decided = action.decide(&self.call_context(&request, &*rows)).await?;
        Ok(ActionPlan { changes: decided.changes, content: decided.content.to_json() })
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let action = match self.action(&request) {
            Ok(action) => action,
            Err(failure) => return Ok(would_be_refused(&request, &failure)),
        };
        match action.decide(&self.call_context(&request, &*rows)).await {
            Ok(decided) => Ok(on_one_line(decided.description)),
            Err(ActionPlanError::Refused(failure)) => Ok(would_be_refused(&request, &failure)),
            Err(ActionPlanError::Store(fault)) => Err(fault),
        }
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        match self.action(&request) {
            Ok(action) => action.target(&self.call_context(&request, &*rows)).await,
            Err(_) => Ok(ActionTarget::default()),
        }
    }

    async fn overwrites(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        match self.action(&request) {
            Ok(action) => action.overwrites(&self.call_context(&request, &*rows)).await,
            Err(_) => Ok(Vec::new()),
        }
    }

    async fn schema(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaRequirement>, StoreError> {
        let seen = self.call_context(&request, &*rows);
        match (self.query(&request), self.action(&request)) {
            (Ok(query), _) => query.schema(&seen).await,
            (Err(_), Ok(action)) => action.schema(&seen).await,
            (Err(_), Err(_)) => Ok(None),
        }
    }
}

fn named(actions: Vec<Box<dyn ResourceAction>>) -> Vec<(String, Box<dyn ResourceAction>)> {
    actions.into_iter().map(|action| (action.spec().name, action)).collect()
}

/// Puts the sentence on one line; the fields keep their line breaks.
fn on_one_line(description: ActionDescription) -> ActionDescription {
    ActionDescription { says: one_line(&description.says), ..description }
}

/// Describes an action that is impossible now: its unchanged arguments, and the reason.
fn would_be_refused(request: &CallRequest, failure: &CallFailure) -> ActionDescription {
    ActionDescription {
        says: one_line(&format!("{} {}", request.command.name, request.command.arguments.to_json())),
        warnings: vec![say!(
            LocalizedTexts::for_language(request.locale.language),
            "resources-warn-refused",
            why = &failure.message
        )],
        ..ActionDescription::default()
    }
}
