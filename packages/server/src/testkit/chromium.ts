import { existsSync } from 'node:fs'

/** Chromium of the machine; undefined where there is none, and its tests are left out. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
