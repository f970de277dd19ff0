import type { OutgoingMessage } from '../kind.ts'

/** Returns a function that makes messages with entries, each newer than those before. */
export function recordMessages(): (entries: object[], more?: object) => OutgoingMessage {
  let count = 0
  return (entries, more = {}) => {
    const body = {
      action: 'read',
      projectId: 'p',
      provider: 'crm',
      groupRef: 'acme',
      installationId: '0197b1c0-0000-7000-8000-00000000000f',
      objectName: 'contacts',
      resultInfo: { type: 'inline', numRecords: entries.length },
      result: entries,
      ...more,
    }
    const id = `0197b1c0-0000-7000-8000-${String(++count).padStart(12, '0')}`
    return { id, kind: 'read', eventType: undefined, body: Buffer.from(JSON.stringify(body)) }
  }
}
