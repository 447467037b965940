"""The command line against model servers that are not ours: aimock, llama.cpp and LiteLLM's proxy.

    world.py PROGRAM AIMOCK [LLAMA_PYTHON] [LITELLM]

Each server is asked over each wire that it has, streaming and not, as a person does it: an entry of the configuration
and `entracte chat`. Every request goes through a recording proxy, and its body is checked against the request types of
the official SDKs.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import bodies
import servers
from recorder import RecordingProxy

HERE = Path(__file__).parent
# How a server is asked for the size of its window, in its own words: no SDK has a type for these.
LOOKUPS = ("/api/show", "/props", "/models")
COMMAND_SECONDS = 120

# The path of each kind's wire after the address of a server.
KINDS = {
    "claude": "",
    "openai": "/v1",
    "groq": "/v1",
    "compatible": "/v1",
    "azure": "/v1",
    "mistral": "/v1",
    "gemini": "/v1",
    "deepseek": "/v1",
    "openrouter": "/v1",
    "ollama": "/v1",
    "vllm": "/v1",
    "perplexity": "/v1",
}
# One kind for each wire.
WIRES = ("claude", "openai", "groq", "compatible")

# What aimock says to “say hello”.
HELLO = "Hello from the other side of the wire, in more than one piece."

# Settings that put every field that a kind sends into its bodies.
FULL_SETTINGS = {
    "claude": 'effort = "high"\nservice_tier = "standard_only"\ncache_ttl = "1h"\n',
    "openai": 'effort = "low"\nservice_tier = "flex"\nprompt_cache_key = true\nreasoning_summary = true\n',
    "groq": 'effort = "low"\nservice_tier = "flex"\ntemperature = 0.5\ntop_p = 0.9\n',
    "compatible": 'effort = "low"\ntemperature = 0.5\ntop_p = 0.9\nprompt_cache_key = true\n'
    'structured_output = "schema"\n',
}
MORE = "max_output_tokens = 4096\nparallel_tool_calls = false\n"


@dataclass
class Case:
    """One turn: a server, the wire's kind, the model and the message, and more lines of the entry."""

    server: str
    kind: str
    model: str
    message: str
    stream: bool
    settings: str = ""

    def __str__(self):
        way = "streamed" if self.stream else "whole"
        return f"{self.server}, {self.kind}, {self.model}, {way}: {self.message[:40]!r} {self.settings!r}"


class World:
    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), folder
        self.proxy = RecordingProxy()
        self.key = "sk-" + secrets.token_hex(32)
        self.faults = []
        self.turns = 0
        (folder / "key").write_text(self.key)

    def entry(self, case, name="p"):
        label = f"{case.server}-{case.kind}"
        return (
            f'[providers.{name}]\nkind = "{case.kind}"\nmodel = "{case.model}"\n'
            f'base_url = "{self.proxy.url(label)}{KINDS[case.kind]}"\napi_key_file = "{self.folder / "key"}"\n'
            f"stream = {str(case.stream).lower()}\n{case.settings}"
        )

    def configure(self, *entries):
        """Writes a configuration with these entries; the first is the default."""
        config = self.folder / "entracte.toml"
        config.write_text("[limits]\nchat_waits = 0\n" + "\n".join(entries))
        return config

    def run(self, config, *arguments):
        """Exit code, the object that is printed, and the errors of a command."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "USER": "ann", "TZ": "UTC"}
        command = [self.program, "--config", config, "--data", self.folder / "data", "--json", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
        if self.key in done.stdout + done.stderr:
            self.faults.append(f"the key is shown by {arguments}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode, lines, done.stderr

    def turn(self, case):
        """Exit code, turn and errors of a chat of one message."""
        return self.chat(self.configure(self.entry(case)), case.message)

    def chat(self, config, message, *arguments):
        self.turns += 1
        code, lines, errors = self.run(config, "chat", *arguments, "--message", message)
        return code, lines[0] if lines else {}, errors

    def check(self, case, text=None, call=None, counts=False):
        """A turn that is answered with this text, or with any, after this command; if `counts`, with its tokens."""
        code, turn, errors = self.turn(case)
        said = (turn.get("reply") or {}).get("text")
        commands = [(each["command"], each["status"]) for each in turn.get("calls", [])]
        expected = [(call, "succeeded")] if call else []
        right = said == text if text else bool(said)
        usage = turn.get("usage") or {}
        known = usage.get("output") and usage["input"] + usage["cache_read"]
        if code != 0 or not right or commands != expected or counts and not known:
            self.faults.append(f"{case}\n  exit code {code}, {said!r}, {commands}, {usage}\n  {errors}")

    def check_moved_session(self, server, model, message, call=None):
        """A session that goes on over each other wire: what one model said is rebuilt in the form of the next."""
        cases = [Case(server, kind, model, message, True) for kind in WIRES]
        config = self.configure(*(self.entry(case, case.kind) for case in cases))
        _, turn, errors = self.chat(config, message)
        session, commands = turn.get("session", "none"), [each["command"] for each in turn.get("calls", [])]
        if commands != ([call] if call else []):
            self.faults.append(f"{cases[0]}, to be moved: {commands}\n  {errors}")
        for case in cases[1:]:
            self.run(config, "session", "set", session, "--provider", case.kind)
            code, _, errors = self.chat(config, "say hello", "--session", session)
            if code != 0:
                self.faults.append(f"{case}, moved to: exit code {code}\n  {errors}")

    def check_too_long(self, case):
        """A turn whose failure is recognised as a prompt that is too long."""
        code, turn, errors = self.turn(case)
        _, journal, _ = self.run(self.folder / "entracte.toml", "session", "journal", turn.get("session", "none"))
        inputs = [entry["entry"]["input"] for entry in journal if "input" in entry.get("entry", {})]
        failures = [each["provider_error_occurred"] for each in inputs if "provider_error_occurred" in each]
        classes = [each["failure"]["class"] for each in failures]
        if code != 1 or classes[-1:] != ["context_too_long"]:
            self.faults.append(f"{case}\n  exit code {code}, {classes}\n  {errors}")


def ask_aimock(world, everything):
    for kind in KINDS if everything else WIRES:
        for stream in (True, False) if kind in WIRES else (True,):
            def case(message, settings=""):
                return Case("aimock", kind, "m-1", message, stream, settings)

            # It has no tools, so all that it says is in the envelope.
            if kind != "perplexity":
                world.check(case("say hello"), text=HELLO)
                world.check(case("which zones are there"), text="There is no zone yet.", call="zones.list")
            envelope = 'dialect = "envelope"\n'
            asked = "list the zones in an envelope"
            world.check(case(asked, envelope), text="There is no zone yet.", call="zones.list")
            world.check_too_long(case("write too much"))
            if kind in FULL_SETTINGS:
                full = FULL_SETTINGS[kind] + MORE
                world.check(case("which zones are there", full), text="There is no zone yet.", call="zones.list")
                world.check(case(asked, full + envelope), text="There is no zone yet.", call="zones.list")
    world.check_moved_session("aimock", "m-1", "which zones are there", "zones.list")


def ask_llama_cpp(world):
    """Its answers are random letters, and any will do. It counts bytes, so a message fills its window."""
    for kind in WIRES:
        for stream in (True, False):
            world.check(Case("llama.cpp", kind, "tiny", "say anything", stream), counts=True)
            roomy = "context_tokens = 1000000\n"
            world.check_too_long(Case("llama.cpp", kind, "tiny", "too long " * 2000, stream, roomy))
    world.check_moved_session("llama.cpp", "tiny", "say anything")


def ask_litellm(world):
    for kind in WIRES:
        # In front of Claude it refuses a key for the cache, and says so.
        settings = "prompt_cache_key = false\n" if kind == "openai" else ""
        for stream in (True, False):
            def case(model, message):
                return Case("litellm", kind, model, message, stream, settings)

            # Its mock has no stream of this wire.
            if not (kind == "openai" and stream):
                world.check(case("plain", "say hello"), text="Hello from the gateway itself.", counts=True)
            for model in ("behind-openai", "behind-claude"):
                world.check(case(model, "say hello"), text=HELLO)
                world.check(case(model, "which zones are there"), text="There is no zone yet.", call="zones.list")
                world.check_too_long(case(model, "write too much"))
    world.check_moved_session("litellm", "behind-openai", "which zones are there", "zones.list")


def check_bodies(world, everything):
    used = set()
    seen = {}
    for request in world.proxy.requests:
        if request.path.endswith(LOOKUPS):
            continue
        name, adapter = bodies.type_of(request.label, request.path)
        seen[name] = seen.get(name, 0) + 1
        if found := bodies.fault(name, adapter, request.body, used):
            fault = f"a body to {request.label}{request.path} is no {name}:\n{found}"
            if fault not in world.faults:
                world.faults.append(fault)
    unused = set(bodies.EXCEPTIONS) - used
    if everything and unused:
        world.faults.append(f"exceptions that no body needs: {sorted(unused)}")
    return seen


def main():
    program, aimock, *rest = sys.argv[1:]
    llama_python, litellm = (rest + [None, None])[:2]
    everything = litellm is not None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        world = World(program, folder)
        aimock_url = stack.enter_context(servers.aimock(aimock, HERE / "fixtures", folder))
        urls = {"aimock": aimock_url}
        if llama_python:
            urls["llama.cpp"] = stack.enter_context(servers.llama_cpp(llama_python, HERE / "tiny_llama.py", folder))
        if litellm:
            urls["litellm"] = stack.enter_context(
                servers.litellm(litellm, HERE / "litellm.yaml", aimock_url, world.key, folder)
            )
        world.proxy.routes = {f"{name}-{kind}": url for name, url in urls.items() for kind in KINDS}
        ask_aimock(world, everything)
        if llama_python:
            ask_llama_cpp(world)
        if litellm:
            ask_litellm(world)
        seen = check_bodies(world, everything)
    for fault in world.faults:
        print(fault, file=sys.stderr)
    print(f"{world.turns} turns, bodies checked: {seen}, faults: {len(world.faults)}")
    sys.exit(1 if world.faults else 0)


if __name__ == "__main__":
    main()
