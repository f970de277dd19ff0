import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'

/** Without the programs of this checkout: what the machine itself has. */
const hostPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

/** Runs a program of this machine, as somebody without a checkout does. Rejects with its output when it fails. */
export async function runOnHost(
  program: string,
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ stdout: string; stderr: string }> {
  return await promisify(execFile)(program, args, { cwd, env: { PATH: hostPath, ...env } })
}
