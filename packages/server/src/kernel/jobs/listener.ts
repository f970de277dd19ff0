import type pg from 'pg'
import type { Logger } from '../telemetry/index.ts'

export interface ListenerOptions {
  /** Opens a connection of its own: LISTEN belongs to a connection. */
  connect: () => Promise<pg.Client>
  channel: string
  /** Hears the payload of each notification. */
  heard: (payload: string) => void
  /** Called each time that listening has begun: what was said before was missed. */
  listening: () => void
  /** Called when it has ended: what is said until `listening` is missed. */
  deaf?: () => void
  log: Logger
}

const againMs = 1_000

/** LISTEN on one channel: when the connection ends, however it does, another one is opened a second later. */
export class Listener {
  readonly #options: ListenerOptions
  #client: pg.Client | undefined
  #starting: Promise<void> | undefined
  #again: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Answers when it listens, or when the first try has failed. */
  start(): Promise<void> {
    this.#starting = this.#listen()
    return this.#starting
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#again)
    await this.#starting
    await this.#close(this.#client)
  }

  async #listen(): Promise<void> {
    const { connect, channel, heard, listening, log } = this.#options
    let client: pg.Client | undefined
    try {
      client = await connect()
      client.on('error', (error) => log.warn({ err: error }, 'lost the notification connection; polling'))
      client.on('notification', ({ payload }) => heard(payload ?? ''))
      client.once('end', () => {
        this.#options.deaf?.()
        this.#later()
      })
      await client.query(`listen ${channel}`)
      this.#client = client
      listening()
    } catch (error) {
      log.warn({ err: error }, 'failed to subscribe to notifications; polling')
      await this.#close(client)
      // One that broke while it was being opened has had its `end` already.
      this.#later()
    }
  }

  async #close(client: pg.Client | undefined): Promise<void> {
    await client?.end().catch((error: Error) => this.#options.log.debug({ err: error }, 'listener'))
  }

  #later(): void {
    if (this.#stopped) return
    clearTimeout(this.#again)
    this.#again = setTimeout(() => void this.start(), againMs).unref()
  }
}
