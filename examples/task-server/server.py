#!/usr/bin/env python3
"""A task server for Entracte, in one file and without a dependency: it counts words, slowly.

    export TASK_SECRET="whsec_$(head -c 32 /dev/urandom | base64)"
    python3 server.py 8900

It takes a task, says at once that it has it, works on it in steps, and tells the end at the callback, signed and as often
as it takes. What it must get right is said in docs/TASK_SERVERS.md; each point has its place below.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["TASK_SECRET"].removeprefix("whsec_"))
STEP_SECONDS = float(os.environ.get("TASK_STEP_SECONDS", "1"))
TASKS, LOCK = {}, threading.Lock()


def signature(message, seconds, body):
    signed = f"{message}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()


def is_proved(headers, body):
    """1. Who asks is proved by the signature over the bytes, lately, compared in constant time."""
    message, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not seconds.isdigit() or abs(time.time() - int(seconds)) > 300:
        return False
    expected = signature(message, seconds, body)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one, expected) for one in given)


def report(task):
    keys = ("task_id", "task_type", "status", "progress", "result", "error", "completed_at")
    return {key: task[key] for key in keys if task.get(key) is not None}


def tell(task):
    """5. The end is told under one id until it is taken in: 2xx, or 409 when another end was told before."""
    if not task.get("callback_url"):
        return  # It will be asked for.
    body = json.dumps(report(task)).encode()
    for attempt in range(12):
        seconds = str(int(time.time()))
        message = f"{task['task_id']}.end"
        headers = {
            "content-type": "application/json",
            "webhook-id": message,
            "webhook-timestamp": seconds,
            "webhook-signature": signature(message, seconds, body),
        }
        request = urllib.request.Request(task["callback_url"], body, headers, method="POST")
        try:
            urllib.request.urlopen(request, timeout=30).close()
            return
        except urllib.error.HTTPError as error:
            if error.code == 409:
                return
        except OSError:
            pass
        time.sleep(min(2**attempt, 300))


def work(task):
    words = str(task["arguments"].get("text", "")).split()
    for step in range(3):
        time.sleep(STEP_SECONDS)
        with LOCK:
            if task["status"] != "running":
                return  # 6. It was called off.
            task["progress"] = f"step {step + 1} of 3"
    with LOCK:
        if task["status"] != "running":
            return
        task["status"] = "completed"
        task["completed_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        task["result"] = {"summary": f"{len(words)} words", "processed_items": len(words), "data": {}}
    tell(task)


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, said=None):
        body = json.dumps(said).encode() if said is not None else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        length = int(self.headers.get("content-length", 0))
        return self.rfile.read(length) if length <= 1 << 20 else None

    def do_POST(self):
        body = self.body()
        if body is None or not is_proved(self.headers, body):
            return self.answer(401)
        asked = json.loads(body)
        with LOCK:
            # 2. The same task is done once, however often it is given.
            task = TASKS.get(asked["task_id"])
            is_new = task is None
            if is_new:
                task = TASKS[asked["task_id"]] = {**asked, "status": "running"}
        if is_new:
            # A real server keeps the task on disk before it answers: 3. what was taken is not lost.
            threading.Thread(target=work, args=(task,), daemon=True).start()
        status_url = f"/tasks/{asked['task_id']}"
        self.answer(202, {"status": "running", "status_url": status_url, "poll_after_s": 5})

    def known(self):
        if not is_proved(self.headers, b""):
            self.answer(401)
            return None
        task = TASKS.get(self.path.rsplit("/", 1)[-1])
        if task is None:
            self.answer(404)
        return task

    def do_GET(self):
        """4. Whoever asks how far it is reads the same as at the callback."""
        if task := self.known():
            with LOCK:
                said = report(task)
            self.answer(200, said)

    def do_DELETE(self):
        """6. 200 says that it stopped; one that had ended says how."""
        if task := self.known():
            with LOCK:
                if task["status"] == "running":
                    task["status"] = "cancelled"
                said = report(task)
            self.answer(200, said)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8900
    server = ThreadingHTTPServer(("127.0.0.1", port), Server)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
