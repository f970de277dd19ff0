import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { readConfig } from '../config.ts'
import { recordOperatorCommand } from '../features/platform/audit/index.ts'
import { followEncryptionKeys } from '../kernel/db/index.ts'
import type { Keyring } from '../kernel/encryption/index.ts'
import { configuredKeyring } from '../storage.ts'
import { countValues, listKeys, listNodes, listWriters, moveKeys, nodeLifeSeconds, promoteKey } from './key-store.ts'
import { asKysely, type ReachOptions, withKeyDatabase } from './reach.ts'
import { rewrapOnce } from './rewrap.ts'

/** The rotation cannot be made as things are. The message says what to do. */
export class RotationRefused extends Error {
  override name = 'RotationRefused'
}

export interface RotateOptions extends ReachOptions {
  signal: AbortSignal
  /**
   * Called whenever there is something to show: what is being done, and how many values have been rewrapped of how
   * many.
   */
  progress?: (step: RotationStep, rewrapped: number, total: number) => void
}

export type RotationStep = 'promote' | 'rewrap' | 'retire'

export interface Rotated {
  /** The key that encrypts now. */
  activeId: string
  /** Keys that were retired by this call: they may be removed from the settings. */
  retiredIds: string[]
  /** Values that this call rewrapped. */
  rewrapped: number
}

const lookAgainMs = 250

/**
 * Changes to the new key that is configured, while the service runs: makes it the one that encrypts, waits until every
 * node has switched, rewraps all values, and retires the other key. Ended at any moment, it is continued by the next
 * call.
 *
 * @throws RotationRefused, MissingEncryptionKey, UnusableValue, and what opening a database throws
 */
export async function rotateKeys(options: RotateOptions): Promise<Rotated> {
  const config = readConfig(options.env)
  const keyring = configuredKeyring(config)
  if (!keyring)
    throw new RotationRefused('There is no encryption key: set MORTISE_ENCRYPTION_KEY or MORTISE_ENCRYPTION_KEY_FILE.')
  return await withKeyDatabase(options, async (client) => {
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtext('mortise.keys')) as mine`,
    )
    if (!rows[0]?.mine) throw new RotationRefused('Another rotation runs on this database. Wait until it has ended.')
    return await rotate(client, keyring, options)
  })
}

async function rotate(client: pg.Client, keyring: Keyring, { signal, progress }: RotateOptions): Promise<Rotated> {
  await promoteNew(client, keyring)
  progress?.('promote', 0, 0)
  await nodesHaveSwitched(client, keyring.activeId, signal)

  const counts = await countValues(client)
  let rewrapped = 0
  const total = [...counts].reduce((sum, [id, values]) => sum + (id === keyring.activeId ? 0 : values), 0)
  const rewrapAll = async (step: RotationStep) => {
    const count = (values: number) => {
      rewrapped += values
      progress?.(step, rewrapped, Math.max(total, rewrapped))
    }
    while (await hasOthers(client, keyring.activeId)) {
      const before = rewrapped
      await rewrapOnce({ client, keyring, signal, rewrapped: count })
      // What is left is locked by somebody.
      if (rewrapped === before) await setTimeout(lookAgainMs, undefined, { signal })
    }
  }
  await rewrapAll('rewrap')
  progress?.('retire', rewrapped, Math.max(total, rewrapped))
  // From here on the database takes no value under the old key; what is on its way into it is waited for.
  await moveKeys(client, 'previous', 'closing')
  await writersHaveEnded(client, signal)
  await rewrapAll('retire')
  const retiredIds = (await listKeys(client)).filter(({ state }) => state === 'closing').map(({ id }) => id)
  await moveKeys(client, 'closing', 'retired')
  const resource = { kind: 'encryption-key', id: keyring.activeId }
  await recordOperatorCommand(asKysely(client), { action: 'rotateKeys', verb: 'rotate', resource })
  return { activeId: keyring.activeId, retiredIds, rewrapped }
}

/** Makes the new key the one that encrypts. Does nothing where that was done, and the rest was not. */
async function promoteNew(client: pg.Client, keyring: Keyring): Promise<void> {
  const stored = await listKeys(client)
  if (stored.length === 0)
    throw new RotationRefused('Nothing is encrypted in this database yet. Start the service first.')
  followEncryptionKeys(
    keyring,
    stored.map(({ id, state }) => ({ key_id: id, state })),
  )
  const target = keyring.ids.find((id) => !stored.some((key) => key.id === id))
  const isUnderWay = stored.some(({ state }) => state === 'previous' || state === 'closing')
  if (target === undefined) {
    if (isUnderWay) return
    throw new RotationRefused(
      `There is no new key to change to; ${keyring.activeId} encrypts. Set MORTISE_ENCRYPTION_KEY_NEXT (or the file encryption-key.next) to a new key ` +
        'on every node, restart the nodes, and run this again. A key that was retired is not used again.',
    )
  }
  const nodes = await listNodes(client)
  const without = nodes.filter(({ keyIds }) => !keyIds.includes(target))
  if (without.length > 0)
    throw new RotationRefused(
      `${without.length} of ${nodes.length} running nodes do not hold the new key ${target} yet, and could not read what is encrypted under it. ` +
        `Set MORTISE_ENCRYPTION_KEY_NEXT there and restart them. A node that has ended counts for ${nodeLifeSeconds} seconds more. Nothing was changed.`,
    )
  await promoteKey(client, target)
  keyring.activate(target)
}

async function nodesHaveSwitched(client: pg.Client, activeId: string, signal: AbortSignal): Promise<void> {
  while ((await listNodes(client)).some((node) => node.activeId !== activeId))
    await setTimeout(lookAgainMs, undefined, { signal })
}

/** Waits for the transactions that write to encrypted columns now: some began before the old key was closed. */
async function writersHaveEnded(client: pg.Client, signal: AbortSignal): Promise<void> {
  const writers = await listWriters(client)
  for (let left = writers; left.length > 0; ) {
    const now = new Set(await listWriters(client))
    left = writers.filter((writer) => now.has(writer))
    if (left.length > 0) await setTimeout(lookAgainMs, undefined, { signal })
  }
}

async function hasOthers(client: pg.Client, activeId: string): Promise<boolean> {
  return [...(await countValues(client))].some(([id, values]) => id !== activeId && values > 0)
}
