//! What the application asks of the outside: one trait per role, each with its own errors in its own words.
//!
//! Every port is object safe and used as `Arc<dyn _>`. With the feature `test-helpers` each has a `mockall`
//! mock (`MockStore`, `MockProvider`, …).

mod access_store;
mod automation_reader;
mod automation_rows;
mod by_hand;
mod clock;
mod command_executor;
mod command_spec;
mod connectivity;
mod feed;
mod id_generator;
mod log_reader;
mod mail_sender;
mod mail_store;
mod notification_sender;
mod observer;
mod outage;
mod outbox_store;
mod owner_book;
mod ownership;
mod person_secrets;
mod provider;
mod receipts;
mod resource_reader;
mod schedule_calculator;
mod scrubber;
mod secret_store;
mod store;
mod written;

pub use access_store::*;
pub use automation_reader::*;
pub use automation_rows::*;
pub use by_hand::*;
pub use clock::*;
pub use command_executor::*;
pub use command_spec::*;
pub use connectivity::*;
pub use feed::*;
pub use id_generator::*;
pub use log_reader::*;
pub use mail_sender::*;
pub use mail_store::*;
pub use notification_sender::*;
pub use observer::*;
pub use outage::*;
pub use outbox_store::*;
pub use owner_book::*;
pub use ownership::*;
pub use person_secrets::*;
pub use provider::*;
pub use receipts::*;
pub use resource_reader::*;
pub use schedule_calculator::*;
pub use scrubber::*;
pub use secret_store::*;
pub use store::*;
pub use written::*;
