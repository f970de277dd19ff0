import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

export type Values = Record<string, unknown>

/** Where records come from. */
export interface Given {
  /** A JSON file, or `-` for standard input. */
  file?: string
  /** `name=text` or `name:=json` of the command line. */
  set: string[]
}

/**
 * The records of the command line: those of the file, one or a list of them, each with the values that were set. `isList` tells whether
 * the file holds a list, of however many.
 *
 * @throws UsageError
 */
export async function readRecords(
  { file, set }: Given,
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
): Promise<{ records: Values[]; isList: boolean }> {
  const values = Object.fromEntries(set.map(assignment))
  if (file === undefined) {
    if (set.length === 0)
      throw new UsageError('There is nothing to write. Give --set name=value, or --file records.json.')
    return { records: [values], isList: false }
  }
  const content = parsed(
    file,
    file === '-' ? await text(terminal.stdin) : await contentOf(resolve(terminal.cwd, file), file),
  )
  const isList = Array.isArray(content)
  const records: unknown[] = isList ? content : [content]
  if (records.length === 0) throw new UsageError(`${file} holds no record.`)
  return {
    isList,
    records: records.map((record, at) => {
      if (typeof record === 'object' && record !== null && !Array.isArray(record)) return { ...record, ...values }
      throw new UsageError(`${file}: ${isList ? `item ${at + 1}` : 'the content'} is no object of values by field.`)
    }),
  }
}

/** `name=text`, or `name:=json` for a number, true, false, null, a list or an object. */
function assignment(given: string): [string, unknown] {
  const [, name, isJson, value = ''] = /^([^=]*?)(:?)=([\s\S]*)$/.exec(given) ?? []
  if (!name) throw new UsageError(`“${given}” is no value. Write --set name=text, or --set name:=json.`)
  return [name, isJson ? parsed(`--set ${name}`, value) : value]
}

async function contentOf(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError(`There is no file ${file}.`, { cause })
    throw new UsageError(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function parsed(where: string, content: string): unknown {
  try {
    return JSON.parse(content) as unknown
  } catch (cause) {
    throw new UsageError(`${where} is no JSON: ${(cause as Error).message}`, { cause })
  }
}
