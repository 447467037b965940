# What model calls cost.

# $amount is a decimal number of US dollars.
cost-exactly = ${ $amount }
cost-at-least = at least ${ $amount }
cost-unknown = unknown
cost-none = No model was called.
cost-total = total
cost-no-key = -
cost-no-day = { $flag } takes a day like 2026-11-01, not “{ $given }”
# $count sessions.
cost-uncounted = without { $count } sessions whose logs could not be read when costs were added up
cost-rebuilt = added up the costs of { $count } sessions
cost-by-tree = tree
cost-by-attempt = attempt
cost-by-round = round
cost-by-session = session
cost-by-automation = automation
cost-by-day = day
cost-by-model = model
cost-by-person = person
cost-by-command = command
# $name is that of an automation.
cost-automation = automation { $name }
cost-by-provider = provider
head-attempts = attempts
head-input = input
head-cache-read = cache read
head-cache-write = cache write
head-output = output
head-cost = cost
cost-amount = { $amount } USD, { $tokens } { $tokens ->
    [one] token
   *[other] tokens
}
cost-settled = The usage of { $call } is settled.
head-reservations = reserved
cost-reservation = { $state } { $amount }
sheet-reserved = reserved
sheet-uncertain = uncertain
sheet-overrun = beyond reservations
sheet-own-cost = of which its own
sheet-cost = cost
provider-prices-table = prices: the table of { $date }, { $source }
provider-prices-told = prices: the server says what each answer cost
provider-prices-unknown = prices: not known, so costs are not known; set prices = {"{"} input = "…", output = "…" {"}"}
cost-csv-or-json = --csv and --json cannot be used together; choose one
