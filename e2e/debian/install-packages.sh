#!/usr/bin/env bash
# Installs an application from Debian's packages for an end-to-end test, and starts nothing. Run again, it finds its work done.
#
#   install-packages.sh NAME PACKAGE...    answers to debconf's questions may come on standard input
#
# The first package is the application: one that somebody else installed is left alone.
# Says in one line what holds; exits 0 when the application can be started, else:
#   10 not root, 11 no apt, 12 packages out of reach, 13 one of somebody else's is installed, 14 installation failed
set -euo pipefail

name=$1
shift
packages=("$@")
application=$1
# Holds while the application on this machine is ours: it outlives the checkout, as the packages do.
marker=/var/lib/misc/mortise-e2e-$application

finish() {
  echo "$name for the end-to-end test: $2"
  exit "$1"
}

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

all_installed() {
  local package
  for package in "${packages[@]}"; do installed "$package" || return 1; done
}

[ "$(id -u)" = 0 ] || finish 10 "not installed, that needs root."
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || finish 11 "not installed, this is no Debian (no apt-get)."

if installed "$application" && [ ! -e "$marker" ]; then
  finish 13 "one that this script did not install is here and left alone; say that it may be used by: touch $marker"
fi
if all_installed; then finish 0 "installed already."; fi

log=$(mktemp)
policy=/usr/sbin/policy-rc.d
forbids_starts=false
cleanup() {
  rm -f "$log"
  if $forbids_starts; then rm -f "$policy"; fi
}
trap cleanup EXIT

# Some bring a server with them, which apt would start on a machine with systemd.
if [ ! -e "$policy" ]; then
  forbids_starts=true
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
# Offline, apt would try every mirror for minutes. Its own lists may do even when they cannot be refreshed.
apt=(apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 -o DPkg::Lock::Timeout=30)
# Nothing has to survive a power failure: without this, dpkg waits for the disk after each of hundreds of packages.
apt+=(-o Dpkg::Options::=--force-unsafe-io)
timeout --kill-after=5 30 "${apt[@]}" update >"$log" 2>&1 </dev/null || true
timeout --kill-after=5 45 "${apt[@]}" install -y --no-install-recommends --download-only "${packages[@]}" >"$log" 2>&1 </dev/null ||
  finish 12 "not installed, the packages are out of reach: $(grep -m1 '^E:' "$log" || echo 'no answer in time')"

# What an update of Ruby brings along as Bundler knows nothing of the gems that Debian packages: applications mean Debian's own.
bundler=$(apt-cache policy ruby-bundler | sed -nE 's/^ *Candidate: ([0-9.]+).*/\1/p')
if [ -n "$bundler" ]; then export BUNDLER_VERSION=$bundler; fi

# From here on the application on this machine is ours, even when this run is cut short.
touch "$marker"
if [ ! -t 0 ]; then debconf-set-selections; fi
if ! timeout --kill-after=10 80 "${apt[@]}" install -y --no-install-recommends "${packages[@]}" >"$log" 2>&1 </dev/null; then
  installed "$application" || rm -f "$marker"
  finish 14 "not installed: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")"
fi
finish 0 "installed."
