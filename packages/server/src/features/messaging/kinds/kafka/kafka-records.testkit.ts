import { openForTest } from '../conformance.testkit.ts'
import type { StoredResult } from '../kind.ts'
import { login } from './conformance.testkit.ts'
import { startFakeKafka } from './fake-kafka.testkit.ts'
import { kafka } from './index.ts'

/** A message of a read, without its body. */
export const message0 = { id: '0197b1c0-0000-7000-8000-000000000abc', kind: 'read', eventType: undefined }

/** Starts a broker, and a sender of records one by one. */
export async function startRecords({
  settings: more = {},
  results = {},
  ...options
}: {
  settings?: object
  results?: Record<string, StoredResult>
  partitions?: number
  batchBytesMax?: number
} = {}) {
  const fake = await startFakeKafka({ topic: 'messages', ...login, ...options })
  const settings = { brokers: `127.0.0.1:${fake.port}`, topic: 'messages', tls: false, layout: 'records', ...login }
  const opened = openForTest(kafka, { ...settings, ...more }, { openResult: async (id) => results[id] })
  const stop = async () => {
    await opened.close()
    await fake.stop()
  }
  const keys = () => fake.records().map(({ key }) => key)
  const ids = () => fake.records().map(({ headers }) => headers['id'])
  return { ...fake, stop, send: opened.send, secret: opened.secret, keys, ids }
}

export const record = (id: string, more: object = {}) => ({ id, fields: { n: id }, ...more })

export const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome)
