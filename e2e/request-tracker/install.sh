#!/usr/bin/env bash
# Installs Request Tracker from Debian's packages for the end-to-end test; start-request-tracker.ts starts it. Exits as install-packages.sh says.
set -euo pipefail

# Without the package's own database: each test makes one.
"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" 'Request Tracker' request-tracker5 rt5-db-sqlite <<'ANSWERS'
request-tracker5 request-tracker5/dbconfig-install boolean false
ANSWERS
