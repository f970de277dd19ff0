#!/usr/bin/env bash
# Installs MediaWiki from Debian's packages for the end-to-end test; start-mediawiki.ts starts it. Exits as install-packages.sh says.
set -euo pipefail

"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" MediaWiki mediawiki php-cli php-sqlite3 </dev/null
