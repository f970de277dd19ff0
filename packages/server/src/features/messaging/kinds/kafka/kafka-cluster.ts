import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import { isHost, refusalOf, type ServerAddress } from '../server-address.ts'
import { connectBroker, type KafkaConnection } from './kafka-connection.ts'
import { KafkaRefusal } from './refusal.ts'
import {
  apiVersions,
  metadata,
  metadataVersionOf,
  produceVersionOf,
  saslAuthenticate,
  saslHandshake,
  type TopicMetadata,
} from './requests.ts'
import { logInByScram, ScramRefused } from './scram.ts'
import { brokersOf, type KafkaSettings } from './settings.ts'

/** An open connection that is logged in. */
export interface Broker {
  connection: KafkaConnection
  /** The versions of requests that it is spoken to in. */
  produceVersion: number
  metadataVersion: number
}

export interface CallOptions {
  timeoutMs: number
  signal: AbortSignal
}

/**
 * The brokers of a destination: those of the settings, and those that they name. The address guard checks each of them
 * when it is connected to.
 */
export class KafkaCluster {
  readonly #settings: KafkaSettings
  readonly #services: Pick<KindServices, 'guard' | 'names' | 'project'>
  readonly #open = new Map<string, Broker>()

  constructor(settings: KafkaSettings, services: Pick<KindServices, 'guard' | 'names' | 'project'>) {
    this.#settings = settings
    this.#services = services
  }

  /**
   * Returns a broker that is connected: an open one, or the first of the settings that answers.
   *
   * @throws OutboundError
   */
  async anyBroker(options: CallOptions): Promise<Broker> {
    for (const broker of this.#open.values()) if (!broker.connection.ended()) return broker
    const addresses = brokersOf(this.#settings)
    let failure: unknown
    for (const [index, address] of addresses.entries()) {
      try {
        // A broker that does not answer leaves time for the others.
        const timeoutMs = Math.ceil(options.timeoutMs / (addresses.length - index + 1))
        return await this.#connect(address, {
          ...options,
          timeoutMs: addresses.length === 1 ? options.timeoutMs : timeoutMs,
        })
      } catch (error) {
        if (options.signal.aborted) throw error
        failure ??= error
      }
    }
    throw failure
  }

  /** Returns the partitions of the topic, and their leaders. @throws OutboundError, KafkaRefusal */
  async topic(options: CallOptions): Promise<TopicMetadata> {
    const { connection, metadataVersion } = await this.anyBroker(options)
    const found = await connection.request(metadata(this.#settings.topic, metadataVersion))
    if (found.error !== 0) throw new KafkaRefusal(found.error, connection.shown)
    return found
  }

  /** Returns the leader of a partition, connected. @throws OutboundError, KafkaRefusal */
  async leader({ host, port }: { host: string; port: number }, options: CallOptions): Promise<Broker> {
    const address = { host, port, tls: this.#settings.tls ?? true }
    const isAddress = isHost(host) && port > 0 && port < 65_536
    if (!isAddress) throw new OutboundError('refused_address', 'The cluster names a broker without a valid address.')
    const refusal = refusalOf(address, 'Kafka', this.#services.guard)
    if (refusal)
      throw new OutboundError(
        'refused_address',
        `The cluster names a broker that Mortise does not connect to. ${refusal.reason}`,
        { remedy: refusal.remedy },
      )
    const open = this.#open.get(shownHost(host, port))
    return open && !open.connection.ended() ? open : await this.#connect(address, options)
  }

  /** Ends every connection. */
  end(reason: OutboundError): void {
    for (const { connection } of this.#open.values()) connection.end(reason)
    this.#open.clear()
  }

  async #connect(address: ServerAddress, { timeoutMs, signal }: CallOptions): Promise<Broker> {
    const ca = this.#settings.caCertificate
    const connection = await connectBroker(address, this.#services, { timeoutMs, signal, ca })
    const { shown } = connection
    const late = setTimeout(
      () => connection.end(new OutboundError('timeout', `${shown} did not answer in time.`)),
      timeoutMs,
    )
    const onAbort = () => connection.end(new OutboundError('aborted', `The connection to ${shown} was canceled.`))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const versions = await connection.request(apiVersions())
      const produceVersion = produceVersionOf(versions)
      if (produceVersion === undefined)
        throw new OutboundError('protocol', `${shown} is too old: Mortise needs Apache Kafka 0.11 or later.`)
      await logIn(connection, this.#settings)
      const broker = { connection, produceVersion, metadataVersion: metadataVersionOf(versions) }
      this.#open.set(shown, broker)
      return broker
    } catch (error) {
      connection.end(new OutboundError('connect', `${shown} refused the connection.`))
      throw error
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

async function logIn(
  connection: KafkaConnection,
  { username, password, saslMechanism = 'plain' }: KafkaSettings,
): Promise<void> {
  if (username === undefined || password === undefined) return
  const { shown } = connection
  const mechanism = saslMechanism.toUpperCase()
  const { error, mechanisms } = await connection.request(saslHandshake(mechanism))
  if (error !== 0) throw new KafkaRefusal(error, shown, `It offers ${mechanisms.join(', ').slice(0, 200)}.`)
  const exchange = async (message: string) => {
    const answer = await connection.request(saslAuthenticate(Buffer.from(message)))
    if (answer.error !== 0) throw new KafkaRefusal(answer.error, shown, answer.message ?? '')
    return answer.content.toString()
  }
  if (saslMechanism === 'plain') {
    await exchange(`\0${username}\0${password}`)
    return
  }
  try {
    await logInByScram({ username, password, hash: saslMechanism === 'scram-sha-256' ? 'sha256' : 'sha512' }, exchange)
  } catch (cause) {
    if (cause instanceof ScramRefused) throw new OutboundError('protocol', `${shown}: ${cause.message}`, { cause })
    throw cause
  }
}
