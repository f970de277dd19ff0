import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parse } from 'yaml'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import type { ConfigContent } from './config-content.ts'

/**
 * Reads the config of an installation from a file, or from standard input (`-`). Takes the content itself, and a config
 * or an installation as `mortise get installation` prints it. The service validates what it holds.
 *
 * @throws UsageError when the file cannot be read or holds no object
 */
export async function readConfigFile(
  file: string,
  provider: string,
  { stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>,
): Promise<ConfigContent> {
  const name = file === '-' ? 'Standard input' : file
  const source = file === '-' ? await text(stdin) : await contentOf(resolve(cwd, file), file)
  let parsed: unknown
  try {
    parsed = parse(source)
  } catch (cause) {
    throw new UsageError(`${name} is not valid YAML or JSON: ${(cause as Error).message.trim()}`, { cause })
  }
  const document = objectOf(parsed)
  const content = objectOf(objectOf(document?.['config'])?.['content']) ?? objectOf(document?.['content']) ?? document
  if (!content)
    throw new UsageError(
      `${name} contains no config. Write an object with read, write or subscribe (docs/installing.md).`,
    )
  return { provider, ...content } as ConfigContent
}

async function contentOf(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (cause as Error).message
    throw new UsageError(`Cannot read ${file}: ${reason}. Check the path.`, { cause })
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}
