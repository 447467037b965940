# The models of a provider.

head-window = window
provider-no-list = { $provider } has no list of models; it is configured for { $model }.
provider-no-list-nor-model = { $provider } has no list of models{ $model }.
provider-model-not-listed = The configured model { $model } is not in the list of { $provider }: it may be another name of one, or the name of a deployment.
provider-models-cut = There are more than these { $count }. See more with --limit.
provider-models-prices = Prices in US dollars for a million tokens, as of { $date } or as the entry says. Longer prompts and other tiers may cost more.

# How long it is until an instant, or how long ago it was.

# $span is one of the spans below.
time-in = in { $span }
time-ago = { $span } ago
time-now = now
span-millis = { $count } ms
span-seconds = { $count } s
span-minutes = { $count } min
span-hours = { $count } h
span-days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
# How often.
every-millis = { $count ->
    [one] every { $count } ms
   *[other] every { $count } ms
}
every-seconds = { $count ->
    [one] every second
   *[other] every { $count } s
}
every-minutes = { $count ->
    [one] every minute
   *[other] every { $count } min
}
every-hours = { $count ->
    [one] every hour
   *[other] every { $count } h
}
every-days = { $count ->
    [one] every day
   *[other] every { $count } days
}
# A rule without an end.
rule-until-revoked = until it is revoked
# $at is the instant in the zone of the workspace.
time-beside = { $at }, { $relative }

# What an enrichment on the command line refers to and what is not there.

enrichment-no-zone = there is no zone “{ $id }”
enrichment-no-tool = there is no tool “{ $id }”
enrichment-there-are = there are: { $known }
enrichment-none = there is nothing here that a message can refer to; this program was built without the data that enrichments name
enrichment-there-are-none = there are none yet

# The parameters of a command whose new arguments are not valid.

request-edit-keys = its parameters are: { $keys }

# HTTP tools and MCP servers, for the doctor.

doctor-check-http = http
doctor-http-reached = { $host } opens a connection; nothing was sent
doctor-http-depends = its host depends on its arguments
doctor-http-allow-fix = Its calls are refused before anybody is asked: allow the host in tools.http.allow, or correct the url of [[tools.http.tool]].
doctor-http-fix = Check the network and the url of [[tools.http.tool]].
doctor-callbacks-at = task servers report to { $url }
doctor-callbacks-none = task servers cannot call back; the status of every task is polled instead
doctor-callbacks-fix = set server.public_url to the address where task servers reach this server; without it, polling is enough
doctor-task-at = sent to { $host }
doctor-task-secret-fix = Set the secret of [[tools.tasks.task]]: whsec_ and base64, of 24 to 64 bytes.
doctor-mcp-tools = { $count ->
    [0] it answers, and none of its tools is in use
    [one] it answers, 1 tool in use
   *[other] it answers, { $count } tools in use
}
doctor-mcp-gone = { $count ->
    [one] 1 accepted tool is no longer offered: { $names }
   *[other] { $count } accepted tools are no longer offered: { $names }
}
