"""A proxy on this machine that records the body of every request, and passes request and answer on unchanged."""

import http.client
import http.server
import json
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

# Headers of one connection; they are not passed on.
HOP_HEADERS = {"connection", "host", "transfer-encoding", "content-length", "keep-alive"}
PIECE_BYTES = 65536
ANSWER_SECONDS = 120


@dataclass
class RecordedRequest:
    """A request: the label of its route, its path at the server, and its body."""

    label: str
    path: str
    body: dict


class RecordingProxy:
    """`routes` maps a label, the first part of the path, to the address of a server."""

    def __init__(self):
        self.routes = {}
        self.requests = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                proxy.forward(self)

            def do_GET(self):
                proxy.forward(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, label):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{label}"

    def forward(self, handler):
        _, label, rest = handler.path.split("/", 2)
        body = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        if handler.command == "POST":
            self.requests.append(RecordedRequest(label, "/" + rest, json.loads(body)))
        target = urlsplit(self.routes[label])
        upstream = http.client.HTTPConnection(target.hostname, target.port, timeout=ANSWER_SECONDS)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in HOP_HEADERS}
        upstream.request(handler.command, "/" + rest, body, headers)
        answer = upstream.getresponse()
        handler.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_HEADERS:
                handler.send_header(name, value)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        try:
            # As it comes, so that a stream stays one.
            while piece := answer.read1(PIECE_BYTES):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                handler.wfile.flush()
            handler.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            # One side broke off, so the other is told the same.
            handler.close_connection = True
        finally:
            upstream.close()
