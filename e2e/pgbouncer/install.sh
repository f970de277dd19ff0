#!/usr/bin/env bash
# Installs PgBouncer from Debian's packages, for the tests behind a connection pooler, which start their own. Exits as
# install-packages.sh says.
set -euo pipefail

"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" PgBouncer pgbouncer < /dev/null
