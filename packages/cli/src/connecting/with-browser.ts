import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Input, Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'

export type OAuthRequest = Omit<Input<'oauthConnect'>['body'], 'projectIdOrName' | 'enableCSRFProtection'>
type Connection = Output<'listConnections'>[number]

/** As long as the service lets a person take. */
const waitMs = 10 * 60_000
/** How long to wait for the check of the new credential. A connection without a check stays `created`. */
const checkMs = 15_000
const betweenMs = 1_000

/**
 * Connects an account on the provider's own page, and waits until the connection exists: a new one, or one of the same
 * account that was authorized again.
 */
export async function connectWithBrowser(
  mortise: Client,
  { browse, stderr, signal }: Terminal,
  { project, request, openBrowser }: { project: string; request: OAuthRequest; openBrowser: boolean },
): Promise<Connection> {
  const { provider, groupRef, consumerRef } = request
  const list = () => mortise.listConnections({ query: { provider, groupRef, consumerRef } }, { signal })
  const before = new Map((await list()).map((connection) => [connection.id, connection.updateTime]))
  const isNew = ({ id, updateTime }: Connection) => !before.has(id) || before.get(id) !== updateTime
  // The browser that opens the page is the one that comes back.
  const body = { ...request, projectIdOrName: project, enableCSRFProtection: true }
  const page = await mortise.oauthConnect({ body }, { signal })
  if (openBrowser) {
    stderr.write(`Grant access in your browser. If it does not open, open this address:\n${page}\n`)
    await browse(page).catch(() => {})
  } else stderr.write(`Open this page in a browser:\n${page}\n`)
  const made = await firstOf(async () => (await list()).find(isNew), waitMs, signal)
  if (!made) throw new Error('Access was not granted within ten minutes. Run the command again.')
  const checked = async () =>
    (await list()).find((connection) => isNew(connection) && connection.lastCheck !== undefined)
  return (await firstOf(checked, checkMs, signal)) ?? made
}

/** Looks again and again until there is something, or the time is over. */
async function firstOf<T>(
  look: () => Promise<T | undefined>,
  forMs: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const until = Date.now() + forMs
  while (true) {
    const found = await look()
    if (found !== undefined || Date.now() >= until) return found
    await sleep(betweenMs, undefined, { signal })
  }
}
