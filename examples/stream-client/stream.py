"""Shows the words of a session as they come, without loss or repeat, also while the server is killed and started again:

    python3 stream.py http://127.0.0.1:8723 TOKEN WORKSPACE SESSION [AFTER] [--once]

AFTER is the id of the last frame that was read, 0 for everything, or now. With --once it ends when the next answer is whole and the session rests.
"""

import hashlib
import http.client
import json
import sys
import time
from urllib.parse import quote, urlencode, urlsplit

# Longer than the server is ever silent: server.stream_beat is 15 s.
SILENCE_S = 45


class Refused(Exception):
    """The server will never answer this request."""


class WordsMissing(Exception):
    """The words that came are not those that are stored."""


def frames(answer):
    """The frames of one connection: (id or None, type, data)."""
    fields = {}
    for line in answer:
        line = line.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield fields.get("id"), fields.get("event", ""), json.loads(fields.get("data", "null"))
            fields = {}


def connect(url, path, token):
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=SILENCE_S)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
    answer = connection.getresponse()
    if answer.status == 429 or answer.status >= 500:
        raise ConnectionError(f"HTTP {answer.status}")
    if answer.status != 200:
        raise Refused(f"HTTP {answer.status}: {answer.read().decode()}")
    return answer


def follow(url, token, workspace, session, after="now"):
    """Yields ("words", text), ("whole", text), ("taken back", reason), ("read again", None) and ("session", level)."""
    path = f"/v1/workspaces/{quote(workspace, safe='')}/sessions/{quote(session, safe='')}/stream"
    cursor, timeline, text, pause = after, None, "", 0.25
    while True:
        try:
            query = {"after": cursor} | ({"timeline": timeline} if timeline else {})
            for frame_id, kind, data in frames(connect(url, f"{path}?{urlencode(query)}", token)):
                pause = 0.25
                cursor = frame_id or cursor
                if kind == "hello":
                    timeline = data["timeline"]
                elif kind == "stream_start":
                    text = ""
                elif kind == "stream_chunk" and data["channel"] == "text":
                    text += data["text"]
                    yield "words", data["text"]
                elif kind == "stream_superseded":
                    text = ""
                    yield "taken back", data["reason"]
                elif kind == "stream_complete":
                    if hashlib.sha256(text.encode()).hexdigest() != data["sha256"]:
                        raise WordsMissing(repr(text))
                    yield "whole", text
                elif kind == "resync":
                    text = ""
                    yield "read again", None
                elif kind == "session":
                    yield "session", data
                elif kind == "goodbye":
                    pause = data["retry_ms"] / 1000
        except (OSError, http.client.HTTPException):
            pass  # The server is gone or starts again: the cursor stays.
        time.sleep(pause)
        pause = min(pause * 2, 5)


def main():
    url, token, workspace, session, *more = sys.argv[1:]
    once = "--once" in more
    after = next((one for one in more if one != "--once"), "now")
    is_whole = False
    for what, value in follow(url, token, workspace, session, after):
        if what == "words":
            print(value, end="", flush=True)
        elif what == "whole":
            is_whole = True
            print(flush=True)
        elif what == "session":
            if once and is_whole and value["phase"] == "IDLE":
                return
        else:
            print(f"\n[{what}: {value}]", flush=True)


if __name__ == "__main__":
    main()
