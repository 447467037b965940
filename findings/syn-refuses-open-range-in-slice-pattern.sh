#!/usr/bin/env bash
# A range without a start as an element of a slice pattern compiles with rustc, and syn refuses to parse the file.
#
# Versions: syn 2.0.119 and 3.0.9, rustc 1.95.0 (edition 2024).
# Seen on 27 November 2026: rustc compiles `[..b'{', rest @ ..]` (bytes below `{`, then the rest) and the program answers
# right. Both versions of syn fail with "range pattern is not allowed unparenthesized inside slice pattern"; with
# parentheses around the range both parse it. So a tool on syn that reads a whole tree stops at a file that builds.
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/src"
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "seen"
version = "0.0.0"
edition = "2024"

[dependencies]
syn2 = { package = "syn", version = "=2.0.119", features = ["full"] }
syn3 = { package = "syn", version = "=3.0.9", features = ["full"] }
TOML
cat >src/low.rs <<'RUST'
pub fn after_low_byte(bytes: &[u8]) -> Option<&[u8]> {
    let [..b'{', rest @ ..] = bytes else { return None };
    Some(rest)
}
RUST
cat >src/main.rs <<'RUST'
mod low;

fn main() {
    println!("rustc: {:?} {:?}", low::after_low_byte(b"a1"), low::after_low_byte(b"{1"));
    let text = include_str!("low.rs");
    let braced = text.replace("[..b'{',", "[(..b'{'),");
    let two = |text| syn2::parse_file(text).map(|_| "parsed").map_err(|error| error.to_string());
    let three = |text| syn3::parse_file(text).map(|_| "parsed").map_err(|error| error.to_string());
    println!("syn 2: {:?}, in parentheses {:?}", two(text), two(&braced));
    println!("syn 3: {:?}, in parentheses {:?}", three(text), three(&braced));
}
RUST
cat >expected <<'TEXT'
rustc: Some([49]) None
syn 2: Err("range pattern is not allowed unparenthesized inside slice pattern"), in parentheses Ok("parsed")
syn 3: Err("range pattern is not allowed unparenthesized inside slice pattern"), in parentheses Ok("parsed")
TEXT
cargo run --quiet | tee found
diff expected found
