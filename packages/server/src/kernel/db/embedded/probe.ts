import { execFile } from 'node:child_process'
import type { SystemUser } from './system-user.ts'

/**
 * Environment of every program that we run: none of our variables leak in (PGDATA, LD_LIBRARY_PATH), and messages are
 * in English.
 */
export const plainEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }

/** Result of a command: its output, or why it could not run. */
export type Probe = { ok: true; output: string } | { ok: false; reason: string }

/**
 * Runs a short command as `user` (as ourselves when undefined). Only a real run shows whether a user can reach or run a
 * file: root's own access checks always pass, and noexec mounts and missing capabilities show only this way.
 */
export function probe(command: string, args: readonly string[], user: SystemUser | undefined): Promise<Probe> {
  const identity = user ? { uid: user.uid, gid: user.gid } : {}
  const options = { ...identity, env: plainEnvironment, cwd: '/', timeout: 10_000 }
  return new Promise<Probe>((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve({ ok: true, output: stdout.trim() })
      else resolve({ ok: false, reason: stderr.trim().split('\n')[0] || error.message })
    })
    // Some refusals are thrown, such as EPERM when we may not switch to that user.
  }).catch((error: Error) => ({ ok: false, reason: error.message }))
}

/** Returns whether `user` can pass through every folder above `folder` and enter it. */
export async function canEnter(folder: string, user: SystemUser | undefined): Promise<boolean> {
  return (await probe('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], user)).ok
}
