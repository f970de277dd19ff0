import { gzipSync } from 'node:zlib'
import { isJson, type Json } from './json-paths.ts'
import { memoized } from './subject.ts'

/** How the stand-in sends the result of a job. */
export interface Delivery {
  /** Whether the response that has the URL of the result says that the result is compressed. */
  isCompressed: boolean
  bytes: (text: string) => string | Buffer
}

export const plain: Delivery = { isCompressed: false, bytes: (text) => text }

const html = '<!doctype html><html><head><title>Maintenance</title></head></html>'
/** More than a text of this length in GZIP expands to. */
const bomb = memoized(() => gzipSync('\n'.repeat(20 * 1024 * 1024)))

/** A compressed result has two members (RFC 1952, 2.2): some exporters append to a file. */
function compressed(text: string): Buffer {
  const half = Math.floor(text.length / 2)
  return Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))])
}

function withOtherSum(text: string): Buffer {
  const bytes = gzipSync(text)
  // RFC 1952, 2.3: a checksum and a length end the file.
  const at = bytes.length - 8
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

interface ResultCase {
  name: string
  delivery: Delivery
  isReadable: boolean
}

/** Returns the ways in which the result of a job can arrive, those that cannot be read as well. */
export function resultCases(object: Json): ResultCase[] {
  const { results } = (object['read'] as { job: { results: Json } }).job
  const broken = (name: string, isCompressed: boolean, bytes: Delivery['bytes']): ResultCase => ({
    ...{ name, isReadable: false },
    delivery: { isCompressed, bytes },
  })
  const always: ResultCase[] = [
    { name: 'job', isReadable: true, delivery: plain },
    broken('job html', false, () => html),
    broken('job other gzip', false, compressed),
  ]
  if (!isJson(results['gzip'])) return always
  return [
    ...always,
    { name: 'job gzip', isReadable: true, delivery: { isCompressed: true, bytes: compressed } },
    broken('job no gzip', true, (text) => text),
    broken('job cut gzip', true, (text) => gzipSync(text).subarray(0, -9)),
    broken('job gzip sum', true, withOtherSum),
    broken('job gzip bomb', true, (text) => Buffer.concat([gzipSync(text), bomb()])),
  ]
}
