import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseAssignment, parseJson } from '../assignment.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

export type Values = Record<string, unknown>

/** Where records come from. */
export interface RecordOptions {
  /** A JSON file, or `-` for standard input. */
  file?: string
  /** `name=text` or `name:=json` of the command line. */
  set: string[]
}

/**
 * Reads the records of the command line: those of the file (one, or a list), each with the values of `--set`. `isList`
 * is true if the file has a list of any length.
 *
 * @throws UsageError
 */
export async function readRecords(
  { file, set }: RecordOptions,
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
): Promise<{ records: Values[]; isList: boolean }> {
  const values = Object.fromEntries(set.map((text) => parseAssignment(text, '--set')))
  if (file === undefined) {
    if (set.length === 0)
      throw new UsageError('There is nothing to write. Add --set name=value, or --file records.json.')
    return { records: [values], isList: false }
  }
  const content = parseJson(
    file,
    file === '-' ? await text(terminal.stdin) : await contentOf(resolve(terminal.cwd, file), file),
  )
  const isList = Array.isArray(content)
  const records: unknown[] = isList ? content : [content]
  if (records.length === 0) throw new UsageError(`${file} contains no records.`)
  return {
    isList,
    records: records.map((record, at) => {
      if (typeof record === 'object' && record !== null && !Array.isArray(record)) return { ...record, ...values }
      throw new UsageError(`${file}: ${isList ? `item ${at + 1}` : 'the content'} is not an object of values by field.`)
    }),
  }
}

async function contentOf(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`There is no file ${file}. Check the path.`, { cause })
    throw new UsageError(`Cannot read ${file}: ${(cause as Error).message}`, { cause })
  }
}
