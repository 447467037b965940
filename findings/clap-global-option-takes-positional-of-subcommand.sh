#!/usr/bin/env bash
# clap fills a global option of a program from a positional argument of a subcommand whose field has the same name: both
# get the id of the field, and no debug assertion says that it is taken. The option reads as if it had been given. With an
# id of its own (`#[arg(id = "...")]`) it stays empty.
#
# Versions: clap 4.6.7 with the feature derive, debug build.
# Seen on 29 November 2026:
#
#   one id: option Some("notes"), argument notes
#   two ids: option None, argument notes
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "shadowed"
version = "0.1.0"
edition = "2024"
[dependencies]
clap = { version = "=4.6.7", features = ["derive"] }
TOML
mkdir src
# The program, with this attribute on the option.
program() {
    cat >src/main.rs <<RUST
use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Cli {
    #[arg($1)]
    server: Option<String>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Login { server: String },
}

fn main() {
    let Cli { server: option, verb: Verb::Login { server } } = Cli::parse_from(["shadowed", "login", "notes"]);
    println!("option {option:?}, argument {server}");
}
RUST
    cargo run --quiet
}
{
    echo "one id: $(program 'long, global = true')"
    echo "two ids: $(program 'id = "url", long = "server", global = true')"
} | tee found
cat >expected <<'TEXT'
one id: option Some("notes"), argument notes
two ids: option None, argument notes
TEXT
diff expected found
