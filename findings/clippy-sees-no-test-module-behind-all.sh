#!/usr/bin/env bash
# Clippy's `allow-unwrap-in-tests` counts a module as one of tests behind `#[cfg(test)]`, and not behind
# `#[cfg(all(test, feature = "…"))]`, though both are compiled in tests only. A helper in the second is linted; two
# attributes, one for each condition, are not.
#
# Versions: clippy of Rust 1.95.0.
# Seen on 29 November 2026:
#
#   #[cfg(test)]: clean
#   #[cfg(all(test, feature = "own"))]: used `unwrap()` on an `Option` value
#   #[cfg(feature = "own")] #[cfg(test)]: clean
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "linted"
version = "0.1.0"
edition = "2024"
[features]
default = ["own"]
own = []
TOML
echo "allow-unwrap-in-tests = true" >clippy.toml
mkdir src
# What clippy says of a helper in a module behind these attributes.
linted() {
    printf '%s\nmod tests {\n    pub fn first(all: &[u8]) -> u8 {\n        *all.first().unwrap()\n    }\n' "$1" >src/lib.rs
    printf '    #[test]\n    fn first_is_found() {\n        assert_eq!(first(&[1]), 1);\n    }\n}\n' >>src/lib.rs
    local said
    said="$(cargo +1.95.0 clippy --quiet --tests -- -W clippy::unwrap_used 2>&1 | sed -n 's/^warning: //p' | head -n 1)"
    echo "$1: ${said:-clean}"
}
{
    linted '#[cfg(test)]'
    linted '#[cfg(all(test, feature = "own"))]'
    linted '#[cfg(feature = "own")] #[cfg(test)]'
} | tee found
cat >expected <<'TEXT'
#[cfg(test)]: clean
#[cfg(all(test, feature = "own"))]: used `unwrap()` on an `Option` value
#[cfg(feature = "own")] #[cfg(test)]: clean
TEXT
diff expected found
