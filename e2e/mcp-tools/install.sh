#!/usr/bin/env bash
# Installs the protocol's conformance tool and inspector below this folder, as the lockfile says. Says in one line what
# holds; exits 0 when the tests can use them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if cmp -s package-lock.json node_modules/.installed; then
  echo "Tools of the Model Context Protocol for the end-to-end test: installed already."
  exit 0
fi
if ! timeout --kill-after=5 150 npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 </dev/null; then
  echo "Tools of the Model Context Protocol for the end-to-end test: not installed: $(tail -n 1 "$log")"
  exit 14
fi
cp package-lock.json node_modules/.installed
echo "Tools of the Model Context Protocol for the end-to-end test: installed."
