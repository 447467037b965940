#!/usr/bin/env bash
# `promtool check metrics` reads OpenMetrics as the classic text format: what an official client writes in OpenMetrics fails the
# check, and the same registry in the classic format passes.
#
# Versions: promtool 2.42.0+ds-5+deb12u1 (Debian's package prometheus), prometheus_client 0.24.1, Python 3.11.
# Seen on 29 November 2026, for one counter with a help text:
#   - classic text (HELP and TYPE of jobs_done_total): exit 0, nothing said;
#   - OpenMetrics (HELP and TYPE of jobs_done, samples jobs_done_total and jobs_done_created): exit 3,
#     "jobs_done_created no help text" and "jobs_done_total no help text".
# The name that HELP and TYPE have in OpenMetrics is not that of the samples, so the check finds samples of no type and no help. It
# names neither the format nor the line, and there is no option for the format. A check of an OpenMetrics answer has to ask for the
# classic one.
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download prometheus=2.42.0+ds-5+deb12u1 >/dev/null 2>&1
dpkg -x prometheus_*.deb debian
python3 -m venv python
python/bin/pip install --quiet prometheus_client==0.24.1
python/bin/python - <<'PY'
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.openmetrics import exposition

registry = CollectorRegistry()
Counter("jobs_done", "Jobs that are done.", registry=registry).inc(3)
open("classic.txt", "wb").write(generate_latest(registry))
open("openmetrics.txt", "wb").write(exposition.generate_latest(registry))
PY
check() {
    local status=0
    debian/usr/bin/promtool check metrics <"$1" >"$1.said" 2>&1 || status=$?
    echo "$1: exit $status: $(tr '\n' ';' <"$1.said")"
}
seen="$(check classic.txt; check openmetrics.txt)"
echo "$seen"
[ "$seen" = "classic.txt: exit 0: 
openmetrics.txt: exit 3: jobs_done_created no help text;jobs_done_total no help text;" ]
