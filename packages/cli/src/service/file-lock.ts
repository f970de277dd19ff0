import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'

/** Longer than any holder needs: one of that age was left behind by a process that was killed. */
const abandonedMs = 30_000
const lookAgainMs = 50

/**
 * Runs `work` while no other process does. The lock is a file that only one process can create.
 *
 * @throws Error when the folder cannot be written to
 */
export async function whileLocked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const mark = randomUUID()
  for (;;) {
    try {
      await writeFile(file, mark, { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isAbandoned(file)) await rm(file, { force: true })
    else await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }
  try {
    return await work()
  } finally {
    // Not the lock of another, who thought that this one was abandoned.
    if ((await readFile(file, 'utf8').catch(() => '')) === mark) await rm(file, { force: true })
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs > abandonedMs
  } catch {
    // Released meanwhile.
    return false
  }
}
