#!/usr/bin/env bash
# Installs WordPress from Debian's packages for the end-to-end test; start-wordpress.ts starts it. Exits as install-packages.sh says.
set -euo pipefail

exec "$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" \
  WordPress wordpress php-cli php-mysql mariadb-server-core mariadb-client </dev/null
