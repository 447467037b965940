#!/usr/bin/env bash
# utoipa collects the schemas that responses and bodies refer to as components, and those of query parameters not: a field
# of a type of its own in `IntoParams` becomes a reference to a component that the document does not have. Nothing says so
# when the program is built; validators (redocly: no-unresolved-refs) refuse the document, and generators of clients stop.
# `#[param(inline)]` on the field gives a document that holds.
#
# Versions: utoipa 6.0.0, serde_json 1.0.145.
# Seen on 29 November 2026:
#
#   a reference: #/components/schemas/Order, components: Page
#   inline: no reference, components: Page
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "sorted"
version = "0.1.0"
edition = "2024"
[dependencies]
utoipa = "=6.0.0"
serde = { version = "1", features = ["derive"] }
serde_json = "=1.0.145"
TOML
mkdir src
# The program, with this attribute on the field.
program() {
    cat >src/main.rs <<RUST
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, OpenApi, ToSchema};

#[derive(Deserialize, ToSchema)]
#[allow(dead_code)]
enum Order {
    Oldest,
    Latest,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
struct Wanted {
    $1
    order: Order,
}

#[derive(Serialize, ToSchema)]
struct Page {
    items: Vec<String>,
}

#[utoipa::path(get, path = "/items", params(Wanted), responses((status = 200, body = Page)))]
#[allow(dead_code)]
fn list_items() {}

#[derive(OpenApi)]
#[openapi(paths(list_items))]
struct Api;

fn main() {
    let document = serde_json::to_value(Api::openapi()).unwrap();
    let schema = &document["paths"]["/items"]["get"]["parameters"][0]["schema"];
    let components = document["components"]["schemas"].as_object().unwrap();
    let names: Vec<&str> = components.keys().map(String::as_str).collect();
    println!("{}, components: {}", schema["\$ref"].as_str().unwrap_or("no reference"), names.join(", "));
}
RUST
    cargo run --quiet
}
{
    echo "a reference: $(program '')"
    echo "inline: $(program '#[param(inline)]')"
} | tee found
cat >expected <<'TEXT'
a reference: #/components/schemas/Order, components: Page
inline: no reference, components: Page
TEXT
diff expected found
