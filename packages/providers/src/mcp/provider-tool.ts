import { createHash } from 'node:crypto'
import { isObject } from '../interpreter/path.ts'

/** A tool of a provider's MCP server, as the server defines it: text of somebody else. */
export interface ProviderTool {
  name: string
  description?: string
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>
  /** `sha256:` and a digest of name, description and schema: another definition has another one. */
  digest: string
  /** Why agents cannot have the tool, whatever a manifest says. */
  fault?: string
}

const nameMax = 200
const descriptionMax = 20_000
const schemaBytesMax = 64 * 1024
const depthMax = 32

/** Reads an item of a list of tools; undefined if it is not the definition of a tool. */
export function readProviderTool(item: unknown): ProviderTool | undefined {
  if (!isObject(item)) return undefined
  const { name, description, inputSchema } = item
  if (typeof name !== 'string' || name === '' || name.length > nameMax || !isObject(inputSchema)) return undefined
  const text = typeof description === 'string' && description !== '' ? description : undefined
  const known = { name, ...(text !== undefined && { description: text }) }
  const canonical = canonicalJson([name, text ?? '', inputSchema])
  if (canonical === undefined)
    return { ...known, inputSchema: {}, digest: '', fault: `Its schema is nested more than ${depthMax} levels deep.` }
  const digest = `sha256:${createHash('sha256').update(canonical).digest('hex')}`
  const fault = faultOf(text ?? '', canonical, inputSchema)
  return { ...known, inputSchema, digest, ...(fault !== undefined && { fault }) }
}

function faultOf(description: string, canonical: string, schema: Record<string, unknown>): string | undefined {
  if (description.length > descriptionMax) return `Its description has more than ${descriptionMax} characters.`
  if (Buffer.byteLength(canonical) > schemaBytesMax + descriptionMax)
    return `Its schema is larger than ${schemaBytesMax / 1024} kB.`
  return schema['type'] === 'object' ? undefined : 'The type of its schema is not `object`.'
}

/** Returns JSON with sorted keys, so that their order makes no difference; undefined if it is nested too deeply. */
function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (depth > depthMax) return undefined
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalJson(item, depth + 1))
    return items.includes(undefined) ? undefined : `[${items.join()}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const entries: string[] = []
  for (const key of Object.keys(value).sort()) {
    const inner = canonicalJson(value[key], depth + 1)
    if (inner === undefined) return undefined
    entries.push(`${JSON.stringify(key)}:${inner}`)
  }
  return `{${entries.join()}}`
}
