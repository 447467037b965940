//! Follows a session over the API: its stream without gap or repeat, and its turn until it rests.
//!
//! | module | what it is |
//! |---|---|
//! | `session_stream` | The frames of a session, over as many connections as it takes. |
//! | `turn_follower` | Follows a turn on a server until its session rests. |

mod session_stream;
mod turn_follower;

pub(crate) use self::session_stream::SessionStream;
pub(crate) use self::turn_follower::{ServerTurnFollower, read_turn};
