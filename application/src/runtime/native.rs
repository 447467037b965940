//! Commands as native tools: how they are offered, and how a call that comes back is read.

use entracte_domain::command::Command;
use entracte_domain::value::Value;

use crate::commands::{Asked, Catalog};
use crate::json;
use crate::ports::{NativeCall, ToolDeclaration};
use crate::protocol::tools::tool_name;

/// The commands of the catalog, as tools.
pub(super) fn declarations(catalog: &Catalog) -> Vec<ToolDeclaration> {
    catalog
        .all()
        .map(|known| ToolDeclaration {
            name: tool_name(&known.spec.name),
            description: known.spec.doc.clone(),
            schema: known.spec.schema.clone(),
        })
        .collect()
}

/// A native call, as the pipeline looks it up. Arguments that are no JSON become a text, which no schema takes.
pub(super) fn asked(catalog: &Catalog, call: &NativeCall) -> Asked {
    let named = catalog.all().find(|known| tool_name(&known.spec.name) == call.name);
    let name = named.map_or_else(|| call.name.clone(), |known| known.spec.name.clone());
    let arguments = if call.arguments.trim().is_empty() {
        Value::Object(Vec::new())
    } else {
        json::parse(&call.arguments).unwrap_or_else(|_| Value::Text(call.arguments.clone()))
    };
    Asked {
        provider_call_id: Some(call.provider_call_id.clone()),
        command: Command { name, arguments },
        listed_as: None,
    }
}
