import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Check, type Finding, failed, ok, warning } from './check.ts'

const gigabyte = 1024 ** 3
const freeMin = 1 * gigabyte

/** The folder of an embedded database on this computer, where there is one. */
export const dataFolder: Check = {
  name: 'data folder',
  async run({ dataDir, terminal: { env } }) {
    const folder = await stat(dataDir).catch(() => undefined)
    if (!folder) return []
    const findings: Finding[] = []
    if (!folder.isDirectory())
      return [failed(`${dataDir} is not a folder.`, 'Move it, or name another folder with MORTISE_DATA_DIR.')]
    if ((folder.mode & 0o022) !== 0 && process.platform !== 'win32')
      findings.push(warning(`Other users can write to ${dataDir}.`, `Run: chmod go-w ${dataDir}`))
    const { bavail, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    if (free < freeMin)
      findings.push(
        warning(
          `Only ${(free / gigabyte).toFixed(1)} GB are free where ${dataDir} is.`,
          'Free some space: PostgreSQL stops when the disk is full. MORTISE_RETENTION_DAYS sets how long messages are stored.',
        ),
      )
    findings.push(
      ...(await encryptionKey(env['MORTISE_ENCRYPTION_KEY_FILE'] ?? join(dataDir, 'encryption-key'), dataDir, env)),
    )
    return findings.some(({ status }) => status !== 'ok')
      ? findings
      : [ok(`${dataDir}: the permissions are correct, ${(free / gigabyte).toFixed(0)} GB are free.`)]
  },
}

async function encryptionKey(
  file: string,
  dataDir: string,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  if (env['MORTISE_ENCRYPTION_KEY']) return []
  const key = await stat(file).catch(() => undefined)
  if (key)
    return (key.mode & 0o077) === 0 || process.platform === 'win32'
      ? []
      : [
          failed(
            `Other users can read the encryption key ${file}, so the service refuses it.`,
            `Run: chmod 600 ${file}`,
          ),
        ]
  // Without a database, nothing is encrypted yet.
  const encrypted = await Promise.all(
    ['postgres/data', 'postgres.path'].map((name) => stat(join(dataDir, name)).catch(() => undefined)),
  )
  return encrypted.some(Boolean)
    ? [
        failed(
          `The encryption key ${file} is missing. Stored credentials cannot be decrypted without it.`,
          'Put it back from your backup, or set MORTISE_ENCRYPTION_KEY.',
        ),
      ]
    : []
}
