//! The test kit of Entracte: fakes, contract suites, and fixtures for end-to-end tests.
//!
//! Without the feature `services` it contains only the [`contracts`], for adapters of other projects, and the stores in
//! memory ([`fakes::memory_store`], [`fakes::memory_access_store`]), for their unit tests.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `test_scale` | The size of tests without a natural end. |
//! | `cryptography` | The cryptography of the TLS connections of the parts under test, as a program passes it in. |
//! | `untrusted_parsers` | Every parser of untrusted bytes, as one function each: no input may make it panic, and it asserts the properties of the result. |
//! | `cost_checks` | Compares the sums of costs that a store keeps with what a full read of the logs gives. |
//! | `machine` | The kit of the machine tests, and the explorer of its states. |
//! | `strict` | The refusals of the real model APIs, rule by rule, as pure checkers of request bodies. |
//! | `contracts` | Contract suites: the behaviours that every store, provider and executor must have, as tests for any implementation (adr 66). |
//! | `aimock` | Starts the mock of model APIs (`@copilotkit/aimock`, installed by `.ci/peers`) for a test. |
//! | `postgres` | Databases of a Postgres server, one for each test. |
//! | `postgres_proxy` | A proxy to a server of Postgres that can cut a connection at a COMMIT. |
//! | `runtime_fixture` | A fixture for end-to-end tests: the real application on a store, with a model that plays given lines and an executor that records external effects. |
//! | `fakes` | Fakes of external systems: complete, simple implementations of ports. |
//! | `virtual_workspace` | One workspace of the real application on virtual time, driven step by step. |
//! | `bench` | The benchmark: the real application on a loopback model that is never the bottleneck. |
//! | `simulate` | The simulator: the real application on virtual time, with a random model and a process that may crash between any two steps. |
//! | `crash` | The crash proof: scenarios of the product, killed with -9 at every crash point and at random instants. |
#[cfg(feature = "services")]
pub mod aimock;
#[cfg(feature = "services")]
pub mod bench;
pub mod contracts;
#[cfg(feature = "services")]
pub mod cost_checks;
#[cfg(feature = "services")]
pub mod crash;
#[cfg(feature = "services")]
pub mod cryptography;
pub mod fakes;
#[cfg(feature = "services")]
pub mod machine;
#[cfg(feature = "services")]
pub mod postgres;
#[cfg(feature = "services")]
pub mod postgres_proxy;
#[cfg(feature = "services")]
pub mod runtime_fixture;
#[cfg(feature = "services")]
pub mod simulate;
#[cfg(feature = "services")]
pub mod strict;
pub mod test_scale;
#[cfg(feature = "services")]
pub mod untrusted_parsers;
#[cfg(feature = "services")]
pub mod virtual_workspace;
