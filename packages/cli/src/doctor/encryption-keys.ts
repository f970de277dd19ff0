import { stat } from 'node:fs/promises'
import { pluralize } from '../pluralize.ts'
import { loadServer } from '../service/load-server.ts'
import { type Check, failed, ok, warning } from './check.ts'

/**
 * The encryption keys of a database that can be reached from here: the one of DATABASE_URL, or an embedded one that
 * runs.
 */
export const encryptionKeys: Check = {
  name: 'encryption keys',
  async run({ dataDir, terminal: { env } }) {
    const isHere = env['DATABASE_URL'] || (await stat(dataDir).catch(() => undefined))
    const server = isHere && (await loadServer('doctor').catch(() => undefined))
    const status = server && (await server.readRunningKeyStatus({ env: { ...env, MORTISE_DATA_DIR: dataDir } }))
    if (!status) return []
    const { keys, nodes } = status
    const counts = keys.map(({ id, state, values }) => `${id} (${state}): ${pluralize(values, 'value')}`).join(', ')
    const lost = keys.filter(({ values, state, configured }) => !configured && values > 0 && state === 'unknown')
    if (lost.length > 0)
      return [
        failed(
          `Values are encrypted under a key that is not known: ${counts}.`,
          'Restore that key from your backup, and set it as MORTISE_ENCRYPTION_KEY_NEXT.',
        ),
      ]
    const active = keys.find(({ state }) => state === 'active')
    const others = nodes.filter(({ activeId }) => activeId !== active?.id)
    if (others.length > 0 || keys.some(({ state }) => state === 'previous' || state === 'closing'))
      return [
        warning(`A rotation of encryption keys has not ended: ${counts}.`, 'Run mortise keys rotate: it continues.'),
      ]
    return [ok(`${counts}.`)]
  },
}
