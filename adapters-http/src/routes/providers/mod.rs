//! Providers.

pub(crate) mod check;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod models;

use std::sync::Arc;

use entracte_application::ports::Provider;
use entracte_application::visible::one_line;

use crate::house::{House, ProviderEntry};
use crate::problem::{Code, Problem};

/// The entry of this name.
fn entry<'a>(house: &'a House, name: &str) -> Result<&'a ProviderEntry, Problem> {
    let found = house.terms.providers.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| Problem::new(Code::NotFound, format!("there is no provider {}", one_line(name))))
}

/// The provider of this name, to be asked something.
fn made(house: &House, name: &str) -> Result<Arc<dyn Provider>, Problem> {
    let made = house.ports.providers.provider(&entry(house, name)?.name);
    made.map_err(|failure| Problem::new(Code::NotApplicable, failure.message))
}
