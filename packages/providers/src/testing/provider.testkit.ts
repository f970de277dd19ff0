import type { ProviderEntry } from '../catalogue/entry.ts'
import { makeEntry } from '../catalogue/make-entry.ts'
import { readProviderFile } from '../catalogue/read-provider-file.ts'

/** The catalogue entry that a provider file of that text makes. Throws its faults. */
export function entryOf(yaml: string): ProviderEntry {
  const name = /^name: (\w+)/m.exec(yaml)?.[1] ?? 'unnamed'
  const result = readProviderFile(`${name}.yaml`, yaml)
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
