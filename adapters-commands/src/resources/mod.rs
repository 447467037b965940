//! The executor of a workspace's own data: its shared texts, and (feature `resources`) zones, their tools and the tools'
//! entries.
//!
//! Actions are of class `local`: they *plan* changes and never write. Queries read committed rows. Plans may be
//! computed more than once (for a description, and again after a conflict), so they depend only on the request and
//! the rows: ids of new rows derive from the call's id.
//!
//! To add a command: a file with a `ResourceQuery` or a `ResourceAction` (see `command.rs`), and a line in
//! `data_queries` or `data_actions` below. To add a tool type: a file in `tool_types/`.

#[cfg(feature = "resources")]
mod app_state;
mod call_context;
#[cfg(feature = "resources")]
mod changes;
mod command;
#[cfg(feature = "resources")]
mod contained_values;
#[cfg(feature = "resources")]
mod data_model;
#[cfg(feature = "resources")]
mod data_sections;
mod decoded_resource;
#[cfg(feature = "resources")]
mod enrichments;
#[cfg(feature = "resources")]
mod instant_range;
mod overwritten_values;
mod pages;
mod refusal;
#[cfg(feature = "resources")]
mod resource_kinds;
#[cfg(feature = "resources")]
mod scan;
#[cfg(feature = "resources")]
mod schema_check;
#[cfg(feature = "resources")]
mod schemas;
mod shared_texts;
#[cfg(feature = "resources")]
mod targets;
#[cfg(feature = "resources")]
#[cfg(test)]
mod tests;
#[cfg(feature = "resources")]
mod tool_data;
#[cfg(feature = "resources")]
mod tool_types;
#[cfg(feature = "resources")]
mod tools;
#[cfg(feature = "resources")]
mod updates;
mod value_text;
#[cfg(feature = "resources")]
mod zones;

use std::sync::Arc;

use async_trait::async_trait;
#[cfg(feature = "resources")]
use entracte_application::ports::ResourceModel;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, SchemaRequirement, StoreError,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::value::JsonValue;

use self::call_context::ResourceCallContext;
use self::command::{ResourceAction, ResourceQuery};
#[cfg(feature = "resources")]
pub use self::data_model::WorkspaceDataModel;
pub use self::shared_texts::SharedTextLimits;
#[cfg(feature = "resources")]
use self::tool_types::ToolTypeRegistry;
use crate::call_outcome::{retryable, succeeded, unknown_command};
use crate::display_text::one_line;

/// Runs the commands on a workspace's own data.
pub struct ResourcesExecutor {
    rows: Arc<dyn ResourceReader>,
    #[cfg(feature = "resources")]
    types: Arc<ToolTypeRegistry>,
    queries: Vec<(String, Box<dyn ResourceQuery>)>,
    actions: Vec<(String, Box<dyn ResourceAction>)>,
}

/// The queries of shared texts.
fn shared_text_queries() -> [Box<dyn ResourceQuery>; 2] {
    [Box::new(shared_texts::list::ListSharedTexts), Box::new(shared_texts::get::GetSharedText)]
}

/// The actions on shared texts.
fn shared_text_actions(limits: SharedTextLimits) -> [Box<dyn ResourceAction>; 4] {
    [
        Box::new(shared_texts::propose::ProposeSharedText { limits }),
        Box::new(shared_texts::publish::PublishSharedText { limits }),
        Box::new(shared_texts::discard::DiscardSharedText),
        Box::new(shared_texts::delete::DeleteSharedText),
    ]
}

/// The queries of zones, tools and entries.
#[cfg(feature = "resources")]
fn data_queries() -> Vec<Box<dyn ResourceQuery>> {
    vec![
        Box::new(zones::list::ListZones),
        Box::new(zones::get::GetZone),
        Box::new(tools::list::ListTools),
        Box::new(tools::get::GetTool),
        Box::new(tool_data::get::GetData),
        Box::new(tool_data::stats::EntryStatsQuery),
        Box::new(schemas::GetSchemaQuery),
        Box::new(app_state::AppStateQuery),
    ]
}

#[cfg(not(feature = "resources"))]
fn data_queries() -> Vec<Box<dyn ResourceQuery>> {
    Vec::new()
}

/// The actions on zones, tools and entries.
#[cfg(feature = "resources")]
fn data_actions() -> Vec<Box<dyn ResourceAction>> {
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
    ]
}

#[cfg(not(feature = "resources"))]
fn data_actions() -> Vec<Box<dyn ResourceAction>> {
    Vec::new()
}

fn queries() -> Vec<Box<dyn ResourceQuery>> {
    data_queries().into_iter().chain(shared_text_queries()).collect()
}

fn actions(limits: SharedTextLimits) -> Vec<Box<dyn ResourceAction>> {
    data_actions().into_iter().chain(shared_text_actions(limits)).collect()
}

impl ResourcesExecutor {
    /// An executor whose queries read `rows`; `plan`, `describe` and `target` read the rows passed to them.
    pub fn new(rows: Arc<dyn ResourceReader>) -> Self {
        Self {
            rows,
            #[cfg(feature = "resources")]
            types: Arc::new(ToolTypeRegistry::built_in()),
            queries: queries().into_iter().map(|query| (query.spec().name, query)).collect(),
            actions: named(actions(SharedTextLimits::default())),
        }
    }

    /// Sets the limits of the shared texts.
    #[must_use]
    pub fn with_limits(self, limits: SharedTextLimits) -> Self {
        Self { actions: named(actions(limits)), ..self }
    }

    /// The executor with other tool types.
    #[cfg(feature = "resources")]
    #[cfg(test)]
    fn with_types(self, types: ToolTypeRegistry) -> Self {
        Self { types: Arc::new(types), ..self }
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
        ResourceCallContext::new(
            request,
            rows,
            #[cfg(feature = "resources")]
            &self.types,
        )
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

    #[cfg(feature = "resources")]
    fn resource_model(&self) -> Option<Arc<dyn ResourceModel>> {
        Some(Arc::new(WorkspaceDataModel::with_types(self.types.clone())))
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
