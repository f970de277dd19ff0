import { execFile } from 'node:child_process'
import type { SystemUser } from './system-user.ts'

/**
 * The environment of everything we run: nothing of ours leaks in (PGDATA, LD_LIBRARY_PATH), messages are in English.
 */
export const plainEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }

/** What running a command came to: what it printed, or why it could not be run. */
export type Probe = { ok: true; output: string } | { ok: false; reason: string }

/**
 * Runs a short command as `user` (as ourselves when undefined). Whether a user can reach or run a file is asked by
 * doing it: root's own access checks always say yes, and noexec mounts and missing capabilities show only this way.
 */
export function probe(command: string, args: readonly string[], user: SystemUser | undefined): Promise<Probe> {
  const identity = user ? { uid: user.uid, gid: user.gid } : {}
  const options = { ...identity, env: plainEnvironment, cwd: '/', timeout: 10_000 }
  return new Promise<Probe>((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve({ ok: true, output: stdout.trim() })
      else resolve({ ok: false, reason: stderr.trim().split('\n')[0] || error.message })
    })
    // Some refusals are thrown: EPERM when we may not become that user.
  }).catch((error: Error) => ({ ok: false, reason: error.message }))
}

/** Whether `user` can pass through every folder above `folder` and enter it. */
export async function canEnter(folder: string, user: SystemUser | undefined): Promise<boolean> {
  return (await probe('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], user)).ok
}
