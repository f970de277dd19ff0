import { sql } from 'kysely'
import type { Database, NewId } from '../db/index.ts'
import { Listener } from '../jobs/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { Inbox } from './inbox.ts'
import { TooManyStreams } from './problems.ts'
import { channel, readTold } from './told.ts'

export interface SignalsOptions {
  database: Pick<Database, 'connect' | 'system'>
  newId: NewId
  log: Logger
}

/** A topic is told about until then, unless its node says again that somebody follows it. */
const watchSeconds = 90
const renewEveryMs = 30_000
/** Streams of one topic on one node: each looks for itself every few seconds. */
const followersMax = 20

/**
 * What the streams of this node hear from the database: one connection that listens, however many streams there are,
 * opened when the first one asks. A topic's row in `watches` makes every node tell of it (`told`). Nothing relies on
 * being heard: who follows also looks now and then.
 */
export class Signals {
  readonly #options: SignalsOptions
  readonly #node: string
  readonly #topics = new Map<string, Set<Inbox>>()
  #listener: Listener | undefined
  #starting: Promise<void> | undefined
  #renewing: NodeJS.Timeout | undefined

  constructor(options: SignalsOptions) {
    this.#options = options
    this.#node = options.newId()
  }

  /** How many follow a topic on this node. */
  followers(topic: string): number {
    return this.#topics.get(topic)?.size ?? 0
  }

  /** @throws TooManyStreams when as many follow the topic as may */
  assertRoom(topic: string): void {
    if (this.followers(topic) >= followersMax) throw new TooManyStreams()
  }

  /** Answers when whatever commits from now on is heard in the inbox. Call `release` when nobody reads it any more. */
  watch(topic: string): { inbox: Inbox; ready: Promise<void>; release: () => void } {
    const inbox = new Inbox()
    const inboxes = this.#topics.get(topic) ?? new Set()
    this.#topics.set(topic, inboxes.add(inbox))
    return {
      inbox,
      ready: this.#start().then(() => this.#renew([topic])),
      // Its row ends by itself.
      release: () => {
        inboxes.delete(inbox)
        if (inboxes.size === 0 && this.#topics.get(topic) === inboxes) this.#topics.delete(topic)
      },
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#renewing)
    await this.#starting
    await this.#listener?.stop()
  }

  #start(): Promise<void> {
    this.#listener ??= new Listener({
      connect: this.#options.database.connect,
      channel,
      heard: (payload) => this.#heard(payload),
      listening: () => {
        for (const inboxes of this.#topics.values()) for (const inbox of inboxes) inbox.look()
      },
      log: this.#options.log,
    })
    this.#renewing ??= setInterval(() => void this.#renewAll(), renewEveryMs).unref()
    this.#starting ??= this.#listener.start()
    return this.#starting
  }

  #heard(payload: string): void {
    const said = readTold(payload)
    for (const inbox of (said && this.#topics.get(said.topic)) ?? []) inbox.hear(said!.what, said!.ids)
  }

  async #renewAll(): Promise<void> {
    const topics = [...this.#topics.keys()]
    if (topics.length === 0) return
    await this.#renew(topics).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'failed to announce subscribed topics'),
    )
  }

  async #renew(topics: string[]): Promise<void> {
    await sql`
      with ended as (delete from watches where until < now() - interval '1 hour')
      insert into watches (topic, node, until)
      select topic, ${this.#node}, now() + make_interval(secs => ${watchSeconds}) from unnest(${topics}::text[]) topic
          on conflict (topic, node) do update set until = excluded.until`.execute(this.#options.database.system)
  }
}
