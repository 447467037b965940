//! Shows what a model may ask of the notice board, as the catalogue has it.

use std::sync::Arc;

use custom_executor::Board;
use entracte_application::commands::{Catalog, CatalogError};

fn main() -> Result<(), CatalogError> {
    let catalog = Catalog::new(&[Arc::new(Board::default())])?;
    for word in ["BOARD", "PIN"] {
        if let Some(entry) = catalog.find(word) {
            println!("{word}: {} ({})", entry.spec.doc, entry.spec.effect.word());
        }
    }
    Ok(())
}
