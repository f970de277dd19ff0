import { readConfig } from '../config.ts'
import type { EncryptionKeyState } from '../kernel/db/index.ts'
import { createKeyring } from '../kernel/encryption/index.ts'
import { configuredKeys } from '../storage.ts'
import { countValues, listKeys, listNodes, type RunningNode } from './key-store.ts'
import { isRunning, type ReachOptions, withKeyDatabase } from './reach.ts'

export interface KeyStatus {
  keys: {
    id: string
    /** `next`: configured here, and not in use yet. `unknown`: values are under it, and nothing else is known of it. */
    state: EncryptionKeyState | 'next' | 'unknown'
    /** Whether the settings here hold it. */
    configured: boolean
    /** How many values are encrypted under it. */
    values: number
  }[]
  nodes: RunningNode[]
}

/** Says which encryption keys there are, how many values each has, and which running nodes hold them. */
export async function readKeyStatus(options: ReachOptions): Promise<KeyStatus> {
  const configured = configuredKeys(readConfig(options.env)).map((active) => createKeyring({ active }).activeId)
  return await withKeyDatabase(options, async (client) => {
    const [stored, counts, nodes] = [await listKeys(client), await countValues(client), await listNodes(client)]
    const states = new Map(stored.map(({ id, state }) => [id, state]))
    const ids = new Set([...states.keys(), ...configured, ...counts.keys()])
    const keys = [...ids].map((id) => ({
      id,
      state: states.get(id) ?? (configured.includes(id) ? ('next' as const) : ('unknown' as const)),
      configured: configured.includes(id),
      values: counts.get(id) ?? 0,
    }))
    return { keys, nodes }
  })
}

/** The same, without starting an embedded database for it: undefined when none runs. */
export async function readRunningKeyStatus(options: ReachOptions): Promise<KeyStatus | undefined> {
  return (await isRunning(options)) ? await readKeyStatus(options) : undefined
}
