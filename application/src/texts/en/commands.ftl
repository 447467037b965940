# What the commands say: actions in words, why they are refused, and what a model reads about each.

## Periods and instants

calendar-no-instant = “{ $given }” is no instant; write date, time and offset like 2026-11-20T08:30:00Z, or without the offset on the workspace's clock
calendar-out = this lies outside of the years -9999 to 9999
calendar-too-many-days = this has more than { $most } days; ask for a shorter period
calendar-no-period = “{ $given }” is no period; write offset_TYPE like -1_WEEK or 0_DAY
calendar-no-offset = “{ $given }” is no offset of a period; write a whole number, not further than { $most } from 0
calendar-no-unit = “{ $given }” is no unit of a period; the units are { $units }
calendar-backwards = until is before from
