//! Prints the commands of the notice board that a model may request, as the catalog declares them.

use std::sync::Arc;

use custom_executor::NoticeBoard;
use entracte_application::commands::{Catalog, CatalogError};

fn main() -> Result<(), CatalogError> {
    let catalog = Catalog::new(&[Arc::new(NoticeBoard::default())])?;
    for word in ["BOARD", "PIN"] {
        if let Some(entry) = catalog.find(word) {
            println!("{word}: {} ({})", entry.spec.doc, entry.spec.effect.word());
        }
    }
    Ok(())
}
