import type { TestApp } from '../../../testkit/test-app.ts'
import { postMessages } from './index.ts'

/** Posts a message to the tenant's destination. With `result`, its records are behind a URL. */
export function postMessage({ app, db }: TestApp, result?: Buffer): Promise<void> {
  const payload = result
    ? Buffer.from('{"resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    : Buffer.from('{"action":"read"}')
  const message = { destinationName: 'hook', kind: 'read', payload, ...(result && { result }) } as const
  return db.transaction((tx) => postMessages(tx, app.services, [message]))
}
