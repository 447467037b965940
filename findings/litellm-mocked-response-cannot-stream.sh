#!/usr/bin/env bash
# LiteLLM's proxy answers /v1/responses from a `mock_response`, and fails with a server error when the same request asks
# for a stream. Its chat completions endpoint streams the same mock.
#
# Versions: litellm[proxy] 1.108.7, Python 3.11 or later.
# Seen on 28 November 2026:
#
#   chat completions, whole 200; streamed 200
#   responses, whole 200; streamed 500
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${proxy:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet "litellm[proxy]==1.108.7"
cat >config.yaml <<'YAML'
model_list:
  - model_name: mocked
    litellm_params: { model: openai/mocked, api_key: none, mock_response: "Hello from the mock." }
YAML
port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
export LITELLM_MASTER_KEY="sk-$(python3 -c "import secrets; print(secrets.token_hex(24))")"
LITELLM_LOCAL_MODEL_COST_MAP=True env/bin/litellm --config config.yaml --host 127.0.0.1 --port "$port" >log 2>&1 &
proxy=$!
for _ in $(seq 240); do
    curl --silent --fail "http://127.0.0.1:$port/health/liveliness" >/dev/null && break
    sleep 0.5
done
curl --silent --fail "http://127.0.0.1:$port/health/liveliness" >/dev/null || { tail -20 log; exit 1; }
# The status of a request to this path with this body.
status() {
    curl --silent --output answer --write-out '%{http_code}' --header "authorization: Bearer $LITELLM_MASTER_KEY" --header "content-type: application/json" \
        --data "$2" "http://127.0.0.1:$port$1"
}
chat='{"model": "mocked", "messages": [{"role": "user", "content": "hi"}], "stream": %s}'
responses='{"model": "mocked", "input": "hi", "stream": %s}'
# shellcheck disable=SC2059
{
    echo "chat completions, whole $(status /v1/chat/completions "$(printf "$chat" false)");" \
        "streamed $(status /v1/chat/completions "$(printf "$chat" true)")"
    echo "responses, whole $(status /v1/responses "$(printf "$responses" false)");" \
        "streamed $(status /v1/responses "$(printf "$responses" true)")"
} | tee found
cat >expected <<'TEXT'
chat completions, whole 200; streamed 200
responses, whole 200; streamed 500
TEXT
diff expected found
