# What is wrong with an entry of the configuration (providers, HTTP tools, MCP servers), and how to fix it. A fault is
# said as: where, what is wrong, how to fix it.

fault-http = the HTTP tool “{ $tool }”, { $key }: { $problem }; { $fix }
fault-task = the task “{ $task }”, { $key }: { $problem }; { $fix }
fault-task-variable = { $given } is a variable that is not known here
fault-task-status-url = write it like https://host/tasks/{ $form }
fault-task-not-named = does not contain { $form }
fault-task-secrets = names { $count } secrets
fault-entry = { $place }: { $problem }; { $fix }
fault-words = { $words }
fault-name-reserved = “{ $given }” is a name of Entracte itself: { $reserved }
fault-command-name = “{ $given }” is not a valid command name
fault-command-word = “{ $given }” is not a valid command word
fault-not-schema = is not a valid JSON Schema: { $why }
fault-no-argument = “{ $given }” is not an argument
fault-may-be-omitted = “{ $given }” is in the path, but may be omitted
fault-put-into-url = put { $name } into the url, or set body = "json"
fault-not-used = “{ $given }” is not used
fault-in-headers-too = “{ $given }” is in headers too
fault-header-name = “{ $given }” is not a valid header name
fault-of-connection = “{ $given }” belongs to the connection
fault-effect-kind = { $effect } does not match kind { $kind }
fault-not-pointer = “{ $given }” is not a JSON pointer
fault-example-unfit = does not match arguments: { $fault }, at “{ $path }”
fault-bad-character = “{ $given }” contains { $character }, which is not allowed in an address
fault-not-variable-form = “{ $given }” is not a simple variable; only { $form } is supported (RFC 6570, level 1)
fault-in-host = “{ $given }” is in the scheme or the host
fault-server-name = “{ $given }” is not a valid server name
fault-server-name-like = use at most { $most } of a–z, 0–9, - and _, starting with a letter
fault-variable-name = “{ $given }” is not a valid variable name
fault-not-address = “{ $given }” is not an address
fault-not-http = “{ $given }” is neither http nor https
fault-at-most-day = use at most { $most }, one day
fault-too-long = { $given } is too long
fault-more-than-restart = { $given } is more than restart_max_seconds
fault-use-range = use 1 to { $most }
fault-out-of-range = { $given } is out of range
fault-add-model = add model = "{ $model }"
fault-with-key = is set together with { $key }
fault-fallback-itself = “{ $given }” is the entry itself
fault-fallback-others = name other providers
fault-fallback-twice = “{ $given }” is named twice
fault-fallback-once = name it once
fault-own-header = “{ $given }” is a header that Entracte sets
fault-not-header = “{ $given }” is not a valid header
fault-own-field = “{ $given }” is a field that Entracte writes
fault-background-whole = background = true with stream = false gets the answer of a call that has not begun
fault-no-room = { $given } leaves no room in context_tokens ({ $context })
fault-add-price = add { $name } = "…" in US dollars for a million tokens
fault-price-missing = { $name } is missing
fault-unsupported = “{ $given }” is not supported by { $by }
fault-unsupported-model = “{ $given }” is not supported by “{ $model }”
fault-use-one-of = use one of: { $words }
fault-use-to = use 0 to { $most }
fault-too-many-tokens = { $given } is more than “{ $model }” can write
fault-use-or-less = use { $most } or less
fault-refused = { $given } is set, but { $by } refuses { $key } for “{ $model }”
fault-refused-word = “{ $given }” is set, but { $by } refuses { $key } for “{ $model }”
fault-no-address-because = “{ $given }” is not an address ({ $why })
fault-correct-under = correct it under [providers.{ $entry }]

## What is wrong, and what to do

fault-task-url = write it like https://host/tasks, without variables
fault-task-other-host = is on another host than url
fault-task-own-host = use the host that the task is sent to
fault-task-add-secret = name one place, or two while a new secret replaces the old one: secrets = [{"{"} secret_env = "NAME" {"}"}]
fault-task-only-idempotent = is only for idempotent = true
fault-task-set-idempotent = remove it, or set idempotent = true if the task server carries out a task that it receives twice only once
fault-task-only-status-url = is only for a task with status_url_template
fault-missing = is missing
fault-empty = is empty
fault-not-false = is not false
fault-not-object = is not “object”
fault-context-acts = it changes something, or needs an approval
fault-context-reads = the user context comes from a query without approval, such as a GET
fault-context-unknown = it takes an argument that nobody can fill
fault-context-arguments = take only workspace, session and person
fault-add-object = add type = "object"
fault-add-closed = add additionalProperties = false
fault-name-like = write it like weather.today, in lowercase, with at most 64 characters
fault-word-like = write it like WEATHER_TODAY, with at most 64 characters
fault-say-doc = say in one sentence what the tool does, for the model
fault-correct = correct it
fault-simpler = make it simpler
fault-declare-argument = declare it in arguments.properties, or remove it
fault-require-argument = add it to arguments.required, or move it after the “?”
fault-card-template = write it like Pay {"{"}amount{"}"} to {"{"}supplier{"}"}
fault-card-line = is not one line of text
fault-card-long = is longer than { $most } characters
fault-url-template = write it like https://host/path/{"{"}name{"}"}?q={"{"}q{"}"}
fault-no-body = a GET or HEAD has no body
fault-arguments-to-url = put the arguments into the url, or use another method
fault-remove = remove it
fault-remove-there = remove it there
fault-remove-them = remove them
fault-secret-plain = contains a secret in plain text
fault-secret-env = keep it in an environment variable: {"{"} secret_env = "NAME", prefix = "Bearer " {"}"}
fault-header-characters = contains characters that a header cannot carry
fault-secret-once = must say where its secret is kept, once
fault-secret-places = set one of secret_env, secret_file and secret_person
fault-secret-env-variable = secret_env is not a valid variable name
fault-declared-variable = secrets.{ $name }.secret_env is not a valid variable name
fault-declared-place = secrets.{ $name } must say where the secret is kept, once: set secret_env or secret_file
fault-declared-hosts = secrets.{ $name } must say the hosts that the secret may be sent to: hosts = ["ntfy.example"]
fault-declared-workspaces = secrets.{ $name }.workspaces is empty; name workspaces, write ["*"] for all of them, or leave it out
fault-declared-use = { $named } cannot use its secret: { $why }
fault-export-secret = export NAME=… and write NAME here, never the secret
fault-prefix-characters = the prefix contains characters that a header cannot carry
fault-use-effect = use read for a query, and idempotent, probe or once for an action
fault-add-idempotency = add idempotency_header = "Idempotency-Key", or the header that the other side reads
fault-missing-idempotent = is missing for effect idempotent
fault-only-idempotent = is only for effect idempotent
fault-only-probe = is only for effect probe
fault-action-approval = is false, but an action always needs approval
fault-four-eyes-query = is true, but nobody is asked about this query
fault-approver = “{ $given }” names nobody
fault-approver-like = write it like role:finance or person:ann
fault-approvers-count = names { $given } approvers
fault-escalation = “{ $given }” is not a duration
fault-escalation-like = write it like 4h, or never
fault-escalation-alone = is set without approvers
fault-name-approvers = name approvers, or remove it
fault-quorum-people = is { $quorum }, but only { $people } may approve
fault-name-people = name more people in approvers, or lower it
fault-approvers-query = is set, but nobody is asked about this query
fault-set-approval = set approval = true
fault-query-destructive = a query cannot be destructive
fault-set-action = set kind = "action"
fault-add-ask = add ask = {"{"} url = "…{"{"}call.key{"}"}", pointer = "/id", equals = "{"{"}call.key{"}"}" {"}"}
fault-missing-probe = is missing for effect probe
fault-remove-or-probe = remove it, or set effect = "probe"
fault-pointer-like = write it like /orders/0/id
fault-ask-own-host = ask the host that acts, or declare the tool without secrets
fault-other-host = would send the secrets to another host
fault-zero = 0 is too small
fault-one-or-more = use 1 or more, or remove it
fault-correct-one = correct one of them
fault-twice = is declared twice
fault-rename-one = rename or remove one of the two
fault-dots = its path contains “.” or “..”
fault-braces = its braces do not match
fault-not-whole = it is not a whole address, such as https://host/path
fault-add-command = add command = "npx" with args = […], or url = "https://host/mcp"
fault-missing-both = is missing, and url is too
fault-with-command = is set together with command
fault-keep-one = keep one of them
fault-name-program = name the program, for example "npx"
fault-only-url = is only for a server with url
fault-remove-or-env = remove it, or use env
fault-correct-name = correct the name
fault-mcp-like = write it like https://host/mcp
fault-has-user = contains a user name or a password
fault-user-to-headers = put them in headers as a secret
fault-only-command = is only for a server with command
fault-only-key-command = is only for an entry with api_key_command
fault-with-authorization = is set together with headers.authorization
fault-without-client = is set without client_id
fault-add-client = add client_id
fault-issuer-like = write the authorization server as it calls itself, like https://login.example
fault-client-id = write the client's id, or remove it
fault-no-port = 0 is not a valid port; use 1 to 65535
fault-not-header-name = is not a valid header name
fault-of-protocol = is set by the protocol itself
fault-not-header-value = is not a valid header value
fault-remove-breaks = remove line breaks and control characters
fault-declare-http = declare the request as an HTTP tool, or use secret_env or secret_file
fault-no-person = secret_person is not possible for an MCP server
fault-one-place = must name one place
fault-secret-two = set one of secret_env and secret_file
fault-not-variable = is not a valid variable name
fault-name-file = name the file
fault-smaller = make it smaller
fault-with-query = is set together with kind = "query"
fault-use-read = use read, or remove it
fault-use-once = use once or idempotent, or make it a query
fault-read-action = read is set together with kind = "action"
fault-always-approval = is false, but destructive and egress tools always need approval
fault-remove-one = remove one of them
fault-add-script = add script = "story.toml"
fault-no-network = is set, but a rehearsal has no network
fault-remove-or-kind = remove it, or change kind
fault-only-rehearsal = is only for kind "rehearsal"
fault-export-key = export NAME=… and write NAME here, never the key
fault-keep-one-of-two = keep one of the two
fault-no-program = does not name a program
fault-program-like = write ["PROGRAM", "ARGUMENT"]
fault-auth-says = remove it; keys belong in api_key_env, and auth says how they are sent
fault-header-like = write NAME = "VALUE"
fault-own-setting = remove it, or use the setting of the entry that writes it
fault-background-stream = remove background, or set stream = true
fault-api-ended = { $by } supported the API of kind "{ $given }" until { $on }
fault-api-instead = set kind = "{ $kind }", base_url = "{ $address }", api_key_env = "{ $variable }" and a model of that API, like model = "{ $model }"; or set base_url to a gateway that still offers it
fault-add-azure = add base_url = "https://RESOURCE.openai.azure.com/openai/v1"
fault-add-url = add base_url, for Ollama: base_url = "http://localhost:11434/v1"
fault-address-like = write it like https://host/v1
fault-holds-user = holds a user or password
fault-key-to-env = put the key into api_key_env
fault-allows-nothing = 0 allows nothing
fault-schema-or-none = use one of: schema, none
fault-remove-or-none = remove it, or set effort = "none"

## What the reader of a table says of it

config-unknown-field = { $entry }: unknown field `{ $name }`
config-unknown-word = { $entry }: unknown variant `{ $name }`
config-missing-field = { $entry }: missing field `{ $name }`
config-duplicate-field = { $entry }: duplicate field `{ $name }`
config-invalid-type = { $entry }: invalid type: { $given }; expected { $expected }
config-invalid-value = { $entry }: invalid value: { $given }; expected { $expected }
config-entry-says = { $entry }: { $says }

## Values that read themselves

fault-price-fine = “{ $given }” has more than six digits behind the point; shorten it
fault-price-none = “{ $given }” is not a price; write US dollars for a million tokens, like "2.50"
fault-price-large = “{ $given }” is too large for a price
fault-allowed-host = “{ $given }” names no host; write a name (“nas.home”, “nas.home:8080”), an address (“192.168.1.5”, “[fd00::5]:8080”) or a network (“10.0.0.0/8”)

## Agents

fault-agent = the agent “{ $agent }”, { $key }: { $problem }; { $fix }
fault-agent-name = “{ $given }” cannot be the name of an agent
fault-agent-name-like = use at most 40 letters, digits and _, the first one a letter, such as JobManager
fault-agent-say-for = say what it is for: whoever may call it reads that
fault-agent-say-who = say who it is and what its mission is
fault-agent-chars = has { $count } characters; at most { $most } are read
fault-agent-bytes = has { $count } bytes; at most { $most } are read
fault-agent-shorter = say it more briefly
fault-agent-no-provider = “{ $given }” is given without a provider
fault-agent-name-provider = add provider = "NAME" beside it, or remove it to use the caller's model
fault-agent-pattern = “{ $given }” names no commands
fault-agent-pattern-like = use the name of a command such as zones.list, a group such as zones.*, or "*"
fault-agent-zero = is 0
fault-agent-at-least-1 = use at least 1, or remove it to have the limit of all agents
