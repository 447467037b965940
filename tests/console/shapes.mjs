// The shapes of the OpenAPI document as types, for the checker of the console. `node shapes.mjs --write` writes them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
export const DOCUMENT = JSON.parse(readFileSync(path("../../docs/openapi.json"), "utf8"));
export const PLACE = path("../../adapters-http/console/core/shapes.d.ts");

const quoted = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

const type = (schema) => {
  if (!schema || Object.keys(schema).filter((key) => key !== "description").length === 0) return "any";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return union.map(type).map((one) => `(${one})`).join(" | ");
  if (schema.allOf) return schema.allOf.map(type).map((one) => `(${one})`).join(" & ");
  const names = [schema.type].flat();
  return names.map((name) => byName(name, schema)).join(" | ");
};

const byName = (name, schema) => {
  switch (name) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return name;
    case "array":
      return `(${type(schema.items)})[]`;
    default: {
      const members = Object.entries(schema.properties ?? {}).map(([key, value]) => `${quoted(key)}${(schema.required ?? []).includes(key) ? "" : "?"}: ${type(value)}`);
      if (members.length > 0) return `{ ${members.join("; ")} }`;
      return schema.additionalProperties && typeof schema.additionalProperties === "object" ? `Record<string, ${type(schema.additionalProperties)}>` : "Record<string, any>";
    }
  }
};

/** All of them, as they stand in the file. */
export const shapes = () => {
  const all = Object.entries(DOCUMENT.components.schemas).filter(([name]) => !name.startsWith("Page_"));
  const lines = all.map(([name, schema]) => `export type ${name} = ${type(schema)};`);
  return `// Made by tests/console/shapes.mjs from docs/openapi.json; a test compares them.\n${lines.join("\n")}\n`;
};

if (process.argv.includes("--write")) writeFileSync(PLACE, shapes());
