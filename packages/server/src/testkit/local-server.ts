import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'

/**
 * Whether this machine has a server to test with. Without it, tests are skipped, and a line says so.
 *
 * @param options.name as people know it; with `MORTISE_REQUIRE_NAME=1`, its absence is an error
 */
export function hasLocalServer({ name, program }: { name: string; program: string }): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env[`MORTISE_REQUIRE_${name.toUpperCase()}`] === '1')
      throw new Error(`there is no ${program}`, { cause: error })
    console.warn(`Tests with a real ${name} are skipped: install ${program}.`)
    return false
  }
}

export interface LocalServer {
  port: number
  stop(): Promise<void>
}

/** Starts a program on a loopback port, with a folder that is removed with it. Returns when its output says `ready`. */
export async function startLocalServer({
  program,
  ready,
  port: fixedPort = 0,
  files = {},
  argumentsOf,
}: {
  program: string
  /** What its output or its errors contain as soon as it accepts connections. */
  ready: string
  port?: number
  /** Files of the folder, by name. In their text, `%PORT%` and `%DIR%` are replaced. */
  files?: Record<string, string>
  argumentsOf(place: { port: number; dir: string }): string[]
}): Promise<LocalServer> {
  const dir = await mkdtemp(path.join(tmpdir(), `mortise-${program}-`))
  const port = fixedPort === 0 ? await freePort() : fixedPort
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(dir, name), text.replaceAll('%PORT%', String(port)).replaceAll('%DIR%', dir))
  const child = spawn(program, argumentsOf({ port, dir }), { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let log = ''
  await new Promise<void>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk) => {
        log += chunk
        if (log.includes(ready)) resolve()
      })
    child.once('exit', () => reject(new Error(log)))
  })
  return {
    port,
    async stop() {
      child.kill()
      await exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}
