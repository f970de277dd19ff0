#!/usr/bin/env bash
# Installs the Redis server from Debian's packages, for the tests of destinations of type redis-stream, which start their own. Exits as
# install-packages.sh says.
set -euo pipefail

"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" Redis redis-server < /dev/null
