import type { ProviderEntry } from '../catalogue/entry.ts'
import { makeEntry } from '../catalogue/make-entry.ts'
import { readProviderFile } from '../catalogue/read-provider-file.ts'

type Read = ReturnType<typeof readProviderFile>

/** Tests of a provider read its file again and again, and a large one takes a tenth of a second. */
const filesRead = new Map<string, Read>()
const filesMax = 50

function readOnce(yaml: string): Read {
  const name = /^name: (\w+)/m.exec(yaml)?.[1] ?? 'unnamed'
  const read = filesRead.get(yaml) ?? readProviderFile(`${name}.yaml`, yaml)
  if (filesRead.size >= filesMax) filesRead.clear()
  filesRead.set(yaml, read)
  return read
}

/** The catalogue entry that a provider file of that text makes. Throws its faults. */
export function entryOf(yaml: string): ProviderEntry {
  const result = readOnce(yaml)
  if (result.faults !== undefined)
    throw new Error(result.faults.map(({ line, message }) => `${line}: ${message}`).join('\n'))
  return { ...makeEntry(result.outline, result.file, 'user'), file: result.file }
}

/** A provider whose base URL is the input `baseUrl`, with one object `things`; `read` is YAML at the object's depth. */
export function thingsProvider(read: string, rest = ''): ProviderEntry {
  return entryOf(`name: test
baseUrl: '{{baseUrl}}/api'
inputs: [{ name: baseUrl, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
${rest}
objects:
  things:
${read.replace(/^/gm, '    ')}
`)
}
