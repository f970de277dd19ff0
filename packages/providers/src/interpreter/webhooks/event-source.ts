import type { EventStream } from '../../catalogue/format/stream.ts'
import type { EventSource, Webhooks } from '../../catalogue/format/webhooks.ts'

/** A part of a provider file that may declare events. */
export interface EventSection {
  webhooks?: Webhooks
  stream?: EventStream
}

/** Returns what the events of a part of a file say; undefined if it declares none. */
export function sourceIn({ webhooks, stream }: EventSection = {}): EventSource | undefined {
  return stream ? { event: stream.event, otherObjects: stream.events, ...scopesIn(stream) } : webhooks
}

function scopesIn({ scopes }: EventStream): Pick<EventSource, 'scopes'> {
  return scopes === undefined ? {} : { scopes }
}
