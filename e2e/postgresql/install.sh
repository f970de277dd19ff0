#!/usr/bin/env bash
# Installs PostgreSQL from Debian's packages, for the tests on a server with its default configuration, which start their own. Exits as
# install-packages.sh says.
set -euo pipefail

"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" PostgreSQL postgresql < /dev/null
