// Stands between a client and a real MCP server: node withhold.mjs FLAG SCRIPT [ARGUMENT…]
// While the file FLAG is there, the answer to a write is withheld once it came, and the server is killed.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [flag, ...server] = process.argv.slice(2);
const child = spawn(process.execPath, server, { stdio: ["pipe", "pipe", "inherit"] });
let withheld;

createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.params?.name === "write_file" && existsSync(flag)) withheld = message.id;
    child.stdin.write(line + "\n");
}).on("close", () => child.stdin.end());

createInterface({ input: child.stdout }).on("line", (line) => {
    if (withheld !== undefined && JSON.parse(line).id === withheld) {
        child.kill("SIGKILL");
        process.exit(1);
    }
    process.stdout.write(line + "\n");
}).on("close", () => process.exit(0));
