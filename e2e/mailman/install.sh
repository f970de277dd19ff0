#!/usr/bin/env bash
# Installs Mailman from Debian's packages for the end-to-end test; start-mailman.ts starts it. Exits as install-packages.sh says.
set -euo pipefail

# Without the package's own database: each test makes one.
"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" Mailman mailman3 dbconfig-no-thanks <<'ANSWERS'
mailman3 mailman3/dbconfig-install boolean false
ANSWERS
