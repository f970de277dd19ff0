import type { DestinationKind, OutgoingMessage } from './kind.ts'

/** Returns the body that a destination is sent: of a notification only its `data`, where the kind says so. */
export function arrivingBody(
  { kind, settings }: { kind: DestinationKind; settings: object },
  { eventType, body }: Pick<OutgoingMessage, 'eventType' | 'body'>,
): Buffer {
  if (eventType === undefined || kind.sendsDataOnly?.(settings) !== true) return body
  const start = Buffer.from(`{"notificationType":${JSON.stringify(eventType)},"data":`)
  return body.subarray(0, start.length).equals(start) ? body.subarray(start.length, -1) : body
}
