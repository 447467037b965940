"""Checks request bodies against the request types of the official SDKs.

A key that the type does not have is a fault, unless EXCEPTIONS has it with its reason.
"""

from collections.abc import Iterator
from typing import Optional, Union

import anthropic.types
import anthropic.types.message_count_tokens_params
import groq.types.chat.completion_create_params
import openai.types.chat.completion_create_params
import openai.types.responses.input_token_count_params
import openai.types.responses.response_create_params
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

# The types are dictionaries and pass over keys that they do not have, unless they are told. The setting reaches the
# types within only from a union.
CONFIG = ConfigDict(extra="forbid")
FAULTS_SHOWN = 8


def adapter(*types):
    return TypeAdapter(Optional[Union[types]], config=CONFIG)


MESSAGES = adapter(anthropic.types.MessageCreateParams)
COUNT_TOKENS = adapter(anthropic.types.message_count_tokens_params.MessageCountTokensParams)
RESPONSES = adapter(openai.types.responses.response_create_params.ResponseCreateParams)
INPUT_TOKENS = adapter(openai.types.responses.input_token_count_params.InputTokenCountParams)
OPENAI_CHAT = adapter(openai.types.chat.completion_create_params.CompletionCreateParams)
GROQ_CHAT = adapter(groq.types.chat.completion_create_params.CompletionCreateParams)

# What a body has on purpose and its type does not, by type and place; `*` is any place in a list.
EXCEPTIONS = {
    ("groq Chat", "stream_options"): "Groq takes it and names it in its answers; only its request type does not.",
    ("groq Chat", "messages.*.reasoning_content"): "Goes back to the server that sent it, in the same turn of tools.",
    ("openai Chat", "messages.*.reasoning_content"): "The same; DeepSeek and others refuse the turn without it.",
    # LiteLLM writes null for what it does not have, and an item goes back as it came.
    ("openai Responses", "input.*.async"): "null of LiteLLM",
    ("openai Responses", "input.*.caller"): "null of LiteLLM",
    ("openai Responses", "input.*.namespace"): "null of LiteLLM",
    ("openai Responses", "input.*.phase"): "null of LiteLLM",
    ("openai Responses", "input.*.content.*.logprobs"): "null of LiteLLM",
    ("openai Responses", "input.(reasoning, assistant)"): "LiteLLM's own form of the reasoning of Claude",
}


def type_of(label, path):
    """The name and the adapter of the type of a request's body."""
    kind = label.rsplit("-", 1)[-1]
    if path.endswith("/messages"):
        return "anthropic Messages", MESSAGES
    if path.endswith("/count_tokens"):
        return "anthropic count_tokens", COUNT_TOKENS
    if path.endswith("/responses"):
        return "openai Responses", RESPONSES
    if path.endswith("/input_tokens"):
        return "openai input_tokens", INPUT_TOKENS
    if path.endswith("/chat/completions"):
        return ("groq Chat", GROQ_CHAT) if kind == "groq" else ("openai Chat", OPENAI_CHAT)
    raise ValueError(f"no type of a body is known for {path}")


def exhaust(value):
    """Reads what pydantic checks only when it is read. Raises ValueError for a part that fits only a type of answers:
    the types of requests admit those as objects, and they pass over keys that they do not have."""
    if isinstance(value, BaseModel):
        raise ValueError(f"no type of a request, only one of answers: {value!r}"[:500])
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, Iterator)):
        for part in value:
            exhaust(part)


def without_exceptions(name, body, used, place=()):
    """The body without what EXCEPTIONS lists for its type."""

    def is_excepted(*here):
        found = (name, ".".join(here))
        if found in EXCEPTIONS:
            used.add(found)
        return found in EXCEPTIONS

    if isinstance(body, list):
        kept = [part for part in body if not is_excepted(*place, kind_of_item(part))]
        return [without_exceptions(name, part, used, (*place, "*")) for part in kept]
    if isinstance(body, dict):
        kept = {key: value for key, value in body.items() if not is_excepted(*place, key)}
        return {key: without_exceptions(name, value, used, (*place, key)) for key, value in kept.items()}
    return body


def kind_of_item(item):
    """The name of a whole item of a list in EXCEPTIONS: its type and role."""
    return f"({item.get('type')}, {item.get('role')})" if isinstance(item, dict) else "()"


def fault(name, adapter_of_type, body, used):
    """What is wrong with a body, or None."""
    try:
        exhaust(adapter_of_type.validate_python(without_exceptions(name, body, used), strict=True))
    except ValidationError as error:
        return describe(error)
    except ValueError as error:
        return str(error)
    return None


def describe(error):
    """The faults of the members of unions that are meant: those of which no literal differs, the deepest first."""
    members = {}
    for each in error.errors(include_url=False):
        names = [str(part) for part in each["loc"] if not str(part).startswith(("list[", "generator["))]
        members.setdefault(tuple(names[:-1]), []).append((names, each))
    meant = [
        faults
        for faults in members.values()
        if all(each["type"] != "literal_error" and names[-1] != "str" for names, each in faults)
    ]
    meant = sorted(meant or members.values(), key=lambda faults: (-len(faults[0][0]), len(faults)))
    lines = [
        f"  {'.'.join(names)}: {each['msg']} ({str(each['input'])[:80]!r})"
        for faults in meant
        for names, each in faults
    ]
    return "\n".join(lines[:FAULTS_SHOWN])
