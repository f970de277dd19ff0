#!/usr/bin/env bash
# Installs the clients of cloud services below this folder, as the lockfile says. Says in one line what holds; exits 0
# when the benchmark can use them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if cmp -s package-lock.json node_modules/.installed; then
  echo "Clients of cloud services for the benchmark: installed already."
  exit 0
fi
if ! timeout --kill-after=5 300 npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 </dev/null; then
  echo "Clients of cloud services for the benchmark: not installed: $(tail -n 1 "$log")"
  exit 14
fi
cp package-lock.json node_modules/.installed
echo "Clients of cloud services for the benchmark: installed."
