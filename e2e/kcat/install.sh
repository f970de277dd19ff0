#!/usr/bin/env bash
# Installs kcat from Debian's packages: its library contains brokers for tests of Kafka. Exits as install-packages.sh
# says.
set -euo pipefail

"$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" kcat kcat < /dev/null
