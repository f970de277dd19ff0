#!/usr/bin/env bash
# Installs Redmine from Debian's packages for the end-to-end test; start-redmine.ts starts it. Exits as install-packages.sh says.
set -euo pipefail

# Has the package make a database with Redmine's tables and its usual trackers, statuses and roles, for each test to copy.
"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" Redmine redmine redmine-sqlite puma <<'ANSWERS'
redmine redmine/instances/default/dbconfig-install boolean true
redmine redmine/instances/default/database-type select sqlite3
ANSWERS
