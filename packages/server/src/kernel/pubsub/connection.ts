import type pg from 'pg'
import { backoffMs } from '../backoff.ts'
import type { Logger } from '../telemetry/index.ts'

export interface NotificationConnectionOptions {
  /** Opens a dedicated connection, because LISTEN belongs to a connection. Undefined where nothing keeps it. */
  connect: (() => Promise<pg.Client>) | undefined
  /** Prepares a new connection, and throws when it cannot. */
  prepare: (client: pg.Client) => Promise<void>
  received: (channel: string, payload: string) => void
  disconnected: () => void
  log: Logger
}

const reconnect = { firstMs: 500, maxMs: 10_000 }

/** The one connection of a node that runs LISTEN. Whenever it ends, another one is opened, with back-off. */
export class NotificationConnection {
  readonly #options: NotificationConnectionOptions
  #client: pg.Client | undefined
  #attempt: Promise<void> | undefined
  #reconnect: NodeJS.Timeout | undefined
  #running: Promise<unknown> = Promise.resolve()
  #failures = 0
  #isClosed = false

  constructor(options: NotificationConnectionOptions) {
    this.#options = options
  }

  /** The connection, from the end of `prepare` until it closes. */
  get client(): pg.Client | undefined {
    return this.#client
  }

  /** Connects if needed; resolves when connected, or when the attempt has failed. Never rejects. */
  open(): Promise<void> {
    this.#attempt ??= this.#connect()
    return this.#attempt
  }

  /** Runs a statement on this connection after all earlier ones. */
  run(client: pg.Client, text: string, values?: unknown[]): Promise<unknown> {
    const run = this.#running.then(() => client.query(text, values))
    this.#running = run.catch(() => undefined)
    return run
  }

  /** Ends a connection whose statement failed; another one is opened. */
  async drop(client: pg.Client, error: unknown): Promise<void> {
    this.#options.log.warn({ err: error }, 'failed to subscribe to notifications; polling')
    this.#lost(client)
    await this.#end(client)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#reconnect)
    await this.#attempt
    await this.#end(this.#client)
  }

  async #connect(): Promise<void> {
    const { connect, prepare, received, log } = this.#options
    if (!connect) return
    let client: pg.Client | undefined
    try {
      client = await connect()
      const opened = client
      opened.on('error', (error) => log.warn({ err: error }, 'lost the notification connection; polling'))
      opened.on('notification', ({ channel, payload = '' }) => received(channel, payload))
      opened.once('end', () => this.#lost(opened))
      await prepare(opened)
      this.#client = opened
      this.#failures = 0
    } catch (error) {
      log.warn({ err: error }, 'failed to subscribe to notifications; polling')
      this.#options.disconnected()
      await this.#end(client)
      this.#retryLater()
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#options.disconnected()
    this.#retryLater()
  }

  async #end(client: pg.Client | undefined): Promise<void> {
    await client?.end().catch((error: Error) => this.#options.log.debug({ err: error }, 'notification connection'))
  }

  #retryLater(): void {
    if (this.#isClosed || this.#reconnect) return
    this.#reconnect = setTimeout(
      () => {
        this.#reconnect = undefined
        this.#attempt = this.#connect()
      },
      backoffMs(reconnect, this.#failures++, Math.random()),
    ).unref()
  }
}
