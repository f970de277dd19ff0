#!/usr/bin/env bash
# Installs Debian's Chromium for the tests of pages, which find it where it is. Exits as install-packages.sh says.
set -euo pipefail

exec "$(dirname "${BASH_SOURCE[0]}")/../debian/install-packages.sh" Chromium chromium </dev/null
