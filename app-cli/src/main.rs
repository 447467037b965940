//! The `entracte` command: the command line of the library `entracte`, and the allocator.

use std::process::ExitCode;

/// Working sessions allocate and free many small objects on every thread. With glibc's allocator a round of a hundred
/// sessions takes about a third more CPU, and the memory of a burst stays with the process (docs/BENCHMARKS.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    entracte::Program::builder().build().command_line(std::env::args_os())
}
