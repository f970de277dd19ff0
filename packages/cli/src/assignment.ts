import { UsageError } from './usage-error.ts'

/**
 * Parses a value as options take it: `name=text`, or `name:=json` for a number, true, false, null, a list or an object.
 *
 * @throws UsageError
 */
export function parseAssignment(assignment: string, option: string): [name: string, value: unknown] {
  const [, name, isJson, value = ''] = /^([^=]*?)(:?)=([\s\S]*)$/.exec(assignment) ?? []
  if (!name) throw new UsageError(`“${assignment}” has no value. Write ${option} name=text, or ${option} name:=json.`)
  return [name, isJson ? parseJson(`${option} ${name}`, value) : value]
}

/** Parses JSON that `where` holds. @throws UsageError */
export function parseJson(where: string, content: string): unknown {
  try {
    return JSON.parse(content) as unknown
  } catch (cause) {
    throw new UsageError(`${where} is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}
