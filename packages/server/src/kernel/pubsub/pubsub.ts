import type pg from 'pg'
import type { Database, NewId } from '../db/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { NotificationConnection } from './connection.ts'
import { Delivery, type Subscriber, type Subscription } from './subscription.ts'
import type { Topic } from './topic.ts'

export interface PubSubOptions {
  database: Pick<Database, 'connect'>
  newId: NewId
  log: Logger
  metrics: Pick<Metrics, 'notifications' | 'notificationsConnected'>
}

/** How long an on-demand topic stays published for this node, and how often the node renews that. */
const watchSeconds = 90
const renewEveryMs = 30_000

/** The subscribers of one channel on this node. */
interface Channel {
  // Payloads of a topic reach only its own subscribers, so their type is the topic's.
  topic: Topic<unknown>
  deliveries: Set<Delivery<unknown>>
  /** The connection that runs LISTEN for this channel. */
  listening: pg.Client | undefined
}

/**
 * Publish/subscribe between nodes, with LISTEN and NOTIFY of PostgreSQL. One connection serves all subscriptions; the
 * first subscription opens it.
 *
 * - A connected subscription receives what commits, in the order of commits. It does not receive what is rolled back.
 * - `missed` is called when a subscription becomes connected, and when a slow subscriber lost payloads.
 * - Nothing may rely on notifications alone: subscribers also poll, or limit how long they cache.
 */
export class PubSub {
  readonly #options: PubSubOptions
  readonly #node: string
  readonly #channels = new Map<string, Channel>()
  readonly #connection: NotificationConnection
  #renewing: NodeJS.Timeout | undefined

  constructor(options: PubSubOptions) {
    this.#options = options
    this.#node = options.newId()
    this.#connection = new NotificationConnection({
      connect: options.database.connect,
      prepare: (client) => this.#listen(client),
      received: (channel, text) => this.#received(channel, text),
      disconnected: () => this.#disconnected(),
      log: options.log,
    })
  }

  /** Returns how many subscriptions a topic has on this node. */
  subscriptions(topic: Pick<Topic<unknown>, 'channel'>): number {
    return this.#channels.get(topic.channel)?.deliveries.size ?? 0
  }

  subscribe<P>(topic: Topic<P>, subscriber: Subscriber<P>): Subscription {
    const delivery = new Delivery<P>(subscriber, (error) =>
      this.#options.log.error({ err: error, topic: topic.name }, 'failed to process a notification'),
    )
    const channel = this.#channels.get(topic.channel) ?? {
      topic: topic as Topic<unknown>,
      deliveries: new Set(),
      listening: undefined,
    }
    channel.deliveries.add(delivery as Delivery<unknown>)
    this.#channels.set(topic.channel, channel)
    // Before the subscriber's first query, so it does not have to query again.
    if (channel.listening) delivery.connected()
    return {
      ready: this.#join(channel, delivery as Delivery<unknown>),
      get isConnected() {
        return delivery.isConnected
      },
      end: () => {
        delivery.end()
        channel.deliveries.delete(delivery as Delivery<unknown>)
        if (channel.deliveries.size === 0) this.#leave(channel)
      },
    }
  }

  /**
   * Delivers a payload to the subscribers on this node immediately. Call it after the commit of a transaction that
   * published the payload, when the next request on this node must see the change.
   */
  notifyLocal<P>(topic: Topic<P>, payload: P): void {
    for (const delivery of this.#channels.get(topic.channel)?.deliveries ?? []) delivery.receive(payload)
  }

  /** Ends all subscriptions. */
  async close(): Promise<void> {
    clearInterval(this.#renewing)
    for (const { deliveries } of this.#channels.values()) for (const delivery of deliveries) delivery.end()
    this.#channels.clear()
    await this.#connection.close()
  }

  async #join(channel: Channel, delivery: Delivery<unknown>): Promise<void> {
    await this.#connection.open()
    const { client } = this.#connection
    if (!client) return
    try {
      if (channel.listening !== client) await this.#listen(client)
    } catch (error) {
      await this.#connection.drop(client, error)
      return
    }
    // The connection already listened to the channel, so LISTEN has not notified this subscription yet.
    if (channel.listening === client && !delivery.isConnected) delivery.connected()
  }

  #leave({ topic: { channel }, listening }: Channel): void {
    this.#channels.delete(channel)
    // The row in `watches` expires without a statement.
    if (listening)
      this.#connection
        .run(listening, `unlisten "${channel}"`)
        .catch((error: Error) => this.#options.log.debug({ err: error }, 'notification connection'))
  }

  /** Runs LISTEN for every new channel. */
  async #listen(client: pg.Client): Promise<void> {
    for (;;) {
      const channels = [...this.#channels.values()].filter(({ listening }) => listening !== client)
      if (channels.length === 0) break
      await this.#connection.run(client, channels.map(({ topic }) => `listen "${topic.channel}"`).join('; '))
      await this.#watch(client, channels)
      for (const channel of channels) {
        if (channel.listening === client) continue
        channel.listening = client
        for (const delivery of channel.deliveries) delivery.connected()
      }
    }
    this.#options.metrics.notificationsConnected.set(1)
  }

  /** Makes every node publish the on-demand topics. */
  async #watch(client: pg.Client, channels: Channel[]): Promise<void> {
    const topics = channels.flatMap(({ topic }) => (topic.isOnDemand ? [topic.channel] : []))
    if (topics.length === 0) return
    this.#renewing ??= setInterval(() => void this.#renew(), renewEveryMs).unref()
    await this.#connection.run(
      client,
      `with ended as (delete from watches where until < now() - interval '1 hour')
       insert into watches (topic, node, until)
       select topic, $1, now() + make_interval(secs => $2) from unnest($3::text[]) topic
           on conflict (topic, node) do update set until = excluded.until`,
      [this.#node, watchSeconds, topics],
    )
  }

  async #renew(): Promise<void> {
    const { client } = this.#connection
    if (!client) return
    try {
      await this.#watch(client, [...this.#channels.values()])
    } catch (error) {
      await this.#connection.drop(client, error)
    }
  }

  #received(name: string, text: string): void {
    const channel = this.#channels.get(name)
    if (!channel) return
    this.#options.metrics.notifications.inc({ topic: channel.topic.name })
    const payload = channel.topic.parse(text)
    for (const delivery of channel.deliveries) {
      // A newer version published it: something has changed, but this version cannot know what.
      if (payload === undefined) delivery.missed()
      else delivery.receive(payload)
    }
  }

  #disconnected(): void {
    this.#options.metrics.notificationsConnected.set(0)
    for (const channel of this.#channels.values()) {
      channel.listening = undefined
      for (const delivery of channel.deliveries) delivery.disconnected()
    }
  }
}
