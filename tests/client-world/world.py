"""Validators and generated clients against a running server.

    world.py PROGRAM GENERATORS_BIN CLIENTS_PYTHON NAME…

`openapi_is_valid`: the document is valid for two validators. The name of a generator: it makes a client of the document
that the server gives, the client is compiled, and it plays the story of `story.ts`, `story.py` or `progenitor/`.
`copilotkit`: CopilotKit's React side plays a chat in the browser that BROWSER names. `all`: each of these.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent.resolve()
SECONDS = 300
# Of a build of Rust without anything built before, on a busy machine.
BUILD_SECONDS = 1800

# The first is for chats that name no provider: those of AG-UI.
CONFIG = """
default_provider = "window"

[providers.window]
kind = "rehearsal"
script = "window.toml"

[providers.stage]
kind = "rehearsal"
script = "story.toml"
"""
WINDOW = """
[[turn]]
envelope = '''{"pre_text": "I make a zone as you asked me to, which is for your health.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Window"}}], "validation_request": true, "keep_control": true}'''
word_delay_ms = 100
[[turn]]
text = "It is made."
"""
SCRIPT = """
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "It is made."
"""


def run(*command, cwd=HERE, env=None, seconds=SECONDS):
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, text=True, capture_output=True, timeout=seconds
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def node(name):
    return HERE / "node_modules" / ".bin" / name


class Server:
    """The program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), folder
        (folder / "entracte.toml").write_text(CONFIG)
        (folder / "story.toml").write_text(SCRIPT)
        (folder / "window.toml").write_text(WINDOW)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "ENTRACTE_DATA": str(folder / "data")}

    def command(self, *arguments):
        return [self.program, "--config", self.folder / "entracte.toml", "--json", *arguments]

    def __enter__(self):
        serve = [str(part) for part in self.command("serve", "--bind", "127.0.0.1:0")]
        self.process = subprocess.Popen(
            serve, cwd=self.folder, env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        told = next(line for line in self.process.stdout if "entracte.serve/1" in line)
        self.address = json.loads(told)["url"].rstrip("/")
        token = self.command("token", "create", "--scope", "read", "--scope", "chat", "--scope", "approve")
        self.token = json.loads(run(*token, cwd=self.folder, env=self.env))["secret"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)

    def document(self, name):
        with urllib.request.urlopen(f"{self.address}/v1/{name}", timeout=30) as answer:
            path = self.folder / name
            path.write_bytes(answer.read())
        return path


def validate(document):
    for name in (document, document.with_name("openapi-3.0.json")):
        run(node("redocly"), "lint", "--config", HERE / "redocly.yaml", name)
        run(node("spectral"), "lint", "--ruleset", HERE / ".spectral.yaml", "--fail-severity", "error", name)


class TypeScript:
    """A client in TypeScript: generated into a copy of the story, compiled with all checks, run by node."""

    def __init__(self, name, target, *command):
        self.name, self.target, self.command = name, target, command

    def play(self, server, document, folder, _bin, _python):
        shutil.copytree(HERE / "clients", folder / "clients")
        for name in ("story.ts", "tsconfig.json", "package.json"):
            shutil.copy(HERE / name, folder)
        (folder / "node_modules").symlink_to(HERE / "node_modules")
        (folder / "clients" / "generated").mkdir()
        target = folder / "clients" / "generated" / self.target
        command = [str(part).format(document=document, target=target) for part in self.command]
        run(node(command[0]), *command[1:], cwd=folder)
        options = json.loads((HERE / "tsconfig.json").read_text())
        settings = {**options, "compilerOptions": {**options["compilerOptions"], "outDir": "built", "rootDir": "."}}
        settings["files"] = ["story.ts", f"clients/{self.name}.ts"]
        (folder / "tsconfig.json").write_text(json.dumps(settings))
        run(node("tsc"), "-p", folder / "tsconfig.json", cwd=folder)
        return run("node", folder / "built" / "clients" / f"{self.name}.js", cwd=folder, env=environment(server))


class Python:
    """A client in Python: generated beside the story, run by an interpreter with its dependencies."""

    def __init__(self, name, script, package, *command):
        self.name, self.script, self.package, self.command = name, script, package, command

    def play(self, server, document, folder, programs, python):
        env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        command = [str(part).format(document=document, target=folder / "out") for part in self.command]
        run(programs / command[0], *command[1:], cwd=folder, env=env)
        paths = f"{folder / 'out' / self.package}:{HERE}"
        env = {**environment(server), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        return run(python, HERE / "clients" / self.script, cwd=folder, env=env)


class Rust:
    """A client in Rust: the crate `progenitor`, whose macro reads the document of 3.0. What is built is kept in `target`."""

    name = "progenitor"

    def play(self, server, document, folder, _bin, _python):
        shutil.copytree(HERE / "progenitor", folder / "crate")
        shutil.copy(document.with_name("openapi-3.0.json"), folder / "crate")
        target = HERE.parent.parent / "target" / "progenitor"
        env = {**os.environ, **environment(server), "CARGO_TARGET_DIR": str(target)}
        env.update(CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="false")
        return run("cargo", "run", "--locked", "--quiet", cwd=folder / "crate", env=env, seconds=BUILD_SECONDS)


class Window:
    """CopilotKit's React side in a browser, on the server's AG-UI."""

    name = "copilotkit"

    def play(self, server, _document, folder, _bin, _python):
        play = HERE.parent / "copilotkit" / "play.mjs"
        return run("node", play, server.address, server.token, os.environ["BROWSER"], cwd=folder)


def environment(server):
    return {"PATH": os.environ["PATH"], "ADDRESS": server.address, "TOKEN": server.token}


GENERATORS = [
    TypeScript("openapi-fetch", "openapi-typescript.ts", "openapi-typescript", "{document}", "-o", "{target}"),
    TypeScript("hey-api", "hey-api", "openapi-ts", "-i", "{document}", "-o", "{target}"),
    TypeScript("orval", "orval.ts", "orval", "--input", "{document}", "--output", "{target}", "--client", "fetch"),
    Python(
        "openapi-python-client", "openapi_python_client.py", ".",
        "openapi-python-client", "generate", "--path", "{document}", "--output-path", "{target}", "--overwrite",
    ),
    Python(
        "openapi-generator", "openapi_generator.py", ".",
        "openapi-generator-cli", "generate", "-i", "{document}", "-g", "python", "-o", "{target}",
    ),
    Rust(),
    Window(),
]
VALIDATORS = "openapi_is_valid"


def main(program, programs, python, *names):
    known = {VALIDATORS, *(generator.name for generator in GENERATORS)}
    names = known if names == ("all",) else set(names)
    if not names or not names <= known:
        sys.exit(f"name some of {', '.join(sorted(known))}, or all")
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary).resolve()
        (base / "home").mkdir()
        with Server(program, base / "home") as server:
            document = server.document("openapi.json")
            server.document("openapi-3.0.json")
            if VALIDATORS in names:
                validate(document)
                print(f"{VALIDATORS}: redocly and spectral find no error, in 3.1 and 3.0")
            for generator in GENERATORS:
                if generator.name not in names:
                    continue
                folder = base / generator.name
                folder.mkdir()
                try:
                    told = generator.play(server, document, folder, Path(programs).resolve(), Path(python).absolute())
                    print(f"{generator.name}: {told.strip()}")
                except (AssertionError, subprocess.TimeoutExpired) as fault:
                    faults.append(generator.name)
                    print(f"{generator.name}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(f"these clients do not work: {', '.join(faults)}")


main(*sys.argv[1:])
