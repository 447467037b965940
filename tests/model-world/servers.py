"""Starts the servers of others, each as a process that ends with this one."""

import os
import re
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager

START_SECONDS = 300


@contextmanager
def process(name, command, log_folder, environment=None):
    """A process with its log; yields the log's path. It is killed at the end."""
    log = log_folder / f"{name}.log"
    with open(log, "wb") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            yield child, log
        finally:
            child.kill()
            child.wait()


def wait_for(name, child, log, ready):
    """What `ready` returns once it is true. Raises if the process ends before, or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        if found := ready():
            return found
        time.sleep(0.1)
    raise RuntimeError(f"{name} did not start:\n{log.read_text(errors='replace')[-3000:]}")


def printed_address(log):
    found = re.search(r"https?://127\.0\.0\.1:\d+", log.read_text(errors="replace"))
    return found and found.group()


@contextmanager
def aimock(program, fixtures, folder):
    command = ["node", program, "--port", "0", "--strict", "--validate-on-load", "--fixtures", fixtures]
    with process("aimock", command, folder) as (child, log):
        yield wait_for("aimock", child, log, lambda: printed_address(log))


@contextmanager
def llama_cpp(python, script, folder):
    with process("llama.cpp", [python, script, folder / "tiny.gguf"], folder) as (child, log):
        yield wait_for("llama.cpp", child, log, lambda: printed_address(log))


@contextmanager
def litellm(program, config, aimock_url, key, folder):
    """LiteLLM's proxy, in front of aimock; it asks for the key. It has no database and loads no lists."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
        "LITELLM_MASTER_KEY": key,
        "AIMOCK_OPENAI": f"{aimock_url}/v1",
        "AIMOCK_CLAUDE": aimock_url,
        "NO_PROXY": "127.0.0.1",
    }
    url = f"http://127.0.0.1:{port}"
    command = [program, "--config", config, "--host", "127.0.0.1", "--port", str(port)]
    with process("litellm", command, folder, environment) as (child, log):
        wait_for("litellm", child, log, lambda: is_alive(f"{url}/health/liveliness"))
        yield url


def is_alive(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
