use serde::Serialize;

/// `entracte.seen/1`: the items marked as seen.
#[derive(Serialize)]
pub(crate) struct SeenItemsObject {
    schema: &'static str,
    items: Vec<String>,
}

impl SeenItemsObject {
    /// An object of these sessions and tasks.
    pub(crate) fn new(items: Vec<String>) -> Self {
        Self { schema: "entracte.seen/1", items }
    }
}
