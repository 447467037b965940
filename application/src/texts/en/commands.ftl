# What the commands say: actions in words, why they are refused, and what a model reads about each.

## Periods and instants

calendar-no-instant = “{ $given }” is no instant; write date, time and offset like 2026-11-20T08:30:00Z, or without the offset on the workspace's clock
calendar-out = this lies outside of the years -9999 to 9999
calendar-too-many-days = this has more than { $most } days; ask for a shorter period
calendar-no-period = “{ $given }” is no period; write offset_TYPE like -1_WEEK or 0_DAY
calendar-no-offset = “{ $given }” is no offset of a period; write a whole number, not further than { $most } from 0
calendar-no-unit = “{ $given }” is no unit of a period; the units are { $units }
calendar-backwards = until is before from

## Refusals

resources-text-required = “{ $name }” is required, a text
resources-not-found = there is no { $kind } “{ $id }”; { $lister } lists those there are
resources-no-entry = there is no entry “{ $id }”
resources-name-taken = the { $kind } { $id } has the name “{ $name }” already; take another
resources-nothing-to-change = say what to change: { $fields }
resources-unknown-type = there is no tool type “{ $name }”; there are: { $known }
resources-one-of-two = give tool_type or tool_id, not both
resources-two-periods = give period, or from and until, not both
resources-config-unfit = a tool of type { $name } is not configured like this
resources-entries-unfit = nothing was created, because entries do not fit “{ $tool }”
resources-entry-unfit = the entry would not fit “{ $tool }”
resources-entries-missing = nothing was deleted (TOOL_DATA lists the entries there are)
resources-unreadable = the data could not be read; try again later
resources-too-many = there are { $total } rows to look through, and { $most } are looked through at most; ask for less, such as a shorter period
resources-filter-none = entries of “{ $tool }” have no field to filter by
resources-filter-field = entries of “{ $tool }” have no field “{ $given }” to filter by; there are: { $fields }
resources-filter-empty = say what the field must be: min, max or equals
resources-filter-both = give min and max, or equals, not both
resources-filter-unfit = { $argument } does not fit the field “{ $field }”, which holds { $holds }
resources-holds-numbers = numbers (compared below 10^15, to 9 digits after the point)
resources-holds-texts = texts
resources-holds-truths = true or false

## Faults of a value

resources-fault-required = this is required
resources-fault-no-field = there is no such field
resources-fault-foreign = this does not belong here
resources-fault-schema = the schema for this cannot be used: { $why }
resources-fault-unreadable = this cannot be read: { $why }
resources-fault-minimum = { $value } is less than the minimum of { $limit }
resources-fault-maximum = { $value } is greater than the maximum of { $limit }
resources-fault-short = { $value } is shorter than { $limit } { $limit ->
    [1] character
   *[other] characters
}
resources-fault-long = { $value } is longer than { $limit } characters
resources-fault-few = { $value } has less than { $limit } items
resources-fault-many = { $value } has more than { $limit } items
resources-fault-twice = { $value } has non-unique elements
resources-fault-format = { $value } is not a { $limit }
resources-fault-option = { $value } is not one of { $limit }
resources-fault-type = { $value } is not of type { $limit }
resources-fault-bounds = the least value is greater than the greatest

## Actions in words

resources-create-zone = Create the zone “{ $name }”
resources-create-tool = Create the { $kind } tool “{ $name }” in the zone “{ $zone }”
resources-create-data = Create { $count ->
    [one] 1 entry
   *[other] { $count } entries
} in “{ $tool }”: { $entries }
resources-update = Change { $what }: { $fields }
resources-the-zone = the zone “{ $name }”
resources-the-tool = the tool “{ $name }”
resources-the-entry = the entry { $said } in “{ $tool }”
resources-delete-zone = Delete the zone “{ $name }”{ $tools ->
    [0] , which has no tools
    [1] {" "}and the tool in it ({ $entries ->
        [one] 1 entry
       *[other] { $entries } entries
    })
   *[other] {" "}and the { $tools } tools in it ({ $entries ->
        [one] 1 entry
       *[other] { $entries } entries
    })
}
resources-delete-tool = Delete the tool “{ $name }” and its data ({ $entries ->
    [one] 1 entry
   *[other] { $entries } entries
})
resources-delete-data = Delete { $count ->
    [one] 1 entry
   *[other] { $count } entries
}: { $entries }
resources-dated = { $said } on { $at }
resources-dated-now = { $said } now
resources-placed = { $said } in “{ $tool }”
resources-named = { $name }: { $said }
resources-joined = { $first }; { $next }
resources-more = and { $count } more
resources-entry-number = entry { $number }
resources-nothing = nothing
resources-none = (none)
resources-yes = yes
resources-no = no

## Warnings

resources-warn-refused = would be refused now: { $why }
resources-warn-leave-off = turns off the leave that this { $kind } asks for
resources-warn-leave-on = every action in this { $kind } will ask for leave
resources-warn-config = changes the configuration of a tool that has { $entries ->
    [one] 1 entry
   *[other] { $entries } entries
}
resources-warn-always-send = the model will get this tool's data in every session

## Fields

resources-field-name = name
resources-field-description = description
resources-field-timestamp = timestamp
resources-field-tool-type = tool_type
resources-field-require-validation = require_validation
resources-field-always-send = always_send
resources-field-tool = tool
resources-field-config = config.{ $member }
resources-field-data = data.{ $member }

## Entries in words

resources-quoted = “{ $text }”
resources-no-value = no value
resources-mood = { $text }, mood: { $mood }
resources-done = done
resources-open = not done
resources-place = place { $place }
resources-due = due on { $due }

## Tool types

resources-type-tracking = Keeps one value per entry. The kind in its configuration says which: numeric (a number), scale (a whole number from min to max), text, choice (one of options), boolean, duration (a number of s, min or h), counter (a whole number to add, not negative).
resources-type-notes = Keeps texts, each with an optional title. Its configuration is empty.
resources-type-journal = Keeps what days were like: texts, each with an optional title and mood; the timestamp of the entry says which day. moods in its configuration lists the moods there are; any text is one when it is absent.
resources-type-list = Keeps items to tick off: each with item (the text), done, order (its place), due (a date) and note, all but item optional. With due_required in its configuration every item needs a due date.

## Results that are read on

results-read-more = {"["}characters { $from } to { $until } of { $total }; read on from { $until }]
results-read-end = {"["}characters { $from } to { $until } of { $total }; this is the end]
results-read-beyond = the result has { $total } characters; from is { $from }
results-read-no-call = no call { $call } of this session has a result

## Commands, for the model

doc-APP_STATE = Shows the zones with the tools in each: ids, names, types. Takes no arguments.
doc-SCHEMA = Shows the JSON Schemas of a configuration and of an entry's data. tool_type: those of a type. tool_id: those of one tool, its entries as its configuration wants them. Give one of the two, or neither to list the types.
doc-READ_RESULT = Reads on in a result of this session that was cut because it is long. call: the call whose result it is, as the cut says. from: the first character, counted from 0. length: how many characters at most.
doc-CREATE_DATA = Makes entries of one tool, all or none. tool_id: which tool. entries: 1 to 100, each with data (as SCHEMA shows it for the tool), timestamp (when it was; now when absent) and name (optional).
doc-DELETE_DATA = Deletes entries for good, all or none. entry_ids: 1 to 100 ids of entries (TOOL_DATA lists them).
doc-TOOL_DATA = Shows entries of a tool, the newest first. tool_id: which tool. period: only those of a period counted from now, offset_TYPE: 0_DAY is today, -1_WEEK last week. from, until: instead of a period, only entries at or after from and before until. name: only those with this in their name. min, max or equals: only those whose value is in that range, or is that; field: of which field, the main one when absent. order: newest or oldest first. limit, offset: one page of them; the answer says how many there are in total, and which instants were used.
doc-TOOL_STATS = Shows what entries of a tool come to: how many; of numbers the sum, the least, the greatest and the mean (rounded to 6 digits after the point); of a choice how often each option; of true and false how often each; of texts how many. tool_id: which tool. period: counted from now, offset_TYPE: 0_DAY is today, -1_WEEK last week. from, until: instead of a period, entries at or after from and before until. name, field, min, max, equals: only some of the entries, as in TOOL_DATA. per_day: each day on its own too (true when absent), the latest 400; days without entries are left out. The answer says which instants were used. Numbers of 10^15 and more, or with more than 9 digits after the point, are not counted and stand in left_out.
doc-UPDATE_DATA = Changes one entry. entry_id: which. data: the fields of its data to change; a field that is null is cleared. timestamp: when it was. name: its name; null clears it. What is absent stays.
doc-CREATE_TOOL = Makes a tool in a zone; answers with its id and the schema of its entries. zone_id: where. tool_type: what it keeps (SCHEMA lists the types and the configuration each takes). name: unique in the zone, letter case aside. config: the configuration, {"{}"} when absent. require_validation: ask a person before every action on it. always_send: give the model its data in every session.
doc-DELETE_TOOL = Deletes a tool with all its entries, for good. tool_id: which.
doc-TOOL_CONFIG = Shows one tool with its configuration and how many entries it has. tool_id: the id of the tool (TOOL_INSTANCES lists them).
doc-TOOL_INSTANCES = Lists the tools by name: id, zone, type, name and flags. zone_id: only those in this zone. tool_type: only those of this type. name: only those with this in their name. All when absent.
doc-UPDATE_TOOL = Changes a tool. tool_id: which. name, require_validation, always_send: the new values. config: the settings to change; a setting that is null is cleared. What is absent stays. Entries already kept are not changed. When its entries look different from now on, the answer shows their schema.
doc-CREATE_ZONE = Makes a zone. name: unique in the workspace, letter case aside. description: what it is for, optional. require_validation: ask a person before every action in it, optional.
doc-DELETE_ZONE = Deletes a zone with all its tools and their entries, for good. zone_id: which.
doc-ZONE_CONFIG = Shows one zone and the tools in it. zone_id: the id of the zone (ZONES lists them).
doc-ZONES = Lists the zones by name: id, name, description, and whether actions in the zone need leave. name: only those with this in their name.
doc-UPDATE_ZONE = Changes a zone. zone_id: which. name, description, require_validation: the new values; what is absent stays; description null clears it.

## Enrichments: what stands in their place, and what is wrong with them

enrichment-zone = the zone { $zone }
enrichment-tool = the tool { $tool }
enrichment-tool-period = the tool { $tool } and its entries { $period }
enrichment-use = the tool { $tool } with all its data
enrichment-use-period = the tool { $tool } with its data { $period }
enrichment-create = a new tool of the type { $type }
enrichment-create-zone = a new tool of the type { $type } in the zone { $zone }
enrichment-modify = the configuration of the tool { $tool }, to be changed
enrichment-named = “{ $name }” ({ $id })
enrichment-name = “{ $name }”
enrichment-gone = { $id } (deleted)
enrichment-from-until = from { $from } until before { $until }
enrichment-relative = of the period { $period }
enrichment-no-object = an enrichment is a JSON object whose type is one of { $kinds }
enrichment-no-type = "type" is missing: one of { $kinds }
enrichment-other-type = { $given } is no type of enrichment: { $kinds }
enrichment-zone-period = a zone has no entries of its own; leave the period out, or point at a tool
enrichment-fault = enrichment { $number }: { $faults }
enrichment-too-many = the message has { $count } enrichments, at most { $most } are taken (message.max_enrichments); leave some out or raise the setting
