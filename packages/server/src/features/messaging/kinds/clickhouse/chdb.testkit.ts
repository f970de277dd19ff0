import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from './fake-engine.testkit.ts'

/** Folder in which the npm package `chdb` is installed. It has 550 MB, so it is not a dependency. */
const folder = process.env['MORTISE_TEST_CHDB']

/** Whether the tests can run against a real ClickHouse. */
export const hasChdb = (): boolean => folder !== undefined

export interface ChdbEngine extends Engine {
  query(statement: string, format: string): Promise<string>
  stop(): Promise<void>
}

/** Runs statements one after the other: chDB is a whole ClickHouse in a process, which ends with the tests. */
const program = `
const { Session } = require('module').createRequire(process.argv[2] + '/')('chdb')
const session = new Session()
process.on('message', ({ id, statement, format }) => {
  try { process.send({ id, text: session.query(statement, format) }) }
  catch (error) { process.send({ id, error: String(error.message) }) }
})
process.on('disconnect', () => process.exit())
`

/** Starts a real ClickHouse in a process of its own. */
export function startChdb(): ChdbEngine {
  const file = join(tmpdir(), `mortise-chdb-${process.pid}.cjs`)
  writeFileSync(file, program)
  // It would read rows from an open standard input, too.
  const child = fork(file, [folder ?? ''], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const query = async (statement: string, format: string): Promise<string> => {
    child.send({ id: 1, statement, format })
    const [reply] = (await once(child, 'message')) as [{ text?: string; error?: string }]
    if (reply.error !== undefined) throw new Error(reply.error)
    return reply.text ?? ''
  }
  return {
    execute: query,
    query,
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
