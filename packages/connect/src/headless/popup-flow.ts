import type { ConnectApi } from './api.ts'
import type { OpenedWindow, Windows } from './windows.ts'
import type { ConnectInfo, Connection } from './wire.ts'

/** How an authorization in a window ended. */
export type FlowEnd =
  | { kind: 'connected'; connectionId?: string }
  /** The provider or the customer said no. */
  | { kind: 'denied'; detail?: string }
  | { kind: 'closed' }
  | { kind: 'aborted' }

const closedCheckMs = 250
/** After the window is closed, or seems to be: a provider may separate it from this page (COOP). */
const pollMs = 2_000
const pollsMax = 150

interface FlowOptions {
  api: ConnectApi
  windows: Windows
  server: string
  window: OpenedWindow
  signal: AbortSignal
  /** What there was before the window led to the provider. */
  before: ConnectInfo | undefined
  provider: string
  /** The connection that gets new access. */
  connectionId: string | undefined
}

/** Follows the authorization in a window until it ends, by its message or, without one, by asking the service. */
export class PopupFlow {
  readonly #options: FlowOptions

  constructor(options: FlowOptions) {
    this.#options = options
  }

  /** Resolves within a second after the window is closed. */
  async ended(): Promise<FlowEnd> {
    const { window, windows, server, signal } = this.#options
    let end: FlowEnd | undefined
    const found = new AbortController()
    const stop = window.onMessage(server, (data) => {
      end ??= endOfMessage(data)
      if (end) found.abort()
    })
    const either = AbortSignal.any([signal, found.signal])
    try {
      while (!end && !signal.aborted && !window.isClosed()) await windows.wait(closedCheckMs, either)
      if (end) return end
      if (signal.aborted) return { kind: 'aborted' }
      return (await this.#stored()) ?? end ?? { kind: 'closed' }
    } finally {
      stop()
    }
  }

  /** Resolves when the authorization ends after all, in a window that this page cannot see any more. */
  async endedLater(): Promise<FlowEnd> {
    const { windows, signal } = this.#options
    for (let polls = 0; polls < pollsMax && !signal.aborted; polls++) {
      await windows.wait(pollMs, signal)
      if (signal.aborted) break
      const end = await this.#stored()
      if (end) return end
    }
    return { kind: 'aborted' }
  }

  /** Asks the service how the authorization ended: by the accounts there are, and by the session. */
  async #stored(): Promise<FlowEnd | undefined> {
    const info = await this.#options.api.getInfo().catch(() => undefined)
    if (!info) return undefined
    const connection = this.#changedConnection(info)
    if (connection) return { kind: 'connected', connectionId: connection.id }
    // The service clears it when an authorization begins.
    const failure = info.session?.failure
    return failure === undefined ? undefined : { kind: 'denied', detail: failure }
  }

  #changedConnection({ connections }: ConnectInfo): Connection | undefined {
    const { before, provider, connectionId } = this.#options
    const versions = new Map(before?.connections.map((one) => [one.id, versionOf(one)]))
    return connections.find(
      (one) =>
        one.provider === provider &&
        (connectionId === undefined || one.id === connectionId) &&
        one.status !== 'bad_credentials' &&
        versions.get(one.id) !== versionOf(one),
    )
  }
}

function versionOf({ createTime, updateTime = createTime }: Connection): string {
  return updateTime
}

/** Messages of the service's window; anything else is ignored. */
function endOfMessage(data: unknown): FlowEnd | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const message = data as { eventType?: unknown; message?: unknown; data?: { connection?: unknown } }
  if (message.eventType === 'AUTHORIZATION_FAILED')
    return { kind: 'denied', ...(typeof message.message === 'string' && { detail: message.message }) }
  if (message.eventType !== 'AUTHORIZATION_SUCCEEDED') return undefined
  const connection = message.data?.connection
  const id = typeof connection === 'string' ? connection : (connection as { id?: unknown } | undefined)?.id
  return { kind: 'connected', ...(typeof id === 'string' && { connectionId: id }) }
}
