import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { connectedRecord, recordPatch } from './connected-record.ts'

type Tested = Output<'testProviderFile'>

/** A file that was tested. */
export interface TestedFile {
  text: string
  /** Path of the file that the patch changes. */
  path: string
  isUnchecked: boolean
}

/**
 * Writes down that a file works, as a patch: if the command line asks for it, or a person at the terminal agrees.
 * Offers it only for a file that nobody has tested yet.
 */
export async function offerRecord(
  { text, path, isUnchecked }: TestedFile,
  tested: Tested,
  wanted: boolean,
  terminal: Terminal,
): Promise<void> {
  const record = connectedRecord(text, tested, new Date())
  if (record === undefined) {
    if (wanted)
      throw new UsageError(
        'No request was sent, so there is nothing to record. Name a path with --get, such as --get /me.',
      )
    return
  }
  if (!wanted && !(isUnchecked && terminal.interactive)) return
  if (!wanted) {
    const what = [...record.parts, ...record.objects].join(', ')
    const question = `Nobody has tested this entry before. Write a patch that says what works (${what}), without account data?`
    if (!(await terminal.ask.confirm(question))) return
  }
  const patch = `${basename(path).replace(/\.ya?ml$/, '')}.connected.patch`
  await writeFile(resolve(terminal.cwd, patch), recordPatch(path, text, record), { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw new UsageError(`${patch} exists already. Remove it first.`)
      throw error
    },
  )
  terminal.stderr.write(`Wrote ${patch}. Apply it with \`git apply ${patch}\`, and send us the change.\n`)
}
