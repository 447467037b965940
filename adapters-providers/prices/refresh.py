#!/usr/bin/env python3
"""Makes table.json, the prices and windows of models, from the table that the package litellm carries.

    python3 adapters-providers/prices/refresh.py                 # downloads litellm with pip
    python3 adapters-providers/prices/refresh.py FILE.whl        # reads a wheel that is already here

Only the profiles of Entracte whose prices depend on the tokens alone are taken, and of their models only those that
chat. What the source does not say is left out, so that it stays unknown; a price of 0 for both directions is how the
source writes "not known" as well as "free", so it is left out too. Amounts are decimal texts in US dollars for a million
tokens; no binary fraction touches them.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
INSIDE = "litellm/model_prices_and_context_window_backup.json"
# Our kind, and the name of the same provider in the source.
PROFILES = {
    "claude": "anthropic",
    "openai": "openai",
    "groq": "groq",
    "mistral": "mistral",
    "gemini": "gemini",
    "deepseek": "deepseek",
}
# Our name of a rate, and how the source begins its name.
RATES = {
    "input": "input_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
    "cache_write_1h": "cache_creation_input_token_cost_above_1hr",
    "output": "output_cost_per_token",
}
TIERS = ("flex", "priority", "ultrafast")
# They are billed by more than their tokens, or under names that are not these.
OTHERWISE_BILLED = re.compile(r"^ft:|audio|search|deep-research|image|tts|lyria|realtime|streaming|omni")
STEP = re.compile(r"^input_cost_per_token_above_(\d+)k_tokens$")
DIGITS_BEHIND_POINT = 6


def amount(per_token):
    """Dollars for a million tokens, as text."""
    dollars = per_token * 1_000_000
    rounded = dollars.quantize(Decimal(1).scaleb(-DIGITS_BEHIND_POINT))
    if rounded != dollars:
        raise SystemExit(f"{per_token} per token is finer than {DIGITS_BEHIND_POINT} digits")
    text = format(rounded, "f")
    return text.rstrip("0").rstrip(".") or "0"


def rates(model, ending):
    found = {}
    for ours, theirs in RATES.items():
        price = model.get(theirs + ending)
        if isinstance(price, Decimal) and (price > 0 or ours in ("input", "output")):
            found[ours] = amount(price)
    return found


def rows(model):
    """One row for each tier, and for each length of the prompt from which a tier costs more."""
    steps = sorted(int(match[1]) for key in model if (match := STEP.match(key)))
    found = []
    for tier in ("",) + TIERS:
        behind = f"_{tier}" if tier else ""
        first = rates(model, behind)
        if not first:
            continue
        named = {"tier": tier} if tier else {}
        found.append({**named, **first})
        # A tier without a price of its own for long prompts stays in the table: there it is unknown, not as before.
        found += [{**named, "above": step * 1000, **rates(model, f"_above_{step}k_tokens{behind}")} for step in steps]
    return found


def is_known(model):
    input_price, output_price = (model.get(RATES[name]) for name in ("input", "output"))
    if not isinstance(input_price, Decimal) or not isinstance(output_price, Decimal):
        return False
    thinking = model.get("output_cost_per_reasoning_token", output_price)
    return (input_price > 0 or output_price > 0) and thinking == output_price


def models(source, provider):
    found, differing = {}, set()
    for name, model in source.items():
        chats = model.get("mode") in ("chat", "responses")
        if model.get("litellm_provider") != provider or not chats or OTHERWISE_BILLED.search(name):
            continue
        if not is_known(model):
            continue
        name = name.removeprefix(f"{provider}/")
        ours = {}
        for key, theirs in (("window", "max_input_tokens"), ("answer", "max_output_tokens")):
            if isinstance(model.get(theirs), Decimal):
                ours[key] = int(model[theirs])
        ours["prices"] = rows(model)
        if found.setdefault(name, ours)["prices"] != ours["prices"]:
            differing.add(name)
    for name in differing:
        print(f"left out, the source has two prices for it: {provider} {name}", file=sys.stderr)
        del found[name]
    return dict(sorted(found.items()))


def wheel_of(argument, folder):
    if argument:
        return pathlib.Path(argument)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "litellm"]
    subprocess.run(command, check=True)
    return next(pathlib.Path(folder).glob("*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", nargs="?", help="a wheel of litellm; downloaded with pip when not given")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the day the table is made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = wheel_of(arguments.wheel, folder)
        version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as package:
            source = json.loads(package.read(INSIDE), parse_float=Decimal, parse_int=Decimal)
            notice = package.read(f"litellm-{version}.dist-info/licenses/LICENSE").decode()
    (HERE / "LICENSE-litellm").write_text(notice)
    with open(HERE / "table.json", "w") as out:
        head = {
            "date": arguments.date,
            "source": f"litellm {version} (PyPI), {INSIDE.rpartition('/')[2]}",
            "licence": "MIT, see LICENSE-litellm",
            "unit": "US dollars for a million tokens",
        }
        out.write("{\n" + "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()))
        out.write(' "profiles": {\n')
        profiles = []
        for kind, provider in PROFILES.items():
            lines = [f"   {json.dumps(name)}: {json.dumps(model)}" for name, model in models(source, provider).items()]
            print(f"{kind}: {len(lines)} models", file=sys.stderr)
            profiles.append(f"  {json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n  }")
        out.write(",\n".join(profiles) + "\n }\n}\n")


if __name__ == "__main__":
    main()
