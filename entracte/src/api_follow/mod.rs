//! Follows a session or a workspace over the API: its stream without gap or repeat, and a turn until its session rests.
//!
//! | module | what it is |
//! |---|---|
//! | `stream_faults` | Faults of a server whose streams are followed: which pass, and how long the server may be away. |
//! | `session_stream` | The frames of a session, over as many connections as it takes. |
//! | `workspace_stream` | The entries of a workspace on a server, over as many connections as it takes. |
//! | `turn_follower` | Follows a turn on a server until its session rests. |

mod session_stream;
mod stream_faults;
mod turn_follower;
mod workspace_stream;

pub(crate) use self::session_stream::SessionStream;
pub(crate) use self::turn_follower::{ServerTurnFollower, read_turn};
pub(crate) use self::workspace_stream::WorkspaceStream;
