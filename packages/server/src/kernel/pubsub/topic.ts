/** A kind of notification between nodes: a channel of PostgreSQL, and the format of its payloads. */
export interface Topic<P> {
  /** Name in metrics and logs. */
  readonly name: string
  readonly channel: string
  /**
   * Published only while a node subscribes (table `watches`). For topics of frequent statements, because transactions
   * that notify commit one after the other.
   */
  readonly isOnDemand: boolean
  format(payload: P): string
  /** Returns undefined for a text that this version cannot parse. */
  parse(text: string): P | undefined
}

export interface PayloadFormat<P> {
  format(payload: P): string
  parse(text: string): P | undefined
}

/** NOTIFY accepts less than this. */
const payloadBytes = 8_000
/** PostgreSQL truncates identifiers after 63 bytes, so two longer names could be one channel. */
const channelForm = /^[a-z0-9_-]{1,63}$/
const text: PayloadFormat<string> = { format: (payload) => payload, parse: (payload) => payload }

/** Declares a topic. Its payloads are texts unless a format is specified. */
export function topic(name: string): Topic<string>
export function topic<P>(name: string, format: PayloadFormat<P>, options?: TopicOptions): Topic<P>
export function topic<P>(name: string, format?: PayloadFormat<P>, { key, isOnDemand = false }: TopicOptions = {}) {
  const channel = `mortise_${name}${key === undefined ? '' : `_${key}`}`
  if (!channelForm.test(channel)) throw new RangeError(`${channel} cannot name a channel`)
  return { name, channel, isOnDemand, ...(format ?? text) }
}

interface TopicOptions {
  /** Gives each key a separate channel, e.g. one for each project. */
  key?: string
  isOnDemand?: boolean
}

/** Returns the text of a notification. @throws RangeError when it is too long for PostgreSQL */
export function payloadText<P>(of: Topic<P>, payload: P): string {
  const formatted = of.format(payload)
  if (Buffer.byteLength(formatted) >= payloadBytes)
    throw new RangeError(`A notification of the topic ${of.name} must be shorter than ${payloadBytes} bytes.`)
  return formatted
}
