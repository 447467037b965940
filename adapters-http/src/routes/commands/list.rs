//! Lists the commands of the catalog, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::commands::{Catalog, RefusedCommand};
use entracte_application::ports::CommandSpec;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::settings_or_first_of;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::admin::refused;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::command::{CommandPageShape, CommandShape, DeclarationRemarkShape};

/// The commands of the catalog, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands",
    operation_id = "list_commands",
    tag = "commands",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = CommandPageShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_commands(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<CommandPageShape> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let prompts = settings_or_first_of(&*ports.store, workspace, &state.terms.runtime).await?.language;
    let language = caller.reader().in_workspace(prompts);
    let texts = LocalizedTexts::for_language(language);
    let catalog = ports.catalog.get();
    let gaps = ports.operator.external_tool_gaps(language).map_err(refused)?;
    let unusable = gaps.unusable.into_iter().map(|tool| DeclarationRemarkShape {
        name: tool.name,
        argument: tool.argument,
        why: tool.why,
    });
    let out_of_use = refused_declarations(&catalog, texts).into_iter().chain(unusable).collect();
    let key = |spec: &&CommandSpec| spec.name.clone();
    let specs = catalog.entries().map(|known| &known.spec).collect();
    let Page { items, next } = page_of_list(specs, "commands", &query, key)?;
    Ok(JsonResponse(CommandPageShape {
        items: items.into_iter().map(|spec| CommandShape::new(spec, language, prompts)).collect(),
        next,
        out_of_use,
        unchecked: unchecked_declarations(&catalog, texts),
        unlisted_servers: gaps.unlisted_servers,
    }))
}

/// Declarations that the catalog disabled.
fn refused_declarations(catalog: &Catalog, texts: &LocalizedTexts) -> Vec<DeclarationRemarkShape> {
    let remark = |refused: &RefusedCommand| DeclarationRemarkShape {
        name: refused.name.clone(),
        argument: refused.argument.clone(),
        why: refused.why.describe(texts),
    };
    catalog.refused_commands().iter().map(remark).collect()
}

/// Parts of schemas in use that are not checked, or not as they say.
fn unchecked_declarations(catalog: &Catalog, texts: &LocalizedTexts) -> Vec<DeclarationRemarkShape> {
    let remarks = catalog.entries().flat_map(|known| {
        known.schema_remarks().iter().map(|remark| DeclarationRemarkShape {
            name: known.spec.name.clone(),
            argument: remark.argument().map(str::to_owned),
            why: remark.describe(texts),
        })
    });
    remarks.collect()
}
